"""Every page as loops of machine code, in lanes and alone: what the program read body by body gives."""

from __future__ import annotations

from itertools import product

import pytest

from operator_algebra.applications import constraints
from operator_algebra.expressions.query import block
from operator_algebra.lowering.lower import Method, lower
from tests.backends.loops.as_loops import LEFT, agrees, in_loops
from tests.backends.loops.trees import LONG, chain_of, several
from tests.backends.test_forms import Case
from tests.golden.pages import FOLDER, RELATED, pages
from tests.often import some
from tests.programs.test_interpreted_programs import FORK, METHODS, MODEL, inputs
from tests.strategies import ALL_JOINTS

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("on_any_joints")
GOLDEN = {path.relative_to(FOLDER).with_suffix("").as_posix(): e for path, e in pages().items()}
MODELS = {
    "tree": MODEL,
    "fork": FORK,
    "chain": chain_of(8, ALL_JOINTS, 2),
    "trees": several(1, LONG, ["revolute", "spherical", "prismatic"]),
}
"""On the last two, memory is used again for other bodies."""
CASES = [
    case
    for case in product([name for name in GOLDEN if name not in RELATED], METHODS, MODELS)
    if case[2] != "trees" or case[1] == "auto"
]


@pytest.mark.parametrize(("name", "method", "where"), some(CASES, each=331))
def test_every_page(name: str, method: Method, where: str) -> None:
    model = MODELS[where]
    program = lower(GOLDEN[name], method=method)
    case = Case(program, model, model.random(2)[0], inputs(program, model, 3))
    made = in_loops(case)
    if isinstance(made, str):
        assert any(words in made for words in LEFT), made
        return
    agrees(case, made)


@pytest.mark.parametrize("where", ["chain", "trees"])
def test_a_block_that_no_walk_leads_to(where: str) -> None:
    model = MODELS[where]
    program = lower(block(constraints.projected_mobility, 3, 1))
    assert any(step.value.leaf is None for step in program.given)
    case = Case(program, model, model.random(2)[0], inputs(program, model, 3))
    made = in_loops(case)
    assert not isinstance(made, str), made
    assert agrees(case, made)
