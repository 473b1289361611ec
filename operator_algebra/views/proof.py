"""proof: a proof as a graph, from line to line by its rules, with the lemmas and laws that they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from operator_algebra.arguments import instance, whole
from operator_algebra.markup import width, wrapped
from operator_algebra.proofs.proof import Proof
from operator_algebra.views.content.derivation import Derivation, Ground, Link, Text, derivation
from operator_algebra.views.ink.canvas import open_canvas
from operator_algebra.views.ink.palette import FAINT, INK, INWARD, PAPER, SOFT, strong, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Box, Pen

_COLUMNS = 58
_LETTER, _SMALL = 0.081, 0.068
"""Inches of a letter of a formula, and of one of its reasons."""
_LINE, _PAD, _STEP = 0.215, 0.11, 0.52
"""Inches of a line of text, of the ground around it, and from one box to the next."""
_MARGIN, _GAP, _ARROW = 0.3, 0.75, 0.35


def proof(found: Proof, *, reading: int = 0, ax: Axes | None = None, dark: bool = False) -> Figure:
    """The chain of a proof from top to bottom; beside it the lemmas and the laws of which its links make use.

    What is new in a line is blue. A lemma has a colour, and so have the links that it is the reason of; below it stands
    of which rules it is the sum. `reading` chooses one where a claim has several.

    >>> from operator_algebra.proofs.prove import prove
    >>> figure = proof(prove("inv(I + H phi K) = I - H psi K"))
    """
    instance(found, "the proof", Proof, "Give what prove(…) returns.")
    at = _Layout(derivation(found, whole(reading, "reading", least=0), _COLUMNS))
    canvas = open_canvas(ax, at.width, at.height, dark=dark)
    pen = canvas.pen
    pen.plain(0.0, at.width, 0.0, at.height)
    title = pen.text(_MARGIN, at.height - 0.3, at.shown.title, 12, bold=True, across="left")
    pen.behind(title, f"   {at.shown.name}", 9, SOFT)
    _draw_links(pen, at)
    _draw_grounds(pen, at)
    for k, line in enumerate(at.notes):
        pen.text(_MARGIN, _LINE * (len(at.notes) - k - 0.5) + 0.12, line, 8.5, SOFT, across="left")
    return canvas.figure


@dataclass(frozen=True)
class _Layout:
    """Boxes in inches: lines of the chain at the left, what they rest on at the right of their reasons."""

    shown: Derivation

    @cached_property
    def notes(self) -> list[str]:
        columns = int((self.width - 2 * _MARGIN) / _SMALL)
        return [line for note in self.shown.notes for line in wrapped(note, columns).splitlines()]

    @cached_property
    def right(self) -> float:
        """Where the boxes at the right begin."""
        reasons = max((width(link.reason) for link in self.shown.links), default=0) * _SMALL + _ARROW + 0.2
        lines = max(_wide(link.text) for link in self.shown.links)
        return _MARGIN + max(lines, reasons) + _GAP

    @cached_property
    def beside(self) -> float:
        """The width of the boxes at the right."""
        return max(map(_ground_width, self.shown.grounds))

    @property
    def bulge(self) -> float:
        """Room for arrows between the boxes at the right."""
        return 0.75 if any(one.below for one in self.shown.grounds) else 0.0

    @cached_property
    def width(self) -> float:
        wide = self.right + self.beside + self.bulge if self.shown.grounds else self.right - _GAP
        title = 0.11 * width(self.shown.title) + _SMALL * (width(self.shown.name) + 3)
        return max(wide, _MARGIN + title, 4.6) + _MARGIN

    @cached_property
    def height(self) -> float:
        left = sum(_high(link.text) for link in self.shown.links) + _STEP * (len(self.shown.links) - 1)
        right = sum(map(_ground_height, self.shown.grounds)) + 0.28 * max(0, len(self.shown.grounds) - 1)
        return max(left, right) + 0.75 + _LINE * len(self.notes) + 0.2

    @property
    def top(self) -> float:
        return self.height - 0.6

    def boxes(self) -> Iterator[tuple[Link, Box]]:
        """Every line of the chain and where it stands."""
        high = self.top
        for link in self.shown.links:
            high -= _high(link.text)
            yield link, (_MARGIN, high, _wide(link.text), _high(link.text))
            high -= _STEP

    @cached_property
    def grounds(self) -> dict[str, tuple[Ground, Box]]:
        """What links rest on, and where it stands: beside the first link that makes use of it, if there is room."""
        grounds = self.shown.grounds
        reasons = {link.ground: box[1] + box[3] + _STEP / 2 for link, box in reversed(list(self.boxes()))}
        heights = [_ground_height(one) for one in grounds]
        placed: dict[str, tuple[Ground, Box]] = {}
        high = self.top
        for k, one in enumerate(grounds):
            room = sum(heights[k:]) + 0.28 * (len(grounds) - k - 1)  # for those that follow
            lowest = _LINE * len(self.notes) + 0.25 + room
            wanted = reasons[one.name] + heights[k] / 2 if one.name in reasons else high
            high = max(min(high, wanted), lowest)
            placed[one.name] = one, (self.right, high - heights[k], self.beside, heights[k])
            high -= heights[k] + 0.28
        return placed

    def tone(self, name: str | None) -> int | None:
        """The number of the colour of a lemma or law."""
        names = [one.name for one in self.shown.grounds]
        return names.index(name) if name in names else None


def _wide(text: Text) -> float:
    return max(_LETTER * text.columns + 2 * _PAD, 2 * _ARROW)


def _high(text: Text) -> float:
    return _LINE * len(text.lines) + 2 * _PAD - 0.03


def _by(one: Ground) -> list[str]:
    names = ", ".join(filter(None, (*one.below, one.by)))
    return wrapped(f"by {names}", _COLUMNS).splitlines() if names else []


def _ground_width(one: Ground) -> float:
    small = max(1.16 * width(one.name), *(width(line) for line in _by(one)), 0)
    return max(_wide(one.text), _SMALL * small + 2 * _PAD)


def _ground_height(one: Ground) -> float:
    return _LINE * (len(one.text.lines) + 1) + 0.175 * len(_by(one)) + 2 * _PAD


def _draw_links(pen: Pen, at: _Layout) -> None:
    for k, (link, (x, y, wide, high)) in enumerate(at.boxes()):
        pen.box((x, y, wide, high), PAPER, FAINT if 0 < k < len(at.shown.links) - 1 else SOFT, 1.2, layer=2)
        _draw_text(pen, link.text, x + _PAD, y + high - _PAD)
        if k:
            tone = at.tone(link.ground)
            colour = SOFT if tone is None else strong(tone)
            pen.arrow((x + _ARROW, y + high + _STEP), (x + _ARROW, y + high + 0.02), colour, 1.4)
            middle = y + high + _STEP / 2
            pen.text(x + _ARROW + 0.12, middle, link.reason, 9, colour if tone is not None else INK, across="left")
            if link.ground is not None and tone is not None:
                _, box = at.grounds[link.ground]
                start = (box[0], box[1] + box[3] / 2)
                end = (x + _ARROW + 0.2 + 1.04 * _SMALL * width(link.reason), middle)
                bend = max(0.3, 0.5 * (start[0] - end[0]))
                pen.curve([start, (start[0] - bend, start[1]), (end[0] + bend, end[1]), end], colour, 1.2, layer=1.5)


def _draw_grounds(pen: Pen, at: _Layout) -> None:
    for k, (one, (x, y, wide, high)) in enumerate(at.grounds.values()):
        pen.box((x, y, wide, high), tint(k), strong(k), 1.2, layer=2)
        pen.text(x + _PAD, y + high - _PAD - _LINE / 2, one.name, 9, INK, across="left", bold=True)
        _draw_text(pen, one.text, x + _PAD, y + high - _PAD - _LINE)
        for number, line in enumerate(_by(one)):
            pen.text(x + _PAD, y + _PAD + 0.175 * (len(_by(one)) - number - 0.5), line, 8, INK, across="left")
        for name in one.below:
            _, other = at.grounds[name]
            number = at.tone(name) or 0
            start, end = (x + wide, other[1] + other[3] / 2 + 0.06), (x + wide, y + high / 2 - 0.06)
            out = x + wide + min(0.9, 0.22 + 0.17 * abs(start[1] - end[1]))  # a curve reaches three quarters of it
            pen.curve([start, (out, start[1]), (out, end[1]), end], strong(number), 1.2, layer=1.5)


def _draw_text(pen: Pen, text: Text, left: float, top: float) -> None:
    """A formula, line by line; what is new in blue."""
    for number, line in enumerate(text.lines):
        (first, new), *rest = line
        words = pen.text(left, top - _LINE * (number + 0.5), first, 10.5, INWARD if new else INK, across="left")
        for piece, marked in rest:
            words = pen.behind(words, piece, 10.5, INWARD if marked else INK)
