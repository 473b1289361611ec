"""An expression at a glance: one line of text, or an HTML fragment. Nothing is evaluated, lowered or proved."""

from __future__ import annotations

from operator_algebra.expressions.mathml import mathml
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.expressions.render import brief
from operator_algebra.expressions.tiles import row
from operator_algebra.markup import cut, element, escape, width
from operator_algebra.operators.structure import Structure

COLUMNS = 100
_GAP = "   "
_SHORTEST = 12


def described(structure: Structure) -> str:
    """The structure in words; "related" and "full" are said only if there is nothing better to say.

    >>> described(Structure.of("full symmetric definite"))
    'symmetric, definite'
    """
    words = repr(structure)
    head, _, rest = words.partition(", ")
    return rest if head in ("related", "full") and rest else words


def definition_of(e: Expr) -> Expr | None:
    """What a defined symbol or a fixed point is equal to."""
    if isinstance(e, Fixpoint):
        return e.body
    return e.definition if isinstance(e, Symbol) else None


def one_line(e: Expr) -> str:
    """Formula, spaces, structure, and the definition of a name, on at most 100 columns.

    >>> from operator_algebra.symbols import H, M, phi
    >>> phi
    φ   force → force   inward, unit diagonal   = (I − E_φ)⁻¹
    >>> H @ phi @ M @ phi.T @ H.T
    H φ M φ* H*   rate → torque   symmetric, definite
    """
    facts = repr(e.type) if e.typed else "any space"
    facts = f"{facts}{_GAP}{described(e.structure)}"
    room = COLUMNS - width(facts) - len(_GAP)
    line = f"{brief(e, room) if room >= _SHORTEST else brief(e, _SHORTEST)}{_GAP}{facts}"
    meaning = definition_of(e)
    if meaning is not None:
        room = COLUMNS - width(line) - len(_GAP) - 2
        if room >= _SHORTEST:
            line += f"{_GAP}= {brief(meaning, room)}"
    return cut(line, COLUMNS)


def html(e: Expr) -> str:
    """The formula as MathML, spaces and structure in words, and factor by factor as tiles on a small tree.

    >>> from operator_algebra.symbols import H, phi
    >>> html(H @ phi).count("<svg")
    3
    """
    meaning = definition_of(e)
    equation = element("span", mathml(e), *([" = ", mathml(meaning)] if meaning is not None else []))
    facts = f"{e.type}, {described(e.structure)}" if e.typed else "I and 0 of any space"
    note = element("small", "blocks on a tree of four bodies, base first, two branches")
    return element("div", element("p", equation, _GAP, element("span", escape(facts))), row(e), note)
