"""Proofs as a textbook has them: chains of equalities; every link is one law or definition on one part, or expanded.

They are for readers. What proves a law is its certificate; each link here is proved by tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.identity import Identity


@dataclass(frozen=True, slots=True)
class Link:
    """A formula, and why it equals the one before."""

    formula: Expr
    reason: str


CHAINS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "propagation exchange, other order": (
            ("phi (I - E_psi) psi - phi (I - E_phi) psi", "definitions of ψ and φ"),
            ("phi (E_phi - E_psi) psi", "multiplied out"),
            ("phi K H psi", "shift difference"),
        ),
        "composite decomposition": (
            ("phi (R - E_phi R E_phi') phi'", "composite inertia"),
            ("phi R phi' - phi E_phi R E_phi' phi'", "multiplied out"),
            ("phi R phi' - phi_tilde R phi_tilde'", "reduced propagation, from the right"),
            ("(I + phi_tilde) R (I + phi_tilde') - phi_tilde R phi_tilde'", "definition of φ"),
            ("R + phi_tilde R + R phi_tilde'", "multiplied out"),
        ),
        "innovations factorization": (
            ("H phi (P - E_phi P E_phi' + K D K') phi' H'", "Riccati equation, with P⁺ = P − G D G*"),
            ("H phi P phi' H' - H phi E_phi P E_phi' phi' H' + H phi K D K' phi' H'", "multiplied out"),
            ("H phi P phi' H' - H (phi - I) P (phi' - I) H' + H phi K D K' phi' H'", "definition of φ"),
            ("H phi P H' + H P phi' H' - H P H' + H phi K D K' phi' H'", "multiplied out"),
            ("H P H' + H phi E_phi P H' + H P E_phi' phi' H' + H phi K D K' phi' H'", "definition of φ"),
            ("D + H phi K D + D K' phi' H' + H phi K D K' phi' H'", "definitions of D and K"),
            ("(I + H phi K) D (I + K' phi' H')", "multiplied out"),
        ),
        "factor inverse": (
            ("inv(I + H phi K) (I + H (phi - psi - phi K H psi) K)", "propagation exchange, other order"),
            ("inv(I + H phi K) (I + H phi K - (I + H phi K) H psi K)", "multiplied out"),
            ("I - H psi K", "an inverse times what it inverts"),
        ),
        "inverse mass matrix": (
            ("inv((I + H phi K) D (I + K' phi' H'))", "innovations factorization"),
            ("inv(I + K' phi' H') inv(D) inv(I + H phi K)", "inverse of a product"),
            ("(I - K' psi' H') inv(D) (I - H psi K)", "factor inverse, and its adjoint"),
        ),
        "left exchange": (
            ("H (phi - psi K H phi)", "multiplied out"),
            ("H psi", "propagation exchange"),
        ),
        "right exchange": (
            ("(phi - phi K H psi) K", "multiplied out"),
            ("psi K", "propagation exchange, other order"),
        ),
    }
)
"""By the names of laws; the first formula of each is the left side of its law."""


@cache
def _chains() -> dict[tuple[Expr, Expr], tuple[Link, ...]]:
    """By both sides of the law."""
    found: dict[tuple[Expr, Expr], tuple[Link, ...]] = {}
    for name, listed in CHAINS.items():
        law = law_named(name)
        assert isinstance(law, Identity)
        found[law.lhs, law.rhs] = tuple(Link(formula(text, name), reason) for text, reason in listed)
    return found


def textbook(claim: Identity) -> tuple[Link, ...] | None:
    """The links that lead from one side of a claim to the other, if a textbook has them.

    >>> from operator_algebra.identities.catalogue import law_named
    >>> [link.reason for link in textbook(law_named("left exchange"))]
    ['multiplied out', 'propagation exchange']
    """
    return _chains().get((claim.lhs, claim.rhs))
