"""Search for what refutes laws: the smallest mechanisms first, and no further than to the first failure, or all."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass, field
from functools import lru_cache

from operator_algebra.checking.levels import levels
from operator_algebra.checking.shrink import Counterexample, shrink
from operator_algebra.checking.suite import in_domain, mechanism, places, sample_of, smallest_first, suite, traits
from operator_algebra.checking.tally import Tally, tallies
from operator_algebra.checking.verdict import fixed_bits, readings
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Law
from operator_algebra.models.model import Model
from operator_algebra.progress import Callback

# The suite has paths of all lengths up to this one, and a few longer ones.
_SHORT = 6
# The longest chain that is made for a claim about long paths.
_LONGEST = 2000

Target = str | Model


@dataclass
class Found:
    """What was found about one law: how it fared on each mechanism, and what refutes it."""

    rows: list[Tally] = field(default_factory=list[Tally])
    counterexample: Counterexample | None = None
    depth: int = 0
    """Of the deepest mechanism that was tried."""


def search(
    laws: Sequence[Law],
    model: Model | None,
    *,
    samples: int,
    seed: int,
    every: bool,
    executor: Executor | None,
    report: Callback,
) -> Mapping[str, Found]:
    """What is found about each law, by name: on one model, or on the suite and the chains that a law calls for."""
    found = {law.name: Found() for law in laws}
    count = 1 if model is not None else len(suite()) + len(_chains(laws))
    done, total = 0, count * samples * len(laws)
    if every or model is not None:
        total = sum(_planned(target, laws, samples) for target in _targets(laws, model))
    report(done, total, "")
    rows_of: dict[Target, list[Tally]] = {}
    for target, rows in _run(laws, model, samples, seed, executor, found, every=every):
        planned = _planned(target, laws, samples) if every or model is not None else samples * len(laws)
        rows_of[target] = rows
        judged = sum(row.samples for row in rows)
        done += judged
        total += judged - planned  # a law may have no form for a large mechanism: only trying tells
        if not every:
            _refute(laws, found, target, rows, seed)
        report(done, total, _name(target))
    if done != total:
        report(done, done, "")
    for target in _targets(laws, model):
        for row in rows_of.get(target, ()):
            found[row.law].rows.append(row)
            found[row.law].depth = max(found[row.law].depth, _model(target).depth)
    if every:
        for target in sorted(rows_of, key=lambda target: _model(target).n):
            _refute(laws, found, target, rows_of[target], seed)
    return found


def _run(
    laws: Sequence[Law],
    model: Model | None,
    samples: int,
    seed: int,
    executor: Executor | None,
    found: Mapping[str, Found],
    *,
    every: bool,
) -> Iterator[tuple[Target, list[Tally]]]:
    """The tallies of each mechanism: of all as they are ready, or in order until every law is refuted."""

    def pending() -> list[Law]:
        return [law for law in laws if every or found[law.name].counterexample is None]

    targets = _targets(laws, model)
    if executor is None:
        for target in targets:
            wanted = pending()
            if not wanted:
                return
            yield target, tallies(target, wanted, samples, seed, every=every)
        return
    # The largest first where all are wanted, so that no worker is left with a long one at the end.
    order = sorted(targets, key=lambda target: -_model(target).n) if every else list(targets)
    known = catalogue()  # a worker has it, too
    packed = pickle.dumps([law.name if known.get(law.name) is law else law for law in laws])
    jobs = {executor.submit(_tallies, target, packed, samples, seed, every=every): target for target in order}
    try:
        for job in as_completed(jobs) if every else jobs:
            names = {law.name for law in pending()}
            if not names:
                return
            yield jobs[job], [row for row in job.result() if row.law in names]
    finally:
        for job in jobs:
            job.cancel()


def prepare() -> None:
    """Read what a worker needs for any mechanism, while it waits for one: the laws, their readings and coefficients."""
    for law in catalogue().values():
        for reading in readings(law):
            fixed_bits(reading)


def _tallies(target: Target, packed: bytes, samples: int, seed: int, *, every: bool) -> list[Tally]:
    return tallies(target, _unpacked(packed), samples, seed, every=every)


@lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> Sequence[Law]:
    """The laws of a worker, the same for all its mechanisms: what is known of their expressions is kept."""
    given: list[Law | str] = pickle.loads(packed)
    return [law_named(one) if isinstance(one, str) else one for one in given]


def _refute(laws: Sequence[Law], found: Mapping[str, Found], target: Target, rows: Iterable[Tally], seed: int) -> None:
    """Shrink what failed on a mechanism, for laws that are not refuted yet."""
    by_name = {law.name: law for law in laws}
    for row in rows:
        if row.fails and found[row.law].counterexample is None:
            model = _model(target)
            reading = next(one for one in readings(by_name[row.law]) if one.name == row.reading)
            found[row.law].counterexample = shrink(model, sample_of(model, row.sample, seed), reading)


def _targets(laws: Sequence[Law], model: Model | None) -> Iterator[Target]:
    """One model; or the suite, the smallest first, with a chain for each law whose terms lead along many joints."""
    if model is not None:
        yield model
        return
    chains = _chains(laws)
    for name in smallest_first(suite()):
        while chains and mechanism(chains[0]).n <= mechanism(name).n:
            yield chains.pop(0)
        yield name
    yield from chains


def _chains(laws: Sequence[Law]) -> list[str]:
    lengths = {levels(law) + 1 for law in laws if _SHORT <= levels(law) < _LONGEST}
    return [f"chain{bodies}" for bodies in sorted(lengths) if f"chain{bodies}" not in suite()]


def _planned(target: Target, laws: Sequence[Law], samples: int) -> int:
    return samples * sum(not (traits(law) or places(law)) or in_domain(law, _model(target)) for law in laws)


def _name(target: Target) -> str:
    return target if isinstance(target, str) else target.name


def _model(target: Target) -> Model:
    return mechanism(target) if isinstance(target, str) else target
