"""The numbers of `lie`: displacements and their exponentials, twists in two frames, what moves with them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.errors import InputError, RangeError, explain
from operator_algebra.models.numeric import NotNumeric, Numbers, manifold, numeric
from operator_algebra.operators.leaves import local_blocks
from operator_algebra.operators.local import CROSS
from operator_algebra.spatial.displacements import displacement, displacement_twist, homogeneous, motion_block
from operator_algebra.spatial.transforms import ORTHOGONAL, Placement, phi_block
from operator_algebra.spatial.vectors import apply, skew

Pose: TypeAlias = Placement | ArrayLike

_RIGID = 1e-6
"""Rates of poses may be differences: beyond half their digits they are no rates of a pose."""


def matrix(pose: Pose) -> Numbers:
    """The matrix [[R, d], [0, 1]] of a pose, (..., 4, 4).

    [geometric treatment (1)]

    >>> matrix(Placement(translation=(1, 2, 3)))[:3, 3]
    array([1., 2., 3.])
    """
    if isinstance(pose, Placement):
        return homogeneous(np.asarray(pose.rotation), np.asarray(pose.translation), np)
    found = read_numbers(pose, "a pose", (4, 4), "Give a Placement, or a matrix [[R, d], [0, 1]].")
    if found[..., 3, :].size and _size(found[..., 3, :] - np.array([0.0, 0.0, 0.0, 1.0])) > ORTHOGONAL:
        raise InputError(explain("the last row of a pose is not 0 0 0 1", remedy="Give a matrix [[R, d], [0, 1]]."))
    R = found[..., :3, :3]
    defect = _size(R @ np.swapaxes(R, -1, -2) - np.eye(3))
    if not defect <= ORTHOGONAL:
        what = f"R of a pose is not orthogonal (R R* differs from I by {defect:.1e})"
        raise InputError(explain(what, remedy="Give more digits, or a Placement."))
    if (np.real((R[..., 0] * np.cross(R[..., 1], R[..., 2])).sum(-1)) < 0.0).any():
        raise InputError(explain("R of a pose is a reflection (determinant −1)", remedy="Use right-handed axes."))
    return found


def placement(pose: Pose) -> Placement:
    """One pose as a `Placement`.

    >>> placement(exp([0, 0, 0, 1, 2, 3])).translation
    (1.0, 2.0, 3.0)
    """
    found = matrix(pose)
    if found.ndim != 2 or found.dtype.kind == "c":
        raise InputError(explain(f"a pose of shape {found.shape} is no Placement", remedy="Give one real matrix."))
    return Placement(found[:3, :3].tolist(), found[:3, 3].tolist())


def exp(twist: ArrayLike) -> Numbers:
    """The displacement by a constant twist in unit time, (..., 6) → (..., 4, 4).

    [geometric treatment (3)]

    >>> exp([0, 0, np.pi / 2, 0, 0, 0]).round(12)[:2, :2]
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    xi = _twist(twist)
    with np.errstate(all="ignore"):
        return in_range(homogeneous(*displacement(xi, manifold(xi.dtype)), np), "exp of a twist")


def log(pose: Pose) -> Numbers:
    """The constant twist that leads to a pose in unit time and turns by at most π; `exp` undoes it.

    A half turn has two such twists; either may come out.

    >>> log(exp([0.1, 0.2, 0.3, 4, 5, 6])).round(12)
    array([0.1, 0.2, 0.3, 4. , 5. , 6. ])
    """
    g = matrix(pose)
    with np.errstate(all="ignore"):
        twist = displacement_twist(g[..., :3, :3], g[..., :3, 3], manifold(g.dtype))
    return in_range(twist, "log of a pose")


def compose(*poses: Pose) -> Numbers:
    """The product of poses: each is given in the frame of the one before it.

    >>> compose(exp([0, 0, 0, 1, 0, 0]), exp([0, 0, 0, 0, 2, 0]))[:3, 3]
    array([1., 2., 0.])
    """
    product = np.eye(4)
    for pose in poses:
        product = product @ matrix(pose)
    return product


def inverse(pose: Pose) -> Numbers:
    """The pose of the other frame in this one, R*, −R* d.

    >>> inverse(Placement(translation=(1, 2, 3)))[:3, 3]
    array([-1., -2., -3.])
    """
    g = matrix(pose)
    back = np.swapaxes(g[..., :3, :3], -1, -2)
    return homogeneous(back, -apply(back, g[..., :3, 3]), np)


def hat(twist: ArrayLike) -> Numbers:
    """ξ̂ = [[ω̃, v], [0, 0]], (..., 6) → (..., 4, 4).

    [geometric treatment (2)]

    >>> hat([0, 0, 1, 2, 3, 4])[0]
    array([ 0., -1.,  0.,  2.])
    """
    xi = _twist(twist)
    top = np.concatenate([skew(xi[..., :3], np), xi[..., 3:, None]], axis=-1)
    return np.concatenate([top, np.zeros_like(top[..., :1, :])], axis=-2)


def vee(matrix: ArrayLike) -> Numbers:
    """The twist of a matrix of the form that `hat` gives.

    >>> vee(hat([1, 2, 3, 4, 5, 6]))
    array([1., 2., 3., 4., 5., 6.])
    """
    found = read_numbers(matrix, "what is to be a twist", (4, 4), "Give a matrix [[ω̃, v], [0, 0]].")
    return _vee(found, _size(found))


def Ad(pose: Pose) -> Numbers:
    """[[R, 0], [d̃ R, R]], which takes twists from the frame to the one that it is given in; (..., 6, 6).

    >>> Ad(Placement(translation=(0, 0, 2))) @ [1, 0, 0, 0, 0, 0]
    array([1., 0., 0., 0., 2., 0.])
    """
    g = matrix(pose)
    return motion_block(g[..., :3, :3], g[..., :3, 3], np)


