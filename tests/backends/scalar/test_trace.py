"""A traced program gives what the interpreter gives: all pages, random formulas, and pivots that are told of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.backend import Result
from operator_algebra.backends.pivots import HELD, SMALL
from operator_algebra.backends.scalar.graph import Node, Untraceable, needed, operations
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.trace import trace
from operator_algebra.compiler import compile as compile_program
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import define, diag, inv, leaf_symbol, operator
from operator_algebra.expressions.build import symbol as make_symbol
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query, body_of, dense, logdet
from operator_algebra.expressions.traverse import substitute, symbols
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.inputs import Bound
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.operators.spaces import space as make_space
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.instructions import Given, Hop, Shift
from operator_algebra.programs.program import Output, Program, Step, Sweep
from tests.backends.scalar.calls import Call, answer, flat, least_pivot, random_arguments
from tests.expression_strategies import expressions
from tests.golden.pages import FOLDER, RELATED, pages
from tests.lowering.agreement import bound, scale
from tests.nearly_singular import DOUBTFUL, sample
from tests.often import some
from tests.oracles.dense_dynamics import mass_matrix
from tests.programs.test_interpreted_programs import FORK, METHODS, MODEL, chosen, inputs
from tests.rounding import apart, rounding, size
from tests.strategies import ALL_JOINTS, mechanisms

pytestmark = pytest.mark.usefixtures("on_any_joints")
GOLDEN = {path.relative_to(FOLDER).with_suffix("").as_posix(): e for path, e in pages().items()}
TRACED = [name for name in GOLDEN if name not in RELATED]


CASES = list(product(TRACED, METHODS, ("tree", "fork")))


@pytest.mark.parametrize(("name", "method", "where"), some(CASES, each=7))
def test_every_page(name: str, method: Method, where: str) -> None:
    model = {"tree": MODEL, "fork": FORK}[where]
    program = lower(GOLDEN[name], method=method)
    q, _ = model.random(2)
    values = inputs(program, model, 3)
    call = Call.of(program, model, q, values)
    found, run = answer(call.traced(), call.arguments), call.interpreted()
    assert found.good
    for output in program.outputs:
        expected = flat(run.results[output.name])
        scaled = evaluate_with_scale(body_of(output.formula), model, q=q, **chosen(output.formula, values))
        sized = scale(output.formula, expected, scaled) if isinstance(output.formula, Query) else scaled.scale
        assert apart(found.results[output.name], expected) <= 2 * bound(scaled) * sized


@pytest.mark.parametrize("name", [name for name in GOLDEN if name not in TRACED])
def test_relations_are_not_traced(name: str) -> None:
    program = lower(GOLDEN[name])
    call = Call.of(program, FORK, FORK.random(2)[0], inputs(program, FORK, 3))
    with pytest.raises(Untraceable):
        call.traced()


def shapes(result: Result) -> Any:
    return tuple(np.shape(part) for part in result) if isinstance(result, list) else (np.shape(result),)


@pytest.mark.parametrize("name", some(TRACED, each=3))
def test_results_are_laid_out_as_the_interpreter_does(name: str) -> None:
    program = lower(GOLDEN[name])
    call = Call.of(program, MODEL, MODEL.random(2)[0], inputs(program, MODEL, 3))
    run = call.interpreted()
    for laid in call.traced().results:
        assert laid.shapes == shapes(run.results[laid.name])
        assert laid.listed == isinstance(run.results[laid.name], list)


# -- random formulas ---------------------------------------------------------------------------------------------------


@given(expressions(), mechanisms(armature=True, max_bodies=6), st.integers(0, 2**20))
@settings(max_examples=120)
def test_random_formulas(e: Expr, model: Model, seed: int) -> None:
    is_traced(e, model, seed)


@pytest.mark.slow
@given(expressions(), mechanisms(armature=True, max_bodies=6), st.integers(0, 2**20))
@settings(max_examples=600)
def test_more_random_formulas(e: Expr, model: Model, seed: int) -> None:
    is_traced(e, model, seed)


def is_traced(e: Expr, model: Model, seed: int) -> None:
    """Whether the traced program computes what the interpreter does."""
    q, values = random_arguments(e, model, seed)
    call = Call.of(lower(e), model, q, values)
    traced = call.traced_if_it_can_be()
    run, found = call.interpreted(), answer(traced, call.arguments)
    assert not found.good or least_pivot(run) >= SMALL
    scaled = evaluate_with_scale(e, model, q=q, **values)
    for name, result in run.results.items():
        assert apart(found.results[name], flat(result)) <= 2 * bound(scaled) * scaled.scale


# -- what the program exposes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [MODEL, FORK], ids=["tree", "fork"])
def test_velocities_and_accelerations_beside_forces(model: Model) -> None:
    formulas = {"V": s.V, "a": s.a, "b": s.b, "T": dynamics.inverse_dynamics, "qdd": dynamics.forward_dynamics}
    program = lower(formulas)
    values = inputs(program, model, 1)
    call = Call.of(program, model, model.random(0)[0], values)
    found, run = answer(call.traced(), call.arguments), call.interpreted()
    for name, e in formulas.items():
        scaled = evaluate_with_scale(e, model, q=call.q, **chosen(e, values))
        assert apart(found.results[name], flat(run.results[name])) <= 2 * bound(scaled) * scaled.scale


def test_inputs_that_are_not_given_leave_no_operations() -> None:
    model = load("arm7")
    program = lower(dynamics.inverse_dynamics, zeros=vanishing(model))
    q, v = model.random(0)
    values: dict[str, Any] = {"v": v, "qdd": v}
    without = Call.of(program, model, q, values)
    given_zero = Call.of(program, model, q, {**values, "f_ext": np.zeros(6 * model.n)})
    assert len(without.arguments) == len(given_zero.arguments) - 6 * model.n
    counts = [sum(operations(call.traced().wanted).values()) for call in (without, given_zero)]
    assert counts[0] < counts[1]
    found = [answer(call.traced(), call.arguments).results["x"] for call in (without, given_zero)]
    assert apart(*found) <= rounding(size(found[0]) * 100, terms=7)


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("inverse_dynamics", 590),
        ("forward_dynamics", 1360),
    ],
)
def test_operations_of_an_arm(name: str, most: int) -> None:
    """Additions, multiplications and reciprocals; hand-written steps in this package's predecessors took as many."""
    model = load("arm7")
    program = lower(getattr(dynamics, name), zeros=vanishing(model))
    q, v = model.random(0)
    call = Call.of(program, model, q, {x: v for x in program.inputs if x != "f_ext"})
    counted = operations(call.traced().entries)
    assert sum(n for what, n in counted.items() if what not in ("sin", "cos", "negative")) <= most


