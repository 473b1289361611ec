"""Arguments of public functions: one test for each kind, and what is said when a value is of another kind."""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping
from fractions import Fraction
from operator import index
from typing import Any, Literal, TypeVar, cast

from operator_algebra.errors import InputError, OperatorAlgebraError

T = TypeVar("T")

Redundant = Literal["raise", "least norm"]
"""What is done where rows of a small system depend on each other."""

_NAME = 60
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

    def repr_Fraction(self, x: Fraction, level: int) -> str:
        """Ratios as they are written, the longest by their size."""
        return f"{self.repr_int(x.numerator, level)} / {self.repr_int(x.denominator, level)}"


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


def quoted(name: object) -> str:
    """A name in a message: in quotation marks and cut, or what it is instead of a text.

    >>> quoted("elbow"), quoted(3)
    ('"elbow"', '3')
    """
    if not isinstance(name, str):
        return shown(name)
    text = "".join(c if c.isprintable() else "?" for c in name[: _NAME + 1])
    return f'"{text}"' if len(text) <= _NAME else f'"{text[:_NAME]}…"'


Error = type[OperatorAlgebraError] | type[TypeError]


def choice(value: object, what: str, options: Collection[str] | Mapping[str, str], *, error: Error = InputError) -> Any:
    """One of a few words; a mapping says what each means.

    >>> choice("world", "frame", ("body", "world"))
    'world'
    """
    if isinstance(value, str) and value in options:
        return value
    meanings = cast("Mapping[str, str]", options if isinstance(options, Mapping) else {})
    words = [f'"{option}"' + (f" ({meanings[option]})" if option in meanings else "") for option in options]
    listed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
    said = f"{what}={shown(value)}" if what.isidentifier() else f"{what} {shown(value)}"
    raise error(f"{said} is not known. Use {listed}.")


def whole(
    value: object, what: str, *, least: int | None = None, most: int | None = None, error: Error = InputError
) -> int:
    """A whole number within its bounds; numpy's are welcome, truth values are not.

    >>> whole(3, "n", least=1)
    3
    """
    span = "" if least is None else f" of at least {least}"
    try:
        if isinstance(value, bool):
            raise TypeError
        number = index(value)  # pyright: ignore[reportArgumentType]
    except Exception:  # noqa: BLE001  a value of the caller's own may fail in any way
        raise error(f"{what} is {shown(value)}. Give a whole number{span}.") from None
    if least is not None and number < least:
        raise error(f"{what} is {shown(number)}. Give a whole number{span}.")
    if most is not None and number > most:
        raise error(f"{what} is {shown(number)}, which is too large. Give a whole number up to {most}.")
    return number


def flag(value: object, what: str, *, error: Error = InputError) -> bool:
    """True or False, and nothing that merely counts as one of them."""
    if type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise error(f"{what} is {shown(value)}. Give True or False.")


def word(value: object, what: str, *, error: Error = InputError) -> str:
    """A text."""
    if isinstance(value, str):
        return value
    raise error(f"{what} is {shown(value)}. Give a text.")


def items(value: object, what: str, of: str, *, error: Error = InputError) -> tuple[Any, ...]:
    """What a collection holds, in order; a text, and what has no items, is refused.

    >>> items(["elbow"], "names", "names of joints")
    ('elbow',)
    """
    listed: Any = None if isinstance(value, str | bytes | Mapping) else value
    try:
        return tuple(listed)
    except Exception:  # noqa: BLE001  a value of the caller's own may fail in any way
        raise error(f"{what} is {shown(cast(object, value))}. Give a list of {of}.") from None


def entries(value: object, what: str, of: str, *, error: Error = InputError) -> dict[Any, Any]:
    """What a mapping holds."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[Any, Any]", value))
    raise error(f"{what} is {shown(value)}. Give a mapping of {of}.")


def instance(value: object, what: str, kind: type[T], remedy: str, *, error: Error = InputError) -> T:
    """A value of a class of the package; the remedy says how one is made."""
    if isinstance(value, kind):
        return value
    raise error(f"{what} is {shown(value)}. {remedy}")
