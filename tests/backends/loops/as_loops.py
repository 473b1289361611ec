"""A program as loops of machine code, in lanes and alone, beside the program read body by body."""

from __future__ import annotations

import numpy as np

from operator_algebra.backends.code import Code
from operator_algebra.backends.loops.kind_tracer import CARRIED
from operator_algebra.backends.loops.limits import EVERYWHERE
from operator_algebra.backends.loops.pairs import loop_code
from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.backends.scalar.signature import Signature
from tests.backends.scalar.calls import flat, least_pivot
from tests.backends.test_forms import COUNTS, Case, near_to_the_program
from tests.fences import CAN, fenced

LEFT = (
    "several results has blocks for pairs",
    "unit columns",
    "a pivot",
    "each body",
    "one body",
)
"""What is said of formulas that are left to others."""


def in_loops(case: Case) -> Code | str:
    """The loops of a program, or why there are none."""
    try:
        return loop_code(case.program, case.model, Signature.of(case.call.inputs), EVERYWHERE)
    except Untraceable as reason:
        return str(reason)


def agrees(case: Case, made: Code) -> bool:
    """Whether loops trust their numbers, which are near to the program, with the same bits beside any others."""
    arrays = [fenced(array, before=bool(k % 2)) if CAN and array.size else array for k, array in enumerate(case.arrays)]
    whole, good, together = made.batch(arrays, COUNTS[-1])
    found = made.laid_out([array[:1] for array in together], ())
    near_to_the_program(case, bool(good[0]), np.concatenate([flat(found[one.name]) for one in case.program.outputs]))
    assert good[0] or not least_pivot(case.call.interpreted()) >= SMALL / CARRIED
    assert whole == good.all()
    for k in (0, 1, COUNTS[-1] - 1):
        _, trusted, alone = made.batch([array[k : k + 1] for array in arrays], 1)
        assert trusted[0] == good[k]
        for one, lanes in zip(alone, together, strict=True):
            assert not trusted[0] or np.array_equal(one[0], lanes[k])
    return bool(good[0])
