"""From what a person types to a law: a name of the catalogue, or an equation in text form."""

from __future__ import annotations

from functools import cache

from operator_algebra.arguments import shown
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.parse import parse_claim
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.identities.themes.noise import J
from operator_algebra.identities.variants import noisy_names
from operator_algebra.symbols import vocabulary


@cache
def claim_names() -> dict[str, Expr]:
    """The names that a claim may use: the vocabulary, J, and P_J, D_J, … of `innovations(J)`."""
    return {**vocabulary(), **noisy_names(J)}


def law_of(claim: Identity | Statement | str) -> Law:
    """The law that is meant: a record, the name of one, or "lhs = rhs".

    >>> law_of("inv(I + H phi K) = I - H psi K").formula()
    '(I + H φ K)⁻¹ = I − H ψ K'
    """
    if isinstance(claim, Identity | Statement):
        return claim
    if not isinstance(claim, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f'the claim is {shown(claim)}. Give a law, the name of one, or an equation, "lhs = rhs".')
    if "=" not in claim:
        return law_named(claim)
    lhs, rhs = parse_claim(claim, claim_names())
    if isinstance(lhs, Expr) and isinstance(rhs, Expr):
        return Identity("claim", lhs, rhs)
    return Statement("claim", "entries", "query", lhs, rhs, reads=f"{lhs.render()} = {rhs.render()}")


def laws_of(pattern: str) -> list[Law]:
    """The laws that a pattern or an equation names; at least one."""
    if "=" in pattern:
        return [law_of(pattern)]
    found = list(catalogue(pattern).values())
    if not found:
        near = list(catalogue(f"*{pattern}*").values())
        if near:
            return near
        if any(sign in pattern for sign in "*?["):
            raise InputError(f"no law has a name or theme like {pattern!r}. List them with: operator-algebra check '*'")
        return [law_named(pattern)]
    return found
