"""What the arrays of a running program are: a name for each order of axes, spelled as jaxtyping does.

A type checker sees arrays of numbers; a test runs programs and compares the axes. How they are read is told in
`operators/arrays.py`.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.numeric import Numbers

Blocks: TypeAlias = Annotated[Numbers, "m *batch _r _c"]
"""Blocks of m bodies of one shape."""
Block: TypeAlias = Annotated[Numbers, "*#lead _r _c"]
"""The block of one body, or a whole matrix; small dense algebra takes any leading axes."""
Sizes: TypeAlias = Annotated[Numbers, "*#lead _n"]
"""A number for each unknown, row or body."""
Chosen: TypeAlias = Annotated[NDArray[np.bool_], "*#lead _n"]
"""Yes or no for each row."""
Scalars: TypeAlias = Annotated[Numbers, "*#lead"]
"""A number for each block."""
Flags: TypeAlias = Annotated[NDArray[np.bool_], "*#lead"]
"""Yes or no for each block."""
