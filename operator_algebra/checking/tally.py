"""How a law fared on a mechanism, and the worker that finds it for many laws at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from operator_algebra.checking.residual import Sampled, judge
from operator_algebra.checking.suite import in_domain, mechanism, trials
from operator_algebra.checking.trial import Trial
from operator_algebra.identities.identity import Law
from operator_algebra.models.model import Model


@dataclass(frozen=True, slots=True)
class Tally:
    """The samples of one law on one mechanism: counts by verdict, and the worst sample.

    `precise` counts the samples that floats could not tell; `reading` says which reading of the law was worst.
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

    @property
    def samples(self) -> int:
        """How many samples were judged."""
        return self.holds + self.inconclusive + self.fails

    @property
    def ratio(self) -> float:
        """The residual as a share of its bound."""
        return self.residual / self.bound if self.bound else 0.0


def tally(law: Law, name: str, sampled: Sequence[tuple[int, Sampled]]) -> Tally:
    """Count the samples of a law."""
    counts = {
        verdict: sum(one.verdict == verdict for _, one in sampled) for verdict in ("holds", "inconclusive", "FAILS")
    }
    sample, worst = max(sampled, key=lambda pair: _severity(pair[1]))
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
    )


def _severity(one: Sampled) -> tuple[int, float]:
    rank = {"holds": 0, "inconclusive": 1, "FAILS": 2}[one.verdict]
    return rank, one.residual / one.bound if one.bound else 0.0


def tallies(
    target: str | Model,
    laws: Iterable[Law],
    samples: int,
    seed: int,
) -> list[Tally]:
    """How laws fare on a mechanism, whose values they share; laws whose domain it is outside of are left out."""
    model = mechanism(target) if isinstance(target, str) else target
    name = target if isinstance(target, str) else model.name
    wanted = [law for law in laws if in_domain(law, model)]
    batches: list[tuple[Trial, list[int], dict[int, Trial]]] = [
        (trial, numbers, {}) for trial, numbers in trials(model, samples, seed)
    ]
    found: list[Tally] = []
    for law in wanted:
        sampled = [
            (number, one)
            for trial, numbers, kept in batches
            for number, one in zip(numbers, judge(trial, law, precise=kept), strict=False)
        ]
        if sampled:
            found.append(tally(law, name, sorted(sampled, key=lambda pair: pair[0])))
    return found
