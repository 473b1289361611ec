"""Elimination tips first: what runs both ways becomes recurrences that run one way, and stays what it was."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from operator_algebra import symbols as s
from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import fixpoint, inv, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.components import components
from operator_algebra.lowering.eliminate import eliminate, eliminated
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.simplify import simplify
from operator_algebra.lowering.values import Unknown
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE
from operator_algebra.programs.instructions import Invert, Relate
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import RATIONALS, Matrix
from operator_algebra.programs.records import Ref
from tests.lowering.meant import Meant, leaves_of, program_of, same, symbols_in

E = s.E_phi
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
x = vector("x", FORCE)
A = operator("A", FORCE >> FORCE, structure="diagonal")
C = operator("C", RATE >> TORQUE, structure="diagonal definite")
F = operator("F", TORQUE >> RATE, structure="diagonal definite")
GEAR = operator("gear", TORQUE >> TORQUE, structure="inward hop")
BACK = operator("back", FORCE >> FORCE, structure="outward hop")

FORMULAS: dict[str, Expr] = {
    "the inverse mass matrix": inv(MASS) @ s.T,
    "with noise": inv(MASS + C) @ s.T,
    "nested": inv(inv(MASS + C) + F) @ s.v,
    "two inverses in a row": inv(MASS) @ (C @ inv(MASS + C) @ s.T),
    "neighbours": inv(A + E + BACK) @ x,
    "neighbours of joints": inv(C + GEAR @ C @ GEAR.T) @ s.T,
    "not symmetric": inv(s.H @ s.phi @ A @ s.M @ s.phi.T @ s.H.T) @ s.T,
    "without noise at all": inv(s.I - E @ A) @ x,
    "explicit, both ways": inv(s.I - A @ E - BACK) @ x,
}


def lifted(e: Expr) -> tuple[Graph, int]:
    graph = Graph()
    graph.hold(Ref(Lift(graph).vector(e)))
    simplify(graph)
    return graph, graph.held[0].value


@pytest.mark.parametrize("name", FORMULAS)
def test_what_is_left_runs_one_way_and_is_what_it_was(name: str) -> None:
    e = FORMULAS[name]
    graph, number = lifted(e)
    eliminate(graph)
    assert not [value for value in graph.values.values() if isinstance(value.definition, Unknown)]
    for component in components(graph):
        assert not {"U", "D"} <= component.labels
        assert component.trivial or component.labels & {"U", "D"}
    for seed in range(2):
        meant = Meant.on(symbols_in(e) | leaves_of(graph), seed)
        (found,) = meant.computed(graph, number)
        assert same(found, meant.formula(e))


def test_the_blocks_that_are_inverted_are_as_wide_as_the_joints() -> None:
    graph, _ = lifted(inv(MASS) @ s.T)
    eliminate(graph)
    (pivot,) = {v.definition.source for v in graph.values.values() if isinstance(v.definition, Invert)}
    assert graph.type_of(pivot).codomain == TORQUE


def test_what_runs_one_way_already_is_left_alone() -> None:
    for e in (s.phi @ x, s.phi.T @ s.H.T @ s.v, MASS @ s.v):
        graph, _ = lifted(e)
        before = dict(graph.values)
        eliminate(graph)
        assert graph.values == before


def test_what_was_coupled_and_inverted_is_remembered() -> None:
    graph, _ = lifted(inv(MASS) @ s.T)
    eliminate(graph)
    assert graph.coupled == ("DLU",)
    assert tuple(graph.eliminated) == (inv(MASS),)


@pytest.mark.parametrize("e", [MASS, MASS + C, C + GEAR @ C @ GEAR.T, inv(MASS + C) + F], ids=str)
def test_pivots_make_up_the_determinant(e: Expr) -> None:
    """det of the pivots that invert e, over that of the pivots that apply it."""
    found: list[Fraction] = []
    space = e.type.codomain
    y = vector("y", space)
    for inverted in (True, False):
        graph = Graph()
        lift = Lift(graph)
        start = lift.vector(y if inverted else vector("w", e.type.domain))
        graph.hold(Ref(lift.solved(e, start) if inverted else lift.applied(e, start)))
        pivots = eliminated(graph, keep_unknowns=True)
        leaves = leaves_of(graph)
        meant = Meant.on(symbols_in(e, y, vector("w", e.type.domain)) | leaves)
        run = Interpreter(program_of(graph), meant.values.tree, meant.values.given, RATIONALS)
        run.run()
        blocks = [run.get(ref, k) for ref in pivots for k in meant.values.tree.bodies]
        product = Fraction(1)
        for block in blocks:
            product *= RATIONALS.determinant(block)
        found.append(product)
        whole = meant.formula(e)
    expected = RATIONALS.determinant(Matrix([list(row) for row in whole], len(whole)))
    assert abs(found[0]) == abs(expected * found[1])


def test_the_orthogonal_method_eliminates_by_relations() -> None:
    graph = Graph(method="orthogonal")
    graph.hold(Ref(Lift(graph).vector(inv(MASS) @ s.T)))
    simplify(graph)
    eliminate(graph)
    assert any(isinstance(value.definition, Relate) for value in graph.values.values())
    assert not any(isinstance(value.definition, Invert) for value in graph.values.values())


REFUSED: dict[str, tuple[Callable[[], Expr], str]] = {
    "itself at the same body": (
        lambda: fixpoint("X", MOTION >> FORCE, lambda X: s.M + X @ inv(s.M) @ E @ X @ E.T) @ s.H.T @ s.v,
        "same body",
    ),
    "no local term": (lambda: inv(A - A + 0 * E) @ x, "no pivot"),
    "a sum over the bodies": (
        lambda: fixpoint("z", ONE >> FORCE, lambda z: x + E @ z + x @ (x.T @ inv(s.M) @ z)),
        "sum over all bodies",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_such_form_is_refused(name: str) -> None:
    make, words = REFUSED[name]
    with pytest.raises(NotLowerable, match=words):
        eliminate(lifted(make())[0])
