"""Local functions: block-diagonal operators made of vectors and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Literal

from operator_algebra.arguments import shown
from operator_algebra.errors import InputError
from operator_algebra.operators.spaces import FORCE, MOTION, Space, Type

Half = Literal["angular", "linear"]
Row = tuple[Half | None, Half | None]


@dataclass(frozen=True)
class LocalFunction:
    """What a local function takes and delivers; `linear` ones differentiate into themselves.

    `quarters` says which half of the vector [a; b] stands, as the matrix of its cross product, in which quarter of the
    block: None is zero.
    """

    name: str
    arguments: tuple[Space, ...]
    result: Type
    linear: bool
    quarters: tuple[Row, Row]

    def __hash__(self) -> int:
        return hash(self.name)

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # and nothing that was looked up

    @cached_property
    def entries(self) -> tuple[tuple[int, ...], ...]:
        """What stands where in the block: i for x_i, −i for −x_i, counted from one, 0 for zero."""
        return tuple(
            tuple(0 if half is None else _signed(turn, half) for half in row for turn in line)
            for row in self.quarters
            for line in _TURN
        )

    @cached_property
    def skew(self) -> bool:
        """Whether every value is the opposite of its adjoint: its quarters are those of a symmetric matrix."""
        (_, two), (three, _) = self.quarters
        return self.result == self.result.T and two == three


_TURN = ((0, -3, 2), (3, 0, -1), (-2, 1, 0))
"""The matrix of a cross product with x, as `LocalFunction.entries` counts."""


def _signed(turn: int, half: Half) -> int:
    """An entry of the matrix of the angular or of the linear half."""
    return turn if half == "angular" or not turn else turn + (3 if turn > 0 else -3)


CROSS = LocalFunction(
    "cross", (MOTION,), MOTION >> MOTION, linear=True, quarters=(("angular", None), ("linear", "angular"))
)
"""cross(V) = [[ω̃, 0], [ṽ, ω̃]]."""
SPIN = LocalFunction("spin", (MOTION,), MOTION >> MOTION, linear=True, quarters=(("angular", None), (None, "angular")))
"""spin(V) = [[ω̃, 0], [0, ω̃]], its rotational part alone."""
CROSSBAR = LocalFunction(
    "crossbar", (FORCE,), MOTION >> FORCE, linear=True, quarters=(("angular", "linear"), ("linear", None))
)
"""crossbar(F) = [[ñ, f̃], [f̃, 0]], so that cross(V)* F = crossbar(F) V."""

LOCAL_FUNCTIONS: dict[str, LocalFunction] = {function.name: function for function in (CROSS, SPIN, CROSSBAR)}


def local_function(name: str) -> LocalFunction:
    """Look a local function up by name."""
    if name not in LOCAL_FUNCTIONS:
        raise InputError(f"there is no local function {shown(name)}. Known: {', '.join(LOCAL_FUNCTIONS)}.")
    return LOCAL_FUNCTIONS[name]
