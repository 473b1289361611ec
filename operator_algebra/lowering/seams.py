"""Operators that pass a space of no body: a part that is local on the tree, and terms of low rank."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import add, inv, matmul, multiply, one, scale, symbol, zero
from operator_algebra.expressions.nodes import Expr, Inverse, Product, Scale, Sum, Zero
from operator_algebra.expressions.traverse import definition_of
from operator_algebra.lowering import refuse
from operator_algebra.lowering.trampoline import Steps, run
from operator_algebra.operators.structure import Structure

if TYPE_CHECKING:
    from operator_algebra.lowering.lift import Lift


@dataclass(frozen=True, slots=True)
class LowRank:
    """L C R: R goes into a space of no body, C stays there, L comes out of it."""

    L: Expr
    C: Expr
    R: Expr

    @property
    def whole(self) -> Expr:
        """The product."""
        return matmul(self.L, self.C, self.R)


@dataclass(frozen=True, slots=True)
class Bordered:
    """An operator as tree + Σ L C R."""

    tree: Expr
    low: tuple[LowRank, ...] = ()

    @property
    def whole(self) -> Expr:
        """The sum."""
        return add(self.tree, *(term.whole for term in self.low))


class Seams:
    """Splits operators between attached spaces; every expression is split once.

    Columns and rows that several terms read are computed once: a bound symbol stands for the value.
    """

    def __init__(self, lift: Lift) -> None:
        self._lift = lift
        self._known: dict[Expr, Bordered] = {}

    def smalls(self, e: Expr) -> list[Expr]:
        """The small operators I + R A L C whose determinants, with that of the tree-local part, make up that of e."""
        return run(self._inverse(run(self.split(e))))[1]

    def split(self, e: Expr) -> Steps[Bordered]:
        """The tree-local part and the terms of low rank."""
        found = self._known.get(e)
        if found is None:
            found = yield self._split_new(e)
            self._known[e] = found
        return found

    def _split_new(self, e: Expr) -> Steps[Bordered]:
        match e:
            case Product():
                seam = next((i for i, factor in enumerate(e.children[:-1]) if not factor.type.domain.attached), None)
                if seam is not None:
                    L, R = matmul(*e.children[: seam + 1]), matmul(*e.children[seam + 1 :])
                    return Bordered(zero(e.type), (LowRank(L, one(L.type.domain >> L.type.domain), R),))
                parts: list[Bordered] = []
                for factor in e.children:
                    part = yield self.split(factor)
                    parts.append(part)
                result = yield self._product(e, parts)
                return result
            case Sum():
                terms: list[Bordered] = []
                for child in e.children:
                    part = yield self.split(child)
                    terms.append(part)
                low = tuple(term for part in terms for term in part.low)
                return Bordered(add(*(part.tree for part in terms)), low) if low else Bordered(e)
            case Scale():
                body = yield self.split(e.body)
                low = tuple(replace(term, C=multiply(e.factor, term.C)) for term in body.low)
                return Bordered(multiply(e.factor, body.tree), low) if low else Bordered(e)
            case Inverse():
                body = yield self.split(e.body)
                if body.low and isinstance(body.tree, Zero):
                    raise NotLowerable(refuse.low_rank_inverse(e))
                if not body.low:
                    return Bordered(e)
                inverse, _ = yield self._inverse(body)
                return inverse
            case _:
                meaning = definition_of(e)
                if meaning is None:
                    return Bordered(e)
                body = yield self.split(meaning)
                return body if body.low else Bordered(e)

    def _product(self, e: Product, parts: list[Bordered]) -> Steps[Bordered]:
        """(T + L C R)(T' + L' C' R') = T T' + L C (R T') + (T L' + L C R L') C' R'."""
        if not any(part.low for part in parts):
            return Bordered(e)
        result, *rest = parts
        for part in rest:
            low = [replace(term, R=matmul(term.R, part.tree)) for term in result.low]
            for term in part.low:
                column = yield self._computed(matmul(result.whole, term.L))
                low.append(replace(term, L=column))
            result = Bordered(
                matmul(result.tree, part.tree), tuple(term for term in low if not isinstance(term.R, Zero))
            )
        return result

    def _inverse(self, body: Bordered) -> Steps[tuple[Bordered, list[Expr]]]:
        """(A⁻¹ + L C R)⁻¹ = A − A L C (I + R A L C)⁻¹ R A, one term after the other; and each I + R A L C."""
        result = Bordered(inv(body.tree))
        smalls: list[Expr] = []
        for term in body.low:
            A = result.whole
            column = yield self._computed(matmul(A, term.L))
            row = yield self._computed(matmul(term.R, A).T)
            smalls.append(add(one(term.C.type), matmul(term.R, column, term.C)))
            small = yield self._computed(scale(-1, matmul(term.C, inv(smalls[-1]))))
            result = Bordered(result.tree, (*result.low, LowRank(column, small, row.T)))
        return result, smalls

    def _computed(self, e: Expr) -> Steps[Expr]:
        """A symbol for the value of an expression that starts in a space of no body."""
        lift = self._lift
        number = yield lift.apply(e, lift.identity(e.type.domain))
        known = symbol(f"value_{number}", e.type, Structure("full"), "bound")
        lift.bound[known] = number
        return known
