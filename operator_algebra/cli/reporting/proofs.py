"""Proofs as a terminal shows them: the verdict, the second witness, and the chain."""

from __future__ import annotations

from typing import Literal

from operator_algebra.expressions.names import Style
from operator_algebra.identities.claims import laws_of
from operator_algebra.identities.identity import Identity
from operator_algebra.lowering.witness import one_value
from operator_algebra.proofs.proof import Proof
from operator_algebra.proofs.prove import prove_all


def proofs_of(pattern: str, *, seconds: float, quiet: bool) -> list[Proof]:
    """The proofs of the laws that a pattern or an equation names."""
    return prove_all(laws_of(pattern), seconds=seconds, progress=False if quiet else None)


def page(proof: Proof, *, style: Style | Literal["lean"], quiet: bool) -> str:
    """One proof: its chain alone in LaTeX, its lines as a file of Lean; quiet is without the chain."""
    if style == "lean" and proof:
        return proof.render("lean")
    chain = proof.readings[0].chain if proof.readings and not proof.schemas else None
    if style == "latex" and chain is not None:
        return chain.render("latex")
    if quiet:
        return str(proof)
    told = f"{proof}{second_witness(proof)}"
    return told if chain is None or style == "lean" else f"{told}\n\n{chain.render(style)}"


def second_witness(proof: Proof) -> str:
    """A line that says it, if the compiler makes one value of both sides of a claim that is proved."""
    law = proof.claim
    if not proof or not isinstance(law, Identity) or not one_value(law.lhs, law.rhs):
        return ""
    return f"\n{'':<15}and the compiler makes one value of both sides: proved by value numbering"
