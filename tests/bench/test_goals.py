"""Figures beside their goals: who is better, what is kept, what may not be timed at all."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from operator_algebra.bench import goals
from operator_algebra.bench.forms import counted
from operator_algebra.bench.goals import Better, Figure
from operator_algebra.bench.measure import Row, agreeing
from operator_algebra.bench.picture import picture
from operator_algebra.bench.run import TABLES, run
from operator_algebra.bench.work import GROUPS
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.models.families import chain
from operator_algebra.symbols import H, T, v


def test_results_of_other_shapes_are_not_compared() -> None:
    with pytest.raises(AssertionError, match="shapes"):
        agreeing("", np.ones((3, 2)), np.ones((3, 1)))
    with pytest.raises(AssertionError, match="differ"):
        agreeing("", np.ones((3, 2)) + 1e-6, np.ones((3, 2)))
    agreeing("", np.ones((3, 2)) + 1e-6, np.ones((3, 2)), digits=2.0**29)


RATIO = Figure("Ratios", "arm", "× Pinocchio", 36.0, 34, 40, "more", (33.0, 37.0))
TIME = Figure("Times", "arm", "µs", 3.0, 5, 2, "less")


@pytest.mark.parametrize(
    ("value", "better", "verdict"),
    [
        (40, "more", "goal"),
        (34, "more", "floor"),
        (33.9, "more", "missed"),
        (34, "less", "goal"),
        (40, "less", "floor"),
        (math.inf, "less", "missed"),
    ],
)
def test_a_figure_is_judged_from_the_right_side(value: float, better: Better, verdict: str) -> None:
    floor, goal = (34, 40) if better == "more" else (40, 34)
    assert Figure("", "", "", value, floor, goal, better).verdict == verdict


def test_a_ratio_is_of_the_best_rounds_and_ranges_over_medians() -> None:
    rows = [
        Row("", {"us": 1.0, "they": 12.0}, {"us": 2.0, "they": 14.0}),
        Row("", {"us": 2.0, "they": 10.0}, {"us": 2.0, "they": 30.0}),
    ]
    more = goals.faster("", "", rows, "us", "they", 5, 20)
    assert (more.value, more.spread, more.verdict) == (10.0, (7.0, 15.0), "floor")
    less = goals.share("", "", rows, "us", "they", 0.2, 0.1)
    assert (less.value, less.verdict) == (0.1, "goal")


def test_a_run_is_kept_and_shown_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    goals.write(path, [RATIO, TIME], 2.4)
    record = json.loads(path.read_text(encoding="utf-8"))
    assert goals.figures_of(record) == [RATIO, TIME]
    page = goals.markdown(record)
    assert "| arm | 36 × Pinocchio | 33 to 37 | 34 | 40 | floor |" in page
    assert "| arm | 3 µs |  | 5 | 2 | floor |" in page
    table = goals.text([RATIO, TIME]).splitlines()
    assert [line.split()[0] for line in table if line] == ["Ratios", "work", "arm", "Times", "arm"]


def test_the_picture_says_how_many_are_missed() -> None:
    missed = Figure("Times", "tree", "µs", 9.0, 5, 2, "less")
    words = [text.get_text() for text in picture([RATIO, TIME, missed]).texts]
    assert "3 figures, 1 short of the floor, where the bar ends" in words


def test_what_differs_is_not_timed() -> None:
    found = np.array([[1.0, 2.0], [3.0, 4.0]])
    agreeing("same", found, found * (1 + 1e-15))
    with pytest.raises(AssertionError, match="case: results differ"):
        agreeing("case", found, found + np.array([0.0, 1e-9]))


def test_inverses_may_differ_by_their_condition() -> None:
    inverse = np.diag([1e8, 1.0]).reshape(1, -1)
    other = inverse + np.diag([0.1, 0.0]).reshape(1, -1)
    with pytest.raises(AssertionError):
        agreeing("case", other, inverse)
    agreeing("case", other, inverse, inverse=True)


def test_operations_are_counted_by_hand() -> None:
    """H* v of hinges takes none: their axes are those of their bodies. v* T of three takes five."""
    model = chain(3)
    q, rates = np.zeros((1, 3)), np.ones((1, 3))
    assert counted(compile_program(H.T @ v, model), q=q, v=rates) == 0
    assert counted(compile_program(v.T @ T, model), q=q, v=rates, T=rates) == 5


def test_groups_and_tables_are_found_by_name() -> None:
    with pytest.raises(InputError, match=r'no benchmark is called "speed"\. There are operations, dynamics'):
        run(["speed"], print)


def test_no_table_has_the_name_of_a_group() -> None:
    assert not TABLES.keys() & GROUPS.keys()
