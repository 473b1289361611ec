"""What the values of a graph are, exactly: scheduled and interpreted over fractions, beside the value of a formula."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from operator_algebra.evaluation import start
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.schedule import schedule
from operator_algebra.lowering.values import Value
from operator_algebra.meaning.queries import answer
from operator_algebra.programs.instructions import Given, hops_of
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import RATIONALS
from operator_algebra.programs.program import Program, Report, Step, Sweep
from operator_algebra.programs.records import Ref, Term, references
from tests.programs.rational_blocks import Exact, exact

NOTHING = Report((), (), (), "")
UNIT = Fraction(1)


def term(*factors: int | Ref, times: int | Fraction = 1, by: tuple[int, ...] = ()) -> Term:
    """A multiple of a product of values, and of scalars."""
    return Term(Fraction(times), tuple(Ref(one) if isinstance(one, int) else one for one in factors), tuple(sorted(by)))


def given(graph: Graph, symbol: Symbol) -> int:
    """The value of a leaf or an input."""
    return graph.new(symbol.type, Given(symbol), name=symbol.name, origin=symbol)


def leaves_of(graph: Graph) -> set[Symbol]:
    """What the values of a graph read of a mechanism and of a call."""
    found = {hop.symbol for value in graph.values.values() for hop in hops_of(value.definition)}
    read = (value.definition.symbol for value in graph.values.values() if isinstance(value.definition, Given))
    return found | {symbol for symbol in read if symbol is not None}


def program_of(graph: Graph) -> Program:
    """The sweeps of a graph without unknowns, and nothing that names or reads them."""
    kept = [Step(n, f"v{n}", v.block) for n, v in sorted(graph.values.items()) if isinstance(v.definition, Given)]
    stages = tuple(
        Sweep(stage.direction, tuple(Step(n, f"v{n}", graph[n].block) for n in stage.values))
        for stage in schedule(graph)
    )
    return Program(stages, (), tuple(kept), (), (), (), NOTHING)


@dataclass(frozen=True)
class Meant:
    """Exact leaves on a small tree, for graphs and for formulas."""

    values: Exact

    @classmethod
    def on(cls, symbols: Iterable[Symbol], seed: int = 0) -> Meant:
        """Random blocks of these leaves."""
        return cls(exact(set(symbols), seed))

    def computed(self, graph: Graph, *wanted: int | Ref) -> list[Any]:
        """The values of a graph: vectors stacked, blocks on a diagonal."""
        run = Interpreter(program_of(graph), self.values.tree, self.values.given, RATIONALS)
        run.run()
        return [self._whole(run, graph, Ref(one) if isinstance(one, int) else one) for one in wanted]

    def _whole(self, run: Interpreter, graph: Graph, ref: Ref) -> Any:
        value: Value = graph[ref.value]
        blocks = [run.get(ref, k) for k in (self.values.tree.bodies if value.attached else range(1))]
        arrays = [
            np.array([list(row) for row in one.rows], dtype=object).reshape(one.height, one.width) for one in blocks
        ]
        type_ = graph.type_of(ref)
        if type_.domain.attached and type_.codomain.attached:
            return diagonal(arrays)
        return np.concatenate(arrays, axis=0 if type_.codomain.attached else 1)

    def formula(self, e: Expr) -> Any:
        """The value of a formula, by block matrices."""
        return answer(start(self.values.evaluation.source), e).data.toarray()


def diagonal(blocks: Sequence[Any]) -> Any:
    """Blocks on a diagonal, zeros beside."""
    whole = np.full((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)), Fraction(0), dtype=object)
    row = column = 0
    for one in blocks:
        whole[row : row + one.shape[0], column : column + one.shape[1]] = one
        row, column = row + one.shape[0], column + one.shape[1]
    return whole


def same(one: Any, other: Any) -> bool:
    """Whether two matrices are equal to the last digit."""
    return one.shape == other.shape and bool((one == other).all())


def kept_by(change: Any, graph: Graph, *wanted: int, seeds: Sequence[int] = (0, 1)) -> tuple[Ref, ...]:
    """Change a graph and see that what is wanted stays; tells where it stands now."""
    meant = [Meant.on(leaves_of(graph), seed) for seed in seeds]
    before = [one.computed(graph, *wanted) for one in meant]
    graph.hold(*map(Ref, wanted))
    change(graph)
    after = [one.computed(graph, *graph.held) for one in meant]
    assert all(same(a, b) for old, new in zip(before, after, strict=True) for a, b in zip(old, new, strict=True))
    return graph.held


def symbols_in(*formulas: Expr) -> set[Symbol]:
    """The leaves and inputs of formulas."""
    return {symbol for e in formulas for symbol in free_symbols(e)}


def solved(program: Program) -> set[int]:
    """The numbers of the values that depend on an input or on a rate, directly or by way of others."""
    found: set[int] = set()
    for step in program.given:
        symbol = step.definition.symbol if isinstance(step.definition, Given) else None
        if symbol is not None and (symbol.leaf is None or symbol.leaf.reads_rates):
            found.add(step.number)
    while True:
        steps = program.computed.values()
        more = {step.number for step in steps if any(ref.value in found for ref, _ in references(step.definition))}
        if more <= found:
            return found
        found |= more
