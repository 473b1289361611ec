"""Names of values: those of the formula, else the roles that they play, else letters; no two alike."""

from __future__ import annotations

import pytest
from hypothesis import given as drawn
from hypothesis import settings

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import diag, inv, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lower import lower
from operator_algebra.lowering.naming import inlined, name_values
from operator_algebra.lowering.values import Value
from operator_algebra.operators.spaces import FORCE, MOTION, ONE
from operator_algebra.programs.instructions import Hop, Invert, Linear, Shift
from operator_algebra.programs.program import Output, Program
from operator_algebra.programs.records import Ref
from tests.expression_strategies import expressions
from tests.lowering.meant import given, term

H, M, I, T, phi = s.H, s.M, s.I, s.T, s.phi
MASS = H @ phi @ M @ phi.T @ H.T
COLUMN = ONE >> FORCE
IN = Hop(s.E_phi, star=False, inward=True)
f, g = vector("f", FORCE), vector("g", FORCE)


def computed(program: Program) -> set[str]:
    return {step.name for stage in program.stages for step in stage.steps}


ROLES: dict[str, tuple[Expr | Query, set[str]]] = {
    "the inverse mass matrix": (inv(MASS) @ T, {"P", "P_plus", "D", "G", "z", "z_plus", "epsilon", "nu", "alpha"}),
    "a composite inertia": (diag(phi @ M @ phi.T), {"R"}),
    "a velocity": (s.V, {"V"}),
    "the diagonal of the inverse": (diag(inv(MASS)), {"P", "D", "G", "tau_bar", "Upsilon", "Upsilon_plus"}),
    "inverse dynamics": (dynamics.inverse_dynamics, {"V", "alpha"}),
}


@pytest.mark.parametrize("name", ROLES)
def test_values_are_called_by_their_roles(name: str) -> None:
    e, expected = ROLES[name]
    assert expected <= computed(lower(e))


def test_names_of_the_formula_come_before_roles() -> None:
    mass = oa.define("inertia", H @ s.R @ H.T)
    assert "inertia" in computed(lower(diag(mass) @ s.v))
    assert {"P", "G", "D"} <= computed(lower({"P": s.P, "G": s.G, "qdd": inv(MASS) @ T}))


def test_a_result_is_called_by_its_key() -> None:
    program = lower({"answer": inv(MASS) @ T, "other": 2 * s.V})
    assert [output.name for output in program.outputs] == ["answer", "other"]
    assert {"answer", "other"} <= computed(program)
    assert lower(inv(MASS) @ T).outputs[0].name == "x"


@drawn(expressions())
@settings(max_examples=60)
def test_no_two_values_have_one_name(e: Expr) -> None:
    try:
        program = lower(e)
    except NotLowerable:
        return
    names = [step.name for step in program.computed.values()]
    assert len(names) == len(set(names))
    assert all(names)


def sums() -> tuple[Graph, int, int]:
    """z = E z + f, and 2 z + g of an inverse."""
    graph = Graph()
    z = graph.reserve()
    shifted = graph.new(COLUMN, Shift(IN, Ref(z)))
    graph.put(z, Value(COLUMN, Linear((term(shifted), term(given(graph, f))))))
    mobility = graph.new(FORCE >> MOTION, Invert(Ref(given(graph, M))))
    total = graph.new(ONE >> MOTION, Linear((term(mobility, z, times=2), term(mobility, given(graph, g)))))
    return graph, z, total


def output(number: int) -> Output:
    return Output("", 2 * f, "vector", MOTION, ONE, Ref(number))


def test_what_carries_along_the_tree_is_told_from_what_is_local() -> None:
    graph, z, total = sums()
    names, _ = name_values(graph, [output(total)])
    assert names[z] == "f_2"  # f is taken by the input
    assert names[given(graph, f)] == "f"
    assert names[total] == "x"


def test_inverses_and_shifts_read_once_are_written_where_they_are_read() -> None:
    graph, z, total = sums()
    names, hidden = name_values(graph, [output(total)])
    kinds = {type(graph[number].definition) for number in hidden}
    assert kinds == {Invert, Shift}
    assert not hidden & {z, total}
    assert names.keys() == graph.values.keys()


def test_what_another_body_reads_has_a_line() -> None:
    graph = Graph()
    product = graph.linear(MOTION >> FORCE, [term(given(graph, M), times=2)])
    graph.new(MOTION >> FORCE, Shift(IN, Ref(product), IN.T))
    assert product not in inlined(graph, {}, [], {})
    alone = graph.linear(MOTION >> FORCE, [term(given(graph, M), times=3)])
    assert alone in inlined(graph, {}, [], {})


def test_a_matrix_by_a_walk_is_named_as_well() -> None:
    assert {"P", "D", "G"} <= computed(lower(dense(inv(MASS))))


@pytest.mark.parametrize("name", ["F", "P", "D", "G", "z", "x", "epsilon", "nu", "alpha", "P_plus", "E_P", "s", "d"])
@pytest.mark.parametrize("wanted", ["solution", "inverse", "matrix"])
def test_a_derived_value_is_not_called_like_a_hop(name: str, wanted: str) -> None:
    hop = oa.operator(name, oa.FORCE >> oa.FORCE, structure="inward hop")
    mass = H @ inv(I - hop) @ M @ inv(I - hop).T @ H.T
    program = oa.lower({"solution": inv(mass) @ T, "inverse": oa.diag(inv(mass)), "matrix": oa.dense(mass)}[wanted])
    derived = {step.name for stage in program.stages for step in stage.steps}
    assert name.removeprefix("E_") not in derived
