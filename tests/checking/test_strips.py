"""Products strip by strip against those of whole matrices."""

import numpy as np
import pytest

from operator_algebra.checking.strips import multiplied
from tests.rounding import EPS


def _sparse(rng: np.random.Generator, rows: int, columns: int, kind: str) -> np.ndarray:
    """Stacked matrices with blocks on the diagonal, beside it, above it, anywhere, or nowhere."""
    full = rng.standard_normal((3, rows, columns))
    i, j = np.arange(rows)[:, None] * columns // rows, np.arange(columns)[None, :]
    kept = {
        "diagonal": i // 7 == j // 7,
        "hop": i // 7 + 1 == j // 7,
        "inward": i <= j,
        "few": rng.random((rows, columns)) < 0.002,
        "full": i == i,
        "nothing": i < 0,
    }[kind]
    return np.where(kept, full, 0.0)


KINDS = ("diagonal", "hop", "inward", "few", "full", "nothing")


@pytest.mark.parametrize("sizes", [(72, 72, 72), (100, 73, 121), (5, 90, 90), (90, 90, 1), (97, 80, 72), (0, 80, 80)])
def test_products_of_strips_are_those_of_whole_matrices(sizes: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(sizes)
    rows, inner, columns = sizes
    for first in KINDS:
        for second in KINDS:
            a, b = _sparse(rng, max(rows, 1), inner, first)[:, :rows], _sparse(rng, inner, columns, second)
            bound = inner * EPS * (np.abs(a) @ np.abs(b))
            assert (np.abs(multiplied(a, b) - a @ b) <= bound).all(), (first, second)


def test_zeros_of_one_sample_alone_are_not_left_out() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 90, 90)), np.stack([np.eye(90), np.zeros((90, 90))])
    b[1, 80, 3] = 1.0
    assert np.array_equal(multiplied(a, b), a @ b)
    assert np.array_equal(multiplied(b, a), b @ a)


def test_what_is_not_finite_stays_in_products() -> None:
    a, b = np.ones((1, 90, 90)), np.eye(90)[None].copy()
    b[0, 40, 40] = np.nan
    assert np.isnan(multiplied(a, b)[0, :, 40]).all()
    assert np.isnan(multiplied(b, a)[0, 40]).all()
