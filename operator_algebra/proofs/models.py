"""Exact models of the algebra: small trees with whole numbers in the blocks of what a claim is made of.

A model satisfies all that is declared of its leaves, hops, symmetry, definiteness, and nothing more: blocks of any
size, shifts that are any matrix. Where a claim reads the six coordinates of a motion (cross, spin, points), shifts are
rigid and inertias those of bodies.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import islice, product
from typing import Literal, TypeAlias

from operator_algebra.expressions.nodes import Expr, Fixpoint, Inverse, Local, Product, Symbol
from operator_algebra.expressions.traverse import children_and_definition, fold, postorder
from operator_algebra.operators.leaf import JointMap, JointMapRate, RigidInertia, RigidShift
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.proofs.rigid import (
    NOTHING,
    SPATIAL,
    SUBGROUPS,
    Number,
    Rows,
    own_square,
    quarters,
    rigid_inertia,
    rigid_shift,
    times,
)
from operator_algebra.symbols import E_ground, E_phi, M, X_abs, X_cm

Parents: TypeAlias = tuple[int, ...]


# -- trees and sizes ---------------------------------------------------------------------------------------------------


@cache
def forests(bodies: int) -> tuple[Parents, ...]:
    """All shapes of forests, each once: the parent of each body, −1 for the ground.

    >>> forests(2), len(forests(3)), len(forests(4))
    (((-1, -1), (-1, 0)), 4, 9)
    """
    found: dict[object, Parents] = {}
    for parent in product(*(range(-1, k) for k in range(bodies))):
        found.setdefault(_shape(parent, -1), parent)
    return tuple(found.values())


def _shape(parent: Parents, root: int) -> tuple[object, ...]:
    return tuple(sorted((_shape(parent, k) for k, p in enumerate(parent) if p == root), key=repr))


@dataclass(frozen=True)
class Shape:
    """The size of a spatial block, and the degrees of freedom of each joint."""

    block: int
    freedoms: tuple[int, ...]

    @property
    def bodies(self) -> int:
        """How many bodies there are."""
        return len(self.freedoms)


_GENERAL = (
    Shape(1, (1,)), Shape(2, (1,)), Shape(1, (1, 1)), Shape(2, (1, 1)), Shape(1, (1, 1, 1)), Shape(2, (1, 1, 1)),
    Shape(1, (1, 1, 1, 1)), Shape(3, (1, 2)), Shape(2, (1, 1, 1, 1)), Shape(3, (1, 2, 1)), Shape(3, (2, 1, 2, 1)),
)  # fmt: skip
_PHYSICAL = tuple(
    Shape(SPATIAL, freedoms) for freedoms in ((1,), (1, 1), (1, 1, 1), (1, 2), (2, 3, 1), (1, 1, 1, 1), (1, 2, 1, 1))
)


_WIDEST, _LONGEST = 4, 12
"""Up to so many bodies all forests are tried; longer chains than this are not."""


def _long(reach: int, block: int) -> Iterator[Shape]:
    if _WIDEST <= reach < _LONGEST:
        yield Shape(block, (1,) * (reach + 1))


def reach(sides: Iterable[Expr]) -> int:
    """The most shifts in a row that a claim writes: on fewer joints such products vanish.

    >>> reach([E_phi @ E_phi @ E_phi @ E_phi @ E_phi])
    5
    """

    def combine(node: Expr, parts: tuple[int, ...]) -> int:
        if isinstance(node, Inverse | Fixpoint):
            return 0
        found = sum(parts) if isinstance(node, Product) else max(parts, default=0)
        return max(found, int(node.typed and node.structure.strict and node.structure.flow != "zero"))

    return max((fold(side, combine, children_and_definition) for side in sides), default=0)


_OF_MECHANISMS = frozenset({"serial", "1-DOF", "revolute", "constant joint maps", "closed joints", "free base"})
KNOWN_WORDS = _OF_MECHANISMS | {"J = 0", "any J", "any G"}
"""Words of a domain that models are drawn for; the last three speak of the formula."""


@dataclass(frozen=True)
class Domain:
    """What a claim asks of a mechanism: words of its domain, and whether motions have six coordinates."""

    words: frozenset[str]
    physical: bool

    @staticmethod
    def of(sides: Iterable[Expr], words: Iterable[str]) -> Domain:
        """The domain of a claim about some expressions."""
        nodes = {node for side in sides for node in postorder(side, children_and_definition)}
        told = frozenset(words) & _OF_MECHANISMS
        rigid = bool(told & {"revolute", "constant joint maps", "closed joints"})
        return Domain(told, rigid or any(_reads_coordinates(node) for node in nodes))

    def shapes(self, reach: int = 0) -> Iterator[Shape]:
        """Sizes to try, the smallest first; at last a chain with so many joints in a row as a claim reaches over."""
        for shape in (*(_PHYSICAL if self.physical else _GENERAL), *_long(reach, SPATIAL if self.physical else 2)):
            freedoms = shape.freedoms
            if self.words & {"1-DOF", "revolute"}:
                freedoms = (1,) * shape.bodies
            if "free base" in self.words:
                freedoms = (shape.block, *freedoms[1:])
            if freedoms == shape.freedoms or "free base" in self.words:
                yield Shape(shape.block, freedoms)

    def trees(self, bodies: int) -> tuple[Parents, ...]:
        """The forests with so many bodies that are meant."""
        found = forests(bodies) if bodies <= _WIDEST else (tuple(range(-1, bodies - 1)),)
        if "serial" in self.words:
            found = tuple(p for p in found if all(p.count(k) <= 1 for k in range(bodies)))
        if "free base" in self.words:
            found = tuple(p for p in found if p.count(-1) == 1)
        return found


def _reads_coordinates(node: Expr) -> bool:
    if isinstance(node, Local):
        return True
    leaf = node.leaf if isinstance(node, Symbol) else None
    return leaf is not None and (
        leaf.form in (RigidShift("base"), RigidShift("mass centre")) or "ground" in leaf.stands
    )


def sized(shape: Shape, parent: Parents, leaves: Iterable[Expr]) -> Mechanism:
    """The tree with the block sizes of all spaces: those of a user's own differ, or are fewer than there are joints."""
    n = shape.bodies
    own = (1,) * n if shape.block == 3 else tuple(2 - k % 2 for k in range(n))
    sizes: dict[str, tuple[int, ...]] = {
        "spatial": (shape.block,) * n,
        "joint": shape.freedoms,
        "ground": (shape.block,),
    }
    for leaf in leaves:
        for space in (leaf.type.codomain, leaf.type.domain):
            for part in space.summands:
                if part.counted is None and part.sizes != "one":
                    sizes.setdefault(part.sizes, own if part.attached else (2,))
    return Mechanism(parent, sizes)


