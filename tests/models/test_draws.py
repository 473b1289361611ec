"""Numbers found at once against calls of the generator, one for each number or run of numbers; to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.models import draws
from operator_algebra.models.draws import drawn
from tests.rounding import EPS

MANY = 20_000


def _called(rng: np.random.Generator, normal: np.ndarray) -> list[float]:
    return [float(rng.standard_normal() if one else rng.random()) for one in normal.tolist()]


def _pattern(kind: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Normal numbers anywhere, in runs as for bodies, or everywhere, or nowhere."""
    if kind == 0:
        return rng.random(count) < rng.random()
    if kind == 1:
        return np.resize(np.repeat([True, False, True, False], rng.integers(0, 9, 4)), count).astype(bool)
    return np.full(count, kind == 2)


@given(st.integers(0, 10**9), st.integers(0, 3), st.sampled_from([0, 1, 7, 999, 1000, 1001, 4000]))
def test_numbers_at_once_are_those_of_calls(seed: int, kind: int, count: int) -> None:
    normal = _pattern(kind, count, np.random.default_rng(seed + 1))
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    for rng in (one, other):
        rng.integers(5, dtype=np.int32)  # half a word is left
    assert drawn(one, normal).tolist() == _called(other, normal)
    assert one.bit_generator.state == other.bit_generator.state
    assert one.integers(5, dtype=np.int32) == other.integers(5, dtype=np.int32)


def test_numbers_that_take_many_words_are_met() -> None:
    """Of so many the tail is met, and layers that are tried again and again."""
    for seed in range(10):
        normal = np.arange(MANY) % 11 != 3
        one, other = np.random.default_rng(seed), np.random.default_rng(seed)
        found = drawn(one, normal)
        assert found.tolist() == _called(other, normal)
        assert one.bit_generator.state == other.bit_generator.state


def test_the_numbers_are_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else all of the above would hold of calls alone."""
    monkeypatch.setattr(draws, "_by_calls", None)
    assert np.isfinite(drawn(np.random.default_rng(1), np.ones(MANY, dtype=bool))).all()


@pytest.mark.parametrize("kind", [np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_other_generators_are_called(kind: type[np.random.BitGenerator]) -> None:
    normal = np.arange(3000) % 3 == 0
    one, other = np.random.Generator(kind(3)), np.random.Generator(kind(3))
    assert drawn(one, normal).tolist() == _called(other, normal)


@pytest.mark.parametrize("share", [-1.0, 0.5, 1.0 + 4.0 * EPS, 0.0])
def test_another_way_of_numpy_is_noticed(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    """Where words do not become numbers by the widths of layers, all numbers are asked for by calls."""
    true = vars(draws)["_normal_of"]
    calls: list[int] = []

    def other(words: np.ndarray) -> np.ndarray:
        calls.append(1)
        return true(words) * (1.0 if len(calls) == 1 else share)

    vars(draws)["_layers"].cache_clear()
    monkeypatch.setattr(draws, "_normal_of", other)
    try:
        normal = np.arange(3000) % 3 == 0
        assert drawn(np.random.default_rng(4), normal).tolist() == _called(np.random.default_rng(4), normal)
        assert vars(draws)["_layers"]() is None
    finally:
        vars(draws)["_layers"].cache_clear()


def test_words_come_back_from_the_state_that_gives_them() -> None:
    halves = np.random.default_rng(2).integers(0, 2**32, 600, dtype=np.uint32)
    key = np.zeros(624, dtype=np.uint32)
    key[: len(halves)] = vars(draws)["_untempered"](halves)
    twister = np.random.MT19937(0)
    twister.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 0}}
    assert np.array_equal(twister.random_raw(600), halves)
