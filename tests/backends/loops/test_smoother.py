"""A chain in time, of blocks by bodies: what its inward sweep sends is read again in the outward one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra import inv
from operator_algebra.symbols import I
from tests.rounding import apart, condition, rounding, size

pytest.importorskip("llvmlite")


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("n", [64, 70])
def test_a_smoother_is_what_the_interpreter_gives(n: int, same: bool) -> None:
    state, measured = oa.space("state"), oa.space("measured")
    A = oa.operator("A", state >> state, structure="inward hop")
    C = oa.operator("C", state >> measured, structure="diagonal")
    Q = oa.operator("Q", state.dual >> state, structure="diagonal semidefinite")
    R = oa.operator("R", measured.dual >> measured, structure="diagonal definite")
    y = oa.vector("y", measured)
    history = inv(I - A)
    covariance = history @ Q @ history.T
    seen = C @ covariance @ C.T + R
    smoother = covariance @ C.T @ inv(seen) @ y
    rng = np.random.default_rng(n)
    ride = oa.chain(n)
    count = 1 if same else n

    def by_body(blocks: list[np.ndarray]) -> dict[str, np.ndarray]:
        return dict(zip(ride.joint_names, blocks * (n // count), strict=True))

    given: dict[str, Any] = {
        "q": ride.neutral(),
        "A": [0.5 * rng.standard_normal((2, 2)) for _ in range(count)] * (n // count),
        "C": by_body([rng.standard_normal((1, 2)) for _ in range(count)]),
        "Q": by_body([np.eye(2) * rng.uniform(1.0, 2.0) for _ in range(count)]),
        "R": by_body([np.eye(1) * rng.uniform(1.0, 2.0) for _ in range(count)]),
        "y": dict(zip(ride.joint_names, rng.standard_normal((n, 1)), strict=True)),
    }
    found = np.ravel(oa.compile(smoother, ride)(**given))
    expected = np.ravel(oa.compile(smoother, ride, backend="interpreter")(**given))
    inverted = oa.evaluate(seen, ride, **{name: given[name] for name in "qACQR"}).dense()
    assert apart(found, expected) <= rounding(size(expected), terms=n, condition=condition(inverted))