def test_symmetry_and_pivots_of_free_bodies_fold() -> None:
    """A body that moves freely hands nothing on: its pivot is all of P, and P⁺ is zero."""
    model = chain(3, joint="floating", seed=1)
    program = lower(s.P_plus)
    call = Call.of(program, model, model.random(0)[0], {})
    zero = [node.known and node.value == 0.0 for node in call.traced().entries]
    assert all(zero)


# -- names -------------------------------------------------------------------------------------------------------------


def renamed(program: Program) -> Program:
    """The program with other names for leaves, inputs, steps and results; v stays, as q does."""
    named: dict[Symbol, Symbol] = {}

    def other(symbol: Symbol) -> Symbol:
        if symbol.name == "v":
            return symbol
        if symbol not in named:
            name = f"{symbol.name}_anew"
            if symbol.leaf is None:
                named[symbol] = make_symbol(name, symbol.type, symbol.structure, "input")
            else:
                named[symbol] = leaf_symbol(replace(symbol.leaf, name=name))
        return named[symbol]

    def expression(e: Expr) -> Expr:
        return substitute(e, {symbol: anew(symbol) for symbol in symbols(e)})

    def anew(symbol: Symbol) -> Expr:
        definition = symbol.definition
        return other(symbol) if definition is None else define(f"{symbol.name}_anew", expression(definition))

    def formula(of: Expr | Query) -> Expr | Query:
        return replace(of, body=expression(of.body)) if isinstance(of, Query) else expression(of)

    def passed(one: Hop) -> Hop:
        return Hop(other(one.symbol), one.star, one.inward)

    def hop(one: Hop | None) -> Hop | None:
        return None if one is None else passed(one)

    def output(one: Output) -> Output:
        walk = one.walk
        if walk is not None:
            walk = replace(walk, inward=tuple(map(passed, walk.inward)), outward=tuple(map(passed, walk.outward)))
        return replace(one, name=f"{one.name}_anew", formula=formula(one.formula), walk=walk)

    def step(one: Step) -> Step:
        definition = one.definition
        if isinstance(definition, Given) and definition.symbol is not None:
            definition = Given(other(definition.symbol))
        elif isinstance(definition, Shift):
            there = hop(definition.hop)
            assert there is not None
            definition = replace(definition, hop=there, closing=hop(definition.closing))
        return replace(one, name=f"{one.name}_anew", value=replace(one.value, definition=definition))

    def sweep(one: Sweep) -> Sweep:
        return replace(one, steps=tuple(map(step, one.steps)))

    return replace(
        program,
        stages=tuple(map(sweep, program.stages)),
        bounds=tuple(map(sweep, program.bounds)),
        given=tuple(map(step, program.given)),
        accepts=tuple(map(other, program.accepts)),
        outputs=tuple(map(output, program.outputs)),
        pivots=tuple(replace(p, formula=None if p.formula is None else expression(p.formula)) for p in program.pivots),
        absent=tuple(f"{name}_anew" for name in program.absent),
    )


