"""How the work of a program grows with the number of bodies."""

from __future__ import annotations

from operator_algebra.programs.program import Output, Program

_ORDERS = ("O(N)", "O(N depth)", "O(N²)")


def order(program: Program) -> str:
    """How the work grows with the number of bodies."""
    return max((_order_of(program, output) for output in program.outputs), key=_ORDERS.index, default="O(N)")


def _order_of(program: Program, output: Output) -> str:
    if output.walk is not None and output.kind == "dense":
        returns = any(ref is not None for row in (*output.walk.theta, *output.walk.d_z) for ref in row)
        return "O(N²)" if returns else "O(N depth)"
    per_column = output.ref is not None and _per_column(program, output.ref.value)
    return "O(N²)" if output.kind == "matrix" and per_column else "O(N)"


def _per_column(program: Program, number: int) -> bool:
    counted = program.steps[number].type.domain.counted
    return counted is not None and counted.place is None
