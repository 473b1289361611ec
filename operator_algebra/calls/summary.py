"""How a compiled program shows itself: one line, a page of text, a fragment for notebooks. Nothing is computed."""

from __future__ import annotations

from operator_algebra.expressions.mathml import mathml
from operator_algebra.expressions.render import cut
from operator_algebra.markup import element, escape, html_table, pad
from operator_algebra.models.model import Model
from operator_algebra.pages.pseudocode import order
from operator_algebra.programs.program import Program

_OUTPUTS = 12
"""So many formulas of a mapping are typeset."""


def one_line(program: Program, model: Model, backend: str) -> str:
    """Formula, mechanism, backend and inputs."""
    tail = f"   {model.name}   {backend}   inputs {_inputs(program)}"
    return f"Compiled  {cut(program.formula, max(20, 89 - len(tail)))}{tail}"


def facts(program: Program, model: Model, backend: str, frame: str) -> tuple[tuple[str, str], ...]:
    """Label and text of what was compiled, for what, and what a call of it costs.

    >>> import operator_algebra as oa
    >>> from operator_algebra.symbols import H, phi, v
    >>> facts(oa.lower(phi.T @ H.T @ v), oa.chain(3), "numpy", "body")[-1]
    ('cost', 'O(N), 70 operations per body, 210 in total')
    """
    count = len(program.sweeps)
    directions = ", ".join(sweep.direction for sweep in program.sweeps)
    cost = program.cost(model)
    each = round(cost.total / model.n)
    return (
        ("model", ", ".join(repr(model).removeprefix("Model ").split("   "))),
        ("backend", f"{backend}, method {program.method}, {frame} frame"),
        ("inputs", _inputs(program)),
        ("sweeps", f"{count}: {directions}" if count else "none"),
        ("cost", f"{order(program)}, {each} operations per body, {cost.total} in total"),
    )


def text(program: Program, model: Model, backend: str, frame: str) -> str:
    """The line, and a line for each fact."""
    rows = [("formula", program.formula), *facts(program, model, backend, frame)]
    return "\n".join([one_line(program, model, backend), *(f"{pad(label, 10)}{words}" for label, words in rows)])


def html(program: Program, model: Model, backend: str, frame: str) -> str:
    """The formulas as MathML, and the facts in a table.

    >>> import operator_algebra as oa
    >>> html(oa.lower(oa.dynamics.forward_dynamics), oa.chain(3), "numpy", "body").count("<math>")
    1
    """
    formulas = [mathml(output.formula) for output in program.outputs[:_OUTPUTS]]
    if program.keyed:
        named = zip(program.outputs, formulas, strict=False)
        lines = [f"{escape(output.name)} = {formula}" for output, formula in named]
        left = len(program.outputs) - len(lines)
        formulas = [*lines, f"… and {left} more"] if left else lines
    rows = [(escape(label), escape(words)) for label, words in facts(program, model, backend, frame)]
    head = element("p", element("strong", "Compiled"), " ", "; ".join(formulas))
    return element("div", head, html_table(rows))


def _inputs(program: Program) -> str:
    return ", ".join(("q", *program.inputs))
