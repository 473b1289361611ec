"""Operators that pass a space of no body: a part that is local on the tree, and terms of low rank."""

from __future__ import annotations

from dataclasses import replace

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import add, matmul, multiply, one, zero
from operator_algebra.expressions.nodes import Expr, Inverse, Product, Scale, Sum, Zero
from operator_algebra.expressions.traverse import definition_of
from operator_algebra.lowering import refuse
from operator_algebra.lowering.bordered import (
    Bordered,
    Lift,
    LowRank,
    Opened,
    closed,
    computed,
    opened,
    refined,
    solved,
)
from operator_algebra.lowering.trampoline import Steps, run


class Seams:
    """Splits operators between attached spaces; every expression is split once.

    Columns and rows that several terms read are computed once: a bound symbol stands for the value.
    """

    def __init__(self, lift: Lift) -> None:
        self._lift = lift
        self._known: dict[Expr, Bordered] = {}
        self._held: dict[int, tuple[tuple[LowRank, int], ...]] = {}

    def smalls(self, e: Expr) -> tuple[Expr, ...]:
        """The small operators whose determinants, with that of the tree-local part, make up that of e."""
        return run(opened(self._lift, run(self.split(e)))).determinants

    def solve(self, e: Inverse, x: int) -> Steps[int | None]:
        """The inverse applied to a vector; None if it inverts nothing that passes a space of no body."""
        body = yield self.split(e.body)
        if not body.low:
            return None
        parts = yield self._opened(e, body)
        solution = yield solved(self._lift, parts, x)
        if self._lift.graph.refines:
            solution = yield refined(self._lift, parts, solution)
        self._held[solution.y] = tuple(zip(parts.terms, solution.forces, strict=True))
        return solution.y

    def seen(self, factors: tuple[Expr, ...], x: int) -> Steps[tuple[int, int]]:
        """What the last factors make of a solution, if its forces tell, and how many factors that are.

        λ = C R y and C⁻¹ λ = R y are small differences of large numbers if they are computed from the solution y.
        """
        for term, force in self._held.get(x, ()):
            R, C = _factors(term.R), _factors(term.C)
            if factors[-len(R) :] != R:
                continue
            if factors[: -len(R)][-len(C) :] == C:
                return force, len(C) + len(R)
            if term.C.structure.definite:
                compliance = yield self._lift.apply(term.d, force)
                return compliance, len(R)
        return x, 0

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
                passed = [i for i, factor in enumerate(e.children[:-1], 1) if not factor.type.domain.attached]
                if passed:
                    first, last = passed[0], passed[-1]
                    L, R = matmul(*e.children[:first]), matmul(*e.children[last:])
                    between = e.children[first:last]
                    C = matmul(*between) if between else one(R.type.codomain >> L.type.domain)
                    return Bordered(zero(e.type), (LowRank(L, C, R),))
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
                if not body.low:
                    return Bordered(e)
                inverse = yield self._opened(e, body)
                result = yield closed(self._lift, inverse)
                return result
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
                column = yield computed(self._lift, matmul(result.whole, term.L))
                low.append(replace(term, L=column))
            result = Bordered(
                matmul(result.tree, part.tree), tuple(term for term in low if not isinstance(term.R, Zero))
            )
        return result

    def _opened(self, e: Inverse, body: Bordered) -> Steps[Opened]:
        if isinstance(body.tree, Zero):
            raise NotLowerable(refuse.low_rank_inverse(e))
        result = yield opened(self._lift, body)
        self._lift.graph.opened[result.origin] = (e, result.tree)
        return result


def _factors(e: Expr) -> tuple[Expr, ...]:
    return e.children if isinstance(e, Product) else (e,)
