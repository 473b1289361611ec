"""Random forms mean what they say, with no more sweeps than as written, and not much more work."""

from __future__ import annotations

import json
import re

import pytest

from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import body_of
from operator_algebra.expressions.traverse import free_symbols
from tests.lowering.form_grammar import uneven
from tests.lowering.forms import BAD, RESULT, as_written, fingerprint, form, lowered, outcome, run, summary

EACH_TIME = 25
ONCE = 5_000


def test_some_random_forms() -> None:
    found = summary(run(EACH_TIME, first=1_000_000))
    assert [found[kind] for kind in BAD] == [[] for _ in BAD]
    assert found["verdicts"]["agrees"] >= 0.9 * EACH_TIME
    assert {"0", "1", "2"} <= set(found["sweeps saved"])
    assert len(found["method"]) == 4


@pytest.mark.parametrize("first", [60, *(pytest.param(k, marks=pytest.mark.slow) for k in range(0, 1000, 200))])
def test_no_form_has_fewer_sweeps_than_any_can_have(first: int) -> None:
    for seed in range(first, first + (200 if first % 200 == 0 else EACH_TIME)):
        try:
            program = lowered(form(seed))
        except OperatorAlgebraError:
            continue
        for bound in re.findall(r"none has fewer than (\d+)", "".join(program.report.choices[:1])):
            assert len(program.sweeps) > int(bound), seed


def test_the_record_of_five_thousand() -> None:
    found = json.loads(RESULT.read_text(encoding="utf-8"))
    assert found["generator"] == fingerprint()
    assert found["forms"] == ONCE
    assert [found[kind] for kind in BAD] == [[] for _ in BAD]
    assert found["verdicts"]["agrees"] >= 0.9 * ONCE
    saved = {int(count): forms for count, forms in found["sweeps saved"].items()}
    assert min(saved) >= 0
    assert sum(forms for count, forms in saved.items() if count > 0) >= ONCE / 3


@pytest.mark.parametrize(
    "seed",
    [3411, 4893, 4937],
    ids=["a spring holds a light body", "armature inside an inverse does", "so does a column"],
)
def test_what_is_light_and_held_costs_no_digits(seed: int) -> None:
    (found,) = run(1, seed)
    assert found.kind == "agrees"


def test_what_forms_are_made_of() -> None:
    """Several spaces of no body, springs, gears, terms that are not symmetric, velocities, several results."""
    made = [form(seed) for seed in range(100)]
    symbols = [{symbol.name for e in one.formulas.values() for symbol in free_symbols(body_of(e))} for one in made]
    for name in ("pick", "reach", "relation", "more", "weight", "stiff", "slip", "give", "gear", "C", "J", "h", "v"):
        assert sum(name in found for found in symbols) >= 3, name
    assert sum({"weight", "stiff"} <= found for found in symbols) >= 3
    assert {len(one.formulas) for one in made} == {1, 2, 3}
    asked = {kind for one in made for kind in one.asked.split()}
    assert {"column", "row", "small", "logdet", "trace"} <= asked
    joints = {body.joint.kind for one in made for body in one.model.bodies}
    assert {"revolute", "prismatic", "spherical", "floating", "fixed"} <= joints


def test_as_written_is_without_the_pass_that_saves_sweeps() -> None:
    one = next(one for one in map(form, range(100)) if len(lowered(one).report.choices) > 2)
    with as_written():
        assert lowered(one).report.choices == ()
    assert lowered(one).report.choices


@pytest.mark.parametrize("seed", range(3))
def test_a_form_is_that_of_its_number(seed: int) -> None:
    assert str(form(seed)) == str(form(seed))
    assert all(isinstance(body_of(e), Expr) for e in form(seed).formulas.values())


@pytest.mark.parametrize("seed", [338, 429, 461])
def test_a_light_body_and_stiff_springs(seed: int) -> None:
    assert outcome(seed, uneven).kind in ("agrees", "warned")


@pytest.mark.parametrize("seed", [2867, 4925], ids=["twice held by springs", "springs in two blocks"])
def test_holding_all_freedoms_costs_no_digits(seed: int) -> None:
    """The inertia that moves is left of two differences of large numbers."""
    (found,) = run(1, seed)
    assert found.kind == "agrees"


def test_stacks_whose_columns_are_a_sum_of_spaces() -> None:
    """Terms of rank one beside several rows, held by more rows: transposed, a stack has one wide column."""
    (found,) = run(1, 4065)
    assert found.kind == "agrees"
