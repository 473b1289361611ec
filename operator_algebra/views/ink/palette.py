"""Colours of the pictures: ink on a card, so that one file reads on a light page and on a dark one.

Views name the colours of the light card; a dark card has its own tone for each of them, so a theme is one function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol, Transpose
from operator_algebra.markup import NEUTRAL, colour

CARD = "#fdfdfb"
PAPER = "#ffffff"
"""What is cut out of a fill: hollow marks, letters on colour, the ground of a matrix."""
INK = "#24292f"
SOFT = "#57606a"
FAINT = "#d0d7de"
SHADE = "#eef1ee"
"""An area behind everything."""
NOW = "#ffe08a"
"""What runs at this moment."""
ALARM = "#b3001b"
INWARD = "#0072B2"
OUTWARD = "#D55E00"

# A pale and a strong tone for each branch of a tree; neighbours differ in lightness too.
_BRANCHES = (
    ("#dbe9f6", "#2f6fa7"),
    ("#fbe7c6", "#a36a00"),
    ("#d3efe3", "#00734f"),
    ("#f5dfec", "#a04f80"),
    ("#e4e2f5", "#5b52a3"),
    ("#eeedc9", "#76731f"),
    ("#f9dccd", "#a8471a"),
    ("#dcebec", "#3b7379"),
)


# A pale and a strong tone for each direction of a sweep.
_LOOKS = {
    "inward": ("#b5d9ee", INWARD),
    "outward": ("#f7cfb0", OUTWARD),
    "local": ("#cdd3d9", SOFT),
    "once": ("#dcd2ec", "#8a6fb0"),
    "walk": ("#b4dbe1", "#117A8B"),
}
_HATCHES = ("", "///", "...", "\\\\\\", "xx", "---", "ooo", "++")


@dataclass(frozen=True, slots=True)
class Look:
    """How a sweep is filled: the strong tone of its direction, or the pale one with strokes of the strong one."""

    fill: str
    stroke: str
    hatch: str

    @property
    def letters(self) -> str:
        """The colour of letters on the fill."""
        return INK if self.hatch else PAPER


def looks(directions: Sequence[str]) -> tuple[Look, ...]:
    """A look for each sweep: its colour tells the direction, its hatch tells it from others of that direction.

    >>> [look.hatch for look in looks(["outward", "inward", "outward"])]
    ['', '', '///']
    """
    turns = {direction: count() for direction in directions}
    found: list[Look] = []
    for direction in directions:
        (pale, strong), turn = _LOOKS[direction], next(turns[direction])
        hatch = _HATCHES[turn % len(_HATCHES)]
        found.append(Look(pale if hatch else strong, strong, hatch))
    return tuple(found)


def tint(branch: int) -> str:
    """The pale tone of a branch."""
    return _BRANCHES[branch % len(_BRANCHES)][0]


def strong(branch: int) -> str:
    """The strong tone of a branch, for lines and text."""
    return _BRANCHES[branch % len(_BRANCHES)][1]


_ON_DARK = {
    CARD: "#14181d",
    PAPER: "#0c0f13",
    INK: "#e6edf3",
    SOFT: "#9aa4af",
    FAINT: "#3d4650",
    SHADE: "#1e252c",
    NOW: "#6b5200",
}
_READABLE = 4.5
"""The contrast that small letters need."""


@cache
def dark(colour: str) -> str:
    """The tone that stands on the dark card for a colour of the light one.

    Neutral tones change places, the pale tone of a branch becomes a deep one, and every other colour keeps its hue and
    is lightened until it can be read.

    >>> dark(CARD), dark("#56B4E9"), dark("none")
    ('#14181d', '#56b4e9', 'none')
    """
    found = colour.lower()
    if found in _ON_DARK or not found.startswith("#"):
        return _ON_DARK.get(found, found)
    pale = dict((*_BRANCHES, *_LOOKS.values()))
    if found in pale:
        return _mixed(pale[found], _ON_DARK[CARD], 0.33)
    lighter = (_mixed(PAPER, found, share / 50) for share in range(51))
    return next(tone for tone in lighter if contrast(tone, _ON_DARK[CARD]) >= _READABLE)


def contrast(one: str, other: str) -> float:
    """How well one colour is seen on another: the ratio of their luminances, from 1 to 21, as WCAG defines it.

    >>> round(contrast(PAPER, "#000000"))
    21
    """
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in (c / 255 for c in _parts(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _mixed(one: str, other: str, share: float) -> str:
    """So much of one colour in another."""
    return "#" + "".join(
        f"{round(share * a + (1 - share) * b):02x}" for a, b in zip(_parts(one), _parts(other), strict=True)
    )


def operator_colour(e: Expr) -> str:
    """The colour of an operator; an adjoint has that of its operator, a formula without a name is ink.

    >>> from operator_algebra.symbols import H, phi
    >>> operator_colour(phi.T) == operator_colour(phi), operator_colour(H @ phi) == INK
    (True, True)
    """
    inner = e.body if isinstance(e, Transpose) else e
    found = colour(inner.name) if isinstance(inner, Symbol | Fixpoint) else NEUTRAL
    return INK if found == NEUTRAL else found
