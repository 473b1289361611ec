"""The equations of a component at one body: what is torn breaks every cycle, and what comes back is told apart."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import inv, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import Graph, as_form
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.localsystem import LocalSystem, local_system
from operator_algebra.lowering.simplify import simplify
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, space
from operator_algebra.programs.instructions import Call, Hop, Linear, Shift
from operator_algebra.programs.records import Ref
from tests.lowering.meant import given, term

E = s.E_phi
IN = Hop(E, star=False, inward=True)
COLUMN = ONE >> FORCE
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
x = vector("x", FORCE)
A = operator("A", FORCE >> FORCE, structure="diagonal")
C = operator("C", RATE >> TORQUE, structure="diagonal definite")
F = operator("F", TORQUE >> RATE, structure="diagonal definite")

FORMULAS: dict[str, Expr] = {
    "the inverse mass matrix": inv(MASS) @ s.T,
    "nested": inv(inv(MASS + C) + F) @ s.v,
    "nested twice": inv(inv(inv(MASS + C) + F) + C) @ s.T,
    "neighbours": inv(A + E + operator("back", FORCE >> FORCE, structure="outward hop")) @ x,
    "one way": inv(2 * A - E) @ x,
}


def system_of(e: Expr) -> LocalSystem:
    """The one component of a formula that is solved for."""
    graph = Graph()
    graph.hold(Ref(Lift(graph).vector(e)))
    simplify(graph)
    (members,) = (
        c.members
        for c in components(graph)
        if any(isinstance(graph[n].definition, Unknown) for n in c.members) or {"U", "D"} <= c.labels
    )
    return local_system(graph, members)


@pytest.mark.parametrize("name", FORMULAS)
def test_what_is_not_torn_follows_in_order(name: str) -> None:
    """Each equation reads what is torn, what arrives, what is known outside, or what stands before it."""
    system = system_of(FORMULAS[name])
    known = set(system.tears) | set(system.pulls if system.mixed else system.shifts)
    for number in system.order:
        assert all(source in known or source not in system.members for source in system.equations[number])
        known.add(number)
    assert system.members <= known
    assert len(system.residuals) == len(system.tears)


def test_of_the_inverse_mass_matrix_the_joint_is_torn() -> None:
    system = system_of(inv(MASS) @ s.T)
    assert [system.graph[n].type.codomain for n in system.tears] == [RATE]
    assert system.mixed


def test_all_that_comes_back_is_one_matrix() -> None:
    """The subtree answers to the acceleration that arrives with the one force that it sends."""
    system = system_of(inv(MASS) @ s.T)
    ((i, j),) = system.X
    assert (system.hop(i).inward, system.hop(j).inward) == (True, False)
    assert system.graph[system.source(j)].type.codomain == MOTION
    assert set(system.z) == {i}


def test_what_cannot_come_back_costs_no_matrix() -> None:
    """α = E* α + M⁻¹ z reads z = E z + x, which does not read α."""
    graph = Graph()
    mobility = Ref(Lift(graph).block(inv(s.M)).value)
    z, alpha = graph.reserve(), graph.reserve()
    inward = graph.new(COLUMN, Shift(IN, Ref(z)))
    graph.put(z, Value(COLUMN, Linear((term(inward), term(given(graph, x))))))
    outward = graph.new(ONE >> MOTION, Shift(IN.T, Ref(alpha)))
    graph.put(alpha, Value(ONE >> MOTION, Linear((term(outward), term(mobility, z)))))
    system = local_system(graph, (z, alpha, inward, outward))
    assert system.mixed
    assert not system.X
    assert not system.tears


def test_an_equation_with_an_unknown_by_itself_defines_it() -> None:
    graph = Graph()
    y = graph.reserve()
    equation = (term(y, times=-1), term(given(graph, x), times=3))
    graph.put(y, Value(COLUMN, Unknown(equation, FORCE)))
    assert local_system(graph, (y,)).equations == {y: {given(graph, x): as_form([term(times=3)])}}
    kept = local_system(graph, (y,), keep_unknowns=True)
    assert (kept.tears, kept.equations) == ([y], {})


def test_terms_are_collected_by_the_vector_that_they_end_in() -> None:
    graph = Graph()
    a, f = given(graph, A), given(graph, x)
    system = LocalSystem(graph, frozenset({f}))
    found = system.coefficients((term(a, f), term(f, times=2), term(a, a, f, times=-1)))
    assert found == {f: as_form([term(a), term(times=2), term(a, a, times=-1)])}
    assert system.coefficients((term(a, f), term(a, f, times=2))) == {f: as_form([term(a, times=3)])}
    with pytest.raises(NotLowerable, match="not a linear recursion"):
        system.coefficients((term(times=2),))


def test_what_is_neither_sum_nor_shift_is_refused() -> None:
    graph = Graph()
    f = given(graph, x)
    called = graph.new(MOTION >> MOTION, Call("cross", (Ref(f),)))
    with pytest.raises(NotLowerable):
        local_system(graph, (called,))


STATE, CONTROL = space("state"), space("control")
BACK = operator("A", STATE >> STATE, structure="inward hop")
INPUT = operator("B", CONTROL >> STATE, structure="diagonal")
Q = operator("Q", STATE >> STATE.dual, structure="diagonal semidefinite")
CONTROLLED = INPUT.T @ inv(s.I - BACK).T @ Q @ inv(s.I - BACK) @ INPUT


@pytest.mark.parametrize("structure", ["diagonal definite", "diagonal symmetric"])
def test_a_definite_leaf_solves_for_its_unknown_where_something_is_torn_anyway(structure: str) -> None:
    leaf = operator("R", CONTROL >> CONTROL.dual, structure=structure)
    system = system_of(inv(leaf + CONTROLLED) @ vector("r", CONTROL.dual))
    definite = leaf.structure.definite
    assert [system.graph[ref.value].origin for ref in system.leaves] == ([leaf] if definite else [])
    assert len(system.tears) == (1 if definite else 2)
    assert all(system.graph[tear].type.codomain.sizes == STATE.sizes for tear in system.tears) == definite


def test_a_definite_leaf_is_not_inverted_where_one_tear_is_enough() -> None:
    assert system_of(inv(MASS + C) @ s.T).leaves == []
