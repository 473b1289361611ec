"""What may be lowered: formulas by name, the ways in which it is done, the sizes of spaces that are known before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from operator_algebra.arguments import choice, entries, shown, whole, word
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, question
from operator_algebra.expressions.traverse import free_symbols

Method = Literal["auto", "joseph", "refined", "orthogonal"]

Lowerable = Expr | Query | str | Mapping[str, Expr | Query | str]

Key = Expr | Query | tuple[tuple[str, Expr | Query], ...]
"""A formula, or several by name, as what is remembered for it is found by."""


def checked_sizes(sizes: Mapping[str, int] | None, bodies: Iterable[Expr]) -> Mapping[str, int]:
    """Whole numbers above zero, of spaces that the formulas pass."""
    if not sizes:
        return {}
    known = sorted(sized_spaces(bodies))
    for name, size in entries(sizes, "sizes", "sizes by the names of spaces").items():
        choice(name, "a space in sizes", known)
        whole(size, f"the size of {name}", least=1)
    return dict(sizes)


def sized_spaces(bodies: Iterable[Expr]) -> frozenset[str]:
    """The names of the spaces whose sizes are a mechanism's or a user's."""
    types = [symbol.type for body in bodies for symbol in free_symbols(body)]
    spaces = [part for type_ in types for side in (type_.domain, type_.codomain) for part in side.summands]
    return frozenset(space.sizes for space in spaces if space.counted is None) - {"one", "spatial"} | {"joint"}


def named_formulas(e: Lowerable) -> dict[str, Expr | Query]:
    """What is to be lowered by name, "" for a single formula, texts read; anything else is refused."""
    if not isinstance(e, Mapping):
        return {"": question(e, "lower")}
    if not e:
        raise InputError("lower was given an empty mapping. Give at least one expression.")
    return {word(name, "the name of a formula"): question(part, f"lower ({shown(name)})") for name, part in e.items()}
