"""What each instruction has to fit: types are compared by spaces, so that a force is no motion of the same size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import assert_never

from operator_algebra.expressions.nodes import Expr
from operator_algebra.operators.local import LOCAL_FUNCTIONS
from operator_algebra.operators.spaces import ONE, RELATION, ROUNDING, Counted, Space, Type, direct_sum, white
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
from operator_algebra.programs.mirrored import mirrored, stands_for_mirrored
from operator_algebra.programs.products import straight
from operator_algebra.programs.program import Block, Output, Pivot
from operator_algebra.programs.records import Ref, Row, Term
from operator_algebra.programs.walk import Walk

Complaints = Iterator[str]


@dataclass(frozen=True, slots=True)
class TypeCheck:
    """Complaints about values, outputs and pivots, given all values of a program by number."""

    values: Mapping[int, Block]

    def of(self, ref: Ref) -> Type:
        """The type of a reference."""
        type_ = self.values[ref.value].type
        return type_.T if ref.star else type_

    # -- values ----------------------------------------------------------------------------------------------------

    def value(self, block: Block, formula: Expr | None = None) -> Complaints:
        """What does not fit in the definition of a value, which stands for a formula where that is known."""
        type_ = block.type
        match block.definition:
            case Given(symbol=None):
                if not (type_.domain.counted is not None):
                    yield "unit columns of a space that counts none"
            case Given(symbol=symbol):
                if not (symbol is not None and symbol.type == type_):
                    yield "another type than its symbol"
            case Linear(terms=terms) | Reduce(terms=terms):
                yield from self.terms(terms, type_)
            case Shift() as shift:
                yield from self._shift(shift, type_)
            case Invert(source=source):
                inner = self.of(source)
                fits = inner.same_sizes and type_ == Type(inner.codomain, inner.domain)
                if not fits:
                    yield f"the inverse of {inner} is not {type_}"
            case RootOf(source=source):
                inner = self.of(source)
                fits = inner == inner.T and type_ == Type(white(inner.codomain), inner.codomain)
                if not fits:
                    yield f"the root of {inner} is not {type_}"
            case Call() as call:
                yield from self._call(call, type_)
            case Stack() as stack:
                yield from self._stack(stack, type_)
            case Part(source=source, index=index):
                inner = self.of(source)
                parts = inner.codomain.summands
                fits = index < len(parts) and Type(inner.domain, parts[index]) == type_
                if not fits:
                    yield f"part {index} of {inner} is not {type_}"
            case Total(source=source):
                inner = self.of(source)
                fits = inner.same_sizes or inner.codomain == RELATION
                if not (fits and type_ == ONE >> ONE):
                    yield f"no number is made of {inner}"
            case Update() as update:
                yield from self._update(update, type_)
            case Rounding(source=source):
                if type_ != ROUNDING >> self.of(source).codomain:
                    yield "columns of another space"
            case Relate() as relate:
                yield from self._relate(relate, type_)
            case Surround(relation=relation):
                fits = self.relation(relation) is not None and type_.codomain == RELATION
                if not fits:
                    yield "the surroundings of what is no relation"
            case Resolve(relation=relation):
                related = self.relation(relation)
                fits = related is not None and type_ == Type(self.of(relation).domain, direct_sum(related.spaces))
                if not fits:
                    yield "not the solution of a relation"
            case Answer() as answer:
                yield from self._answer(answer, type_)
            case _:
                assert_never(block.definition)
        if block.symmetric and not stands_for_mirrored(block, formula):
            yield from self._symmetric(block)

    def terms(self, terms: Iterable[Term], type_: Type) -> Complaints:
        """The factors of every term compose to the type of the sum."""
        for term in terms:
            for number in term.scalars:
                if self.values[number].type != ONE >> ONE:
                    yield "a scalar that is no number"
            if not term.factors:
                if not type_.square:
                    yield f"a multiple of the identity from {type_}"
                continue
            found = [self.of(ref) for ref in term.factors]
            for left, right in pairwise(found):
                if left.domain != right.codomain:
                    yield f"factors {left} and {right} do not compose"
            if Type(found[-1].domain, found[0].codomain) != type_:
                yield f"{found} is not {type_}"

    def _shift(self, shift: Shift, type_: Type) -> Complaints:
        inner = self.of(shift.source)
        yield from _hop(shift.hop)
        if shift.closing is not None:
            yield from _hop(shift.closing)
            if shift.closing.inward == shift.hop.inward:
                yield "hops that do not close"
            if shift.closing.type.codomain != inner.domain:
                yield f"the last hop does not reach {inner}"
        start = inner.domain if shift.closing is None else shift.closing.type.domain
        fits = shift.hop.type.domain == inner.codomain and type_ == Type(start, shift.hop.type.codomain)
        if not fits:
            yield f"a hop {shift.hop.type} of {inner} is not {type_}"

    def _call(self, call: Call, type_: Type) -> Complaints:
        function = LOCAL_FUNCTIONS.get(call.name)
        if function is None:
            yield f"there is no local function {call.name}"
            return
        expected = [Type(ONE, space) for space in function.arguments]
        fits = [self.of(ref) for ref in call.arguments] == expected and function.result == type_
        if not fits:
            yield f"{call.name} takes or delivers something else"

    def _stack(self, stack: Stack, type_: Type) -> Complaints:
        rows, (down, across) = stack.rows, stack.spaces(type_)
        if len(rows) != len(down) or any(len(row) != len(across) for row in rows):
            yield f"a stack of another shape than {type_}"
            return
        for row, codomain in zip(rows, down, strict=True):
            for ref, domain in zip(row, across, strict=True):
                fits = ref is None or self.of(ref) == Type(domain, codomain)
                if not fits:
                    yield f"a block of a stack is not {domain} → {codomain}"

    def _update(self, update: Update, type_: Type) -> Complaints:
        A = [self.of(ref) for ref in update.A]
        for left, right in pairwise(A):
            if left.domain != right.codomain:
                yield f"factors {left} and {right} do not compose"
        pivot = Type(A[-1].domain, A[-1].domain.dual)
        fits = self.of(update.P) == type_ and type_ == type_.T and A[0].codomain == type_.domain
        fits = fits and self.of(update.gain) == Type(pivot.codomain, type_.codomain)
        fits = fits and (update.J is None or self.of(update.J) == pivot)
        if not fits:
            yield f"an update of other blocks than {type_}"

    # -- relations -------------------------------------------------------------------------------------------------

    def relation(self, ref: Ref) -> Relate | None:
        """The relation that a reference is."""
        found = self.values[ref.value].definition
        return found if isinstance(found, Relate) and not ref.star else None

    def _relate(self, relate: Relate, type_: Type) -> Complaints:
        if type_.codomain != RELATION:
            yield "a relation of another space"
        for hop, member in (*relate.gathers, *relate.pulls):
            yield from _hop(hop)
            if hop.type.domain != relate.spaces[member]:
                yield "a hop of another space than it carries"
        if not (all(hop.inward for hop, _ in relate.gathers)):
            yield "a sum over children along an outward hop"
        if any(hop.inward for hop, _ in relate.pulls):
            yield "what arrives along an inward hop"
        arriving: list[Space] = [hop.type.codomain for hop, _ in relate.pulls]
        gathered: list[Space] = [hop.type.codomain for hop, _ in relate.gathers]
        for equation in relate.equations:
            for parts, spaces in (
                (equation.members, relate.spaces),
                (equation.gathers, gathered),
                (equation.pulls, arriving),
            ):
                for index, term in parts:
                    yield from self.terms([term], Type(spaces[index], equation.rows))
            constant = equation.constant
            if constant is not None:
                fits = self.of(constant) == Type(type_.domain, equation.rows)
                if not fits:
                    yield "a constant of another space than its equation"

    def _answer(self, answer: Answer, type_: Type) -> Complaints:
        related = self.relation(answer.relation)
        around = self.values[answer.surroundings.value].definition
        fits = related is not None and isinstance(around, Surround) and around.relation == answer.relation
        if related is None or not fits or len(answer.drives) != len(related.equations):
            yield "answers of what is no relation with its surroundings"
            return
        if type_.codomain != direct_sum(related.spaces):
            yield "not the members of the relation"
        for ref, equation in zip(answer.drives, related.equations, strict=True):
            fits = ref is None or self.of(ref) == Type(type_.domain, equation.rows)
            if not fits:
                yield "an equation is driven by another space"

    # -- symmetry --------------------------------------------------------------------------------------------------

    def _symmetric(self, block: Block) -> Complaints:
        """Whether a value that passes for its own adjoint is."""
        if block.type != block.type.T:
            yield f"{block.type} cannot be its own adjoint"
        elif self.own_adjoint(block) is False:
            yield "it is not its own adjoint"

    def own_adjoint(self, block: Block) -> bool | None:
        """Whether a value whose type allows it is its own adjoint, whatever its numbers; None if that is too long."""
        match block.definition:
            case Given(symbol=symbol):
                return symbol is not None and symbol.structure.symmetric
            case Invert(source=source):
                return self.values[source.value].symmetric
            case Stack(rows=rows):
                return all(rows[j][i] == self._adjoint(rows[i][j]) for i in range(len(rows)) for j in range(i + 1))
            case Linear(terms=terms) | Reduce(terms=terms):
                return mirrored(self.values, terms)
            case Shift(hop=hop, source=source, closing=closing):
                return closing is not None and hop == closing.T and self.values[source.value].symmetric
            case Update(P=P, J=J):
                rest = None if J is None else mirrored(self.values, [Term(Fraction(1), (J,))])
                return self.values[P.value].symmetric and (J is None or rest)
            case Call() | RootOf() | Part() | Total() | Rounding() | Relate() | Resolve() | Surround() | Answer():
                return False
            case _:
                assert_never(block.definition)

    def _adjoint(self, ref: Ref | None) -> Ref | None:
        return None if ref is None else straight(self.values, ref.T)

    # -- results ---------------------------------------------------------------------------------------------------

    def output(self, output: Output) -> Complaints:
        """What does not fit in a result."""
        whole = Type(output.columns, output.rows)
        if output.walk is not None:
            if output.kind not in ("dense", "block"):
                yield f"a walk for a result of kind {output.kind}"
            yield from self._walk(output.walk, whole)
            return
        if output.ref is None:
            yield "a result without a value"
            return
        found = self.of(output.ref)
        if output.kind == "picked" or (output.kind == "matrix" and whole.domain.attached and whole.codomain.attached):
            place = output.places[1] if output.kind == "picked" else None
            counted = found.domain.counted == Counted(whole.domain.sizes, place)
            if not (counted and found.codomain == whole.codomain):
                yield f"columns {found} of {whole}"
        else:
            if found != whole:
                yield f"{found} for a result {whole}"

    def _walk(self, walk: Walk, whole: Type) -> Complaints:
        sent = [hop.type.domain for hop in walk.inward]
        arrived = [hop.type.codomain for hop in walk.inward]
        shown = [hop.type.domain for hop in walk.outward]
        beta = [hop.type.codomain for hop in walk.outward]
        for hop in (*walk.inward, *walk.outward):
            yield from _hop(hop)
        if not (all(h.inward for h in walk.inward)):
            yield "an outward hop on the way in"
        if any(h.inward for h in walk.outward):
            yield "an inward hop on the way out"
        x, out = [whole.domain], [whole.codomain]
        grids: Sequence[tuple[Sequence[Row], Sequence[Space], Sequence[Space]]] = (
            ([(walk.out_x,)], out, x),
            ([walk.out_z], out, arrived),
            ([walk.out_beta], out, beta),
            ([(ref,) for ref in walk.s_x], sent, x),
            (walk.s_z, sent, arrived),
            ([(ref,) for ref in walk.d_x], shown, x),
            (walk.d_z, shown, arrived),
            (walk.d_beta, shown, beta),
            (walk.theta, beta, sent),
        )
        for grid, rows, columns in grids:
            for row, codomain in zip(grid, rows, strict=True):
                for ref, domain in zip(row, columns, strict=True):
                    fits = ref is None or self.of(ref) == Type(domain, codomain)
                    if not fits:
                        yield f"a block of a walk is not {domain} → {codomain}"

    def pivot(self, pivot: Pivot) -> Complaints:
        """What does not fit in a pivot."""
        value = self.values[pivot.value]
        block = value.definition.source if isinstance(value.definition, RootOf) else Ref(pivot.value)
        yield from self.terms(pivot.terms, value.type)
        for ref, one in ((pivot.left, block), (pivot.right, block.T)):
            fits = ref is None or self.of(ref) == ROUNDING >> self.of(one).codomain
            if not fits:
                yield "the columns that reach a pivot are of another space"
        if pivot.kept is not None and self.of(pivot.kept) != ONE >> ONE:
            yield "what a pivot leaves is no number"


def _hop(hop: Hop) -> Complaints:
    """The direction of a hop follows from its symbol."""
    structure = hop.symbol.structure
    fits = structure.hop and hop.inward == ((structure.flow == "inward") != hop.star)
    if not fits:
        yield f"{hop.symbol.name} does not run that way"
