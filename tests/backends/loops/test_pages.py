"""Every page as loops of machine code, in lanes and alone: what the interpreter gives."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from operator_algebra.backends.backend import SMALL
from operator_algebra.backends.loops import classes
from operator_algebra.backends.loops import run as loops
from operator_algebra.backends.loops.run import LoopKernel
from operator_algebra.backends.loops.tracer import CARRIED
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.backends.scalar.signature import Signature, given
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.model import Model
from operator_algebra.programs.program import Program
from tests.backends.scalar.calls import Call, flat, least_pivot
from tests.golden.pages import FOLDER, RELATED, pages
from tests.lowering.agreement import bound, scale
from tests.often import some
from tests.programs.test_interpreted_programs import FORK, METHODS, MODEL, chosen, inputs
from tests.rounding import apart

pytest.importorskip("llvmlite")
GOLDEN = {path.relative_to(FOLDER).with_suffix("").as_posix(): e for path, e in pages().items()}
LEFT = (
    "pairs of bodies",
    "stands in the base",
    "unit columns",
    "nothing is computed",
    "a pivot",
    "each body",
    "one body",
)
"""What is said of pages that are left to others."""


@pytest.fixture(autouse=True)
def any_number_of_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "SHARING", 0.01)
    monkeypatch.setattr(classes, "MOST", 100)
    monkeypatch.setattr(loops, "_LONGEST", 10**6)


def call_of(program: Program, model: Model) -> tuple[Call, dict[str, object]]:
    values = inputs(program, model, 3)
    return Call.of(program, model, model.random(2)[0], values), values


CASES = list(product([name for name in GOLDEN if name not in RELATED], METHODS, ("tree", "fork")))


@pytest.mark.parametrize(("name", "method", "where"), some(CASES, each=199))
def test_every_page(name: str, method: Method, where: str) -> None:
    model = {"tree": MODEL, "fork": FORK}[where]
    program = lower(GOLDEN[name], method=method)
    call, values = call_of(program, model)
    made, said = None, ""
    try:
        made = LoopKernel(program, model, Signature.of(call.inputs))
    except Untraceable as reason:
        said = str(reason)
    if made is None:
        assert any(words in said for words in LEFT), said
        return
    rows = [call.q[None], *(block.reshape(1, -1) for block in given(call.inputs))]
    whole, _, alone = made.batch(rows, 1)
    assert whole or not least_pivot(call.interpreted()) >= SMALL / CARRIED
    several = [np.repeat(row, 9, axis=0) for row in rows]
    several[0] = np.stack([model.random(seed)[0] for seed in range(8)] + [call.q])
    together = made.batch(several, 9)
    found, run = made.laid_out(alone, ()), call.interpreted()
    for output, one, lanes in zip(program.outputs, alone, together.results, strict=True):
        assert np.array_equal(lanes[8], one[0])
        expected = flat(run.results[output.name])
        scaled = evaluate_with_scale(body_of(output.formula), model, q=call.q, **chosen(output.formula, values))
        sized = scale(output.formula, expected, scaled) if isinstance(output.formula, Query) else scaled.scale
        assert apart(flat(found[output.name]), expected) <= 2 * bound(scaled) * sized
