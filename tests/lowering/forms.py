"""Many random forms, each beside its program as written: `python -m tests.lowering.forms 5000` writes forms.json.

A run that was cut off goes on where it stopped, as long as neither the generator nor the package has changed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from operator_algebra.compiler import compile as compile_program
from operator_algebra.lowering import lower as lowering
from operator_algebra.lowering.fewest import DEARER
from operator_algebra.lowering.passes import PASSES, save_sweeps
from operator_algebra.models.model import Model
from operator_algebra.programs.cost import cost
from operator_algebra.programs.program import Program
from tests.lowering.agreement import dense
from tests.lowering.campaign import CHUNK, package_digest, resumed, versions
from tests.lowering.form_grammar import Form, form
from tests.lowering.verdicts import Attempt, Reference, Verdict, attempt, compared
from tests.strategies import random_body

RESULT = Path(__file__).parent / "forms.json"
_NUMBERS = np.random.default_rng(0)
TREE = Model(
    name="counted",
    bodies=[random_body(k, p, "revolute", _NUMBERS) for k, p in enumerate((-1, 0, 1, 2, 3, 1, 5, 6))],
)
"""The tree that the compiler counts operations on, which do not depend on its numbers."""

Kind = Literal[
    "agrees", "warned", "refused", "no value", "refused anew", "wrong", "untyped", "more sweeps", "dearer"
]  # fmt: skip
BAD: tuple[Kind, ...] = ("refused anew", "wrong", "untyped", "more sweeps", "dearer")
NOTED: tuple[Kind, ...] = ("warned",)


@dataclass(frozen=True)
class Outcome:
    """One form in a few words: how many sweeps it takes, and took as written."""

    seed: int
    kind: Kind
    note: str
    asked: str
    method: str
    results: int
    written: int
    sweeps: int
    choice: str

    @property
    def bad(self) -> bool:
        """Whether this must not be."""
        return self.kind in BAD


@contextmanager
def as_written() -> Generator[None]:
    """The compiler without the pass that saves sweeps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lowering, "PASSES", tuple(one for one in PASSES if one is not save_sweeps))
        yield


def lowered(one: Form) -> Program:
    """The program of a form."""
    return lowering.lower(dict(one.formulas), method=one.method)


def outcome(seed: int, draw: Callable[[int], Form] = form) -> Outcome:
    """Judge the form of a number."""
    one = draw(seed)
    saved = attempt(lambda: lowered(one))
    with as_written():
        plain = attempt(lambda: lowered(one))
    if saved.error is not None or plain.error is not None:
        kind, note = _refusal(saved, plain), str(saved.error)
        return _noted(one, seed, kind, note, 0, 0, "")
    program, written = saved.result, plain.result
    kind, note = judge(one, program, written)
    choice = program.report.choices[0].split(":")[0] if len(program.report.choices) > 1 else "no sum"
    return _noted(one, seed, kind, note, len(written.sweeps), len(program.sweeps), choice)


def _noted(one: Form, seed: int, kind: Kind, note: str, written: int, sweeps: int, choice: str) -> Outcome:
    note = " ".join(note.split())[:300]
    if kind in BAD:
        note = f"{note}: {one}"
    return Outcome(seed, kind, note, one.asked, one.method, len(one.formulas), written, sweeps, choice)


def judge(one: Form, program: Program, written: Program) -> tuple[Kind, str]:
    """Run both programs of a form beside its evaluation."""
    if len(program.sweeps) > len(written.sweeps):
        return "more sweeps", f"{len(program.sweeps)} sweeps instead of {len(written.sweeps)}"
    dearer = cost(program, TREE).total / max(1, cost(written, TREE).total)
    if dearer > DEARER:
        return "dearer", f"{dearer:.2f} of the operations"
    expected = attempt(lambda: {name: Reference(case, case.samples[0]) for name, case in one.cases.items()})
    if expected.untyped:
        return "untyped", f"evaluate: {expected.untyped}"
    found, plain = attempt(lambda: _answers(one, program)), attempt(lambda: _answers(one, written))
    if found.untyped:
        return "untyped", f"compile: {found.untyped}"
    if expected.error is not None:
        return "no value", str(expected.error)
    if found.error is not None:
        return _refusal(found, plain), str(found.error)
    worst = _worst(expected.result, found)
    if worst.kind == "warned" and plain.error is None and not plain.warnings:
        return "warned", f"only with fewer sweeps: {found.warnings[0].message}"
    return worst.kind, worst.note  # pyright: ignore[reportReturnType]


def _refusal(found: Attempt, plain: Attempt) -> Kind:
    return "untyped" if found.untyped else "refused" if plain.error is not None else "refused anew"


def _answers(one: Form, program: Program) -> dict[str, Any]:
    run = compile_program(program, one.model, frame=one.frame)
    found = run(q=one.sample.q, **one.sample.inputs)
    return {name: dense(found[name]) for name in one.formulas}


def _worst(expected: dict[str, Reference], found: Attempt) -> Verdict:
    if not all(np.isfinite(answer).all() for answer in found.result.values()):
        return Verdict("wrong", "not finite", float("inf"))
    verdicts = [compared(expected[name], found.result[name], bool(found.warnings)) for name in expected]
    return max(verdicts, key=lambda verdict: verdict.excess)


def fingerprint(count: int = 200) -> str:
    """What tells one generator from another: a digest of its first forms."""
    return sha256("\n".join(str(form(seed)) for seed in range(count)).encode()).hexdigest()[:16]


def summary(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """Counts by verdict, by sweeps saved, by what was done; the bad ones with their seed."""
    found = sorted(outcomes, key=lambda one: one.seed)
    tables: dict[str, dict[str, dict[str, int]]] = {}
    for column in ("asked", "method", "results", "choice"):
        counts: dict[str, Counter[str]] = {}
        for one in found:
            counts.setdefault(str(getattr(one, column)), Counter())[one.kind] += 1
        tables[column] = {value: dict(sorted(counts[value].items())) for value in sorted(counts)}
    saved = Counter(f"{one.written} to {one.sweeps}" for one in found if one.written)
    return {
        "forms": len(found),
        "verdicts": dict(sorted(Counter(one.kind for one in found).items())),
        **{kind: [f"{one.seed}: {one.note}" for one in found if one.kind == kind] for kind in BAD},
        **{kind: [f"{one.seed}: {one.note}" for one in found if one.kind == kind and one.note] for kind in NOTED},
        "sweeps saved": {str(n): c for n, c in sorted(Counter(one.written - one.sweeps for one in found).items())},
        "sweeps": dict(sorted(saved.items())),
        **tables,
    }


def run(count: int, first: int = 0) -> list[Outcome]:
    """The outcomes of so many forms, in this process."""
    return [outcome(seed) for seed in range(first, first + count)]


def _chunk(first: int) -> list[Outcome]:
    return run(CHUNK, first)


def main() -> None:
    """Write the record."""
    count, generator, code = int(sys.argv[1]), fingerprint(), package_digest()
    result = Path(sys.argv[2]) if len(sys.argv) > 2 else RESULT
    notes = Path(tempfile.gettempdir()) / f"forms-{generator}-{code}.jsonl"
    found = resumed(count, notes, _chunk, Outcome)
    record = {"generator": generator, "code": code, "versions": versions(), **summary(found)}
    result.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
