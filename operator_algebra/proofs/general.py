"""`generalize`: what a law needs of its operators, and what may be anything.

An operator is made free: of its definition, or its equation, only the spaces and the shape of its blocks are kept. If
the law can still be proved, it holds for any such operator, whatever it was before.
"""

from __future__ import annotations

from collections.abc import Iterator

from operator_algebra.errors import InputError, OperatorAlgebraError
from operator_algebra.expressions.build import operator
from operator_algebra.expressions.fixpoints import renamed
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.identities.claims import law_of
from operator_algebra.identities.identity import Identity, Statement
from operator_algebra.operators.structure import Structure
from operator_algebra.proofs.proof import Proof
from operator_algebra.proofs.prove import positive, prove
from operator_algebra.proofs.search import search

_EACH = 0.5
"""Seconds for one attempt; what can be proved without a definition is proved at once."""
_SHAPE = ("hop", "strict", "unit")


def generalize(claim: Identity | str, *, seconds: float = 10.0) -> Proof:
    """The proof of a law for operators that are as free as it bears: `.claim` says for any of which it holds.

    What is defined by most is tried first, so that little is left to be defined. `seconds` bounds the search for the
    proof at the end.

    >>> generalize("inv(I + H phi K) = I - H psi K")
    PROVED         claim, for any G: (I + H φ K)⁻¹ = I − H ψ K
                   holds for: every tree, every joint
                   checked by the kernel: 7 lines
    """
    law = law_of(claim)
    if isinstance(law, Statement):
        raise InputError(f"{law.name} is no equation. Give a law lhs = rhs.")
    positive(seconds)
    sides, freed = (law.lhs, law.rhs), list[str]()
    while (found := _freed_once(sides, law.domain)) is not None:
        name, sides = found
        freed.append(name)
    if not freed:
        return prove(law, seconds=seconds)
    domain = tuple(word for word in law.domain if word not in _READINGS)
    name = f"{law.name}, for any {' and any '.join(sorted(freed))}"
    return prove(Identity(name, *sides, domain=domain, cites=law.cites), seconds=seconds)


_READINGS = ("J = 0", "any J", "any G")


def _freed_once(sides: tuple[Expr, Expr], domain: tuple[str, ...]) -> tuple[str, tuple[Expr, Expr]] | None:
    """The first operator that the law does not need the definition of: its name, and the law without it."""
    for node in _defined(sides):
        for free in _anything_like(node):
            wide = _if_proved(sides, node, free, domain)
            if wide is not None:
                return f"symmetric {free.name}" if free.structure.symmetric else free.name, wide
    return None


def _if_proved(sides: tuple[Expr, Expr], node: Expr, free: Expr, domain: tuple[str, ...]) -> tuple[Expr, Expr] | None:
    try:
        lhs, rhs = (renamed(side, node, free) for side in sides)
        proved = lhs != rhs and search(lhs, rhs, domain, seconds=_EACH).proved is not None
    except OperatorAlgebraError:  # without its definition an operator need not fit where it stands
        return None
    return (lhs, rhs) if proved else None


def _defined(sides: tuple[Expr, Expr]) -> list[Symbol | Fixpoint]:
    """What has a definition or an equation, and is no side itself; what is made of most comes first."""
    nodes = dict.fromkeys(node for side in sides for node in postorder(side, children_and_definition))
    found = [node for node in nodes if isinstance(node, Fixpoint) or _has_definition(node)]
    kept = [node for node in found if isinstance(node, Symbol | Fixpoint) and node.typed and node not in sides]
    return sorted(kept, key=lambda node: -_made_of(node))


def _has_definition(node: Expr) -> bool:
    return isinstance(node, Symbol) and node.definition is not None


def _made_of(node: Expr) -> int:
    return sum(1 for _ in postorder(node, children_and_definition))


def _anything_like(node: Symbol | Fixpoint) -> Iterator[Symbol]:
    """A free operator of the same name and spaces, with blocks at the same places; then one that is symmetric, too."""
    flow = node.structure.flow
    flags = tuple(flag for flag in _SHAPE if flag in node.structure.flags)
    known = [flags, (*flags, "symmetric")] if node.structure.symmetric else [flags]
    for kept in known:
        try:
            yield operator(node.name, node.type, structure=Structure.make(flow, kept))
        except OperatorAlgebraError:
            continue
