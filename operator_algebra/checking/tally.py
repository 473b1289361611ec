"""How a law fared on a mechanism, and the worker that finds it for many laws at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from operator_algebra.checking.suite import in_domain, known_trials, mechanism, trials
from operator_algebra.checking.trial import Trial
from operator_algebra.checking.verdict import DENSE_LIMIT, Precise, Sampled, decide
from operator_algebra.identities.identity import Law
from operator_algebra.models.model import Model

# Of more samples the leaves are not kept from law to law.
_SHARED = 16


@dataclass(frozen=True, slots=True)
class Tally:
    """The samples of one law on one mechanism: counts by verdict, and the worst sample that was told, if any was.

    `precise` counts the samples that floats could not tell; `reading` says which reading of the law was worst; `hidden`
    what to blame for the samples that are inconclusive.
    """

    law: str
    mechanism: str
    holds: int
    inconclusive: int
    fails: int
    precise: int
    residual: float
    bound: float
    condition: float
    culprit: str
    reading: str
    sample: int
    hidden: str = ""

    @property
    def samples(self) -> int:
        """How many samples were judged."""
        return self.holds + self.inconclusive + self.fails

    @property
    def ratio(self) -> float:
        """The residual as a share of its bound."""
        return ratio(self.residual, self.bound)


def tally(law: Law, name: str, sampled: Sequence[tuple[int, Sampled]]) -> Tally:
    """Count the samples of a law."""
    counts = {
        verdict: sum(one.verdict == verdict for _, one in sampled) for verdict in ("holds", "inconclusive", "FAILS")
    }
    sample, worst = max(sampled, key=lambda pair: _severity(pair[1]))
    hidden = max((one for _, one in sampled if one.verdict == "inconclusive"), key=_severity, default=None)
    return Tally(
        law.name,
        name,
        counts["holds"],
        counts["inconclusive"],
        counts["FAILS"],
        sum(one.precise for _, one in sampled),
        worst.residual,
        worst.bound,
        worst.condition,
        worst.culprit,
        worst.reading.name,
        sample,
        "" if hidden is None else hidden.culprit or "rounding",
    )


def _severity(one: Sampled) -> tuple[int, float]:
    rank = {"inconclusive": 0, "holds": 1, "FAILS": 2}[one.verdict]
    return rank, ratio(one.residual, one.bound)


def ratio(residual: float, bound: float) -> float:
    """A residual as a share of its bound; infinite where nothing could be computed."""
    share = residual / bound if bound else 0.0
    return share if share == share else float("inf")


def drawn(target: str | Model, samples: int, *, every: bool) -> int:
    """How many samples are drawn; in search of a failure two of a large mechanism of the suite, which has many joints.

    >>> drawn("chain200", 8, every=False), drawn("chain200", 8, every=True)
    (2, 8)
    """
    large = isinstance(target, str) and mechanism(target).n > DENSE_LIMIT
    return min(samples, 2) if large and not every else samples


def tallies(
    target: str | Model,
    laws: Iterable[Law],
    samples: int,
    seed: int,
    *,
    every: bool = True,
) -> list[Tally]:
    """How laws fare on a mechanism, whose values they share; laws whose domain it is outside of are left out.

    Without `every` a law is left alone after the first sample that refutes it.
    """
    samples = drawn(target, samples, every=every)
    model = mechanism(target) if isinstance(target, str) else target
    name = target if isinstance(target, str) else model.name
    wanted = [law for law in laws if in_domain(law, model)]
    shared = isinstance(target, str) and samples <= _SHARED
    known = known_trials(target, samples, seed) if shared else trials(model, samples, seed)
    batches: list[tuple[Trial, list[int], Precise]] = [(trial.anew(), numbers, {}) for trial, numbers in known]
    found: list[Tally] = []
    for law in wanted:
        sampled: list[tuple[int, Sampled]] = []
        for trial, numbers, kept in batches:
            outcome = decide(trial, law, precise=kept, stop=not every, confirm=False)
            sampled += zip(numbers, outcome, strict=False)
            if not every and any(one.verdict == "FAILS" for one in outcome):
                break
        if sampled:
            found.append(tally(law, name, sorted(sampled, key=lambda pair: pair[0])))
    return found
