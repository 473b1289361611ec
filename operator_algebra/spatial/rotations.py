"""Rotations in their parametrisations, generic over the array library; quaternions are [w, x, y, z]."""

from __future__ import annotations

from operator_algebra.spatial.arrays import Array, ArrayNamespace, ManifoldNamespace
from operator_algebra.spatial.vectors import skew

# Below this squared angle the power series are used: their truncation error is under 1e-17 there, and the closed forms
# have lost at most four digits to cancellation above it.
_SMALL = 1e-2


def rotation_about(axis: Array, angle: Array, xp: ArrayNamespace) -> Array:
    """Rotation by angles (..., 1) about constant unit axes (..., 3).

    R = a a* + cos θ (I − a a*) + sin θ ã
    """
    along = axis[..., :, None] * axis[..., None, :]
    theta = angle[..., None]
    return along + xp.cos(theta) * (xp.eye(3) - along) + xp.sin(theta) * skew(axis, xp)


def quaternion_matrix(quaternion: Array, xp: ArrayNamespace) -> Array:
    """Rotation of a quaternion of any length but zero, R = I + 2 (w ũ + ũ²) / |q|²; shape (..., 4) → (..., 3, 3)."""
    q = quaternion
    norm2 = q[..., 0:1] * q[..., 0:1]
    for i in (1, 2, 3):
        norm2 = norm2 + q[..., i : i + 1] * q[..., i : i + 1]
    u = skew(q[..., 1:4], xp)
    w = q[..., 0:1]
    return xp.eye(3) + (2.0 / norm2)[..., None] * (w[..., None] * u + u @ u)


def quaternion_product(p: Array, q: Array, xp: ArrayNamespace) -> Array:
    """Hamilton product: the rotation of p after that of q."""
    a, b, c, d = (p[..., i] for i in range(4))
    e, f, g, h = (q[..., i] for i in range(4))
    return xp.stack(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        axis=-1,
    )


def conjugate(q: Array, xp: ArrayNamespace) -> Array:
    """The quaternion of the inverse rotation."""
    return xp.concatenate([q[..., :1], -q[..., 1:]], axis=-1)


def normalized(q: Array, xp: ManifoldNamespace) -> Array:
    """The quaternion scaled to length one."""
    return q / xp.sqrt((q * q).sum(-1))[..., None]


def quaternion_exp(vector: Array, xp: ManifoldNamespace) -> Array:
    """Unit quaternion of a rotation vector: [cos θ/2; sin(θ/2) a] for the vector θ a."""
    square = (vector * vector).sum(-1)
    small = square < _SMALL
    angle = xp.sqrt(xp.where(small, 1.0, square))
    series = 0.5 - square / 48.0 * (1.0 - square / 80.0 * (1.0 - square / 168.0 * (1.0 - square / 288.0)))
    factor = xp.where(small, series, xp.sin(0.5 * angle) / angle)
    cosine = xp.cos(0.5 * xp.sqrt(square))
    return xp.concatenate([cosine[..., None], factor[..., None] * vector], axis=-1)


def quaternion_rate(quaternion: Array, turning: Array, xp: ArrayNamespace) -> Array:
    """The rate ½ q ∘ [0, ω] of a quaternion, ω being the angular velocity in the axes that turn."""
    return 0.5 * quaternion_product(quaternion, xp.concatenate([xp.zeros_like(turning[..., :1]), turning], axis=-1), xp)


def quaternion_log(q: Array, xp: ManifoldNamespace) -> Array:
    """Rotation vector, of length at most π, of a unit quaternion; inverse of `quaternion_exp`."""
    w = xp.where(q[..., 0] < 0.0, -q[..., 0], q[..., 0])
    u = xp.where((q[..., 0] < 0.0)[..., None], -q[..., 1:], q[..., 1:])
    sine = xp.sqrt((u * u).sum(-1))
    small = sine < 1e-10  # there sin x = x and cos x = 1 to the last digit, also in extended precision
    factor = xp.where(small, 2.0, 2.0 * xp.arctan2(sine, w) / xp.where(small, 1.0, sine))
    return factor[..., None] * u


def matrix_quaternion(rotation: Array, xp: ManifoldNamespace) -> Array:
    """Unit quaternion of a rotation matrix, (..., 3, 3) → (..., 4), without a loss of digits at any angle.

    Each row is the quaternion times four times one of its entries; the largest entry is at least a half. The real part
    and half turns come from the symmetric part of R, small turns from the skew one.
    """
    a, b, c = (rotation[..., i, i] for i in range(3))
    x, y, z = (rotation[..., j, i] - rotation[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1)))
    s, t, u = (rotation[..., j, i] + rotation[..., i, j] for i, j in ((0, 1), (0, 2), (1, 2)))
    rows = [
        xp.stack(row, axis=-1)
        for row in (
            (1.0 + a + b + c, x, y, z),
            (x, 1.0 + a - b - c, s, t),
            (y, s, 1.0 - a + b - c, u),
            (z, t, u, 1.0 - a - b + c),
        )
    ]
    best, size = rows[0], rows[0][..., 0]
    for i in (1, 2, 3):
        larger = rows[i][..., i] > size
        best, size = xp.where(larger[..., None], rows[i], best), xp.where(larger, rows[i][..., i], size)
    return normalized(best, xp)


def left_jacobian(vector: Array, xp: ManifoldNamespace) -> Array:
    """The mean of the rotations exp(s θ̃) over 0 ≤ s ≤ 1: turns a constant body velocity into a displacement.

    V = I + (1 − cos θ)/θ² θ̃ + (θ − sin θ)/θ³ θ̃²
    """
    square, safe, small, cross = _angles(vector, xp)
    angle = xp.sqrt(safe)
    half = xp.sin(0.5 * angle) / angle
    first = xp.where(small, 0.5 - square / 24.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)), 2.0 * half * half)
    series = 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0 * (1.0 - square / 110.0)))
    second = xp.where(small, series, (angle - xp.sin(angle)) / (safe * angle))
    return _polynomial(first, second, cross, xp)


def left_jacobian_inverse(vector: Array, xp: ManifoldNamespace) -> Array:
    """Inverse of `left_jacobian`, for angles below 2π: V⁻¹ = I − ½ θ̃ + (1 − ½θ cot ½θ)/θ² θ̃²."""
    square, safe, small, cross = _angles(vector, xp)
    half = 0.5 * xp.sqrt(safe)
    series = 1.0 / 12.0 + square / 720.0 * (1.0 + square / 42.0 * (1.0 + square / 40.0 * (1.0 + square * 0.0252525)))
    second = xp.where(small, series, (1.0 - half * xp.cos(half) / xp.sin(half)) / safe)
    return _polynomial(-0.5 + xp.zeros_like(square), second, cross, xp)


def _angles(vector: Array, xp: ManifoldNamespace) -> tuple[Array, Array, Array, Array]:
    square = (vector * vector).sum(-1)
    small = square < _SMALL
    return square, xp.where(small, 1.0, square), small, skew(vector, xp)


def _polynomial(first: Array, second: Array, cross: Array, xp: ArrayNamespace) -> Array:
    return xp.eye(3) + first[..., None, None] * cross + second[..., None, None] * (cross @ cross)
