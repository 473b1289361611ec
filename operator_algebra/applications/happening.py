"""Events on the way of a run: where they happen, what they do to the rates, and when there is no end of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from operator_algebra.applications import embedding
from operator_algebra.applications.colliding import rebound
from operator_algebra.applications.crossings import Crossings
from operator_algebra.applications.events import Bounce, Event
from operator_algebra.applications.film import Happening
from operator_algebra.applications.keeping import Keeper
from operator_algebra.applications.stepping import Rule, State
from operator_algebra.arguments import items, quoted, shown
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, RangeError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import NotNumeric, Numbers, is_plain, numeric

Floats = NDArray[np.float64]

_TOUCHING = 1e-9
"""So near to a wall, in metres or radians, a motion may start on either side of it."""
_NOISE = 1e-12
"""So far beyond a wall, in metres or radians, what rests there is in spite of rounding."""
_SOON = 1e-9
"""Of the whole time: events that follow each other by less than this come to no end."""
_AGAIN = 40
"""Times in a row."""
_OFF = 1e-8
"""By how much rates that somebody gives may miss gears, beside 1 + |v|."""


def given_events(events: object) -> tuple[Event, ...]:
    """Events, tested: no two have one name."""
    listed = items(() if events is None else events, "events", "events")
    for event in listed:
        if not isinstance(event, Event):
            raise InputError(f"an event is {shown(event)}. Give an Event, events.wall(…) or events.limit(…).")
    names = [event.name for event in listed]
    if len(set(names)) < len(names):
        raise InputError(f"a name is given to two events: {shown(names)}. Give each a name of its own.")
    return listed


def reader(event: Event, model: Model, lead: tuple[int, ...]) -> Callable[[float, Numbers, Numbers], Floats]:
    """The value of an event at t, q, v, for motions with the axes `lead`."""

    def tested(value: object, t: float) -> Floats:
        try:
            found = numeric(value)
        except NotNumeric:
            found = None
        if found is not None and found.shape == (*lead, 1):
            found = found[..., 0]
        if found is None or not is_plain(found) or found.shape != lead or not np.isfinite(found).all():
            what = shown(value) if found is None else f"{shown(found)} of shape {found.shape}"
            wanted = "one finite number" if not lead else f"finite numbers {lead}, one for each motion"
            raise InputError(
                f"the value of event {quoted(event.name)} at t = {t:.6g} s is {what}. It has to be {wanted}."
            )
        return found

    value = event.value
    if isinstance(value, str | Expr | Query):
        program = compile_program(value, model)
        read = [name for name in ("t", "v") if name in program.inputs]

        def computed(t: float, q: Numbers, v: Numbers) -> Floats:
            state = {"t": t, "v": v}
            return tested(partial(program, q=q, **event.inputs)(**{name: state[name] for name in read}), t)

        return computed
    function = value
    return lambda t, q, v: tested(function(model, t, q, v), t)


class Watch:
    """Looks at each step for what happens in it first."""

    def __init__(self, rule: Rule, keeper: Keeper, events: Sequence[Event], end: float) -> None:
        self.rule, self.keeper, self.events, self.end = rule, keeper, events, end
        self.happened: list[Happening] = []
        self.stopped = False
        self._again, self._last = 0, -np.inf

    def begin(self, state: State) -> None:
        """Tell on which side of zero each value starts."""
        lead = state.q.shape[:-1]
        readers = [reader(event, self.keeper.model, lead) for event in self.events]

        def values(t: float, q: Numbers, v: Numbers) -> Floats:
            return np.array([read(t, q, v) for read in readers])

        wanted = np.array([event.wanted for event in self.events])
        noise = np.array([_NOISE if isinstance(event.then, Bounce) else 0.0 for event in self.events])
        self._crossings = Crossings(self.keeper.model, self.rule, values, wanted, noise)
        found = values(state.t, state.q, state.v)
        usual = np.where(wanted[:, 0], 1.0, -1.0).reshape(-1, *(1,) * len(lead)) * np.ones((1, *lead))
        for k, event in enumerate(self.events):
            if isinstance(event.then, Bounce):
                past = np.max(-found[k] * usual[k])
                if past > _TOUCHING:
                    what = f"event {quoted(event.name)} is past at the start, by {past:.3g}"
                    raise InputError(f"{what}. Start before it.")
                found[k] = usual[k]
        sides = np.sign(found)
        ahead = self._sides_ahead(state, 1e-6 * self.end, usual) if (sides == 0.0).any() else usual
        self._sides = np.where(sides == 0.0, ahead, sides)

    def passed(self, before: State, after: State) -> list[State]:
        """The state after a step; or that in which something happens first, and that in which it leaves the motion."""
        if not self.events:
            return [after]
        crossing = self._crossings.first(before, after, self._sides)
        if crossing is None:
            self._sides = self._crossings.sides(after, self._sides)
            return [after]
        state, self._sides = crossing.state, np.array(crossing.sides)
        self._count(state.t, crossing.crossed)
        bouncing = np.array([isinstance(event.then, Bounce) for event in self.events])
        back = crossing.crossed & bouncing.reshape(-1, *(1,) * (crossing.crossed.ndim - 1))
        self._sides = np.where(back, -self._sides, self._sides)
        v = np.array(state.v)
        for place in np.argwhere(crossing.crossed.any(axis=0)).tolist():
            self._act(state, v, crossing.crossed, tuple(place))
        if (v == state.v).all():
            return [state]
        started = self._restarted(state, v)
        self._turn(crossing.crossed, started, after.t - before.t)
        return [state, started]

    def _act(self, state: State, v: Floats, crossed: NDArray[np.bool_], place: tuple[int, ...]) -> None:
        """What happens to the rates of one motion: impacts first, of all that is touched, then the other events."""
        happening = [event for k, event in enumerate(self.events) if crossed[(k, *place)]]
        q, acting = state.q[place], [event for event in happening if not isinstance(event.then, Bounce)]
        if len(acting) < len(happening):
            distance = np.abs(self._crossings.values(state.t, state.q, state.v))
            met = [
                (event, event.then)
                for k, event in enumerate(self.events)
                if isinstance(event.then, Bounce) and (crossed[(k, *place)] or distance[(k, *place)] <= _NOISE)
            ]
            v[place], hit = rebound(self.keeper, met, q, v[place])
            acting = [*hit, *acting]
        for event in acting:
            if event.then is not None and not isinstance(event.then, Bounce):
                v[place] = self._given(event, event.then(self.keeper.model, state.t, q, np.array(v[place])))
            self.happened.append(Happening(state.t, event.name, place))
            self.stopped |= event.stop

    def _count(self, t: float, crossed: NDArray[np.bool_]) -> None:
        """Refuse to go on where events follow each other without end."""
        self._again = self._again + 1 if t - self._last < _SOON * self.end else 0
        self._last = t
        if self._again >= _AGAIN:
            names = [quoted(event.name) for k, event in enumerate(self.events) if crossed[k].any()]
            raise RangeError(
                f"{' and '.join(names)} comes again and again from t = {t:.9g} s on, {_AGAIN} times within a share of "
                f"{_SOON:g} of the time: bounces that come to an end there, or a motion that is pressed on. Nothing "
                "rests on anything by itself: end the motion there, stop=True, and hold it by constraints from then on."
            )

    def _given(self, event: Event, given: ArrayLike) -> Floats:
        """Rates that somebody's function gives, where they keep to gears; loops are looked at where a motion starts."""
        model, what = self.keeper.model, f"the rates after event {quoted(event.name)}"
        found = model.check_v(given, what)
        if not is_plain(found) or found.shape != (model.nv,):
            raise InputError(f"{what} have shape {found.shape} of {found.dtype.name}. Give {model.nv} floats.")
        if (np.abs(found - embedding.follow_rates(model, found)) > _OFF * (1.0 + np.abs(found))).any():
            raise InputError(f"{what} are not those of joints that mimic others. Take oa.embedding.follow_rates.")
        return found

    def _restarted(self, state: State, v: Floats) -> State:
        try:
            return self.rule.start(state.t, state.q, embedding.follow_rates(self.keeper.model, v))
        except InputError as error:
            raise InputError(f"after an event at t = {state.t:.6g} s: {error}") from error

    def _turn(self, crossed: NDArray[np.bool_], started: State, length: float) -> None:
        """On which side values are from here on, where rates were given; who bounces is back on the side before."""
        given = [event.then is not None and not isinstance(event.then, Bounce) for event in self.events]
        if any(given):
            moved = crossed & np.array(given).reshape(-1, *(1,) * (crossed.ndim - 1))
            self._sides = np.where(moved, self._sides_ahead(started, 1e-3 * length, self._sides), self._sides)

    def _sides_ahead(self, state: State, h: float, usual: Floats) -> Floats:
        """The sides of values a little later; the usual one where that is zero, too."""
        return self._crossings.sides(self.rule(state, h).state, usual)
