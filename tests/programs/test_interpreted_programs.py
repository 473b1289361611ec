"""Programs read by the interpreter: beside compiled ones over floats, beside evaluation exactly over fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from importlib import import_module
from operator import mul
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.backends.numpy.execute import build
from operator_algebra.backends.signs import random_signs
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import SingularError
from operator_algebra.evaluation import evaluate_with_scale, start
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.expressions.query import dense as dense_of
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.meaning.queries import answer
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.bind import bind
from operator_algebra.operators.spaces import ONE
from operator_algebra.programs.instructions import Relate, RootOf
from operator_algebra.programs.interpret import Interpreter, Unread, interpret
from operator_algebra.programs.matrices import FLOATS, RATIONALS, Matrix, Numbers
from operator_algebra.programs.program import Output, Program
from operator_algebra.spatial.arrays import Axes
from tests.expression_strategies import expressions, inputs_for
from tests.golden.known import block_sizes
from tests.golden.pages import FOLDER, MASS, RELATED, pages
from tests.lowering.agreement import bound, dense, distance, scale
from tests.lowering.rational_expressions import random_value
from tests.oracles.interpreted import arrays, given_on, interpreted
from tests.oracles.interpreted import matrix as array
from tests.programs.rational_blocks import exact
from tests.rounding import apart, condition, rounding
from tests.strategies import ALL_JOINTS, mechanisms

mpmath: Any = import_module("mpmath")

pytestmark = pytest.mark.usefixtures("on_any_joints")
GOLDEN = {path.relative_to(FOLDER).with_suffix("").as_posix(): e for path, e in pages().items()}
APPLIED = inv(MASS) @ s.T
METHODS: tuple[Method, ...] = ("auto", "joseph", "refined")
MODEL = random_tree(14, joints=ALL_JOINTS, seed=1)
FORK = random_tree(7, joints=ALL_JOINTS, seed=5)


def formulas_of(e: Expr | Query | dict[str, Expr | Query]) -> list[Expr | Query]:
    return list(e.values()) if isinstance(e, dict) else [e]


def related(program: Program) -> bool:
    """Whether a program has relations."""
    return any(isinstance(step.definition, Relate) for step in program.steps.values())


SWEPT = [name for name in GOLDEN if name not in RELATED]


def rooted(program: Program) -> bool:
    """Whether a program takes roots, which fractions seldom have."""
    return any(isinstance(step.definition, RootOf) for step in program.steps.values())


RATIONAL = [name for name in SWEPT if not rooted(lower(GOLDEN[name]))]


def test_these_pages_have_relations() -> None:
    assert {name for name, e in GOLDEN.items() if related(lower(e))} == RELATED


def inputs(program: Program, model: Model, seed: int) -> dict[str, Any]:
    """Random values of all inputs; a user's space has three coordinates at one joint and two at another."""
    rng = np.random.default_rng(seed)
    contacts = [0] * model.n
    contacts[-1], contacts[1] = 3, 2
    joints = [part.stop - part.start for part in model.v_slices]
    sizes = {"spatial": [6] * model.n, "joint": joints, "contact": contacts, **block_sizes(model)}
    values: dict[str, Any] = {
        symbol.name: float(rng.uniform(0.1, 1.0))
        if symbol.type == ONE >> ONE
        else random_value(symbol, sizes, model, rng)
        for symbol in program.accepts
    }
    if "chosen" in values:  # with others than these P⁺ is indefinite, and a pivot may be singular
        values["chosen"] = [float(rng.integers(2)) * np.eye(n) for n in joints]
    if program.reads_rates:
        values.setdefault("v", model.random(seed)[1])
    return values


def parts(result: Any) -> list[Any]:
    """The arrays of a result."""
    if isinstance(result, dict):
        return [part for one in result.values() for part in parts(one)]  # pyright: ignore[reportUnknownVariableType]
    return result if isinstance(result, list) else [result]  # pyright: ignore[reportUnknownVariableType]


