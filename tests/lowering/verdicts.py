"""One random expression or question on one random mechanism: what the compiled program does, beside the evaluation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

import numpy as np

from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraError, OperatorAlgebraWarning
from operator_algebra.evaluation import model_source, scaled, start
from operator_algebra.expressions.query import Query
from operator_algebra.meaning.queries import answer
from operator_algebra.meaning.source import Source
from tests.lowering.agreement import Floats, bound, dense, sample, scale
from tests.lowering.cases import Case, Sample
from tests.oracles.exact_sources import ConvertedSource
from tests.rounding import apart

mpmath: Any = import_module("mpmath")

Kind = Literal["agrees", "warned", "refused", "no value", "wrong", "untyped", "not finite"]


@dataclass(frozen=True)
class Verdict:
    """What came of a case; `excess` is the error over its bound where there is one."""

    kind: Kind
    note: str = ""
    excess: float = 0.0


class Reference:
    """The plain evaluation of a case: its value, and what rounding may change; the truth to fifty digits if asked."""

    def __init__(self, case: Case, sample: Sample) -> None:
        self.case = case
        source = model_source(case.formula, case.model, q=sample.q, frame=case.frame, **sample.inputs)
        self._source: Source = source
        run = start(source)
        self._scaled = scaled(run, case.body)
        self.value: Floats = answer(run, case.formula).dense()

    @property
    def condition(self) -> float:
        """The worst condition number among what is inverted."""
        return self._scaled.condition

    @cached_property
    def bound(self) -> float:
        """What rounding may leave."""
        asked = self.case.formula
        terms = scale(asked, self.value, self._scaled) if isinstance(asked, Query) else self._scaled.scale or 1.0
        return bound(self._scaled) * terms

    @cached_property
    def truth(self) -> Floats:
        """The value computed with fifty digits."""
        with mpmath.workdps(50):
            run = start(ConvertedSource(self._source, mpmath.mpf))
            if self.case.asked in ("trace", "logdet"):
                entries: Any = run.value(self.case.body).data.toarray()
                total: Any = _logdet(entries) if self.case.asked == "logdet" else entries.trace()
                return np.asarray(float(total))
            return np.asarray(answer(run, self.case.formula).dense(), dtype=np.float64)

    def excess(self, found: Floats, true: Floats) -> float:
        """The largest difference over its bound."""
        return apart(found, true) / self.bound


def _logdet(entries: Any) -> Any:
    """Log |det| by elimination with pivots."""
    A, total = np.array(entries, dtype=object), mpmath.mpf(0)
    for k in range(len(A)):
        pivot = k + int(np.argmax(np.abs(A[k:, k])))
        A[[k, pivot]] = A[[pivot, k]]
        if A[k, k] == 0:
            return -mpmath.inf
        total += mpmath.log(abs(A[k, k]))
        A[k + 1 :, k:] -= (A[k + 1 :, k] / A[k, k])[:, None] * A[k, k:]
    return total


@dataclass(frozen=True)
class Attempt:
    """What a call returned or raised, and what it warned of."""

    result: Any
    error: Exception | None
    warnings: tuple[warnings.WarningMessage, ...]

    @property
    def untyped(self) -> str:
        """An exception or a warning that does not come from the package; nothing if there is none."""
        if self.error is not None and not isinstance(self.error, OperatorAlgebraError):
            return f"{type(self.error).__name__}: {self.error}"
        foreign = [w for w in self.warnings if not issubclass(w.category, OperatorAlgebraWarning)]
        return f"{foreign[0].category.__name__}: {foreign[0].message}" if foreign else ""


def attempt(call: Callable[[], Any]) -> Attempt:
    """Call it, whatever comes of it."""
    result, error = None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except Exception as raised:  # noqa: BLE001 - any exception is a verdict
            error = raised
    return Attempt(result, error, tuple(caught))


def judge(case: Case) -> Verdict:
    """Compile and run a case beside its evaluation."""
    expected = attempt(lambda: [Reference(case, sample) for sample in case.samples])
    if expected.untyped:
        return Verdict("untyped", f"evaluate: {expected.untyped}")
    found = attempt(lambda: _computed(case))
    if found.untyped:
        return Verdict("untyped", f"compile: {found.untyped}")
    if found.error is None and not all(np.isfinite(answer).all() for answer in found.result):
        return Verdict("not finite", "compile")
    if expected.error is not None:
        answered = "answered" if found.error is None and not found.warnings else "refused or warned of"
        return Verdict("no value", f"{type(expected.error).__name__}, {answered} by the program: {expected.error}")
    references: list[Reference] = expected.result
    if not all(np.isfinite(reference.value).all() for reference in references):
        return Verdict("not finite", "evaluate")
    if found.error is not None:
        condition = max(reference.condition for reference in references)
        return Verdict("refused", f"{type(found.error).__name__} at condition {condition:.0e}: {found.error}")
    pairs = zip(references, found.result, strict=True)
    return max((compared(*pair, bool(found.warnings)) for pair in pairs), key=lambda verdict: verdict.excess)


def _computed(case: Case) -> list[Floats]:
    """The answers of the program, one for each sample."""
    program = compile_program(case.formula, case.model, frame=case.frame, method=case.method)
    result = program(**case.arguments)
    if len(case.samples) == 1:
        return [dense(result)]
    return [dense(sample(result, index)) for index in range(len(case.samples))]


def compared(reference: Reference, found: Floats, warned: bool) -> Verdict:
    """Where the difference is beyond the bound, fifty digits decide who is off."""
    excess = reference.excess(found, reference.value)
    if excess <= 1.0:
        return Verdict("agrees", "", excess)
    if warned:
        return Verdict("warned", "", excess)
    true = reference.truth
    excess, own = reference.excess(found, true), reference.excess(reference.value, true)
    if excess <= 1.0:
        return Verdict("agrees", f"evaluate is off by {own:.0e} bounds", excess)
    note = f"off by {excess:.0e} bounds, evaluate by {own:.0e}, condition {reference.condition:.0e}"
    return Verdict("agrees" if excess <= own else "wrong", note, excess)
