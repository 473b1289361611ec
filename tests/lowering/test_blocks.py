"""Block-diagonal formulas as block values: polynomials over leaf blocks, and E X E* as one shift."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from operator_algebra import symbols as s
from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import diag, fixpoint, inv, operator, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.eliminate import eliminate
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE
from operator_algebra.programs.instructions import Call, Shift
from operator_algebra.programs.records import Ref
from tests.lowering.meant import Meant, leaves_of, same, symbols_in

A = operator("A", FORCE >> FORCE, structure="diagonal")
C = operator("C", RATE >> TORQUE, structure="diagonal definite")
GEAR = operator("gear", TORQUE >> TORQUE, structure="inward hop")
h = scalar("h")
x = vector("x", FORCE)
E = s.E_phi

FORMULAS: dict[str, Expr] = {
    "a leaf": s.M,
    "an adjoint": A.T,
    "a polynomial": A @ s.M - 2 * s.M @ A.T,
    "a multiple of the identity": 3 * s.I + A,
    "a scalar": h * s.M,
    "an inverse": inv(s.H @ s.M @ s.H.T + C),
    "in and out": E @ s.M @ E.T,
    "with factors between": E @ A @ s.M @ A.T @ E.T,
    "with factors around": A @ E @ s.M @ E.T @ A.T,
    "a sum of hops": (E + 2 * A @ E) @ s.M @ (E.T - E.T @ A.T),
    "nested": E @ A @ E @ s.M @ E.T @ A.T @ E.T,
    "out and in": diag(E.T @ inv(s.M) @ E),
    "out and in, with factors": diag(s.H @ s.M @ E.T @ inv(s.M) @ E @ s.M @ s.H.T),
    "the diagonal of one way": diag(s.phi @ A),
    "of one way inverted": diag(inv(2 * s.I - A @ E)),
    "of a strict operator": diag(s.phi_tilde) + s.I @ A,
    "of a sum": diag(s.phi + s.phi @ A),
    "of both ways": diag(s.phi @ s.M @ s.phi.T),
    "of an outer product": diag(x @ x.T),
    "a recursion": s.R,
    "another recursion": fixpoint("X", MOTION >> FORCE, lambda X: s.M + E @ A @ X @ A.T @ E.T),
    "a user's hop": GEAR @ C @ GEAR.T,
    "a function of a vector": s.cross(s.H.T @ s.v),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_the_blocks_are_those_of_the_formula(name: str) -> None:
    e = FORMULAS[name]
    graph = Graph()
    ref = Lift(graph).block(e)
    graph.hold(ref)
    graph.prune()
    eliminate(graph)
    (ref,) = graph.held
    for seed in range(3):
        meant = Meant.on(symbols_in(e) | leaves_of(graph), seed)
        (found,) = meant.computed(graph, ref)
        assert same(found, meant.formula(e))


def test_closed_hops_are_one_shift() -> None:
    graph = Graph()
    ref = Lift(graph).block(E @ s.M @ E.T)
    definition = graph[ref.value].definition
    assert isinstance(definition, Shift)
    assert definition.closing == definition.hop.T
    assert len(graph.values) == 2


def test_an_adjoint_is_a_star_and_no_value() -> None:
    graph = Graph()
    lift = Lift(graph)
    assert lift.block(A.T) == lift.block(A).T
    assert len(graph.values) == 1


def test_a_definition_keeps_its_name() -> None:
    graph = Graph()
    ref = Lift(graph).block(s.D)
    assert "D" in graph[ref.value].names


def test_a_function_of_a_vector_is_called_on_a_value() -> None:
    graph = Graph()
    lift = Lift(graph)
    definition = graph[lift.block(s.cross(s.V)).value].definition
    assert definition == Call("cross", (Ref(lift.vector(s.V)),))


REFUSED: dict[str, Callable[[], Expr]] = {
    "hops that do not close": lambda: E @ s.M,
    "hops that close too often": lambda: E @ E @ s.M @ E.T,
    "the inverse of nothing": lambda: inv(A - A),
    "a recursion that spreads": lambda: fixpoint("X", FORCE >> FORCE, lambda X: s.I + E @ X),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_blocks_is_refused(name: str) -> None:
    with pytest.raises(NotLowerable):
        Lift(Graph()).block(REFUSED[name]())


def test_a_vector_starts_in_the_space_of_numbers() -> None:
    graph = Graph()
    assert graph[Lift(graph).vector(x)].type == ONE >> FORCE
