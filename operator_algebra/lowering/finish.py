"""From a graph of recurrences that run one way to a program: sweeps, names, pivots and their bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import body_of
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.bounds import Bounds, bounds
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.naming import name_values
from operator_algebra.lowering.schedule import schedule
from operator_algebra.programs.instructions import Given, Invert, Linear, Relate, RootOf, Total, summed
from operator_algebra.programs.mirrored import stands_for_mirrored
from operator_algebra.programs.products import expand_products
from operator_algebra.programs.program import Output, Pivot, Program, Report, Step, Sweep
from operator_algebra.programs.records import references


def finished(graph: Graph, zeros: frozenset[str], *, keyed: bool) -> Program:
    """The program of a graph whose passes are done."""
    outputs = tuple(one for one in graph.wanted if isinstance(one, Output))
    leaves = {symbol for output in outputs for symbol in free_symbols(body_of(output.formula))}
    names, hidden = name_values(graph, outputs)
    _mirror_pivots(graph)
    given, stages = _given(graph, names), _stages(graph, names, hidden)
    found = _pivots(graph, [one.number for one in (*given, *(one for stage in stages for one in stage.steps))])
    reaching = bounds(graph, found, names)
    return Program(
        stages=stages,
        outputs=tuple(replace(o, name=o.name or (names[o.ref.value] if o.ref is not None else "x")) for o in outputs),
        given=given,
        accepts=_accepted(leaves),
        pivots=tuple(_pivot(graph, number, reaching) for number in found),
        bounds=reaching.sweeps,
        report=_report(graph, names, outputs),
        method=graph.method,
        keyed=keyed,
        sizes=graph.sizes,
        absent=tuple(sorted(zeros & {leaf.name for leaf in leaves if leaf.origin == "model"})),
    )


def sketched(graph: Graph) -> Program:
    """The sweeps of a graph and no more, for counting."""
    names = dict.fromkeys(graph.values, "")
    outputs = tuple(one for one in graph.wanted if isinstance(one, Output))
    report = Report((), (), (), "")
    return Program(_stages(graph, names, frozenset()), outputs, _given(graph, names), (), (), (), report)


def _given(graph: Graph, names: Mapping[int, str]) -> tuple[Step, ...]:
    return tuple(
        Step(number, names[number], value.block)
        for number, value in sorted(graph.values.items())
        if isinstance(value.definition, Given)
    )


def _stages(graph: Graph, names: Mapping[int, str], hidden: frozenset[int]) -> tuple[Sweep, ...]:
    return tuple(
        Sweep(stage.direction, tuple(Step(n, names[n], graph[n].block, n in hidden) for n in stage.values))
        for stage in schedule(graph)
    )


def _pivots(graph: Graph, numbers: list[int]) -> tuple[int, ...]:
    """The values that are inverted, whose logarithm or root is taken, and the relations that are triangularised."""
    found: dict[int, None] = {}
    for number in numbers:
        definition = graph[number].definition
        if isinstance(definition, Invert) or (isinstance(definition, Total) and definition.kind == "logdet"):
            if not isinstance(graph[definition.source.value].definition, Invert):
                found[definition.source.value] = None
        elif isinstance(definition, Relate | RootOf):
            found[number] = None
    return tuple(found)


def _mirror_pivots(graph: Graph) -> None:
    """Mark the pivots of no body whose formula tells that they are their own adjoints, where no product of them does.

    J M⁻¹ J* is, also if M⁻¹ J* is refined, or computed column by column for somebody else.
    """
    for number in _pivots(graph, list(graph.values)):
        pivot = Pivot(number, None if graph[number].attached else _formula(graph, number))
        if stands_for_mirrored(graph[number], pivot.inverted):
            graph.put(number, replace(graph[number], symmetric=True))


def _pivot(graph: Graph, number: int, reaching: Bounds) -> Pivot:
    """What is known of a pivot, and the products that it is summed from."""
    definition = graph[number].definition
    known = graph[number].attached or isinstance(definition, Linear)
    terms = (summed(definition) or ()) if known else ()
    written = tuple(replace(term, factors=expand_products(graph.values, term.factors)) for term in terms)
    left, right = reaching.of.get(number, (None, None))
    return Pivot(number, _formula(graph, number), written, left, right)


def _formula(graph: Graph, number: int) -> Expr | None:
    """The inverse that a pivot belongs to, or what has a root or a determinant."""
    definition = graph[number].definition
    if isinstance(definition, RootOf):
        return graph[definition.source.value].origin
    readers = [v for v in graph.values.values() if isinstance(v.definition, Invert | Total) and v.origin is not None]
    for value in sorted(readers, key=lambda one: isinstance(one.definition, Total)):
        if any(ref.value == number for ref, _ in references(value.definition)):
            return value.origin
    # Where what belongs to no body came from may be an operator that is applied to something.
    return graph[number].origin if graph[number].attached else None


def _accepted(leaves: set[Symbol]) -> tuple[Symbol, ...]:
    """The inputs that the formulas mention, those included that cancel or stand beside a leaf known to vanish."""
    from operator_algebra.symbols import v as rate

    found = {symbol for symbol in leaves if symbol.origin == "input"}
    if any(symbol.leaf is not None and symbol.leaf.reads_rates for symbol in leaves) and rate not in found:
        found.add(rate)
    return tuple(sorted(found, key=lambda symbol: symbol.name))


def _report(graph: Graph, names: Mapping[int, str], outputs: tuple[Output, ...]) -> Report:
    return Report(
        components=graph.coupled,
        pivots=tuple(_inverted_names(graph, names)),
        symmetric=tuple(names[number] for number, value in graph.values.items() if value.symmetric),
        structure="; ".join(str(body_of(output.formula).structure) for output in outputs),
        eliminated=tuple(graph.eliminated),
        choices=graph.choices,
    )


def _inverted_names(graph: Graph, names: Mapping[int, str]) -> Iterator[str]:
    for value in graph.values.values():
        if isinstance(value.definition, Invert):
            yield names[value.definition.source.value]
