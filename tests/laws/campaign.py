"""Many random mechanisms, one sample each: `python -m tests.laws.campaign 10000` writes ten_thousand.json.

It runs in parts, each in a process of its own. With a folder after the number parts are kept there, so that a run that
was broken off goes on; they are parts for the laws of that day.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from operator_algebra.checking.suite import in_domain, trials
from operator_algebra.checking.verdict import Precise, decide
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Law, false_claim
from operator_algebra.models.families import forest
from operator_algebra.models.joints.joint import JOINT_KINDS
from operator_algebra.models.model import Model

RESULT = Path(__file__).parent / "ten_thousand.json"
PART = 500
"""Mechanisms of a part."""
KINDS = tuple(JOINT_KINDS)
POOLS = (KINDS, KINDS, ("revolute", "prismatic", "helical"), ("revolute",))
"""In turn, since forests of any joints are seldom in the domain of laws for single or for turning joints."""


def random_mechanism(number: int) -> Model:
    """A forest of one to seven bodies, any joints or some kinds alone, masses over up to six powers of ten."""
    rng = np.random.default_rng(number)
    n = int(rng.integers(1, 8))
    parents = [-1, *(int(rng.integers(-1, k)) for k in range(1, n))]
    pool = POOLS[number % len(POOLS)]
    kinds = [pool[int(rng.integers(len(pool)))] for _ in range(n)]
    return forest(f"random{number}", parents, kinds, rng, float(rng.choice([0.0, 0.0, 1.0, 3.0])))


def _twins() -> Iterator[Law]:
    for law in catalogue().values():
        for twin in law.twins:
            yield false_claim(law, twin)


def campaign(count: int, first: int) -> dict[str, Any]:
    """What the laws and their twins do on so many random mechanisms."""
    laws, twins = list(catalogue().values()), list(_twins())
    refuted: Counter[int] = Counter()
    told: Counter[str] = Counter()
    twins_told: Counter[str] = Counter()
    false_fails: list[str] = []
    for number in range(first, first + count):
        model = random_mechanism(number)
        for trial, _ in trials(model, 1, number):
            kept: Precise = {}
            for law in laws:
                if in_domain(law, model):
                    verdicts = [one.verdict for one in decide(trial, law, precise=kept)]
                    told.update(verdicts)
                    if "FAILS" in verdicts:
                        false_fails.append(f"{law.name} on {model.name}")
            for place, twin in enumerate(twins):
                if refuted[place] < 3 and in_domain(twin, model):
                    verdicts = [one.verdict for one in decide(trial, twin, precise=kept)]
                    twins_told.update(verdicts)
                    refuted[place] += verdicts.count("FAILS")
    return {
        "mechanisms": count,
        "laws": len(laws),
        "samples": sum(told.values()),
        "holds": told["holds"],
        "inconclusive": told["inconclusive"],
        "false_fails": false_fails,
        "twins": len(twins),
        "missed_twins": [twin.name for place, twin in enumerate(twins) if not refuted[place]],
        "twin_samples": sum(twins_told.values()),
        "twins_inconclusive": twins_told["inconclusive"],
    }


def summed(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What all parts say together; a twin is missed if none refutes it."""
    total = {key: sum(part[key] for part in parts) for key in parts[0] if isinstance(parts[0][key], int)}
    missed = [name for name in parts[0]["missed_twins"] if all(name in part["missed_twins"] for part in parts)]
    lists = {"false_fails": [one for part in parts for one in part["false_fails"]], "missed_twins": missed}
    return {key: lists.get(key, total.get(key)) for key in parts[0]} | {key: parts[0][key] for key in ("laws", "twins")}


def in_parts(count: int, folder: Path | None = None) -> dict[str, Any]:
    """The campaign from mechanism 0 on, so many at a time as a part has."""
    firsts = range(0, count, PART)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return summed([*pool.map(_part, [min(PART, count - k) for k in firsts], firsts, [folder] * len(firsts))])


def _part(count: int, first: int, folder: Path | None) -> dict[str, Any]:
    path = None if folder is None else folder / f"{first}-{count}.json"
    if path is not None and path.is_file():
        return json.loads(path.read_text(encoding="utf-8"))
    found = campaign(count, first)
    if path is not None:
        path.write_text(json.dumps(found), encoding="utf-8")
    return found


def main() -> None:
    """Write the record."""
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    found = in_parts(int(sys.argv[1]), folder)
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
