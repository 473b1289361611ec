"""Statements that are no equations, by schemas: an argument on paper, and obligations that are proved like any claim.

The arguments stand in the documentation. An obligation is an equation, or that an operator has blocks of a kind, such
as strictly inward, which the kernel reads off its letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType

from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.expressions.build import add, diag, inv, one, operator, zero
from operator_algebra.expressions.nodes import Diag, Expr, Fixpoint, Inverse, Product, Root, Scale, Sum, Symbol
from operator_algebra.expressions.query import Query
from operator_algebra.expressions.ring import matmul
from operator_algebra.expressions.traverse import (
    all_below,
    children_and_definition,
    fold,
    free_symbols,
    postorder,
    rebuild,
)
from operator_algebra.identities.identity import Identity, Statement
from operator_algebra.identities.themes.noise import J
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.rates import CONSTANT_MAPS
from operator_algebra.symbols import E_phi, H, I, Innovations, M, R, differentiate, innovations, phi, v


@dataclass(frozen=True, slots=True)
class Blocks:
    """The obligation that an operator has blocks of a kind."""

    name: str
    operator: Expr
    words: str

    def __str__(self) -> str:
        return f"{self.name}: {self.operator} is {self.words}"


Obligation = Identity | Blocks


@dataclass(frozen=True, slots=True)
class Reduced:
    """A statement made of obligations: which schema turns these into it."""

    schema: str
    obligations: tuple[Obligation, ...]


def ways(statement: Statement) -> Iterator[Reduced]:
    """The ways in which a schema might give a statement, the simplest first; none where there is no schema."""
    make = SCHEMAS.get(statement.rule)
    operators = isinstance(statement.lhs, Expr) and isinstance(statement.rhs, Expr)
    if make is not None and operators != (make is _query):
        yield from make(statement)


def _sides(statement: Statement) -> tuple[Expr, Expr]:
    assert isinstance(statement.lhs, Expr) and isinstance(statement.rhs, Expr)
    return statement.lhs, statement.rhs


def _vocabulary(*formulas: Expr) -> Innovations:
    """The Riccati equation that formulas speak of: that with J where J stands in them."""
    return innovations(J if any(J in free_symbols(e) for e in formulas) else 0)


# -- orders -----------------------------------------------------------------------------------------------------------


def _order(statement: Statement) -> Iterator[Reduced]:
    """X = N X N* + Σ u S u* with N strict one way and every S ≥ 0: then X is the finite sum of Nᵏ (Σ u S u*) N*ᵏ."""
    lhs, rhs = _sides(statement)
    plain = _vocabulary(lhs, rhs)
    noise = [J] if plain is not innovations(0) else []
    for shift, squares in _squares(plain, noise):
        if (rhs - lhs).type == M.type:
            found = _as_squares("the difference", rhs - lhs, shift, squares)
            yield Reduced("sum of squares", (*found, *_positive(plain, noise, [S for _, S in squares])))


_Squares = Sequence[tuple[Expr, Expr]]


def _squares(plain: Innovations, noise: Sequence[Expr]) -> Iterator[tuple[Expr | None, _Squares]]:
    yield None, [(plain.tau_bar, plain.P), *((plain.G, S) for S in noise)]
    yield None, [(plain.G, plain.D)]
    yield None, [(E_phi, R)]
    yield E_phi, [(plain.K, plain.D)]
    yield E_phi, [(one(FORCE >> FORCE), M)]


def _as_squares(what: str, X: Expr, shift: Expr | None, squares: _Squares) -> list[Obligation]:
    total = sum((u @ S @ u.T for u, S in squares[1:]), squares[0][0] @ squares[0][1] @ squares[0][0].T)
    if shift is None:
        return [Identity(f"{what} is a sum of squares", X, total)]
    recursion = Identity(f"{what} is a sum of squares, again and again", X, shift @ X @ shift.T + total)
    return [recursion, Blocks(f"the shift of {what}", shift, "inward hop")]


def _positive(plain: Innovations, noise: Sequence[Expr], wanted: Sequence[Expr]) -> list[Obligation]:
    """Why P, D and R are positive: M and J are by declaration."""
    known: dict[Expr, tuple[Expr | None, _Squares]] = {
        plain.D: (None, [(H, plain.P), *((one(S.type.codomain >> S.type.codomain), S) for S in noise)]),
        plain.P: (plain.E_psi, [(one(FORCE >> FORCE), M), *((plain.K, S) for S in noise)]),
        R: (E_phi, [(one(FORCE >> FORCE), M)]),
    }
    pending, done, found = list(wanted), set[Expr](), list[Obligation]()
    while pending:
        X = pending.pop()
        if X in known and X not in done:
            done.add(X)
            found += _as_squares(str(X), X, *known[X])
            pending += [S for _, S in known[X][1]]
    return found


# -- patterns and entries ---------------------------------------------------------------------------------------------


def _block_diagonal(statement: Statement) -> Iterator[Reduced]:
    """The letters say so: a hop, blocks, and a hop back."""
    lhs, rhs = _sides(statement)
    yield Reduced("blocks", (Identity("both sides", lhs, rhs), Blocks("pattern", lhs, "diagonal")))


def _shift(propagation: Expr, *formulas: Expr) -> Expr | None:
    """The E of φ = (I − E)⁻¹, for the propagations of the vocabulary."""
    plain = _vocabulary(*formulas)
    return {phi: E_phi, plain.psi: plain.E_psi}.get(propagation)


def _series(statement: Statement) -> Iterator[Reduced]:
    """φ (I − E) = I with E strict one way: E is nilpotent, and the series of its powers is the one inverse of I − E."""
    lhs, rhs = _sides(statement)
    yield Reduced("series", (Identity("inverse", lhs @ (I - rhs), I), Blocks("shift", rhs, "inward hop")))


def _path(statement: Statement) -> Iterator[Reduced]:
    """φ (I − E) = I with E a hop: each block is the product of hops along the one path, which can be cut anywhere."""
    lhs, rhs = _sides(statement)
    E = _shift(lhs, lhs, rhs)
    if E is not None:
        equations = Identity("both sides", lhs, rhs), Identity("inverse", lhs @ (I - E), I)
        yield Reduced("paths", (*equations, Blocks("shift", E, "inward hop")))


def _common_ancestor(statement: Statement) -> Iterator[Reduced]:
    """Z = Y + ψ̃* Y + Y ψ̃ + ψ* (C − diag C) ψ, C = E* Y E: rows and columns meet at the parent of two siblings."""
    lhs, rhs = _sides(statement)
    if not (isinstance(rhs, Product) and len(rhs.children) == 3):
        return
    _, Y, psi = rhs.children
    E = _shift(psi, lhs, rhs)
    if E is not None and rhs.children[0] is psi.T:
        coupling, around = E.T @ Y @ E, psi - I
        parts = Y + around.T @ Y + Y @ around + psi.T @ (coupling - diag(coupling)) @ psi
        equations = Identity("decomposition", lhs, parts), Identity("inverse", psi @ (I - E), I)
        kinds = Blocks("blocks", Y, "diagonal"), Blocks("shift", E, "inward hop")
        yield Reduced("common ancestors", (*equations, *kinds))


def _roots(statement: Statement) -> Iterator[Reduced]:
    """X = A + diag(E* Y E), E a hop: no hop leaves a root, so the block of X there is that of A.

    What is left says something of blocks of one body alone, whatever they are: the joint map of a free base has an
    inverse, solutions of other equations are any blocks of their kind.
    """
    X, Y = _sides(statement)
    if not (isinstance(X, Fixpoint) and "free base" in statement.domain):
        return
    whole = X.body.substitute({X.variable: X})
    terms = whole.children if isinstance(whole, Sum) else (whole,)
    carried = {term: term.body.children[-1] for term in terms if isinstance(term, Diag) and _carries(term.body)}
    own = reduce(add, (term for term in terms if term not in carried), zero(X.type))
    left, right = _of_one_body(own), _of_one_body(Y)
    if left is not None and right is not None:
        equations = Identity("equation", X, whole), Identity("at a root", left, right)
        kinds = [Blocks("shift", E, "inward hop") for E in dict.fromkeys(carried.values())]
        yield Reduced("roots", (*equations, *kinds))


def _carries(e: Expr) -> bool:
    """Whether a product ends with a hop, so that its column at a root is zero."""
    return isinstance(e, Product) and e.children[-1].structure.hop and e.children[-1].structure.flow == "inward"


_FREE_JOINT = operator("H_root", FORCE >> FORCE, structure="diagonal invertible")
"""The joint map of a free base: its torques are all forces."""


def _of_one_body(e: Expr) -> Expr | None:
    """A formula for blocks of one body alone, its joint map invertible; None if it speaks of other bodies."""

    def below(node: Expr) -> tuple[Expr, ...]:
        return () if isinstance(node, Fixpoint) else children_and_definition(node)

    def combine(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if node is H:
            return _FREE_JOINT
        if isinstance(node, Fixpoint):
            return operator(f"{node.name}_root", node.type, structure=node.structure)
        return parts[0] if isinstance(node, Symbol) and parts else rebuild(node, parts)

    leaves = [node for node in postorder(e, below) if isinstance(node, Symbol | Fixpoint) and not below(node)]
    own = all(x is H or (x.structure.flow == "diagonal" and _spatial(x)) for x in leaves)
    return fold(e, combine, below) if own else None


def _spatial(x: Expr) -> bool:
    return {x.type.codomain, x.type.domain} <= {MOTION, FORCE}


def _cholesky(statement: Statement) -> Iterator[Reduced]:
    """m m* = X, m one way, its diagonal blocks Cholesky factors: so it is the Cholesky factor, which is unique."""
    m, X = _sides(statement)
    for r in [node for node in postorder(m, children_and_definition) if isinstance(node, Root)]:
        equations = Identity("square", X, m @ m.T), Identity("diagonal", diag(m), r)
        yield Reduced("triangular factors", (*equations, Blocks("pattern", m, "inward")))


# -- determinants and traces ------------------------------------------------------------------------------------------


def _query(statement: Statement) -> Iterator[Reduced]:
    lhs, rhs = statement.lhs, statement.rhs
    if not (isinstance(lhs, Query) and isinstance(rhs, Query) and lhs.kind == rhs.kind):
        return
    if lhs.kind == "logdet":
        yield from _determinant(lhs.body, rhs.body)
    if lhs.kind == "trace":
        yield from _trace(lhs.body, rhs.body)


def _determinant(X: Expr, Y: Expr) -> Iterator[Reduced]:
    """X = U Y U* with U unit one way, whose determinant is one."""
    for U in _unit_factors(X, Y):
        yield Reduced("unit factors", (Identity("factors", X, U @ Y @ U.T), Blocks("factor", U, "inward unit")))


def _unit_factors(X: Expr, Y: Expr) -> Iterator[Expr]:
    """What U may be in X = U Y U*."""
    plain = _vocabulary(X, Y)
    for U in (plain.U, phi, plain.psi):
        if X.type == Y.type == Y.type.T and U.type.domain == Y.type.codomain:
            yield U


def _trace(X: Expr, Y: Expr) -> Iterator[Reduced]:
    yield from _logarithmic_rates(X, Y)
    yield from _exchanged_sweeps(X, Y)
    yield from _turned_factors(X, Y)


def _logarithmic_rates(X: Expr, Y: Expr) -> Iterator[Reduced]:
    """tr(X⁻¹ Ẋ) = tr(Y⁻¹ Ẏ) for X = U Y U*, U unit one way: U⁻¹ U̇ is strict, so its trace and that of U̇* U⁻* are zero.

    Of Ẋ no more is needed than Ẋ = N Y U* + U Ẏ U* + U Y N* with N strict.
    """
    if not all(isinstance(e, Product) and isinstance(e.children[0], Inverse) for e in (X, Y)):
        return
    (A, B), (A_rate, B_rate) = zip(*((e.children[0].body, matmul(*e.children[1:])) for e in (X, Y)), strict=True)
    for U in _unit_factors(A, B):
        N = differentiate(U)
        equations = (
            Identity("factors", A, U @ B @ U.T),
            Identity("rate", A_rate, N @ B @ U.T + U @ B_rate @ U.T + U @ B @ N.T),
        )
        yield Reduced("rates of unit factors", (*equations, Blocks("factor", U, "inward unit"),
                                                Blocks("rate of the factor", N, "inward strict")))  # fmt: skip


def _exchanged_sweeps(X: Expr, Y: Expr) -> Iterator[Reduced]:
    """tr(A⁻¹ A_w) = tr(D⁻¹ H F H*) = tr(N Υ⁺): A = U D U*, F = E_ψ F E_ψ* + ½ E_φ (N + N*) E_φ*, the rate of P.

    Υ = H* D⁻¹ H + diag(E_ψ* Υ E_ψ), so tr(H* D⁻¹ H F) = tr Υ (F − E_ψ F E_ψ*), which is ½ tr Υ⁺ (N + N*).
    """
    plain = _vocabulary(X, Y)
    factor, product = (Y.factor, Y.body) if isinstance(Y, Scale) else (1, Y)
    if not (isinstance(X, Product) and isinstance(X.children[0], Inverse) and isinstance(product, Product)):
        return
    if product.children[-1] is not plain.Upsilon_plus:
        return
    A, A_rate = X.children[0].body, matmul(*X.children[1:])
    N = factor * matmul(*product.children[:-1])
    for w in sorted((x for x in free_symbols(X) if x.type == v.type and x is not v), key=str):
        U_rate, F = (differentiate(e, along=w, domain=[CONSTANT_MAPS]) for e in (plain.U, plain.P))
        U, D = plain.U, plain.D
        equations = (
            Identity("factors", A, U @ D @ U.T),
            Identity("rate", A_rate, U_rate @ D @ U.T + U @ H @ F @ H.T @ U.T + U @ D @ U_rate.T),
            Identity("inward", F, plain.E_psi @ F @ plain.E_psi.T + 0.5 * E_phi @ (N + N.T) @ E_phi.T),
            Identity("outward", plain.Upsilon, H.T @ inv(D) @ H + diag(plain.E_psi.T @ plain.Upsilon @ plain.E_psi)),
            Identity("across", plain.Upsilon_plus, diag(E_phi.T @ plain.Upsilon @ E_phi)),
            Identity("symmetry", plain.Upsilon_plus, plain.Upsilon_plus.T),
        )
        kinds = Blocks("factor", U, "inward unit"), Blocks("rate of the factor", U_rate, "inward strict")
        blocks = Blocks("rate of P", F, "diagonal"), Blocks("what a joint adds", N, "diagonal")
        yield Reduced("exchanged sweeps", (*equations, *kinds, *blocks))


def _turned_factors(X: Expr, Y: Expr) -> Iterator[Reduced]:
    """X = A B and B A = Y: the trace does not see which factor comes first."""
    factors = _factors(X)
    for k in range(len(factors)):
        try:
            turned = matmul(*factors[k:], *factors[:k])
            equations = Identity("factors", X, matmul(*factors)), Identity("turned", turned, Y)
        except OperatorAlgebraError:
            continue
        yield Reduced("turned factors", equations)


def _factors(X: Expr) -> list[Expr]:
    """The factors of a product, names written out."""
    body = X.definition if isinstance(X, Symbol) and isinstance(X.definition, Product) else X
    return [part for child in body.children for part in _factors(child)] if isinstance(body, Product) else [body]


# -- invariances ------------------------------------------------------------------------------------------------------


def _natural(statement: Statement) -> Iterator[Reduced]:
    """Formulas are natural: new axes for every body turn the leaves, and what is made of them, by their types.

    Cholesky factors of spatial blocks are the exception: they do not turn.
    """
    lhs, rhs = _sides(statement)
    leaves = {x for e in (lhs, rhs) for x in free_symbols(e)}
    nodes = [node for e in (lhs, rhs) for node in postorder(e, all_below)]
    rooted = any(isinstance(node, Root) and node.type.codomain in (MOTION, FORCE) for node in nodes)
    if not rooted and all(_turns_by_type(x) for x in leaves):
        yield Reduced("naturality", (Identity("both sides", lhs, rhs),))


def _turns_by_type(x: Symbol) -> bool:
    """Whether a leaf turns as its spaces say; an input of joint space does not turn at all."""
    spatial = [space in (MOTION, FORCE) for space in (x.type.codomain, x.type.domain)]
    if x.leaf is None:
        return not any(spatial)
    return [x.leaf.rows_turn, x.leaf.columns_turn] == spatial


def _renumbered(statement: Statement) -> Iterator[Reduced]:
    """Nothing in a formula speaks of the order of bodies: definitions are about the tree."""
    yield Reduced("naturality", (Identity("both sides", *_sides(statement)),))


SCHEMAS: Mapping[str, Callable[[Statement], Iterator[Reduced]]] = MappingProxyType(
    {
        "semidefinite": _order,
        "block-diagonal": _block_diagonal,
        "series": _series,
        "path": _path,
        "common ancestor": _common_ancestor,
        "cholesky": _cholesky,
        "roots": _roots,
        "query": _query,
        "frame": _natural,
        "numbering": _renumbered,
    }
)
"""The schemas by the rules of statements."""
