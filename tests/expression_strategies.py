"""Random well-typed expressions: inverses, sums, adjoints, fixed points, roots, diag, scalars, local functions.

What stands under an inverse is invertible on every mechanism, and so is every pivot of its elimination over the tree:
a unit operator plus a strict one, or a definite local operator plus terms A S A* with S semidefinite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.expressions.build import diag, fixpoint, inv, local, one, operator, root, scalar, vector
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.expressions.traverse import free_symbols, postorder
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, WHITE, Space, Type

SPACES = (MOTION, FORCE, RATE, TORQUE, WHITE)
FACTORS = (Fraction(1, 2), Fraction(-1), Fraction(2), Fraction(-3, 4))

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


def _by_type(leaves: tuple[Expr, ...]) -> dict[Type, list[Expr]]:
    table: dict[Type, list[Expr]] = {}
    for leaf in leaves:
        for e in dict.fromkeys((leaf, leaf.T)):
            table.setdefault(e.type, []).append(e)
    return table


LOCAL_LEAVES = _by_type(_LOCAL + _MOVING + _ROOTS)
LEAVES = _by_type(_LOCAL + _MOVING + _ROOTS + _WIDE)

# A definite local operator and a shift for each space that has them.
_DEFINITE: Mapping[Type, tuple[Expr, ...]] = {
    MOTION >> FORCE: (s.M, s.R),
    FORCE >> MOTION: (inv(s.M),),
    RATE >> TORQUE: (s.H @ s.M @ s.H.T, J, s.H @ s.R @ s.H.T),
    TORQUE >> RATE: (inv(J), inv(s.H @ s.M @ s.H.T)),
    WHITE >> WHITE: (one(WHITE >> WHITE),),
}
_HOPS: Mapping[Space, tuple[Expr, ...]] = {
    FORCE: (s.E_phi, s.E_psi, s.K @ s.H),
    TORQUE: (s.H @ s.K, s.H @ s.E_phi @ s.G),
    MOTION: (s.E_phi.T, s.E_psi.T),
    RATE: (s.K.T @ s.H.T,),
}
_SAME_SIZES = {
    MOTION: (MOTION, FORCE),
    FORCE: (MOTION, FORCE),
    RATE: (RATE, TORQUE, WHITE),
    TORQUE: (RATE, TORQUE, WHITE),
    WHITE: (RATE, TORQUE, WHITE),
}


@dataclass(slots=True)
class Maker:
    """Draws expressions; fixed points get names of their own."""

    draw: st.DrawFn
    moving: bool = True
    fixpoints: int = field(default=0)

    def pick(self, choices: list[Callable[[], Expr]]) -> Expr:
        """One of these, the first when hypothesis shrinks."""
        return self.draw(st.sampled_from(choices))()

    def leaf(self, type_: Type) -> Expr:
        """A symbol of the vocabulary, or a product of some."""
        return self.through(LEAVES, type_)

    def general(self, type_: Type, depth: int) -> Expr:
        """Any operator of a type."""
        if depth <= 0:
            return self.leaf(type_)
        choices: list[Callable[[], Expr]] = [
            lambda: self.leaf(type_),
            lambda: self.product(type_, depth),
            lambda: self.general(type_, depth - 1) + self.general(type_, depth - 1),
            lambda: self.general(type_, depth - 1) - self.general(type_, depth - 1),
            lambda: self.draw(st.sampled_from(FACTORS)) * self.general(type_, depth - 1),
            lambda: self.number(depth - 1) * self.general(type_, depth - 1),
            lambda: self.general(type_.T, depth - 1).T,
            lambda: self.block_diagonal(type_, depth - 1),
        ]
        if type_ == type_.T:
            choices.append(lambda: self.congruence(type_, depth - 1))
        if type_.codomain in _SAME_SIZES[type_.domain]:
            choices.append(lambda: self.inverse(type_, depth - 1))
        if type_ in (MOTION >> FORCE, FORCE >> MOTION, RATE >> TORQUE):
            choices.append(lambda: self.fixed_point(type_, depth - 1))
        return self.pick(choices)

    def product(self, type_: Type, depth: int) -> Expr:
        """A product through any space."""
        middle = self.draw(st.sampled_from(SPACES))
        return self.general(middle >> type_.codomain, depth - 1) @ self.general(type_.domain >> middle, depth - 1)

    def congruence(self, type_: Type, depth: int) -> Expr:
        """A S A*, or A* S A: on trees these differ."""
        middle = self.draw(st.sampled_from([t for t in _DEFINITE if t != WHITE >> WHITE]))
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
            choices.append(lambda: root(self.definite_local(RATE >> TORQUE)))
        return self.pick(choices)

    def local_leaf(self, type_: Type) -> Expr:
        """A block-diagonal symbol, or a product of some."""
        return self.through(LOCAL_LEAVES, type_)

    def through(self, table: Mapping[Type, list[Expr]], type_: Type) -> Expr:
        """An entry of the table, or the shortest product of entries that has the type."""
        known = [e for e in table.get(type_, []) if self.moving or not _moves(e)]
        if type_.square:
            known.append(one(type_))
        if known:
            return self.draw(st.sampled_from(known))
        steps = [z for z in SPACES if type_.domain >> z in table and z != type_.domain]
        shortest = min(_distance(table, z, type_.codomain) for z in steps)
        middle = self.draw(st.sampled_from([z for z in steps if _distance(table, z, type_.codomain) == shortest]))
        return self.through(table, middle >> type_.codomain) @ self.through(table, type_.domain >> middle)

    def column(self, space: Space, depth: int) -> Expr:
        """A vector."""
        start = self.draw(st.sampled_from(SPACES)) if depth > 0 else space
        x = VECTORS[start]
        return x if start == space and depth <= 0 else self.general(start >> space, depth - 1) @ x

    def number(self, depth: int) -> Expr:
        """A number one → one: an input, a number more, or x* A x."""
        if depth <= 0 or self.draw(st.booleans()):
            return self.draw(st.sampled_from((h, 1 + h, h - Fraction(1, 4))))
        space = self.draw(st.sampled_from(SPACES))
        x = VECTORS[space]
        return x.T @ self.general(space >> space.dual, depth - 1) @ x

    def inverse(self, type_: Type, depth: int) -> Expr:
        """The inverse of an operator that has one on every mechanism."""
        codomain, domain = type_.codomain, type_.domain
        if codomain == domain and codomain != WHITE:
            return inv(self.unit(codomain, depth))
        back = codomain >> domain
        if back == back.T:
            return inv(self.definite(back, depth))
        if back == WHITE >> TORQUE:
            return inv(root(self.definite_local(RATE >> TORQUE)))
        if back == RATE >> WHITE:
            return inv(root(self.definite_local(RATE >> TORQUE)).T)
        return self.leaf(type_)

    def unit(self, space: Space, depth: int) -> Expr:
        """I plus a strict operator of one direction, or I itself."""
        hop = self.draw(st.sampled_from(_HOPS[space]))
        inside = self.local_leaf(space >> space) if depth > 0 else one(space >> space)
        strict = self.draw(st.sampled_from(FACTORS)) * (hop @ inside)
        return one(space >> space) + strict

    def definite_local(self, type_: Type) -> Expr:
        """A block-diagonal definite operator."""
        return self.draw(st.sampled_from(_DEFINITE[type_]))

    def definite(self, type_: Type, depth: int) -> Expr:
        """A local definite operator, and perhaps A S A* with S semidefinite."""
        base = self.definite_local(type_)
        if depth <= 0 or self.draw(st.booleans()):
            return base
        middle = self.draw(st.sampled_from([t for t in _DEFINITE if t != WHITE >> WHITE]))
        a = self.general(middle.codomain >> type_.codomain, min(depth - 1, 1))
        return base + a @ self.definite_local(middle) @ a.T

    def fixed_point(self, type_: Type, depth: int) -> Expr:
        """X = N + E X E* inward, or X = N + diag(E* X E) outward."""
        self.fixpoints += 1
        name = f"X_{self.fixpoints}"
        constant = self.definite_local(type_) if self.draw(st.booleans()) else self.local_leaf(type_)
        hop = self.draw(st.sampled_from(_HOPS[type_.codomain]))
        if hop.structure.flow == "inward":
            return fixpoint(name, type_, lambda X: constant + hop @ X @ hop.T)
        return fixpoint(name, type_, lambda X: constant + diag(hop @ X @ hop.T))


def _distance(table: Mapping[Type, list[Expr]], start: Space, end: Space) -> int:
    """How many entries of the table lead from one space to another."""
    reached, steps = {start}, 0
    while end not in reached:
        reached |= {z for y in reached for z in SPACES if y >> z in table}
        steps += 1
    return steps


def _moves(e: Expr) -> bool:
    return any(symbol.name in ("v", "H_dot") for symbol in free_symbols(e))


@st.composite
def operators(draw: st.DrawFn, *, depth: int = 3, type_: Type | None = None, moving: bool = True) -> Expr:
    """A random operator; without `moving` none that depends on velocities."""
    maker = Maker(draw, moving)
    wanted = type_ or draw(st.sampled_from(SPACES)) >> draw(st.sampled_from(SPACES))
    return maker.general(wanted, depth)


@st.composite
def columns(draw: st.DrawFn, *, depth: int = 3) -> Expr:
    """A random vector expression."""
    return Maker(draw).column(draw(st.sampled_from(SPACES)), depth)


def expressions(*, depth: int = 3) -> st.SearchStrategy[Expr]:
    """Any expression: an operator or a vector."""
    return st.one_of(columns(depth=depth), operators(depth=depth))


def names_in(e: Expr) -> dict[str, Expr]:
    """The vocabulary, and the names in a formula that it does not hold."""
    found = {node.name: node for node in postorder(e) if isinstance(node, Fixpoint | Symbol)}
    return {**found, **s.vocabulary()}


def inputs_for(e: Expr, model: Model, seed: int) -> dict[str, Any]:
    """Random values for the inputs that an expression needs: vectors of order one, positive J and h."""
    sizes = {"spatial": 6 * model.n, "joint": model.nv}
    values: dict[str, Any] = {}
    for symbol in sorted(free_symbols(e), key=lambda symbol: symbol.name):
        if symbol.origin != "input":
            continue
        rng = np.random.default_rng([seed, *symbol.name.encode()])
        if symbol is h:
            values["h"] = float(rng.uniform(0.1, 1.0))
        elif symbol is J:
            values["J"] = rng.uniform(0.5, 2.0, model.nv)
        else:
            assert symbol.type.domain == ONE
            values[symbol.name] = rng.standard_normal(sizes[symbol.type.codomain.sizes])
    return values
