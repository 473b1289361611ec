"""Random rational expressions without any promise that a sweep exists: sums, products, adjoints, inverses of anything.

Beside the vocabulary they hold operators of a user's own: nonsymmetric local ones, hops of gears and of contacts, a
space of contacts with its own block sizes, constraints in a space of no body.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.expressions.build import diag, inv, one, operator, root, vector
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, Type, space
from tests.expression_grammar import LEAVES, LOCAL_LEAVES, VOCABULARY, J, Maker, Table, Words, by_type, h

Floats = NDArray[np.float64]

CONTACT = s.CONTACT
LOOPS = space("loops", attached=False)
TASKS = space("tasks", attached=False)
EIGHTH = Fraction(1, 8)

A = operator("A", MOTION >> FORCE, structure="diagonal")
B = operator("B_local", FORCE >> MOTION, structure="diagonal")
C = operator("C", RATE >> TORQUE, structure="diagonal")
S = operator("S_local", TORQUE >> RATE, structure="diagonal definite")
GEAR = operator("gear", TORQUE >> TORQUE, structure="inward hop")
SOFT = operator("soft", CONTACT >> CONTACT.dual, structure="diagonal definite")
SLIDING = operator("sliding", CONTACT >> CONTACT.dual, structure="diagonal")
LINK = operator("link", CONTACT.dual >> CONTACT.dual, structure="inward hop")
RELATION = operator("relation", RATE >> LOOPS)
WEIGHT = operator("weight", LOOPS >> LOOPS.dual)

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
HEAVY = s.innovations(J)
_LINKED = LINK @ SLIDING @ inv(SOFT)
_REACH = SLIDING @ s.B.T @ B @ s.E_phi @ s.B
_LOCAL = (A, B, C, S, s.B, SOFT, SLIDING, inv(SOFT), HEAVY.P, HEAVY.D, HEAVY.G, HEAVY.tau_bar)
_WIDE = (
    GEAR, _LINKED, MASS, inv(MASS), s.phi @ s.M @ s.phi.T, s.H.T @ inv(s.D) @ s.H, s.H.T @ inv(MASS) @ s.H,
    HEAVY.psi, HEAVY.K, HEAVY.U,
)  # fmt: skip
_COUPLING = RELATION @ inv(MASS + C) @ RELATION.T + inv(WEIGHT)


def _joined(table: Table, more: Table) -> Table:
    return {type_: [*table.get(type_, ()), *more.get(type_, ())] for type_ in (*table, *more)}


WORDS = Words(
    {**VOCABULARY.vectors, CONTACT: vector("x_contact", CONTACT), CONTACT.dual: vector("f_contact", CONTACT.dual)},
    _joined(LOCAL_LEAVES, by_type(_LOCAL)),
    _joined(LEAVES, by_type(_LOCAL + _WIDE)),
    {**VOCABULARY.definite, CONTACT >> CONTACT.dual: (SOFT,), CONTACT.dual >> CONTACT: (inv(SOFT),)},
    {
        **VOCABULARY.hops,
        TORQUE: (*VOCABULARY.hops[TORQUE], GEAR),
        RATE: (*VOCABULARY.hops[RATE], GEAR.T),
        CONTACT.dual: (_LINKED, _REACH),
        CONTACT: (_LINKED.T, _REACH.T),
    },
)


class Rational(Maker):
    """Draws rational expressions and questions about them from a generator of random numbers."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng.choice, words=WORDS)

    def choices(self, type_: Type, depth: int) -> list[Callable[[], Expr]]:
        """Also low rank, roots on both sides, and more inverses."""
        found = [*super().choices(type_, depth), lambda: self.low_rank(type_, depth - 1)]
        if type_.same_sizes:
            found += [lambda: self.inverse(type_, depth - 1)] * 2
        if type_.codomain in self.words.hops and type_.domain.dual in self.words.hops:
            found += [lambda: self.pair_of_hops(type_, depth - 1)] * 2
        if type_ == type_.T:
            found.append(lambda: self.between_roots(type_, depth - 1))
        return found

    def inverse(self, type_: Type, depth: int) -> Expr:
        """The inverse of a local operator plus anything, or of anything."""
        back = type_.codomain >> type_.domain
        base, body = self.local_leaf(back), self.general(back, depth)
        choices: list[Callable[[], Expr]] = [
            lambda: inv(base + body),
            lambda: inv(base + EIGHTH * body),
            lambda: inv(body),
            lambda: super(Rational, self).inverse(type_, depth),
        ]
        return one(type_) if type_.square and body == -base else self.choose(choices)()

    def low_rank(self, type_: Type, depth: int) -> Expr:
        """A column times a row, or constraints with what couples them."""
        if self.choose((False, True)):
            return self.column(type_.codomain, depth) @ self.column(type_.domain.dual, depth).T
        small = self.choose((WEIGHT, inv(_COUPLING)))
        into, out = self.general(type_.domain >> RATE, 0), self.general(TORQUE >> type_.codomain, 0)
        return out @ RELATION.T @ small @ RELATION @ into

    def low_ranks(self, type_: Type, depth: int) -> Expr:
        """A local operator and two terms of low rank."""
        return self.local_leaf(type_) + self.low_rank(type_, depth) + self.low_rank(type_, depth)

    def between_roots(self, type_: Type, depth: int) -> Expr:
        """L Z L*, L the root of a local operator that is definite or perhaps not, or of the inverse of one."""
        definite = type_ in self.words.definite and self.choose((True, True, True, False))
        back = type_.codomain >> type_.domain
        if definite and back in self.words.definite and self.choose((False, True)):
            R = inv(root(diag(self.definite(back, depth)))).T
        else:
            X = self.definite(type_, depth) if definite else self.general(type_, 0)
            R = root(diag(X if definite else X + X.T + self.local_leaf(type_)))
        white = R.type.domain
        return R @ self.choose([lambda: one(white >> white), lambda: R.T @ self.general(back, 0) @ R])() @ R.T

    def operator(self, depth: int) -> Expr:
        """Any operator; half of them as one can ask for a trace, a third with a pair of hops."""
        space = self.choose(tuple(self.words.hops))
        other = [other for other in self.words.spaces if self.choose((False, True)) or other.sizes == space.sizes]
        type_ = self.choose(other) >> space
        makers: list[Callable[[], Expr]] = [lambda: self.general(type_, depth)] * 2
        if type_.domain.dual in self.words.hops:
            makers.append(lambda: self.pair_of_hops(type_, depth - 1))
        return self.choose(makers)()

    def question(self, e: Expr, model: Model) -> Query | Expr:
        """A question about an operator between spaces of bodies."""
        place = (self.choose(range(model.n)), self.choose(range(model.n)))
        choices: list[Callable[[], Query | Expr]] = [lambda: diag(e), lambda: dense(e), lambda: block(e, *place)]
        if e.type.same_sizes:
            choices += [lambda: trace(e), lambda: logdet(self.regular(e))]
        return self.choose(choices)()

    def regular(self, e: Expr) -> Expr:
        """An operator whose determinant is perhaps positive: itself, e* S e, or one with an inverse."""
        middle = e.type.codomain >> e.type.codomain.dual
        choices: list[Callable[[], Expr]] = [lambda: e, lambda: self.inverse(e.type, 2)]
        if middle in self.words.definite:
            choices += [lambda: e.T @ self.definite(middle, 2) @ e] * 2
        return self.choose(choices)()


