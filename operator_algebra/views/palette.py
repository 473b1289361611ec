"""Colours of the pictures: ink on a light card, so that one file reads on a light page and on a dark one."""

from __future__ import annotations

from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol, Transpose
from operator_algebra.markup import NEUTRAL, colour

CARD = "#fdfdfb"
INK = "#24292f"
SOFT = "#57606a"
FAINT = "#d0d7de"
INWARD = "#0072B2"
OUTWARD = "#D55E00"

# A pale and a strong tone for each branch of a tree; neighbours differ in lightness too.
_BRANCHES = (
    ("#dbe9f6", "#2f6fa7"),
    ("#fbe7c6", "#a36a00"),
    ("#d3efe3", "#00734f"),
    ("#f5dfec", "#a04f80"),
    ("#e4e2f5", "#5b52a3"),
    ("#eeedc9", "#76731f"),
    ("#f9dccd", "#a8471a"),
    ("#dcebec", "#3b7379"),
)


def tint(branch: int) -> str:
    """The pale tone of a branch."""
    return _BRANCHES[branch % len(_BRANCHES)][0]


def strong(branch: int) -> str:
    """The strong tone of a branch, for lines and text."""
    return _BRANCHES[branch % len(_BRANCHES)][1]


def operator_colour(e: Expr) -> str:
    """The colour of an operator; an adjoint has that of its operator, a formula without a name is ink.

    >>> from operator_algebra.symbols import H, phi
    >>> operator_colour(phi.T) == operator_colour(phi), operator_colour(H @ phi) == INK
    (True, True)
    """
    inner = e.body if isinstance(e, Transpose) else e
    found = colour(inner.name) if isinstance(inner, Symbol | Fixpoint) else NEUTRAL
    return INK if found == NEUTRAL else found
