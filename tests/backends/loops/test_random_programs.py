"""Random formulas as loops of machine code, in lanes and alone, beside the program read body by body.

What bodies send each other stands where other bodies will stand later, if they are more than a few: the trees here are
such that memory is used again.
"""

from __future__ import annotations

from typing import Any

import pytest

from operator_algebra import symbols as s
from operator_algebra.errors import NotLowerable, SingularError
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import MOTION
from tests.backends.loops.as_loops import LEFT, agrees, in_loops
from tests.backends.loops.trees import LONG, chain_of, several, tree_of
from tests.backends.scalar.calls import random_arguments
from tests.backends.test_forms import RANDOM, Case, formula
from tests.expression_grammar import VECTORS
from tests.often import some
from tests.strategies import ALL_JOINTS

pytest.importorskip("llvmlite")


def case_of(e: Expr, tree: Model, seed: int) -> Case:
    q, values = random_arguments(e, tree, seed)
    return Case(lower(e), tree, q, values)


@pytest.mark.parametrize("seed", some(range(RANDOM), each=75))
def test_random_formulas(seed: int) -> None:
    tree, e = tree_of(seed), formula(seed)
    try:
        case = case_of(e, tree, seed)
        evaluate_with_scale(e, tree, q=case.q, **case.values)
    except (NotLowerable, SingularError) as without:
        pytest.skip(f"there is no value: {without}")
    made = in_loops(case)
    if isinstance(made, str):
        assert any(words in made for words in LEFT), made
        pytest.skip(f"there are no loops: {made}")
    agrees(case, made)


TWICE = {
    "sent inwards, read outwards": s.phi.T @ inv(s.M) @ s.E_phi @ s.phi @ s.f_ext,
    "sent outwards, read inwards": s.phi @ s.M @ s.E_phi.T @ s.phi.T @ s.H.T @ s.v,
    "summed over the children": s.E_phi @ s.M @ s.phi.T @ s.H.T @ s.v,
    "given, read at the parent": s.E_phi.T @ (s.E_phi.T @ VECTORS[MOTION] + s.H.T @ s.v),
    "seen from the base": s.X_abs @ s.M @ s.X_abs.T @ VECTORS[MOTION],
    "poses": s.X_abs,
    "leaves alone": s.M,
    "both": s.phi.T @ inv(s.M) @ (s.E_phi @ s.phi @ s.f_ext + s.M @ s.E_phi.T @ s.phi.T @ s.H.T @ s.v),
}


@pytest.mark.parametrize(
    "tree", [chain_of(9, ALL_JOINTS, 1), several(3, LONG, ["revolute", "planar"])], ids=["chain", "trees"]
)
@pytest.mark.parametrize("name", TWICE)
def test_what_bodies_hand_on_is_there_in_later_sweeps(name: str, tree: Model) -> None:
    case = case_of(TWICE[name], tree, 1)
    made: Any = in_loops(case)
    assert agrees(case, made)
