"""Programs as scans of JAX are what they are read body by body: pages, and random formulas on all joints."""

from __future__ import annotations

import pytest

from operator_algebra.backends.pivots import SMALL
from operator_algebra.errors import NotLowerable, SingularError
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from tests.backends.loops.as_loops import LEFT
from tests.backends.scalar.calls import least_pivot, random_arguments
from tests.backends.scalar.test_trace import GOLDEN, TRACED
from tests.backends.test_forms import RANDOM, Case, formula
from tests.often import some
from tests.programs.test_interpreted_programs import FORK, inputs
from tests.strategies import ALL_JOINTS

pytest.importorskip("jax")
from tests.backends.jax.as_scans import agrees, in_scans

REFUSED = (*LEFT, "blocks for pairs of bodies", "more code than is worth its time")
"""What is said of formulas that are no scans: loops of machine code have pairs of bodies column by column."""


def compare(case: Case) -> None:
    made = in_scans(case)
    if isinstance(made, str):
        assert any(words in made for words in REFUSED), made
        pytest.skip(f"there are no scans: {made}")
    assert agrees(case, made) or not least_pivot(case.call.interpreted()) >= SMALL


@pytest.mark.parametrize("name", some(TRACED, each=80))
def test_the_formulas_of_the_pages(name: str) -> None:
    program = lower(GOLDEN[name])
    compare(Case(program, FORK, FORK.random(2)[0], inputs(program, FORK, 3)))


@pytest.mark.parametrize("seed", some(range(RANDOM), each=150))
def test_random_formulas_on_random_trees(seed: int) -> None:
    tree, e = random_tree(1 + seed % 7, joints=ALL_JOINTS, seed=seed), formula(seed)
    q, values = random_arguments(e, tree, seed)
    try:
        case = Case(lower(e), tree, q, values)
        evaluate_with_scale(e, tree, q=q, **values)
    except (NotLowerable, SingularError) as without:
        pytest.skip(f"there is no value: {without}")
    compare(case)
