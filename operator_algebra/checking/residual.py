"""What is left of a law on a trial, over all its readings, and what that says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from operator_algebra.checking.arithmetic import Singular
from operator_algebra.checking.large import NotProbed, probe_residual
from operator_algebra.checking.statements import Residual, compare, statement_residual
from operator_algebra.checking.trial import Trial
from operator_algebra.errors import SingularError
from operator_algebra.identities.identity import Identity, Law
from operator_algebra.identities.themes.noise import J
from operator_algebra.identities.variants import ANY_GAIN, with_any_gain, with_noise

Verdict = Literal["holds", "FAILS", "inconclusive"]

# Beyond this many bodies hundreds of bits cost seconds for each product of dense matrices.
PRECISE_LIMIT = 16
# Beyond this many, laws are probed with vectors.
DENSE_LIMIT = 30
# A bound above a third of the digits says nothing.
_USEFUL = float(np.finfo(np.float64).eps ** (1 / 3))


@dataclass(frozen=True, slots=True)
class Sampled:
    """The outcome of one law at one sample: the share of its terms that is left, and what rounding may leave.

    `precise` says that floats could not tell, and that the verdict was found with hundreds of bits.
    """

    verdict: Verdict
    residual: float
    bound: float
    condition: float
    culprit: str
    reading: Law
    precise: bool = False


@cache
def readings(law: Law) -> tuple[Law, ...]:
    """The law as it stands, with any J where it claims that, and for any gain where it claims that."""
    found: list[Law] = [law]
    if "any J" in law.domain:
        found.append(with_noise(law, J))
    if "any G" in law.domain:
        found.append(with_any_gain(law))
    return tuple(found)


def residual(trial: Trial, law: Law) -> Residual:
    """What is left of one reading."""
    if trial.model.n > DENSE_LIMIT and not trial.precise:
        return _together([probe_residual(*pair, law) for pair in zip(trial.probers, trial.samples, strict=True)])
    if isinstance(law, Identity):
        return compare(trial, trial.value(law.lhs), trial.value(law.rhs))
    return statement_residual(trial, law)


def _together(found: Sequence[Residual]) -> Residual:
    worst = max(found, key=lambda one: float(one.condition[0]))
    difference, size, condition = (
        np.concatenate([getattr(one, name) for one in found]) for name in ("difference", "size", "condition")
    )
    return Residual(difference, size, condition, worst.culprit)


def judge(trial: Trial, law: Law, *, precise: dict[int, Trial] | None = None) -> list[Sampled]:
    """The outcome of a law at every sample of a trial; `precise` keeps trials that several laws share.

    Nothing for a large mechanism and a law that cannot be probed with vectors.
    """
    kept = {} if precise is None else precise
    worst: list[Sampled] = []
    for reading in readings(law):
        if trial.model.n > DENSE_LIMIT and reading.name.endswith(ANY_GAIN):
            continue  # ψ of an arbitrary gain grows exponentially with the depth
        try:
            outcome = _judge(trial, reading, kept)
        except NotProbed:
            return []
        worst = outcome if not worst else [_worse(a, b) for a, b in zip(worst, outcome, strict=True)]
    return worst


_RANK = {"holds": 0, "inconclusive": 1, "FAILS": 2}


def _worse(a: Sampled, b: Sampled) -> Sampled:
    def rank(one: Sampled) -> tuple[int, float]:
        return _RANK[one.verdict], one.residual / one.bound if one.bound else 0.0

    return b if rank(b) > rank(a) else a


def _judge(trial: Trial, law: Law, kept: dict[int, Trial]) -> list[Sampled]:
    try:
        with np.errstate(all="ignore"):
            found = residual(trial, law)
    except Singular:
        return [_nothing(law, "a matrix that has to be inverted") for _ in trial.samples]
    except SingularError as error:
        return [_nothing(law, str(error).splitlines()[0]) for _ in trial.samples]
    return [_verdict(trial, law, found, k, kept) for k in range(len(trial.samples))]


def _nothing(law: Law, culprit: str) -> Sampled:
    return Sampled("inconclusive", float("inf"), float("inf"), float("inf"), culprit, law)


def _verdict(trial: Trial, law: Law, found: Residual, k: int, kept: dict[int, Trial]) -> Sampled:
    condition = float(found.condition[k])
    size, difference = float(found.size[k]), float(found.difference[k])
    share = difference / size if size > 0.0 else 0.0 if difference == 0.0 else float("inf")
    bound = float(trial.bound(found.condition)[k])
    if share <= bound <= _USEFUL:
        return Sampled("holds", share, bound, condition, found.culprit, law)
    if trial.precise:
        told = bound <= np.sqrt(trial.judge.arithmetic.eps) and np.isfinite(share)
        verdict: Verdict = "inconclusive" if not told else "holds" if share <= bound else "FAILS"
        return Sampled(verdict, share, bound, condition, found.culprit, law, precise=True)
    if trial.model.n > PRECISE_LIMIT:
        # Far above its bound a difference cannot be rounding; the shrunk case will confirm that with more bits.
        certain = np.isfinite(share) and bound <= _USEFUL and share > bound / _USEFUL
        return Sampled("FAILS" if certain else "inconclusive", share, bound, condition, found.culprit, law)
    if k not in kept:
        kept[k] = trial.precisely([k])
    (again,) = _judge(kept[k], law, {})
    if again.verdict == "inconclusive":
        return Sampled("inconclusive", share, bound, condition, found.culprit or again.culprit, law, precise=True)
    return Sampled(again.verdict, share, bound, condition, found.culprit, law, precise=True)
