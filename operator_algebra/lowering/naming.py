"""Names for the values of a program: a symbol's name, else the role that a value plays, else a letter for its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from operator_algebra.expressions.nodes import Symbol
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.values import Unknown, Value
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
    Rounding,
    Shift,
    Stack,
    Surround,
    Total,
    Update,
)
from operator_algebra.programs.products import expand_products, single_product
from operator_algebra.programs.program import Output
from operator_algebra.programs.records import references
from operator_algebra.programs.roles import (
    NAMED_COMPLEMENT,
    NAMED_FACTOR,
    NAMED_GAIN,
    NAMED_INNOVATION,
    NAMED_PIVOT,
)
from operator_algebra.programs.schemes import Reading

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
    readers = _readers(graph)
    for number, role in _roles(graph, readers):
        give(number, role)
    for _, number in held:
        give(number, "x")
    hidden = inlined(graph, names, outputs, readers)
    for number, value in sorted(graph.values.items(), key=lambda item: (item[0] in hidden, item[0])):
        give(number, _letter(value))
    return names, hidden


def _hops(graph: Graph, outputs: Sequence[Output]) -> set[str]:
    """The letters of hops on the page, which are no values but are named beside them."""
    shifts = {value.definition.hop for value in graph.values.values() if isinstance(value.definition, Shift)}
    walked = {hop for output in outputs if output.walk for hop in (*output.walk.inward, *output.walk.outward)}
    return {hop.letter for hop in shifts | walked}


def inlined(
    graph: Graph, named: Mapping[int, str], outputs: Sequence[Output], readers: Mapping[int, list[int]]
) -> frozenset[int]:
    """The values that are written where they are read: inverses, stacks, shifts read once, products without a name.

    What another body reads has a line of its own: its formula speaks of k.
    """
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
            case (
                Given()
                | Reduce()
                | Total()
                | Update()
                | Rounding()
                | Relate()
                | Resolve()
                | Surround()
                | Answer()
                | Unknown()
            ):
                inside = False
            case _:
                assert_never(value.definition)
        if inside and number not in shown | carried:
            found.add(number)
    return frozenset(found)


def _roles(graph: Graph, readers: Mapping[int, list[int]]) -> Iterator[tuple[int, str]]:
    """Roles by what a value does: carry inertia inward, be a pivot, a gain, an innovation, a message."""
    reading = Reading(dict(sorted(graph.values.items())), "as it stands")
    for number, value in reading.values.items():
        definition = value.definition
        if isinstance(definition, Shift) and definition.closing is not None:
            yield from _carried(graph, number, definition, readers)
    for found in reading.solutions(NAMED_PIVOT):
        if graph[found["D"].value].attached:
            yield found["D"].value, "D"
    yield from _gains(graph, reading)
    for found in reading.solutions(NAMED_FACTOR):
        value = graph[found["F"].value]
        if value.is_vector and not value.attached:
            yield found["F"].value, "lambda"
    for number, value in reading.values.items():
        if type(value.definition) in _RELATIONAL:
            yield number, _RELATIONAL[type(value.definition)]
    for found in reading.solutions(NAMED_COMPLEMENT):
        if single_product(graph[found["G"].value]) is not None:
            yield found["tau_bar"].value, "tau_bar"
    for found in reading.solutions(NAMED_INNOVATION):
        if graph[found["nu"].value].is_vector and graph[found["inv(D)"].value].attached:
            yield from ((found["epsilon"].value, "epsilon"), (found["nu"].value, "nu"))
    for number, value in reading.values.items():
        if value.is_vector and isinstance(value.definition, Shift):
            yield from _message(graph, number, value.definition, readers)


def _gains(graph: Graph, reading: Reading) -> Iterator[tuple[int, str]]:
    """P H* D⁻¹ and D⁻¹ H P; neither is a leaf over a pivot, nor what has a pivot on both sides."""
    gains = {found["G"].value: found.words["A"] for found in reading.solutions(NAMED_GAIN)}
    turned = {found["F"].value for found in reading.solutions(NAMED_FACTOR)}
    for number in sorted(gains.keys() ^ turned):
        if single_product(graph[number]) is None:
            continue
        if number in turned:
            yield number, "F"
        elif not isinstance(graph[expand_products(graph.values, gains[number])[0].value].definition, Given):
            yield number, "G"


def _readers(graph: Graph) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number, value in graph.values.items():
        for ref, _ in references(value.definition):
            found.setdefault(ref.value, []).append(number)
    return found


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
