"""Check a claim: on one mechanism, or on the whole suite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from html import escape

from operator_algebra.arguments import choice, flag, instance, quoted, shown, whole
from operator_algebra.checking.levels import levels
from operator_algebra.checking.replay import SAMPLES, replay
from operator_algebra.checking.search import Found, search
from operator_algebra.checking.shrink import Counterexample
from operator_algebra.checking.suite import places, traits
from operator_algebra.checking.tally import Tally, drawn
from operator_algebra.checking.verdict import Verdict
from operator_algebra.errors import InputError
from operator_algebra.expressions.order import reading_key
from operator_algebra.expressions.traverse import free_symbols, named_apart
from operator_algebra.identities.catalogue import sides
from operator_algebra.identities.claims import law_of
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.models.model import Model
from operator_algebra.progress import PATIENCE, Progress, reporting

_LISTED = 12
_FIELDS = {"holds": "holds", "FAILS": "fails", "inconclusive": "inconclusive"}


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
    every: bool = False
    """Whether the check went on after a failure."""
    too_deep: int = 0
    """How many joints the longest term of the law leads along, if no mechanism that was tried is that deep; else 0."""

    @property
    def holds(self) -> bool:
        """Whether the residual stayed below its bound."""
        return self.verdict == "holds"

    def __bool__(self) -> bool:
        return self.holds

    @property
    def worst(self) -> Tally | None:
        """The mechanism that speaks loudest for the verdict: with the largest residual against its bound."""
        return max(self.rows, key=_speaks_for(self.verdict), default=None)

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
        if self.worst is None:
            return ""
        return self.worst.hidden or self.worst.culprit if self.verdict == "inconclusive" else self.worst.culprit

    @property
    def samples(self) -> int:
        """How many samples were judged."""
        return sum(row.samples for row in self.rows)

    def count(self, verdict: Verdict) -> int:
        """How many samples had a verdict."""
        field = _FIELDS[choice(verdict, "verdict", _FIELDS.keys())]
        return sum(getattr(row, field) for row in self.rows)

    def replay(self, row: Tally | None = None) -> str:
        """The command, or the line of Python, that checks the mechanism of a row again: by default the worst one."""
        one = self.worst if row is None else instance(row, "the row", Tally, "Give one of check.rows.")
        if self.target is not None or one is None:
            return replay(self.law, self.target, samples=self.drawn, seed=self.seed, every=self._whole)
        samples = drawn(one.mechanism, self.drawn, every=self.every)
        return replay(self.law, one.mechanism, samples=samples, seed=self.seed, every=self._whole)

    @property
    def _whole(self) -> bool:
        """Whether a check that stops at the first failure would show something else."""
        return self.every and self.count("FAILS") > 0

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
            lines += [f"{'':13}{line}" for line in self._doubts()]
        else:
            lines.append(f"{'':13}{self._nowhere()}")
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

    def _nowhere(self) -> str:
        """Why no mechanism was tried."""
        if missing := places(self.law):
            where = "no mechanism of the suite has" if self.target is None else "the mechanism has not"
            listed = " and ".join(dict.fromkeys(quoted(one) if isinstance(one, str) else str(one) for one in missing))
            remedy = "; give one that has: oa.check(claim, model)" if self.target is None else ""
            return f"{where} the bodies of its blocks, {listed}{remedy}"
        where = "no mechanism of the suite is" if self.target is None else "the mechanism is not"
        return f"{where} in its domain ({', '.join(self.law.domain)})"

    def _doubts(self) -> list[str]:
        """Why samples, or all of it, are inconclusive."""
        if self.too_deep:
            needed = f"oa.check(claim, oa.chain({self.too_deep + 1})) would tell"
            return [f"its longest term leads along {self.too_deep} joints, more than any mechanism here has: {needed}"]
        doubtful = self.count("inconclusive")
        if self.verdict == "inconclusive":
            return [f"to blame: {self.culprit or 'rounding'}; a bound this wide says nothing"]
        if not doubtful:
            return []
        blamed = max((row for row in self.rows if row.inconclusive), key=lambda row: row.inconclusive).hidden
        return [f"{doubtful} of {self.samples} samples are inconclusive; to blame: {blamed}"]

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


def _speaks_for(verdict: Verdict) -> Callable[[Tally], tuple[bool, float]]:
    """Rows with samples of the verdict come first; a row shows a sample that was told wherever it has one."""
    field = {"holds": "holds", "FAILS": "fails", "inconclusive": "inconclusive"}[verdict]
    return lambda row: (getattr(row, field) > 0, row.ratio)


def check(
    claim: Identity | Statement | str,
    model: Model | None = None,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    every: bool = False,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Check:
    """Try a claim on a mechanism, or on the mechanisms of the suite, the smallest first, until one refutes it.

    The claim is a law, the name of one, or an equation "lhs = rhs" in the names of the vocabulary. With `every` the
    search goes on after a failure, for the whole table. What takes more than half a second shows its progress in a
    terminal; `progress=False` is silent.

    >>> from operator_algebra.models.families import chain
    >>> check("inv(I + H phi K) = I - H psi K", chain(3)).verdict
    'holds'
    """
    (result,) = check_all(
        [law_of(claim)], model, samples=samples, seed=seed, every=every, executor=executor, progress=progress
    )
    return result


def check_all(
    laws: Sequence[Law],
    model: Model | None = None,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    every: bool = True,
    executor: Executor | None = None,
    progress: Progress = None,
    source: str | None = None,
) -> list[Check]:
    """Try several laws, which share the values that they have in common.

    `source` is the name or path by which the command line knows the model.
    """
    _checked(samples, seed, every)
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise InputError(f"the executor is {shown(executor)}. Give one of concurrent.futures, or None.")
    if model is not None and not isinstance(model, Model):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"check takes one model, or none for the whole suite, not {shown(model)}. Load one with load(name), or "
            "call check for each of several."
        )
    for law in laws:
        traits(law)
        named_apart(sorted({symbol for e in sides(law) for symbol in free_symbols(e)}, key=reading_key))
    known = model if source is None else source
    with reporting(progress, "checking", patience=PATIENCE) as report:
        found = search(laws, model, samples=samples, seed=seed, every=every, executor=executor, report=report)
    return [_outcome(law, found[law.name], model is None, seed, samples, known, every=every) for law in laws]


def _outcome(
    law: Law, found: Found, on_suite: bool, seed: int, samples: int, target: Model | str | None, *, every: bool
) -> Check:
    rows = tuple(found.rows)
    too_deep = levels(law) if on_suite and levels(law) >= found.depth and found.counterexample is None else 0
    doubtful, judged = (sum(counts) for counts in ([row.inconclusive for row in rows], [row.samples for row in rows]))
    verdict: Verdict = "holds"
    if found.counterexample is not None:
        verdict = "FAILS"
    elif too_deep or 2 * doubtful > judged or not judged or any(row.fails for row in rows):
        verdict = "inconclusive"
    return Check(law, verdict, rows, found.counterexample, seed, samples, target, every, too_deep)


def _checked(samples: int, seed: int, every: bool) -> None:
    flag(every, "every")
    whole(samples, "samples", least=1, most=10**6)
    whole(seed, "seed", least=0, most=10**18)
