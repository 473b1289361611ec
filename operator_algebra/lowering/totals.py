"""Trace and log-determinant of any accepted operator, as sums over the bodies."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import diag
from operator_algebra.expressions.nodes import Expr, Inverse, One, Product, Scale, Symbol, Transpose
from operator_algebra.lowering import refuse
from operator_algebra.lowering.graph import RING, Form
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.queries import pivots
from operator_algebra.lowering.trampoline import run
from operator_algebra.operators.spaces import ONE, Space, Type, columns_of
from operator_algebra.programs.instructions import Given, Reduce, Total
from operator_algebra.programs.records import Ref, Term

UNIT = Fraction(1)


def _total(lift: Lift, kind: Literal["trace", "logdet"], ref: Ref, of: Expr | None = None) -> Form:
    """The number that is made of a value, which is that of an expression."""
    return RING.of(Ref(lift.graph.new(ONE >> ONE, Total(kind, ref), origin=of)))


def trace(lift: Lift, e: Expr) -> int:
    """Σ_k tr e(k, k)."""
    if not e.type.domain.attached:
        return lift.graph.sum(ONE >> ONE, _total(lift, "trace", Ref(lift.vector(e))))
    if lift.graph.refines and run(lift.seams.split(e)).low:
        return lift.graph.sum(ONE >> ONE, _total(lift, "trace", _columns(lift, e)))
    return lift.graph.sum(ONE >> ONE, _total(lift, "trace", lift.block(diag(e))))


def _columns(lift: Lift, e: Expr) -> Ref:
    """The operator column by column, as a block of no body: what is refined are solutions, and not diagonal blocks."""
    unit = Ref(_unit(lift, e.type.codomain.dual))
    columns = Ref(lift.applied(e, _unit(lift, e.type.domain)))
    type_ = Type(lift.graph.type_of(columns).domain, lift.graph.type_of(unit.T).codomain)
    return Ref(lift.graph.new(type_, Reduce((Term(UNIT, (unit.T, columns)),))))


def _unit(lift: Lift, space: Space) -> int:
    return lift.graph.new(Type(columns_of(space, None), space), Given(None))


def logdet(lift: Lift, e: Expr) -> int:
    """Log |det e|: pivots of the inverse less those of what is inverted inside."""
    found: list[Form] = []

    def add(sign: Fraction, ref: Ref, of: Expr | None = None) -> None:
        found.append(RING.scaled(sign, _total(lift, "logdet", ref, of)))

    pending: list[tuple[Fraction, Expr]] = [(UNIT, e)]
    while pending:
        sign, part = pending.pop()
        flow = part.structure.flow
        one_way = flow in ("inward", "outward")
        if isinstance(part, One) or (one_way and part.structure.unit):
            continue
        if flow == "zero" or (one_way and part.structure.strict):
            raise NotLowerable(refuse.zero_determinant(e, part))
        if isinstance(part, Inverse):
            pending.append((-sign, part.body))
        elif isinstance(part, Product) and all(factor.type.same_sizes for factor in part.children):
            pending.extend((sign, factor) for factor in part.children)
        elif isinstance(part, Scale) and isinstance(part.factor, Fraction) and part.type.square:
            pending.append((sign, part.body))
            add(sign, Ref(lift.graph.sum(part.type, RING.scaled(part.factor, RING.of()))))
        elif not part.type.domain.attached:
            add(sign, Ref(lift.vector(part)), part)
        elif flow == "diagonal":
            add(sign, lift.block(part))
        elif one_way:
            pending.append((sign, diag(part)))
        elif isinstance(part, Symbol) and part.definition is not None:
            pending.append((sign, part.definition))
        elif isinstance(part, Transpose):
            pending.append((sign, part.body))
        elif (bordered := run(lift.seams.split(part))).low:
            if bordered.tree.structure.flow == "zero":
                raise NotLowerable(refuse.zero_determinant(e, bordered.tree))
            for small in lift.seams.smalls(part):
                add(sign, Ref(lift.vector(small)))
            pending.append((sign, bordered.tree))
        else:
            outer = pivots(lift, part, inverted=True)
            inner = pivots(lift, part, inverted=False)
            for ref in outer:
                add(sign, ref)
            for ref in inner:
                add(-sign, ref)
    return lift.graph.sum(ONE >> ONE, RING.sum(found))
