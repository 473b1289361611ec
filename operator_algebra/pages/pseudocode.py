"""A program as a page of a textbook: what is given, the sweeps, the reasons, the cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from operator_algebra.arguments import choice, flag
from operator_algebra.expressions.names import Style
from operator_algebra.markup import pad, width
from operator_algebra.pages.because import because
from operator_algebra.pages.heads import head
from operator_algebra.pages.reasons import Explainer
from operator_algebra.pages.walktext import walk_lines
from operator_algebra.pages.writer import Line, Numbering, Writer
from operator_algebra.programs.growth import order
from operator_algebra.programs.program import Direction, Program

_LOOPS: dict[str, tuple[str, str]] = {
    "inward": ("for k from the tips to the base", "for k = 1 … N, from the tips to the base"),
    "outward": ("for k from the base to the tips", "for k = N … 1, from the base to the tips"),
    "local": ("for every k", "for every k"),
    "once": ("once", "once"),
}


_FAR = 80
"""Columns up to which notes of all sweeps stand below each other."""

_SPOKEN = {
    "over children c of k": ", c a child of k",
    "p is the parent of k": ", p the parent of k",
    "p is the parent of k, s its other children": ", p the parent of k, s another child of p",
}
"""What the notes beside lines say, as an addition to the loop line."""
_COLUMN = 76
"""Where reasons start at the latest; beside a longer line they stand below it."""


def pseudocode(program: Program, style: Style, numbering: Numbering, *, reasons: bool = False) -> str:
    """The whole page: what is given, the sweeps, the reasons, the cost; on request a reason beside each line."""
    choice(style, "style", get_args(Style))
    choice(numbering, "numbering", get_args(Numbering))
    flag(reasons, "reasons")
    writer = Writer(program, style)
    explainer = Explainer(program, writer) if reasons else None
    if style == "latex":
        from operator_algebra.pages.latex import latex

        return latex(program, writer, numbering, explainer)
    text = head(program, writer)
    body = (
        _plain(program, writer, numbering) if explainer is None else _explained(program, writer, numbering, explainer)
    )
    foot = _foot(program, style)
    return "\n\n".join("\n".join(part) for part in (text, body, foot) if part)


def _loop(direction: str, writer: Writer, numbering: Numbering) -> str:
    return _LOOPS[direction][numbering == "paper"].replace("…", "..." if writer.style == "ascii" else "…")


def _plain(program: Program, writer: Writer, numbering: Numbering) -> list[str]:
    sections = [(stage.direction, _noted(stage.direction, writer.lines(stage.steps))) for stage in program.stages]
    left = max((width(line.name) for _, lines in sections for line in lines), default=0)
    right = max((_reaching(lines) for _, lines in sections), default=0)
    text: list[str] = []
    for direction, lines in sections:
        if not lines:
            continue
        text.append(_loop(direction, writer, numbering))
        column = right if right <= _FAR else _reaching(lines)
        for line in lines:
            formula = f"{pad(line.formula, column)}    {line.note}" if line.note else line.formula
            text.append(f"    {pad(line.name, left)} = {formula}".rstrip())
    walks = [walk_lines(writer, output) for output in program.outputs if output.walk is not None]
    return [*text, *(line.text for walk in walks for line in walk)]


def _reaching(lines: Sequence[Line]) -> int:
    """How long the longest formula with a note is."""
    return max((width(line.formula) for line in lines if line.note), default=0)


def _noted(direction: Direction, lines: Sequence[Line]) -> list[Line]:
    """The lines of a sweep, of which an outward one says once what p is."""
    told: set[str] = set()
    found: list[Line] = []
    for line in lines:
        found.append(replace(line, note="") if direction == "outward" and line.note in told else line)
        told.add(line.note)
    return found


def _spoken(lines: Sequence[Line]) -> str:
    """Which bodies beside k the lines of a loop read."""
    said = dict.fromkeys(_SPOKEN[line.note] for line in lines if line.note)
    return "".join(one for one in said if not any(one != other and one in other for other in said))


def _explained(program: Program, writer: Writer, numbering: Numbering, explainer: Explainer) -> list[str]:
    """Every line with its reason, in one column; the loop line says once what c and p are."""
    rows: list[tuple[str, str]] = []
    sections = [
        (stage.direction, writer.lines(stage.steps, lambda step: explainer.reason(step).text()))
        for stage in program.stages
    ]
    left = max((width(line.name) for _, lines in sections for line in lines), default=0)
    for direction, lines in sections:
        if lines:
            rows.append((_loop(direction, writer, numbering) + _spoken(lines), ""))
            rows += [(f"    {pad(line.name, left)} = {line.formula}", line.reason) for line in lines]
    for output in program.outputs:
        if output.walk is not None:
            rows += [(line.text, line.reason) for line in walk_lines(writer, output)]
    column = max((width(line) for line, reason in rows if reason and width(line) <= _COLUMN), default=_COLUMN)
    text: list[str] = []
    for line, reason in rows:
        if reason and width(line) > column:
            text += [line, f"{pad('', column)}    {reason}"]
        else:
            text.append(f"{pad(line, column)}    {reason}" if reason else line)
    return text


def _foot(program: Program, style: Style) -> list[str]:
    text: list[str] = []
    if not program.stages:
        return text
    for index, line in enumerate(because(program, style)):
        text.append(("because  " if index == 0 else "         ") + line)
    count = len(program.sweeps)
    words = {0: "no sweep", 1: "one sweep", 2: "two sweeps", 3: "three sweeps", 4: "four sweeps"}
    growth = order(program) if style != "ascii" else order(program).replace("²", "^2")
    text.append(f"cost     {growth}: {words.get(count, f'{count} sweeps')}")
    return text
