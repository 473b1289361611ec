"""Values in the attributes of URDF elements: read with checks, every problem noted with file, line and element."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import islice

from operator_algebra.arguments import shown
from operator_algebra.errors import ModelError
from operator_algebra.models.formats.urdf.xml import Element
from operator_algebra.models.plausible import LARGEST
from operator_algebra.models.problems import Problem
from operator_algebra.spatial.arrays import ZERO3, Vector3
from operator_algebra.spatial.transforms import Placement

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE | re.ASCII)
_LONGEST = 100
# Looking for a likely spelling among many names costs milliseconds.
_SPELLINGS = 50
_COMPARED = 500


@dataclass
class Reading:
    """A file under way: every problem met is noted, and reading goes on with a stand-in."""

    file: str
    problems: list[Problem] = field(default_factory=list[Problem])
    _spelled: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])

    def where(self, line: int, title: str) -> str:
        """File, line and element."""
        return ", ".join(part for part in (self.file, f"line {line}", title) if part)

    def problem(self, what: str, line: int, title: str, remedy: str = "", *, fatal: bool = True) -> None:
        """Note a problem."""
        self.problems.append(Problem(what, self.where(line, title), remedy, fatal))

    def spelling(self, word: str, known: Collection[str], otherwise: str = "") -> str:
        """Advice that offers the known word which is most like this one."""
        key = (word, id(known))
        if key not in self._spelled and len(self._spelled) < _SPELLINGS:
            close = difflib.get_close_matches(word[:_LONGEST], islice(known, _COMPARED), n=1, cutoff=0.7)
            self._spelled[key] = f'Did you mean "{close[0]}"?' if close else ""
        return self._spelled.get(key) or otherwise

    def only(self, parent: Element, tag: str, title: str) -> Element | None:
        """The one element of this tag, or None; a second one is a problem."""
        found = list(parent.all(tag))
        if len(found) > 1:
            self.problem(f"there is a second <{tag}>", found[1].line, title, "Delete one of them.", fatal=False)
        return found[0] if found else None

    def text(self, element: Element, key: str, title: str) -> str | None:
        """A text that is not empty, or None with a problem noted."""
        value = element.attributes.get(key)
        if value is None or not value.strip():
            what = f'<{element.tag}> has no {key}="…"' if value is None else f"the {key} of <{element.tag}> is empty"
            self.problem(what, element.line, title, f'Write <{element.tag} {key}="…">.')
            return None
        if not value.isprintable():
            what = f"the {key} of <{element.tag}> holds a character that cannot be printed: {value!a:.60}"
            self.problem(what, element.line, title, "Write it in letters, digits and signs.")
            return None
        return value

    def number(
        self,
        element: Element,
        key: str,
        title: str,
        default: float | None = None,
        *,
        fatal: bool = True,
        infinite: bool = False,
        least: float = -math.inf,
    ) -> float | None:
        """A number; the default where it is missing or wrong; a missing one without default is a problem."""
        given = element.attributes.get(key)
        if given is None:
            if default is None:
                remedy = f'Write <{element.tag} {key}="…">.'
                self.problem(f'<{element.tag}> has no {key}="…"', element.line, title, remedy, fatal=fatal)
            return default
        what = f"the {key} of <{element.tag}>"
        value = self._number(given.strip(), what, element.line, title, fatal=fatal, infinite=infinite)
        if value is not None and value < least:
            self.problem(f"{what} is negative: {value:g}", element.line, title, "Check the sign.", fatal=fatal)
            return default
        return default if value is None else value

    def vector(self, element: Element, key: str, title: str, default: Vector3 = ZERO3) -> Vector3:
        """Three numbers."""
        given = element.attributes.get(key)
        if given is None:
            return default
        what = f"the {key} of <{element.tag}>"
        words = given.split()
        if len(words) != 3:
            advice = "Separate numbers by blanks, with a decimal point: 1.5." if "," in given else "Write x y z."
            self.problem(f"{what} is {shown(given)}, not three numbers", element.line, title, advice)
            return default
        numbers = [self._number(word, what, element.line, title, fatal=True, infinite=False) for word in words]
        x, y, z = numbers
        return default if x is None or y is None or z is None else (x, y, z)

    def placement(self, parent: Element, title: str) -> Placement:
        """The pose that <origin> gives; without it there is no shift and no turn."""
        origin = self.only(parent, "origin", title)
        if origin is None:
            return Placement()
        position, angles = self.vector(origin, "xyz", title), self.vector(origin, "rpy", title)
        try:
            return Placement.from_rpy(angles, position) if any(angles) else Placement(translation=position)
        except ModelError as error:
            self.problem(str(error), origin.line, title)
            return Placement()

    def _number(self, given: str, what: str, line: int, title: str, *, fatal: bool, infinite: bool) -> float | None:
        if len(given) <= _LONGEST and (_NUMBER.fullmatch(given) or _NOT_FINITE.fullmatch(given)):
            value = float(given)
        else:
            self.problem(f"{what} is {shown(given)}, not a number", line, title, _number_advice(given), fatal=fatal)
            return None
        if math.isnan(value) or (math.isinf(value) and not infinite):
            advice = "Give a number other than nan and inf."
            self.problem(f"{what} is not finite: {given:.60}", line, title, advice, fatal=fatal)
            return None
        if abs(value) > LARGEST and not infinite:
            self.problem(
                f"{what} is too large to compute with: {value:g}", line, title, "Check the units.", fatal=fatal
            )
            return None
        return value


def _number_advice(given: str) -> str:
    if "${" in given or "$(" in given:
        return "The file is a xacro template: run xacro on it first."
    if _COMMA.fullmatch(given):
        return f"Write a decimal point: {given.replace(',', '.')}."
    return "Write a number such as 1.5 or 2e-3."
