"""The expression that a name in a text stands for, or the names that may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from operator_algebra.arguments import shown, word
from operator_algebra.errors import InputError
from operator_algebra.expressions.names import canonical, unicode_name
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.ring import one

_LONGEST = 40


class Names:
    """Expressions by every form of their names: ASCII, Unicode, look-alikes."""

    def __init__(self, names: Mapping[str, Expr]) -> None:
        self._table: dict[str, Expr] = {"I": one()}
        self._ascii = tuple(names)
        for name, e in names.items():
            word(name, "a name")
            if not isinstance(e, Expr):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InputError(f"the name {shown(name)} stands for a {type(e).__name__}. Give an expression.")
            for form in (name, unicode_name(name)):
                self._table[canonical(form)] = e

    def __contains__(self, name: str) -> bool:
        return canonical(name) in self._table

    def __getitem__(self, name: str) -> Expr:
        return self._table[canonical(name)]

    def suggestion(self, name: str) -> str:
        """What to do about a name that is not known."""
        if len(name) <= _LONGEST:
            parts = self._parts(canonical(name))
            if parts:
                return f"Did you mean {' '.join(parts)}? Names are separated by blanks."
            lower = name.lower()
            close = [key for key in self._table if key.lower() == lower]
            close = close or difflib.get_close_matches(canonical(name), self._table, n=3, cutoff=0.6)
            if close:
                return f"Did you mean {' or '.join(close)}?"
        known = ", ".join(self._ascii[:12]) + (", …" if len(self._ascii) > 12 else "")
        return f"Known names: {known or 'none'}. Give others in names={{...}}."

    def _parts(self, name: str) -> list[str]:
        """The fewest known names that a name is made of, written without blanks between them."""
        best: dict[int, list[str]] = {0: []}
        for end in range(1, len(name) + 1):
            candidates = [
                [*best[start], name[start:end]]
                for start in range(end)
                if start in best and name[start:end] in self._table
            ]
            if candidates:
                best[end] = min(candidates, key=len)
        return best.get(len(name), [])
