"""Trace and log-determinant of any accepted operator, as sums over the bodies."""

from __future__ import annotations

from fractions import Fraction

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import diag
from operator_algebra.expressions.nodes import Expr, Inverse, One, Product, Scale, Symbol, Transpose
from operator_algebra.lowering import refuse
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.queries import pivots
from operator_algebra.lowering.trampoline import run
from operator_algebra.operators.spaces import ONE
from operator_algebra.programs.instructions import Total
from operator_algebra.programs.records import Ref, Term

UNIT = Fraction(1)


def _total(lift: Lift, kind: str, ref: Ref) -> Term:
    definition = Total("trace" if kind == "trace" else "logdet", ref)
    return Term(UNIT, (Ref(lift.graph.new(ONE >> ONE, definition)),))


def trace(lift: Lift, e: Expr) -> int:
    """Σ_k tr e(k, k)."""
    if not e.type.domain.attached:
        return lift.graph.linear(ONE >> ONE, [_total(lift, "trace", Ref(lift.vector(e)))])
    return lift.graph.linear(ONE >> ONE, [_total(lift, "trace", lift.block(diag(e)))])


def logdet(lift: Lift, e: Expr) -> int:
    """Log |det e|: pivots of the inverse less those of what is inverted inside."""
    terms: list[Term] = []
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
            block = lift.graph.linear(part.type, [Term(part.factor, ())])
            terms.append(_total(lift, "logdet", Ref(block)).scaled(sign))
        elif not part.type.domain.attached:
            terms.append(_total(lift, "logdet", Ref(lift.vector(part))).scaled(sign))
        elif flow == "diagonal":
            terms.append(_total(lift, "logdet", lift.block(part)).scaled(sign))
        elif one_way:
            pending.append((sign, diag(part)))
        elif isinstance(part, Symbol) and part.definition is not None:
            pending.append((sign, part.definition))
        elif isinstance(part, Transpose):
            pending.append((sign, part.body))
        elif (bordered := run(lift.seams.split(part))).low:
            if bordered.tree.structure.flow == "zero":
                raise NotLowerable(refuse.zero_determinant(e, bordered.tree))
            smalls = lift.seams.smalls(part)
            terms.extend(_total(lift, "logdet", Ref(lift.vector(small))).scaled(sign) for small in smalls)
            pending.append((sign, bordered.tree))
        else:
            outer = pivots(lift, part, inverted=True)
            inner = pivots(lift, part, inverted=False)
            terms.extend(_total(lift, "logdet", ref).scaled(sign) for ref in outer)
            terms.extend(_total(lift, "logdet", ref).scaled(-sign) for ref in inner)
    return lift.graph.linear(ONE >> ONE, terms)
