"""What `python -m benchmarks` and `operator-algebra bench` do: tables of ratios, each measured in this one process."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from operator_algebra.arguments import quoted
from operator_algebra.bench import batches, claims, engines, goals, growth, lengths, single, variants
from operator_algebra.bench.measure import machine
from operator_algebra.bench.picture import picture
from operator_algebra.bench.work import GROUPS
from operator_algebra.errors import InputError

TABLES = {
    "single": single.report,
    "batches": batches.report,
    "lengths": lengths.report,
    "growth": growth.report,
    "claims": claims.report,
    "processes": variants.other_processes,
    "engines": engines.report,
}
"""Tables without goals."""
_MEMORY = 12 << 30
"""Bytes that a run may take: some engines ask for nv³ numbers."""


def run(
    names: Sequence[str], say: Callable[[str], None], *, record: Path | None = None, plot: Path | None = None
) -> None:
    """Print the tables asked for, the figures with goals without a name; keep those as JSON, and as a picture."""
    known = (*GROUPS, *TABLES)
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise InputError(f"no benchmark is called {quoted(unknown[0])}. There are {', '.join(known)}.")
    _cap_memory()
    for line in machine():
        say(line)
    say(f"one thread; load of the machine {os.getloadavg()[0]:.1f}")
    start = time.monotonic()
    figures: list[goals.Figure] = []
    for name in [name for name in names or GROUPS if name in GROUPS]:
        say(f"… {name}")
        figures += GROUPS[name]()
    if figures:
        say(f"\n{goals.text(figures)}")
    for name in [name for name in names if name in TABLES]:
        say(f"\n{TABLES[name]()}")
    if record is not None:
        goals.write(record, figures, (time.monotonic() - start) / 60)
    if plot is not None:
        plot.write_bytes(picture(figures).png(dpi=150))


def _cap_memory() -> None:
    """An engine that asks for more than the machine has ends with an error, and not everything else with it."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