@pytest.mark.parametrize("model", [MODEL, FORK], ids=["tree", "fork"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SWEPT)
def test_over_floats_it_is_what_is_compiled(name: str, method: Method, model: Model) -> None:
    backend = "auto" if model is FORK and method == "auto" else "interpreter"
    compiled = compile_program(GOLDEN[name], model, method=method, backend=backend)
    q, _ = model.random(2)
    values = inputs(compiled.program, model, 3)
    expected, found = compiled(q=q, **values), interpreted(compiled.program, model, q=q, **values)
    for output in compiled.program.outputs:
        one, other = (result[output.name] if compiled.program.keyed else result for result in (found, expected))
        assert len(parts(one)) == len(parts(other))
        scaled = evaluate_with_scale(body_of(output.formula), model, q=q, **chosen(output.formula, values))
        sized = scale(output.formula, other, scaled) if isinstance(output.formula, Query) else scaled.scale
        assert all(apart(a, b) <= 2 * bound(scaled) * sized for a, b in zip(parts(one), parts(other), strict=True))


def chosen(e: Expr | Query, values: dict[str, Any]) -> dict[str, Any]:
    """The values that a formula mentions."""
    names = {"v" if symbol.name == "H_dot" else symbol.name for symbol in free_symbols(body_of(e))}
    return {name: value for name, value in values.items() if name in names}


@pytest.mark.parametrize("name", [name for name in GOLDEN if name not in SWEPT])
def test_relations_are_refused_by_their_method(name: str) -> None:
    program = lower(GOLDEN[name])
    values = exact(program.symbols, 0)
    with pytest.raises(Unread, match='method="orthogonal"'):
        interpret(program, values.tree, values.given, numbers=RATIONALS)


# -- exactly -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Logarithm:
    """The logarithm of a fraction, exactly: sums are products, multiples are powers."""

    of: Fraction

    def __add__(self, other: object) -> Logarithm:
        return self if other == 0 else Logarithm(self.of * other.of) if isinstance(other, Logarithm) else NotImplemented

    __radd__ = __add__

    def __rmul__(self, factor: Fraction) -> Logarithm:
        assert factor.denominator == 1
        return Logarithm(self.of**factor.numerator)

    __mul__ = __rmul__


def sized(factors: Sequence[Fraction]) -> Logarithm:
    """The logarithm of the size of a product."""
    return Logarithm(reduce(mul, map(abs, factors), Fraction(1)))


LITERAL = replace(RATIONALS, rounded=True, log=sized)
"""Fractions with every guard against rounding in place, and exact logarithms."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", RATIONAL)
def test_over_fractions_it_is_the_value_of_the_formula(name: str, method: Method) -> None:
    program = lower(GOLDEN[name], method=method)
    symbols = {symbol for e in formulas_of(GOLDEN[name]) for symbol in free_symbols(body_of(e))}
    values = exact(symbols | set(program.symbols), len(name))
    results = interpret(program, values.tree, values.given, numbers=LITERAL)
    short = interpret(program, values.tree, values.given, numbers=replace(LITERAL, rounded=False))
    run = start(values.evaluation.source)
    for output in program.outputs:
        found = arrays(results[output.name])
        assert all(np.array_equal(a, b) for a, b in zip(parts(found), parts(arrays(short[output.name])), strict=True))
        expected = meant(run, output)
        found = dense(found) if output.kind == "blocks" else found.reshape(expected.shape)
        assert np.array_equal(found, expected)


def meant(run: Any, output: Output) -> Any:
    """The value of the formula of an output; of a log-determinant, the determinant."""
    if isinstance(output.formula, Query) and output.formula.kind == "trace":
        return np.array([[np.trace(entries(run, output.formula.body))]])
    if isinstance(output.formula, Query) and output.formula.kind == "logdet":
        return np.array([[Logarithm(determinant(entries(run, output.formula.body)))]], dtype=object)
    if isinstance(output.formula, Query) and output.formula.kind == "block":
        value = answer(run, output.formula.body)
        i, j = (run.source.binding.place(place, 3) for place in output.formula.places)
        return value.dense()[value.rows.part(i), value.cols.part(j)]
    return entries(run, output.formula)


def entries(run: Any, e: Expr | Query) -> Any:
    """The value of a formula, a matrix of fractions."""
    return answer(run, e).data.toarray()


def determinant(rows: Any) -> Fraction:
    """By Leibniz: the sum over the entries of the first row of its minors."""
    if not len(rows):
        return Fraction(1)
    minors = (np.delete(np.delete(rows, 0, axis=0), j, axis=1) for j in range(len(rows)))
    return sum(((-1) ** j * rows[0, j] * determinant(m) for j, m in enumerate(minors)), start=Fraction(0))


# -- random formulas ---------------------------------------------------------------------------------------------------


@given(
    expressions(), mechanisms(armature=True, max_bodies=6), st.integers(0, 2**20), st.sampled_from(["body", "world"])
)
@settings(max_examples=150)
def test_random_formulas_are_what_they_mean(e: Expr, model: Model, seed: int, frame: Axes) -> None:
    program = lower(e)
    q, v = model.random(seed)
    values = dict(inputs_for(e, model, seed))
    if any(symbol.name == "H_dot" for symbol in free_symbols(e)):
        values.setdefault("v", v)
    try:
        expected = evaluate_with_scale(e, model, q=q, frame=frame, **values)
    except SingularError:  # beyond rounding: there is no value to compare with
        reject()
    if not related(program):
        found = dense(interpreted(program, model, q=q, frame=frame, **values))
        assert distance(found, expected) <= bound(expected)


# -- bounds, other numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_the_bounds_of_pivots_are_those_of_the_backend(method: Method) -> None:
    program = compile_program(GOLDEN["dynamics/forward_dynamics"], MODEL, method=method).program
    q, _ = MODEL.random(2)
    values = inputs(program, MODEL, 3)

    def signs(count: int, salt: int, k: int) -> Matrix:
        return Matrix(random_signs(MODEL.n, count, salt)[k].tolist(), 2)

    run = Interpreter(program, *given_on(program, MODEL, q=q, **values), FLOATS, signs)
    run.run()
    measured = build(program, MODEL, "body")(q, values["v"], bind("it", program.accepts, MODEL, values)).pivots
    mass = compile_program(dense_of(MASS), MODEL)(q=q)
    assert program.pivots
    for pivot, known in zip(program.pivots, measured, strict=True):
        assert pivot.left is not None
        assert pivot.right is not None
        for k in range(MODEL.n):
            right = array(run.get(pivot.right, k))
            solved = array(FLOATS.inverse(run.blocks[pivot.value][k])) @ array(run.get(pivot.left, k))
            found = 1 / (1 + np.abs((right * solved).sum(axis=0)).mean())
            assert apart(found, known.measure[k]) <= rounding(terms=MODEL.n, condition=condition(mass))


def test_over_many_digits_it_is_the_limit_of_the_floats() -> None:
    """Forty digits, from the same doubles: the floats are as far from it as rounding takes them."""
    program = lower(APPLIED)
    q, _ = FORK.random(2)
    values = inputs(program, FORK, 3)
    tree, blocks = given_on(program, FORK, q=q, **values)
    floats = arrays(interpret(program, tree, blocks, numbers=FLOATS)["x"])
    with mpmath.workdps(40):
        many = Numbers(lambda x: mpmath.mpf(x.numerator) / x.denominator, mpmath.sqrt)
        found, joseph = (
            arrays(interpret(one, tree, blocks, numbers=many)["x"])
            for one in (program, lower(APPLIED, method="joseph"))
        )
        assert max(abs(found - joseph)) < mpmath.mpf(10) ** -30
    scaled = evaluate_with_scale(APPLIED, FORK, q=q, **values)
    assert apart(floats, found.astype(np.float64)) <= bound(scaled) * scaled.scale
