"""A running bound beside the pivots: how much of the rounding of everything before it reaches each of them.

To first order, rounding passes elimination as forces do: δP⁺ = (I − G H) δP (I − G H)*, and on to the parent. Columns z
with E z z* = δP / eps run along like the innovations: z = Σ φ z⁺ + w, r = H z, z⁺ = z − G r + w⁺, where w is as large
as what is rounded at a body. A pivot D has lost the digits that r* D⁻¹ r counts: a number without units, that sees what
cancelled further out, and stays small where all is well, however long the chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import assert_never

from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.schedule import schedule
from operator_algebra.lowering.values import Definition, Unknown, Value
from operator_algebra.operators.spaces import ROUNDING, Type
from operator_algebra.programs.instructions import (
    Answer,
    Call,
    Given,
    Hop,
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
from operator_algebra.programs.products import expand_products, straight
from operator_algebra.programs.program import Block, Pivot, Program, Step, Sweep
from operator_algebra.programs.records import Ref, Term, references
from operator_algebra.programs.roles import ELIMINATION
from operator_algebra.programs.schemes import Binding, Reading

UNIT = Fraction(1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Columns of rounding that reach each pivot, from left and right, and the sweeps that carry them."""

    of: Mapping[int, tuple[Ref, Ref]]
    sweeps: tuple[Sweep, ...]


def bounds(graph: Graph, pivots: Iterable[int], names: Mapping[int, str]) -> Bounds:
    """The columns that reach each pivot, and the sweeps that carry them once the program has run."""
    carrier = _Carrier(graph)
    found: dict[int, tuple[Ref, Ref]] = {}
    for number in pivots:
        definition, block = graph[number].definition, Ref(number)
        if isinstance(definition, RootOf):
            block = definition.source
        type_ = graph.type_of(block)
        if type_.domain.attached and type_.codomain.attached:
            symmetric = graph[block.value].symmetric
            left = carrier.reaching(block)
            found[number] = left, left if symmetric else carrier.reaching(block.T)
    return Bounds(found, carrier.sweeps(names))


@dataclass(frozen=True, slots=True)
class _Elimination:
    """P − P A D⁻¹ B P: what reaches P from the left goes on through I − gain B, gain = P A D⁻¹."""

    P: Ref
    gain: tuple[Ref, ...]
    B: tuple[Ref, ...]


