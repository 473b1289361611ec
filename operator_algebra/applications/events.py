"""What happens along a motion: where a value passes zero, and what it does to the rates, as impacts do.

`oa.simulate(…, events=[…])` finds the times, and a film tells what happened when. There is no contact and no friction:
what comes to rest on something is named, and may be held by constraints from there on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.applications import impacts, readout
from operator_algebra.applications.film import Floats
from operator_algebra.applications.picking import picks, stack
from operator_algebra.arguments import choice, entries, flag, quoted, shown, word
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import operator
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE
from operator_algebra.spatial.reals import real, reals

Direction = Literal["falling", "rising", "both"]
"""Which way a value passes zero."""

DIRECTIONS = {
    "falling": "from positive to negative",
    "rising": "from negative to positive",
    "both": "either way",
}
"""What each direction means."""

J = operator("J_event", RATE >> impacts.HIT)
"""Takes joint rates to the velocities with which things meet, where these are not of bodies alone."""


@dataclass(frozen=True)
class Bounce:
    """Rates jump by v⁺ = v − (1 + e) P_⊥ v, so that J v⁺ = −e J v: an impact of `impacts`, while J v < 0.

    `rows` gives J (k, nv) of a model at q, (nq,). Loops and gears hold through the impact.

    >>> Bounce(lambda model, q: np.array([[1.0, 0.0]]), restitution=0.5).restitution
    0.5
    """

    rows: Callable[[Model, Floats], Floats]
    restitution: float = 1.0

    def __post_init__(self) -> None:
        if not callable(self.rows):
            raise InputError(f"rows of a bounce are {shown(self.rows)}. Give a function of the model and q.")
        object.__setattr__(self, "restitution", _restitution(self.restitution))


Then: TypeAlias = Bounce | Callable[[Model, float, Floats, Floats], ArrayLike] | None
"""What happens to rates: a bounce, rates as a function of the model, t, q and v, or nothing."""

Value: TypeAlias = Expr | Query | str | Callable[[Model, float, Floats, Floats], object]
"""A formula, as text too, or a function of the model, t, q and v."""


@dataclass(frozen=True)
class Event:
    """Something that happens where a value passes zero.

    A formula may read q, v and a scalar t, and what `inputs` has by name; a function is given all motions side by side.
    `stop` ends them there; `then` gives the rates with which the one goes on to which it happens.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> top = Event("turns back", lambda model, t, q, v: v[..., 0], stop=True)
    >>> oa.simulate(arm, [0.5, 0.0], [1.0, 0.0], until=5.0, events=[top]).events[0].name
    'turns back'
    """

    name: str
    value: Value
    direction: Direction = "falling"
    stop: bool = False
    then: Then = None
    inputs: Mapping[str, object] = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        if not word(self.name, "the name of an event").strip():
            raise InputError("the name of an event is empty. Give it one.")
        if not isinstance(self.value, Query) and (isinstance(self.value, str | Expr) or not callable(self.value)):
            object.__setattr__(self, "value", formula(self.value, f"event {quoted(self.name)}"))
        choice(self.direction, "direction", DIRECTIONS)
        object.__setattr__(self, "stop", flag(self.stop, "stop"))
        object.__setattr__(
            self, "inputs", entries(self.inputs, f"inputs of event {quoted(self.name)}", "names to values")
        )
        if not (self.then is None or isinstance(self.then, Bounce) or callable(self.then)):
            raise InputError(
                f"what then happens is {shown(self.then)}. Give a Bounce, or a function of model, t, q, v."
            )

    @property
    def wanted(self) -> tuple[bool, bool]:
        """Whether it is asked for from above, and from below."""
        return self.direction != "rising", self.direction != "falling"


def wall(
    name: str,
    normal: Sequence[float],
    *,
    offset: float = 0.0,
    restitution: float = 1.0,
    stop: bool = False,
) -> Event:
    """The impact of the origin of a body or frame on a plane n · x = offset, from the side to which n points.

    Axes are those of the base. The plane is smooth: only the velocity along n jumps.

    >>> wall("tip", (0, 0, 1), offset=-0.2, restitution=0.8).name
    'tip hits the wall'
    """
    word(name, "the name of a body or frame")
    try:
        n, away = np.array(reals(normal)), real(offset)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"a wall has normal {shown(normal)} and offset {shown(offset)}. Give numbers.") from None
    if n.shape != (3,) or not np.isfinite(n).all() or not n.any() or not np.isfinite(away):
        raise InputError(
            f"a wall has normal {shown(normal)} and offset {shown(offset)}. Give a direction and a number."
        )
    n = n / np.abs(n).max()
    n = n / np.linalg.norm(n)

    def gap(model: Model, t: float, q: Floats, v: Floats) -> Floats:
        found = readout.named_poses(model, q)
        if name not in found:
            raise InputError(f"{model.name} has no body or frame {quoted(name)}. There are {', '.join(found)}.")
        return found[name][1] @ n - away

    def rows(model: Model, q: Floats) -> Floats:
        place = name if name in model.frames else model.joint_names[model.body_index(name)]
        N = stack(model, picks(model, [place], linear=True, q=q)) @ n[:, None]
        return compile_program(impacts.jacobian, model)(q=q, N=N)

    return Event(f"{name} hits the wall", gap, stop=stop, then=Bounce(rows, restitution))


def limit(
    joint: str,
    *,
    lower: float | None = None,
    upper: float | None = None,
    restitution: float = 1.0,
    stop: bool = False,
) -> Event:
    """The impact of a joint with one motion on its stop, at its lower or its upper end.

    >>> limit("elbow", upper=2.0, restitution=0.5).name
    'elbow is at its upper limit'
    """
    word(joint, "the name of a joint")
    if (lower is None) == (upper is None):
        raise InputError(f"a stop of joint {quoted(joint)} is at one end. Give lower, or upper.")
    side, end, at = (1.0, "lower", lower) if upper is None else (-1.0, "upper", upper)
    try:
        place = real(at)
    except (TypeError, ValueError, OverflowError):
        place = np.nan
    if not np.isfinite(place):
        raise InputError(f"{end} is {shown(at)}. Give a number.")

    def part(model: Model, slices: Sequence[slice]) -> slice:
        k = model.joint_index(joint)
        if model.bodies[k].joint.nq != 1:
            raise InputError(f"joint {quoted(joint)} of {model.name} has not just one motion, so it has no stop.")
        return slices[k]

    def gap(model: Model, t: float, q: Floats, v: Floats) -> Floats:
        return side * (q[..., part(model, model.q_slices).start] - place)

    def rows(model: Model, q: Floats) -> Floats:
        found = np.zeros((*q.shape[:-1], 1, model.nv))
        found[..., 0, part(model, model.v_slices)] = side
        return found

    return Event(f"{joint} is at its {end} limit", gap, stop=stop, then=Bounce(rows, restitution))


def _restitution(value: object) -> float:
    try:
        number = real(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not 0.0 <= number <= 1.0:
        raise InputError(f"restitution is {shown(value)}. Give a number from 0, plastic, to 1, which loses no energy.")
    return number


__all__ = ["DIRECTIONS", "Bounce", "Direction", "Event", "J", "Then", "Value", "limit", "wall"]
