"""Simulation: the formulas of a step, and `simulate`, which repeats it.

Forward dynamics is that of `dynamics`, compiled. There is no contact and no friction: physics engines have them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.applications import dynamics, embedding
from operator_algebra.applications.closing import Loops
from operator_algebra.applications.events import Event
from operator_algebra.applications.film import Energy, Film
from operator_algebra.applications.happening import Watch, given_events
from operator_algebra.applications.keeping import Keeper, Kept
from operator_algebra.applications.running import Run
from operator_algebra.applications.stepping import Forces, OneForce, Rates, Rule, RungeKutta
from operator_algebra.arguments import choice, shown
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import inv, operator, scalar
from operator_algebra.models.configurations import check_complex
from operator_algebra.models.cuts import joint_at
from operator_algebra.models.model import Model, check_model
from operator_algebra.models.numeric import Numbers, is_plain
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.progress import PATIENCE, Progress, reporting
from operator_algebra.spatial.reals import real
from operator_algebra.symbols import T, damping, v

if TYPE_CHECKING:
    from operator_algebra.expressions.nodes import Expr

h = scalar("h")
"""The length of a step, in seconds."""

stiffness = operator("stiffness", RATE >> TORQUE, structure="diagonal semidefinite")
"""The springs of the joints; its value is `model.arrays.stiffness`."""

semi_implicit_step = v + h * dynamics.forward_dynamics
"""v⁺ = v + h q̈, with which q moves: q⁺ = q ⊕ h v⁺."""

implicit_step = v + h * inv(dynamics.mass_matrix + h * damping + h * h * stiffness) @ (
    T - dynamics.bias - h * stiffness @ v
)
"""v⁺ that dampers and springs feel at the end of the step: stable for those of any strength."""

_added = operator("added", RATE >> TORQUE, structure="diagonal semidefinite")  # h B + h² stiffness, with a known sign
_geared_semi_implicit_step = v + h * embedding.coupled_acceleration
_geared_implicit_step = v + h * embedding.embedded(dynamics.mass_matrix + _added, T - dynamics.bias - h * stiffness @ v)

Torque: TypeAlias = ArrayLike | Callable[[float, Numbers, Numbers], ArrayLike] | None
"""Joint forces: none, constant, or a function of t, q, v."""

Method = Literal["runge-kutta", "semi-implicit", "implicit"]
"""How steps are made."""

METHODS = {
    "runge-kutta": "order 5, finds its steps",
    "semi-implicit": "order 1, v first, then q with the new v",
    "implicit": "order 1, dampers and springs at the end of the step",
}
"""What each method is."""

_MOST = 10_000_000  # steps
_FINEST = 1e-13  # of tolerances
_IN_GEAR = 1e-8  # how far a joint that mimics another may be from where that puts it


def simulate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    torque: Torque = None,
    until: float,
    step: float | Literal["auto"] = "auto",
    method: Method = "runge-kutta",
    tolerance: float = 1e-9,
    constraints: Loops = None,
    events: Sequence[Event] = (),
    progress: Progress = None,
) -> Film:
    """The motion that starts at q and v at t = 0; leading axes are motions side by side, in the same steps.

    Joints that mimic others keep to them, as `oa.embedding` has it, and so must q and v.
    With step="auto" the error of each step is kept below `tolerance`, in radians and metres, and in rates as a share of
    1 + |v|. Loops stay closed, those of the model or the `constraints` that are given instead, such as () for none.
    Events are found between the ends of steps; those with a `then` change the rates, as impacts do: see `oa.events`.
    Where the motion cannot go on, the error has the film up to there as its `result`.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> oa.simulate(arm, [0.5, 0.0], [0.0, 0.0], torque=lambda t, q, v: -0.1 * v, until=1.0, step=0.01)
    Film of planar2r   from 0 s to 1 s   101 frames   steps of 0.01 s to 0.01 s
    """
    check_model(model, "simulate")
    choice(method, "method", METHODS)
    end, allowed = _positive(until, "until"), _positive(tolerance, "tolerance")
    fixed = None if isinstance(step, str) and step == "auto" else _positive(step, "step", ', or "auto"')
    if fixed is None and method != "runge-kutta":
        raise InputError(f'method="{method}" takes steps of one length. Give it, such as step=0.001.')
    if fixed is not None and end / fixed > _MOST:
        raise InputError(f"until / step are {end / fixed:.1e} steps; up to {_MOST:.0e} are made. Give a longer step.")
    if allowed < _FINEST:
        raise InputError(f"tolerance is {allowed:g}, which is nothing but rounding. Give at least {_FINEST:g}.")
    start = _start(model, q, v)
    keeper = Keeper(model, constraints)
    rule = _rule(keeper, method, _forces(model, torque, start[0].shape[:-1]), allowed)
    watch = Watch(rule, keeper, given_events(events), end)
    with reporting(progress, f"simulate {model.name}", patience=PATIENCE) as report:
        return Run(model, rule, end, fixed, report, watch).film(*start)


def _start(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
    at, rates = model.check_q(q), model.check_v(v)
    if not (is_plain(at) and is_plain(rates)):
        raise InputError(f"simulate computes with float64; q is {at.dtype.name}, v {rates.dtype.name}. Give floats.")
    try:
        lead = np.broadcast_shapes(at.shape[:-1], rates.shape[:-1])
    except ValueError:
        raise InputError(f"leading axes of q {at.shape} and v {rates.shape} do not fit together.") from None
    if 0 in lead:
        raise InputError(f"q {at.shape} and v {rates.shape} hold no motion at all. Give at least one.")
    # q ⊕ 0 has quaternions of length one to the last digit.
    moved = model.integrate(np.broadcast_to(at, (*lead, model.nq)), np.zeros(model.nv))
    _check_gears(model, "q", moved, embedding.follow(model, moved))
    _check_gears(model, "v", rates, embedding.follow_rates(model, rates))
    full = np.array(np.broadcast_to(embedding.follow_rates(model, rates), (*lead, model.nv)))
    return embedding.follow(model, moved), full


def _check_gears(model: Model, name: str, given: Numbers, geared: Numbers) -> None:
    """Refuse what no joint that mimics another can have; a last digit is mended."""
    off = np.abs(given - geared)
    wrong = off > _IN_GEAR * (1.0 + np.abs(geared))
    if wrong.any():
        place = int(np.argwhere(wrong)[0][-1])
        slices = model.q_slices if name == "q" else model.v_slices
        k = joint_at(slices, place)
        by = f"{off[..., place].max():.3g}"
        way = "follow" if name == "q" else "follow_rates"
        raise InputError(
            f'joint "{model.joint_names[k]}" of {model.name} mimics another, and {name} is {by} away from where that '
            f"puts it. Take oa.embedding.{way}(model, {name}), or load the model with mimic=False."
        )


def _rule(keeper: Keeper, method: Method, forces: Forces, tolerance: float) -> Rule:
    model = keeper.model
    if method == "runge-kutta":
        check_complex(model)
        ahead = _compiled(model, dynamics.forward_dynamics, embedding.coupled_acceleration)
        if keeper.count:
            return Kept(RungeKutta(model, forces, keeper.acceleration, tolerance), keeper)
        return RungeKutta(model, forces, lambda q, v, T: ahead(q=q, v=v, T=T), tolerance)
    rates = _implicit(model) if method == "implicit" else _semi_implicit(model)
    if not keeper.count:
        return OneForce(model, forces, rates)
    return Kept(OneForce(model, forces, lambda q, v, T, h: keeper.velocity(q, rates(q, v, T, h))), keeper)


def _semi_implicit(model: Model) -> Rates:
    stepped = _compiled(model, semi_implicit_step, _geared_semi_implicit_step)
    return lambda q, v, T, h: stepped(q=q, v=v, T=T, h=h)


def _implicit(model: Model) -> Rates:
    stable = _compiled(model, implicit_step, _geared_implicit_step)
    stiff, damped = model.arrays.stiffness, model.arrays.damping

    def rates(q: Numbers, v: Numbers, T: Numbers, h: float) -> Numbers:
        geared = {"added": h * damped + h * h * stiff} if model.mimic else {}
        return stable(q=q, v=v, T=T, h=h, stiffness=stiff, **geared)

    return rates


def _compiled(model: Model, free: Expr, geared: Expr) -> Callable[..., Numbers]:
    """What moves a mechanism without joints that mimic others, or one with them."""
    if not model.mimic:
        return compile_program(free, model)
    return partial(compile_program(geared, model), **embedding.coupling(model))


def _forces(model: Model, torque: Torque, lead: tuple[int, ...]) -> Forces:
    """Joint forces for each motion, tested wherever they come from."""

    def tested(value: ArrayLike, name: str) -> Numbers:
        found = model.check_v(value, name)
        try:
            full = np.broadcast_to(found, (*lead, model.nv))
        except ValueError:
            full = None
        if full is None or not is_plain(found):
            raise InputError(f"{name} has shape {found.shape} of {found.dtype.name}. Give floats {(*lead, model.nv)}.")
        return full

    if callable(torque):
        function = torque
        return lambda t, q, v: tested(function(t, q, v), f"the torque at t = {t:.6g} s")
    constant = tested(np.zeros(model.nv) if torque is None else torque, "torque")
    return lambda t, q, v: constant


def _positive(value: object, what: str, others: str = "") -> float:
    try:
        number = real(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not 0.0 < number < np.inf:
        raise InputError(f"{what} is {shown(value)}. Give a positive number{others}.")
    return number


__all__ = [
    "METHODS", "Energy", "Film", "h", "implicit_step", "semi_implicit_step", "simulate", "stiffness",
]  # fmt: skip