# -- what is drawn -----------------------------------------------------------------------------------------------------

Kind = Literal["plain", "symmetric", "square", "lower", "axis", "subgroup", "shift", "inertia"]
Relation = Literal["same", "root", "hop", "path", "any"]
Sign = Literal["any", "positive"]

_ANY: tuple[Sign, ...] = ("any",)


@dataclass(frozen=True)
class Part:
    """The parameters of one leaf: which blocks it has, and how numbers make them.

    A *square* block is L L* for a lower triangular L, positive on its diagonal where the leaf is definite.
    """

    key: Expr
    kind: Kind
    relation: Relation
    positive: bool = False
    unit: bool = False

    def places(self, tree: Mechanism) -> list[tuple[int, int]]:
        """Block rows and columns that any tree with so many bodies may have; −1 is the whole of them."""
        n = len(tree.parent)
        attached = self.key.type.codomain.attached, self.key.type.domain.attached
        if self.relation in ("same", "root"):
            return [(k if attached[0] else 0, k if attached[1] else 0) for k in range(n if any(attached) else 1)]
        if self.relation == "any":
            return [(-1, -1)]
        inward = self.key.structure.flow == "inward"
        home = int(self.relation == "path" and not (self.unit or self.key.structure.strict))
        return [(i, j) if inward else (j, i) for j in range(n) for i in range(j + home)]

    def block_size(self, tree: Mechanism, place: tuple[int, int]) -> tuple[int, int]:
        """Rows and columns of one block."""
        spaces = self.key.type.codomain, self.key.type.domain
        height, width = (tree.whole(s) if k < 0 else tree.size(s, k) for s, k in zip(spaces, place, strict=True))
        return height, width

    def signs(self, tree: Mechanism) -> list[Sign]:
        """The parameters in order: which of them must be positive."""
        return [sign for place in self.places(tree) for sign in self._of_block(*self.block_size(tree, place))]

    def _of_block(self, height: int, width: int) -> tuple[Sign, ...]:
        """The parameters of one block."""
        match self.kind:
            case "plain":
                return _ANY * (height * width)
            case "symmetric" | "square" | "lower":
                last: Sign = "positive" if self.positive else "any"
                return tuple(sign for i in range(height) for sign in (*_ANY * i, last))
            case "axis":
                return _ANY * 3
            case "subgroup":
                return _ANY * 6 if height == 1 else ("positive", *_ANY * 6)
            case "shift":
                return ("positive", *_ANY * 6)
            case "inertia":
                return ("positive", *_ANY * 3, "positive", "any", "positive", "any", "any", "positive")

    def dense(self, tree: Mechanism, numbers: Sequence[Number]) -> Rows:
        """The whole operator."""
        made: Rows = [[0] * tree.whole(self.key.type.domain) for _ in range(tree.whole(self.key.type.codomain))]
        rest = iter(numbers)
        for i, j in self.places(tree):
            size = self.block_size(tree, (i, j))
            own = tuple(islice(rest, len(self._of_block(*size))))
            if self._is_there(tree.parent, i, j):
                _put(
                    made,
                    _block(self.kind, own, *size),
                    _start(tree, self.key.type.codomain, i),
                    _start(tree, self.key.type.domain, j),
                )
        if self.unit:
            for k, row in enumerate(made):
                row[k] += 1
        return made

    def _is_there(self, parent: Parents, i: int, j: int) -> bool:
        above, below = min(i, j), max(i, j)
        if self.relation == "root":
            return parent[below] < 0
        if self.relation == "hop":
            return parent[below] == above
        return self.relation != "path" or above == below or above in ancestors(parent, below)


