"""An expression at a glance: one line of text, or an HTML fragment. Nothing is evaluated, lowered or proved."""

from __future__ import annotations

from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.expressions.render import brief, cut, render
from operator_algebra.markup import escape, width
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
    """The formula with its spaces and structure."""
    return f"<code>{escape(render(e))}</code>"
