"""Rigid-body inertia from mass, mass centre and rotational inertia, and what makes it physical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from operator_algebra.arguments import instance, items, whole
from operator_algebra.errors import ModelError, explain
from operator_algebra.spatial.arrays import ZERO3, Array, ArrayNamespace, Matrix3, Vector3
from operator_algebra.spatial.transforms import Placement, matrix3, multiply, number, transposed, vector3
from operator_algebra.spatial.vectors import block_matrix, skew

_ZERO33: Matrix3 = (ZERO3, ZERO3, ZERO3)
# Products of inertia printed twice may differ in the last digits; more than this is a slip.
_SYMMETRIC = 1e-9


def spatial_inertia(mass: Array, com: Array, inertia_at_com: Array, xp: ArrayNamespace) -> Array:
    """6 × 6 inertia about the body's origin, M = [[J, m p̃], [−m p̃, m I]] with J = I_cm − m p̃ p̃.

    Shapes (...), (..., 3), (..., 3, 3) → (..., 6, 6).        [filtering and smoothing, (8)-(10)]
    """
    return inertia_block(mass, *about_origin(mass, com, inertia_at_com, xp), xp)


def about_origin(mass: Array, com: Array, inertia_at_com: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
    """First moment h = m p and rotational inertia J = I_cm − m p̃ p̃, both about the body's origin."""
    moment = mass[..., None] * com
    return moment, inertia_at_com - skew(moment, xp) @ skew(com, xp)


def inertia_block(mass: Array, moment: Array, inertia: Array, xp: ArrayNamespace) -> Array:
    """M = [[J, h̃], [−h̃, m I]] from m, h = m p and J, both about the body's origin."""
    lever = skew(moment, xp)
    return block_matrix(((inertia, lever), (-lever, mass[..., None, None] * xp.eye(3))), xp)


@dataclass(frozen=True, slots=True, init=False)
class Inertia:
    """Mass [kg], mass centre [m] and rotational inertia about the mass centre [kg m²], in body axes.

    >>> Inertia(2.0, com=(0.5, 0, 0), inertia_at_com=(0.01, 0.2, 0.2)).matrix().shape
    (6, 6)
    """

    mass: float
    com: Vector3
    inertia_at_com: Matrix3

    def __init__(
        self,
        mass: float = 0.0,
        com: Sequence[float] = ZERO3,
        inertia_at_com: Sequence[float] | Sequence[Sequence[float]] = _ZERO33,
    ) -> None:
        object.__setattr__(self, "mass", _mass(mass))
        object.__setattr__(self, "com", vector3(com, "the mass centre"))
        object.__setattr__(self, "inertia_at_com", _symmetric3(inertia_at_com))

    def matrix(self) -> Any:
        """The 6 × 6 inertia about the body's origin, a NumPy array."""
        import numpy as np

        return spatial_inertia(np.asarray(self.mass), np.asarray(self.com), np.asarray(self.inertia_at_com), np)

    @property
    def is_zero(self) -> bool:
        """Whether the body has neither mass nor rotational inertia."""
        return self.mass == 0.0 and not any(map(any, self.inertia_at_com))

    def moved(self, placement: Placement) -> Inertia:
        """The same body in the axes of another frame, where its own frame has this placement."""
        place = instance(placement, "the pose of a moved body", Placement, "Give a Placement.", error=ModelError)
        R = place.rotation
        turned = multiply(multiply(R, self.inertia_at_com), transposed(R))
        return Inertia(self.mass, place.apply(self.com), turned)

    def __add__(self, other: Inertia) -> Inertia:
        """Two bodies rigidly joined, given in the same axes."""
        other = instance(other, "what is joined to a body", Inertia, "Give an Inertia.", error=ModelError)
        mass = self.mass + other.mass
        if mass == 0.0:
            # Without mass there is no mass centre, and where it is said to be does not matter.
            return Inertia(0.0, self.com, _sum3(self.inertia_at_com, other.inertia_at_com))
        com = tuple((self.mass * a + other.mass * b) / mass for a, b in zip(self.com, other.com, strict=True))
        parts = [_sum3(part.inertia_at_com, _steiner(part, com)) for part in (self, other)]
        return Inertia(mass, com, _sum3(*parts))

    @staticmethod
    def box(mass: float, size: Sequence[float], com: Sequence[float] = ZERO3) -> Inertia:
        """Homogeneous cuboid with edges of the given lengths along x, y, z."""
        mass = _mass(mass)
        return Inertia(mass, com, cuboid(mass, *vector3(size, "the size of the box")))

    @staticmethod
    def sphere(mass: float, radius: float, com: Sequence[float] = ZERO3) -> Inertia:
        """Homogeneous ball."""
        mass, radius = _mass(mass), _length(radius, "the radius")
        moment = 0.4 * mass * radius * radius
        return Inertia(mass, com, (moment, moment, moment))

    @staticmethod
    def cylinder(mass: float, radius: float, length: float, com: Sequence[float] = ZERO3, axis: int = 2) -> Inertia:
        """Homogeneous cylinder along the axis 0, 1 or 2 (x, y or z)."""
        axis = whole(axis, "the axis of the cylinder", least=0, most=2, error=ModelError)
        mass, radius, length = _mass(mass), _length(radius, "the radius"), _length(length, "the length")
        moments = [mass * (3.0 * radius * radius + length * length) / 12.0] * 3
        moments[axis] = 0.5 * mass * radius * radius
        return Inertia(mass, com, moments)