def ad(twist: ArrayLike) -> Numbers:
    """[[ω̃, 0], [ṽ, ω̃]], the bracket with a twist: hat(ad(ξ) η) = ξ̂ η̂ − η̂ ξ̂.

    >>> ad([0, 0, 1, 0, 0, 0]) @ [1, 0, 0, 0, 0, 0]
    array([0., 1., 0., 0., 0., 0.])
    """
    return local_blocks(CROSS, _twist(twist))


def body_velocity(pose: Pose, rate: ArrayLike) -> Numbers:
    """The twist of a frame in its own axes, V̂ = g⁻¹ ġ, from its pose and the rate of that.

    >>> body_velocity(np.eye(4), hat([0, 0, 1, 2, 0, 0]))
    array([0., 0., 1., 2., 0., 0.])
    """
    given = _rate(rate)
    return _vee(inverse(pose) @ given, _size(given))


def spatial_velocity(pose: Pose, rate: ArrayLike) -> Numbers:
    """The twist of a frame in the axes and about the origin that it is given in, V̂ = ġ g⁻¹.

    >>> spatial_velocity(np.eye(4), hat([0, 0, 1, 2, 0, 0]))
    array([0., 0., 1., 2., 0., 0.])
    """
    back = inverse(pose)
    given = _rate(rate)
    return _vee(given @ back, _size(given) * max(1.0, _size(back)))


def add_body_velocities(first: ArrayLike, second: ArrayLike, pose: Pose) -> Numbers:
    """The body velocity of Z in X from those of Y in X and of Z in Y, which has this pose: Ad⁻¹ V_XY + V_YZ.

    [geometric treatment (4)]

    >>> add_body_velocities([0, 0, 1, 0, 0, 0], np.zeros(6), Placement(translation=(2, 0, 0)))
    array([0., 0., 1., 0., 2., 0.])
    """
    return apply(Ad(inverse(pose)), _twist(first)) + _twist(second)


def add_spatial_velocities(first: ArrayLike, second: ArrayLike, pose: Pose) -> Numbers:
    """The spatial velocity of Z in X from those of Y in X, which has this pose, and of Z in Y: V_XY + Ad V_YZ.

    [geometric treatment (4)]

    >>> add_spatial_velocities(np.zeros(6), [0, 0, 1, 0, 0, 0], Placement(translation=(2, 0, 0)))
    array([ 0.,  0.,  1.,  0., -2.,  0.])
    """
    return _twist(first) + apply(Ad(pose), _twist(second))


def move_inertia(inertia: ArrayLike, pose: Pose) -> Numbers:
    """The inertia of a body whose frame has this pose, in the frame that the pose is given in: φ M φ*.

    About its mass centre M is [[J, 0], [0, m I]], and here [[R J R* − m d̃ d̃, m d̃], [−m d̃, m I]].
    [geometric treatment (12)]

    >>> move_inertia(np.diag([1, 1, 1, 2, 2, 2]), Placement(translation=(3, 0, 0))).diagonal()
    array([ 1., 19., 19.,  2.,  2.,  2.])
    """
    M = read_numbers(inertia, "an inertia", (6, 6), "Give a matrix of six rows, such as Inertia.matrix().")
    g = matrix(pose)
    shift = phi_block(g[..., :3, :3], g[..., :3, 3], np)
    return shift @ M @ np.swapaxes(shift, -1, -2)


def read_numbers(value: ArrayLike, what: str, shape: tuple[int, ...], remedy: str) -> Numbers:
    """A finite array (..., *shape), or `InputError`."""
    try:
        found = numeric(value)
    except NotNumeric as reason:
        raise InputError(explain(f"{what} is not an array of numbers ({reason})", remedy=remedy)) from None
    if found.shape[-len(shape) :] != shape:
        wanted = ", ".join(map(str, shape))
        raise InputError(explain(f"{what} has shape {found.shape}, not (..., {wanted})", remedy=remedy))
    if not np.isfinite(found).all():
        where = tuple(np.argwhere(~np.isfinite(found))[0].tolist())
        raise InputError(explain(f"{what} is not finite at {where}: {found[where]}", remedy=remedy))
    return found


def in_range(result: Numbers, what: str) -> Numbers:
    """The result, if it is finite."""
    if not np.isfinite(result).all():
        raise RangeError(explain(f"{what} leaves the range of floats", remedy="Check the units."))
    return result


def _twist(value: ArrayLike) -> Numbers:
    return read_numbers(value, "a twist", (6,), "Give six numbers, [angular; linear].")


def _rate(value: ArrayLike) -> Numbers:
    return read_numbers(value, "the rate of a pose", (4, 4), "Give the derivative of a matrix [[R, d], [0, 1]].")


def _size(values: Numbers) -> float:
    return float(np.abs(values).max(initial=0.0))


def _vee(found: Numbers, scale: float) -> Numbers:
    """The twist of ξ̂, if it is one but for rounding of numbers of this size."""
    turn = found[..., :3, :3]
    defect = max(_size(turn + np.swapaxes(turn, -1, -2)), _size(found[..., 3, :]))
    if not defect <= _RIGID * scale:
        what = f"the matrix is no twist [[ω̃, v], [0, 0]]: it is off by {defect:.1e}"
        raise InputError(explain(what, remedy="Give the rate of a rigid motion, at the pose where it is taken."))
    angular = 0.5 * np.stack([turn[..., j, i] - turn[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1))], axis=-1)
    return np.concatenate([angular, found[..., :3, 3]], axis=-1)
