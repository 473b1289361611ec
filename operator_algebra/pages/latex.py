"""A program as LaTeX: an aligned display for each sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from operator_algebra.pages.heads import result
from operator_algebra.pages.walktext import walk_lines
from operator_algebra.programs.program import Program, Step

if TYPE_CHECKING:
    from operator_algebra.pages.reasons import Explainer
    from operator_algebra.pages.writer import Writer

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


def latex(
    program: Program, writer: Writer, numbering: Literal["model", "paper"], explainer: Explainer | None = None
) -> str:
    """One `aligned` block: a loop line for each sweep, its assignments below, reasons in a column of text."""
    rows: list[str] = []
    rows += [f"& {result(program, writer, output)}" for output in program.outputs]
    for stage in program.stages:
        lines = writer.lines(stage.steps, _silent if explainer is None else lambda step: explainer.reason(step).text())
        if lines:
            rows.append("& " + _LOOPS[stage.direction][numbering == "paper"])
            rows += [rf"& \quad {line.name} = {line.formula}{_beside(line.reason)}" for line in lines]
    for output in program.outputs:
        if output.walk is not None:
            lines = [line for line in walk_lines(writer, output) if not line.text.startswith("    (")]
            rows += [_walk_row(line.text) + (_beside(line.reason) if explainer is not None else "") for line in lines]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def _silent(step: Step) -> str:
    del step
    return ""


def _beside(reason: str) -> str:
    return rf" && \text{{{reason}}}" if reason else ""


def _walk_row(line: str) -> str:
    return rf"& \quad {line.strip()}" if line.startswith(" ") else rf"& \text{{{line}}}"
