"""What others derive by hand comes out of the formula, in as many sweeps."""

from __future__ import annotations

import pytest

from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from tests.golden.known import KNOWN
from tests.lowering.agreement import agreement
from tests.lowering.rational_expressions import rational_inputs

TREE = random_tree(7, joints=("revolute", "spherical", "universal"), branching=0.5, seed=2)


def sizes(model: Model) -> dict[str, list[int]]:
    """Every second joint that can is led in one of its freedoms; states of three, controls and measurements of two."""
    joints = [part.stop - part.start for part in model.v_slices]
    led = [min(k % 2, joint) for k, joint in enumerate(joints)]
    free = [joint - one for joint, one in zip(joints, led, strict=True)]
    constant = {"state": 3, "control": 2, "measured": 2}
    return {"free": free, "led": led, "loop": [2], "task": [3], **{name: [n] * model.n for name, n in constant.items()}}


def parts(name: str) -> list[Expr | Query]:
    formula = KNOWN[name].formula
    return list(formula.values()) if isinstance(formula, dict) else [formula]


@pytest.mark.parametrize("name", KNOWN)
def test_sweeps(name: str) -> None:
    program = lower(KNOWN[name].formula)
    assert len(program.sweeps) == KNOWN[name].sweeps
    assert not program.report.choices or program.report.choices[0].endswith("no form has fewer")


@pytest.mark.parametrize("name", KNOWN)
def test_numbers(name: str) -> None:
    for seed in (1, 2):
        for formula in parts(name):
            inputs = rational_inputs(body_of(formula), TREE, seed, more=sizes(TREE))
            found = agreement(formula, TREE, q=TREE.random(seed)[0], **inputs)
            assert found.error <= found.bound


@pytest.mark.parametrize("name", ["regulator", "smoother", "hybrid_dynamics", "embedding", "evidence"])
def test_what_is_definite_is_eliminated_without_relations(name: str) -> None:
    """So a student reads Riccati's equation on the page."""
    page = str(lower(KNOWN[name].formula))
    assert "relation" not in page
    assert "P⁺(k) = P(k) − G(k)" in page.replace("  ", " ").replace("  ", " ")