def kept_inertia(mass: float, com: Vector3, inertia_at_com: Matrix3) -> Inertia:
    """The inertia of numbers that were tested before."""
    found = Inertia.__new__(Inertia)
    for field, value in (("mass", mass), ("com", com), ("inertia_at_com", inertia_at_com)):
        object.__setattr__(found, field, value)
    return found


def _mass(mass: float) -> float:
    return number(mass, "the mass", "Give it in kilograms.")


def _length(length: float, what: str) -> float:
    return number(length, what, "Give it in metres.")


def _symmetric3(values: Sequence[float] | Sequence[Sequence[float]]) -> Matrix3:
    if values is _ZERO33:
        return _ZERO33
    what = "the rotational inertia"
    rows = items(values, what, "3 moments, or a 3 × 3 matrix", error=ModelError)
    if len(rows) == 3 and all(isinstance(value, int | float) for value in rows):
        x, y, z = vector3(rows, what)
        return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))
    a, b, c = matrix3(rows, what)
    largest = max(abs(x) for row in (a, b, c) for x in row)
    if max(abs(a[1] - b[0]), abs(a[2] - c[0]), abs(b[2] - c[1])) > _SYMMETRIC * largest:
        raise ModelError(explain(f"{what} is not symmetric: {(a, b, c)}", remedy="Check the products of inertia."))
    return symmetric_part((a, b, c))


def symmetric_part(rows: Matrix3) -> Matrix3:
    """Half the sum of a matrix and its transpose; entries are numbers, or columns of them."""
    a, b, c = rows
    xy, xz, yz = 0.5 * (a[1] + b[0]), 0.5 * (a[2] + c[0]), 0.5 * (b[2] + c[1])
    return ((a[0], xy, xz), (xy, b[1], yz), (xz, yz, c[2]))


def cuboid(mass: Array, x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
    """Principal moments of a homogeneous cuboid with these edges; numbers, or columns of them."""
    x, y, z = (length * length / 12.0 for length in (x, y, z))
    return (mass * (y + z), mass * (x + z), mass * (x + y))


def _sum3(a: Matrix3, b: Matrix3) -> Matrix3:
    return cast(Matrix3, tuple(tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(a, b, strict=True)))


def _steiner(body: Inertia, point: Sequence[float]) -> Matrix3:
    """What the rotational inertia gains when taken about another point: m (|d|² I − d d*)."""
    d = tuple(a - b for a, b in zip(body.com, point, strict=True))
    square = sum(x * x for x in d)
    return cast(
        Matrix3,
        tuple(tuple(body.mass * ((square if i == j else 0.0) - d[i] * d[j]) for j in range(3)) for i in range(3)),
    )
