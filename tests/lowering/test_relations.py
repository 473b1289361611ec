"""Relations: the equations that a component hands on say, solved as a whole, what the formula says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.relations import answer, has_no_local_term, relate
from operator_algebra.lowering.simplify import simplify
from operator_algebra.lowering.values import Unknown
from operator_algebra.operators.spaces import FORCE, RATE, RELATION, TORQUE, direct_sum
from operator_algebra.programs.instructions import Answer, Part, Relate, Resolve, Surround
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import RATIONALS, Matrix
from operator_algebra.programs.records import Ref
from tests.lowering.meant import Meant, given, leaves_of, program_of, same, symbols_in

E = s.E_phi
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
x = vector("x", FORCE)
A = operator("A", FORCE >> FORCE, structure="diagonal")
C = operator("C", RATE >> TORQUE, structure="diagonal definite")
BACK = operator("back", FORCE >> FORCE, structure="outward hop")

FORMULAS: dict[str, Expr] = {
    "the inverse mass matrix": inv(MASS) @ s.T,
    "with noise": inv(MASS + C) @ s.T,
    "neighbours": inv(A + E + BACK) @ x,
    "one way": inv(A - 2 * E) @ x,
}


def component(e: Expr) -> tuple[Graph, tuple[int, ...], int]:
    """A graph, the members of its component that is solved for, and what is wanted."""
    graph = Graph(method="orthogonal")
    graph.hold(Ref(Lift(graph).vector(e)))
    simplify(graph)
    (members,) = (c.members for c in components(graph) if any(_unknown(graph, n) for n in c.members))
    return graph, members, graph.held[0].value


def _unknown(graph: Graph, number: int) -> bool:
    return isinstance(graph[number].definition, Unknown)


class Whole:
    """The equations of a relation at all bodies, as one matrix and one right side."""

    def __init__(self, graph: Graph, relate: Relate, meant: Meant) -> None:
        known = Graph()
        read = {ref.value for eq in relate.equations for t in eq.terms for ref in (*t.factors, *map(Ref, t.scalars))}
        read |= {eq.constant.value for eq in relate.equations if eq.constant is not None}
        known.values = {n: graph[n] for n in graph.live(read)}
        self.tree = meant.values.tree
        self.relate = relate
        self.run = Interpreter(program_of(known), self.tree, meant.values.given, RATIONALS)
        self.run.run()
        self.at: dict[tuple[int, int], int] = {}
        size = 0
        for k in self.tree.bodies:
            for member, one in enumerate(relate.spaces):
                self.at[k, member] = size
                size += self.tree.size(one, k)
        self.size = size

    def solution(self) -> Any:
        """All members at all bodies."""
        rows: list[Any] = []
        right: list[Any] = []
        for k in self.tree.bodies:
            for equation in self.relate.equations:
                height = self.tree.size(equation.rows, k)
                row = np.full((height, self.size), Fraction(0), dtype=object)
                for index, one in equation.members:
                    width = self.tree.size(self.relate.spaces[index], k)
                    self._add(row, k, index, self._coefficient(one, k, width))
                for index, one in equation.gathers:
                    hop, member = self.relate.gathers[index]
                    for child in self.tree.children[k]:
                        passed = _array(self.run.hop(hop, child))
                        self._add(row, child, member, self._coefficient(one, k, len(passed)) @ passed)
                for index, one in equation.pulls:
                    hop, member = self.relate.pulls[index]
                    if self.tree.parent[k] >= 0:
                        passed = _array(self.run.hop(hop, k))
                        self._add(row, self.tree.parent[k], member, self._coefficient(one, k, len(passed)) @ passed)
                rows.append(row)
                constant = equation.constant
                right.append(np.zeros((height, 1), int) if constant is None else _array(self.run.get(constant, k)))
        whole = np.concatenate(rows)
        inverse = RATIONALS.inverse(Matrix([list(row) for row in whole], self.size))
        return -_array(inverse) @ np.concatenate(right)

    def _coefficient(self, one: Any, k: int, width: int) -> Any:
        return _array(self.run.term(one, width, k))

    def _add(self, row: Any, k: int, member: int, block: Any) -> None:
        start = self.at[k, member]
        row[:, start : start + block.shape[1]] += block

    def member(self, solution: Any, index: int) -> Any:
        """One member at all bodies."""
        starts = [(self.at[k, index], self.tree.size(self.relate.spaces[index], k)) for k in self.tree.bodies]
        return np.concatenate([solution[start : start + size] for start, size in starts])


def _array(matrix: Matrix) -> Any:
    return np.array([list(row) for row in matrix.rows], dtype=object).reshape(matrix.height, matrix.width)


@pytest.mark.parametrize("name", FORMULAS)
def test_solved_as_a_whole_the_equations_give_the_formula(name: str) -> None:
    e = FORMULAS[name]
    graph, members, wanted = component(e)
    relation = relate(graph, members)
    definition, part = graph[relation.value].definition, graph[wanted].definition
    assert isinstance(definition, Relate)
    assert isinstance(part, Part)
    for seed in range(2):
        meant = Meant.on(symbols_in(e) | leaves_of(graph), seed)
        whole = Whole(graph, definition, meant)
        assert same(whole.member(whole.solution(), part.index), meant.formula(e))


@pytest.mark.parametrize("name", FORMULAS)
def test_members_are_parts_of_one_back_substitution(name: str) -> None:
    graph, members, _ = component(FORMULAS[name])
    variables = [n for n in members if n in graph.values]
    relation = relate(graph, members)
    definition = graph[relation.value].definition
    assert isinstance(definition, Relate)
    assert graph[relation.value].type.codomain == RELATION
    parts = [graph[n].definition for n in variables]
    sources = {part.source for part in parts if isinstance(part, Part)}
    (solution,) = sources
    assert graph[solution.value].definition == Resolve(solution, relation)
    assert graph[solution.value].type.codomain == direct_sum(definition.spaces)
    assert len(definition.equations) == len(definition.spaces)


def test_an_answer_is_driven_at_its_own_body_and_knows_the_rest_of_the_tree() -> None:
    graph = Graph(method="orthogonal")
    lift = Lift(graph)
    unit = vector("unit", TORQUE)
    start = given(graph, unit)
    graph.hold(Ref(lift.applied(inv(MASS), start)), Ref(start))
    simplify(graph)
    output, start = (ref.value for ref in graph.held)
    members = tuple(n for n in sorted(graph.values) if n != start and start in graph.live([n]))
    found = answer(graph, members, start, output)
    part = graph[found.value].definition
    assert isinstance(part, Part)
    definition = graph[part.source.value].definition
    assert isinstance(definition, Answer)
    assert graph[definition.surroundings.value].definition == Surround(definition.surroundings, definition.relation)
    assert sum(ref is not None for ref in definition.drives) == 1
    assert graph[found.value].type == inv(MASS).type


@pytest.mark.parametrize(
    ("e", "expected"),
    [
        (inv(MASS) @ s.T, False),
        (inv(A + E) @ x, False),
        (inv(E + BACK) @ x, True),
        (inv(operator("both", FORCE >> FORCE, structure="inward hop") + BACK) @ x, True),
    ],
    ids=str,
)
def test_it_is_seen_where_an_unknown_meets_itself_through_the_tree_only(e: Expr, expected: bool) -> None:
    graph, members, _ = component(e)
    assert has_no_local_term(graph, members) == expected
