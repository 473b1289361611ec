"""What would take long each time: parts of long lists, all of them with `pytest -m "slow or not slow"`; backends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import pytest

IN_PART = {
    "backends/native/test_emit.py::test_every_page": 3,
    "backends/scalar/test_trace.py::test_every_page": 2,
    "backends/test_long_chains.py::test_four_hundred_bodies": 2,
    "backends/test_symbolic.py::test_closed_forms_and_numbers_agree": 2,
    "compiler/test_bits.py::test_batches_of_any_shape": 3,
    "evaluation/test_kinds_of_number.py::test_derivatives_by_a_complex_step": 3,
    "evaluation/test_lost_digits.py::test_healthy_mechanisms_are_answered": 2,
    "evaluation/test_lost_digits.py::test_no_digit_is_left_of_what_is_refused_and_some_of_what_is_not": 3,
    "laws/test_mutants.py::test_a_listed_mutant_is_equal_in_exact_arithmetic": 4,
    "lowering/test_bordered.py::test_what_stiff_springs_cost_is_told": 3,
    "lowering/test_compliance.py::test_a_light_body_that_springs_hold_costs_no_digits": 3,
    "lowering/test_central_property.py::test_compiled_is_evaluated": 2,
    "lowering/test_deep_formulas.py::test_deep_formulas_are_lowered": 2,
    "lowering/test_fewest.py::test_numbers": 3,
    "lowering/test_laws.py::test_each_law_is_worth_its_line_at_most": 3,
    "lowering/test_lost_digits.py::test_healthy_mechanisms_are_left_in_peace": 3,
    "lowering/test_lost_digits.py::test_what_doubtful_mechanisms_lose_is_told": 2,
    "lowering/test_lost_digits.py::test_what_relations_and_updates_lose_is_told": 3,
    "lowering/test_passes.py::test_the_formulas_of_the_pages": 4,
    "lowering/test_queries.py::test_answers_are_those_of_evaluation": 3,
    "lowering/test_refine.py::test_refined_programs_compute_their_formula": 2,
    "lowering/test_seams.py::test_low_rank_terms_are_bordered": 2,
    "lowering/test_slips.py::test_a_slip_shows": 4,
    "lowering/test_totals.py::test_signs_are_those_of_dense_determinants": 2,
    "lowering/test_translation_validation.py::test_programs_mean_their_formula": 2,
    "programs/test_interpreted_programs.py::test_over_floats_it_is_what_is_compiled": 4,
    "programs/test_interpreted_programs.py::test_over_fractions_it_is_the_value_of_the_formula": 2,
    "programs/test_text.py::test_what_is_read_back_is_the_same_program": 3,
    "proofs/test_chain.py::test_no_law_is_its_own_reason": 2,
    "proofs/test_lean.py::test_each_line_of_each_law_follows": 4,
    "proofs/test_prove.py::test_no_twin_is_proved": 3,
    "proofs/test_prove.py::test_of_the_mutants_those_are_proved_that_are_equal": 3,
    "proofs/test_rates.py::test_its_neighbours_are_not": 4,
    "proofs/test_rates.py::test_no_word_of_its_domain_is_left_out": 3,
}
"""Of the cases of these tests every so many run each time, the others with the slow ones."""


def backend_for(case: int) -> str:
    """To generate code takes longer than one call: every fourth case runs on it, the others are read as written."""
    return "interpreter" if case % 4 else "auto"


def some(cases: Iterable[Any], each: int) -> list[Any]:
    """Every so many cases as they are, the others marked as slow."""
    found: list[Any] = []
    for place, case in enumerate(cases):
        values = cast("tuple[Any, ...]", case) if isinstance(case, tuple) else (case,)
        found.append(pytest.param(*values, marks=() if place % each == 0 else (pytest.mark.slow,)))
    return found
