"""Check a claim: on one mechanism, or on the whole suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from html import escape

from operator_algebra.checking.claims import law_of
from operator_algebra.checking.replay import SAMPLES, replay
from operator_algebra.checking.residual import Verdict, readings
from operator_algebra.checking.shrink import Counterexample, shrink
from operator_algebra.checking.suite import in_domain, mechanism, sample_of, suite
from operator_algebra.checking.tally import Tally, tallies
from operator_algebra.errors import InputError
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.models.model import Model
from operator_algebra.progress import Progress, reporting

_LISTED = 12


@dataclass(frozen=True, eq=False)
class Check:
    """The outcome of a check; true only when the verdict is "holds", which means sampled, not proved.

    `residual` is the worst one as a share of the terms before cancellation, `bound` what rounding may leave there.
    """

    law: Law
    verdict: Verdict
    rows: tuple[Tally, ...]
    counterexample: Counterexample | None
    seed: int
    drawn: int
    """How many samples were drawn of each mechanism."""
    target: Model | str | None
    """The model, what the command line knows it by, or None for the suite."""

    @property
    def holds(self) -> bool:
        """Whether the residual stayed below its bound."""
        return self.verdict == "holds"

    def __bool__(self) -> bool:
        return self.holds

    @property
    def worst(self) -> Tally | None:
        """The mechanism with the largest residual against its bound, failing ones first."""
        return max(self.rows, key=_severity, default=None)

    @property
    def residual(self) -> float:
        """The residual at the worst sample."""
        return self.worst.residual if self.worst else 0.0

    @property
    def bound(self) -> float:
        """The bound at the worst sample."""
        return self.worst.bound if self.worst else 0.0

    @property
    def condition(self) -> float:
        """The worst condition of what was inverted, at the worst sample."""
        return self.worst.condition if self.worst else 1.0

    @property
    def culprit(self) -> str:
        """What to blame where floats could not tell: the pivot or product with the worst condition."""
        return self.worst.culprit if self.worst else ""

    @property
    def samples(self) -> int:
        """How many samples were judged."""
        return sum(row.samples for row in self.rows)

    def count(self, verdict: Verdict) -> int:
        """How many samples had a verdict."""
        field = {"holds": "holds", "FAILS": "fails", "inconclusive": "inconclusive"}[verdict]
        return sum(getattr(row, field) for row in self.rows)

    def replay(self, row: Tally | None = None) -> str:
        """The command, or the line of Python, that checks the mechanism of a row again: by default the worst one."""
        shown = row or self.worst
        target = shown.mechanism if self.target is None and shown is not None else self.target
        return replay(self.law, target, samples=self.drawn, seed=self.seed)

    def __repr__(self) -> str:
        worst = f"worst residual {self.residual:.0e} (bound {self.bound:.0e})"
        return f"{self.verdict}   {self.law.name}   {self.samples} samples, {worst}"

    def __str__(self) -> str:
        lines = [f"{self.verdict:<13}{self.law}"]
        if self.counterexample is not None:
            lines += [f"{'':13}{line}" for line in self.counterexample.describe().splitlines()]
            if self.counterexample.reading != self.law.name:
                lines.append(f"{'':13}in the reading: {self.counterexample.reading}")
        elif self.worst is not None:
            lines.append(f"{'':13}{self._facts()}")
            if self.verdict == "inconclusive":
                lines.append(f"{'':13}to blame: {self.culprit or 'rounding'}; a bound this wide says nothing")
        else:
            lines.append(f"{'':13}no mechanism of the suite is in its domain ({', '.join(self.law.domain)})")
        if self.worst is not None:
            lines.append(f"{'':13}replay  {self.replay()}")
        return "\n".join(lines)

    def _facts(self) -> str:
        assert self.worst is not None
        per = max(row.samples for row in self.rows)
        count = "1 mechanism" if len(self.rows) == 1 else f"{len(self.rows)} mechanisms"
        text = f"{count} × {per} samples, worst residual {self.residual:.0e} on {self.worst.mechanism}"
        text += f" (bound {self.bound:.0e}, condition {self.condition:.0e})"
        precise = sum(row.precise for row in self.rows)
        return text + (f"; {precise} judged in extended precision" if precise else "")

    def table(self) -> str:
        """One line for each mechanism, the worst first."""
        rows = sorted(self.rows, key=_severity, reverse=True)
        lines = [f"{'mechanism':<24}{'holds':>7}{'inconcl.':>10}{'fails':>7}   worst / bound"]
        lines += [
            f"{row.mechanism:<24}{row.holds:>7}{row.inconclusive:>10}{row.fails:>7}"
            f"   {row.residual:.0e} / {row.bound:.0e}"
            for row in rows[:_LISTED]
        ]
        if len(rows) > _LISTED:
            lines.append(f"… and {len(rows) - _LISTED} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = sorted(self.rows, key=_severity, reverse=True)[:_LISTED]
        cells = "".join(
            f"<tr><td>{escape(row.mechanism)}</td><td>{row.holds}</td><td>{row.inconclusive}</td><td>{row.fails}</td>"
            f"<td>{row.residual:.0e} / {row.bound:.0e}</td></tr>"
            for row in rows
        )
        head = "<tr><th>mechanism</th><th>holds</th><th>inconclusive</th><th>fails</th><th>worst / bound</th></tr>"
        about = escape(str(self)).replace("\n", "<br>")
        return (
            f'<div style="font-family:monospace;white-space:pre-wrap">{about}</div>'
            f"<details open><summary>worst mechanisms</summary><table>{head}{cells}</table></details>"
        )


def _severity(row: Tally) -> tuple[bool, bool, float]:
    return row.fails > 0, row.inconclusive > 0, row.ratio


def check(
    claim: Identity | Statement | str,
    model: Model | None = None,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Check:
    """Try a claim on a mechanism, or on every mechanism of the suite.

    The claim is a law, the name of one, or an equation "lhs = rhs" in the names of the vocabulary.

    >>> from operator_algebra.models.families import chain
    >>> check("inv(I + H phi K) = I - H psi K", chain(3)).verdict
    'holds'
    """
    (result,) = check_all([law_of(claim)], model, samples=samples, seed=seed, executor=executor, progress=progress)
    return result


def check_all(
    laws: Sequence[Law],
    model: Model | None = None,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Progress = None,
    source: str | None = None,
) -> list[Check]:
    """Try several laws, which share the values that they have in common.

    `source` is the name or path by which the command line knows the model.
    """
    _checked(samples, seed)
    if model is not None and not isinstance(model, Model):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"check takes one model, or none for the whole suite, not {model!r:.60}. Load one with load(name), or call "
            "check for each of several."
        )
    targets: list[str | Model] = list(suite()) if model is None else [model]
    found: dict[int, list[Tally]] = {}
    planned = [samples * sum(in_domain(law, _model(target)) for law in laws) for target in targets]
    done, total = 0, sum(planned)
    with reporting(progress, "checking") as report:
        report(done, total, "")
        for place, rows in _run(targets, laws, samples, seed, executor):
            found[place] = rows
            judged = sum(row.samples for row in rows)
            done += judged
            total += judged - planned[place]  # a law may have no form for a large mechanism: only trying tells
            report(done, total, _name(targets[place]))
    by_law: dict[str, list[Tally]] = {law.name: [] for law in laws}
    for place in range(len(targets)):
        for row in found[place]:
            by_law[row.law].append(row)
    known = model if source is None else source
    return [_outcome(law, tuple(by_law[law.name]), model, seed, samples, known) for law in laws]


def _name(target: str | Model) -> str:
    return target if isinstance(target, str) else target.name


def _model(target: str | Model) -> Model:
    return mechanism(target) if isinstance(target, str) else target


def _run(
    targets: Sequence[str | Model], laws: Sequence[Law], samples: int, seed: int, executor: Executor | None
) -> Iterator[tuple[int, list[Tally]]]:
    """The tallies of each mechanism by its place, in the order in which they are ready."""
    if executor is None:
        for place, target in enumerate(targets):
            yield place, tallies(target, laws, samples, seed)
        return
    # The largest first, so that no worker is left with a long one at the end.
    order = sorted(range(len(targets)), key=lambda place: -_model(targets[place]).n)
    jobs = {executor.submit(tallies, targets[place], laws, samples, seed): place for place in order}
    try:
        for job in as_completed(jobs):
            yield jobs[job], job.result()
    finally:
        for job in jobs:
            job.cancel()


def _outcome(
    law: Law, rows: tuple[Tally, ...], model: Model | None, seed: int, samples: int, target: Model | str | None
) -> Check:
    failing = [row for row in rows if row.fails]
    counterexample = None
    if failing:
        first = min(failing, key=lambda row: _size(row, model))
        refuted = model if model is not None else mechanism(first.mechanism)
        reading = next(one for one in readings(law) if one.name == first.reading)
        counterexample = shrink(refuted, sample_of(refuted, first.sample, seed), reading)
    verdict: Verdict = "holds"
    if counterexample is not None:
        verdict = "FAILS"
    elif failing or 2 * sum(row.inconclusive for row in rows) > sum(row.samples for row in rows) or not rows:
        verdict = "inconclusive"
    return Check(law, verdict, rows, counterexample, seed, samples, target)


def _size(row: Tally, model: Model | None) -> int:
    return (model if model is not None else mechanism(row.mechanism)).n


def _checked(samples: int, seed: int) -> None:
    if isinstance(samples, bool) or samples < 1:
        raise InputError(f"samples is {samples}; a check needs at least 1 sample.")
    if seed < 0:
        raise InputError(f"seed is {seed}. Give a whole number of at least 0.")
