"""Tables of a TOML file, read with checks: each value has a type, each problem a line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from operator_algebra.arguments import shown
from operator_algebra.models.problems import Problem

_UNBOUNDED = ("lower", "upper", "velocity", "effort")  # limits may be infinite


@dataclass
class Lines:
    """Where the tables of a text begin, so that messages can name lines; tomllib does not say."""

    text: str
    _headers: dict[str, list[int]] = field(init=False)
    _lines: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self._lines = self.text.splitlines()
        self._headers = {}
        for number, line in enumerate(self._lines, start=1):
            if match := re.match(r"\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}", line):
                self._headers.setdefault(match[1].replace('"', "").replace(" ", ""), []).append(number)

    def of(self, table: str, index: int = 0) -> int | None:
        """The line of the index-th header of this name; None where tables are written in another way."""
        places = self._headers.get(table, [])
        return places[index] if index < len(places) else None

    def of_key(self, start: int, key: str) -> int:
        """The line of a key below a header, else the header's line (0 is the top of the file)."""
        for number in range(start, len(self._lines)):
            line = self._lines[number]
            if line.lstrip().startswith("["):
                break
            if re.match(rf'\s*"?{re.escape(key)}"?\s*[=.]', line):
                return number + 1
        return start


@dataclass
class Table:
    """A table under way: every problem met is added to `problems`, and reading goes on with a stand-in."""

    values: Mapping[str, Any]
    file: str
    element: str
    line: int | None
    lines: Lines
    problems: list[Problem]
    used: set[str] = field(default_factory=set[str])

    def where(self, key: str | None = None) -> str:
        """File, line and element."""
        line = self.line if key is None or self.line is None else self.lines.of_key(self.line, key)
        parts = [self.file, f"line {line}" if line else "", self.element]
        return ", ".join(part for part in parts if part)

    def problem(self, what: str, key: str | None = None, remedy: str = "", *, fatal: bool = True) -> None:
        """Note a problem at a key of this table."""
        self.problems.append(Problem(what, self.where(key), remedy, fatal))

    def text(self, key: str, default: str | None = None) -> str | None:
        """A text."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, str):
            self.problem(f"{key} is {_shown(value)}, not a text", key, "Put it in quotes.")
            return default
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts."""
        value = self.take(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
            self.problem(f"{key} is {_shown(value)}, not a list of texts", key, f'Write {key} = ["…", "…"].')
            return None
        return tuple(cast("list[str]", value))

    def number(self, key: str, default: float = 0.0) -> float:
        """A finite number."""
        value = self.take(key)
        if value is None:
            return default
        return self._checked(key, value, default)

    def numbers(self, key: str, default: Any = None) -> Any:
        """A number, or lists of numbers of any shape."""
        value = self.take(key)
        return default if value is None else self._checked(key, value, default)

    def table(self, key: str) -> Table | None:
        """A table within this one."""
        value = self.take(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.problem(f"{key} is {_shown(value)}, not a table", key, f"Write {key} = {{ … }}.")
            return None
        inner = cast("dict[str, Any]", value)
        line = None if self.line is None else self.lines.of_key(self.line, key)
        return Table(inner, self.file, self.element, line, self.lines, self.problems)

    def tables(self, key: str) -> list[dict[str, Any]]:
        """A list of tables."""
        value = self.take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in cast("list[Any]", value)):
            self.problem(f"{key} is {_shown(value)}, not a list of tables", key, f"Write [[{key}]] above each.")
            return []
        return cast("list[dict[str, Any]]", value)

    def take(self, key: str) -> Any:
        """The raw value of a key, which then counts as known; None where it is missing."""
        self.used.add(key)
        return self.values.get(key)

    def close(self, known: Sequence[str] = ()) -> None:
        """Note the keys that nobody asked for, the first of them."""
        unknown = (key for key in self.values if key not in self.used)
        for key in islice(unknown, 10):
            close = difflib.get_close_matches(key, [*self.used, *known], n=1)
            allowed = ", ".join(sorted(self.used))
            advice = f'Did you mean "{close[0]}"?' if close else f"Known here: {allowed}."
            self.problem(f'unknown key "{key:.60}"', key, advice, fatal=False)

    def _checked(self, key: str, value: Any, default: Any) -> Any:
        flat = [value]
        for item in flat:  # grows while lists are opened
            if isinstance(item, list):
                flat.extend(cast("list[Any]", item))
            elif isinstance(item, bool) or not isinstance(item, int | float):
                advice = "Write numbers without quotes, with a decimal point: 1.5."
                self.problem(f"{key} holds {_shown(item)} where a number belongs", key, advice)
                return default
            elif item != item or (abs(item) == float("inf") and key not in _UNBOUNDED):
                self.problem(f"{key} is not finite: {item}", key, "Give a number other than nan and inf.")
                return default
        return value


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"the text {shown(value)}"
    return f"{shown(value)}"
