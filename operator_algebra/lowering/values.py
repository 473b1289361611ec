"""The values of a formula while it is lowered: instructions and unknowns, and the formulas that they came from."""

from __future__ import annotations

from dataclasses import dataclass

from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.render import brief
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.instructions import Instruction
from operator_algebra.programs.program import Block, Defined
from operator_algebra.programs.records import TERMS, Record, Term, here, instruction

_COLUMNS = 400
"""Columns of a formula in a message."""


@instruction("unknown")
class Unknown(Record):
    """A vector given by an equation 0 = Σ terms, in the space `rows`; elimination leaves none."""

    terms: tuple[Term, ...] = here(TERMS)
    rows: Space


Definition = Instruction | Unknown


@dataclass(frozen=True, slots=True)
class Value(Defined):
    """A value with the formula it came from; while it is lowered, it may be an unknown."""

    definition: Definition
    origin: Expr | None = None

    @property
    def called(self) -> str:
        """Its name in the formula, or the formula that it stands for."""
        return self.names[0] if self.names else self.formula

    @property
    def block(self) -> Block:
        """The value in a program, where it came from left behind."""
        assert not isinstance(self.definition, Unknown)
        return Block(self.type, self.definition, self.names, self.symmetric)

    @property
    def formula(self) -> str:
        """The formula that it stands for, cut: to write each part of a nested formula whole is quadratic."""
        return "the formula" if self.origin is None else brief(self.origin, _COLUMNS)
