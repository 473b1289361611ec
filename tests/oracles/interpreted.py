"""A program read by the interpreter on a model: its tree, its leaves at (q, v) and its inputs, as lists of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from operator_algebra.models.model import Model
from operator_algebra.operators.bind import bind
from operator_algebra.operators.leaves import Frame, LeafValues
from operator_algebra.programs.interpret import Mechanism, Result, interpret
from operator_algebra.programs.matrices import FLOATS, Matrix, Numbers
from operator_algebra.programs.program import Program

Blocks = dict[str, list[list[list[Any]]]]


def mechanism_of(model: Model, layouts: Mapping[str, Any]) -> Mechanism:
    """The tree of a model, with the block sizes that a binding knows."""
    sizes = {family: layout.sizes.tolist() for family, layout in layouts.items()}
    return Mechanism(tuple(model.parent), sizes, model.joint_names)


def given_on(
    program: Program,
    model: Model,
    *,
    q: Any,
    frame: Frame = "body",
    convert: Callable[[Any], Any] = float,
    **inputs: Any,
) -> tuple[Mechanism, Blocks]:
    """What a program reads on a model, entry by entry converted."""
    bound = bind("the program", [s for s in program.accepts if s.name in inputs], model, inputs, whole=False)
    bound = (
        bind("the program", [s for s in program.accepts if s.name in program.inputs], model, inputs, whole=False)
        if not inputs
        else bound
    )
    leaves = LeafValues(model, q, inputs.get("v"), frame)
    blocks = {name: leaves.blocks(name) for name in program.leaves}
    blocks |= {name: value.by_body() for name, value in bound.values.items()}
    rows = {name: [[list(map(convert, row)) for row in block] for block in found] for name, found in blocks.items()}
    return mechanism_of(model, bound.layouts), rows


def interpreted(
    program: Program, model: Model, *, q: Any, frame: Frame = "body", numbers: Numbers = FLOATS, **inputs: Any
) -> dict[str, Any]:
    """The results of a program on a model over floats, as compiled programs give them."""
    mechanism, given = given_on(program, model, q=q, frame=frame, **inputs)
    return {name: arrays(value) for name, value in interpret(program, mechanism, given, numbers=numbers).items()}


def arrays(value: Result) -> Any:
    """A result as an array; of blocks of several shapes, a list of them."""
    if isinstance(value, Matrix):
        return np.array(value.rows).reshape(value.height, value.width)
    if isinstance(value, list) and value and isinstance(value[0], Matrix):
        blocks = [arrays(block) for block in value]
        return np.stack(blocks) if len({block.shape for block in blocks}) == 1 else blocks
    return np.array(value)
