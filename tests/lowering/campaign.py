"""Many random expressions and questions: `python -m tests.lowering.campaign 20000` writes twenty_thousand.json.

A run that was cut off goes on where it stopped, as long as neither the generator nor the package has changed.
"""

from __future__ import annotations

import json
import multiprocessing
import platform
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy

import operator_algebra
from tests.lowering.cases import Case, case
from tests.lowering.verdicts import Kind, judge

RESULT = Path(__file__).parent / "twenty_thousand.json"
BAD: tuple[Kind, ...] = ("wrong", "untyped", "not finite")
PROCESSES = 2
CHUNK = 50
_COLUMNS = ("asked", "flow", "bodies", "method", "frame", "samples")


@dataclass(frozen=True)
class Outcome:
    """One case in a few words."""

    seed: int
    kind: Kind
    note: str
    asked: str
    flow: str
    bodies: str
    method: str
    frame: str
    samples: str

    @property
    def bad(self) -> bool:
        """Whether this must not be."""
        return self.kind in BAD


def outcome(seed: int) -> Outcome:
    """Judge the case of a number."""
    one = case(seed)
    verdict = judge(one)
    note = " ".join(verdict.note.split())[:300]
    if verdict.kind in BAD:
        note = f"{one}: {note}"
    counted = one.asked, one.body.structure.flow, _size(one), one.method, one.frame, str(len(one.samples))
    return Outcome(seed, verdict.kind, note, *counted)


def _size(one: Case) -> str:
    n = one.model.n
    return next(f"{least} to {most}" for least, most in ((1, 1), (2, 5), (6, 20), (21, 60)) if least <= n <= most)


def fingerprint(count: int = 200) -> str:
    """What tells one generator from another: a digest of its first cases."""
    return sha256("\n".join(str(case(seed)) for seed in range(count)).encode()).hexdigest()[:16]


def summary(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """Counts by verdict, and by what was asked of what; the bad ones with their seed."""
    found = sorted(outcomes, key=lambda one: one.seed)
    tables: dict[str, dict[str, dict[str, int]]] = {}
    for column in _COLUMNS:
        counts: dict[str, Counter[str]] = {}
        for one in found:
            counts.setdefault(getattr(one, column), Counter())[one.kind] += 1
        tables[column] = {value: dict(sorted(counts[value].items())) for value in sorted(counts)}
    noted = Counter(_sort(one) for one in found if one.kind in ("refused", "no value"))
    return {
        "expressions": len(found),
        "verdicts": dict(sorted(Counter(one.kind for one in found).items())),
        **{kind: [f"{one.seed}: {one.note}" for one in found if one.kind == kind] for kind in BAD},
        "refusals": dict(sorted(noted.items())),
        **tables,
    }


def _sort(one: Outcome) -> str:
    words = one.note.split(":")[0].split(" at condition")[0]
    return f"{one.kind}: {words}"


def run(count: int, first: int = 0) -> list[Outcome]:
    """The outcomes of so many cases, in this process."""
    return [outcome(seed) for seed in range(first, first + count)]


def _chunk(first: int) -> list[Outcome]:
    return run(CHUNK, first)


def package_digest() -> str:
    """A digest of the package that is judged."""
    digest = sha256()
    root = Path(operator_algebra.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Judged(Protocol):
    """What came of one seed, and whether that must not be."""

    @property
    def seed(self) -> int: ...
    @property
    def bad(self) -> bool: ...


J = TypeVar("J", bound=Judged)


def resumed(count: int, notes: Path, chunk_of: Callable[[int], list[J]], read: Callable[..., J]) -> list[J]:
    """All outcomes; each chunk is noted as soon as it is done."""
    done = [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()] if notes.exists() else []
    known = {chunk[0]["seed"]: [read(**one) for one in chunk] for chunk in done}
    missing = [first for first in range(0, count, CHUNK) if first not in known]
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool, notes.open("a", encoding="utf-8") as file:
        for chunk in pool.imap_unordered(chunk_of, missing):
            known[chunk[0].seed] = chunk
            file.write(json.dumps([vars(one) for one in chunk]) + "\n")
            file.flush()
            bad = sum(one.bad for one in chunk)
            sys.stderr.write(f"{len(known) * CHUNK} of {count}" + (f", {bad} bad\n" if bad else "\n"))
    return [one for chunk in known.values() for one in chunk if one.seed < count]


def versions() -> dict[str, str]:
    """What a record was made with."""
    found = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    return {**found, "operator_algebra": operator_algebra.__version__}


def main() -> None:
    """Write the record."""
    count, generator, code = int(sys.argv[1]), fingerprint(), package_digest()
    result = Path(sys.argv[2]) if len(sys.argv) > 2 else RESULT
    notes = Path(tempfile.gettempdir()) / f"campaign-{generator}-{code}.jsonl"
    found = resumed(count, notes, _chunk, Outcome)
    record = {"generator": generator, "code": code, "versions": versions(), **summary(found)}
    result.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
