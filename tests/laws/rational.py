"""Exact rational trees: E_φ, H, M and vectors of fractions, on which formulas are evaluated without any rounding."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from operator_algebra.expressions.nodes import Expr
from operator_algebra.meaning.evaluator import Evaluation
from operator_algebra.operators.blockdict import exact
from operator_algebra.operators.layout import Layout
from tests.oracles.exact_sources import GivenSource

Blocks = dict[tuple[int, int], Any]


def matrix(rng: random.Random, rows: int, cols: int) -> Any:
    """Any matrix."""
    made: Any = np.empty((rows, cols), dtype=object)
    made.flat = [Fraction(rng.randint(-3, 3), rng.randint(1, 3)) for _ in range(rows * cols)]
    return made


def definite(rng: random.Random, size: int) -> Any:
    """A definite matrix."""
    factor = matrix(rng, size, size)
    return factor @ factor.T + np.eye(size, dtype=int)


def shift(rng: random.Random) -> Any:
    """φ of a rotation with rational entries (an integer quaternion) and a rational offset."""
    w, x, y, z = (rng.randint(-2, 2) for _ in range(4))
    norm = Fraction(w * w + x * x + y * y + z * z) or Fraction(1)
    w = w or (1 if norm == 1 and not (x or y or z) else 0)
    rows = (
        (norm - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), norm - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), norm - 2 * (x * x + y * y)),
    )
    rotation = np.array([[Fraction(entry) / norm for entry in row] for row in rows], dtype=object)
    a, b, c = (Fraction(rng.randint(-3, 3), 2) for _ in range(3))
    zero = Fraction(0)
    skew = np.array([[zero, -c, b], [c, zero, -a], [-b, a, zero]], dtype=object)
    return np.block([[rotation, skew @ rotation], [np.full((3, 3), zero), rotation]])


@cache
def rational_tree(seed: int) -> Evaluation:
    """A branching tree with joints of one to three degrees of freedom, and J ≠ 0; what was evaluated is kept."""
    rng = random.Random(seed)
    n = rng.randint(3, 4)
    parent = [-1, 0, 0] + [rng.randint(0, k - 1) for k in range(3, n)]
    sizes = [rng.randint(1, 3) for _ in range(n)]
    layouts = {
        "spatial": Layout.of([6] * n),
        "joint": Layout.of(sizes),
        "one": Layout.of([1], attached=False),
    }
    values: dict[str, Blocks] = {
        "E_phi": {(p, k): shift(rng) for k, p in enumerate(parent) if p >= 0},
        "H": {(k, k): matrix(rng, size, 6) + np.eye(size, 6, dtype=int) * 7 for k, size in enumerate(sizes)},
        "M": {(k, k): definite(rng, 6) for k in range(n)},
        "J": {(k, k): definite(rng, size) for k, size in enumerate(sizes)},
        "v": {(k, 0): matrix(rng, size, 1) for k, size in enumerate(sizes)},
        "T": {(k, 0): matrix(rng, size, 1) for k, size in enumerate(sizes)},
        "w": {(k, 0): matrix(rng, size, 1) for k, size in enumerate(sizes)},
        "x": {(k, 0): matrix(rng, size, 1) for k, size in enumerate(sizes)},
    }
    return Evaluation(GivenSource(parent, layouts, values), 1e9)


def is_zero(e: Expr, tree: Evaluation) -> bool:
    """Whether a formula vanishes exactly."""
    value = tree.value(e)
    return all(x == 0 for block in exact(value.data).blocks.values() for x in np.asarray(block).flat)
