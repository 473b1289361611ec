"""`calc` and `explain`: a law as a chain of equalities that somebody wrote down, each link of it proved."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from operator_algebra.arguments import word
from operator_algebra.errors import InputError
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.identity import Identity, Statement
from operator_algebra.identities.textbook import textbook
from operator_algebra.identities.variants import READINGS
from operator_algebra.proofs.chain import Chain, Shown
from operator_algebra.proofs.proof import Proof
from operator_algebra.proofs.prove import positive, prove, read_in_turn


def calc(*formulas: Expr | str, seconds: float = 10.0) -> Proof:
    """A chain of equalities, e0 = e1 = … = en, each link proved; `seconds` bounds the search for one link.

    >>> calc("tau_bar tau_bar", "tau_bar - G H + G H G H", "tau_bar")
    PROVED         calculation: τ̄ τ̄ = τ̄
                   holds for: every tree, every joint
                   assuming: D is invertible
                   checked by the kernel: 2 lines
    """
    if len(formulas) < 2:
        raise InputError("a calculation has at least two formulas.")
    listed = [formula(one, "calc") for one in formulas]
    positive(seconds)
    links = [Identity(f"link {k}", a, b) for k, (a, b) in enumerate(pairwise(listed), 1)]
    claim = Identity("calculation", listed[0], listed[-1])
    return Proof(claim, read_in_turn(links, float(seconds)))


def explain(name: str, *, seconds: float = 10.0) -> Proof:
    """The chain of a law of the catalogue, as textbooks have it, each link proved; of others the one that is found.

    The law is taken as it stands, without its wider readings; of a statement what is explained is its obligations.
    `seconds` bounds the search for one link.

    >>> print(explain("left exchange").render())
      (I − H ψ K) H φ
        = H (φ − ψ K H φ)   multiplied out
        = H ψ               propagation exchange
    """
    law = law_named(word(name, "the name of a law"))
    positive(seconds)
    law = replace(law, domain=tuple(one for one in law.domain if one not in READINGS))
    if isinstance(law, Statement):
        return prove(law, seconds=seconds, progress=False)
    told = textbook(law)
    if told is None:
        return Proof(law, read_in_turn([law], float(seconds)))
    formulas = [law.lhs, *(link.formula for link in told)]
    links = [
        Identity(link.reason, before, after, domain=law.domain)
        for link, (before, after) in zip(told, pairwise(formulas), strict=True)
    ]
    chain = Chain(law.lhs, law.rhs, tuple(Shown(link.formula, link.reason) for link in told), ())
    return Proof(law, read_in_turn(links, float(seconds)), calculation=chain)