def rational_inputs(
    e: Expr, model: Model, seed: int, sample: int = 0, more: Mapping[str, list[int]] | None = None
) -> dict[str, Any]:
    """Random values for the inputs that an expression mentions, and v where it differentiates the joint map.

    The block sizes of the user's space depend on the seed alone, so that samples can be stacked; `more` are of others.
    """
    rng = np.random.default_rng(seed)
    sizes: Mapping[str, list[int]] = {
        **(more or {}),
        "spatial": [6] * model.n,
        "joint": [part.stop - part.start for part in model.v_slices],
        "contact": [*rng.choice([0, 0, 1, 3], model.n - 1).tolist(), 2],
        "loops": [2],
        "tasks": [3],
    }
    rng = np.random.default_rng([seed, sample])
    values: dict[str, Any] = {}
    for symbol in sorted(free_symbols(e), key=lambda symbol: symbol.name):
        if symbol.name == "H_dot":
            values["v"] = rng.standard_normal(model.nv)
        elif symbol.origin == "input" and symbol.name not in values:
            values[symbol.name] = random_value(symbol, sizes, model, rng)
    return values


def random_value(symbol: Symbol, sizes: Mapping[str, list[int]], model: Model, rng: np.random.Generator) -> Any:
    """A value of an input; `sizes` are those of the blocks of each space, body by body."""
    if symbol == h:
        return float(rng.uniform(0.1, 1.0))
    rows, cols = sizes[symbol.type.codomain.sizes], sizes.get(symbol.type.domain.sizes, [1])
    if not symbol.type.codomain.attached and rows == cols:
        return _definite(rng, rows[0])
    if symbol.type.domain != ONE and not (symbol.type.domain.attached and symbol.type.codomain.attached):
        return rng.standard_normal((sum(rows), sum(cols)))
    if symbol.structure.hop:
        return [0.5 * rng.standard_normal((rows[max(p, 0)], cols[k])) for k, p in enumerate(model.parent)]
    if not symbol.type.domain.attached:
        by_body = [rng.standard_normal(n) for n in rows]
    elif rows != cols:
        by_body = [rng.standard_normal((m, n)) for m, n in zip(rows, cols, strict=True)]
    else:
        generic = 0.0 if symbol.structure.symmetric else 2.0
        by_body = [generic * np.eye(n) + (rng.standard_normal((n, n)) if generic else _definite(rng, n)) for n in rows]
    own = {symbol.type.codomain.sizes, symbol.type.domain.sizes} - {"spatial", "joint", "one"}
    if own and symbol.type.codomain.attached:
        return {name: block for name, block in zip(model.joint_names, by_body, strict=True) if block.size}
    return by_body if symbol.type.domain.attached else np.concatenate(by_body)


def _definite(rng: np.random.Generator, n: int) -> Floats:
    square = rng.standard_normal((n, n))
    return np.eye(n) + square @ square.T
