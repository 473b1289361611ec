"""Whether values are of the kinds that the fields of a record declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from operator_algebra.programs.walk import Walk


def fit(kind: type[Any], content: Sequence[object]) -> bool:
    """Whether these values are the fields of a record, in order.

    >>> from operator_algebra.programs.instructions import Part
    >>> from operator_algebra.programs.records import Ref
    >>> fit(Part, (Ref(3), 0)), fit(Part, (Ref(3), "no")), fit(Part, (Ref(3),))
    (True, False, False)
    """
    hints = _hints(kind)
    declared = [hints[one.name] for one in fields(kind)]
    return len(content) == len(declared) and all(map(is_of, content, declared))


@cache
def _hints(kind: type[Any]) -> Mapping[str, Any]:
    return get_type_hints(kind, localns={"Walk": Walk})


def is_of(value: object, hint: Any) -> bool:
    """Whether a value is of a declared kind."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(is_of(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is not tuple:
        return isinstance(value, hint) and isinstance(value, bool) == (hint is bool)
    if not isinstance(value, tuple):
        return False
    items = cast("tuple[object, ...]", value)
    if parts[-1:] == (...,):
        return all(is_of(item, parts[0]) for item in items)
    return len(items) == len(parts) and all(map(is_of, items, parts))
