"""The lowered form: sweeps over the bodies, each a list of assignments of one block value at a body.

No indices, no model: shapes are pairs of spaces, and one program serves every mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.schedule import Direction
from operator_algebra.lowering.values import (
    Definition,
    Given,
    Invert,
    Ref,
    Relate,
    RootOf,
    Shift,
    Stack,
    Total,
    Value,
    references,
)
from operator_algebra.operators.spaces import Type

if TYPE_CHECKING:
    from operator_algebra.lowering.cost import Cost, Topology
    from operator_algebra.lowering.transfer import Transfer

OutputKind = Literal["vector", "matrix", "blocks", "small", "dense", "block", "picked"]
"""A vector, columns or rows over the bodies, one block per body, one block of no body, all blocks by walks, or one;
"picked" is one block, taken from the columns of its body."""


@dataclass(frozen=True, slots=True)
class Step:
    """One assignment: the value `number`, called `name`, by its definition at every body of the sweep."""

    number: int
    name: str
    value: Value
    inline: bool = False
    """Whether it is written where it is read instead of on a line of its own."""

    @property
    def definition(self) -> Definition:
        return self.value.definition

    @property
    def type(self) -> Type:
        return self.value.type


@dataclass(frozen=True, slots=True)
class Sweep:
    """One pass over the bodies; "local" ones may run in any order, "once" is no pass but algebra between sweeps."""

    direction: Direction
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """A result: the value that holds it and how it is laid out, or the blocks that a walk over the tree needs."""

    name: str
    formula: Expr | Query
    kind: OutputKind
    ref: Ref | None
    walk: Transfer | None = None

    def refs(self) -> tuple[Ref, ...]:
        """The values that are read."""
        own = () if self.ref is None else (self.ref,)
        return own if self.walk is None else own + self.walk.refs()

    def map(self, change: Callable[[Ref], Ref]) -> Output:
        """The same over other values."""
        ref = None if self.ref is None else change(self.ref)
        return replace(self, ref=ref, walk=None if self.walk is None else self.walk.map(change))


@dataclass(frozen=True, slots=True)
class Bound:
    """The columns of rounding that reach a pivot, from the left and from the right: see `bounds`."""

    pivot: int
    left: Ref
    right: Ref


@dataclass(frozen=True, slots=True)
class Bounds:
    """The rounding that reaches the pivots, and the sweeps that carry it after those of the program."""

    reaching: tuple[Bound, ...] = ()
    sweeps: tuple[Sweep, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What the compiler found out on the way."""

    components: tuple[str, ...]
    pivots: tuple[str, ...]
    symmetric: tuple[str, ...]
    structure: str
    eliminated: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Program:
    """Sweeps that compute one or several expressions; see `pseudocode` and `cost`."""

    stages: tuple[Sweep, ...]
    outputs: tuple[Output, ...]
    given: tuple[Step, ...]
    report: Report
    method: str = "auto"
    keyed: bool = False
    bounds: Bounds = Bounds()

    @cached_property
    def sweeps(self) -> tuple[Sweep, ...]:
        """The passes over the tree."""
        return tuple(stage for stage in self.stages if stage.direction != "once")

    @cached_property
    def steps(self) -> Mapping[int, Step]:
        """Every value by number."""
        found = {step.number: step for step in self.given}
        return found | {step.number: step for stage in self.stages for step in stage.steps}

    @cached_property
    def computed(self) -> Mapping[int, Step]:
        """Every value by number, those of the bounds included."""
        return {**self.steps, **{step.number: step for sweep in self.bounds.sweeps for step in sweep.steps}}

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The leaves of the model and the inputs that the program reads, hops included."""
        found: dict[Symbol, None] = {}
        for step in self.given:
            if isinstance(step.definition, Given) and step.definition.symbol is not None:
                found[step.definition.symbol] = None
        for stage in self.stages:
            for step in stage.steps:
                found.update(dict.fromkeys(_hops(step.definition)))
        for output in self.outputs:
            if output.walk is not None:
                found.update({hop.symbol: None for hop in (*output.walk.inward, *output.walk.outward)})
        return tuple(sorted(found, key=lambda symbol: symbol.name))

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that a call must give besides q."""
        names = {symbol.name for symbol in self.symbols if symbol.origin == "input"}
        return tuple(sorted(names | {"v"} if "H_dot" in self.leaves else names))

    @cached_property
    def mentioned(self) -> tuple[Symbol, ...]:
        """The inputs that the formulas mention, those included that cancel or stand beside a leaf known to vanish."""
        from operator_algebra.symbols import v as rate

        bodies = [o.formula.body if isinstance(o.formula, Query) else o.formula for o in self.outputs]
        leaves = {symbol for body in bodies for symbol in free_symbols(body)}
        found = {symbol for symbol in leaves if symbol.origin == "input"}
        if any(leaf.name == "H_dot" and leaf.origin == "model" for leaf in leaves) and rate not in found:
            found.add(rate)
        return tuple(sorted(found, key=lambda symbol: symbol.name))

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The names of the leaves that the model provides."""
        return tuple(symbol.name for symbol in self.symbols if symbol.origin == "model")

    def factor_part(self) -> frozenset[int]:
        """The values that depend on the configuration alone: computed once for many right-hand sides."""
        return frozenset(self.steps) - self.solve_part()

    def solve_part(self) -> frozenset[int]:
        """The values that depend on an input or on a velocity."""
        moving = {
            step.number
            for step in self.given
            if isinstance(step.definition, Given)
            and step.definition.symbol is not None
            and (step.definition.symbol.origin == "input" or step.definition.symbol.name == "H_dot")
        }
        for stage in self.stages:
            for _ in stage.steps:
                before = len(moving)
                for step in stage.steps:
                    if any(ref.value in moving for ref, _ in references(step.definition)):
                        moving.add(step.number)
                if len(moving) == before:
                    break
        return frozenset(moving)

    def pivots(self) -> tuple[Step, ...]:
        """The values that are inverted, whose logarithm or root is taken, and the relations that are triangularised."""
        found: dict[int, Step] = {}
        for step in self.steps.values():
            definition = step.definition
            if isinstance(definition, Invert) or (isinstance(definition, Total) and definition.kind == "logdet"):
                source = self.steps[definition.source.value]
                if not isinstance(source.definition, Invert):
                    found[source.number] = source
            elif isinstance(step.definition, Relate | RootOf):
                found[step.number] = step
        return tuple(found.values())

    def pseudocode(
        self,
        style: Literal["unicode", "ascii", "latex"] = "unicode",
        *,
        numbering: Literal["model", "paper"] = "model",
        reasons: bool = False,
    ) -> str:
        """The algorithm as a page of a textbook; with `reasons`, each line says why it is there."""
        from operator_algebra.lowering.pseudocode import pseudocode

        return pseudocode(self, style, numbering, reasons=reasons)

    def cost(self, model: Topology) -> Cost:
        """Operations for a mechanism, per body and in total; needs the topology and the degrees of freedom only."""
        from operator_algebra.lowering.cost import cost

        return cost(self, model)

    @property
    def definite(self) -> bool:
        """Whether pivots are Schur complements of definite operators: then no other elimination has larger ones."""
        stacked = any(isinstance(step.definition, Stack) for step in self.pivots())
        return not stacked and all(e.structure.definite for e in self.report.eliminated)

    @property
    def refinable(self) -> bool:
        """Whether small pivots may cost digits that a step of iterative refinement gives back: see `refine`."""
        return not self.definite and all(output.kind in ("vector", "matrix") for output in self.outputs)

    @property
    def formula(self) -> str:
        """What is computed."""
        if not self.keyed:
            return str(self.outputs[0].formula)
        return "{" + ", ".join(f"{output.name} = {output.formula}" for output in self.outputs) + "}"

    def __repr__(self) -> str:
        from operator_algebra.lowering.summary import one_line

        return one_line(self)

    def __str__(self) -> str:
        return self.pseudocode()

    def _repr_html_(self) -> str:
        from operator_algebra.lowering.summary import html

        return html(self)


def _hops(definition: Definition) -> list[Symbol]:
    if isinstance(definition, Relate):
        return [hop.symbol for hop, _ in (*definition.gathers, *definition.pulls)]
    if not isinstance(definition, Shift):
        return []
    hops = [definition.hop, definition.closing]
    return [hop.symbol for hop in hops if hop is not None]
