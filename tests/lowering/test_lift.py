"""The lift: every intermediate vector gets a variable, and equations couple a body with its neighbours only."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given as drawn
from hypothesis import settings

from operator_algebra import symbols as s
from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import diag, fixpoint, inv, operator, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.eliminate import eliminate
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.values import Unknown
from operator_algebra.operators.spaces import FORCE, ONE, RATE, TORQUE
from operator_algebra.programs.instructions import Given, Invert, Linear, Reduce, Shift
from operator_algebra.programs.records import Ref
from tests.expression_strategies import columns
from tests.lowering.meant import Meant, leaves_of, same, symbols_in

x, y = vector("x", FORCE), vector("y", FORCE)
h = scalar("h")
A = operator("A", FORCE >> FORCE, structure="diagonal")
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T

DIRECT: dict[str, Expr] = {
    "an input": x,
    "a leaf": s.H @ x,
    "an adjoint": s.H.T @ s.v,
    "a sum": A @ x - 2 * y,
    "a hop": s.E_phi @ x,
    "the other hop": s.E_phi.T @ s.H.T @ s.v,
    "a scalar": h * x,
    "a sum over the bodies": (x.T @ inv(s.M) @ x) * y,
    "the inverse of a number": inv(x.T @ inv(s.M) @ x) * y,
    "one way": s.phi @ x,
    "back": s.phi.T @ s.H.T @ s.v,
    "a series": (s.I + s.E_phi + s.E_phi @ s.E_phi) @ x,
    "an outer product": x @ (x.T @ inv(s.M) @ y),
    "a recursion over vectors": fixpoint("z", ONE >> FORCE, lambda z: x + s.E_phi @ z),
    "blocks": diag(s.phi @ s.M @ s.phi.T) @ s.H.T @ s.v,
    "a vector of unknowns": inv(2 * s.I - s.E_phi) @ x,
    "both ways": inv(MASS) @ s.T,
}


def lifted(e: Expr, seed: int = 0) -> None:
    """What is lifted is what it means; what is unknown is solved for."""
    graph = Graph()
    number = Lift(graph).vector(e)
    graph.hold(Ref(number))
    graph.prune()
    eliminate(graph)
    meant = Meant.on(symbols_in(e) | leaves_of(graph), seed)
    (found,) = meant.computed(graph, number)
    assert same(found, meant.formula(e))


@pytest.mark.parametrize("name", DIRECT)
def test_what_is_lifted_is_what_it_means(name: str) -> None:
    for seed in range(2):
        lifted(DIRECT[name], seed)


def test_equal_parts_are_lifted_once() -> None:
    graph = Graph()
    lift = Lift(graph)
    assert lift.vector(A @ s.phi @ x) == lift.vector(A @ s.phi @ x)
    before = len(graph.values)
    lift.vector(2 * (A @ s.phi @ x))
    assert len(graph.values) <= before + 1


def test_a_hop_is_a_shift_and_an_inverse_an_unknown() -> None:
    graph = Graph()
    lift = Lift(graph)
    assert isinstance(graph[lift.vector(s.E_phi @ x)].definition, Shift)
    assert isinstance(graph[lift.vector(inv(MASS) @ s.T)].definition, Unknown)
    explicit = graph[lift.vector(s.phi @ x)].definition
    assert isinstance(explicit, Linear)
    assert isinstance(graph[lift.block(inv(s.M)).value].definition, Invert)
    assert isinstance(graph[lift.vector(x.T @ inv(s.M) @ x)].definition, Reduce)


def test_each_equation_reads_a_body_and_its_neighbours_only() -> None:
    """No value is a product with φ: what φ does is a recurrence."""
    graph = Graph()
    Lift(graph).vector(inv(MASS) @ s.T)
    leaves = {v.definition.symbol for v in graph.values.values() if isinstance(v.definition, Given)}
    assert leaves == {s.H, s.M, s.T}
    hops = {v.definition.hop.symbol for v in graph.values.values() if isinstance(v.definition, Shift)}
    assert hops == {s.E_phi}


def test_leaves_known_to_vanish_are_zero() -> None:
    graph = Graph()
    lift = Lift(graph, frozenset({"armature"}))
    assert lift.is_zero(lift.vector(s.armature @ s.v))
    assert not lift.is_zero(lift.vector(s.damping @ s.v))
    # An input of the same name is no leaf.
    own = operator("armature", RATE >> TORQUE, structure="diagonal")
    assert not lift.is_zero(lift.vector(own @ s.v))


NOT_LOCAL: dict[str, Callable[[], Expr]] = {
    "declared full": lambda: operator("Q", RATE >> TORQUE) @ s.v,
    "strictly one way": lambda: inv(s.phi_tilde) @ x,
}


@pytest.mark.parametrize("name", NOT_LOCAL)
def test_what_joins_other_bodies_is_refused(name: str) -> None:
    with pytest.raises(NotLowerable):
        Lift(Graph()).vector(NOT_LOCAL[name]())


@drawn(columns(depth=2))
@settings(max_examples=30)
def test_the_type_of_a_lifted_vector_is_that_of_its_formula(e: Expr) -> None:
    graph = Graph()
    try:
        number = Lift(graph).vector(e)
    except NotLowerable:
        return
    assert graph[number].type == e.type
