"""What the interpreter reads on a model: its tree, its leaves at (q, v) and its inputs; and its results as arrays."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from operator_algebra.models.model import Model
from operator_algebra.operators.bind import bind
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.programs.interpret import Result, interpret
from operator_algebra.programs.matrices import FLOATS, Matrix
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.programs.program import Program
from operator_algebra.spatial.arrays import Axes

Blocks = dict[str, list[list[list[Any]]]]


def given_on(
    program: Program, model: Model, *, q: Any, frame: Axes = "body", **inputs: Any
) -> tuple[Mechanism, Blocks]:
    """The tree of a model with its block sizes, and what a program reads, as lists of numbers."""
    wanted = [symbol for symbol in program.accepts if symbol.name in {*program.inputs, *inputs}]
    bound = bind("the program", wanted, model, inputs, whole=False)
    leaves = LeafValues(model, q, inputs.get("v"), frame)
    blocks = {leaf.name: leaves.blocks(leaf) for leaf in program.leaves}
    blocks |= {name: value.by_body() for name, value in bound.values.items()}
    sizes = {family: layout.sizes.tolist() for family, layout in bound.layouts.items()}
    tree = Mechanism(tuple(model.parent), sizes, model.joint_names)
    return tree, {name: [block.tolist() for block in found] for name, found in blocks.items()}


def interpreted(program: Program, model: Model, *, q: Any, frame: Axes = "body", **inputs: Any) -> Any:
    """The result of a program on a model, or its results by name, as a compiled program gives them."""
    tree, given = given_on(program, model, q=q, frame=frame, **inputs)
    results = {name: arrays(found) for name, found in interpret(program, tree, given, numbers=FLOATS).items()}
    return results if program.keyed else next(iter(results.values()))


def arrays(value: Result) -> Any:
    """A result as an array; of blocks of several shapes, a list of them."""
    if isinstance(value, Matrix):
        return matrix(value)
    blocks: list[Any] = (
        [matrix(one) for one in cast("list[Any]", value) if isinstance(one, Matrix)] if isinstance(value, list) else []
    )
    if blocks:
        return np.stack(blocks) if len({block.shape for block in blocks}) == 1 else blocks
    return np.array(value)


def matrix(value: Matrix) -> Any:
    """A matrix as an array."""
    return np.array([list(row) for row in value.rows]).reshape(value.height, value.width)
