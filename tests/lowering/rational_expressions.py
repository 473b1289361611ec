"""Random rational expressions without any promise that a sweep exists: sums, products, adjoints, inverses of anything.

Beside the vocabulary they hold operators of a user's own: nonsymmetric local ones, a gear hop between joints.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, one, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, Space, Type

Floats = NDArray[np.float64]

SPACES = (MOTION, FORCE, RATE, TORQUE)
PARTNER: Mapping[Space, Space] = {MOTION: FORCE, FORCE: MOTION, RATE: TORQUE, TORQUE: RATE}
FACTORS = (Fraction(1, 2), Fraction(-1), Fraction(2))

A = operator("A", MOTION >> FORCE, structure="diagonal")
B = operator("B_local", FORCE >> MOTION, structure="diagonal")
C = operator("C", RATE >> TORQUE, structure="diagonal")
S = operator("S_local", TORQUE >> RATE, structure="diagonal definite")
GEAR = operator("gear", TORQUE >> TORQUE, structure="inward hop")
VECTORS: Mapping[Space, Expr] = {space: vector(f"x_{space.name}", space) for space in SPACES}

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
_LEAVES: tuple[Expr, ...] = (
    s.phi, s.E_phi, s.psi, s.M, s.H, s.H.T @ inv(s.D) @ s.H, s.P, s.G, s.K, s.D, A, B, C, S, GEAR, MASS,
    s.phi @ s.M @ s.phi.T, s.H.T @ inv(MASS) @ s.H, s.R, s.Upsilon,
)  # fmt: skip


def _table() -> dict[Type, list[Expr]]:
    found: dict[Type, list[Expr]] = {}
    for leaf in _LEAVES:
        for e in dict.fromkeys((leaf, leaf.T)):
            found.setdefault(e.type, []).append(e)
    return found


LEAVES = _table()
_BASE: Mapping[Type, tuple[Expr, ...]] = {
    MOTION >> FORCE: (s.M, A),
    FORCE >> MOTION: (inv(s.M), B),
    RATE >> TORQUE: (s.D, C),
    TORQUE >> RATE: (S, inv(s.D)),
}


X = TypeVar("X")


@dataclass(frozen=True)
class Rational:
    """Draws rational expressions from a generator of random numbers."""

    rng: random.Random

    def choose(self, choices: Sequence[X]) -> X:
        return self.rng.choice(choices)

    def pick(self, choices: Sequence[Callable[[], Expr]]) -> Expr:
        return self.choose(choices)()

    def leaf(self, type_: Type) -> Expr:
        """A symbol, or a short product that has the type."""
        known = list(LEAVES.get(type_, ()))
        if type_.square:
            known.append(one(type_))
        if known:
            return self.choose(known)
        middles = [z for z in SPACES if type_.domain >> z in LEAVES and z >> type_.codomain in LEAVES]
        middle = self.choose(middles)
        return self.leaf(middle >> type_.codomain) @ self.leaf(type_.domain >> middle)

    def any(self, type_: Type, depth: int) -> Expr:
        """An expression of a type."""
        if depth <= 0:
            return self.leaf(type_)
        choices: list[Callable[[], Expr]] = [
            lambda: self.product(type_, depth),
            lambda: self.any(type_, depth - 1) + self.any(type_, depth - 1),
            lambda: self.any(type_, depth - 1) - self.any(type_, depth - 1),
            lambda: self.choose(FACTORS) * self.any(type_, depth - 1),
            lambda: self.leaf(type_),
        ]
        if type_.codomain in (type_.domain, PARTNER[type_.domain]):
            choices += [lambda: self.inverse(type_, depth - 1)] * 3
        return self.pick(choices)

    def product(self, type_: Type, depth: int) -> Expr:
        """A product through any space."""
        middle = self.choose(SPACES)
        return self.any(middle >> type_.codomain, depth - 1) @ self.any(type_.domain >> middle, depth - 1)

    def inverse(self, type_: Type, depth: int) -> Expr:
        """The inverse of a local operator plus anything, or of anything."""
        back = type_.codomain >> type_.domain
        base = one(back) if back.square else self.choose(_BASE[back])
        body = self.any(back, depth)
        return inv(self.pick([lambda: base + body, lambda: base + Fraction(1, 8) * body, lambda: body]))


def rational_operator(seed: int, depth: int = 3) -> Expr:
    """An operator."""
    rational = Rational(random.Random(seed))
    return rational.any(rational.choose(SPACES) >> rational.choose(SPACES), depth)


def rational_column(seed: int, depth: int = 3) -> Expr:
    """An operator applied to an input."""
    rational = Rational(random.Random(seed))
    start = rational.choose(SPACES)
    return rational.any(start >> rational.choose(SPACES), depth) @ VECTORS[start]


def rational_inputs(e: Expr, model: Model, seed: int) -> dict[str, Any]:
    """Random values for the inputs that an expression mentions."""
    rng = np.random.default_rng(seed)
    joints = [part.stop - part.start for part in model.v_slices]
    spatial = [6] * model.n
    values: dict[str, Any] = {}
    for symbol in sorted(free_symbols(e), key=lambda symbol: symbol.name):
        if symbol.origin != "input":
            continue
        rows = joints if symbol.type.codomain.sizes == "joint" else spatial
        if not symbol.type.domain.attached:
            values[symbol.name] = rng.standard_normal(sum(rows))
        elif symbol.structure.hop:
            values[symbol.name] = [0.5 * rng.standard_normal((rows[max(p, 0)], rows[k])) for k, p in _edges(model)]
        else:
            shift = np.eye if symbol.structure.definite else _generic
            values[symbol.name] = [shift(n) + _definite(rng, n, symbol.structure.definite) for n in rows]
    return values


def _edges(model: Model) -> list[tuple[int, int]]:
    return list(enumerate(model.parent))


def _generic(n: int) -> Floats:
    return 2.0 * np.eye(n)


def _definite(rng: np.random.Generator, n: int, definite: bool) -> Floats:
    square = rng.standard_normal((n, n))
    return square @ square.T if definite else square
