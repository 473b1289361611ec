"""Placement of one frame in another, and the 6 × 6 block φ that shifts forces between them."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from operator_algebra.arguments import instance, items, shown
from operator_algebra.errors import ModelError, explain
from operator_algebra.spatial.arrays import IDENTITY3, ZERO3, Array, ArrayNamespace, Matrix3, Vector3
from operator_algebra.spatial.reals import near_one, real, reals
from operator_algebra.spatial.vectors import block_matrix, skew

# Rotation matrices are stored to double precision; a larger defect means rounded digits, not rounding.
ORTHOGONAL = 1e-9
# A vector that was scaled to length one once has it up to this.
LENGTH_ONE = 4e-16


def phi_block(R: Array, p: Array, xp: ArrayNamespace) -> Array:
    """Shift of a force from a child's origin to its parent's, φ = [[R, l̃ R], [0, R]].

    R takes child axes to parent axes; l leads from the parent's origin to the child's, in parent axes.
    [diagonalized dynamics, (4.5)]
    """
    return block_matrix(((R, skew(p, xp) @ R), (xp.zeros_like(R), R)), xp)


@dataclass(frozen=True, slots=True, init=False)
class Placement:
    """Pose of a frame in another: `rotation` takes its axes to the other's, `translation` is its origin there.

    >>> Placement.from_rpy((0, 0, math.pi / 2), translation=(1, 0, 0)).translation
    (1.0, 0.0, 0.0)
    """

    rotation: Matrix3
    translation: Vector3

    def __init__(self, rotation: Sequence[Sequence[float]] = IDENTITY3, translation: Sequence[float] = ZERO3) -> None:
        # Thousands of bodies share the default: it needs no test.
        matrix = IDENTITY3 if rotation is IDENTITY3 else matrix3(rotation, "the rotation")
        if matrix is not IDENTITY3:
            _check_rotation(matrix)
        object.__setattr__(self, "rotation", matrix)
        object.__setattr__(self, "translation", vector3(translation, "the translation"))

    @staticmethod
    def from_rpy(rpy: Sequence[float], translation: Sequence[float] = ZERO3) -> Placement:
        """Roll, pitch, yaw about the fixed axes x, y, z, as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll)."""
        roll, pitch, yaw = vector3(rpy, "roll, pitch, yaw")
        (cr, sr), (cp, sp), (cy, sy) = map(turn, (roll, pitch, yaw))
        rows = (
            (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr),
        )
        return Placement(rows, translation)

    @staticmethod
    def from_quaternion(quaternion: Sequence[float], translation: Sequence[float] = ZERO3) -> Placement:
        """Quaternion [w, x, y, z] of any length but zero."""
        values = _floats(quaternion, 4, "the quaternion")
        if not any(values):
            raise ModelError(explain("the quaternion is zero", remedy="Give [w, x, y, z], such as [1, 0, 0, 0]."))
        w, x, y, z = near_one(values)
        n = w * w + x * x + y * y + z * z  # divided by last, quarter turns stay right angles
        rows = (
            (_less(w * w + x * x, y * y + z * z) / n, 2 * _less(x * y, w * z) / n, 2 * _less(x * z, -w * y) / n),
            (2 * _less(x * y, -w * z) / n, _less(w * w + y * y, x * x + z * z) / n, 2 * _less(y * z, w * x) / n),
            (2 * _less(x * z, w * y) / n, 2 * _less(y * z, -w * x) / n, _less(w * w + z * z, x * x + y * y) / n),
        )
        return Placement(rows, translation)

    @staticmethod
    def from_axis_angle(axis: Sequence[float], angle: float, translation: Sequence[float] = ZERO3) -> Placement:
        """Turn by an angle in radians about an axis of any length but zero."""
        x, y, z = unit_vector(axis, "the axis")
        angle = number(angle, "the angle", "Give it in radians.")
        return Placement(about_axis(x, y, z, *turn(angle)), translation)

    @staticmethod
    def from_rotation_vector(vector: Sequence[float], translation: Sequence[float] = ZERO3) -> Placement:
        """Turn about the vector by its length in radians."""
        values = vector3(vector, "the rotation vector")
        angle = math.hypot(*values)
        if angle == 0.0:
            return Placement(translation=translation)
        if angle == math.inf:
            raise ModelError(explain(f"the rotation vector is too large: {values}", remedy="Give it in radians."))
        return Placement.from_axis_angle(values, angle, translation)

    def compose(self, other: Placement) -> Placement:
        """The pose of `other`, which is given in this frame, in the frame that this one is given in."""
        other = instance(other, "what is composed", Placement, "Give a Placement.", error=ModelError)
        moved = rotate(self.rotation, other.translation)
        translation = [a + b for a, b in zip(self.translation, moved, strict=True)]
        return Placement(multiply(self.rotation, other.rotation), translation)

    def __matmul__(self, other: Placement) -> Placement:
        return self.compose(other)

    def inverse(self) -> Placement:
        """The pose of the other frame in this one: R*, −R* p."""
        back = transposed(self.rotation)
        return Placement(back, [-x for x in rotate(back, self.translation)])

    def apply(self, point: Sequence[float]) -> Vector3:
        """A point given in this frame, in the other frame."""
        x, y, z = rotate(self.rotation, vector3(point, "the point"))
        return (x + self.translation[0], y + self.translation[1], z + self.translation[2])


def kept_placement(rotation: Matrix3, translation: Vector3) -> Placement:
    """The placement of numbers that were tested before."""
    found = Placement.__new__(Placement)
    object.__setattr__(found, "rotation", rotation)
    object.__setattr__(found, "translation", translation)
    return found


def about_axis(x: Array, y: Array, z: Array, c: Array, s: Array) -> tuple[tuple[Array, Array, Array], ...]:
    """Rows of the turn about the unit vector (x, y, z) with this cosine and sine: numbers, or columns of them."""
    return (
        (c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s),
        (x * y * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s),
        (x * z * (1 - c) - y * s, y * z * (1 - c) + x * s, c + z * z * (1 - c)),
    )


def multiply(a: Matrix3, b: Matrix3) -> Matrix3:
    """Product of two 3 × 3 matrices."""
    columns = transposed(b)
    return cast(Matrix3, tuple(tuple(_dot(row, column) for column in columns) for row in a))


def rotate(a: Matrix3, x: Vector3) -> Vector3:
    """3 × 3 matrix times vector."""
    return (_dot(a[0], x), _dot(a[1], x), _dot(a[2], x))


def transposed(a: Matrix3) -> Matrix3:
    """The transposed 3 × 3 matrix."""
    return ((a[0][0], a[1][0], a[2][0]), (a[0][1], a[1][1], a[2][1]), (a[0][2], a[1][2], a[2][2]))


def cross3(a: Vector3, b: Vector3) -> Vector3:
    """Cross product of two triples."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def number(value: float, what: str, remedy: str = "") -> float:
    """A finite float, or a `ModelError` that names what it was to be."""
    try:
        found = real(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise ModelError(explain(f"{what} is not a finite number: {shown(value)}", remedy=remedy))
    return found


def vector3(values: Sequence[float], what: str) -> Vector3:
    """Three finite floats, or a `ModelError` that names what they were to be."""
    x, y, z = _floats(values, 3, what)
    return (x, y, z)


def matrix3(rows: Sequence[Sequence[float]], what: str) -> Matrix3:
    """A 3 × 3 tuple of finite floats, or a `ModelError`."""
    given = items(rows, what, "3 rows of 3 numbers", error=ModelError)
    if len(given) != 3:
        raise ModelError(explain(f"{what} needs 3 rows of 3 numbers, not {shown(rows)}"))
    a, b, c = given
    return (vector3(a, f"{what}, row 1,"), vector3(b, f"{what}, row 2,"), vector3(c, f"{what}, row 3,"))


def unit_vector(values: Sequence[float], what: str) -> Vector3:
    """The vector scaled to length one; a vector that already has it is kept to the bit."""
    given = vector3(values, what)
    if not any(given):
        raise ModelError(explain(f"{what} has no direction: {given}", remedy="Give a vector other than zero."))
    if abs(math.hypot(*given) - 1.0) <= LENGTH_ONE:
        return given
    x, y, z = near_one(given)
    norm = math.hypot(x, y, z)
    return (x / norm, y / norm, z / norm)


def turn(angle: float) -> tuple[float, float]:
    """Cosine and sine; of the float nearest to a quarter turn those of the quarter turn, not some 6e-17."""
    c, s = math.cos(angle), math.sin(angle)
    nearest = math.ulp(angle) / 2
    if abs(c) <= nearest:
        return 0.0, math.copysign(1.0, s)
    return (math.copysign(1.0, c), 0.0) if abs(s) <= nearest else (c, s)


def _less(a: float, b: float) -> float:
    """The difference of two products of rounded numbers; zero where it is nothing but their rounding."""
    difference = a - b
    return 0.0 if abs(difference) <= 2 * sys.float_info.epsilon * max(abs(a), abs(b)) else difference


def _floats(values: Sequence[float], count: int, what: str) -> tuple[float, ...]:
    """Finite floats."""
    if isinstance(values, str):
        raise ModelError(explain(f"{what} needs {count} numbers, not the text {shown(values)}"))
    try:
        result = reals(values)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(explain(f"{what} needs {count} numbers, not {shown(values)}")) from None
    if len(result) != count:
        raise ModelError(explain(f"{what} needs {count} numbers, not {shown(values)}"))
    if not all(map(math.isfinite, result)):
        raise ModelError(explain(f"{what} is not finite: {result}", remedy="Give numbers other than nan and inf."))
    return result


def _check_rotation(rows: Matrix3) -> None:
    a, b, c = rows
    lengths = (_dot(a, a) - 1.0, _dot(b, b) - 1.0, _dot(c, c) - 1.0, _dot(a, b), _dot(a, c), _dot(b, c))
    if max(map(abs, lengths)) > ORTHOGONAL:
        raise ModelError(
            explain(
                f"the rotation is not orthogonal (R R* differs from I by {max(map(abs, lengths)):.1e})",
                remedy="Give more digits, or a quaternion, rpy or rotation vector.",
            )
        )
    if _dot(cross3(a, b), c) < 0.0:
        raise ModelError(explain("the rotation is a reflection (determinant −1)", remedy="Use right-handed axes."))


def _dot(a: Vector3, b: Vector3) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