@lru_cache(maxsize=4096)
def _block(kind: Kind, numbers: tuple[Number, ...], height: int, width: int) -> Rows:
    """One block; samples differ in a few numbers, so most blocks come again."""
    rest = iter(numbers)
    match kind:
        case "plain":
            return [[next(rest) for _ in range(width)] for _ in range(height)]
        case "symmetric" | "square" | "lower":
            lower: Rows = [[next(rest) if j <= i else 0 for j in range(width)] for i in range(height)]
            if kind != "symmetric":
                return own_square(lower) if kind == "square" else lower
            return [[lower[max(i, j)][min(i, j)] for j in range(width)] for i in range(height)]
        case "axis":
            return [[*numbers, 0, 0, 0]]
        case "subgroup":
            return [[*numbers]] if height == 1 else times(SUBGROUPS[height], rigid_shift(*numbers))
        case "shift":
            return rigid_shift(*numbers)
        case "inertia":
            return rigid_inertia(*numbers)


def _start(tree: Mechanism, space: Space, body: int) -> int:
    return sum(tree.size(space, k) for k in range(body)) if space.attached else 0


def _put(made: Rows, block: Rows, row: int, col: int) -> None:
    for i, line in enumerate(block):
        made[row + i][col : col + len(line)] = line


def ancestors(parent: Parents, k: int) -> list[int]:
    """The bodies that carry a body, from its parent to the root."""
    found: list[int] = []
    while parent[k] >= 0:
        k = parent[k]
        found.append(k)
    return found


@dataclass(frozen=True)
class _AnyJoint:
    armature = damping = stiffness = (1.0,)
    has_constant_map = False


@dataclass(frozen=True)
class _AnyBody:
    parent: int | None
    joint: _AnyJoint = _AnyJoint()


