"""What a call has to know of a program: what it takes, and how its results are laid out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from operator_algebra.expressions.nodes import Symbol
from operator_algebra.operators.spaces import ONE

if TYPE_CHECKING:
    from operator_algebra.programs.program import Output, Program


class Interface(NamedTuple):
    """Of a program, which need not be there yet for it: see `Program` for the fields."""

    formula: str
    inputs: tuple[str, ...]
    accepts: tuple[Symbol, ...]
    reads_rates: bool
    keyed: bool
    axes: Mapping[str, int]
    """How many axes one sample of each result has, by its name."""

    @classmethod
    def of(cls, program: Program) -> Interface:
        """That of a program.

        >>> import operator_algebra as oa
        >>> Interface.of(oa.lower(oa.dynamics.forward_dynamics)).inputs
        ('T', 'f_ext', 'v')
        """
        axes = {output.name: own_axes(output) for output in program.outputs}
        told = program.formula, program.inputs, program.accepts, program.reads_rates, program.keyed
        return cls(*told, axes)


def own_axes(output: Output) -> int:
    """How many axes one sample of a result has; block-diagonal ones have three, if blocks are of one size."""
    if output.kind == "blocks":
        return 3
    # As what `evaluate` gives: a column is an array of its entries, a row a matrix of one row.
    return 2 if output.columns != ONE else int(output.rows != ONE)
