"""A program as a page of a textbook: what is given, the sweeps, the reasons, the cost."""

from __future__ import annotations

from operator_algebra.expressions.names import Style
from operator_algebra.lowering.heads import head
from operator_algebra.lowering.program import Output, Program
from operator_algebra.lowering.reasons import reasons
from operator_algebra.lowering.walktext import walk_lines
from operator_algebra.lowering.writer import Numbering, Writer
from operator_algebra.markup import width
from operator_algebra.operators.spaces import counted_by

_LOOPS: dict[str, tuple[str, str]] = {
    "inward": ("for k from the tips to the base", "for k = 1 … N, from the tips to the base"),
    "outward": ("for k from the base to the tips", "for k = N … 1, from the base to the tips"),
    "local": ("for every k", "for every k"),
    "once": ("once", "once"),
}


def pseudocode(program: Program, style: Style, numbering: Numbering) -> str:
    """The whole page: what is given, the sweeps, the reasons, the cost."""
    writer = Writer(program, style)
    if style == "latex":
        from operator_algebra.lowering.typeset import typeset

        return typeset(program, writer, numbering)
    sections = [(stage.direction, writer.lines(stage.steps)) for stage in program.stages]
    left = max((width(line.name) for _, lines in sections for line in lines), default=0)
    right = max((width(line.formula) for _, lines in sections for line in lines if line.note), default=0)
    text = head(program, writer)
    if any(lines for _, lines in sections):
        text.append("")
    for direction, lines in sections:
        if not lines:
            continue
        text.append(_LOOPS[direction][numbering == "paper"].replace("…", "..." if style == "ascii" else "…"))
        noted: set[str] = set()
        for line in lines:
            shown = f"    {_pad(line.name, left)} = {line.formula}"
            if line.note and not (direction == "outward" and line.note in noted):
                shown = f"    {_pad(line.name, left)} = {_pad(line.formula, right)}    {line.note}"
                noted.add(line.note)
            text.append(shown.rstrip())
    for output in program.outputs:
        if output.walk is not None:
            text += walk_lines(writer, output)
    foot = _foot(program, style)
    text += ["", *foot] if foot else []
    return "\n".join(text)


def _pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _foot(program: Program, style: Style) -> list[str]:
    text: list[str] = []
    if not program.stages:
        return text
    for index, line in enumerate(reasons(program, style)):
        text.append(("because  " if index == 0 else "         ") + line)
    count = len(program.sweeps)
    words = {0: "no sweep", 1: "one sweep", 2: "two sweeps", 3: "three sweeps", 4: "four sweeps"}
    growth = order(program) if style != "ascii" else order(program).replace("²", "^2")
    text.append(f"cost     {growth}: {words.get(count, f'{count} sweeps')}")
    return text


def order(program: Program) -> str:
    """How the work grows with the number of bodies."""
    return max((_order_of(program, output) for output in program.outputs), key=_ORDERS.index, default="O(N)")


_ORDERS = ("O(N)", "O(N depth)", "O(N²)")


def _order_of(program: Program, output: Output) -> str:
    if output.walk is not None and output.kind == "dense":
        returns = any(ref is not None for row in (*output.walk.theta, *output.walk.d_z) for ref in row)
        return "O(N²)" if returns else "O(N depth)"
    per_column = output.ref is not None and _per_column(program, output.ref.value)
    return "O(N²)" if output.kind == "matrix" and per_column else "O(N)"


def _per_column(program: Program, number: int) -> bool:
    counted = counted_by(program.steps[number].type.domain)
    return counted is not None and counted[1] is None