def part_of(symbol: Symbol, domain: Domain) -> Part:
    """How a leaf or an input is drawn: by its declared structure, rigid where the domain is physical."""
    structure, leaf = symbol.structure, symbol.leaf
    relation: Relation = "any"
    if leaf is not None and not leaf.at(_AnyBody(0)):
        relation = "root"
    elif structure.hop:
        relation = "hop"
    elif structure.flow in ("inward", "outward"):
        relation = "path"
    elif structure.flow == "diagonal":
        relation = "same"
    if leaf is not None and domain.physical:
        match leaf.form:
            case RigidShift():
                return Part(symbol, "shift", relation)
            case RigidInertia():
                return Part(symbol, "inertia", relation)
            case JointMap() if "revolute" in domain.words:
                return Part(symbol, "axis", relation)
            case JointMap() if "closed joints" in domain.words:
                return Part(symbol, "subgroup", relation)
            case _:
                pass
    kind: Kind = "symmetric" if structure.symmetric else "plain"
    if structure.semidefinite:
        kind = "square"
    return Part(symbol, kind, relation, positive=structure.definite, unit=structure.unit)


def vanishes(symbol: Symbol, domain: Domain) -> bool:
    """Whether a leaf is zero in a domain; joints of one freedom have a constant map."""
    constant = bool(domain.words & {"1-DOF", "revolute", "constant joint maps"})
    return symbol.structure.flow == "zero" or (
        constant and symbol.leaf is not None and isinstance(symbol.leaf.form, JointMapRate)
    )


# -- leaves that follow from others ------------------------------------------------------------------------------------


def needed(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    """The leaves to draw: those of a claim, and those that others of them follow from."""
    found = set(symbols)
    if X_abs in found:
        found |= {E_phi}
    if X_cm in found:
        found |= {M}
    return tuple(sorted(found, key=lambda symbol: symbol.name))


def followed(drawn: dict[Expr, Rows], tree: Mechanism) -> dict[Expr, Rows]:
    """With leaves that follow from others: X_abs from the shifts along the path, X_cm from the inertia."""
    drawn |= {leaf: [list(row) for row in drawn[leaf]] for leaf in (X_abs, X_cm) if leaf in drawn}
    if X_abs in drawn:
        placed, hop = drawn[X_abs], drawn[E_phi]
        for k, p in enumerate(tree.parent):
            if p >= 0:
                _put(placed, times(_six(placed, p, p), _six(hop, p, k)), SPATIAL * k, SPATIAL * k)
            elif E_ground in drawn:
                _put(placed, _six(drawn[E_ground], 0, k), SPATIAL * k, SPATIAL * k)
    if X_cm in drawn:
        for k in tree.bodies:
            inertia = _six(drawn[M], k, k)
            back = [[-Fraction(x) / inertia[3][3] for x in row[3:]] for row in inertia[:3]]
            unit: Rows = [[int(i == j) for j in range(3)] for i in range(3)]
            _put(drawn[X_cm], quarters(unit, [list(row) for row in back], NOTHING, unit), SPATIAL * k, SPATIAL * k)
    return drawn


def _six(a: Rows, i: int, j: int) -> Rows:
    return [row[SPATIAL * j : SPATIAL * j + SPATIAL] for row in a[SPATIAL * i : SPATIAL * i + SPATIAL]]


# -- numbers -----------------------------------------------------------------------------------------------------------

_STYLES: tuple[tuple[int, ...], ...] = ((1,), (0, 1), (-1, 0, 1), (-2, -1, 0, 1, 2), (-2, -1, 0, 1, 2))


def draw(signs: Sequence[Sign], seed: int, sample: int) -> list[int]:
    """Small whole numbers: all ones first, then zeros and ones, then others."""
    rng = random.Random(f"{seed} {sample} {len(signs)}")
    style = _STYLES[min(sample, len(_STYLES) - 1)]
    found = rng.choices(style, k=len(signs))
    most = max(style)
    return [x if sign == "any" else rng.randint(1, most) for x, sign in zip(found, signs, strict=True)]
