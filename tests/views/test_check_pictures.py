"""The pictures of a check: the heat map of residuals and the cost against size."""

import math
from dataclasses import replace

import numpy as np
import pytest

from operator_algebra.checking.check import check
from operator_algebra.checking.suite import groups, suite
from operator_algebra.errors import InputError
from operator_algebra.models.gallery import load

pytest.importorskip("matplotlib")

from operator_algebra.views.residuals import residuals
from operator_algebra.views.scaling import exponent, scaling
from tests.views.figures import words_of


def test_a_heat_map_has_a_row_for_each_law() -> None:
    checks = [check(name, load("planar2r"), samples=2) for name in ("left exchange", "gain normalisation")]
    checks.append(check("inv(I + H phi K) = I + H psi K", load("planar2r"), samples=2))
    figure = residuals(checks)
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["left exchange", "gain normalisation", "claim"]
    shown = axes.images[0].get_array()
    assert shown is not None
    worst = [[row.ratio for row in one.rows] for one in checks[:2]]
    assert shown[:2, 0].tolist() == pytest.approx([max(-6.0, math.log10(max(ratio, 1e-6))) for (ratio,) in worst])
    assert shown[2, 0] == 0.0
    crosses = [spot for marks in axes.collections for spot in np.asarray(marks.get_offsets()).tolist()]
    assert crosses == [[0.0, 2.0]]
    assert {"planar2r", "10⁻⁶", "1", "× fails   ○ could not be told   grey: outside the domain of the law"} < words_of(
        figure
    )
    with pytest.raises(InputError, match="no results"):
        residuals([])


def _labels(rows: dict[str, float]) -> list[tuple[float, str]]:
    """The labels of the columns of a heat map of one law, and where they stand."""
    (row,) = check("left exchange", load("planar2r"), samples=1).rows
    one = replace(
        check("left exchange", load("planar2r"), samples=1),
        rows=tuple(replace(row, mechanism=name, residual=residual) for name, residual in rows.items()),
    )
    axes = residuals([one]).axes[0]
    words = [label.get_text() for label in axes.get_xticklabels()]
    return list(zip([float(place) for place in axes.get_xticks()], words, strict=True))


def test_the_columns_of_the_suite_are_named_by_group() -> None:
    shown = _labels(dict.fromkeys(suite(), 1e-17))
    places = {name: j for j, name in enumerate(suite())}
    assert {word for _, word in shown} == set(groups())
    assert _labels(dict.fromkeys(sorted(suite()), 1e-17)) == shown  # however they were met, each group stands once
    for place, word in shown:
        held = [places[name] for name in groups()[word]]
        assert min(held) <= place <= max(held)
    assert [word for _, word in _labels(dict.fromkeys(suite()[:50], 1e-17))] == list(suite()[:50])
    assert len(_labels(dict.fromkeys((f"own{k}" for k in range(90)), 1e-17))) <= 30


def test_sweeps_are_linear_and_matrices_are_not() -> None:
    figure = scaling("inv(H phi M phi' H') T", (8, 16, 32), timed=False)
    legend = figure.axes[0].get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels[0].startswith("sweeps, operations, n^1.")
    assert labels[1].startswith("dense ℳ and its factors, operations, n^3.")
    assert exponent([(2.0, 4.0), (4.0, 16.0), (8.0, 64.0)]) == pytest.approx(2.0)
    with pytest.raises(InputError, match="two sizes"):
        scaling("inv(H phi M phi' H') T", (8,))
