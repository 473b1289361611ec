"""What is left of a law on a trial, over all its readings, and what that says."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Literal, NamedTuple

import numpy as np

from operator_algebra.checking.arithmetic import Floats, Singular
from operator_algebra.checking.coefficients import bits, without_shared
from operator_algebra.checking.large import NotProbed, probe_residual, together
from operator_algebra.checking.statements import Residual, compare, statement_residual
from operator_algebra.checking.trial import Trial
from operator_algebra.errors import SingularError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.identity import Identity, Law
from operator_algebra.identities.variants import ANY_GAIN, wider
from operator_algebra.models.kinematics import dependent_rates

Verdict = Literal["holds", "FAILS", "inconclusive"]

# Beyond this many bodies hundreds of bits cost seconds for each product of dense matrices.
PRECISE_LIMIT = 16
# Beyond this many, laws are probed with vectors.
DENSE_LIMIT = 30
# A bound above a third of the digits says nothing.
_USEFUL = float(np.finfo(np.float64).eps ** (1 / 3))
# Coefficients of few bits differ by more than any useful bound; what others differ by may be a share of a whole.
_FEW, _MARGIN = 8, 10
FIXED_BITS = 320


class Sampled(NamedTuple):
    """The outcome of one law at one sample: the share of its terms that is left, and what rounding may leave.

    `precise` says that floats could not tell in one of the readings, which was then decided with hundreds of bits. What
    holds has a residual below its bound.
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
    """The law as it stands, without what both sides share, with any J and for any gain where it claims that."""
    first, *others = wider(law)
    rest = without_shared(law) if isinstance(law, Identity) else None
    return (first, *others) if rest is None else (first, rest, *others)


def residual(trial: Trial, law: Law) -> Residual:
    """What is left of one reading."""
    if trial.model.n > DENSE_LIMIT and not trial.precise:
        return together([probe_residual(prober, law) for prober in trial.probers])
    return matrix_residual(trial, law)


def matrix_residual(trial: Trial, law: Law) -> Residual:
    """What is left of one reading in whole matrices, however large."""
    if isinstance(law, Identity):
        return compare(trial, trial.value(law.lhs), trial.value(law.rhs))
    return statement_residual(trial, law)


@lru_cache(maxsize=4096)
def _told(culprit: Expr | None) -> str:
    return "" if culprit is None else str(culprit)


def decide(
    trial: Trial, law: Law, *, precise: Precise | None = None, stop: bool = False, confirm: bool = True
) -> list[Sampled]:
    """The outcome of a law at every sample of a trial; `precise` keeps trials that several laws share.

    With `stop` nothing is tried after the first sample that refutes the law; without `confirm` a difference that is no
    rounding refutes it at once. Nothing for a large mechanism and a law that cannot be probed with vectors.
    """
    kept: Precise = {} if precise is None else precise
    worst: list[Sampled] = []
    for reading in readings(law):
        if trial.model.n > DENSE_LIMIT and reading.name.endswith(ANY_GAIN):
            continue  # ψ of an arbitrary gain grows exponentially with the depth
        try:
            outcome = _decide(trial, reading, kept, stop=stop, confirm=confirm)
        except NotProbed:
            return []
        worst = outcome if not worst else [_worse(a, b) for a, b in zip(worst, outcome, strict=not stop)]
        if stop and any(one.verdict == "FAILS" for one in worst):
            break
    return worst


Precise = dict[tuple[int, int], Trial]
"""Trials to hundreds of bits, by the number of the sample and the bits."""

_RANK = {"holds": 0, "inconclusive": 1, "FAILS": 2}


def _worse(a: Sampled, b: Sampled) -> Sampled:
    def rank(one: Sampled) -> tuple[int, float]:
        return _RANK[one.verdict], one.residual / one.bound if one.bound else 0.0

    worse, precise = b if rank(b) > rank(a) else a, a.precise or b.precise
    return worse if worse.precise == precise else worse._replace(precise=precise)


def _decide(trial: Trial, law: Law, kept: Precise, *, stop: bool = False, confirm: bool = True) -> list[Sampled]:
    try:
        with np.errstate(all="ignore"):
            found = residual(trial, law)
    except Singular:
        return [_nothing(law, "a matrix that has to be inverted") for _ in trial.samples]
    except SingularError as error:
        return [_nothing(law, str(error).splitlines()[0]) for _ in trial.samples]
    outcome: list[Sampled] = []
    culprit, useful = _told(found.culprit), min(np.sqrt(trial.eps) if trial.precise else _USEFUL, _told_apart(law))
    parts = (_shares(found).tolist(), trial.bound(found.condition).tolist(), found.condition.tolist())
    for k, (share, bound, condition) in enumerate(zip(*parts, strict=True)):
        one = Sampled("holds", share, bound, condition, culprit, law, trial.precise)
        outcome.append(one if share <= bound <= useful else _doubted(trial, one, k, kept, useful, confirm=confirm))
        if stop and outcome[-1].verdict == "FAILS":
            break
    return outcome


def _shares(found: Residual) -> Floats:
    """What is left, as a share of the terms."""
    nothing = np.where(found.difference == 0.0, 0.0, np.inf)
    return np.where(found.size > 0.0, found.difference / np.where(found.size > 0.0, found.size, 1.0), nothing)


def _nothing(law: Law, culprit: str) -> Sampled:
    return Sampled("inconclusive", float("inf"), float("inf"), float("inf"), culprit, law)


def _doubted(trial: Trial, one: Sampled, k: int, kept: Precise, useful: float, *, confirm: bool) -> Sampled:
    """The outcome at a sample that does not hold as it stands."""
    share, bound, law = one.residual, one.bound, one.reading
    small = trial.model.n <= PRECISE_LIMIT
    if trial.precise:
        return one._replace(verdict="FAILS" if bound <= useful and np.isfinite(share) else "inconclusive")
    if np.isfinite(share) and bound <= _USEFUL and share > bound / _USEFUL and not (confirm and small):
        # Far above its bound a difference cannot be rounding; the shrunk case will confirm that with more bits.
        return one._replace(verdict="FAILS")
    if not small:
        culprit = one.culprit
        if share <= bound <= _USEFUL:
            culprit = f"coefficients of {bits(law)} bits: only mechanisms of up to {PRECISE_LIMIT} bodies can tell"
        return one._replace(verdict="inconclusive", culprit=culprit)
    needed = fixed_bits(law)
    if (k, needed) not in kept:
        kept[k, needed] = trial.precisely([k], needed)
    (again,) = _decide(kept[k, needed], law, {})
    if again.verdict == "inconclusive":
        culprit = _locked(trial, k) or one.culprit or again.culprit
        return one._replace(verdict="inconclusive", culprit=culprit, precise=True)
    return again


def _locked(trial: Trial, k: int) -> str:
    """The joint that a sample locks, if one does: then it is the pose that is to blame."""
    model = trial.model
    for body in sorted(model.oblique):
        told = dependent_rates(model, body, trial.samples[k].q)
        if told:
            return f'joint "{model.joint_names[body]}": {told.split(". ")[0]}'
    return ""


def fixed_bits(law: Law) -> int:
    """Bits behind the point with which a law is judged again: enough for its coefficients, the same for most laws."""
    return FIXED_BITS + 16 * -(-bits(law) // 4)


def _told_apart(law: Law) -> float:
    """Up to which bound the coefficients of a law are told apart."""
    return 1.0 if bits(law) < _FEW else 2.0 ** -(bits(law) + _MARGIN)
