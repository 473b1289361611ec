"""Mutants of a law: the same equation with one small slip, as tests of what checks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.expressions.build import add, matmul, scale
from operator_algebra.expressions.nodes import Expr, Fixpoint, Inverse, Product, Sum, Symbol, Transpose
from operator_algebra.expressions.normalize import normalize
from operator_algebra.expressions.traverse import rebuild
from operator_algebra.identities.identity import Identity
from operator_algebra.symbols import (
    E_phi,
    E_psi,
    G,
    K,
    M,
    P,
    P_plus,
    R,
    Upsilon,
    Upsilon_plus,
    phi,
    phi_tilde,
    psi,
    psi_tilde,
    tau,
    tau_bar,
)

Slip = tuple[str, Expr]

# Operators that are easily taken for each other.
_CONFUSED: tuple[tuple[Expr, Expr], ...] = (
    (phi, psi),
    (E_phi, E_psi),
    (phi_tilde, psi_tilde),
    (phi, phi_tilde),
    (psi, psi_tilde),
    (P, P_plus),
    (P, M),
    (P, R),
    (R, M),
    (G, K),
    (tau, tau_bar),
    (Upsilon, Upsilon_plus),
)
_INVERTIBLE = ((phi, psi), (P, M), (P, R), (R, M))


def mutants(law: Identity) -> list[Identity]:
    """Every well-typed equation that one slip makes of a law, and that is not the law itself.

    Slips drop or add a star, flip a sign, swap neighbours, take φ for ψ, drop a factor or a term, or shift an index.

    >>> from operator_algebra.identities.catalogue import law_named
    >>> [mutant.formula() for mutant in mutants(law_named("annihilation"))]
    ['H E_φ τ̄ = 0', 'H = 0', 'H τ̄ E_φ = 0', 'H τ = 0']
    """
    known = _keys(law)
    found: list[Identity] = []
    for side in ("rhs", "lhs"):
        whole: Expr = getattr(law, side)
        for what, changed in _everywhere(whole):
            try:
                mutant = replace(law, **{side: changed}, name=f"{law.name} | {what}", twins=())
                keys = _keys(mutant)
            except OperatorAlgebraError:
                continue
            if not keys & known:
                known |= keys
                found.append(mutant)
    return found


def _keys(law: Identity) -> set[Expr]:
    """The normal form of what is said to vanish, with both signs."""
    gap = law.lhs - law.rhs
    return {normalize(gap), normalize(-1 * gap)}


def _everywhere(e: Expr) -> Iterator[Slip]:
    """The slips at each node of an expression; names are left whole, and inverses invertible."""
    stack: list[tuple[Expr, Callable[[Expr], Expr], bool]] = [(e, lambda node: node, False)]
    while stack:
        node, put, inside = stack.pop()
        for what, changed in _here(node, inverted=inside):
            try:
                yield what, put(changed)
            except OperatorAlgebraError:
                continue
        parts = () if isinstance(node, Symbol | Transpose | Fixpoint) else node.children
        for place, part in enumerate(parts):
            stack.append((part, _putter(node, parts, place, put), inside or isinstance(node, Inverse)))


def _putter(node: Expr, parts: tuple[Expr, ...], place: int, put: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    return lambda changed: put(rebuild(node, (*parts[:place], changed, *parts[place + 1 :])))


def _here(node: Expr, *, inverted: bool) -> Iterator[Slip]:
    """The slips at one node. Below an inverse, those that leave nothing to invert are left out."""
    yield from _typed(lambda: node.T, f"star at {node}")
    for one, other in _INVERTIBLE if inverted else _CONFUSED:
        for a, b in ((one, other), (other, one)):
            if node is a:
                yield f"{b} for {a}", b
            elif isinstance(node, Transpose) and node.body is a:
                yield f"{b.T} for {a.T}", b.T
    if inverted:
        return
    if isinstance(node, Sum):
        for k, term in enumerate(node.children):
            rest = [*node.children[:k], *node.children[k + 1 :]]
            yield f"without {term}", add(*rest)
            yield f"sign of {term}", add(*node.children[:k], scale(-1, term), *node.children[k + 1 :])
    if isinstance(node, Product):
        yield from _products(node.children)


def _products(factors: tuple[Expr, ...]) -> Iterator[Slip]:
    for k, factor in enumerate(factors):
        rest = (*factors[:k], *factors[k + 1 :])
        yield from _typed(lambda rest=rest: matmul(*rest), f"without factor {factor}")
        shifted = (*factors[: k + 1], E_phi, *factors[k + 1 :])
        yield from _typed(lambda shifted=shifted: matmul(*shifted), f"index shifted behind {factor}")
        if k + 1 < len(factors):
            swapped = (*factors[:k], factors[k + 1], factor, *factors[k + 2 :])
            yield from _typed(lambda swapped=swapped: matmul(*swapped), f"{factor} and {factors[k + 1]} swapped")


def _typed(make: Callable[[], Expr], what: str) -> Iterator[Slip]:
    try:
        yield what, make()
    except OperatorAlgebraError:
        return
