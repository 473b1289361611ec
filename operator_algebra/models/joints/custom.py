"""The test that a user's joint passes when it is made: its transform, map and rates must tell one story."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.joint import JOINT_KINDS, Joint, make_joint

_STEP = 1e-5
# Central differences of step 1e-5 err by 1e-10 and, through rounding, 1e-11; wrong signs and factors err by 1.
_AGREE = 1e-6


def check_joint(joint: Joint) -> None:
    """Compare a joint's map with the differences of its transform at a few configurations, else raise `ModelError`."""
    if not joint.kind:
        raise joint.error("the class has no kind", 'Write kind = "my joint" in the class.')
    if joint.kind in JOINT_KINDS:
        raise joint.error("a kind of the package has this name", "Choose another.")
    rng = np.random.default_rng(0)
    try:
        for _ in range(3):
            q = joint.random(rng)
            _check_shapes(joint, q)
            _check_map(joint, q)
            _check_rate(joint, q, rng.uniform(-1.0, 1.0, joint.nv))
            _check_coordinate_rate(joint, q, rng.uniform(-1.0, 1.0, joint.nv))
            _check_series(joint, q)
        _check_batch(joint, joint.random(rng, (2, 3)))
    except (ArithmeticError, AttributeError, IndexError, LookupError, TypeError, ValueError) as error:
        raise joint.error(
            f"its methods fail on NumPy arrays ({type(error).__name__}: {error})",
            "q has shape (..., nq); stack with xp.stack, call xp.sin and xp.cos, keep the leading axes.",
        ) from error


def _check_shapes(joint: Joint, q: NDArray[np.float64]) -> None:
    rotation, position = joint.transform(q, np)
    wanted = {
        "the rotation of transform": (rotation, (3, 3)),
        "the position of transform": (position, (3,)),
        "motion_map": (joint.motion_map(q, np), (6, joint.nv)),
        "motion_map_rate": (joint.motion_map_rate(q, np.zeros(joint.nv), np), (6, joint.nv)),
        "random": (q, (joint.nq,)),
        "neutral": (joint.neutral(), (joint.nq,)),
        "integrate": (joint.integrate(q, np.zeros(joint.nv), np), (joint.nq,)),
        "difference": (joint.difference(q, q, np), (joint.nv,)),
    }
    for what, (value, shape) in wanted.items():
        if np.shape(value) != shape:
            raise joint.error(f"{what} has shape {np.shape(value)} where {shape} is needed")
    defect = np.abs(rotation @ rotation.T - np.eye(3)).max()
    if not defect <= _AGREE or np.linalg.det(rotation) < 0.0:
        raise joint.error("the rotation of transform is not a rotation", "It takes child axes to joint axes.")


def _check_map(joint: Joint, q: NDArray[np.float64]) -> None:
    """Column i of H* is the velocity of the child, in its axes, along the i-th rate."""
    rotation, _ = joint.transform(q, np)
    given = joint.motion_map(q, np)
    for i in range(joint.nv):
        (R1, p1), (R0, p0) = (joint.transform(_along(joint, q, i, h), np) for h in (_STEP, -_STEP))
        spin = rotation.T @ (R1 - R0) / (2.0 * _STEP)
        shift = rotation.T @ (p1 - p0) / (2.0 * _STEP)
        twist = np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]) / 2.0
        found = np.concatenate([twist, shift])
        if not np.abs(found - given[:, i]).max() <= _AGREE * (1.0 + np.abs(found).max()):
            raise joint.error(
                f"motion_map disagrees with transform at q = {_text(q)}: column {i} is {_text(given[:, i])}, "
                f"the differences of transform give {_text(found)}",
                "Columns are [angular; linear], in the axes of the child, about its origin.",
            )


def _check_rate(joint: Joint, q: NDArray[np.float64], v: NDArray[np.float64]) -> None:
    ahead, behind = (joint.motion_map(joint.integrate(q, h * v, np), np) for h in (_STEP, -_STEP))
    found = (ahead - behind) / (2.0 * _STEP)
    given = joint.motion_map_rate(q, v, np)
    if not np.abs(found - given).max(initial=0.0) <= _AGREE * (1.0 + np.abs(found).max(initial=0.0)):
        if joint.has_constant_map:
            raise joint.error(
                "motion_map depends on q and there is no motion_map_rate",
                "Write motion_map_rate(self, q, v, xp), the time derivative of motion_map.",
            )
        raise joint.error(f"motion_map_rate is not the derivative of motion_map at q = {_text(q)}, v = {_text(v)}")


def _check_coordinate_rate(joint: Joint, q: NDArray[np.float64], v: NDArray[np.float64]) -> None:
    """q̇ is the difference of q ⊕ t v; a joint with an integrate of its own may leave it out, if nobody asks for it."""
    cls = type(joint)
    if cls.rate is Joint.rate and cls.integrate is not Joint.integrate:
        return
    ahead, behind = (joint.integrate(q, h * v, np) for h in (_STEP, -_STEP))
    found, given = (ahead - behind) / (2.0 * _STEP), joint.rate(q, v, np)
    if np.shape(given) != found.shape:
        raise joint.error(f"rate has shape {np.shape(given)} where {found.shape} is needed")
    if not np.abs(found - given).max(initial=0.0) <= _AGREE * (1.0 + np.abs(found).max(initial=0.0)):
        raise joint.error(
            f"rate disagrees with integrate at q = {_text(q)}, v = {_text(v)}: it is {_text(given)}, "
            f"the differences of integrate give {_text(found)}"
        )


def _check_series(joint: Joint, q: NDArray[np.float64]) -> None:
    """One joint after the other, the series places the child where `transform` does."""
    parts = joint.series()
    if not parts:
        return
    if not len(parts) == joint.nq == joint.nv:
        raise joint.error(f"series has {len(parts)} joints for {joint.nq} coordinates", "Give one for each.")
    rotation, position = np.eye(3), np.zeros(3)
    for k, (kind, axis) in enumerate(parts):
        turn, shift = make_joint(kind, axis=axis).transform(q[k : k + 1], np)
        rotation, position = rotation @ turn, position + rotation @ shift
    R, p = joint.transform(q, np)
    if not max(np.abs(rotation - R).max(), np.abs(position - p).max()) <= _AGREE * (1.0 + np.abs(p).max()):
        raise joint.error(f"series disagrees with transform at q = {_text(q)}", "Leave series out if there is none.")


def _check_batch(joint: Joint, q: NDArray[np.float64]) -> None:
    v = np.ones((*q.shape[:-1], joint.nv))
    together = (*joint.transform(q, np), joint.motion_map(q, np), joint.motion_map_rate(q, v, np))
    for index in np.ndindex(*q.shape[:-1]):
        alone = (*joint.transform(q[index], np), joint.motion_map(q[index], np))
        alone = (*alone, joint.motion_map_rate(q[index], v[index], np))
        for one, many in zip(alone, together, strict=True):
            if np.shape(many) != (*q.shape[:-1], *np.shape(one)) or not np.allclose(many[index], one):
                raise joint.error("its methods do not keep leading axes of q", "Index q from the end: q[..., 0].")


def _along(joint: Joint, q: NDArray[np.float64], i: int, h: float) -> Any:
    step = np.zeros(joint.nv)
    step[i] = h
    return joint.integrate(q, step, np)


def _text(values: NDArray[np.float64]) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in values) + ")"
