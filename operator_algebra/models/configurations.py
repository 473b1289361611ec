"""Configurations of a model: neutral, random, moved along rates, compared, and tested as input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from operator_algebra.arguments import whole
from operator_algebra.errors import InputError, RangeError, explain
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint
from operator_algebra.models.numeric import NotNumeric, Numbers, common_kind, manifold, numeric

if TYPE_CHECKING:
    from operator_algebra.models.model import Model

Floats = NDArray[np.float64]

_TINY = 1e-30
"""A complex step: its square is nothing beside one."""

_AGREE = 1e-6
"""Complex steps are exact to rounding; functions that are not analytic err by the size of the rates."""

UNIT = 1e-6
"""How far from one the length of a quaternion may be: seven digits pass, another order of its components does not."""


def generator(seed: int) -> np.random.Generator:
    """Random numbers from a seed alone; without one they would differ from run to run."""
    return np.random.default_rng(whole(seed, "the seed", least=0, most=10**18))


def neutral(model: Model) -> Floats:
    """The configuration in which no joint moves its child."""
    q = np.zeros(model.nq)
    for group in model.joint_groups:
        q[group.q] = group.joint.neutral()
    return q


def random(model: Model, seed: int) -> tuple[Floats, Floats]:
    """A configuration within the limits and rates between −1 and 1, from the seed alone; followers follow."""
    rng = generator(seed)
    q = np.zeros(model.nq)
    for group in model.joint_groups:
        q[group.q] = group.joint.random(rng, (len(group.bodies),))
    for k, limits in model.columns.limits.items():
        part, rates = model.q_slices[k], model.v_slices[k]
        if part.stop - part.start != rates.stop - rates.start:
            continue
        for i, (low, high) in enumerate(zip(limits.lower, limits.upper, strict=False)):
            if np.isfinite(low) and np.isfinite(high):
                q[part.start + i] = rng.uniform(low, high)
    return followed_q(model, q), followed_v(model, rng.uniform(-1.0, 1.0, model.nv))


def integrate(model: Model, q: ArrayLike, dv: ArrayLike) -> Numbers:
    """The configuration q ⊕ dv, joint by joint."""
    start, step = check_q(model, q), check_v(model, dv, "dv")
    return _by_joints(model, "integrate", "q ⊕ dv", start, step)


def rate(model: Model, q: ArrayLike, v: ArrayLike) -> Numbers:
    """The rate q̇ of the coordinates, joint by joint."""
    start, rates = check_q(model, q), check_v(model, v)
    return _by_joints(model, "rate", "q̇", start, rates)


def _by_joints(model: Model, way: Literal["integrate", "rate"], what: str, q: Numbers, v: Numbers) -> Numbers:
    """Coordinates that each joint makes of its own and of its rates."""
    kind = common_kind([q, v])
    result = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), model.nq), kind)
    with np.errstate(all="ignore"):
        for group in model.joint_groups:
            made = getattr(group.wide_joint(kind), way)
            result[..., group.q] = made(q[..., group.q], v[..., group.v], manifold(kind))
    return _in_range(model, result, what)


def difference(model: Model, q0: ArrayLike, q1: ArrayLike) -> Numbers:
    """The rates q1 ⊖ q0, joint by joint."""
    start, end = check_q(model, q0), check_q(model, q1)
    kind = common_kind([start, end])
    result = np.empty((*np.broadcast_shapes(start.shape[:-1], end.shape[:-1]), model.nv), kind)
    with np.errstate(all="ignore"):
        for group in model.joint_groups:
            joint = group.wide_joint(kind)
            result[..., group.v] = joint.difference(start[..., group.q], end[..., group.q], manifold(kind))
    return _in_range(model, result, "q1 ⊖ q0")


def difference_rate(model: Model, q0: Numbers, q: Numbers, v: Numbers) -> tuple[Numbers, Numbers]:
    """q ⊖ q0, and its rate as q moves with v while q0 stands still; q0, q and v are floats that were tested before.

    By a complex step of the joints' own functions, exact to rounding; coordinates that add up have the rate v.
    """
    lead = np.broadcast_shapes(q0.shape[:-1], q.shape[:-1], v.shape[:-1])
    apart, rates = np.empty((*lead, model.nv)), np.empty((*lead, model.nv))
    with np.errstate(all="ignore"):
        for group in model.joint_groups:
            joint, start, here, moving = group.joint, q0[..., group.q], q[..., group.q], v[..., group.v]
            if type(joint).integrate is Joint.integrate:
                apart[..., group.v], rates[..., group.v] = here - start, moving
            else:
                xp = manifold(np.dtype(np.complex128))
                ahead = joint.difference(start, joint.integrate(here, 1j * _TINY * moving, xp), xp)
                apart[..., group.v], rates[..., group.v] = np.real(ahead), np.imag(ahead) / _TINY
    return apart, rates


def check_complex(model: Model) -> None:
    """Refuse joints of users whose functions are not what they are for floats, continued to complex numbers."""
    rng = np.random.default_rng(0)
    for group in model.joint_groups:
        joint = group.joint
        if joint.kind in JOINT_KINDS or type(joint).integrate is Joint.integrate:
            continue
        start, v = joint.random(rng), rng.uniform(-1.0, 1.0, joint.nv)
        try:
            xp = manifold(np.dtype(np.complex128))
            rate = np.imag(joint.difference(start, joint.integrate(start, 1j * _TINY * v, xp), xp)) / _TINY
        except (ArithmeticError, AttributeError, IndexError, LookupError, TypeError, ValueError):
            rate = np.full(joint.nv, np.nan)
        if not np.abs(rate - v).max(initial=0.0) <= _AGREE:
            raise joint.error(
                "its integrate or difference is not what it is for complex numbers",
                "Call xp.sqrt, xp.where and the like, and neither abs nor real.",
            )


def _in_range(model: Model, result: Numbers, what: str) -> Numbers:
    """The result, if it is finite."""
    if not np.isfinite(result).all():
        where = tuple(np.argwhere(~np.isfinite(result))[0].tolist())
        raise RangeError(explain(f"{what} leaves the range of floats at {where}", f"model {model.name}"))
    return result


def rest(model: Model) -> Floats:
    """The configuration in which no spring pulls; neutral where a joint says nothing."""
    q = neutral(model)
    for k, values in model.columns.rest.items():
        q[model.q_slices[k]] = values
    return q


def followed_q(model: Model, q: Numbers) -> Numbers:
    """The configuration in which followers stand where the joints that they follow put them; others are kept."""
    return _followed(model, q, offsets=True)


def followed_v(model: Model, v: Numbers) -> Numbers:
    """The rates with which followers keep to the joints that they follow; others are kept."""
    return _followed(model, v, offsets=False)


def _followed(model: Model, values: Numbers, *, offsets: bool) -> Numbers:
    if not model.mimic:
        return values
    places = model.q_slices if offsets else model.v_slices
    start = {name: part.start for name, part in zip(model.joint_names, places, strict=True)}
    led = [start[mimic.joint] for mimic in model.mimic]
    leading = [start[mimic.follows] for mimic in model.mimic]
    result = np.array(values)
    result[..., led] = values[..., leading] * np.array([mimic.multiplier for mimic in model.mimic])
    if offsets:
        result[..., led] += np.array([mimic.offset for mimic in model.mimic])
    return result


def check_q(model: Model, q: ArrayLike) -> Numbers:
    """The coordinates as numbers (..., nq) with unit quaternions, or `InputError`."""
    values = _checked(model, q, "q", model.nq)
    for group in model.joint_groups:
        part = group.joint.quaternion
        if part is None:
            continue
        norms = np.sqrt((np.real(values[..., group.q[:, part]]) ** 2).sum(-1))
        bad = np.argwhere(~(np.abs(norms - 1.0) <= UNIT))
        if len(bad):
            first = group.q[bad[0][-1], part]
            raise InputError(
                explain(
                    f"norm of q[{first[0]}:{first[-1] + 1}] is {norms[tuple(bad[0])]:.4g}, not 1",
                    f'q of {model.name}, joint "{model.joint_names[group.bodies[bad[0][-1]]]}"',
                    "This package orders quaternions w x y z, MuJoCo too, Pinocchio x y z w; "
                    "a floating joint has its position first.",
                )
            )
    return values


def check_v(model: Model, v: ArrayLike, name: str = "v") -> Numbers:
    """Rates as numbers (..., nv), or `InputError`."""
    return _checked(model, v, name, model.nv)


def _checked(model: Model, given: Any, name: str, size: int) -> Numbers:
    try:
        values = numeric(given)
    except NotNumeric as reason:
        raise InputError(explain(f"{name} is not an array of numbers ({reason})", f"model {model.name}")) from None
    if values.ndim == 0 or values.shape[-1] != size:
        shape = tuple(values.shape)
        raise InputError(explain(f"{name} has shape {shape}, not (..., {size})", f"model {model.name}"))
    if not np.isfinite(values).all():
        where = tuple(np.argwhere(~np.isfinite(values))[0].tolist())
        raise InputError(explain(f"{name} is not finite at {where}: {values[where]}", f"model {model.name}"))
    return values
