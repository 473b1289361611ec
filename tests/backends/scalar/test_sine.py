"""Sine and cosine of generated code: right to a few units of the last place, with the same bits for floats and rows."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.backends.scalar.sine import FARTHEST, turned, turned_rows
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain
from tests.backends.scalar.calls import Call

mpmath: Any = import_module("mpmath")
RNG = np.random.default_rng(0)
NEAR_QUARTERS = [
    float(np.nextafter(k * math.pi / 2, towards)) for k in range(-40, 41) for towards in (-1e9, k * math.pi / 2, 1e9)
]
ANGLES = {
    "small": RNG.uniform(-4.0, 4.0, 4000),
    "tiny": 10.0 ** RNG.uniform(-300, 0, 500),
    "near quarters of a turn": np.array([*NEAR_QUARTERS, *(float(k) * math.pi / 2 for k in range(0, 600_000, 1777))]),
    "far": RNG.uniform(-FARTHEST, FARTHEST, 4000),
}


@pytest.mark.parametrize("where", ANGLES)
def test_units_of_the_last_place(where: str) -> None:
    with mpmath.workdps(60):
        for x in ANGLES[where].tolist():
            for found, exact in zip(turned(x), (mpmath.sin(mpmath.mpf(x)), mpmath.cos(mpmath.mpf(x))), strict=True):
                assert abs(found - exact) <= max((2 if abs(x) <= 100 else 3) * math.ulp(float(exact)), 1e-27), x


@pytest.mark.parametrize("where", ANGLES)
def test_rows_have_the_bits_of_floats(where: str) -> None:
    angles = np.concatenate([ANGLES[where], -ANGLES[where]])
    sines, cosines = turned_rows(angles)
    expected = np.array([turned(x) for x in angles.tolist()])
    assert np.array_equal(sines.view(np.int64), expected[:, 0].copy().view(np.int64))
    assert np.array_equal(cosines.view(np.int64), expected[:, 1].copy().view(np.int64))


def test_angles_further_off_are_not_trusted() -> None:
    model = chain(2)
    call = Call.of(lower(s.X_abs), model, model.neutral(), {})
    tape = Tape.of(call.traced(), 2)
    rows = np.array([[0.5, FARTHEST, 2 * FARTHEST, -2 * FARTHEST, 1e300, np.inf, np.nan], [0.1] * 7])
    assert tape.batch(rows)[0].tolist() == [True, False, False, False, False, False, False]
    assert [tape.single(row)[0] for row in rows.T.tolist()] == [True, False, False, False, False, False, False]
