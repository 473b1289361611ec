"""The formulas of a program in normal form, laid out as those of the program."""

from __future__ import annotations

from collections.abc import Collection

from operator_algebra.expressions.build import diag
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense
from operator_algebra.expressions.reduced import reduced
from operator_algebra.programs.program import Output, Program


def in_normal_form(program: Program, zeros: Collection[str]) -> tuple[tuple[str, Expr | Query], ...] | None:
    """The formulas by name, without what is zero or cancels; None if all are in that form already."""
    forms = [reduced(output.formula, zeros) for output in program.outputs]
    if all(form is None for form in forms):
        return None
    return tuple(
        (output.name, output.formula if form is None else _laid_out(form, output))
        for output, form in zip(program.outputs, forms, strict=True)
    )


def _laid_out(form: Expr | Query, output: Output) -> Expr | Query:
    """A matrix stays a matrix, blocks stay blocks, whatever is known of the form's structure."""
    if isinstance(form, Query) or not (form.type.domain.attached and form.type.codomain.attached):
        return form
    return diag(form) if output.kind == "blocks" else dense(form)
