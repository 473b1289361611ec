"""How large a value will be, known from its structure before anything is computed."""

from __future__ import annotations

import re

import numpy as np

from operator_algebra.arguments import shown
from operator_algebra.errors import InputError
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Expr, Sum
from operator_algebra.meaning.source import Source
from operator_algebra.operators.arrays import OfBodies
from operator_algebra.operators.layout import Layout

SPARSE_ENTRY = 12
"""Bytes of an entry in compressed rows: a float and a column number."""
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def parse_limit(limit: str | float) -> float:
    """Bytes from "2 GB" or a number.

    >>> parse_limit("2 GB")
    2000000000.0
    """
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kKMGT]?B?)\s*", limit) if isinstance(limit, str) else None
    number, unit = (found[1], found[2]) if found else (limit, "")
    try:
        size = float(number) * _UNITS[unit.upper()]
    except Exception:  # noqa: BLE001  a value of the caller's own may fail in any way
        size = float("nan")
    if isinstance(limit, bool) or not size >= 0.0:
        raise InputError(f'limit={shown(limit)} is not an amount of memory. Write it like "2 GB" or as bytes.')
    return size


def entries(e: Expr, source: Source) -> float:
    """Stored entries of the value of an expression, at most: of a sum, no more than its terms have."""
    whole = _by_flow(e, source)
    terms = e.children if isinstance(e, Sum) else ()
    return min(whole, sum(_by_flow(term, source) for term in terms)) if terms else whole


def _by_flow(e: Expr, source: Source) -> float:
    rows, cols = source.layout(e.type.codomain), source.layout(e.type.domain)
    flow = e.structure.flow
    if flow in ("full", "column", "row", "small"):
        return float(rows.size) * cols.size
    if flow == "zero":
        return 0.0
    if e.structure.hop:
        below = source.parent >= 0
        above = source.parent[below]
        inward = (rows.sizes[above], cols.sizes[below])
        ends = inward if flow == "inward" else (rows.sizes[below], cols.sizes[above])
        return float(np.dot(*(part.astype(float) for part in ends)))
    if flow == "diagonal":
        return float(np.dot(rows.sizes.astype(float), cols.sizes))
    inward = _paths(rows, cols, source.parent) if flow in ("inward", "related") else 0.0
    outward = _paths(cols, rows, source.parent) if flow in ("outward", "related") else 0.0
    return inward + outward


def _paths(rows: Layout, cols: Layout, parent: OfBodies) -> float:
    """Entries of the blocks (ancestor or self, body)."""
    above: list[float] = []
    sizes: list[int] = rows.sizes.tolist()
    ancestors: list[int] = parent.tolist()
    for p, size in zip(ancestors, sizes, strict=True):
        above.append(size + (above[p] if p >= 0 else 0.0))
    return float(np.dot(above, cols.sizes))


def refuse_beyond(limit: float, needed: float, what: Expr, where: str, shape: tuple[int, int]) -> None:
    """Refuse to form a value that takes more than `limit` bytes."""
    if needed > limit:
        raise InputError(
            f"{short(what)} on {where} is {shape[0]}×{shape[1]} and takes about {amount(needed)}, beyond the limit of "
            f"{amount(limit)}. Apply it to a vector (… @ x), ask for one block(e, i, j), compile it, or raise limit=."
        )


def amount(size: float) -> str:
    """Bytes for people.

    >>> amount(2.5e9)
    '2.5 GB'
    """
    for unit, step in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= step:
            return f"{size / step:.3g} {unit}"
    return f"{size:.0f} bytes"
