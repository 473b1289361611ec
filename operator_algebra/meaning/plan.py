"""The block (k, k) of a formula as steps over block values, a product being followed along its one path on the tree.

Local factors stay at the body, an inward hop leads to the children, an outward hop to the parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, assert_never

from operator_algebra.errors import TheoryError
from operator_algebra.expressions.mismatch import short
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
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.meaning import steps
from operator_algebra.meaning.inverses import resolved
from operator_algebra.meaning.source import Source
from operator_algebra.models.numeric import Scalar
from operator_algebra.operators.arrays import SampleBlock
from operator_algebra.operators.spaces import Space

Place = Literal["local", "inward", "outward", "column", "number"]

MOST_TERMS = 512


class NoSinglePath(Exception):
    """A factor of the formula does not lead from one body to one place; its message names the factor."""


class _Leaves(Exception):
    """A product does not return to the body where it started: its block (k, k) is zero."""


@dataclass(eq=False)
class Known:
    """Blocks of a part without unknowns, by body; of a hop, by the edge to the parent. Filled in before solving."""

    node: Expr
    place: Place
    blocks: list[SampleBlock] = field(default_factory=list[SampleBlock])


@dataclass(eq=False)
class Unknown:
    """A fixed point that is being solved, its blocks found so far, and at which heights its equation reads which."""

    node: Fixpoint
    blocks: list[SampleBlock]
    schedule: steps.Schedule
    reads: list[tuple[Unknown, int]] = field(default_factory=list["tuple[Unknown, int]"])


@dataclass(frozen=True)
class Item:
    """A factor on the path: local at the body (step 0), or a hop to the children (1) or to the parent (−1)."""

    node: Expr
    step: int


@dataclass(eq=False)
class _Spot:
    """Steps that are evaluated at one body, `height` levels outboard of the body whose block is wanted."""

    height: int
    schedule: steps.Schedule
    known: dict[Expr, int] = field(default_factory=dict[Expr, int])


def open_nodes(fixpoint: Fixpoint) -> frozenset[Expr]:
    """The nodes of a body that depend on its variable, through definitions and inner fixed points."""

    def below(node: Expr) -> tuple[Expr, ...]:
        # An inner fixed point may bind a variable of the same name: that one is its own.
        shadows = isinstance(node, Fixpoint) and node.variable is fixpoint.variable
        return () if shadows else children_and_definition(node)

    order = list(postorder(fixpoint.body, below))
    variables: set[Expr] = {fixpoint.variable}
    while True:
        open_: set[Expr] = set()
        for node in order:
            if node in variables or any(child in open_ for child in below(node)):
                open_.add(node)
        inner = [node for node in open_ if isinstance(node, Fixpoint)]
        found = {node.variable for node in inner}
        if len(found) < len(inner):
            raise TheoryError(f"fixpoint {fixpoint.name}: two fixed points inside it share a name. Rename one of them.")
        if found <= variables:
            return frozenset(open_)
        variables |= found


class Planner:
    """Plans for one system of unknowns on one tree."""

    def __init__(self, source: Source, open_: frozenset[Expr]) -> None:
        self.source = source
        self.open = open_
        self.known: dict[tuple[Expr, Place], Known] = {}
        self.unknowns: dict[Expr, Unknown] = {}
        self.rounding = steps.Rounding()
        self._current: Unknown | None = None
        self.children: list[list[int]] = [[] for _ in source.parent]
        parents: list[int] = source.parent.tolist()
        for k, p in enumerate(parents):
            if p >= 0:
                self.children[p].append(k)

    def unknown(self, node: Fixpoint) -> Unknown:
        """The unknown of a fixed point, planned when first met."""
        if node in self.unknowns:
            return self.unknowns[node]
        unknown = Unknown(node, [steps.NOTHING] * len(self.source.parent), steps.Schedule(self.rounding))
        self.unknowns[node] = self.unknowns[node.variable] = unknown
        outer, self._current = self._current, unknown
        spot = _Spot(0, unknown.schedule)
        unknown.schedule.result = self.at(spot, node.body)
        self._current = outer
        return unknown

    def diagonal_part(self, node: Diag) -> steps.Schedule:
        """The steps for block (k, k) of what stands under a diag without unknowns."""
        spot = self._spot(0)
        spot.schedule.result = self._returning(spot, node.body)
        return spot.schedule

    def _spot(self, height: int) -> _Spot:
        return _Spot(height, steps.Schedule(self.rounding))

    # -- one node at one body --------------------------------------------------------------------------------------

    def at(self, spot: _Spot, node: Expr) -> int:
        """The step that computes the block of a node at the body of the spot."""
        if node not in spot.known:
            spot.known[node] = self._plan(spot, node)
        return spot.known[node]

    def _plan(self, spot: _Spot, node: Expr) -> int:
        add = spot.schedule.add
        if node in self.unknowns:
            return self._read(spot, self.unknowns[node])
        if node not in self.open:
            place: Place = "local" if node.type.domain.attached else "column"
            return add(steps.fetch(self._known(node, place)))
        node = of_a_kind(node)
        match node:
            case Fixpoint():
                return self._read(spot, self.unknown(node))
            case Symbol() if node.definition is not None:
                return self.at(spot, node.definition)
            case Sum():
                return add(steps.total([self.at(spot, child) for child in node.children]))
            case Scale():
                body = self.at(spot, node.body)
                return add(self._scaled(node.factor, body))
            case Transpose():
                return add(steps.transposed(self.at(spot, node.body)))
            case Inverse():
                target = resolved(node.body)
                if isinstance(target, Inverse):
                    return self.at(spot, target.body)
                return add(steps.inverted(self.at(spot, node.body), node.body))
            case Root():
                return add(steps.rooted(self.at(spot, node.body), node.body))
            case Diag():
                return self._returning(spot, node.body)
            case Local():
                return add(steps.local(node.function, [self.at(spot, child) for child in node.children]))
            case Product() if node.type.domain.attached:
                return self._returning(spot, node)
            case Product():
                found = [self._path(spot, items, returning=False) for items in self._terms(node)]
                return self._summed(spot, found, node)
            case Symbol() | One() | Zero():
                raise NoSinglePath(short(node))
            case _:
                assert_never(node)

    def _read(self, spot: _Spot, unknown: Unknown) -> int:
        if self._current is not None:
            self._current.reads.append((unknown, spot.height))
        return spot.schedule.add(steps.fetch(unknown))

    def _known(self, node: Expr, place: Place) -> Known:
        if place == "local" and node.structure.flow not in ("diagonal", "zero"):
            raise NoSinglePath(short(node))
        return self.known.setdefault((node, place), Known(node, place))

    def _scaled(self, factor: Fraction | Expr, body: int) -> steps.Step:
        if isinstance(factor, Fraction):
            return steps.multiple(factor, body, self.source.dtype)
        if factor in self.open:
            raise NoSinglePath(short(factor))
        return steps.scaled(self._known(factor, "number"), body)

    # -- products --------------------------------------------------------------------------------------------------

    def _returning(self, spot: _Spot, node: Expr) -> int:
        """SampleBlock (k, k) of a sum of products: only the paths that come back to k."""
        found: list[int | None] = []
        for items in self._terms(node):
            try:
                found.append(self._path(spot, items, returning=True))
            except _Leaves:
                continue
        return self._summed(spot, found, node)

    def _summed(self, spot: _Spot, found: Sequence[int | None], node: Expr) -> int:
        add = spot.schedule.add
        if not found:
            return add(steps.nothing(self._sizes(node.type.codomain), self._sizes(node.type.domain), self._zero))
        indices = [add(steps.unit(self._sizes(node.type.domain), self._zero)) if i is None else i for i in found]
        return indices[0] if len(indices) == 1 else add(steps.total(indices))

    @property
    def _zero(self) -> Scalar:
        return Fraction(0) if self.source.dtype == object else self.source.dtype.type(0)

    def _sizes(self, space: Space) -> list[int]:
        sizes = self.source.layout(space).sizes.tolist()
        return sizes if space.attached else sizes * len(self.source.parent)

    def _terms(self, node: Expr) -> list[list[Item | Scale]]:
        """The products of which a node is the sum, each cut into local factors and hops."""
        flow = node.structure.flow
        if isinstance(node, One):
            return [[]]
        if isinstance(node, Zero):
            return []
        local = flow in ("diagonal", "column", "zero") and not isinstance(node, Product)
        if local or (flow == "diagonal" and node not in self.open):
            return [[Item(node, 0)]]
        if flow in ("inward", "outward") and node.structure.hop and node not in self.open:
            return [[Item(node, 1 if flow == "inward" else -1)]]
        match node:
            case Sum():
                found = [items for child in node.children for items in self._terms(child)]
            case Product():
                found = [list[Item | Scale]()]
                for child in node.children:
                    found = [left + right for left in found for right in self._factor(child)]
                    if len(found) > MOST_TERMS:
                        break
            case Scale():
                found = [[node, *items] for items in self._terms(node.body)]
            case Symbol() | Transpose() if resolved(node) is not node:
                return self._terms(resolved(node))
            case _:
                raise NoSinglePath(short(node))
        if len(found) > MOST_TERMS:
            raise NoSinglePath(short(node))
        return found

    def _factor(self, node: Expr) -> list[list[Item | Scale]]:
        """A factor of a product: local ones stay whole."""
        return [[Item(node, 0)]] if node.structure.flow in ("diagonal", "column") else self._terms(node)

    def _path(self, spot: _Spot, items: Sequence[Item | Scale], *, returning: bool) -> int | None:
        """The product of items along its path; None for an empty one, which is I."""
        multiples = [item for item in items if isinstance(item, Scale)]
        found = self._walk(spot, [item for item in items if isinstance(item, Item)], returning=returning)
        for item in multiples:
            if found is None:
                found = spot.schedule.add(steps.unit(self._sizes(item.type.domain), self._zero))
            found = spot.schedule.add(self._scaled(item.factor, found))
        return found

    def _walk(self, spot: _Spot, items: Sequence[Item], *, returning: bool) -> int | None:
        entered: list[tuple[_Spot, list[int], Item]] = []
        here, factors = spot, list[int]()
        for at, item in enumerate(items):
            if item.step == 0:
                factors.append(self.at(here, item.node))
            elif item.step == 1:
                entered.append((here, factors, item))
                here, factors = self._spot(here.height + 1), []
            elif entered:
                inner = self._closed(here, factors)
                here, factors, left = entered.pop()
                factors.append(here.schedule.add(self._children(left, inner, item, item)))
            else:
                factors += self._beyond(here, item, items[at + 1 :], returning=returning)
                break
        if entered and returning:
            raise _Leaves
        while entered:
            inner = self._closed(here, factors)
            here, factors, left = entered.pop()
            factors.append(here.schedule.add(self._children(left, inner, None, items[-1])))
        return _multiplied(here, factors)

    def _closed(self, spot: _Spot, factors: list[int]) -> steps.Schedule | None:
        spot.schedule.result = _multiplied(spot, factors)
        return spot.schedule if factors else None

    def _beyond(self, spot: _Spot, out: Item, rest: Sequence[Item], *, returning: bool) -> Iterator[int]:
        """The rest of a path that goes to the parent: there and, if it has to return, back to the same body."""
        above = self._spot(spot.height - 1)
        turn = _turn(rest) if returning else len(rest)
        above.schedule.result = self._walk(above, rest[:turn], returning=returning)
        inner = above.schedule if above.schedule.result is not None else None
        back = rest[turn] if returning else None
        yield spot.schedule.add(self._parent(out, inner, back, back or rest[-1]))
        if returning:
            tail = self._walk(spot, rest[turn + 1 :], returning=True)
            if tail is not None:
                yield tail

    def _children(self, left: Item, inner: steps.Schedule | None, right: Item | None, last: Item) -> steps.Step:
        edges = self._known(left.node, "inward")
        back = None if right is None else self._known(right.node, "outward")
        rows = self._sizes(left.node.type.codomain)
        cols = self._sizes(last.node.type.domain)
        return steps.over_children(edges, inner, back, self.children, rows, cols, self._zero, self.rounding)

    def _parent(self, left: Item, inner: steps.Schedule | None, right: Item | None, last: Item) -> steps.Step:
        edges = self._known(left.node, "outward")
        back = None if right is None else self._known(right.node, "inward")
        rows = self._sizes(left.node.type.codomain)
        cols = self._sizes(last.node.type.domain)
        return steps.from_parent(edges, inner, back, self.source.parent.tolist(), rows, cols, self._zero, self.rounding)


def _multiplied(spot: _Spot, factors: list[int]) -> int | None:
    if len(factors) < 2:
        return factors[0] if factors else None
    return spot.schedule.add(steps.multiplied(factors))


def _turn(rest: Sequence[Item]) -> int:
    """Where a path that went to the parent comes back for good; `_Leaves` if it does not end where it began."""
    height, turn = 0, -1
    for at, item in enumerate(rest):
        if item.step == 1 and height == 0:
            turn = at
        height += item.step
        if height <= 0 and item.step == -1:
            turn = -1
    if height != 1 or turn < 0:
        raise _Leaves
    return turn
