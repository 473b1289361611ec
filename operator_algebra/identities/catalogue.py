"""The catalogue of laws: look-up by name, by theme, by symbol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from types import MappingProxyType

from operator_algebra.arguments import shown, word
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Combination, Query
from operator_algebra.expressions.traverse import postorder
from operator_algebra.identities.identity import Law, Side

# One file each, in reading order; the value is the title of the page.
THEMES: Mapping[str, str] = MappingProxyType(
    {
        "propagation": "Shifts and propagations",
        "projections": "Projections at a joint",
        "riccati": "The Riccati equation",
        "composite": "Composite inertias",
        "factorization": "Factors of the mass matrix",
        "elimination": "Gaussian elimination of the mass matrix",
        "costate": "The costate and the inverse mass matrix",
        "velocity": "Velocities",
        "brackets": "Brackets of motions",
        "smoothing": "Filters and smoothers",
        "all_bodies": "Equations of all bodies at once",
        "frames": "Frames and numbering",
        "derivatives": "Rates of change",
        "sensitivities": "Rates of the mass matrix",
        "gradients": "Gradients of the mass matrix",
        "diagonalized": "Equations of motion in total rates",
        "geometry": "Geometry of the mass matrix",
        "constraints": "Constraints and impacts",
    }
)


_READABLE = 200
"""A name longer than this is no slip of the pen."""


@cache
def laws_of(theme: str) -> tuple[Law, ...]:
    """The laws of one theme, in reading order."""
    if theme not in THEMES:
        raise InputError(f"there is no theme {shown(theme)}. There are {', '.join(THEMES)}.")
    laws: tuple[Law, ...] = import_module(f"operator_algebra.identities.themes.{theme}").LAWS
    return tuple(replace(law, theme=theme) for law in laws)


@cache
def _all() -> Mapping[str, Law]:
    return MappingProxyType({law.name: law for theme in THEMES for law in laws_of(theme)})


def catalogue(pattern: str = "*") -> Mapping[str, Law]:
    """The laws whose name or theme fits a pattern with * and ?, in reading order.

    >>> list(catalogue("factor*inverse"))
    ['factor inverse']
    """
    wanted = word(pattern, "the pattern of names").casefold()
    found = {
        name: law
        for name, law in _all().items()
        if fnmatchcase(name.casefold(), wanted) or fnmatchcase(law.theme, wanted)
    }
    return MappingProxyType(found)


def law_named(name: str) -> Law:
    """One law by its name; otherwise `InputError` with what is near."""
    laws = _all()
    if name not in laws:
        near = get_close_matches(name, list(laws), n=3, cutoff=0.5) if len(name) <= _READABLE else []
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else " catalogue() has the names of all."
        raise InputError(f"there is no law {shown(name)} in the catalogue.{hint}")
    return laws[name]


def sides(law: Law) -> tuple[Expr, ...]:
    """Both sides as expressions; a query counts as what it asks about."""
    return tuple(e for side in (law.lhs, law.rhs) for e in subjects(side))


def subjects(side: Side) -> tuple[Expr, ...]:
    """The expressions that one side is about."""
    if isinstance(side, Combination):
        return tuple(query.body for _, query in side.terms)
    return (side.body if isinstance(side, Query) else side,)


def mentions(law: Law, e: Expr) -> bool:
    """Whether e stands in either side of a law."""
    return any(node is e for side in sides(law) for node in postorder(side))


def laws_about(e: Expr, laws: Iterable[Law] | None = None) -> list[Law]:
    """The laws that mention an expression, such as a symbol of the vocabulary."""
    return [law for law in (_all().values() if laws is None else laws) if mentions(law, e)]
