"""What the arrays of operators and of their meaning are: a name for each order of axes, spelled as jaxtyping does.

A name is one size within a call or a record, `_name` any size, a number itself. `*batch` are the leading axes of q,
`*lead` any, `*#batch` and `*#lead` those or what broadcasts with them. A type checker sees arrays of numbers; a test
evaluates formulas and compares the axes.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.numeric import Numbers
from operator_algebra.spatial.arrays import Array

# -- one configuration -------------------------------------------------------------------------------------------------

Block: TypeAlias = Annotated[Numbers, "_r _c"]
"""One block, or a whole matrix."""
Blocks: TypeAlias = Annotated[Numbers, "m r c"]
"""Blocks of m bodies, or places, of one shape."""
Square: TypeAlias = Annotated[Numbers, "r r"]
"""A block, or a whole matrix, with as many rows as columns."""
Squares: TypeAlias = Annotated[Numbers, "m r r"]
"""Square blocks of one shape."""
Dense: TypeAlias = Annotated[Numbers, "rows cols"]
"""A whole matrix, all of one shape."""
Sums: TypeAlias = Annotated[Numbers, "rows"]
"""A number for each row of a matrix."""
Pattern: TypeAlias = Annotated[NDArray[np.bool_], "_rows _cols"]
"""Which blocks, or bodies, meet."""
Number: TypeAlias = Annotated[Numbers, ""]
"""One number."""
Anything: TypeAlias = Annotated[Numbers, "..."]
"""As it comes, or as spaces have it: a space of one number has no axis."""

Values: TypeAlias = Annotated[Numbers, "m"]
"""A number for each block or entry."""
Norms: TypeAlias = Annotated[NDArray[np.float64], "m"]
"""The size of each block."""
Conditions: TypeAlias = Annotated[NDArray[np.float64], "beside"]
"""A condition number for each of the mechanisms that stand beside each other."""
Flags: TypeAlias = Annotated[NDArray[np.bool_], "m"]
"""Yes or no for each block."""
Indices: TypeAlias = Annotated[NDArray[np.intp], "m"]
"""The body, the block row or the block column of each block."""
EntryPlaces: TypeAlias = Annotated[NDArray[np.integer], "m"]
"""The row or the column of each entry, of either width."""
OfBodies: TypeAlias = Annotated[NDArray[np.intp], "n"]
"""The parent, or the level, of each body of a mechanism."""
BlockSizes: TypeAlias = Annotated[NDArray[np.intp], "count"]
"""The size of each block of a space."""
Starts: TypeAlias = Annotated[NDArray[np.intp], "_starts"]
"""Where each block of a space starts, and the end."""
OfEntries: TypeAlias = Annotated[NDArray[np.intp], "size"]
"""A place for each entry of a vector."""
Signs: TypeAlias = Annotated[Numbers, "_signs"]
"""Signs, one for each rounding."""

# -- many configurations -----------------------------------------------------------------------------------------------

Coordinates: TypeAlias = Annotated[Numbers, "*batch nq"]
Rates: TypeAlias = Annotated[Numbers, "*batch nv"]
Freedoms: TypeAlias = Annotated[Numbers, "nv"]
"""A number for each degree of freedom, the same for all configurations."""
Rotations: TypeAlias = Annotated[Numbers, "*#batch n 3 3"]
Positions: TypeAlias = Annotated[Numbers, "*#batch n 3"]
Spatial: TypeAlias = Annotated[Numbers, "*#batch n 6 6"]
"""A block on motions or forces for each body of a mechanism."""
Twists: TypeAlias = Annotated[Numbers, "*#batch m 6 f"]
"""A motion for each degree of freedom of m joints of one kind."""
SampleBlock: TypeAlias = Annotated[Numbers, "*#batch _r _c"]
"""The block of one body, or a whole matrix."""
SampleBlocks: TypeAlias = Annotated[Numbers, "*#batch m r c"]
"""Blocks of m bodies of one shape."""
SampleVector: TypeAlias = Annotated[Numbers, "*#batch _rows"]
"""The entries of a vector."""

# -- any leading axes --------------------------------------------------------------------------------------------------

Stack: TypeAlias = Annotated[Numbers, "*lead r c"]
"""Matrices of one shape."""
StackFlags: TypeAlias = Annotated[NDArray[np.bool_], "*lead"]
"""Yes or no for each matrix."""
Diagonals: TypeAlias = Annotated[Numbers, "*lead r"]
DiagonalBlocks: TypeAlias = Annotated[Numbers, "*lead r r"]
Motions: TypeAlias = Annotated[Numbers, "*lead 6"]
MotionBlocks: TypeAlias = Annotated[Numbers, "*lead 6 6"]

# -- of whatever library: numbers or symbols, of one body or a row for each --------------------------------------------

AnyScalar: TypeAlias = Annotated[Array, "*#lead"]
AnyVector: TypeAlias = Annotated[Array, "*#lead 3"]
AnyMatrix: TypeAlias = Annotated[Array, "*#lead 3 3"]
AnyTwists: TypeAlias = Annotated[Array, "*#lead 6 f"]
AnyEntries: TypeAlias = Annotated[Array, "*#lead r"]
AnyBlock: TypeAlias = Annotated[Array, "*#lead r c"]
OfJoint: TypeAlias = Annotated[Array, "*#lead nv"]
CoordinatesOfJoint: TypeAlias = Annotated[Array, "*#lead nq"]
JointCoordinates: TypeAlias = Annotated[NDArray[np.intp], "m nq"]
"""Where the coordinates of m joints of one kind stand."""
JointRates: TypeAlias = Annotated[NDArray[np.intp], "m nv"]
"""Where their rates stand."""
Gravity: TypeAlias = Annotated[Array, "3"]
