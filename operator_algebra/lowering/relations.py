"""Elimination without local pivots: each subtree hands on a relation between what it sends and what it receives.

At every body the local equations and the relations of the children are stacked and triangularised by orthogonal
transformations; the triangle is singular at some body exactly when the whole system is. Block diagonals need the
relation that the rest of the tree hands to a subtree as well.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.nodes import Inverse
from operator_algebra.lowering import refuse
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.operators.spaces import RELATION, Space, Type, direct_sum
from operator_algebra.programs.instructions import Answer, Hop, Linear, Part, Relate, Resolve, Shift, Surround
from operator_algebra.programs.records import Equation, Ref, Term, references

UNIT = Fraction(1)


def relate(graph: Graph, members: tuple[int, ...]) -> Ref:
    """Replace a component by one relation inward, which is returned, and one back substitution outward."""
    component = _Component(graph, members)
    relation = component.relation()
    solution = graph.reserve()
    graph.put(solution, Value(component.type, Resolve(Ref(solution), relation)))
    for number, index in component.variables.items():
        graph.put(number, replace(graph[number], definition=Part(Ref(solution), index)))
    return relation


def answer(graph: Graph, members: tuple[int, ...], x: int, output: int) -> Ref:
    """The block of each body that takes x there to the output there, through the whole tree."""
    component = _Component(graph, members, x, output)
    relation = component.relation()
    surroundings, answers = graph.reserve(), graph.reserve()
    graph.put(surroundings, Value(Type(component.type.domain, RELATION), Surround(Ref(surroundings), relation)))
    space = graph[x].type.codomain
    drives = tuple(
        Ref(graph.linear(Type(space, equation.rows), terms)) if terms else None
        for equation, terms in zip(component.equations, component.drives, strict=True)
    )
    definition = Answer(relation, Ref(surroundings), drives)
    graph.put(answers, Value(Type(space, component.type.codomain), definition))
    part = Part(Ref(answers), component.variables[component.output])
    return Ref(graph.new(Type(space, graph[output].type.codomain), part))


def has_no_local_term(graph: Graph, members: tuple[int, ...]) -> bool:
    """Whether an unknown meets itself through the tree only, so that its pivots vanish or have too low a rank.

    In a user's space a path through the joints of the body is not enough, as their rank may be lower, unless what is
    inverted is known to be definite: with rows that are declared to be onto.
    """
    inside = set(members)
    for number in members:
        value = graph[number]
        if not isinstance(value.definition, Unknown):
            continue
        definite = isinstance(value.origin, Inverse) and value.origin.body.structure.definite
        if value.type.codomain.sizes not in ("joint", "spatial") and not definite:
            return all(term.factors[-1:] != (Ref(number),) for term in value.definition.terms)
        read = {ref.value for ref, _ in references(value.definition)} & inside
        if read and number not in _reached_locally(graph, read, inside):
            return True
    return False


def _reached_locally(graph: Graph, start: set[int], inside: set[int]) -> set[int]:
    """The members on which others depend at the same body."""
    found = set(start)
    pending = list(start)
    while pending:
        for ref, label in references(graph[pending.pop()].definition):
            if label == "L" and ref.value in inside - found:
                found.add(ref.value)
                pending.append(ref.value)
    return found


class _Component:
    """The equations of a component: of its variables, of what its children send, of what arrives from the parent.

    `x`, if given, is no constant: `drives` are its coefficients. `output` becomes a variable if it is a shift.
    """

    def __init__(self, graph: Graph, members: tuple[int, ...], x: int = -1, output: int = -1) -> None:
        self.graph = graph
        self.x = x
        self.output = output
        variables = [n for n in members if isinstance(graph[n].definition, Linear | Unknown)]
        shifts = [n for n in members if isinstance(graph[n].definition, Shift)]
        if len(variables) + len(shifts) != len(members):
            raise NotLowerable(refuse.reduced_loop(graph[members[0]].formula))
        gathers = [n for n in shifts if self._shift(n).hop.inward]
        pulls = [n for n in shifts if not self._shift(n).hop.inward]
        if output in shifts:
            self.output = self._copy(output)
            variables.append(self.output)
        variables += self._carried_copies(shifts)
        self.variables = {number: index for index, number in enumerate(variables)}
        self._gathers = {number: index for index, number in enumerate(gathers)}
        self._pulls = {number: index for index, number in enumerate(pulls)}
        self.drives: list[list[Term]] = []
        self.equations = tuple(self._equation(number) for number in variables)
        self.spaces = tuple(graph[number].type.codomain for number in variables)
        self.type = Type(graph[variables[0]].type.domain, direct_sum(self.spaces))

    def relation(self) -> Ref:
        """The relation of the component, as a new value."""
        number = self.graph.reserve()
        gathers, pulls = self._carried(self._gathers), self._carried(self._pulls)
        self.graph.put(
            number,
            Value(Type(self.type.domain, RELATION), Relate(Ref(number), self.spaces, self.equations, gathers, pulls)),
        )
        return Ref(number)

    def _shift(self, number: int) -> Shift:
        definition = self.graph[number].definition
        assert isinstance(definition, Shift)
        return definition

    def _copy(self, number: int) -> int:
        copy = self.graph.reserve()
        self.graph.put(copy, Value(self.graph[number].type, Linear((Term(UNIT, (Ref(number),)),))))
        return copy

    def _carried_copies(self, shifts: list[int]) -> list[int]:
        """A variable for every shift that is itself carried on, and for x."""
        copies: list[int] = []
        for number in shifts:
            source = self._shift(number).source
            if source.value in shifts or source.value == self.x:
                copies.append(self._copy(source.value))
                moved = replace(self._shift(number), source=Ref(copies[-1]))
                self.graph.put(number, replace(self.graph[number], definition=moved))
        return copies

    def _carried(self, shifts: dict[int, int]) -> tuple[tuple[Hop, int], ...]:
        found = [self._shift(number) for number in shifts]
        return tuple((shift.hop, self.variables[shift.source.value]) for shift in found)

    def _equation(self, number: int) -> Equation:
        definition = self.graph[number].definition
        assert isinstance(definition, Linear | Unknown)
        explicit = isinstance(definition, Linear)
        rows: Space = self.graph[number].type.codomain if explicit else definition.rows
        groups: tuple[list[tuple[int, Term]], ...] = ([], [], [])
        if explicit:
            groups[0].append((self.variables[number], Term(Fraction(-1), ())))
        constant: list[Term] = []
        driven: list[Term] = []
        for term in definition.terms:
            last = term.factors[-1].value
            prefix = Term(term.coefficient, term.factors[:-1], term.scalars)
            for places, group in zip((self.variables, self._gathers, self._pulls), groups, strict=True):
                if last in places:
                    group.append((places[last], prefix))
                    break
            else:
                if last == self.x:
                    driven.append(prefix)
                else:
                    constant.append(term)
        self.drives.append(driven)
        known = self.graph.linear(Type(self.graph[number].type.domain, rows), constant) if constant else None
        members, gathered, pulled = (tuple(group) for group in groups)
        return Equation(rows, members, gathered, pulled, None if known is None else Ref(known), explicit)
