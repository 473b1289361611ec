"""How a program shows itself: one line, and a fragment for notebooks."""

from __future__ import annotations

from operator_algebra.expressions.render import cut
from operator_algebra.markup import escape
from operator_algebra.pages.pseudocode import order
from operator_algebra.programs.program import Program


def one_line(program: Program) -> str:
    """Formula, sweeps, order and inputs, at most 100 columns."""
    count = len(program.sweeps)
    directions = ", ".join(sweep.direction for sweep in program.sweeps)
    inputs = ", ".join(program.inputs) or "none"
    tail = f"   {count} sweep{'s' if count != 1 else ''}: {directions}   {order(program)}   inputs {inputs}"
    if len(tail) > 80:
        tail = f"   {count} sweeps   {order(program)}"
    return f"Program  {cut(program.formula, 100 - 9 - len(tail))}{tail}"


def html(program: Program) -> str:
    """The formula, a table of stages, and the algorithm."""
    rows = "".join(
        f"<tr><td>{index}</td><td>{stage.direction}</td><td>{len(stage.steps)}</td></tr>"
        for index, stage in enumerate(program.stages, 1)
    )
    head = f"<p><b>Program</b> <code>{escape(cut(program.formula, 200))}</code> {escape(order(program))}</p>"
    table = f"<table><tr><th>stage</th><th>direction</th><th>values</th></tr>{rows}</table>"
    page = program.pseudocode()
    if len(page) > 20_000:
        page = page[:20_000] + "\n…"
    return f"<div>{head}{table}<pre>{escape(page)}</pre></div>"
