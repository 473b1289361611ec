"""Substitution along a tree by levels, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest

from operator_algebra.checking.along_tree import by_levels
from operator_algebra.checking.beside import Beside
from operator_algebra.checking.prober import Prober
from operator_algebra.checking.scene import Sample
from operator_algebra.expressions.build import one
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.symbols import E_phi, H, M

MODELS = [
    chain(1),
    chain(9, seed=2),
    random_tree(30, branching=0.9, seed=3),
    random_tree(25, branching=0.3, joints=["revolute", "floating"], seed=5),
    random_tree(12, branching=0.0, seed=7),
]


@pytest.mark.parametrize("inward", [True, False], ids=["inward", "outward"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_it_solves_for_all_samples(model: Model, *, inward: bool) -> None:
    prober = Prober(
        model, [Sample.draw(model, 1, "body"), Sample.draw(model, 2, "world"), Sample.draw(model, 3, "body")]
    )
    shift = one(E_phi.type) - E_phi
    matrix = prober.run.value(shift if inward else shift.T)
    source = prober.source
    solve = by_levels(matrix, source.parent, source.level, inward=inward)
    assert solve is not None
    right = np.random.default_rng(4).standard_normal((matrix.rows.size, 5))
    given = right.copy()
    found, dense = solve(right), matrix.dense()
    assert np.array_equal(right, given)
    # Each entry of the residual is a sum of as many terms as a body has children, whose rounding its size bounds.
    sizes = np.abs(dense) @ np.abs(found) + np.abs(right)
    assert (np.abs(dense @ found - right) <= (matrix.rows.size + 1) * np.finfo(float).eps * sizes).all()


def test_blocks_of_several_sizes_are_left_to_others() -> None:
    model = random_tree(6, joints=["revolute", "spherical"], seed=1)
    source = Beside(model, [Sample.draw(model, 1, "body")])
    prober = Prober(model, source.samples, source)
    assert by_levels(prober.run.value(H @ M @ H.T), source.parent, source.level, inward=True) is None
