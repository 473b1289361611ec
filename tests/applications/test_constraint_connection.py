"""The connection of constraints: of fields that keep them it is the projected one, of others as it is printed."""

from __future__ import annotations

from typing import Any

import pytest

from operator_algebra.applications import constraints, geometry
from operator_algebra.models.families import random_tree
from tests.applications.inputs import same
from tests.applications.test_constraints import Held

_JOINTS = ("revolute", "prismatic", "helical", "cylindrical")
# In body axes: there C moves with C_dot alone.
CASES = [Held(random_tree(5, joints=_JOINTS, seed=seed), seed, "body") for seed in range(6)]
_FIELD = constraints.projection @ geometry.w


@pytest.mark.parametrize("case", CASES, ids=range(6))
def test_of_fields_that_keep_the_constraints_it_is_projected(case: Held) -> None:
    """The field P w with w of constant components; how it changes is a difference in the complex plane."""
    free: dict[str, Any] = {"w_dot": 0.0 * case.values["w"]}
    field = case.value(_FIELD, **free).ravel()
    rate = rate_of_field(case)
    found = case.value(constraints.covariant_derivative, w=field, w_dot=rate)
    flat = case.value(geometry.covariant_derivative, w=field, w_dot=rate)
    projected = case.value(constraints.projection) @ flat.ravel()
    assert same(found, projected, flat, case.condition * 1e-4)


def rate_of_field(case: Held) -> Any:
    """d/dt of P w along the motion, C moving with its own rate."""
    tiny, v = 1e-40, case.values["v"]
    ahead = case.model.integrate(case.q, 1j * tiny * v)
    moved = case.values["C"] + 1j * tiny * case.values["C_dot"]
    return case.value(_FIELD, q=ahead, C=moved).ravel().imag / tiny


@pytest.mark.parametrize("case", CASES, ids=range(6))
def test_of_all_fields_it_is_as_printed(case: Held) -> None:
    """Term by term, from projections at neighbouring poses."""
    w, w_dot = case.values["w"], case.values["qdd"]
    tiny, v = 1e-40, case.values["v"]
    ahead = case.model.integrate(case.q, 1j * tiny * v)
    moved = case.values["C"] + 1j * tiny * case.values["C_dot"]
    now, then = case.value(constraints.P_perp), case.value(constraints.P_perp, q=ahead, C=moved).imag / tiny
    plain = case.value(geometry.covariant_derivative, w=w, w_dot=w_dot).ravel()
    other = case.value(geometry.covariant_derivative, w=now @ w, w_dot=then @ w + now @ w_dot).ravel()
    found = case.value(constraints.covariant_derivative, w=w, w_dot=w_dot)
    assert same(found, plain + other - now @ plain, plain, other, case.condition * 1e-4)
