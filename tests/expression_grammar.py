"""A grammar of well-typed expressions: inverses, sums, adjoints, fixed points, roots, diag, scalars, local functions.

What stands under an inverse is invertible on every mechanism, and so is every pivot of its elimination over the tree:
a unit operator plus a strict one, or a definite local operator plus terms A S A* with S semidefinite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, TypeVar

from operator_algebra import symbols as s
from operator_algebra.expressions.build import diag, fixpoint, inv, local, one, operator, root, scalar, vector
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, WHITE, Space, Type

SPACES = (MOTION, FORCE, RATE, TORQUE, WHITE)
FACTORS = (Fraction(1, 2), Fraction(-1), Fraction(2), Fraction(-3, 4))

X = TypeVar("X")


class Choose(Protocol):
    """Draws one of several things; the first is the simplest."""

    def __call__(self, choices: Sequence[X], /) -> X: ...


h = scalar("h")
J = operator("J", RATE >> TORQUE, structure="diagonal definite")
VECTORS: Mapping[Space, Symbol] = {
    MOTION: vector("x_motion", MOTION),
    FORCE: s.f_ext,
    RATE: s.v,
    TORQUE: s.T,
    WHITE: vector("x_white", WHITE),
}

_LOCAL = (
    s.H,
    s.M,
    s.P,
    s.P_plus,
    s.R,
    s.D,
    s.G,
    s.tau,
    s.tau_bar,
    s.Upsilon,
    s.Upsilon_plus,
    s.S,
    J,
    inv(s.M),
    inv(s.D),
)
_MOVING = (s.V_tilde, s.delta, s.rotation, s.rotation_delta, s.cross(VECTORS[MOTION]), local("spin", s.a))
_WIDE = (s.phi, s.E_phi, s.phi_tilde, s.K, s.psi, s.E_psi, s.psi_tilde, s.U, s.W, s.m, s.ell, s.Omega)
_ROOTS = (root(s.D), inv(root(s.D)), root(s.H @ s.M @ s.H.T))

Table = Mapping[Type, Sequence[Expr]]


def by_type(leaves: Sequence[Expr]) -> Table:
    """Operators and their adjoints by type."""
    table: dict[Type, list[Expr]] = {}
    for leaf in leaves:
        for e in dict.fromkeys((leaf, leaf.T)):
            table.setdefault(e.type, []).append(e)
    return table


@dataclass(frozen=True)
class Words:
    """What expressions are made of: leaves by type, definite local operators by type, hops by their space."""

    vectors: Mapping[Space, Expr]
    local: Table
    leaves: Table
    definite: Table
    hops: Mapping[Space, Sequence[Expr]]

    @property
    def spaces(self) -> tuple[Space, ...]:
        """All spaces of bodies."""
        return tuple(self.vectors)

    @property
    def semidefinite(self) -> list[Type]:
        """Where the middle of A S A* may live."""
        return [type_ for type_ in self.definite if type_ != WHITE >> WHITE]


LOCAL_LEAVES = by_type(_LOCAL + _MOVING + _ROOTS)
LEAVES = by_type(_LOCAL + _MOVING + _ROOTS + _WIDE)
VOCABULARY = Words(
    VECTORS,
    LOCAL_LEAVES,
    LEAVES,
    definite={
        MOTION >> FORCE: (s.M, s.R),
        FORCE >> MOTION: (inv(s.M),),
        RATE >> TORQUE: (s.H @ s.M @ s.H.T, J, s.H @ s.R @ s.H.T),
        TORQUE >> RATE: (inv(J), inv(s.H @ s.M @ s.H.T)),
        WHITE >> WHITE: (one(WHITE >> WHITE),),
    },
    hops={
        FORCE: (s.E_phi, s.E_psi, s.K @ s.H),
        TORQUE: (s.H @ s.K, s.H @ s.E_phi @ s.G),
        MOTION: (s.E_phi.T, s.E_psi.T),
        RATE: (s.K.T @ s.H.T,),
    },
)


@dataclass(slots=True)
class Maker:
    """Draws expressions; fixed points get names of their own."""

    choose: Choose
    moving: bool = True
    words: Words = VOCABULARY
    fixpoints: int = field(default=0)

    def leaf(self, type_: Type) -> Expr:
        """A symbol of the vocabulary, or a product of some."""
        return self.through(self.words.leaves, type_)

    def general(self, type_: Type, depth: int) -> Expr:
        """Any operator of a type."""
        return self.leaf(type_) if depth <= 0 else self.choose(self.choices(type_, depth))()

    def choices(self, type_: Type, depth: int) -> list[Callable[[], Expr]]:
        """The ways to make an operator, the simplest first."""
        found: list[Callable[[], Expr]] = [
            lambda: self.leaf(type_),
            lambda: self.product(type_, depth),
            lambda: self.general(type_, depth - 1) + self.general(type_, depth - 1),
            lambda: self.general(type_, depth - 1) - self.general(type_, depth - 1),
            lambda: self.choose(FACTORS) * self.general(type_, depth - 1),
            lambda: self.number(depth - 1) * self.general(type_, depth - 1),
            lambda: self.general(type_.T, depth - 1).T,
            lambda: self.block_diagonal(type_, depth - 1),
        ]
        hops = self.words.hops
        if type_.codomain in hops and type_.domain.dual in hops:
            found.append(lambda: self.pair_of_hops(type_, depth - 1))
        if type_ == type_.T:
            found.append(lambda: self.congruence(type_, depth - 1))
        if type_.same_sizes:
            found.append(lambda: self.inverse(type_, depth - 1))
        if type_.codomain in hops and type_ == type_.T and type_ in self.words.definite:
            found.append(lambda: self.fixed_point(type_))
        return found

    def product(self, type_: Type, depth: int) -> Expr:
        """A product through any space."""
        middle = self.choose(self.words.spaces)
        return self.general(middle >> type_.codomain, depth - 1) @ self.general(type_.domain >> middle, depth - 1)

    def pair_of_hops(self, type_: Type, depth: int) -> Expr:
        """E X E'*: to the parent and back, which is block-diagonal if X is, or out and back; perhaps within a sweep."""
        hop, back = self.choose(self.words.hops[type_.codomain]), self.choose(self.words.hops[type_.domain.dual]).T
        inside = back.type.codomain >> hop.type.domain
        pair = hop @ self.choose([lambda: self.local_leaf(inside), lambda: self.general(inside, depth)])() @ back
        rows, cols = type_.codomain >> type_.codomain, type_.domain >> type_.domain
        return self.choose([lambda: pair, lambda: self.leaf(rows) @ pair, lambda: pair @ self.leaf(cols)])()

    def congruence(self, type_: Type, depth: int) -> Expr:
        """A S A*, or A* S A: on trees these differ."""
        middle = self.choose(self.words.semidefinite)
        a = self.general(middle.codomain >> type_.codomain, min(depth, 1))
        return a @ self.general(middle, min(depth, 1)) @ a.T

    def block_diagonal(self, type_: Type, depth: int) -> Expr:
        """A local operator: a leaf, a sum, a diagonal part, a root, a local function."""
        choices: list[Callable[[], Expr]] = [
            lambda: diag(self.general(type_, depth)),
            lambda: self.local_leaf(type_),
            lambda: self.local_leaf(type_) + self.local_leaf(type_),
        ]
        if type_ == MOTION >> MOTION and self.moving:
            choices.append(lambda: local("cross", self.column(MOTION, depth)))
        if type_ == WHITE >> TORQUE:
            choices.append(lambda: root(diag(self.definite(RATE >> TORQUE, depth))))
        return self.choose(choices)()

    def local_leaf(self, type_: Type) -> Expr:
        """A block-diagonal symbol, or a product of some."""
        return self.through(self.words.local, type_)

    def through(self, table: Table, type_: Type) -> Expr:
        """An entry of the table, or the shortest product of entries that has the type."""
        known = [e for e in table.get(type_, []) if self.moving or not _moves(e)]
        if type_.square:
            known.append(one(type_))
        if known:
            return self.choose(known)
        steps = [z for z in self.words.spaces if type_.domain >> z in table and z != type_.domain]
        distances = [self._distance(table, z, type_.codomain) for z in steps]
        middle = self.choose([z for z, d in zip(steps, distances, strict=True) if d == min(distances)])
        return self.through(table, middle >> type_.codomain) @ self.through(table, type_.domain >> middle)

    def _distance(self, table: Table, start: Space, end: Space) -> int:
        """How many entries of the table lead from one space to another."""
        reached, steps = {start}, 0
        while end not in reached:
            reached |= {z for y in reached for z in self.words.spaces if y >> z in table}
            steps += 1
        return steps

    def column(self, space: Space, depth: int) -> Expr:
        """A vector."""
        start = self.choose(self.words.spaces) if depth > 0 else space
        x = self.words.vectors[start]
        return x if start == space and depth <= 0 else self.general(start >> space, depth - 1) @ x

    def number(self, depth: int) -> Expr:
        """A number one → one: an input, a number more, or x* A x."""
        if depth <= 0 or self.choose((False, True)):
            return self.choose((h, 1 + h, h - Fraction(1, 4)))
        space = self.choose(self.words.spaces)
        x = self.words.vectors[space]
        return x.T @ self.general(space >> space.dual, depth - 1) @ x

    def inverse(self, type_: Type, depth: int) -> Expr:
        """The inverse of an operator that has one on every mechanism."""
        codomain, domain = type_.codomain, type_.domain
        if codomain == domain and codomain in self.words.hops:
            return inv(self.unit(codomain, depth))
        back = codomain >> domain
        if back in self.words.definite:
            return inv(self.definite(back, depth))
        if back == WHITE >> TORQUE:
            return inv(root(diag(self.definite(RATE >> TORQUE, depth))))
        if back == RATE >> WHITE:
            return inv(root(diag(self.definite(RATE >> TORQUE, depth))).T)
        return self.leaf(type_)

    def unit(self, space: Space, depth: int) -> Expr:
        """I plus a strict operator of one direction, or I itself."""
        hop = self.choose(self.words.hops[space])
        inside = self.local_leaf(space >> space) if depth > 0 else one(space >> space)
        strict = self.choose(FACTORS) * (hop @ inside)
        return one(space >> space) + strict

    def definite(self, type_: Type, depth: int) -> Expr:
        """A local definite operator, and perhaps A S A* with S semidefinite."""
        base = self.choose(self.words.definite[type_])
        if depth <= 0 or self.choose((False, True)):
            return base
        middle = self.choose(self.words.semidefinite)
        a = self.general(middle.codomain >> type_.codomain, min(depth - 1, 1))
        return base + a @ self.choose(self.words.definite[middle]) @ a.T

    def fixed_point(self, type_: Type) -> Expr:
        """X = N + E X E* inward, or X = N + diag(E* X E) outward."""
        self.fixpoints += 1
        name = f"X_{self.fixpoints}"
        constant = self.choose([self.choose(self.words.definite[type_]), self.local_leaf(type_)])
        hop = self.choose(self.words.hops[type_.codomain])
        if hop.structure.flow == "inward":
            return fixpoint(name, type_, lambda X: constant + hop @ X @ hop.T)
        return fixpoint(name, type_, lambda X: constant + diag(hop @ X @ hop.T))


def _moves(e: Expr) -> bool:
    return any(symbol.name in ("v", "H_dot") for symbol in free_symbols(e))
