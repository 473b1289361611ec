"""Random systems of no body as loops over many bodies: those that read none, too, and what is given and handed out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra.backends.loops.pieces import cut
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.build import scalar
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from tests.backends.scalar import test_small_systems as small
from tests.backends.scalar.calls import Call
from tests.often import some
from tests.rounding import apart, rounding, size

pytest.importorskip("llvmlite")

LARGE = random_tree(70, joints=("revolute",), seed=3)
h = scalar("h")
NO_BODIES: dict[str, Expr | Query] = {
    "an operator": small.SOFT[0],
    "its adjoint": small.SOFT[1].T,
    "a product": small.STIFF[0] @ small.SOFT[1],
    "a determinant": logdet(small.SOFT[0] + small.SOFT[1]),
    "a number": h,
    "a multiple": h * small.SOFT[0],
}


@pytest.mark.parametrize("name", NO_BODIES)
def test_what_reads_no_body_is_as_on_one_body(name: str) -> None:
    def value(model: Model, count: int) -> np.ndarray:
        compiled = compile_program(NO_BODIES[name], model)
        given: dict[str, Any] = {"h": 0.5, **small.given(1)}
        q = np.stack([model.random(seed)[0] for seed in range(count)])
        return np.asarray(compiled(q=q, **{x: one for x, one in given.items() if x in compiled.inputs}))

    for count in (1, 3, 33):
        one, other = value(LARGE, count), value(small.TREE, count)
        assert apart(one, other) <= rounding(size(other), terms=9)


@pytest.mark.parametrize("name", NO_BODIES)
def test_what_belongs_to_no_body_is_handed_out_once(name: str) -> None:
    program = lower(NO_BODIES[name])
    given: dict[str, Any] = {"h": 0.5, **small.given(1)}
    call = Call.of(program, LARGE, LARGE.random(0)[0], {x: one for x, one in given.items() if x in program.inputs})
    found = cut(program, LARGE, Signature.of(call.inputs))
    assert not any(piece.results for row in found.table for piece in row[:-1])
    assert sum(len(row[-1].results) for row in found.table) == (1 if "number" in name or "determinant" in name else 9)


@pytest.mark.parametrize("seed", some(range(120), each=15))
def test_loops_are_what_dense_matrices_are(seed: int) -> None:
    small.agrees(LARGE, seed)
