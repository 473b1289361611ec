"""Each slip of the passes that save sweeps shows in a number or in a count of a few fixed formulas."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache

import pytest

from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.lowering.lower import lower
from operator_algebra.programs.cost import cost
from operator_algebra.programs.program import Program
from tests.lowering import test_dependence, test_opposites, test_superpose, test_traces, test_transpose
from tests.lowering.agreement import dense
from tests.lowering.cases import Case, Sample
from tests.lowering.forms import TREE
from tests.lowering.rational_expressions import rational_inputs
from tests.lowering.slips import SLIPS, planted
from tests.lowering.test_fewest import DEAR, FORMULAS
from tests.lowering.test_translation_validation import mechanism
from tests.lowering.verdicts import Reference

CHOSEN: Mapping[str, Expr | Query] = {
    **{
        name: FORMULAS[name].formula
        for name in (
            "constrained dynamics",
            "two tears at a body",
            "a number in front",
            "energy of rates",
            "null space",
            "softened by an inverse",
            "soft constraint",
            "motion of a spring",
            "soft and hard loops",
            "dearer when split",
            "a dear sum beside a cheap one",
            "a part that is scaled",
            "second multiplier",
            "two springs",
            "with gears, of a square",
        )
    },
    "momentum": DEAR["momentum"][0],
}
BY_HAND: tuple[Callable[[], None], ...] = (
    test_transpose.test_sums_that_do_not_recur_stay_beside,
    test_transpose.test_columns_below_each_other_are_taken_apart,
    test_transpose.test_a_recurrence_on_the_left_is_transposed_as_well,
    test_traces.test_what_is_turned_is_turned_back,
    test_traces.test_coefficients_are_kept,
    test_dependence.test_of_two_the_one_that_needs_less_stays,
    test_dependence.test_what_is_a_multiple_is_read_as_one,
    test_dependence.test_another_filter_another_drive_or_another_way_is_not_the_same,
    test_superpose.test_several_late_numbers_have_a_response_each,
    test_superpose.test_numbers_of_no_body_around_a_sum_stand_outside,
    test_opposites.test_opposite_recurrences_are_one,
    test_opposites.test_two_minus_signs_are_none,
)
MODEL = mechanism(0)


@cache
def right(name: str) -> tuple[Reference, Sample, int, int]:
    """The value of a formula, and its sweeps and operations without a slip."""
    formula = CHOSEN[name]
    sample = Sample(MODEL.random(3)[0], rational_inputs(body_of(formula), MODEL, 5))
    program = lower(formula)
    operations = cost(program, TREE).total
    return Reference(Case(formula, MODEL, (sample,), "body", "auto"), sample), sample, len(program.sweeps), operations


def shows(name: str) -> bool:
    """Whether a formula fails, takes other sweeps or operations, or gives another number."""
    reference, sample, sweeps, operations = right(name)
    try:
        program: Program = lower(CHOSEN[name])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = dense(compile_program(program, MODEL, backend="interpreter")(q=sample.q, **sample.inputs))
    except Exception:  # noqa: BLE001 - whatever stops it, stops it
        return True
    wrong = reference.excess(found, reference.value) > 1.0
    return wrong or (len(program.sweeps), cost(program, TREE).total) != (sweeps, operations)


def fails(by_hand: Callable[[], None]) -> bool:
    """Whether a graph by hand is not what it was, or does not become what it should."""
    try:
        by_hand()
    except Exception:  # noqa: BLE001 - whatever stops it, stops it
        return True
    return False


@pytest.fixture(scope="module", autouse=True)
def _reckoned() -> None:
    for name in CHOSEN:
        right(name)


def test_without_a_slip_nothing_shows() -> None:
    assert not [name for name in CHOSEN if shows(name)]
    assert not [by_hand for by_hand in BY_HAND if fails(by_hand)]


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_shows(slip: str) -> None:
    with planted(slip):
        assert any(fails(by_hand) for by_hand in BY_HAND) or any(shows(name) for name in CHOSEN)
