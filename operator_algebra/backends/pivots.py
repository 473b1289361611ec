"""How small pivots may be: what they are believed, told of, mended and refused by."""

from __future__ import annotations

import numpy as np

from operator_algebra.models.numeric import Numbers

SMALL = 1e-4
"""A relative pivot below this costs four digits: it is told, unless one step of refinement gives them back."""
SINGULAR = 1e-14
"""A relative pivot below this has no correct digit left."""
DOUBTFUL = 1e-8
"""A relative pivot below this costs half of the digits: the sample is computed again without local pivots."""

HELD = 1 / 16
"""Springs that leave less than this share of the compliance of a mechanism cost digits, which refinement gives back."""


def refined_share(share: Numbers) -> Numbers:
    """What one step of refinement makes of it: what was lost is lost again of itself, each time some units of eps."""
    return np.minimum(1.0, np.square(share) / (100 * np.finfo(np.float64).eps))
