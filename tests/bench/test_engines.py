"""Other engines find the same numbers where they are installed."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from operator_algebra.bench.batches import TASKS, states
from operator_algebra.bench.engines import ENGINES
from operator_algebra.bench.measure import agreeing
from operator_algebra.compiler import compile as compile_program
from operator_algebra.models.gallery import load


@pytest.mark.parametrize("task", ["inverse dynamics", "forward dynamics", "mass matrix"])
@pytest.mark.parametrize("name", ENGINES)
def test_results_are_ours(name: str, task: str) -> None:
    packages, made = ENGINES[name]
    if not all(map(find_spec, packages)):
        pytest.skip(f"{name} is not installed")
    arm, (formula, called) = load("arm7"), TASKS[task]
    q, values = states(arm, 4, *called.rates)
    engine = made(arm, task, q, values)
    if engine is None:
        assert name == "CasADi"
        return
    agreeing(name, np.reshape(compile_program(formula, arm)(q=q, **values), (4, -1)), engine.results)
    engine.call()
