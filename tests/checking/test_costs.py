"""What a check costs, counted and not timed: products, recursions, and products of digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra.checking.arithmetic import FixedPoint, FloatArithmetic
from operator_algebra.checking.suite import known_trials, mechanism, trials
from operator_algebra.checking.tally import tallies
from operator_algebra.checking.valuation import Valuation
from operator_algebra.checking.values import Value
from operator_algebra.expressions.nodes import Fixpoint
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.identity import Identity
from operator_algebra.meaning import fixed_points

ROUNDS = 13
"""Of a recursion on a chain of 12 bodies, each of which settles one more of them."""


def _counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[object]:
    """The first argument of each call, `self` left out."""
    calls: list[object] = []
    original = getattr(owner, name)

    def call(*arguments: Any, **named: Any) -> Any:
        calls.append(next((one for one in arguments if isinstance(one, Fixpoint)), None))
        return original(*arguments, **named)

    monkeypatch.setattr(owner, name, call)
    return calls


def test_rounds_repeat_only_what_depends_on_the_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    law = law_named("costate covariance")
    calls = _counted(monkeypatch, FloatArithmetic, "multiply")
    tallies(mechanism("chain12"), [law], 2, seed=0)
    # Four recursions, Υ and P in it, each with and without J, of at most a dozen products.
    assert len(calls) < 4 * 12 * ROUNDS


def test_each_recursion_is_solved_once_for_all_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    laws = [law_named(name) for name in ("shift difference", "projection", "propagation exchange")]
    for name, owner, function in (("chain12", Valuation, "_fixpoint"), ("snake40", fixed_points, "_solve")):
        known_trials.cache_clear()
        calls = _counted(monkeypatch, owner, function)
        first = [tallies(name, [law], 2, seed=0) for law in laws]
        solved = len(calls)
        assert 0 < solved <= 2 * 2 * 2, name  # P and P_J, in two kinds of axes or at two samples, and P inside P_J
        again = [tallies(name, [law], 2, seed=0) for law in reversed(laws)]
        assert len(calls) == solved, name
        assert again == first[::-1]
        assert [tallies(mechanism(name), [law], 2, seed=0) for law in laws] == first  # whose ground is their own


def test_many_samples_are_not_kept() -> None:
    known_trials.cache_clear()
    tallies("forest2.1", [law_named("projection")], 17, seed=0)
    assert known_trials.cache_info().currsize == 0


def test_a_trial_anew_knows_leaves_and_recursions_alone() -> None:
    ((trial, _),) = trials(mechanism("chain6"), 2, 0)
    law = law_named("projection")
    assert isinstance(law, Identity)
    value = trial.value(law.lhs)
    other = trial.anew()
    assert other.valuation is not trial.valuation
    assert other.valuation.scene is trial.valuation.scene
    assert np.array_equal(other.value(law.lhs).array, value.array)


class Digits(int):
    """An integer that counts its products."""

    products = 0

    def __mul__(self, other: int) -> int:
        Digits.products += 1
        return int(self) * int(other)

    __rmul__ = __mul__


@pytest.mark.parametrize("turned", [False, True])
def test_products_of_many_digits_leave_out_zeros(turned: bool) -> None:
    arithmetic, rng = FixedPoint(), np.random.default_rng(3)
    local = np.kron(np.eye(5), np.ones((6, 6))) * rng.standard_normal((30, 30))
    a, b = arithmetic.array(local[None]), arithmetic.array(rng.standard_normal((1, 30, 4)))
    counted = np.vectorize(Digits, otypes=[object])
    Digits.products = 0
    left, right = (np.swapaxes(b, 1, 2), np.swapaxes(a, 1, 2)) if turned else (a, b)
    found = arithmetic.multiply(counted(left), counted(right))
    assert Digits.products == 5 * 6 * 6 * 4
    assert (found == np.stack([left[0] @ right[0]]) >> arithmetic.bits).all()


@pytest.mark.parametrize("shapes", [((3, 0), (0, 2)), ((0, 3), (3, 2)), ((3, 4), (4, 0)), ((3, 4), (4, 2))])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_products_of_many_digits_are_those_of_integers(shapes: Any, share: float) -> None:
    arithmetic, rng = FixedPoint(64), np.random.default_rng(5)
    a, b = (arithmetic.array(rng.standard_normal((2, *s)) * (rng.random((2, *s)) < share)) for s in shapes)
    expected = [
        [
            [sum(int(x[i, k]) * int(y[k, j]) for k in range(x.shape[1])) >> 64 for j in range(y.shape[1])]
            for i in range(len(x))
        ]
        for x, y in zip(a, b, strict=True)
    ]
    assert arithmetic.multiply(a, b).tolist() == expected


def test_sizes_wait_until_they_are_asked_for() -> None:
    asked: list[int] = []

    def size() -> Any:
        asked.append(1)
        return np.ones((1, 1, 1))

    value = Value(np.ones((1, 1, 1)), size, np.ones(1))
    for _ in range(20):
        value = Value(value.array, lambda inner=value: inner.size + 1.0, value.condition, of=[value])
    assert not asked
    assert float(value.size[0, 0, 0]) == 21.0
    assert float(value.size[0, 0, 0]) == 21.0
    assert asked == [1]


def test_sizes_of_long_formulas_need_no_deep_stack() -> None:
    value = Value(np.ones((1, 1, 1)), lambda: np.zeros((1, 1, 1)), np.ones(1))
    for _ in range(20_000):
        value = Value(value.array, lambda inner=value: inner.size + 1.0, value.condition, of=[value])
    assert float(value.size[0, 0, 0]) == 20_000.0
