"""Blocks for pairs of bodies on large mechanisms: column by column in loops of machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends.floats import Floats
from operator_algebra.backends.loops.pairs import PairKernel
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import SingularError
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.query import Query, block, dense
from operator_algebra.models.families import chain
from operator_algebra.models.model import Model
from tests.backends.loops.called import swinging
from tests.backends.loops.trees import LONG, several
from tests.oracles.recursive_dynamics import mass_matrix
from tests.rounding import apart, condition, rounding, size

pytest.importorskip("llvmlite")
MASS, INVERSE = dense(dynamics.mass_matrix), dense(inv(dynamics.mass_matrix))
TREES = several(2, LONG + 40, ["revolute"])


def in_pairs(e: Query, model: Model, **options: Any) -> tuple[Any, Any, Any]:
    """A compiled formula, and the results of some configurations."""
    compiled = compile_program(e, model, **options)
    q = np.stack([model.random(k)[0] for k in range(3)])
    found = compiled(q=q)
    executable = compiled._numeric()  # pyright: ignore[reportPrivateUsage]
    assert isinstance(executable, Floats)
    assert [type(one) for one in executable.kernels] == [PairKernel]
    return compiled, q, found


@pytest.mark.parametrize("model", [chain(64, seed=1), TREES], ids=["chain", "trees"])
def test_mass_matrices_and_their_inverses(model: Model) -> None:
    _, q, M = in_pairs(MASS, model)
    _, _, W = in_pairs(INVERSE, model)
    for k in range(3):
        expected = mass_matrix(model, q[k])
        assert apart(M[k], expected) <= rounding(size(expected), terms=model.n)
        assert np.array_equal(M[k], M[k].T)
        assert np.array_equal(W[k], W[k].T)
        product, scale = expected @ W[k], size(expected) * size(W[k]) * model.nv
        assert apart(product, np.eye(model.nv)) <= rounding(scale, terms=model.n, condition=condition(expected))


def test_one_block_is_that_of_all() -> None:
    _, q, M = in_pairs(MASS, TREES)
    i, j = 7, 4
    compiled = compile_program(block(dynamics.mass_matrix, i, j), TREES)
    rows, columns = TREES.v_slices[i], TREES.v_slices[j]
    assert np.array_equal(compiled(q=q), M[:, rows, columns])
    assert compile_program(block(dynamics.mass_matrix, 0, 99), TREES)(q=q).shape[0] == 3


def test_a_sample_has_its_bits_in_any_batch_and_with_any_threads() -> None:
    """Columns of many samples are computed in several calls."""
    model = chain(64, seed=1)
    compiled, q, M = in_pairs(MASS, model)
    many = np.tile(q, (13, 1))
    together = compiled(q=many)
    assert np.array_equal(together, np.tile(M, (13, 1, 1)))
    assert np.array_equal(compiled(q=q[1]), M[1])
    assert np.array_equal(compile_program(MASS, model, threads=2)(q=many), together)
    assert compiled(q=q[:0]).shape == (0, model.nv, model.nv)


def test_singular_samples_are_told_as_by_the_interpreter() -> None:
    model = swinging(100)
    q = np.stack([model.random(k)[0] for k in range(3)])
    q[1, 1] = 0.0  # on the axis
    said: list[str] = []
    for backend in ("auto", "interpreter"):
        with pytest.raises(SingularError) as told:
            compile_program(INVERSE, model, backend=backend)(q=q)
        said.append(str(told.value))
        found: Any = told.value.result
        assert np.isnan(found[1]).all()
        assert np.isfinite(found[[0, 2]]).all()
    assert said[0] == said[1]
