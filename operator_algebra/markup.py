"""Strings for people: display width, escaping."""

from __future__ import annotations

import html as _html
import unicodedata


def width(text: str) -> int:
    """The columns that a text takes: a combining mark takes none, a wide character two.

    >>> width("τ̄ P⁺")
    4
    """
    return sum(_columns(c) for c in text)


def _columns(c: str) -> int:
    if c < "\u0300":
        return 1
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1


def escape(text: str) -> str:
    """A text as it may stand in HTML, attributes included."""
    return _html.escape(text, quote=True)
