"""Blocks of exact models as rows of numbers: products, rigid shifts, inertias of bodies."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = int | Fraction
Rows: TypeAlias = list[list[Number]]

SPATIAL = 6
"""Coordinates of a motion."""


def own_square(a: Rows) -> Rows:
    """The product a a*."""
    return [[sum((x * y for x, y in zip(one, other, strict=True)), start=0) for other in a] for one in a]


def skew(x: Number, y: Number, z: Number) -> Rows:
    """The matrix of a cross product."""
    return [[0, -z, y], [z, 0, -x], [-y, x, 0]]


def times(a: Rows, b: Rows) -> Rows:
    """The product a b."""
    return [[sum((x * y for x, y in zip(row, col, strict=True)), start=0) for col in zip(*b, strict=True)] for row in a]


def quarters(a: Rows, b: Rows, c: Rows, d: Rows) -> Rows:
    """[[a, b], [c, d]]."""
    return [[*x, *y] for x, y in zip(a, b, strict=True)] + [[*x, *y] for x, y in zip(c, d, strict=True)]


NOTHING: Rows = [[0] * 3] * 3


def _picked(*places: int) -> Rows:
    return [[int(j == k) for j in range(SPATIAL)] for k in places]


SUBGROUPS: dict[int, Rows] = {2: _picked(2, 5), 3: _picked(0, 1, 2), 6: _picked(*range(6))}
"""Motions of joints whose map is constant, by degrees of freedom: a cylinder, a sphere, a free body.

Their brackets stay among them; so do those of one motion alone.
"""


def rigid_shift(w: Number, x: Number, y: Number, z: Number, *offset: Number) -> Rows:
    """φ(R, l) = [[R, l̃ R], [0, R]] for the rotation of a quaternion."""
    n = w * w + x * x + y * y + z * z
    whole = [
        [n - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), n - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), n - 2 * (x * x + y * y)],
    ]
    turn: Rows = [[entry if n == 1 else Fraction(entry) / n for entry in row] for row in whole]
    return quarters(turn, times(skew(*offset), turn), NOTHING, turn)


def rigid_inertia(m: Number, x: Number, y: Number, z: Number, *lower: Number) -> Rows:
    """[[J, h̃], [−h̃, m I]] with h = m c and J = L L* − m c̃ c̃."""
    a, b, c, d, e, f = lower
    about = own_square([[a, 0, 0], [b, c, 0], [d, e, f]])
    offset = skew(x, y, z)
    square = times(offset, offset)
    J = [[p - m * q for p, q in zip(one, other, strict=True)] for one, other in zip(about, square, strict=True)]
    first = [[m * entry for entry in row] for row in offset]
    return quarters(J, first, [[-x for x in row] for row in first], [[m, 0, 0], [0, m, 0], [0, 0, m]])
