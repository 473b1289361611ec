"""A formula with a variable for every intermediate vector: the equations, and who reads whom along the tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from operator_algebra.errors import InputError
from operator_algebra.expressions.names import written
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.render import brief
from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.passes import FRONT
from operator_algebra.lowering.share import share
from operator_algebra.lowering.values import Definition, Unknown, Value
from operator_algebra.programs.instructions import Call, Given, Hop, Invert, Shift
from operator_algebra.programs.records import Ref, Term, references, terms_of

Reading = Literal["body", "children", "parent"]

_LETTERS = {"force": "f", "motion": "α", "torque": "u", "rate": "w", "white": "e"}

KINDS: dict[frozenset[Reading], str] = {
    frozenset(): "assignment: rides on any sweep",
    frozenset({"body"}): "a small system at every body",
    frozenset({"children"}): "one inward sweep",
    frozenset({"parent"}): "one outward sweep",
    frozenset({"children", "parent"}): "two sweeps: eliminate inward, substitute outward",
}


@dataclass(frozen=True)
class Edge:
    """The variable `target` is computed from `source`, at the same body, at the children, or at the parent."""

    source: str
    target: str
    reading: Reading
    operator: str


@dataclass(frozen=True)
class Component:
    """Variables that depend on each other, with their equations."""

    names: tuple[str, ...]
    equations: tuple[str, ...]
    edges: tuple[Edge, ...]

    @property
    def readings(self) -> frozenset[Reading]:
        """How the variables read each other; with a shift, what is read at the same body is solved on the way."""
        inner: set[Reading] = {edge.reading for edge in self.edges if edge.source in self.names}
        shifts: set[Reading] = inner - {"body"}
        return frozenset(shifts or inner)

    @property
    def kind(self) -> str:
        """What the compiler makes of the component."""
        return KINDS[self.readings]


def unknowns(e: Expr) -> tuple[Component, ...]:
    """The components of a vector formula, in order of dependence; leaves and inputs are not listed.

    >>> from operator_algebra.symbols import H, M, T, inv, phi
    >>> [component.kind for component in unknowns(inv(H @ phi @ M @ phi.T @ H.T) @ T)]
    ['two sweeps: eliminate inward, substitute outward']
    """
    if e.type.domain.attached or not e.type.codomain.attached:
        raise InputError(f"{brief(e)} is not a vector over the bodies: {e.type}. Apply it to a vector, such as T or v.")
    graph, result = _lifted(e)
    names = _named(graph, result)
    return tuple(_components(graph, names))


def _lifted(e: Expr) -> tuple[Graph, int]:
    """The graph of values before elimination, equal values merged; and the value of the formula."""
    graph = Graph()
    graph.hold(Ref(Lift(graph).vector(e)))
    for simplification in (*FRONT, share):
        simplification(graph)
    return graph, graph.held[0].value


def _named(graph: Graph, result: int) -> dict[int, str]:
    """A name for every value that is not written where it is read."""
    names: dict[int, str] = {}
    for number, value in sorted(graph.values.items()):
        if not isinstance(value.definition, Shift | Invert):
            first = _name(value, result == number)
            others = (f"{first}_{i}" for i in range(2, len(graph.values) + 2))
            taken = set(names.values())
            names[number] = next(name for name in (first, *others) if name not in taken)
    return names


def _name(value: Value, is_result: bool) -> str:
    definition = value.definition
    if isinstance(definition, Given) and definition.symbol is not None:
        return written(definition.symbol.name, "unicode")
    if value.names:
        return written(value.names[0], "unicode")
    if is_result:
        return "x"
    return _LETTERS.get(value.type.codomain.name, "y") if value.is_vector else "B"


def _components(graph: Graph, names: dict[int, str]) -> Iterator[Component]:
    for component in components(graph):
        members = [n for n in component.members if n in names and not isinstance(graph[n].definition, Given)]
        if members:
            edges = tuple(dict.fromkeys(edge for n in members for edge in _edges(graph, names, n)))
            equations = tuple(_equation(graph, names, n) for n in members)
            yield Component(tuple(names[n] for n in members), equations, edges)


def _edges(graph: Graph, names: dict[int, str], number: int) -> Iterator[Edge]:
    terms = terms_of(graph[number].definition)
    for term in terms:
        for place, ref in enumerate(term.factors):
            last = place == len(term.factors) - 1
            before = [*_scalars(names, term), *(_text(graph, names, left) for left in term.factors[:place])]
            operator = " ".join(before) if last else ""
            yield from _read(graph, names, number, ref, operator)
    if not terms:
        for ref, _ in references(graph[number].definition):
            yield from _read(graph, names, number, ref, "")


def _read(graph: Graph, names: dict[int, str], number: int, ref: Ref, operator: str) -> Iterator[Edge]:
    definition = graph[ref.value].definition
    reading: Reading = "body"
    while isinstance(definition, Shift | Invert):
        if isinstance(definition, Shift):
            reading = "children" if definition.hop.inward else "parent"
            operator = " ".join(part for part in (operator, _hop(definition.hop)) if part)
        ref, definition = definition.source, graph[definition.source.value].definition
    if not isinstance(definition, Given):
        yield Edge(names[ref.value], names[number], reading, operator)


def _equation(graph: Graph, names: dict[int, str], number: int) -> str:
    definition = graph[number].definition
    if isinstance(definition, Unknown):
        return f"0 = {_sum(graph, names, definition)}"
    if terms_of(definition):
        return f"{names[number]} = {_sum(graph, names, definition)}"
    parts = ", ".join(_text(graph, names, ref) for ref, _ in references(definition))
    kind = type(definition).__name__
    called = definition.name if isinstance(definition, Call) else _FUNCTIONS.get(kind, kind)
    return f"{names[number]} = {called}({parts})"


_FUNCTIONS = {"RootOf": "root", "Stack": "stack", "Part": "part"}


def _sum(graph: Graph, names: dict[int, str], definition: Definition) -> str:
    terms = sorted(terms_of(definition), key=lambda term: term.coefficient < 0)
    text = "".join(_term(graph, names, term) for term in terms) or " + 0"
    return text[3:] if text.startswith(" + ") else f"−{text[3:]}"


def _scalars(names: dict[int, str], term: Term) -> list[str]:
    return [names[number] for number in term.scalars]


def _term(graph: Graph, names: dict[int, str], term: Term) -> str:
    size = "" if abs(term.coefficient) == 1 else f"{abs(term.coefficient)} "
    factors = " ".join([*_scalars(names, term), *(_text(graph, names, ref) for ref in term.factors)]) or "I"
    return f" {'−' if term.coefficient < 0 else '+'} {size}{factors}"


def _text(graph: Graph, names: dict[int, str], ref: Ref) -> str:
    definition = graph[ref.value].definition
    star = "*" if ref.star else ""
    if isinstance(definition, Shift):
        source = _text(graph, names, definition.source)
        closing = f" {_hop(definition.closing)}" if definition.closing is not None else ""
        return f"{_hop(definition.hop)} {source}{closing}"
    if isinstance(definition, Invert):
        return f"{_text(graph, names, definition.source)}⁻¹"
    return names[ref.value] + star


def _hop(hop: Hop) -> str:
    return written(hop.symbol.name, "unicode") + ("*" if hop.star else "")
