"""The published numbers of a tree of four links: recursions, Coriolis matrix, rates and gradients of masses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, sensitivities
from operator_algebra.expressions.nodes import Expr
from tests.applications.test_task_space import four_links
from tests.rounding import apart, rounding, size

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "four_links.json").read_text(encoding="utf-8")
)
FOUR = four_links()
PRINTED = 1e-12
"""Of numbers with thirteen digits."""

_TURNING = s.M @ s.V_tilde - s.V_tilde.T @ s.M
CHRISTOFFEL = (
    s.H @ s.phi @ (s.M @ s.differentiate(s.phi.T @ s.H.T) + 0.5 * (_TURNING - s.crossbar(s.M @ s.V)) @ s.phi.T @ s.H.T)
)
"""The Coriolis matrix of Christoffel's symbols."""

FORMULAS: dict[str, Expr] = {
    "V": dynamics.velocity,
    "mass": dynamics.mass_matrix,
    "innovations_factor": s.U,
    "inverse_dynamics": dynamics.inverse_dynamics,
    "bias": dynamics.bias,
    "forward_dynamics": dynamics.forward_dynamics,
    "mass_rate": sensitivities.mass_matrix_rate,
    "christoffel_matrix": CHRISTOFFEL,
}


def close(found: Any, name: str) -> bool:
    expected = np.array(VECTORS[name])
    return apart(np.reshape(found, expected.shape), expected) <= (PRINTED + rounding(terms=24)) * size(expected)


def value(e: Expr, **given: Any) -> Any:
    inputs = {key: VECTORS[key] for key in ("v", "qdd", "T")} | given
    compiled = oa.compile(oa.dense(e) if e.type.domain.name != "one" else e, FOUR)
    return np.asarray(compiled(q=VECTORS["q"], **{key: x for key, x in inputs.items() if key in compiled.inputs}))


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name: str) -> None:
    assert close(value(FORMULAS[name]), name)


def test_pivots_and_gains() -> None:
    found = {name: oa.evaluate(e, FOUR, q=VECTORS["q"]) for name, e in {"P": s.P, "G": s.G, "K": s.K}.items()}
    assert close(np.diagonal(value(s.D)), "D")
    assert close(found["P"][0, 0], "P_0")
    assert close(found["G"][1, 1], "G_1")
    assert close(found["K"][0, 1], "K_01")


def test_gradients_of_the_mass_matrix() -> None:
    """By the second coordinate alone, and of the logarithm of its determinant by each."""
    units = np.eye(FOUR.nv)
    assert close(value(sensitivities.mass_matrix_along, w=units[1]), "mass_by_q1")
    slope = oa.trace(s.inv(dynamics.mass_matrix) @ sensitivities.mass_matrix_along)
    compiled = oa.compile(slope, FOUR)
    assert close([compiled(q=VECTORS["q"], w=unit) for unit in units], "logdet_by_q")


def test_the_matrix_of_christoffel_and_ours() -> None:
    """They differ where a body turns about three axes, by what does nothing; none of this tree does."""
    assert close(value(sensitivities.coriolis_matrix), "christoffel_matrix")
    arm = oa.load("arm7")
    q, v = arm.random(0)
    ours, theirs = (oa.evaluate(e, arm, q=q, v=v).dense() for e in (sensitivities.coriolis_matrix, CHRISTOFFEL))
    scale = rounding(size(ours, theirs), terms=42)
    assert apart(ours, theirs) > 0.01 * size(ours)
    assert apart(ours @ v, theirs @ v) <= scale * size(v)
    assert apart(ours + ours.T, theirs + theirs.T) <= scale
