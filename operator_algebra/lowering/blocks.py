"""Block-diagonal expressions as block values: polynomials over leaf blocks, with E X E* as one inward shift."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import diag, inv, matmul, one
from operator_algebra.expressions.infer import segments
from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Fixpoint,
    Inverse,
    Local,
    One,
    Product,
    Root,
    Scale,
    Sum,
    Symbol,
    Transpose,
    Zero,
    of_a_kind,
)
from operator_algebra.expressions.traverse import definition_of
from operator_algebra.lowering import refuse
from operator_algebra.lowering.graph import RING, Form, alone, as_terms
from operator_algebra.lowering.seams import Bordered
from operator_algebra.lowering.trampoline import Steps
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.operators.spaces import ONE, Type
from operator_algebra.programs.instructions import Call, Hop, Invert, Linear, RootOf, Shift
from operator_algebra.programs.records import Ref

if TYPE_CHECKING:
    from operator_algebra.lowering.lift import Lift

HopTerm = tuple[Form, Hop, Form]
"""left local terms · hop · right local terms."""


class BlockLift:
    """Lifts block-diagonal expressions; works with the vector lift, which lifts the arguments of local functions."""

    def __init__(self, lift: Lift) -> None:
        self._lift = lift
        self._done: dict[Expr, Ref] = {}

    def lift(self, e: Expr) -> Steps[Ref]:
        """The block value of a block-diagonal expression."""
        if e in self._done:
            return self._done[e]
        bound = self._lift.bound.get(e)
        if bound is not None:
            return Ref(bound)
        ref = yield self._lift_new(e)
        self._done[e] = ref
        return ref

    def _lift_new(self, e: Expr) -> Steps[Ref]:
        graph, e = self._lift.graph, of_a_kind(e)
        match e:
            case Symbol(definition=None):
                if e.structure.flow != "diagonal":
                    raise NotLowerable(refuse.not_local(e))
                return Ref(self._lift.given(e))
            case Symbol(definition=definition):
                assert definition is not None
                ref = yield self.lift(definition)
                if not ref.star:
                    graph.name(ref.value, e.name)
                return ref
            case Transpose():
                ref = yield self.lift(e.body)
                return ref.T
            case Inverse():
                body = yield self.lift(e.body)
                if graph[body.value].definition == Linear(()):
                    raise NotLowerable(refuse.no_pivot(str(e)))
                return Ref(graph.new(e.type, Invert(body), origin=e))
            case Root():
                body = yield self.lift(e.body)
                return Ref(graph.new(e.type, RootOf(body), origin=e))
            case Local():
                arguments: list[Ref] = []
                for argument in e.children:
                    number = yield self._lift.apply(argument, self._lift.identity(ONE))
                    arguments.append(Ref(number))
                if any(self._lift.is_zero(ref.value) for ref in arguments):
                    return Ref(self._lift.zero(e.type))
                return Ref(graph.new(e.type, Call(e.name, tuple(arguments)), origin=e))
            case Fixpoint():
                ref = yield self._fixpoint(e)
                return ref
            case One() | Zero() | Sum() | Product() | Scale() | Diag():
                form = yield self.terms(e)
                return self._named(form, e.type, origin=e)
            case _:
                assert_never(e)

    def _fixpoint(self, e: Fixpoint) -> Steps[Ref]:
        if e.structure.flow not in ("diagonal", "zero"):
            raise NotLowerable(refuse.not_diagonal_fixpoint(e.name, e.structure.flow))
        graph = self._lift.graph
        number = graph.reserve()
        self._lift.bound[e.variable] = number
        graph.put(number, Value(e.type, Unknown((), e.type.codomain), (e.name,), origin=e))
        form = yield self.terms(e.body)
        del self._lift.bound[e.variable]
        graph.put(number, Value(e.type, Linear(as_terms(form)), (e.name,), origin=e))
        self._done.update({e: Ref(number)})
        return Ref(number)

    def terms(self, e: Expr) -> Steps[Form]:
        """A block-diagonal expression as a sum of products of block values."""
        e = of_a_kind(e)
        match e:
            case One():
                return RING.of()
            case Zero():
                return {}
            case Sum():
                parts: list[Form] = []
                for child in e.children:
                    part = yield self.terms(child)
                    parts.append(part)
                return RING.sum(parts)
            case Scale():
                body = yield self.terms(e.body)
                if isinstance(e.factor, Fraction):
                    return RING.scaled(e.factor, body)
                scalar = yield self._lift.apply(e.factor, self._lift.identity(ONE))
                return RING.product([RING.of(numbers=[scalar]), body])
            case Product():
                result = yield self._product_terms(e)
                return result
            case Diag():
                result = yield self._diagonal(e.body)
                return result
            case Symbol() | Transpose() | Inverse() | Root() | Fixpoint() | Local():
                ref = yield self.lift(e)
                return {} if self._lift.is_zero(ref.value) else RING.of(ref)
            case _:
                assert_never(e)

    def _product_terms(self, e: Product) -> Steps[Form]:
        """Multiply factors; an inward hop, local factors and an outward hop collapse into one inward shift."""
        local: list[Form] = [RING.of()]
        open_hops: list[tuple[list[HopTerm], Expr]] = []
        for factor in e.children:
            flow = factor.structure.flow
            if flow in ("diagonal", "zero"):
                part = yield self.terms(factor)
                local[-1] = RING.product((local[-1], part))
                continue
            hops = yield self._hops(factor)
            if flow == "inward":
                open_hops.append((hops, factor))
                local.append(RING.of())
                continue
            if not open_hops:
                raise NotLowerable(refuse.open_hops(e))
            opening, opener = open_hops.pop()
            inner = local.pop()
            type_ = Type(factor.type.domain, opener.type.codomain)
            local[-1] = RING.product((local[-1], self._gather(opening, inner, hops, type_)))
        if open_hops:
            raise NotLowerable(refuse.open_hops(e))
        return local[0]

    def _gather(self, opening: Sequence[HopTerm], inner: Form, closing: Sequence[HopTerm], type_: Type) -> Form:
        """Σ L (E R · inner · R' E'*) L' for every pair of an opening and a closing hop."""
        graph = self._lift.graph
        parts: list[Form] = []
        for left, hop, right in opening:
            for left_closing, hop_closing, right_closing in closing:
                inside = RING.product((right, inner, left_closing))
                if not inside:
                    continue
                source = self._named(inside, Type(hop_closing.type.codomain, hop.type.domain))
                shift_type = Type(hop_closing.type.domain, hop.type.codomain)
                shifted = graph.new(shift_type, Shift(hop, source, hop_closing))
                parts.append(RING.product((left, RING.of(Ref(shifted)), right_closing)))
        return RING.sum(parts)

    def _named(self, form: Form, type_: Type, origin: Expr | None = None) -> Ref:
        return alone(form) or Ref(self._lift.graph.sum(type_, form, origin=origin))

    def _hops(self, e: Expr) -> Steps[list[HopTerm]]:
        """A hop expression as a sum of local · leaf hop · local."""
        unit: Form = RING.of()
        match e:
            case Symbol() if e.definition is None and e.structure.hop:
                return [(unit, Hop(e, star=False, inward=e.structure.flow == "inward"), unit)]
            case Transpose(body=Symbol() as symbol) if symbol.definition is None and symbol.structure.hop:
                return [(unit, Hop(symbol, star=True, inward=e.structure.flow == "inward"), unit)]
            case Symbol() | Transpose(body=Symbol()) if (meaning := definition_of(e)) is not None:
                result = yield self._hops(meaning)
                return result
            case Sum():
                collected: list[HopTerm] = []
                for child in e.children:
                    part = yield self._hops(child)
                    collected.extend(part)
                return collected
            case Scale():
                body = yield self._hops(e.body)
                factor = yield self.terms(e.factor * one(e.type.codomain >> e.type.codomain))
                return [(RING.product((factor, left)), hop, right) for left, hop, right in body]
            case Product():
                left, found, right = unit, None, unit
                for segment in segments(e.children):
                    part = matmul(*segment.factors)
                    if segment.structure.flow in ("diagonal", "zero"):
                        local = yield self.terms(part)
                        if found is None:
                            left = RING.product((left, local))
                        else:
                            right = RING.product((right, local))
                    elif found is None:
                        found = yield self._hops(part)
                    else:
                        raise NotLowerable(refuse.open_hops(e))
                if found is None:
                    raise NotLowerable(refuse.open_hops(e))
                return [(RING.product((left, inner)), hop, RING.product((outer, right))) for inner, hop, outer in found]
            case _:
                raise NotLowerable(refuse.open_hops(e))

    def _diagonal(self, e: Expr) -> Steps[Form]:
        """The block diagonal where it has a local form; diag(E* X E) is one outward shift."""
        structure = e.structure
        if structure.flow in ("diagonal", "zero"):
            result = yield self.terms(e)
            return result
        if structure.flow in ("inward", "outward") and structure.strict:
            return {}
        if structure.flow in ("inward", "outward") and structure.unit:
            return RING.of()
        bordered = yield self._lift.seams.split(e)
        if bordered.low:
            result = yield self._bordered_diagonal(bordered)
            return result
        match e:
            case Sum():
                parts: list[Form] = []
                for child in e.children:
                    part = yield self._diagonal(child)
                    parts.append(part)
                return RING.sum(parts)
            case Scale():
                result = yield self.terms(e.factor * diag(e.body))
                return result
            case Symbol() | Transpose(body=Symbol()) if (meaning := definition_of(e)) is not None:
                result = yield self._diagonal(meaning)
                return result
            case Inverse() if structure.flow in ("inward", "outward"):
                result = yield self.terms(inv(diag(e.body)))
                return result
            case Product():
                result = yield self._diagonal_of_product(e)
                return result
            case _:
                result = self._general_diagonal(e)
                return result

    def _general_diagonal(self, e: Expr) -> Form:
        """The block diagonal by elimination of all that stands between input and output."""
        from operator_algebra.lowering.queries import diagonal

        return diagonal(self._lift, e)

    def _bordered_diagonal(self, e: Bordered) -> Steps[Form]:
        """The block diagonal of a tree-local part, and that of each L C R, which is L(k) C R(k)."""
        tree = yield self.terms(diag(e.tree))
        parts: list[Form] = [tree]
        for term in e.low:
            column, small, row = (self._lift.vector(part) for part in (term.L, term.C, term.R.T))
            middle = () if self._lift.is_identity(small) else (Ref(small),)
            parts.append(RING.of(Ref(column), *middle, Ref(row, star=True)))
        return RING.sum(parts)

    def _diagonal_of_product(self, e: Product) -> Steps[Form]:
        factors = list(e.children)
        if e.structure.flow in ("inward", "outward"):
            result = yield self.terms(matmul(*(diag(matmul(*segment.factors)) for segment in segments(e.children))))
            return result
        expanded: list[Expr] = []
        for factor in factors:
            while (meaning := definition_of(factor)) is not None and factor.structure.flow not in ("diagonal", "zero"):
                factor = meaning
            expanded.extend(factor.children if isinstance(factor, Product) else (factor,))
        first = next(i for i, f in enumerate(expanded) if f.structure.flow != "diagonal")
        last = max(i for i, f in enumerate(expanded) if f.structure.flow != "diagonal")
        outer, inner = expanded[first], expanded[last]
        middle = expanded[first + 1 : last]
        pulled_in = outer.structure.hop and outer.structure.flow == "outward"
        handed_back = inner.structure.hop and inner.structure.flow == "inward"
        if not (pulled_in and handed_back and all(f.structure.flow == "diagonal" for f in middle)):
            return self._general_diagonal(e)
        opening = yield self._hops(outer)
        closing = yield self._hops(inner)
        core = yield self.terms(matmul(*middle)) if middle else self.terms(one(outer.type.domain >> outer.type.domain))
        before = (
            yield self.terms(matmul(*expanded[:first]))
            if first
            else self.terms(one(outer.type.codomain >> outer.type.codomain))
        )
        rest = expanded[last + 1 :]
        after = yield self.terms(matmul(*rest)) if rest else self.terms(one(inner.type.domain >> inner.type.domain))
        pulled = self._gather(opening, core, closing, Type(inner.type.domain, outer.type.codomain))
        return RING.product((before, pulled, after))
