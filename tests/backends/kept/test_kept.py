"""What was kept of a program says and gives the same as the program."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import compiler
from operator_algebra import symbols as s
from operator_algebra.backends.native.store import Store
from operator_algebra.calls.compiled import Compiled
from operator_algebra.errors import NotLowerable, SingularError
from operator_algebra.expressions.build import diag, inv, operator
from operator_algebra.expressions.query import dense
from operator_algebra.lowering.lower import Lowerable
from operator_algebra.models.families import chain, random_tree
from operator_algebra.operators.spaces import RATE, TORQUE
from tests.backends.kept.programs import ARM, FORWARD, MASS, as_in_a_new_process, bits, both, drawer_of, was_kept
from tests.backends.scalar.calls import random_arguments
from tests.backends.test_forms import formula
from tests.house.tree import ROOT
from tests.outcomes import outcome
from tests.strategies import ALL_JOINTS

pytest.importorskip("llvmlite")
D = operator("D", RATE >> TORQUE, structure="diagonal")
Floats = NDArray[np.float64]
LINES = """
import sys, numpy as np, operator_algebra as oa
arm = oa.load("arm7")
run = oa.compile(oa.dynamics.forward_dynamics, arm{backend})
q, v = arm.random(0)
print(run(q=q, v=v, T=np.ones(7)).tobytes().hex())
print(*(name in sys.modules for name in {modules}))
"""
HEAVY = (
    "llvmlite",
    "operator_algebra.programs.program",
    "operator_algebra.lowering.lower",
    "operator_algebra.backends.floats",
)


def test_another_process_lowers_nothing_and_loads_no_llvm() -> None:
    def told(backend: str, seed: int) -> list[str]:
        code = LINES.format(backend=backend, modules=HEAVY)
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        return subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True, env=environment).split("\n")

    first = told(', backend="compiled"', 1)
    assert "False" not in first[1]
    for seed, backend in ((2, ', backend="compiled"'), (3, ""), (4, ', threads=2, backend="numpy"')):
        again = told(backend, seed)
        assert again[0] == first[0]
        assert "True" not in again[1]


@pytest.mark.parametrize("seed", range(12))
def test_random_formulas_on_random_trees(seed: int) -> None:
    tree, e = random_tree(1 + seed % 7, joints=ALL_JOINTS, seed=seed), formula(seed)
    q, given = random_arguments(e, tree, seed)
    try:
        takes = {symbol.name for symbol in compiler.compile(e, tree).interface.accepts}
    except NotLowerable:
        pytest.skip("it has no program")
    values: dict[str, Any] = {name: value for name, value in given.items() if name in takes}
    made, kept = both(e, tree, q, values)
    expected, found = outcome(lambda: made(q=q, **values)), outcome(lambda: kept(q=q, **values))
    assert (found.warned, str(found.error)) == (expected.warned, str(expected.error))
    assert bits(found.result) == bits(expected.result)


SEVERAL: dict[str, Lowerable] = {
    "several": {"a": FORWARD, "b": MASS},
    "blocks": diag(MASS),
    "blocks of several sizes": s.D,
    "a matrix": dense(inv(MASS)),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_results_are_laid_out_as_ever(name: str) -> None:
    e, tree = SEVERAL[name], random_tree(5, joints=ALL_JOINTS, seed=2)
    q, v = tree.random(0)
    values: dict[str, Any] = {"v": v, "T": np.ones(tree.nv)} if name == "several" else {}
    made, kept = both(e, tree, q, values)
    assert was_kept(kept)
    for several in (q, np.stack([q, tree.random(1)[0]])):
        expected, found = made(q=several, **values), kept(q=several, **values)
        if name == "several":
            assert list(found) == list(expected)
            expected, found = list(expected.values()), list(found.values())
        assert bits(found) == bits(expected)


def calls(run: Compiled) -> dict[str, Callable[[], Any]]:
    """What one does with a compiled program of forward dynamics."""
    q, v = ARM.random(0)
    T, batch = np.ones(7), np.stack([ARM.random(k)[0] for k in range(5)])

    def written() -> Floats:
        out = np.empty((5, 7))
        assert run(q=batch, v=v, T=T, out=out) is out
        return out

    def bound() -> Floats:
        out = np.empty(7)
        run.bind(q=q, v=v, T=T, out=out)()
        return out

    return {
        "one": lambda: run(q=q, v=v, T=T),
        "once more": lambda: run(q=q, v=v, T=T),
        "a list": lambda: run(q=q.tolist(), v=v.tolist(), T=T.tolist()),
        "a batch": lambda: run(q=batch, v=v, T=T),
        "forces from outside": lambda: run(q=q, v=v, T=T, f_ext=np.ones(42)),
        "into an array": written,
        "bound": bound,
        "something missing": lambda: run(q=q, v=v),
        "something else": lambda: run(q=q, v=v, T=T, x=1),
        "a wrong shape": lambda: run(q=q[:-1], v=v, T=T),
        "not a number": lambda: run(q=q, v=v, T=T * np.nan),
        "too large": lambda: run(q=q, v=v * 1e200, T=T),
        "a column": lambda: run.linear_operator(q=q, v=v) @ T,
        "as text": lambda: (repr(run), str(run), run._repr_html_(), run.inputs),  # pyright: ignore[reportPrivateUsage]
        "as code": lambda: (run(q=q, v=v, T=T).tolist(), run.source, run.program.text),
        "operations": lambda: run.operations(q=q, v=v, T=T),
    }


@pytest.mark.parametrize("name", calls(compiler.compile(FORWARD, ARM)))
def test_all_that_is_done_with_a_program(name: str) -> None:
    q, v = ARM.random(0)
    made, kept = both(FORWARD, ARM, q, {"v": v, "T": np.ones(7)})
    made, kept = replace(made, backend="it"), replace(kept, backend="it")
    assert was_kept(kept)
    expected, found = outcome(calls(made)[name]), outcome(calls(kept)[name])
    assert (found.warned, type(found.error), str(found.error)) == (
        expected.warned,
        type(expected.error),
        str(expected.error),
    )
    if hasattr(expected.result, "tobytes"):
        assert bits(found.result) == bits(expected.result)
    else:
        assert found.result == expected.result


def test_doubtful_samples_are_told_and_mended_as_ever() -> None:
    arm = chain(1, seed=1)
    q = np.stack([arm.random(k)[0] for k in range(4)])
    whole = compiler.compile(dense(MASS), arm)(q=q)[:, 0]
    given = whole * (1.0 - np.array([1.0, 1e-5, 1e-10, 0.0]))[:, None]
    values: dict[str, Any] = {"T": np.ones(1), "D": given}
    made, kept = both(inv(MASS - D) @ s.T, arm, q, values)
    assert was_kept(kept)
    expected, found = outcome(lambda: made(q=q, **values)), outcome(lambda: kept(q=q, **values))
    assert isinstance(found.error, SingularError)
    assert (found.warned, str(found.error)) == (expected.warned, str(expected.error))
    assert bits(found.result) == bits(expected.result)
    masked = [run(q=q, errors="mask", **values) for run in (made, kept)]
    assert bits(masked[0]) == bits(masked[1])
    assert np.isnan(masked[0]).any(axis=1).tolist() == [False, False, False, True]


def test_single_precision_is_kept_for_itself() -> None:
    q, v = ARM.random(0)
    values: dict[str, Any] = {"v": v.astype(np.float32), "T": np.ones(7, dtype=np.float32)}
    made, kept = both(FORWARD, ARM, q.astype(np.float32), values, dtype="float32")
    assert was_kept(kept)
    assert not was_kept(as_in_a_new_process(FORWARD, ARM))
    found = kept(q=q.astype(np.float32), **values)
    assert found.dtype == np.float32
    assert bits(found) == bits(made(q=q.astype(np.float32), **values))


def test_each_form_of_arguments_is_kept(folder: Store) -> None:
    q, v = ARM.random(0)
    values: dict[str, Any] = {"v": v, "T": np.ones(7)}
    both(FORWARD, ARM, q, values)
    _, kept = both(FORWARD, ARM, q, {**values, "f_ext": np.ones(42)})
    place = drawer_of()
    record = None if place is None else place.read()
    assert record is not None
    assert len(record.forms) == 2
    assert was_kept(kept)