class _Carrier:
    """Makes the values that carry rounding, one for each block from the left, and one for its adjoint."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.reading = Reading(graph.values)
        self.made = Graph(_next=max(graph.values, default=0))
        self._numbers: dict[Ref, int] = {}
        self._pending: list[Ref] = []

    def reaching(self, block: Ref) -> Ref:
        """The rounding of a block as it is seen from the left."""
        found = self._columns(block)
        while self._pending:
            one = self._pending.pop()
            self.made.put(self._numbers[one], Value(self._type(one), self._definition(one)))
        return found

    def sweeps(self, names: Mapping[int, str]) -> tuple[Sweep, ...]:
        """The values that were made, in sweeps; what they read of the program is there already."""
        graph = Graph(dict(self.made.values))
        for value in self.made.values.values():
            for ref, _ in references(value.definition):
                if ref.value not in self.made.values:
                    graph.put(ref.value, Value(self.graph[ref.value].type, Given(None)))
        called = {n: names[ref.value] + ("_star" if ref.star else "") for ref, n in self._numbers.items()}

        def step(number: int) -> Step:
            return Step(number, f"rounding_{called.get(number, number)}", graph[number].block)

        return tuple(Sweep(stage.direction, tuple(map(step, stage.values))) for stage in schedule(graph))

    def _columns(self, block: Ref) -> Ref:
        """The value that carries the rounding of a block; it is defined later."""
        if block.star and self.graph[block.value].symmetric:
            block = Ref(block.value)
        if block not in self._numbers:
            self._numbers[block] = self.made.reserve()
            self._pending.append(block)
        return Ref(self._numbers[block])

    def _type(self, block: Ref) -> Type:
        return Type(ROUNDING, self.graph.type_of(block).codomain)

    def _definition(self, block: Ref) -> Definition:
        definition = self.graph[block.value].definition
        elimination = self._elimination(block)
        if elimination is not None:
            return self._eliminated(block, elimination)
        match definition:
            case Linear():
                return self._sum(block, definition)
            case Shift(closing=closing) if closing is not None:
                hop = closing.T if block.star else definition.hop
                source = definition.source.T if block.star else definition.source
                return Shift(hop, self._columns(source))
            case Invert(source=source):
                return Linear((Term(UNIT, (block, self._columns(source.T if block.star else source))),))
            case Stack(rows=rows):
                return self._stacked(block, rows)
            case (
                Given()
                | Shift()
                | Call()
                | RootOf()
                | Part()
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
                return Rounding(block)
            case _:
                assert_never(definition)

    def _eliminated(self, block: Ref, elimination: _Elimination) -> Linear:
        z = self._columns(elimination.P)
        rows = self.graph.type_of(elimination.B[0]).codomain
        r = self.made.new(Type(ROUNDING, rows), Linear((Term(UNIT, (*elimination.B, z)),)))
        w = self.made.new(self._type(elimination.P), Rounding(elimination.P, after=Ref(block.value)))
        through = Term(Fraction(-1), (*elimination.gain, Ref(r)))
        return Linear((Term(UNIT, (z,)), through, Term(UNIT, (Ref(w),))))

    def _sum(self, block: Ref, definition: Linear) -> Linear:
        """What reaches each term, and what is rounded in adding them."""
        terms: list[Term] = []
        for term in definition.terms:
            factors = expand_products(self.graph.values, term.factors)
            if block.star:
                factors = tuple(factor.T for factor in reversed(factors))
            computed = [i for i, factor in enumerate(factors) if not self._given(factor)]
            if len(computed) == 1 and not term.scalars:
                (i,) = computed
                size = Fraction(sqrt(abs(term.coefficient))).limit_denominator(1000)
                terms.append(Term(size, (*factors[:i], self._columns(factors[i]))))
            elif factors and not self._positive(term):
                terms.append(Term(UNIT, (self._rounded(replace(term, factors=factors), block),)))
        if len(definition.terms) > 1:
            terms.append(Term(UNIT, (self._rounded(None, block),)))
        return Linear(tuple(terms))

    def _given(self, ref: Ref) -> bool:
        return isinstance(self.graph[ref.value].definition, Given)

    def _positive(self, term: Term) -> bool:
        """A definite leaf: what it adds cannot cancel, so the rounding of the sum covers its own."""
        found = None if term.bare is None else self.graph[term.bare.value].definition
        return isinstance(found, Given) and found.symbol is not None and found.symbol.structure.definite

    def _rounded(self, term: Term | None, block: Ref) -> Ref:
        """The rounding of a block, or of a term of its sum."""
        if term is not None and term.bare is None:
            block = Ref(self.made.new(self.graph.type_of(block), Linear((term,))))
            return Ref(self.made.new(Type(ROUNDING, self.made.type_of(block).codomain), Rounding(block)))
        source = block if term is None or term.bare is None else term.bare
        return Ref(self.made.new(self._type(source), Rounding(source)))

    def _stacked(self, block: Ref, rows: tuple[tuple[Ref | None, ...], ...]) -> Stack:
        """Row by row of a block matrix, or column by column of its adjoint."""
        if block.star:
            rows = tuple(tuple(None if ref is None else ref.T for ref in column) for column in zip(*rows, strict=True))
        found: list[tuple[Ref | None]] = []
        for row in rows:
            cells = [ref for ref in row if ref is not None]
            columns = [Term(UNIT, (self._columns(ref),)) for ref in cells]
            found.append((Ref(self.made.new(self._type(cells[0]), Linear(tuple(columns)))) if cells else None,))
        return Stack(tuple(found))

    def _elimination(self, block: Ref) -> _Elimination | None:
        definition = self.graph[block.value].definition
        if isinstance(definition, Update):
            return _Elimination(definition.P, (definition.gain,), self._adjoint(definition.A))
        found = list(self.reading.solutions(ELIMINATION, Binding({"X": Ref(block.value)})))
        if len(found) != 1:
            return None
        P, A, B, inverse = found[0]["P"], found[0].words["A"], found[0].words["B"], found[0]["inv(D)"]
        if block.star:
            P, A, B, inverse = P.T, self._adjoint(B), self._adjoint(A), *self._adjoint((inverse,))
        return _Elimination(P, (P, *A, inverse), B)

    def _adjoint(self, factors: tuple[Ref, ...]) -> tuple[Ref, ...]:
        return tuple(Ref(ref.value) if self.graph[ref.value].symmetric else ref.T for ref in reversed(factors))


# -- read back ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Elimination:
    """D = H P H* + rest, P = Σ φ P⁺ φ* + own, P⁺ = P − P H* D⁻¹ H P, and all of what bounds it.

    Its columns: z = Σ φ z⁺ + w, r = H z, z⁺ = z − G r + w⁺, where w and w⁺ are the rounding of P.
    """

    H: tuple[Ref, ...]
    P: Ref
    hop: Hop
    own: tuple[Term, ...]
    rest: tuple[Term, ...]
    z: Ref
    w: Rounding
    w_plus: Rounding
    sums: int
    """How often D or a part of its rest is rounded in r beside H z, because D is a sum."""


def elimination(program: Program, pivot: Pivot) -> Elimination | None:
    """The parts of a pivot that is one; None for any other."""
    values = {number: step.value for number, step in program.computed.items()}
    if pivot.left is None or pivot.left != pivot.right or not values[pivot.value].symmetric:
        return None
    squares = [(term, _half(values, term)) for term in pivot.terms]
    found = [half for _, half in squares if half]
    if len(found) != 1:
        return None
    *before, P = found[0]
    H = tuple(before)
    sources = _terms(values, P)
    shifts = [shift for term in sources if (shift := _shift(values, term))]
    if len(shifts) != 1 or shifts[0].closing != shifts[0].hop.T or not shifts[0].hop.inward:
        return None
    hop, plus = shifts[0].hop, shifts[0].source
    update = values[plus.value].definition
    outer = tuple(straight(values, ref.T) for ref in reversed(H))
    if not isinstance(update, Update) or update.P != P or expand_products(values, update.A) != outer:
        return None
    w, w_plus = Rounding(P), Rounding(P, after=plus)
    seen, *sums = _terms(values, pivot.left)
    z = seen.factors[-1]
    reached = (Term(Fraction(1), (*H, z)),)
    rest = tuple(term for term, half in squares if not half)
    parts = [Ref(pivot.value), *(ref for term in rest if (ref := term.bare) and values[ref.value].symmetric)]
    rounded = [Rounding(part) for part in parts]
    if (seen,) != reached or any(_defined(values, term) not in rounded for term in sums):
        return None
    into = _terms(values, z)
    carried = [shift for term in into if (shift := _shift(values, term)) and shift.hop == hop and not shift.closing]
    if len(carried) != 1 or len(into) != 2 or w not in [_defined(values, term) for term in into]:
        return None
    out = _terms(values, carried[0].source)
    through = [
        term.coefficient == -1 and term.factors[:-1] == (update.gain,) and _terms(values, term.factors[-1]) == reached
        for term in out
    ]
    kept = z in [term.bare for term in out] and w_plus in [_defined(values, term) for term in out]
    if len(out) != 3 or sum(through) != 1 or not kept:
        return None
    own = tuple(term for term in sources if _shift(values, term) is None)
    return Elimination(H, P, hop, own, rest, z, w, w_plus, len(sums))


def _half(values: Mapping[int, Block], term: Term) -> tuple[Ref, ...]:
    """H and P of a term H P H*; nothing of any other."""
    factors = expand_products(values, term.factors)
    middle = len(factors) // 2
    mirrored = all(straight(values, a.T) == b for a, b in zip(factors, reversed(factors), strict=True))
    if not mirrored or len(factors) != 2 * middle + 1 or middle == 0 or term.coefficient != 1 or term.scalars:
        return ()
    return factors[: middle + 1]


def _terms(values: Mapping[int, Block], ref: Ref) -> tuple[Term, ...]:
    """The terms of a sum; what is none is one of itself."""
    definition = values[ref.value].definition
    return definition.terms if isinstance(definition, Linear) and definition.terms else (Term(Fraction(1), (ref,)),)


def _defined(values: Mapping[int, Block], term: Term) -> object:
    return None if term.bare is None else values[term.bare.value].definition


def _shift(values: Mapping[int, Block], term: Term) -> Shift | None:
    found = _defined(values, term)
    return found if isinstance(found, Shift) else None
