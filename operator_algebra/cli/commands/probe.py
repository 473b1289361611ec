"""`operator-algebra check --probe N`: laws applied to random vectors on mechanisms of N bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_algebra.checking.probed_laws import probe, probe_mechanisms
from operator_algebra.cli.terminal.output import say, say_json
from operator_algebra.identities.claims import laws_of
from operator_algebra.progress import reporting

if TYPE_CHECKING:
    from operator_algebra.checking.probed_laws import Probed

FAILED = 1


def probe_laws(claim: str, bodies: int, seed: int, *, as_json: bool, quiet: bool, ascii_only: bool) -> int:
    """Probe what a claim names on a chain and a tree of that many bodies; the exit code."""
    laws, models = laws_of(claim), probe_mechanisms(bodies)
    outcomes: list[Probed] = []
    with reporting(None if quiet else True, "probing") as report:
        report(0, len(laws) * len(models), "")
        for model in models:
            for outcome in probe(model, laws, seed):
                outcomes.append(outcome)
                report(len(outcomes), len(laws) * len(models), f"{outcome.law} on {model.name}")
    if as_json:
        say_json([outcome.facts() for outcome in outcomes])
    else:
        say("\n".join(map(str, outcomes)), ascii_only=ascii_only)
    return FAILED if any(outcome.verdict == "FAILS" for outcome in outcomes) else 0
