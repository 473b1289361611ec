"""The lowered form: sweeps over the bodies, each a list of assignments of one block value at a body.

No indices, no model: shapes are pairs of spaces, and one program serves every mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from operator_algebra.expressions.nodes import Expr, Inverse, Symbol
from operator_algebra.expressions.query import Query
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.spaces import Space, Type
from operator_algebra.programs.instructions import Given, Instruction, Invert, RootOf, Stack, Total, hops_of
from operator_algebra.programs.records import Record, Ref, Term, references

if TYPE_CHECKING:
    from operator_algebra.programs.cost import Cost, Topology
    from operator_algebra.programs.walk import Walk

Direction = Literal["inward", "outward", "local", "once"]

OutputKind = Literal["vector", "matrix", "blocks", "small", "logdet", "dense", "block", "picked"]
"""A vector, columns or rows over the bodies, one block per body, one block of no body, the logarithm of a determinant,
all blocks by walks, or one; "picked" is one block, taken from the columns of its body."""


@dataclass(frozen=True, slots=True)
class Defined:
    """A value: its type (rows and columns per body), what defines it, its names in the formula.

    `symmetric` says that it is its own adjoint: a sum, shift or update is averaged with its adjoint, so that it is.
    """

    type: Type
    definition: Record
    names: tuple[str, ...] = ()
    symmetric: bool = False

    @property
    def attached(self) -> bool:
        """Whether it has a block for each body."""
        return self.type.domain.attached or self.type.codomain.attached

    @property
    def is_vector(self) -> bool:
        """Whether it is a column (one or several right-hand sides)."""
        return not self.type.domain.attached

    @property
    def given(self) -> bool:
        """Whether it is there before any sweep: a leaf, an input, or unit columns."""
        return isinstance(self.definition, Given)

    @property
    def leaf(self) -> Symbol | None:
        """The leaf or the input that it is."""
        return self.definition.symbol if isinstance(self.definition, Given) else None


@dataclass(frozen=True, slots=True)
class Block(Defined):
    """A value that an instruction computes."""

    definition: Instruction


@dataclass(frozen=True, slots=True)
class Step:
    """One assignment: the value `number`, called `name`, by its definition at every body of the sweep."""

    number: int
    name: str
    value: Block
    inline: bool = False
    """Whether it is written where it is read instead of on a line of its own."""

    @property
    def definition(self) -> Instruction:
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
    """A result: the value that holds it and how it is laid out, or the walk over the tree that gives its blocks.

    Rows and columns are those of the whole operator; `places` are the row and the column of a single block.
    """

    name: str
    formula: Expr | Query
    kind: OutputKind
    rows: Space
    columns: Space
    ref: Ref | None
    walk: Walk | None = None
    places: tuple[int | str, ...] = ()

    def refs(self) -> tuple[Ref, ...]:
        """The values that are read."""
        own = () if self.ref is None else (self.ref,)
        return own if self.walk is None else own + self.walk.refs()

    def map(self, change: Callable[[Ref], Ref]) -> Output:
        """The same over other values."""
        ref = None if self.ref is None else change(self.ref)
        return replace(self, ref=ref, walk=None if self.walk is None else self.walk.map(change))


@dataclass(frozen=True, slots=True)
class Pivot:
    """A value that is inverted, whose logarithm or root is taken, or a relation that is triangularised.

    `formula` is the inverse that it belongs to, or what has a root, where that is known. A pivot is small beside the
    sizes of the products in `terms`, which may cancel in it; `left` and `right` are the columns of rounding that
    reach it: see `lowering.bounds`.
    """

    value: int
    formula: Expr | None
    terms: tuple[Term, ...] = ()
    left: Ref | None = None
    right: Ref | None = None
    kept: Ref | None = None
    """What share of the compliance a small system leaves: see `lowering.compliance`."""

    @property
    def inverted(self) -> Expr | None:
        """The formula that is inverted, or that has a root."""
        return self.formula.body if isinstance(self.formula, Inverse) else self.formula

    def refs(self) -> tuple[Ref, ...]:
        """The values that are read."""
        reaching = [ref for ref in (self.left, self.right, self.kept) if ref is not None]
        read = [ref for term in self.terms for ref in (*term.factors, *map(Ref, term.scalars))]
        return (Ref(self.value), *reaching, *read)


@dataclass(frozen=True, slots=True)
class Report:
    """What the compiler found out on the way."""

    components: tuple[str, ...]
    pivots: tuple[str, ...]
    symmetric: tuple[str, ...]
    structure: str
    eliminated: tuple[Expr, ...] = ()
    choices: tuple[str, ...] = ()
    """Forms with other numbers of sweeps, the one that was taken first."""


@dataclass(frozen=True)
class Program:
    """Sweeps that compute one or several expressions; see `pseudocode`, `text` and `cost`.

    `accepts` are the inputs that a call may name: those of the formulas, also where they cancel. `bounds` are sweeps
    after those of the program; they carry the rounding that reaches the pivots. `absent` are leaves of the formulas
    that were taken to vanish: the program is for mechanisms that have none of them.
    """

    stages: tuple[Sweep, ...]
    outputs: tuple[Output, ...]
    given: tuple[Step, ...]
    accepts: tuple[Symbol, ...]
    pivots: tuple[Pivot, ...]
    bounds: tuple[Sweep, ...]
    report: Report
    method: str = "auto"
    keyed: bool = False
    absent: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict[str, int], compare=False)
    """With what sizes of spaces operations were counted, where forms were chosen."""

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
        return {**self.steps, **{step.number: step for sweep in self.bounds for step in sweep.steps}}

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The leaves of the model and the inputs that the program reads, hops included."""
        found: dict[Symbol, None] = {}
        for step in self.given:
            if isinstance(step.definition, Given) and step.definition.symbol is not None:
                found[step.definition.symbol] = None
        for stage in self.stages:
            for step in stage.steps:
                found.update({hop.symbol: None for hop in hops_of(step.definition)})
        for output in self.outputs:
            if output.walk is not None:
                found.update({hop.symbol: None for hop in (*output.walk.inward, *output.walk.outward)})
        return tuple(sorted(found, key=lambda symbol: symbol.name))

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that a call must give besides q."""
        names = {symbol.name for symbol in self.symbols if symbol.origin == "input"}
        return tuple(sorted(names | {"v"} if self.reads_rates else names))

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves that the model provides."""
        return tuple(symbol.leaf for symbol in self.symbols if symbol.leaf is not None)

    @cached_property
    def reads_rates(self) -> bool:
        """Whether a leaf depends on the rates v."""
        return any(leaf.reads_rates for leaf in self.leaves)

    @cached_property
    def text(self) -> str:
        """The program as text without loss: `Program.parse` reads it back."""
        from operator_algebra.programs.text import write

        return write(self)

    @staticmethod
    def parse(text: str) -> Program:
        """The program of a text; what does not fit together is refused."""
        from operator_algebra.programs.read import read

        return read(text)

    def pseudocode(
        self,
        style: Literal["unicode", "ascii", "latex"] = "unicode",
        *,
        numbering: Literal["model", "paper"] = "model",
        reasons: bool = False,
    ) -> str:
        """The algorithm as a page of a textbook; with `reasons`, each line says why it is there."""
        return _pages("pseudocode").pseudocode(self, style, numbering, reasons=reasons)

    def cost(self, model: Topology) -> Cost:
        """Operations for a mechanism, per body and in total; needs the topology and the degrees of freedom only."""
        from operator_algebra.programs.cost import cost

        return cost(self, model)

    @property
    def definite(self) -> bool:
        """Whether pivots are Schur complements of definite operators: then no other elimination has larger ones."""
        stacked = any(isinstance(self.steps[pivot.value].definition, Stack) for pivot in self.pivots)
        return not stacked and all(e.structure.definite for e in self.report.eliminated)

    @property
    def refinable(self) -> bool:
        """Whether small pivots may cost digits that a step of iterative refinement gives back: see `refine`."""
        return not self.definite and all(output.kind in ("vector", "matrix") for output in self.outputs)

    @property
    def refines(self) -> bool:
        """Whether solutions are refined where springs hold what moves: see `lowering.bordered`."""
        return self.method in ("refined", "orthogonal")

    @property
    def formula(self) -> str:
        """What is computed."""
        if not self.keyed:
            return str(self.outputs[0].formula)
        return "{" + ", ".join(f"{output.name} = {output.formula}" for output in self.outputs) + "}"

    def __repr__(self) -> str:
        return _pages("summary").one_line(self)

    def __str__(self) -> str:
        return self.pseudocode()

    def _repr_html_(self) -> str:
        return _pages("summary").html(self)


