"""The same programs otherwise: in single precision, by two threads, in processes that hold other things, too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from operator_algebra.bench.batches import TASKS, states
from operator_algebra.bench.forms import anew
from operator_algebra.bench.fresh import output_of
from operator_algebra.bench.goals import Figure, faster
from operator_algebra.bench.measure import Row, agreeing, measure
from operator_algebra.compiler import compile as compile_program
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model

_ROUNDS = 3
_BATCH = 1024
_LONG = 65_536
_WIDER = 2.0**29
"""So many times as much is rounded in single precision."""


def single_precision() -> list[Figure]:
    """How much faster a batch is in single precision."""
    found: list[Figure] = []
    for robot, name in (("7 joints", "arm7"), ("37 freedoms", "humanoid")):
        model = load(name)
        for task in ("inverse dynamics", "forward dynamics"):
            rounds = [_precisions(model, task) for _ in range(_ROUNDS)]
            work = f"{task}, {robot}, 1,024 states"
            found.append(faster("Single precision", work, rounds, "float32", "float64", 1.6, 1.9))
    return found


def _precisions(model: Model, task: str) -> Row:
    formula, called = TASKS[task]
    q, values = states(model, _BATCH, *called.rates)
    short: dict[str, Any] = {name: x.astype(np.float32) for name, x in {"q": q, **values}.items()}
    double, single = (anew(compile_program(formula, model, dtype=kind)) for kind in ("float64", "float32"))
    agreeing(task, single(**short), double(**short), digits=_WIDER)
    return measure(task, {"float64": lambda: double(q=q, **values), "float32": lambda: single(**short)})


def two_threads() -> list[Figure]:
    """How much faster two threads are with a long batch, bits compared."""
    model = load("arm7")
    found: list[Figure] = []
    for task in ("inverse dynamics", "forward dynamics"):
        rounds = [_threads(model, task) for _ in range(_ROUNDS)]
        found.append(
            faster("Threads", f"{task}, 7 joints, 65,536 states", rounds, "two threads", "one thread", 1.7, 1.9)
        )
    return found


def _threads(model: Model, task: str) -> Row:
    formula, called = TASKS[task]
    q, values = states(model, _LONG, *called.rates)
    one, two = (anew(compile_program(formula, model, threads=count)) for count in (1, 2))
    if one(q=q, **values).tobytes() != two(q=q, **values).tobytes():
        raise AssertionError(f"{task}: two threads give other bits than one")
    return measure(task, {"one thread": lambda: one(q=q, **values), "two threads": lambda: two(q=q, **values)})


_PROCESS = """
import json, sys
for name in {before}:
    __import__(name)
from operator_algebra.bench import variants
print(json.dumps(variants.kernels({others})))
"""


def kernels(others: Sequence[str]) -> dict[str, float]:
    """Nanoseconds a state of dynamics of the arm in batches, beside machine code of other robots."""
    for name in others:
        model = load(name)
        q, values = states(model, _BATCH, "v", "T")
        anew(compile_program(TASKS["forward dynamics"][0], model))(q=q, **values)
    model = load("arm7")
    found: dict[str, float] = {}
    for task in ("inverse dynamics", "forward dynamics"):
        formula, called = TASKS[task]
        q, values = states(model, _BATCH, *called.rates)
        run = anew(compile_program(formula, model))
        call = run.bind(q=q, out=np.empty((_BATCH, model.nv)), **values)
        for _ in range(3):
            call()
        found[task] = 1e9 * measure(task, {"call": call}, seconds=0.3).seconds["call"] / _BATCH
    return found


def other_processes() -> str:
    """Straight-line code runs at another speed in another process: that of several, as a table."""
    settings: dict[str, tuple[list[str], list[str]]] = {
        "alone": ([], []),
        "beside other robots": ([], ["quadruped", "humanoid"]),
        "beside SciPy": (["scipy.linalg"], []),
        "beside Pinocchio": (["pinocchio"], []),
        "beside MuJoCo": (["mujoco"], ["pendulum"]),
    }
    lines = ["Dynamics of the arm in new processes, ns a state, 1,024 states in a bound call"]
    every: dict[str, list[float]] = {}
    for name, (before, others) in settings.items():
        if any(find_spec(one.split(".")[0]) is None for one in before):
            continue
        code = _PROCESS.format(before=before, others=others)
        each = [json.loads(output_of(code)) for _ in range(2)]
        best = {task: min(one[task] for one in each) for task in each[0]}
        lines.append(f"{name:<22}" + "".join(f"{task:>20} {ns:>6.1f}" for task, ns in best.items()))
        for task, ns in best.items():
            every.setdefault(task, []).append(ns)
    spread = "".join(f"{task:>20} {max(ns) / min(ns) - 1:>6.0%}" for task, ns in every.items())
    return "\n".join([*lines, f"{'slowest over fastest':<22}{spread}"])
