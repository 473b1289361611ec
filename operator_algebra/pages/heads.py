"""What stands above the lines of a program: what is given, what the results are, what other names mean."""

from __future__ import annotations

from operator_algebra.expressions.names import Style, written
from operator_algebra.expressions.nodes import Expr, Fixpoint, Inverse, Symbol
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.expressions.traverse import symbols
from operator_algebra.markup import width
from operator_algebra.pages.writer import Writer
from operator_algebra.programs.program import Output, Program

_WIDE = 120
"""Columns of a line of several definitions."""


def head(program: Program, writer: Writer) -> list[str]:
    """The first lines of a page."""
    leaves = sorted((s.structure.hop, s.name) for s in program.symbols if s.origin == "model")
    names = [written(name.removeprefix("E_") if hop else name, writer.style) for hop, name in leaves]
    inputs = [written(name, writer.style) for name in program.inputs]
    given = ", ".join(names) + " of the mechanism" if names else ""
    if inputs:
        given += (" and " if given else "") + ", ".join(inputs)
    results = "; ".join(result(program, writer, output) for output in program.outputs)
    lines = [f"given {given or 'nothing'}          result {results}"]
    meant = [f"{written(s.name, writer.style)} = {_definition(s, writer.style)}" for s in mentioned(program)]
    return lines + _where(meant)


def _where(meant: list[str]) -> list[str]:
    """What names mean, on one line if it has room."""
    line = "where " + "; ".join(meant)
    if width(line) <= _WIDE:
        return [line] if meant else []
    return [f"{'      ' if i else 'where '}{one}" for i, one in enumerate(meant)]


def result(program: Program, writer: Writer, output: Output) -> str:
    """What a result is called and what it is: of a name its definition, of a leaf where it comes from."""
    name, formula = writer.result(output), output.formula
    if program.keyed and output.name != (program.steps[output.ref.value].name if output.ref else output.name):
        name = f"{written(output.name, writer.style)} = {name}"
    if isinstance(formula, Symbol) and formula.definition is None:
        return f"{name}, given by the mechanism" if formula.origin == "model" else f"{name}, an input"
    return f"{name} = {_definition(formula, writer.style)}"


def _definition(formula: Expr | Query, style: Style) -> str:
    """A formula as text; of a name its definition, of a fixed point its equation."""
    if isinstance(formula, Query):
        places = "".join(f", {place}" for place in formula.places)
        word = formula.kind if style != "latex" else rf"\operatorname{{{formula.kind}}}"
        return f"{word}({formula.body.render(style)}{places})"
    if isinstance(formula, Symbol) and formula.definition is not None:
        return _definition(formula.definition, style)
    return formula.body.render(style) if isinstance(formula, Fixpoint) else formula.render(style)


def mentioned(program: Program) -> list[Symbol]:
    """Names in the formulas that neither the lines nor the vocabulary of sweeps (φ, ψ) explain."""
    computed = {name for step in program.steps.values() for name in step.value.names}
    found: dict[str, Symbol] = {}
    for output in program.outputs:
        body = body_of(output.formula)
        if isinstance(body, Symbol) and body.definition is not None:
            body = body.definition  # which stands in the line above
        for symbol in sorted(symbols(body), key=lambda s: s.name):
            definition = symbol.definition
            if definition is None or isinstance(definition, Inverse) or symbol.name in computed or symbol is body:
                continue
            found[symbol.name] = symbol
    return list(found.values())
