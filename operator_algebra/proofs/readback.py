"""A polynomial of letters as a formula again: the way back from a proof to what a person reads."""

from __future__ import annotations

from collections.abc import Mapping

from operator_algebra.expressions.build import diag, inv, matmul, one, zero
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.traverse import all_below, postorder
from operator_algebra.operators.spaces import Type
from operator_algebra.proofs.letters import Form, Letter
from operator_algebra.proofs.theory import Theory

Names = Mapping[Letter, Expr]
"""What letters are called."""


def formula_of(p: Form, type_: Type, names: Names | None = None) -> Expr:
    """The formula of a polynomial; letters with a name are called by it, also inside of others.

    >>> from operator_algebra.proofs.theory import Theory
    >>> from operator_algebra.symbols import E_phi, H, phi
    >>> formula_of(Theory().read(H @ (phi - E_phi)), H.type)
    H (I − E_φ)⁻¹ − H E_φ   force → torque   inward
    """
    known = dict[Letter, Expr]()
    for x, e in (names or {}).items():
        known |= {x: e, x.star: e.T}
    return _sum(p, type_, known)


def _sum(p: Form, type_: Type, known: dict[Letter, Expr]) -> Expr:
    total = zero(type_)
    for (numbers, letters), c in p.items():
        factors = [_letter(x, known) for x in letters]
        term = matmul(*factors) if factors else one(type_)
        for number in numbers:
            term = _letter(number, known) * term
        total = total + (term if c == 1 else c * term)
    return total


def _letter(x: Letter, known: dict[Letter, Expr]) -> Expr:
    if x not in known:
        known[x] = _made(x, known)
        known[x.star] = known[x].T
    return known[x]


def _made(x: Letter, known: dict[Letter, Expr]) -> Expr:
    body = x.body
    if x.kind == "inverse" and body is not None:
        return inv(_sum(body, Type(x.type.codomain, x.type.domain), known))
    if x.kind == "diag" and body is not None:
        return diag(_sum(body, x.type, known))
    assert x.source is not None
    return x.source.T if x.starred else x.source


def letter_names(e: Expr, theory: Theory) -> dict[Letter, Expr]:
    """What the formula calls its letters."""
    found: dict[Letter, Expr] = {}
    for node in postorder(e, all_below):
        if isinstance(node, Symbol) and node.definition is not None:
            form = theory.read(node)
            if list(form.values()) == [1]:
                ((numbers, letters),) = form
                if not numbers and len(letters) == 1:
                    found.setdefault(letters[0], node)
    return found


def name_of_form(e: Expr, theory: Theory, p: Form) -> Symbol | None:
    """What the formula calls a polynomial."""
    nodes = (node for node in postorder(e, all_below) if isinstance(node, Symbol) and node.definition is not None)
    return next((node for node in nodes if theory.read(node) == p), None)
