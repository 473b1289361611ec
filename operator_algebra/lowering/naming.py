"""Names for the values of a program: a symbol's name, else the role that a value plays, else a letter for its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from operator_algebra.expressions.nodes import Symbol
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.products import expand_products, single_product
from operator_algebra.lowering.values import Value
from operator_algebra.programs.instructions import (
    Answer,
    Call,
    Given,
    Invert,
    Linear,
    Part,
    Reduce,
    Relate,
    Resolve,
    RootOf,
    Shift,
    Stack,
    Surround,
    Update,
)
from operator_algebra.programs.program import Output
from operator_algebra.programs.records import Ref, references

_RELATIONAL: dict[type, str] = {
    Relate: "relation",
    Resolve: "solution",
    Surround: "surroundings",
    Answer: "answer",
}

_VECTOR_LETTER = {"force": "f", "motion": "alpha", "torque": "u", "rate": "w", "white": "e"}

_LOCAL_LETTER = {"force": "w", "motion": "s", "torque": "u", "rate": "r", "white": "e"}
"""Letters of vectors that recur over the tree, and of those that are only local."""


def name_values(graph: Graph, outputs: Sequence[Output]) -> tuple[dict[int, str], frozenset[int]]:
    """A distinct name for every value, and the values that are written inside others."""
    names: dict[int, str] = {}
    taken: dict[str, int] = {}

    def give(number: int, name: str) -> None:
        if number in names:
            return
        unique = name
        while unique in taken:
            taken[name] += 1
            unique = f"{name}_{taken[name]}"
        names[number] = unique
        taken[unique] = 1

    taken |= dict.fromkeys(_hops(graph, outputs), 1)
    for number, value in sorted(graph.values.items()):
        if isinstance(value.definition, Given):
            symbol = value.definition.symbol
            give(number, symbol.name if symbol is not None else "I")
    for number, value in sorted(graph.values.items()):
        if value.names:
            give(number, value.names[0])
    held = [(output, output.ref.value) for output in outputs if output.ref is not None]
    for output, number in held:
        if output.name:
            give(number, output.name)
        elif isinstance(output.formula, Symbol):
            give(number, output.formula.name)
    for number, role in _roles(graph):
        give(number, role)
    for _, number in held:
        give(number, "x")
    hidden = inlined(graph, names, outputs)
    for number, value in sorted(graph.values.items(), key=lambda item: (item[0] in hidden, item[0])):
        give(number, _letter(value))
    return names, hidden


def _hops(graph: Graph, outputs: Sequence[Output]) -> set[str]:
    """The letters of hops on the page, which are no values but are named beside them."""
    shifts = {value.definition.hop for value in graph.values.values() if isinstance(value.definition, Shift)}
    walked = {hop for output in outputs if output.walk for hop in (*output.walk.inward, *output.walk.outward)}
    return {hop.letter for hop in shifts | walked}


def inlined(graph: Graph, named: Mapping[int, str], outputs: Sequence[Output]) -> frozenset[int]:
    """The values that are written where they are read: inverses, stacks, shifts read once, products without a name.

    What another body reads has a line of its own: its formula speaks of k.
    """
    readers = _readers(graph)
    carried = {v.definition.source.value for v in graph.values.values() if isinstance(v.definition, Shift)}
    shown = {ref.value for output in outputs for ref in output.refs() if ref == output.ref}
    walked = {ref.value for output in outputs for ref in output.refs()}
    found: set[int] = set()
    for number, value in graph.values.items():
        match value.definition:
            case Invert() | RootOf() | Stack() | Part():
                inside = True
            case Call():
                inside = not value.names
            case Shift():
                inside = len(readers.get(number, ())) == 1 and number not in walked
            case Linear():
                alone = len(value.definition.terms) == 1
                turned = alone and len(value.definition.terms[0].factors) == 1
                inside = number not in named and alone and (turned or not value.is_vector)
            case _:
                inside = False
        if inside and number not in shown | carried:
            found.add(number)
    return frozenset(found)


def _roles(graph: Graph) -> Iterator[tuple[int, str]]:
    """Roles by what a value does: carry inertia inward, be a pivot, a gain, an innovation, a message."""
    readers = _readers(graph)
    pivots = [v.definition.source.value for v in graph.values.values() if isinstance(v.definition, Invert)]
    for number, value in sorted(graph.values.items()):
        definition = value.definition
        if isinstance(definition, Shift) and definition.closing is not None:
            yield from _carried(graph, number, definition, readers)
    for number in pivots:
        if graph[number].attached:
            yield number, "D"
    for number, value in sorted(graph.values.items()):
        factors = single_product(value)
        if factors is None:
            continue
        leaf = isinstance(graph[expand_products(graph.values, factors)[0].value].definition, Given)
        if _inverts(graph, factors[-1]) and not leaf and not _inverts(graph, factors[0]):
            yield number, "G"
        elif _inverts(graph, factors[0]) and len(factors) > 1 and not _inverts(graph, factors[-1]):
            yield number, "F"
    for number, value in sorted(graph.values.items()):
        if type(value.definition) in _RELATIONAL:
            yield number, _RELATIONAL[type(value.definition)]
    for number, value in sorted(graph.values.items()):
        if _is_complement(graph, value):
            yield number, "tau_bar"
    for number, value in sorted(graph.values.items()):
        if value.is_vector and isinstance(value.definition, Linear):
            yield from _innovation(graph, number, value.definition)
    for number, value in sorted(graph.values.items()):
        if value.is_vector and isinstance(value.definition, Shift):
            yield from _message(graph, number, value.definition, readers)


def _is_complement(graph: Graph, value: Value) -> bool:
    """I − G H."""
    definition = value.definition
    if value.is_vector or not isinstance(definition, Linear) or len(definition.terms) != 2:
        return False
    one, other = sorted(definition.terms, key=lambda t: len(t.factors))
    gain = graph[other.factors[0].value] if len(other.factors) == 2 else None
    factors = single_product(gain) if gain is not None else None
    return (
        not one.factors
        and one.coefficient == 1
        and other.coefficient == -1
        and factors is not None
        and _inverts(graph, factors[-1])
    )


def _readers(graph: Graph) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number, value in graph.values.items():
        for ref, _ in references(value.definition):
            found.setdefault(ref.value, []).append(number)
    return found


def _inverts(graph: Graph, ref: Ref) -> bool:
    return isinstance(graph[ref.value].definition, Invert)


def _carried(graph: Graph, number: int, shift: Shift, readers: Mapping[int, list[int]]) -> Iterator[tuple[int, str]]:
    """The sum of what children carry, and its message: P and P⁺ if joints are released on the way, else R."""
    source = graph[shift.source.value]
    inward = shift.hop.inward
    releases = isinstance(source.definition, Update) or any(
        not isinstance(graph[ref.value].definition, Given) and ref.value != number
        for ref, _ in references(source.definition)
        if ref.value not in readers.get(number, ())
    )
    carrier = next((n for n in readers.get(number, ()) if isinstance(graph[n].definition, Linear)), number)
    if len(readers.get(number, ())) != 1:
        carrier = number
    if not inward:
        yield shift.source.value, "Upsilon"
        yield number, "Upsilon_plus"
        return
    letter = "P" if releases else "R"
    yield carrier, letter
    if shift.source.value != carrier:
        yield shift.source.value, f"{letter}_plus"


def _innovation(graph: Graph, number: int, definition: Linear) -> Iterator[tuple[int, str]]:
    """ν = D⁻¹ ε."""
    if len(definition.terms) != 1 or len(definition.terms[0].factors) != 2:
        return
    inverse, argument = definition.terms[0].factors
    if _inverts(graph, inverse) and graph[inverse.value].attached:
        yield argument.value, "epsilon"
        yield number, "nu"


def _message(graph: Graph, number: int, shift: Shift, readers: Mapping[int, list[int]]) -> Iterator[tuple[int, str]]:
    """Z and z⁺ inward, α⁺ and α outward; a shift that is read once is written inside its reader."""
    letter = _VECTOR_LETTER.get(graph[number].type.codomain.name, "u")
    read = set(readers.get(number, ()))
    if len(read) > 1 or any(isinstance(graph[n].definition, Reduce) for n in read):
        if shift.hop.inward:
            name = "z" if letter == "f" else letter
            yield number, name
            yield shift.source.value, f"{name}_plus"
        else:
            yield number, f"{letter}_plus"
            yield shift.source.value, letter
    elif read:
        reader = next(iter(read))
        carried = reader == shift.source.value
        yield reader, "z" if shift.hop.inward and letter == "f" and not carried else letter
        if not carried:
            yield shift.source.value, ("z" if letter == "f" else letter) + "_plus"


def _letter(value: Value) -> str:
    if not value.attached:
        return "s"
    if value.is_vector:
        return _LOCAL_LETTER.get(value.type.codomain.name, "u")
    return "A"
