"""Operators that pass a space of no body: a part that is local on the tree, and terms of low rank."""

from __future__ import annotations

from dataclasses import dataclass, replace

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import add, inv, matmul, multiply, one, scale, zero
from operator_algebra.expressions.nodes import Expr, Inverse, Product, Scale, Sum, Symbol, Transpose, Zero
from operator_algebra.lowering import refuse
from operator_algebra.lowering.trampoline import Steps, run


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
    """Splits operators between attached spaces; every expression is split once."""

    def __init__(self) -> None:
        self._known: dict[Expr, Bordered] = {}

    def split(self, e: Expr) -> Bordered:
        """The tree-local part and the terms of low rank."""
        return run(self._split(e))

    def smalls(self, e: Expr) -> list[Expr]:
        """The small operators I + R A L C whose determinants, with that of the tree-local part, make up that of e."""
        body = self.split(e)
        return _bordered_inverse(body)[1]

    def _split(self, e: Expr) -> Steps[Bordered]:
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
                    part = yield self._split(factor)
                    parts.append(part)
                return _product(e, parts)
            case Sum():
                terms: list[Bordered] = []
                for child in e.children:
                    part = yield self._split(child)
                    terms.append(part)
                low = tuple(term for part in terms for term in part.low)
                return Bordered(add(*(part.tree for part in terms)), low) if low else Bordered(e)
            case Scale():
                body = yield self._split(e.body)
                low = tuple(replace(term, C=multiply(e.factor, term.C)) for term in body.low)
                return Bordered(multiply(e.factor, body.tree), low) if low else Bordered(e)
            case Inverse():
                body = yield self._split(e.body)
                if body.low and isinstance(body.tree, Zero):
                    raise NotLowerable(refuse.low_rank_inverse(e))
                return _bordered_inverse(body)[0] if body.low else Bordered(e)
            case Symbol() | Transpose(body=Symbol()):
                symbol = e.body if isinstance(e, Transpose) else e
                if not isinstance(symbol, Symbol) or symbol.definition is None:
                    return Bordered(e)
                body = yield self._split(symbol.definition if e is symbol else symbol.definition.T)
                return body if body.low else Bordered(e)
            case _:
                return Bordered(e)


def _product(e: Product, parts: list[Bordered]) -> Bordered:
    """(T + L C R)(T' + L' C' R') = T T' + L C (R T') + (T L' + L C R L') C' R'."""
    if not any(part.low for part in parts):
        return Bordered(e)
    result, *rest = parts
    for part in rest:
        low = [replace(term, R=matmul(term.R, part.tree)) for term in result.low if not isinstance(part.tree, Zero)]
        low += [replace(term, L=matmul(result.whole, term.L)) for term in part.low]
        result = Bordered(matmul(result.tree, part.tree), tuple(low))
    return result


def _bordered_inverse(body: Bordered) -> tuple[Bordered, list[Expr]]:
    """(A⁻¹ + L C R)⁻¹ = A − A L C (I + R A L C)⁻¹ R A, one term after the other; and each I + R A L C."""
    result = Bordered(inv(body.tree))
    smalls: list[Expr] = []
    for term in body.low:
        A = result.whole
        smalls.append(add(one(term.C.type), matmul(term.R, A, term.L, term.C)))
        inner = matmul(term.C, inv(smalls[-1]))
        low = LowRank(matmul(A, term.L), scale(-1, inner), matmul(term.R, A))
        result = Bordered(result.tree, (*result.low, low))
    return result, smalls
