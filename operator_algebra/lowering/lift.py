"""From an expression to a graph of values: every intermediate vector gets its own variable.

Then all equations couple a body with itself, its parent and its children only.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import inv
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
from operator_algebra.lowering import refuse
from operator_algebra.lowering.blocks import BlockLift
from operator_algebra.lowering.graph import RING, Form, Graph, as_form, as_terms
from operator_algebra.lowering.seams import Seams
from operator_algebra.lowering.trampoline import Steps, run
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.operators.spaces import ONE, Space, Type, columns_of
from operator_algebra.programs.instructions import Given, Hop, Invert, Linear, Reduce, Shift
from operator_algebra.programs.records import Ref, Term

UNIT = Fraction(1)


class Lift:
    """Applies expressions to vectors; see `apply`.

    `zeros` are leaves known to vanish.
    """

    def __init__(self, graph: Graph, zeros: frozenset[str] = frozenset()) -> None:
        self.graph = graph
        self.zeros = zeros
        self.blocks = BlockLift(self)
        self.seams = Seams(self)
        self._applied: dict[tuple[Expr, int], int] = {}
        self.bound: dict[Expr, int] = {}

    def vector(self, e: Expr) -> int:
        """The value of a column expression."""
        return run(self.apply(e, self.identity(e.type.domain)))

    def applied(self, e: Expr, x: int) -> int:
        """The value of an operator applied to a vector."""
        return run(self.apply(e, x))

    def block(self, e: Expr) -> Ref:
        """The value of a block-diagonal expression."""
        return run(self.blocks.lift(e))

    def matrix(self, e: Expr, place: int | str | None = None) -> int:
        """The value of any operator, or of its columns at one body: the operator applied to unit columns."""
        columns = self.graph.new(Type(columns_of(e.type.domain, place), e.type.domain), Given(None))
        return run(self.apply(e, columns))

    def identity(self, space: Space) -> int:
        """The identity of a global space, from which column expressions start."""
        return self.graph.new(Type(space, space), Linear((Term(UNIT, ()),)))

    def is_identity(self, number: int) -> bool:
        """Whether a value is the identity of a global space."""
        definition = self.graph[number].definition
        return isinstance(definition, Linear) and definition.terms == (Term(UNIT, ()),)

    def is_zero(self, number: int) -> bool:
        """Whether a value vanishes for every mechanism."""
        return number in self.graph.values and self.graph[number].definition == Linear(())

    def zero(self, type_: Type) -> int:
        """The zero of a type."""
        return self.graph.new(type_, Linear(()))

    def times(self, ref: Ref, type_: Type, x: int, origin: Expr | None = None) -> int:
        """The value of a block applied to a vector."""
        if self.is_zero(x) or self.is_zero(ref.value):
            return self.zero(type_)
        factors = (ref,) if self.is_identity(x) else (ref, Ref(x))
        reduced = not type_.codomain.attached and self.graph.type_of(ref).domain.attached
        if reduced:
            return self.graph.new(type_, Reduce((Term(UNIT, factors),)), origin=origin)
        return self.graph.sum(type_, RING.of(*factors), origin=origin)

    def apply(self, e: Expr, x: int) -> Steps[int]:
        """The vector e x, as the number of its value."""
        known = self._applied.get((e, x))
        if known is not None:
            return known
        if self.is_zero(x) and not isinstance(e, Sum | Product):
            return self.zero(Type(self.graph[x].type.domain, e.type.codomain))
        result = yield self._apply(e, x)
        self._applied[(e, x)] = result
        return result

    def _apply(self, e: Expr, x: int) -> Steps[int]:
        type_ = Type(self.graph[x].type.domain, e.type.codomain)
        e = of_a_kind(e)
        match e:
            case One():
                return x
            case Zero():
                return self.zero(type_)
            case Sum():
                parts: list[Form] = []
                for child in e.children:
                    part = yield self.apply(child, x)
                    parts.append(self.inline(part))
                return self.graph.sum(type_, RING.sum(parts), origin=e)
            case Product():
                left = e.children
                while left:
                    x, count = yield self.seams.seen(left, x)
                    if not count:
                        x = yield self.apply(left[-1], x)
                    left = left[: -count or -1]
                return x
            case Scale():
                part = yield self.apply(e.body, x)
                if isinstance(e.factor, Fraction):
                    return self.graph.sum(type_, RING.scaled(e.factor, self.inline(part)), origin=e)
                scalar = yield self.apply(e.factor, self.identity(ONE))
                if self.is_zero(scalar):
                    return self.zero(type_)
                return self.graph.sum(type_, RING.product((RING.of(numbers=[scalar]), self.inline(part))), origin=e)
            case Symbol() | Transpose(body=Symbol()):
                result = yield self._apply_symbol(e, x, type_)
                return result
            case Inverse():
                result = yield self._apply_inverse(e, x, type_)
                return result
            case Fixpoint() if not e.type.domain.attached:
                number = self.graph.reserve()
                self.bound[e.variable] = number
                self.graph.put(number, Value(e.type, Unknown((), e.type.codomain), (e.name,), origin=e))
                body = yield self.apply(e.body, self.identity(e.type.domain))
                self.graph.put(number, Value(e.type, Linear((Term(UNIT, (Ref(body),)),)), (e.name,), origin=e))
                return number if self.is_identity(x) else self.times(Ref(number), type_, x)
            case Root() | Diag() | Fixpoint() | Local() | Transpose():
                ref = yield self.blocks.lift(e)
                return self.times(ref, type_, x, e)
            case _:
                assert_never(e)

    def inline(self, number: int) -> Form:
        """The terms of an anonymous sum, or the value itself as one term."""
        value = self.graph[number] if number in self.graph.values else None
        if value is not None and isinstance(value.definition, Linear):
            terms = value.definition.terms
            alone = len(terms) == 1 and len(terms[0].factors) == 1 and not terms[0].factors[0].star
            if not terms or (not value.names and alone):
                return as_form(terms)
        return RING.of(Ref(number))

    def given(self, symbol: Symbol) -> int:
        """The value of a leaf or an input."""
        if symbol.name in self.zeros and symbol.origin == "model":
            return self.zero(symbol.type)
        return self.graph.new(symbol.type, Given(symbol), name=symbol.name, origin=symbol)

    def _apply_symbol(self, e: Expr, x: int, type_: Type) -> Steps[int]:
        star = isinstance(e, Transpose)
        symbol = e.body if isinstance(e, Transpose) else e
        assert isinstance(symbol, Symbol)
        if symbol in self.bound:
            return self.times(Ref(self.bound[symbol], star), type_, x)
        if symbol.definition is not None:
            result = yield self._apply_defined(symbol, e, x, type_)
            return result
        structure = e.structure
        if structure.flow == "zero":
            return self.zero(type_)
        if structure.hop:
            if self.graph[x].type.codomain != e.type.domain:
                raise AssertionError((e, x))
            hop = Hop(symbol, star, structure.flow == "inward")
            return self.graph.new(type_, Shift(hop, Ref(x)), origin=e)
        if structure.flow in ("diagonal", "column", "row", "small"):
            number = self.given(symbol)
            if not star and self.is_identity(x):
                return number
            return self.times(Ref(number, star), type_, x, e)
        raise NotLowerable(refuse.not_local(symbol))

    def _apply_defined(self, symbol: Symbol, e: Expr, x: int, type_: Type) -> Steps[int]:
        definition = symbol.definition
        assert definition is not None
        if not symbol.type.domain.attached and e is not symbol:
            column = yield self.apply(symbol, self.identity(symbol.type.domain))
            return self.times(Ref(column, star=True), type_, x, e)
        square_sum = e.type.square and isinstance(definition, Sum | Product)
        if e.structure.flow == "diagonal" and not square_sum:
            ref = yield self.blocks.lift(e)
            return self.times(ref, type_, x, e)
        result = yield self.apply(definition if e is symbol else definition.T, x)
        if e is symbol and self.is_identity(x) and result in self.graph.values:
            self.graph.name(result, symbol.name)
        return result

    def _apply_inverse(self, e: Inverse, x: int, type_: Type) -> Steps[int]:
        body = e.body
        while True:
            if isinstance(body, Symbol) and body.definition is not None and body.structure.flow != "diagonal":
                body = body.definition
            elif isinstance(body, Transpose) and isinstance(body.body, Symbol) and body.body.definition is not None:
                body = body.body.definition.T
            else:
                break
        if isinstance(body, Inverse):
            result = yield self.apply(body.body, x)
            return result
        structure = body.structure
        if structure.flow == "diagonal":
            ref = yield self.blocks.lift(e)
            return self.times(ref, type_, x, e)
        if not body.type.domain.attached:
            small = yield self.apply(body, self.identity(body.type.domain))
            inverse = self.graph.new(e.type, Invert(Ref(small)), origin=e)
            return self.times(Ref(inverse), type_, x, e)
        if structure.strict and structure.flow in ("inward", "outward"):
            raise NotLowerable(refuse.strict_inverse(e))
        if isinstance(body, Product) and all(factor.type.same_sizes for factor in body.children):
            for factor in body.children:
                x = yield self.apply(inv(factor), x)
            return x
        if isinstance(body, Scale) and isinstance(body.factor, Expr):
            scalar = yield self.apply(body.factor, self.identity(ONE))
            reciprocal = self.graph.new(ONE >> ONE, Invert(Ref(scalar)))
            inner = yield self.apply(inv(body.body), x)
            return self.graph.sum(type_, RING.of(Ref(inner), numbers=[reciprocal]))
        solution = yield self.seams.solve(e, x)
        if solution is None:
            solution = yield self._unknown(e, body, x, implicit=False)
        return solution

    def solved(self, e: Expr, x: int) -> int:
        """The unknown y of 0 = e y − x, kept as an equation: its pivots make up the determinant of e."""
        return run(self._unknown(inv(e), e, x, implicit=True))

    def _unknown(self, e: Expr, body: Expr, x: int, *, implicit: bool) -> Steps[int]:
        """Y with body y = x: explicit if body is a multiple of I and a rest, else by its equation."""
        type_ = Type(self.graph[x].type.domain, e.type.codomain)
        number = self.graph.reserve()
        self._applied[(e, x)] = number
        y_type = Type(type_.domain, e.type.codomain)
        ones = [c for c in map(_multiple_of_one, body.children) if c is not None] if isinstance(body, Sum) else []
        self.graph.put(number, Value(y_type, Unknown((), body.type.codomain), origin=e))
        if sum(ones) and not implicit:
            factor = 1 / Fraction(sum(ones))
            parts = [RING.scaled(factor, self.inline(x))]
            for child in body.children:
                if _multiple_of_one(child) is None:
                    part = yield self.apply(child, number)
                    parts.append(RING.scaled(-factor, self.inline(part)))
            self.graph.put(number, Value(y_type, Linear(as_terms(RING.sum(parts))), origin=e))
            return number
        part = yield self.apply(body, number)
        equation = RING.minus(self.inline(part), self.inline(x))
        self.graph.put(number, Value(y_type, Unknown(as_terms(equation), body.type.codomain), origin=e))
        return number


def _multiple_of_one(e: Expr) -> Fraction | None:
    if isinstance(e, One):
        return UNIT
    if isinstance(e, Scale) and isinstance(e.factor, Fraction) and isinstance(e.body, One):
        return e.factor
    return None
