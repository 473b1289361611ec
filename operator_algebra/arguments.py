"""Arguments of public functions: one test for each kind, and what is said when a value is of another kind."""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping
from operator import index
from typing import Any, cast

from operator_algebra.errors import InputError

_LONG = 10**12
"""Whole numbers beyond this are shown by their size; Python refuses to write those of thousands of digits at all."""


class _Short(reprlib.Repr):
    """The beginning of any value; it never fails, and never writes what would take long."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxlist, self.maxtuple, self.maxdict, self.maxset = 3, 4, 4, 3, 3
        self.maxstring, self.maxother = 48, 60

    def repr_int(self, x: int, level: int) -> str:
        """Whole numbers as they are, the longest by their size."""
        del level
        return str(x) if -_LONG < x < _LONG else f"a whole number of {x.bit_length()} bits"


_short = _Short()


def shown(value: object, width: int = 60) -> str:
    """A value in a message: its beginning, on one line, whatever it is.

    >>> shown("abc"), shown(10**400)
    ("'abc'", 'a whole number of 1329 bits')
    """
    # A value of the caller's own may fail to print itself, in any way.
    try:
        text = " ".join(_short.repr(value).split())
    except Exception:  # noqa: BLE001
        text = f"<{type(value).__name__}>"
    return text if len(text) <= width else f"{text[: width - 1]}…"


def told(value: object) -> str:
    """What a wrong value is, and its beginning.

    >>> told([1, 2]), told(None), told(int)
    ('a list, [1, 2]', 'None', 'the class int')
    """
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}, {shown(value)}"


def choice(value: object, what: str, options: Collection[str] | Mapping[str, str]) -> Any:
    """One of a few words; a mapping says what each means.

    >>> choice("world", "frame", ("body", "world"))
    'world'
    """
    if isinstance(value, str) and value in options:
        return value
    meanings = cast("Mapping[str, str]", options if isinstance(options, Mapping) else {})
    words = [f'"{option}"' + (f" ({meanings[option]})" if option in meanings else "") for option in options]
    listed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
    raise InputError(f"{what}={shown(value)} is not known. Use {listed}.")


def whole(value: object, what: str, *, least: int | None = None, most: int | None = None) -> int:
    """A whole number within its bounds; numpy's are welcome, truth values are not.

    >>> whole(3, "n", least=1)
    3
    """
    span = " or more" if most is None else f" to {most}"
    span = "" if least is None else f" of {least}{span}" if most is None else f" from {least}{span}"
    try:
        if type(value).__name__ in ("bool", "bool_"):
            raise TypeError
        number = index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise InputError(f"{what} is {told(value)}. Give a whole number{span}.") from None
    if (least is not None and number < least) or (most is not None and number > most):
        raise InputError(f"{what} is {shown(number)}. Give a whole number{span}.")
    return number


def flag(value: object, what: str) -> bool:
    """True or False, and nothing that merely counts as one of them."""
    if type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise InputError(f"{what} is {told(value)}. Give True or False.")


def word(value: object, what: str) -> str:
    """A text."""
    if isinstance(value, str):
        return value
    raise InputError(f"{what} is {told(value)}. Give a text.")