def instructions(nodes: tuple[Node, ...]) -> list[tuple[object, ...]]:
    return [(n.operation, n.value, *(a.number for a in n.arguments)) for n in needed(nodes)]


RENAMED: dict[str, Expr | Query] = {
    "id": dynamics.inverse_dynamics,
    "fd": dynamics.forward_dynamics,
    "diagonal": diag(inv(dynamics.mass_matrix)),
    "inverse": dense(inv(dynamics.mass_matrix)),
    "logdet": logdet(dynamics.mass_matrix),
    "implicit": inv(dynamics.mass_matrix + operator("S", RATE >> TORQUE, structure="diagonal definite")) @ s.T,
}


@pytest.mark.parametrize("name", RENAMED)
def test_names_change_no_instruction(name: str) -> None:
    program = lower(RENAMED[name])
    other = renamed(program)
    values = inputs(program, MODEL, 0)
    call = Call.of(program, MODEL, MODEL.random(0)[0], values)
    anew = {x if x == "v" else f"{x}_anew": value for x, value in call.inputs.values.items()}
    absent = frozenset(f"{x}_anew" for x in call.inputs.absent)
    signature = Signature.of(Bound(anew, call.inputs.layouts, absent))
    assert {symbol.name for symbol in other.symbols} == {f"{x.name}_anew" for x in program.symbols} - {"v_anew"} | (
        {"v"} & {symbol.name for symbol in program.symbols}
    )
    found, expected = trace(other, MODEL, signature), call.traced()
    assert instructions(found.wanted) == instructions(expected.wanted)


# -- pivots ------------------------------------------------------------------------------------------------------------


def test_no_small_pivot_is_missed() -> None:
    """On mechanisms near a singularity a traced program is as cautious as the interpreter, sample by sample."""
    small = 0
    for family, seed in product(DOUBTFUL, range(8)):
        model, q = sample(family, seed).model, sample(family, seed).q
        program = lower(inv(dynamics.mass_matrix) @ s.T, zeros=vanishing(model))
        if program.cost(model).total > 30_000:
            continue
        call = Call.of(program, model, q, {"T": np.ones(model.nv)})
        trusted = least_pivot(call.interpreted()) >= SMALL
        small += not trusted
        try:
            found = answer(call.traced(), call.arguments).good
        except (ArithmeticError, ValueError, Untraceable):
            found = False
        assert trusted or not found, (family, seed)
    assert small > 20


@pytest.mark.parametrize("make", [dense, diag, logdet], ids=["dense", "diag", "logdet"])
def test_healthy_mechanisms_are_trusted(make: Callable[[Expr], Expr | Query]) -> None:
    for seed in range(4):
        model = random_tree(6, joints=ALL_JOINTS, seed=seed)
        program = lower(make(inv(dynamics.mass_matrix)), zeros=vanishing(model))
        call = Call.of(program, model, model.random(seed)[0], {})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert answer(call.traced(), call.arguments).good


@pytest.mark.parametrize("bodies", [1, 2])
def test_what_springs_hold_is_not_trusted(bodies: int) -> None:
    """With w = 1 the share of one freedom that is left is M / (M + T T*)."""
    program, model = lower(inv(s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + s.T @ s.T.T) @ s.T), chain(bodies)
    mass = float(mass_matrix(model, model.neutral())[-1, -1])
    for share, good in ((HELD * 1.01, True), (HELD * 0.99, bodies > 1)):
        force = np.zeros(bodies)
        force[-1] = np.sqrt(mass / share - mass)
        call = Call.of(program, model, model.neutral(), {"T": force})
        assert answer(call.traced(), call.arguments).good == good


def test_what_rows_cost_that_hold_all_freedoms_is_left_to_the_interpreter() -> None:
    space_of_one = make_space("row", attached=False)
    row = operator("row", RATE >> space_of_one)
    soft = operator("soft", space_of_one.dual >> space_of_one, structure="symmetric definite")
    inverse = inv(s.H @ s.phi @ s.M @ s.phi.T @ s.H.T)
    program = lower(inverse @ (s.T - row.T @ inv(row @ inverse @ row.T + soft) @ row @ inverse @ s.T))
    for nv, refused in ((2, False), (1, True)):
        model = chain(nv)
        call = Call.of(program, model, model.neutral(), {"T": np.ones(nv), "row": np.ones((1, nv)), "soft": [[1.0]]})
        if refused:
            with pytest.raises(Untraceable, match="hold all freedoms"):
                call.traced()
        else:
            assert answer(call.traced(), call.arguments).good


@pytest.mark.parametrize("formula", [dynamics.mass_matrix, inv(dynamics.mass_matrix)], ids=["mass matrix", "inverse"])
def test_of_what_is_symmetric_one_triangle_is_computed(formula: Expr) -> None:
    model = load("quadruped")
    whole = compile_program(dense(formula), model)(q=np.stack([model.random(k)[0] for k in range(40)]))
    assert np.array_equal(whole, np.swapaxes(whole, -1, -2))
