"""What the names of the vocabulary mean, in the few words that fit beside a line of a program."""

from __future__ import annotations

from operator_algebra.expressions.build import inv, one
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.operators.spaces import Space

_NAMED: dict[str, tuple[str, str]] = {
    "V": ("velocity of the body: its parent's and its joint's", "velocity"),
    "V_tilde": ("cross product with the velocity", ""),
    "a": ("acceleration that velocities alone cause", ""),
    "b": ("gyroscopic force of the body", ""),
    "delta": ("the joint's own motion, acting on forces", ""),
    "rotation": ("turning of the body's axes", ""),
    "rotation_delta": ("turning of the body's axes against its parent's", ""),
    "xi": ("total joint rates", ""),
    "kappa": ("innovations", ""),
    "epsilon": ("innovations of unit size", ""),
    "nu": ("joint rates of unit size", ""),
    "S": ("smoothed covariance", ""),
}
"""Words and law for names that only a formula can bring in; what elimination finds has words of its own."""

_NOUNS = {"force": "force", "motion": "motion", "torque": "joint force", "rate": "joint motion"}


def of_name(symbol: Symbol) -> tuple[str, str] | None:
    """Words and law for a symbol, if it is the one of the vocabulary."""
    from operator_algebra.symbols import vocabulary

    return _NAMED.get(symbol.name) if vocabulary().get(symbol.name) == symbol else None


def noun(space: Space) -> str:
    """What the vectors of a space are."""
    return _NOUNS.get(space.name, "unknowns")


def resolvent(hop: Symbol) -> Expr:
    """(I − E)⁻¹, by its name if the vocabulary has one: φ for E_φ."""
    from operator_algebra.symbols import E_phi, phi

    return phi if hop == E_phi else inv(one() - hop)
