"""Residuals over condition: what is drawn is what was measured, and outliers are named."""

import math

import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.views.conditioning import EPS, Reading, conditioning, readings
from tests.views.figures import words_of

TRUE, WRONG = "factor inverse", "inv(I + H phi K) = I + H psi K"


def test_readings_are_the_rows_of_the_checks() -> None:
    tree = oa.load("tree4")
    good, bad = oa.check(TRUE, tree), oa.check(WRONG, tree)
    one, other = readings([good, bad])
    assert (one.residual, one.condition, one.bound) == (good.residual, good.condition, good.bound)
    assert (one.series, one.label, one.outlier) == ("holds", "factor inverse, tree4", False)
    assert (other.series, other.outlier) == ("FAILS", True)


def test_outliers_are_named_and_counted() -> None:
    tree = oa.load("tree4")
    words = words_of(conditioning([oa.check(TRUE, tree), oa.check(WRONG, tree)]))
    assert {"claim, tree4", "holds", "FAILS", "eps · condition", "2 samples, 1 above what rounding explains"} < words


def test_of_a_claim_that_fails_everywhere_one_outlier_is_named_and_the_others_counted() -> None:
    wrong = [Reading("FAILS", f"claim, m{k}", 10.0**k, 0.1 * (k + 1), 1e-12, "claim") for k in range(4)]
    alone = [Reading("default", f"pose {k}", 1.0, 0.5, 1e-12) for k in range(2)]
    words = words_of(conditioning([*wrong, *alone]))
    assert {"claim, m3, and 3 more", "pose 0", "pose 1", "6 samples, 6 above what rounding explains"} < words
    assert not any(word.startswith(("claim, m0", "claim, m1", "claim, m2")) for word in words)


def test_without_outliers_the_sample_nearest_to_its_bound_is_named() -> None:
    calm = Reading("default", "calm", 1e3, EPS, 1e3 * EPS)
    near = Reading("default", "near", 1e3, 9e2 * EPS, 1e3 * EPS)
    words = words_of(conditioning([calm, near], title="a sweep"))
    assert {"near", "a sweep", "2 samples, no outlier"} < words
    assert "calm" not in words


@pytest.mark.parametrize("residual", [math.inf, math.nan])
def test_what_is_no_number_is_an_outlier_and_draws(residual: float) -> None:
    lost = Reading("naive", "lost", math.inf, residual, 1.0)
    assert lost.outlier
    assert "lost" in words_of(conditioning([lost]))


def test_exact_results_draw() -> None:
    assert "exact" in words_of(conditioning([Reading("default", "exact", 1.0, 0.0, EPS)]))


@pytest.mark.parametrize("nothing", [[], ["phi"]])
def test_what_are_no_readings_is_refused(nothing: list[Reading]) -> None:
    with pytest.raises(InputError, match="checks"):
        conditioning(nothing)
