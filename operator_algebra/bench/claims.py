"""How long `check` takes for an answer: every law of the catalogue, and every planted slip beside one."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from operator_algebra.checking.check import check
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Law, false_claim


def _seconds(law: Law, verdict: str) -> float:
    """Of the processor, so that what else the machine does matters little."""
    start = time.process_time()
    found = check(law, progress=False)
    if found.verdict != verdict:
        raise AssertionError(f"{law.name}: {found.verdict}")
    return time.process_time() - start


def _row(what: str, claims: Sequence[Law], verdict: str) -> str:
    seconds = np.array([_seconds(claim, verdict) for claim in claims])
    slowest = claims[int(np.argmax(seconds))].name
    facts = f"{len(claims):>6}{np.median(seconds):>10.2f} s{np.quantile(seconds, 0.9):>10.2f} s{seconds.max():>10.2f} s"
    return f"{what:<16}{facts}   {slowest}"


def report() -> str:
    """One row for what is true, one for what is false."""
    laws = list(catalogue().values())
    check(laws[0], progress=False)
    head = f"{'':<16}{'claims':>6}{'median':>12}{'9 of 10':>12}{'slowest':>12}"
    lines = ["Claims tried on the suite, seconds of the processor", head]
    lines.append(_row("false claims", [false_claim(law, twin) for law in laws for twin in law.twins], "FAILS"))
    lines.append(_row("laws", laws, "holds"))
    return "\n".join(lines)
