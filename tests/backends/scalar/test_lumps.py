"""Quadratic forms of bodies that move as one: bounds of u* M⁻¹ u, exact where all signs are known."""

from __future__ import annotations

import numpy as np
import pytest

from operator_algebra.backends.scalar.lumps import Key, Lump, Unknown
from tests.rounding import rounding

KEYS: tuple[Key, ...] = ((0, 0), (0, 4), (2, 1))


def lump(seed: int, unsigned: float) -> Lump:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((6, 6))
    made = Lump(root @ root.T + np.eye(6))
    for key in KEYS:
        inside = rng.standard_normal((2, 6))
        made.add(key, inside, inside + rng.standard_normal((2, 6)), unsigned * rng.uniform(size=6))
    return made


@pytest.mark.parametrize("unsigned", [0.0, 1.0])
def test_no_u_has_more(unsigned: float) -> None:
    for seed in range(20):
        made, rng = lump(seed, unsigned), np.random.default_rng(seed)
        x = rng.uniform(size=len(KEYS))
        bound = x @ made.form() @ x
        for several in (made.inside, made.whole):
            u = sum(one * root for one, root in zip(several, x, strict=True))
            for _ in range(5):
                others = (rng.uniform(-1.0, 1.0, (2, 6)) * one for one in made.unsigned)
                moved = u + sum(one * root for one, root in zip(others, x, strict=True))
                exact = np.mean(np.sum(moved.T * np.linalg.solve(made.inertia, moved.T), axis=0))
                assert exact <= bound * (1 + rounding(terms=100))


def test_weights_bound_the_form_and_touch_it() -> None:
    for seed in range(20):
        made, rng = lump(seed, 1.0), np.random.default_rng(seed)
        usual = {key: float(x) for key, x in zip(KEYS, rng.uniform(0.1, 1.0, len(KEYS)), strict=True)}
        form, weights = made.form(), dict[Key, float]()
        made.weigh(form, usual, weights)

        def weighted(x: np.ndarray, weights: dict[Key, float] = weights) -> float:
            return float(sum(weights[key] * root**2 for key, root in zip(KEYS, x, strict=True)))

        for _ in range(5):
            x = rng.uniform(size=len(KEYS))
            assert x @ form @ x <= weighted(x) * (1 + rounding(terms=100))
        touched = weighted(np.array([usual[key] for key in KEYS]))
        assert abs(made.value(form, usual) - touched) <= rounding(terms=100) * touched


def test_what_has_no_inertia_has_no_form() -> None:
    made = Lump(np.zeros((6, 6)))
    made.add((0, 0), np.ones((2, 6)), np.ones((2, 6)), np.zeros(6))
    with pytest.raises(Unknown):
        made.form()
