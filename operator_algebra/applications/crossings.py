"""Where values along a motion pass zero: steps are looked at between their ends, and made again up to the zero.

Nothing here knows what the values are of. A value is on a side of zero, 1 or -1, until it is beyond zero: so a motion
that starts at zero, as after an impact, has a side, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from operator_algebra.applications.stepping import Rule, State
from operator_algebra.models.configurations import difference_rate
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers

Floats = NDArray[np.float64]

Values = Callable[[float, Numbers, Numbers], Floats]
"""Values at t, q, v: a row for each that is watched, then the axes of motions side by side."""

Place = tuple[np.intp, ...]
"""Of one value: its row, and the motion."""

_SHARES = (0.02, 0.25, 0.5, 0.75, 0.98)
"""Where a step is looked at, besides its end."""
_NARROWINGS = 24
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)


class Crossing(NamedTuple):
    """The state just beyond a zero, with the sides of all values there, and which of them went over in it."""

    state: State
    sides: Floats
    crossed: NDArray[np.bool_]


@dataclass(frozen=True)
class Crossings:
    """Finds the first zero in a step that is passed in a direction that is asked for.

    `wanted` has a row for each value: whether it is asked for from the side 1, and from −1. Beyond zero by less than
    `noise` it is not beyond, so that what rests there does so in spite of rounding.
    """

    model: Model
    rule: Rule
    values: Values
    wanted: NDArray[np.bool_]  # (values, 2)
    noise: Floats  # (values,)

    def first(self, before: State, after: State, sides: Floats) -> Crossing | None:
        """The first one between two states; the sides are those of the first state."""
        step = _Step(self, before, after, sides)
        found: Crossing | None = None
        for place in step.suspects():
            for low, high, side in step.brackets(place):
                until = high if found is None else min(high, found.state.t - before.t)
                beyond = step.narrowed(place, low, until, side) if low < until else None
                if beyond is not None:
                    found = self._crossing(step, beyond, place, side)
                    break
        return found

    def sides(self, state: State, sides: Floats) -> Floats:
        """The sides at a state: those before, where a value is zero."""
        return self.sides_of(self.values(state.t, state.q, state.v), sides)

    def sides_of(self, values: Floats, sides: Floats) -> Floats:
        """The sides of values: those before, where one is zero."""
        noise = self.noise.reshape(-1, *(1,) * (values.ndim - 1))
        return np.where(np.abs(values) <= noise, sides, np.sign(values))

    def _crossing(self, step: _Step, state: State, place: Place, side: float) -> Crossing:
        started = step.sides_until(state.t)
        started[place] = side
        ended = self.sides(state, started)
        ended[place] = -side
        wanted = self.wanted.reshape(len(self.wanted), *(1,) * (started.ndim - 1), 2)
        asked = np.where(started > 0.0, wanted[..., 0], wanted[..., 1])
        return Crossing(state, ended, (ended != started) & asked)


class _Step:
    """One step, seen at some of its times and made again up to others."""

    def __init__(self, kept: Crossings, before: State, after: State, sides: Floats) -> None:
        self.kept, self.before, self.after, self.sides = kept, before, after, sides
        self.length = after.t - before.t
        self.made: dict[float, State] = {self.length: after}
        moved, self.rate = difference_rate(kept.model, before.q, after.q, after.v)
        self.moved = moved
        self.shares = np.array([0.0, *_SHARES, 1.0])
        self.seen = np.array([kept.values(*self.between(share)) for share in self.shares])

    def between(self, share: float) -> tuple[float, Numbers, Numbers]:
        """t, q, v within the step, by polynomials of degree three that fit its ends."""
        first, last, h = self.before, self.after, self.length
        if share in (0.0, 1.0):
            end = last if share else first
            return end.t, end.q, end.v
        x = _cubic(share, h, 0.0 * self.moved, self.moved, first.v, self.rate)
        if first.qdd is None or last.qdd is None:
            v = first.v + share * (last.v - first.v)
        else:
            v = _cubic(share, h, first.v, last.v, first.qdd, last.qdd)
        return first.t + share * h, self.kept.model.integrate(first.q, x), v

    def again(self, h: float) -> State:
        """The state at the end of a shorter step."""
        if h not in self.made:
            self.made[h] = self.kept.rule(self.before, h).state
        return self.made[h]

    def sides_until(self, t: float) -> Floats:
        """The sides of values as they were last seen before a time."""
        found = self.sides
        for share, values in zip(self.shares[1:], self.seen[1:], strict=True):
            if self.before.t + share * self.length < t:
                found = self.kept.sides_of(values, found)
        return found

    def suspects(self) -> list[Place]:
        """The values that change sides between two times, or may do so unseen."""
        over = (self.seen[1:] * self.sides < 0.0).any(axis=0)
        heights = np.abs(self.seen)
        lowest = (heights[1:-1] <= heights[:-2]) & (heights[1:-1] <= heights[2:])
        return list(zip(*np.nonzero(over | lowest.any(axis=0)), strict=True))

    def brackets(self, place: Place) -> Iterator[tuple[float, float, float]]:
        """Between which times of the step a value seems to pass as asked, and the side from which it does."""
        side, low = float(self.sides[place]), 0.0
        for share, value in self._dips(place):
            if value * side < -self.kept.noise[place[0]]:
                if self.kept.wanted[place[0], 0 if side > 0.0 else 1]:
                    yield low * self.length, share * self.length, side
                    if share < 1.0:  # what was seen is no zero of the step itself
                        continue
                side = -side
            low = share

    def narrowed(self, place: Place, low: float, high: float, side: float) -> State | None:
        """The state just beyond the zero; None if the step itself has no zero there."""

        def ahead(h: float) -> float:
            state = self.again(h)
            return side * float(self.kept.values(state.t, state.q, state.v)[place])

        start, end = side * float(self.seen[0][place]) if low == 0.0 else ahead(low), ahead(high)
        if end >= 0.0:
            return None
        finest, last, hopped = 2.0 * float(np.spacing(self.after.t)), (0.0, 0.0), start > 0.0
        while not hopped and high - low > finest:
            tried = low + self._hop(high - low, end, last)
            value = ahead(tried)
            if value < 0.0:
                last, high, end = (high - low, end), tried, value
            else:
                low, start, hopped = tried, value, True
        return self.again(_beyond(ahead, (low, start), (high, end), finest) if hopped else high)

    @staticmethod
    def _hop(high: float, value: float, last: tuple[float, float]) -> float:
        """Where to look for a hop off zero that ends before `high`, by v + a h / 2 of the value over h."""
        rates = value / high, last[1] / last[0] if last[0] else 0.0
        landed = high - rates[0] * (last[0] - high) / (rates[1] - rates[0]) if rates[1] < rates[0] else high
        return float(np.clip(0.7 * landed, 1e-3 * high, 0.5 * high))

    def _dips(self, place: Place) -> list[tuple[float, float]]:
        """What is seen of a value, and where it is nearest to zero between two times without passing it there."""
        values = self.seen[(slice(None), *place)]
        found = list(zip(self.shares.tolist(), values.tolist(), strict=True))
        added: list[tuple[float, float]] = []
        for (s0, y0), (_, y1), (s2, y2) in zip(found, found[1:], found[2:], strict=False):
            side = np.sign(y1)
            heights = side * np.array([y0, y1, y2])
            if heights.min() > 0.0 and heights[1] <= heights.min() and heights[1] < np.ptp(heights):
                share = self._lowest(place, s0, s2, side)
                added.append((share, float(self.kept.values(*self.between(share))[place])))
        return sorted([*found[1:], *added])

    def _lowest(self, place: Place, low: float, high: float, side: float) -> float:
        """Where a value is nearest to zero, by golden sections."""

        def height(share: float) -> float:
            return side * float(self.kept.values(*self.between(share))[place])

        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        heights = [height(left), height(right)]
        for _ in range(_NARROWINGS):
            if min(heights) < 0.0:
                break
            if heights[0] < heights[1]:
                high, right, left = right, left, right - _GOLDEN * (right - low)
                heights = [height(left), heights[0]]
            else:
                low, left, right = left, right, left + _GOLDEN * (high - left)
                heights = [heights[1], height(right)]
        return left if heights[0] < heights[1] else right


def _beyond(
    value: Callable[[float], float], before: tuple[float, float], after: tuple[float, float], finest: float
) -> float:
    """A place at which a value is negative, and by `finest` before which it is not, between two such places.

    [Chandrupatla, A new hybrid quadratic / bisection algorithm for finding the zero of a nonlinear function without
    using derivatives, Advances in Engineering Software, 1997]
    """
    (a, fa), (b, fb), (c, fc), share = after, before, before, 0.5
    while abs(b - a) > finest and a != (x := a + share * (b - a)) != b:
        fx = value(x)
        if (fx < 0.0) == (fa < 0.0):
            c, fc = a, fa
        else:
            (c, fc), (b, fb) = (b, fb), (a, fa)
        a, fa = x, fx
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        share = 0.5
        if phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi:
            share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        least = min(0.5, 0.5 * finest / abs(b - a))
        share = float(np.clip(share, least, 1.0 - least))
    return a if fa < 0.0 else b


def _cubic(s: float, h: float, start: Numbers, end: Numbers, rate: Numbers, rate_at_end: Numbers) -> Numbers:
    """Hermite's polynomial between two values with their rates."""
    bent = h * s * (1.0 - s) * ((1.0 - s) * rate - s * rate_at_end)
    return start + s * s * (3.0 - 2.0 * s) * (end - start) + bent
