"""The run of a rule to its end: steps of one length or of those that its error allows, and what happens on the way."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from operator_algebra.applications.film import Film
from operator_algebra.applications.happening import Watch
from operator_algebra.applications.stepping import LeftChart, Rule, State
from operator_algebra.calls.diagnosis import told_of_lost_digits
from operator_algebra.errors import InputError, OperatorAlgebraWarning, RangeError, SingularError
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.progress import Callback

_LEAST_SHARE = 100  # steps of a run at least: torques that depend on time are not leapt over


@dataclass(frozen=True)
class Run:
    """A run of a rule to its end, in steps of one length or of those that the rule's error allows."""

    model: Model
    rule: Rule
    end: float
    fixed: float | None
    report: Callback
    watch: Watch

    def film(self, q: Numbers, v: Numbers) -> Film:
        """The motion from q and v on; what stops it has the film up to there."""
        lost: list[tuple[float, float, str]] = []
        states: list[State] = []
        with told_of_lost_digits(lambda least, text: lost.append((least, states[-1].t if states else 0.0, text))):
            self._run(q, v, states)
        if lost:
            _, t, text = min(lost)
            warnings.warn(
                f"simulate {self.model.name}: digits are lost {len(lost)} times, most after t = {t:.6g} s: {text}",
                OperatorAlgebraWarning,
                stacklevel=3,
            )
        return self._made(states)

    def _run(self, q: Numbers, v: Numbers, states: list[State]) -> None:
        states.append(self._start(q, v))
        if self.watch.events:
            self.watch.begin(states[0])
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is found by tests
                if self.fixed is None:
                    self._find_steps(states)
                else:
                    self._take_steps(states, self.fixed)
        except (SingularError, RangeError) as error:
            where = f"simulate {self.model.name}, after t = {states[-1].t:.6g} s: {error}"
            raise type(error)(where, joints=error.joints, samples=error.samples, result=self._made(states)) from error

    def _start(self, q: Numbers, v: Numbers) -> State:
        try:
            return self.rule.start(0.0, q, v)
        except (SingularError, RangeError) as error:
            where = f"simulate {self.model.name}, at the start: {error}"
            raise type(error)(where, joints=error.joints, samples=error.samples) from error

    def _made(self, states: list[State]) -> Film:
        t, q, v, T = (np.array([state[i] for state in states]) for i in range(4))
        return Film(t, q, v, T, self.model, tuple(self.watch.happened))

    def _take_steps(self, states: list[State], length: float) -> None:
        """Ends of steps are multiples of the length, so that none is missed by rounding."""
        count = int(np.ceil(self.end / length * (1.0 - 1e-12)))
        for i in range(1, count + 1):
            t = self.end if i == count else i * length
            while states[-1].t < t and not self.watch.stopped:
                try:
                    state = self.rule(states[-1], t - states[-1].t).state
                except LeftChart:
                    what = f"a joint turns by half a turn within a step of {length:g} s"
                    raise RangeError(f"{what}. Give a shorter step.") from None
                states += self.watch.passed(states[-1], state._replace(t=t))
            if self.watch.stopped:
                return
            self._tell(t)

    def _find_steps(self, states: list[State]) -> None:
        longest = self.end / _LEAST_SHARE
        length = 1e-2 * longest
        while states[-1].t < self.end and not self.watch.stopped:
            left = self.end - states[-1].t
            used = min(length, left) if left > 1.5 * length or length >= left else left / 2.0
            state, grown = self._tried(states[-1], used)
            length = min(used * grown, longest)
            if state is not None:
                after = state._replace(t=self.end) if used == left else state
                states += self.watch.passed(states[-1], after)
                self._tell(state.t)

    def _tried(self, state: State, length: float) -> tuple[State | None, float]:
        """The state after a step, None if its error is too large, and by how much the next may be longer."""
        shortest = 1e-13 * self.end + 4.0 * float(np.spacing(state.t))
        if length < shortest:
            raise RangeError(
                f"steps of {length:.1e} s are still too long: the motion breaks off here, or is too stiff. Look at the "
                'torque; strong dampers and springs of joints want method="implicit" with a step.'
            )
        try:
            after, error = self.rule(state, length)
        except LeftChart:
            return None, 0.2
        except (InputError, SingularError, RangeError):  # a torque, too, may have no value where a step is too long
            if 0.2 * length < shortest:
                raise
            return None, 0.2
        assert error is not None
        if not error < np.inf:
            return None, 0.2
        grown = 5.0 if error == 0.0 else float(np.clip(0.9 * error**-0.2, 0.2, 5.0))
        return (after if error <= 1.0 else None), grown

    def _tell(self, t: float) -> None:
        self.report(round(1000 * t / self.end), 1000, f"t = {t:.4g} s")
