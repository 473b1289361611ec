"""A program as LaTeX: an aligned display for each sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from operator_algebra.lowering.heads import result
from operator_algebra.lowering.program import Program
from operator_algebra.lowering.walktext import walk_lines

if TYPE_CHECKING:
    from operator_algebra.lowering.writer import Writer

_LOOPS = {
    "inward": (
        r"\text{for } k \text{ from the tips to the base}",
        r"\text{for } k = 1, \dots, N \text{ (tip to base)}",
    ),
    "outward": (
        r"\text{for } k \text{ from the base to the tips}",
        r"\text{for } k = N, \dots, 1 \text{ (base to tip)}",
    ),
    "local": (r"\text{for every } k", r"\text{for every } k"),
    "once": (r"\text{once}", r"\text{once}"),
}


def typeset(program: Program, writer: Writer, numbering: Literal["model", "paper"]) -> str:
    """One `aligned` block: a loop line for each sweep, its assignments below."""
    rows: list[str] = []
    rows += [f"& {result(program, writer, output)}" for output in program.outputs]
    for stage in program.stages:
        lines = writer.lines(stage.steps)
        if lines:
            rows.append("& " + _LOOPS[stage.direction][numbering == "paper"])
            rows += [rf"& \quad {line.name} = {line.formula}" for line in lines]
    for output in program.outputs:
        if output.walk is not None:
            rows += [_walk_row(line) for line in walk_lines(writer, output) if not line.startswith("    (")]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def _walk_row(line: str) -> str:
    return rf"& \quad {line.strip()}" if line.startswith(" ") else rf"& \text{{{line}}}"
