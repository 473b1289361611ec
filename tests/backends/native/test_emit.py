"""Machine code does the operations of the tape: pages and random formulas have its bits, in vectors of any width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.native.emit import native_text
from operator_algebra.backends.native.make import LARGEST, native_kernel
from operator_algebra.backends.scalar.graph import Graph
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.trace import Traced, trace
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import logdet
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.inputs import Bound
from operator_algebra.operators.vanishing import vanishing
from tests.backends.native.machine_code import arrays_of, code, of_traced, same
from tests.backends.scalar.calls import Call, random_arguments
from tests.backends.scalar.test_graph import TERMS, Terms, built
from tests.backends.scalar.test_trace import GOLDEN, RENAMED, TRACED, renamed
from tests.expression_strategies import expressions
from tests.often import some
from tests.programs.test_interpreted_programs import FORK, inputs
from tests.strategies import mechanisms

pytest.importorskip("llvmlite")

WIDTHS = (2, 4, 8)
"""Plain x86-64 and ARM, AVX2, AVX-512; where registers are shorter, the code generator takes several."""


def with_logarithms(tape: Tape) -> bool:
    return any(entry.operation == "log" for entry in tape.entries)


def sizes(traced: Traced) -> list[int]:
    return [int(np.prod(shape)) for laid in traced.results for shape in laid.shapes]


@pytest.mark.parametrize("name", some(TRACED, each=3))
def test_every_page(name: str) -> None:
    program = lower(GOLDEN[name])
    call = Call.of(program, FORK, FORK.random(2)[0], inputs(program, FORK, 3))
    traced = call.traced()
    tape, arrays = Tape.of(traced, len(call.arguments)), arrays_of(call, 11)
    if with_logarithms(tape):
        assert native_kernel(tape, [len(call.arguments)], sizes(traced)) is None
    elif len(tape.entries) < LARGEST:
        assert same(tape, code(tape, [array.shape[1] for array in arrays], sizes(traced)), arrays)


def agrees(e: Expr, model: Model, seed: int) -> None:
    call = Call.of(lower(e), model, *random_arguments(e, model, seed))
    traced = call.traced_if_it_can_be()
    tape, arrays = Tape.of(traced, len(call.arguments)), arrays_of(call, 9, seed)
    assume(not with_logarithms(tape) and len(tape.entries) < LARGEST)
    assert same(tape, code(tape, [array.shape[1] for array in arrays], sizes(traced)), arrays)


@given(expressions(), mechanisms(armature=True, max_bodies=4), st.integers(0, 2**20))
@settings(max_examples=80)
def test_random_formulas(e: Expr, model: Model, seed: int) -> None:
    agrees(e, model, seed)


@pytest.mark.slow
@given(expressions(), mechanisms(armature=True, max_bodies=6), st.integers(0, 2**20))
@settings(max_examples=300)
def test_more_random_formulas(e: Expr, model: Model, seed: int) -> None:
    agrees(e, model, seed)


@given(TERMS, TERMS, st.lists(st.floats(-1e3, 1e3), min_size=39, max_size=39), st.sampled_from(WIDTHS))
@settings(max_examples=60)
def test_random_terms_with_functions(one: Terms, other: Terms, numbers: list[float], lanes: int) -> None:
    graph = Graph()
    a, b = (
        built(t, lambda leaf: graph.input("xyz".index(leaf)) if leaf in "xyz" else graph.of(_of(leaf)))
        for t in (one, other)
    )
    x = graph.input(0)
    functions = (x.sin(), x.cos(), a.sin() + b.cos() * a.cos(), abs(a - b).sqrt(), 1.0 / (abs(a) + 1.0))
    entries = (a, b, *functions, graph.largest([a, b, abs(a)]), graph.input(1).sqrt(), graph.of(3.0), -a)
    traced = Traced((), entries, (b + 10.0,), (abs(a) * 0.1,))
    tape, kernel = of_traced(traced, 3, lanes)
    assert same(tape, kernel, [np.array(numbers).reshape(13, 3)])


def _of(leaf: str) -> float:
    return -0.75 if leaf == "-3/4" else float(leaf)


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_vectors_of_any_width(name: str, lanes: int) -> None:
    model = load("arm7")
    program = lower(getattr(dynamics, name), zeros=vanishing(model))
    call = Call.of(program, model, model.random(0)[0], inputs(program, model, 0))
    traced, arrays = call.traced(), arrays_of(call, 37)
    tape = Tape.of(traced, len(call.arguments))
    assert same(tape, code(tape, [array.shape[1] for array in arrays], sizes(traced), lanes), arrays)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200, 1e7, 1e-320])
def test_conditions_are_those_of_the_tape(bad: float) -> None:
    graph = Graph()
    x, y = graph.input(0), graph.input(1)
    largest = graph.largest([abs(x), abs(y)])
    for traced in (
        Traced((), (x.sin() * y,), (), ()),
        Traced((), (y,), (x + 2.0,), ()),
        Traced((), (y,), (), (abs(x), largest)),
        Traced((), (1.0 / x, x.sqrt()), (y,), (largest,)),
    ):
        tape, kernel = of_traced(traced, 2)
        rows = np.array(
            [[0.3, 0.4], [bad, 0.1], [0.1, bad], [0.2, 0.3], [-0.2, 0.1], [0.0, 0.1], [0.2, 0.0], [bad, bad]]
        )
        _, good, results = kernel([rows], len(rows))
        expected, entries = tape.batch(np.ascontiguousarray(rows.T))
        assert good.tolist() == expected.tolist()
        assert np.array_equal(results[0], entries.T, equal_nan=True)


@pytest.mark.parametrize("name", RENAMED)
def test_names_change_no_instruction(name: str) -> None:
    program = lower(RENAMED[name])
    other, model = renamed(program), chain(3, seed=1)
    values = inputs(program, model, 0)
    call = Call.of(program, model, model.random(0)[0], values)
    anew = {x if x == "v" else f"{x}_anew": value for x, value in call.inputs.values.items()}
    signature = Signature.of(Bound(anew, call.inputs.layouts, frozenset(f"{x}_anew" for x in call.inputs.absent)))
    count = len(call.arguments)
    graphs = (call.traced(), trace(other, model, signature))
    one, two = (Tape.of(traced, count) for traced in graphs)
    assert one == two
    if not with_logarithms(one):
        texts = [native_text(tape, [count], [len(tape.results)], 8) for tape in (one, two)]
        assert texts[0] == texts[1]


def test_logarithms_are_left_to_the_tape() -> None:
    model = chain(2)
    program = lower(logdet(s.H @ s.phi @ s.M @ s.phi.T @ s.H.T))
    call = Call.of(program, model, model.neutral(), {})
    assert native_kernel(Tape.of(call.traced(), 2), [2], [1]) is None


def test_large_tapes_are_left_as_they_are() -> None:
    graph = Graph()
    node: Any = graph.input(0)
    for i in range(LARGEST + 1):
        node = node * 0.5 + float(i + 2)
    assert native_kernel(Tape.of(Traced((), (node,), (), ()), 1), [1], [1]) is None
