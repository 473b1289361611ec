"""Placements and inertias of many bodies at once, by the formulas for one, whose numbers are columns here."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from operator_algebra.spatial.arrays import Array
from operator_algebra.spatial.inertia import cuboid, symmetric_part
from operator_algebra.spatial.transforms import LENGTH_ONE, about_axis, multiply, transposed, turn, unit_vector

Floats = NDArray[np.float64]


def unit_vectors(given: Floats) -> Floats:
    """Vectors (n, 3) scaled to length one, as `unit_vector` does it; those that have it are kept to the bit.

    >>> unit_vectors(np.array([[0.0, 0.0, 2.0], [0.6, 0.8, 0.0]])).tolist()
    [[0.0, 0.0, 1.0], [0.6, 0.8, 0.0]]
    """
    lengths = np.array(list(map(math.hypot, *given.T.tolist())))
    found = given + 0.0
    for k in np.flatnonzero(~(np.abs(lengths - 1.0) <= LENGTH_ONE)).tolist():
        found[k] = unit_vector(given[k].tolist(), "the axis")
    return found


def directions(normal: Floats) -> Floats:
    """Unit vectors along rows of normally distributed numbers, spread evenly over all directions."""
    return normal / np.array(list(map(math.hypot, *normal.T.tolist())))[:, None]


def between(uniform: Floats, low: float, high: float) -> Floats:
    """Numbers from 0 to 1 spread from low to high, as `Generator.uniform` does it.

    >>> between(np.array([0.0, 0.5]), -1.0, 3.0).tolist()
    [-1.0, 1.0]
    """
    return low + (high - low) * uniform


def turned(axes: Floats, angles: Floats) -> Floats:
    """Rotations (n, 3, 3) about axes of length one (n, 3) by angles (n,).

    >>> turned(np.array([[0.0, 0.0, 1.0]]), np.array([np.pi / 2]))[0].tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    every = angles.tolist()
    c, s = np.array(list(map(math.cos, every))), np.array(list(map(math.sin, every)))
    # Where one of them is no more than the rounding of the angle, it is zero.
    for k in np.flatnonzero(np.minimum(np.abs(c), np.abs(s)) <= np.spacing(np.abs(angles))).tolist():
        c[k], s[k] = turn(every[k])
    return _stacked(about_axis(axes[:, 0], axes[:, 1], axes[:, 2], c, s))


def moved_boxes(mass: Floats, size: Floats, rotation: Floats) -> Floats:
    """Rotational inertia (n, 3, 3) of homogeneous cuboids with edges (n, 3) along axes that a rotation takes along."""
    x, y, z = cuboid(mass, *size.T)
    rows: Array = tuple(tuple(rotation[:, i, j] for j in range(3)) for i in range(3))
    moments: Array = ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))
    return _stacked(symmetric_part(multiply(multiply(rows, moments), transposed(rows))))


def _stacked(rows: Array) -> Floats:
    """Rows of columns as matrices; −0 becomes 0, as in all that a mechanism is made of."""
    found = np.empty((len(rows[0][0]), 3, 3))
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            np.add(entry, 0.0, out=found[:, i, j])
    return found