def tested_block(program: Program, pivot: Pivot) -> Ref:
    """The block whose inverse a pivot stands for; that of a root is what it is the root of."""
    definition = program.steps[pivot.value].definition
    return definition.source if isinstance(definition, RootOf) else Ref(pivot.value)


def inverses_of(program: Program, number: int) -> tuple[int, ...]:
    """The inverses of a value; none if its determinant is wanted, too."""
    same = {number}
    for step in program.steps.values():
        if isinstance(step.definition, Invert) and step.definition.source.value == number:
            same.add(step.number)
    wanted = (step.definition for step in program.steps.values())
    if any(isinstance(one, Total) and one.kind == "logdet" and one.source.value in same for one in wanted):
        return ()
    return tuple(sorted(same - {number}))


def read_by(program: Program, number: int) -> frozenset[int]:
    """The values that a value is computed from, itself not among them unless it is recurrent."""
    found: set[int] = set()
    pending = [number]
    while pending:
        for ref, _ in references(program.steps[pending.pop()].definition):
            if ref.value not in found:
                found.add(ref.value)
                pending.append(ref.value)
    return frozenset(found)


def _pages(name: str) -> Any:
    """A module about programs as text, which knows programs, and not the other way round."""
    return import_module(f"operator_algebra.pages.{name}")
