"""Samples that code does not trust: small pivots mended, singular ones told or masked, lost digits warned of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from operator_algebra.backends.backend import Executable, Result, Run
from operator_algebra.backends.pivots import DOUBTFUL, HELD, SINGULAR, SMALL
from operator_algebra.calls.arguments import Arguments
from operator_algebra.calls.diagnosis import singular_error, singular_samples, warn_of_lost_digits
from operator_algebra.calls.overflow import not_finite, range_error, without_pivot
from operator_algebra.calls.rescue import least_pivots, least_share, replaced, rescued, settled, singular_places
from operator_algebra.calls.results import logarithm, mask, narrowed, spread_out, unpacked
from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.asked import Key, Method
from operator_algebra.lowering.normalforms import in_normal_form
from operator_algebra.models.model import Model
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.interface import Interface
from operator_algebra.programs.program import Program


@dataclass(frozen=True, eq=False)
class Mending:
    """A program, what runs it, and how other programs come of its formulas."""

    program: Program
    model: Model
    executable: Executable
    _another: Callable[[Key, Method], Mending]
    """The same for other formulas, or by another method."""

    @cached_property
    def rescue(self) -> Executable:
        """The same formulas by orthogonal elimination: about twenty times the work, and no local pivots to lose."""
        return self._by("orthogonal")

    @cached_property
    def refined(self) -> Executable:
        """The same formulas with one step of iterative refinement, which gives back what small pivots cost."""
        return self._by("refined")

    def _by(self, method: Method) -> Executable:
        formulas: dict[str, Expr | Query] = {output.name: output.formula for output in self.program.outputs}
        # Interpreted: a few samples of some batches are not worth code of their own.
        return self._another(tuple(formulas.items()), method).executable.interpreted

    @cached_property
    def normal_form(self) -> Mending | None:
        """The same formulas multiplied out, without what cancels; None if they are so already."""
        formulas = in_normal_form(self.program, vanishing(self.model))
        if formulas is None:
            return None
        try:
            return self._another(formulas, cast("Method", self.program.method))
        except NotLowerable:
            return None

    def told(self, run: Run, call: Arguments, errors: str, kind: str) -> Mapping[str, Result]:
        """The results of a call, mended as far as that goes, as numbers of a kind; what is left is told."""
        run = self._reduced_where_singular(self._mended(run, call), call)
        return self._masked(replace(run, results=narrowed(run.results, kind)), call, errors)

    def _mended(self, run: Run, call: Arguments) -> Run:
        """Samples with small pivots again by orthogonal elimination, which tells what is lost; refined if they may be.

        Pivots of a definite operator are small only if it is nearly singular itself: it is heard once they are lost.
        """
        if self.program.method == "orthogonal":
            return run
        return self._freed(self._pivoted(run, call), call)

    def _pivoted(self, run: Run, call: Arguments) -> Run:
        least = least_pivots(run.pivots, call.lead)
        small, lost = ~(least >= SMALL), ~(least >= DOUBTFUL)
        again = lost if self.program.definite else small
        if again.any():
            samples = np.nonzero(again)[0]
            run = rescued(run, samples, call.lead, self._again(self.rescue, call, samples))
        if self.program.method == "auto" and self.program.refinable and (small & ~lost).any():
            samples = np.nonzero(small & ~lost)[0]
            run = replaced(run, samples, call.lead, self._again(self.refined, call, samples))
        return run

    def _freed(self, run: Run, call: Arguments) -> Run:
        """Samples that springs hold are refined: their solutions are small differences, whatever their condition."""
        held = ~(least_share(run.pivots, call.lead) >= HELD)
        if self.program.refines or not held.any():
            return run
        samples = np.nonzero(held)[0]
        try:
            second = self._again(self.refined, call, samples)
        except NotLowerable:
            return run
        # Blocks have no residual.
        whole = any(output.kind == "blocks" for output in self.program.outputs)
        return replaced(run if whole else settled(run, samples, call.lead), samples, call.lead, second)

    def _reduced_where_singular(self, run: Run, call: Arguments) -> Run:
        """What cancels, or is multiplied by zero, need not have a value: singular samples by the normal form."""
        bad = singular_places(run.pivots, call.lead)
        if not len(bad) or self.normal_form is None:
            return run
        normal = self.normal_form
        again = normal._again(normal.executable.interpreted, call, bad)
        return rescued(run, bad, call.lead, normal._mended(again, call.some(bad)))

    def _again(self, executable: Executable, call: Arguments, samples: Any) -> Run:
        """Some samples of a call by another program."""
        some = call.some(samples)
        return spread_out(executable(some.q, some.v, some.inputs), self._axes, some.lead)

    @cached_property
    def _axes(self) -> Mapping[str, int]:
        return Interface.of(self.program).axes

    def _masked(self, run: Run, call: Arguments, errors: str) -> Mapping[str, Result]:
        outputs, keyed = self.program.outputs, self.program.keyed
        bad = np.broadcast_to(singular_samples(run.pivots), call.lead)
        beyond = not_finite(run.results, call.lead)
        results = {o.name: logarithm(o, run.results[o.name], errors, bad) for o in outputs}
        if beyond is not None or bad.any():
            everywhere = bad if beyond is None else bad | beyond
            results = {name: mask(value, everywhere) for name, value in results.items()}
            bad = bad & ~without_pivot(run.pivots, bad, SINGULAR)
            if errors == "raise" and bad.any():
                found = unpacked(results, keyed=keyed)
                raise singular_error(self.model, call.q, run.pivots, bad, found, self.program.report.eliminated)
            if errors == "raise":
                raise range_error(self.executable, self.model, call, everywhere, unpacked(results, keyed=keyed))
        else:
            warn_of_lost_digits(self.model, run.pivots)
        return results
