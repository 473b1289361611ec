"""The axes in which a program is traced: those in which turns are planar, and what it costs that callers see others.

With S the rotation from new axes to those of a body, a motion or force that is given is read as S* x, and a result is
S y. What has a space of bodies on both sides, or blocks for pairs of bodies, is made in the axes of bodies.
"""

from __future__ import annotations

from operator_algebra.backends.frames import Framed, bound_to_axes, framed, in_body_axes, of_bodies
from operator_algebra.backends.scalar.leaves import NodeLeaves
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import InputValue
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.program import Output, Program


def chosen(program: Program, model: Model, signature: Signature) -> Framed:
    """New axes where turns are planar in them and not in those of bodies, and what is seen in these can be turned."""
    made = framed(model)
    if made.axes is None:
        return made
    given = [value for name, value in signature.values.items() if name not in signature.absent]
    turnable = all(map(_can_enter, given)) and all(map(_can_leave, program.outputs))
    return made if turnable and not bound_to_axes(program) else in_body_axes(model)


def _can_enter(value: InputValue) -> bool:
    seen = _seen(value.type.codomain, value.type.domain)
    whole = value.dense is not None and value.rows.attached and value.cols.attached
    return seen == 0 or (seen == 1 and not value.structure.hop and not whole)


def _can_leave(output: Output) -> bool:
    seen = _seen(output.rows, output.columns)
    return seen == 0 or (seen == 1 and output.walk is None)


def _seen(*sides: Space) -> int:
    """How many sides are motions or forces of bodies; more than there are where one is a sum."""
    return sum(len(side.summands) for side in sides if of_bodies(side))


class Axes:
    """Turns between the axes of a program and those of bodies."""

    def __init__(self, leaves: NodeLeaves, axes: Numbers | None = None) -> None:
        """By the rotations from the axes of the program to those of each body; None where they are the same."""
        self._leaves = leaves
        self._axes = axes

    def entered(self, value: InputValue, blocks: list[Matrix]) -> list[Matrix]:
        """The blocks of an input, body by body, in the axes of the program."""
        return self._seen(value.type.codomain, value.type.domain, blocks, back=True)

    def left(self, output: Output, blocks: list[Matrix]) -> list[Matrix]:
        """The blocks of a result, body by body, in the axes of bodies."""
        return self._seen(output.rows, output.columns, blocks, back=False)

    def _seen(self, rows: Space, columns: Space, blocks: list[Matrix], *, back: bool) -> list[Matrix]:
        if self._axes is None or not (of_bodies(rows) or of_bodies(columns)):
            return blocks
        product = self._leaves.numbers.product
        turns = [self._leaves.turn(axes.T if back else axes) for axes in self._axes[: len(blocks)]]
        pairs = zip(turns, blocks, strict=True)
        if of_bodies(rows):
            return [product(turn, block) for turn, block in pairs]
        return [product(block, turn.T) for turn, block in pairs]
