"""What `check` was asked: all laws in several processes and the other engine beside them, or what a claim names."""

from __future__ import annotations

from concurrent.futures import Executor

from operator_algebra.checking.check import Check, check_all
from operator_algebra.checking.suite import mechanism
from operator_algebra.checking.workers import processes, workers
from operator_algebra.cli.reporting.oracle import Agreement, compare_gallery
from operator_algebra.identities.claims import laws_of
from operator_algebra.models.model import Model


def judge_all(
    executor: Executor, samples: int, seed: int, *, progress: bool
) -> tuple[list[Check], list[Agreement] | None]:
    """All laws on the suite, and what the other engine says."""
    agreements = executor.submit(compare_gallery, seed)
    checks = check_all(laws_of("*"), samples=samples, seed=seed, executor=executor, progress=progress)
    return checks, agreements.result()


def judge(
    claim: str, name: str | None, samples: int, seed: int, jobs: int, *, every: bool, progress: bool
) -> list[Check]:
    """What a claim names, on one mechanism if one is given."""
    laws, model = laws_of(claim), chosen(name)
    every = every or len(laws) > 1
    if model is not None or not every:
        # One claim is told sooner than processes start.
        return check_all(laws, model, samples=samples, seed=seed, every=every, progress=progress, source=name)
    with workers(processes(jobs)) as pool:
        return check_all(laws, samples=samples, seed=seed, executor=pool, progress=progress)


def chosen(name: str | None) -> Model | None:
    """The mechanism of a name, if there is one."""
    return mechanism(name) if name else None
