"""Kernels: Python, tape and rows give the same bits, of any number of samples, for plain floats and arrays alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.applications import dynamics
from operator_algebra.backends import kernel as kernels
from operator_algebra.backends.kernel import Kernel
from operator_algebra.backends.scalar import tape as tapes
from operator_algebra.backends.scalar.emit import placed, uses
from operator_algebra.backends.scalar.graph import Graph, needed
from operator_algebra.backends.scalar.python import python_kernel, python_source
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.tape import AT_ONCE, Tape
from operator_algebra.backends.scalar.trace import Traced
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from operator_algebra.models.gallery import load
from operator_algebra.operators.vanishing import vanishing
from tests.backends.scalar.calls import Call
from tests.backends.scalar.test_graph import TERMS, Terms, built
from tests.programs.test_interpreted_programs import inputs
from tests.strategies import ALL_JOINTS

FORMULAS = {
    "id": dynamics.inverse_dynamics,
    "fd": dynamics.forward_dynamics,
    "energy": dynamics.kinetic_energy,
}
ARM = load("arm7")
TREE = random_tree(6, joints=ALL_JOINTS, seed=5)


def call_of(name: str, model: Any, seed: int = 0) -> Call:
    program = lower(FORMULAS[name], zeros=vanishing(model))
    return Call.of(program, model, model.random(seed)[0], inputs(program, model, seed))


def kernel_of(call: Call) -> Kernel:
    return Kernel(call.program, call.model, Signature.of(call.inputs))


def batch(kernel: Kernel, rows: Any) -> tuple[Any, Any]:
    """Flags and entries (…, samples) from arguments (…, samples)."""
    _, good, arrays = kernel.batch(np.split(rows.T, np.cumsum(kernel.given)[:-1], axis=1), rows.shape[1])
    return good, np.concatenate(arrays, axis=1).T


@pytest.mark.parametrize("model", [ARM, TREE], ids=["arm", "tree"])
@pytest.mark.parametrize("name", FORMULAS)
def test_all_forms_have_the_same_bits(name: str, model: Any) -> None:
    calls = [call_of(name, model, seed) for seed in range(6)]
    traced = calls[0].traced()
    rows = np.array([call.arguments for call in calls]).T
    tape, python = Tape.of(traced, len(rows)), python_kernel(traced, len(rows))
    good, entries = tape.batch(np.ascontiguousarray(rows))
    assert good.all()
    for i, call in enumerate(calls):
        expected = (True, entries[:, i].tolist())
        assert tape.single(call.arguments) == expected
        assert python(call.arguments) == expected


@pytest.mark.parametrize("count", [0, 1, 2, 23, 24, 25, 33, AT_ONCE, AT_ONCE + 1])
def test_batches_of_any_size(count: int) -> None:
    call = call_of("fd", ARM)
    kernel = kernel_of(call)
    rows = np.array(call.arguments)[:, None] + 0.1 * np.random.default_rng(0).standard_normal((ARM.nq + 14 + 42, count))
    good, entries = batch(kernel, rows)
    assert good.shape == (count,)
    assert good.all()
    for i in {0, count // 2, count - 1} - {-1} if count else ():
        assert kernel.single(rows[:, i].tolist()) == entries[:, i].tolist()


def test_a_function_is_made_after_some_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Traced] = []

    def counted(traced: Traced, arguments: int) -> Any:
        made.append(traced)
        return python_kernel(traced, arguments)

    monkeypatch.setattr(kernels, "python_kernel", counted)
    monkeypatch.setattr(kernels, "CALLS", 8)
    call = call_of("fd", ARM)
    kernel = kernel_of(call)
    found = [kernel.single(call.arguments) for _ in range(12)]
    assert len(made) == 1
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_what_is_not_finite_is_not_trusted(bad: float) -> None:
    call = call_of("fd", ARM)
    kernel = kernel_of(call)
    rows = np.repeat(np.array(call.arguments)[:, None], 40, axis=1)
    alone = batch(kernel, rows)[1]
    rows[-3, 7] = bad
    good, entries = batch(kernel, rows)
    assert np.nonzero(~good)[0].tolist() == [7]
    assert np.array_equal(np.delete(entries, 7, axis=1), np.delete(alone, 7, axis=1))
    for _ in range(kernels.CALLS + 2):  # tape, then function
        assert kernel.single(rows[:, 7].tolist()) is None


def test_a_pivot_of_zero_is_not_trusted() -> None:
    graph = Graph()
    x, y = graph.input(0), graph.input(1)
    for lost, positive in (((abs(x),), ()), ((), (x,))):
        traced = Traced((), (y / x,), positive, lost)
        tape, python = Tape.of(traced, 2), python_kernel(traced, 2)
        assert tape.batch(np.array([[0.0, 0.5], [1.0, 1.0]]))[0].tolist() == [False, True]
        assert python([0.5, 1.0]) == tape.single([0.5, 1.0]) == (True, [2.0])
        with pytest.raises(ZeroDivisionError):
            python([0.0, 1.0])


@pytest.mark.parametrize(("x", "good"), [(0.5, True), (1.0, False), (-1.0, False)])
def test_conditions(x: float, good: bool) -> None:
    graph = Graph()
    node = graph.input(0)
    traced = Traced((), (graph.of(3.0), node), (node,), (node * 0.5, node * 0.5))
    assert python_kernel(traced, 1)([x])[0] is good
    assert Tape.of(traced, 1).single([x]) == (good, [3.0, x])
    assert Tape.of(traced, 1).batch(np.array([[x]]))[0].tolist() == [good]


@given(TERMS, TERMS, st.lists(st.floats(-3, 3), min_size=3, max_size=3))
@settings(max_examples=300)
def test_random_terms_with_functions(one: Terms, other: Terms, arguments: list[float]) -> None:
    graph = Graph()
    a, b = (
        built(t, lambda leaf: graph.input("xyz".index(leaf)) if leaf in "xyz" else graph.of(_of(leaf)))
        for t in (one, other)
    )
    entries = (
        a,
        b,
        a.sin() + b.cos() * a.cos(),
        abs(a - b).sqrt(),
        graph.largest([a, b, abs(a)]),
        (abs(a) + 1.0).sqrt(),
    )
    traced = Traced((), (*entries, graph.logarithm(abs(b) + 1.0)), (), ())
    rows = np.repeat(np.array(arguments)[:, None], 3, axis=1)
    _, expected = Tape.of(traced, 3).batch(rows)
    assert python_kernel(traced, 3)(arguments)[1] == expected[:, 1].tolist()
    assert Tape.of(traced, 3).single(arguments)[1] == expected[:, 1].tolist()


def _of(leaf: str) -> float:
    return -0.75 if leaf == "-3/4" else float(leaf)


def test_places_are_used_again() -> None:
    call = call_of("fd", ARM)
    wanted = call.traced().entries
    nodes = [node for node in needed(wanted) if node.arguments]
    counted = uses(nodes, wanted)
    assert min(counted[node.number] for node in nodes) >= 1
    places = list(placed(nodes, [[read.number for read in node.arguments] for node in nodes], wanted))
    last = {read.number: at for at, node in enumerate(nodes) for read in node.arguments}
    owner: dict[int, int] = {}
    for at, (node, place) in enumerate(places):
        if place in owner:
            assert last[owner[place]] <= at
            assert owner[place] not in {one.number for one in wanted}
        owner[place] = node.number
    assert len(owner) < len(nodes) / 5


def test_memory_is_kept_for_a_thread_and_grows() -> None:
    assert tapes.AT_ONCE == AT_ONCE
    graph = Graph()
    nodes = [graph.input(0)]
    for _ in range(50):
        nodes.append(nodes[-1] * nodes[-1] * 0.5 + 0.25)
    traced = Traced((), tuple(nodes), (), ())
    rows = np.full((1, 20), 0.5)
    first = Tape.of(traced, 1).batch(rows)[1].copy()
    assert np.array_equal(Tape.of(traced, 1).batch(rows)[1], first)


def test_deep_graphs_are_written_in_lines_of_few_parentheses() -> None:
    graph = Graph()
    node = graph.input(0)
    for i in range(3000):
        node = (node + float(i + 2)) * 0.5
    source = python_source(Traced((), (node,), (), ()), 1)
    assert max(line.count("(") for line in source.splitlines()) < 100
    assert python_kernel(Traced((), (node,), (), ()), 1)([1.0]) == Tape.of(Traced((), (node,), (), ()), 1).single([1.0])
