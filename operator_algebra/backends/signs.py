"""The signs of rounding, the same in all backends: what they measure must not depend on which of them runs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


@lru_cache(maxsize=16)
def random_signs(bodies: int, size: int, salt: int) -> NDArray[np.float64]:
    """Two columns of signs for every body, (bodies, size, 2)."""
    return drawn((salt, size), (bodies, size, 2))


def drawn(seed: tuple[int, ...], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Signs times 0.8 to 1.25, so that equal entries do not cancel."""
    rng = np.random.default_rng(seed)
    return rng.choice((-1.0, 1.0), shape) * rng.uniform(0.8, 1.25, shape)
