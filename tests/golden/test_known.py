"""What others derive by hand comes out of the formula, in as many sweeps."""

from __future__ import annotations

import pytest

from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from tests.golden.known import KNOWN, block_sizes
from tests.lowering.agreement import agreement
from tests.lowering.rational_expressions import rational_inputs

TREE = random_tree(7, joints=("revolute", "spherical", "universal"), branching=0.5, seed=2)


def parts(name: str) -> list[Expr | Query]:
    formula = KNOWN[name].formula
    return list(formula.values()) if isinstance(formula, dict) else [formula]


@pytest.mark.parametrize("name", KNOWN)
def test_sweeps(name: str) -> None:
    program = lower(KNOWN[name].formula)
    assert len(program.sweeps) == KNOWN[name].sweeps
    assert program.report.choices[0].endswith("no form has fewer")


@pytest.mark.parametrize("name", KNOWN)
def test_numbers(name: str) -> None:
    for seed in (1, 2):
        for formula in parts(name):
            inputs = rational_inputs(body_of(formula), TREE, seed, more=block_sizes(TREE))
            found = agreement(formula, TREE, q=TREE.random(seed)[0], **inputs)
            assert found.error <= found.bound


@pytest.mark.parametrize("name", ["regulator", "smoother", "hybrid_dynamics", "embedding", "evidence"])
def test_what_is_definite_is_eliminated_without_relations(name: str) -> None:
    """So a student reads Riccati's equation on the page."""
    page = str(lower(KNOWN[name].formula))
    assert "relation" not in page
    assert "P⁺(k) = P(k) − G(k)" in page.replace("  ", " ").replace("  ", " ")


@pytest.mark.parametrize("name", ["regulator_inward", "smoother_outward", "evidence_outward"])
def test_hops_of_the_other_direction_make_a_riccati_equation_too(name: str) -> None:
    """What joins a state to its costate is solved for at each body alone: one pivot D, no matrix of blocks, no −P."""
    page = str(lower(KNOWN[name].formula))
    assert "relation" not in page
    assert "[" not in page
    lines = dict(line.split(" = ", 1) for line in page.replace("(k)", "").splitlines() if " = " in line)
    known = {name.strip(): right.split("    ")[0] for name, right in lines.items()}
    assert "−" not in known["P"] + known["P⁺"] + known["D"]
    assert known["P⁺"].strip() in ("P D⁻¹", "D⁻¹ P")
