"""Local functions: block-diagonal operators made of vectors and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from operator_algebra.arguments import shown
from operator_algebra.errors import InputError
from operator_algebra.operators.spaces import MOTION, Space, Type


@dataclass(frozen=True, slots=True)
class LocalFunction:
    """What a local function takes and delivers; `linear` ones differentiate into themselves."""

    name: str
    arguments: tuple[Space, ...]
    result: Type
    linear: bool


# cross(V) = [[ω̃, 0], [ṽ, ω̃]];  spin(V) = [[ω̃, 0], [0, ω̃]], its rotational part alone
LOCAL_FUNCTIONS: dict[str, LocalFunction] = {
    "cross": LocalFunction("cross", (MOTION,), MOTION >> MOTION, linear=True),
    "spin": LocalFunction("spin", (MOTION,), MOTION >> MOTION, linear=True),
}


def local_function(name: str) -> LocalFunction:
    """Look a local function up by name."""
    if name not in LOCAL_FUNCTIONS:
        raise InputError(f"there is no local function {shown(name)}. Known: {', '.join(LOCAL_FUNCTIONS)}.")
    return LOCAL_FUNCTIONS[name]
