"""Quadratic forms of bodies that move as one: bounds of u* M⁻¹ u, exact where all signs are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.backends.scalar.lumps import Key, Lump, Unknown, lent
from tests.rounding import rounding
from tests.strategies import random_body

Floats = NDArray[np.float64]
KEYS: tuple[Key, ...] = ((0, 0), (0, 4), (2, 1))


def lump(seed: int, unsigned: float) -> Lump:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((6, 6))
    made = Lump(root @ root.T + np.eye(6), range(6))
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
            u = np.tensordot(x, np.stack(several), 1)
            for _ in range(5):
                others = np.stack([rng.uniform(-1.0, 1.0, (2, 6)) * one for one in made.unsigned])
                moved: Floats = u + np.tensordot(x, others, 1)
                exact = float(np.vdot(moved.T, np.linalg.solve(made.inertia, moved.T))) / len(moved)
                assert exact <= bound * (1 + rounding(terms=100))


def test_what_no_body_moves_along_counts_for_nothing() -> None:
    """u* M⁻¹ u is the largest (u* V)² / V* M V, where V has other entries than zero only there."""
    made = lump(1, 0.0)
    seen, x = [2, 3, 4], np.array([0.3, 1.0, 0.6])
    part = replace(made, moved=seen)
    u = np.tensordot(x, np.stack(made.whole), 1)[:, seen]
    inside = np.tensordot(x, np.stack(made.inside), 1)[:, seen]
    block = made.inertia[np.ix_(seen, seen)]
    exact = max(float(np.vdot(one.T, np.linalg.solve(block, one.T))) / len(one) for one in (u, inside))
    assert exact <= x @ part.form() @ x * (1 + rounding(terms=100))
    assert x @ part.form() @ x < x @ made.form() @ x


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
    made = Lump(np.zeros((6, 6)), range(6))
    made.add((0, 0), np.ones((2, 6)), np.ones((2, 6)), np.zeros(6))
    with pytest.raises(Unknown):
        made.form()


def turned(axis: Floats, q: float) -> Floats:
    """Both halves turned about an axis, by Rodrigues' formula."""
    x, y, z = axis.tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    found: Floats = np.zeros((6, 6))
    found[:3, :3] = found[3:, 3:] = np.eye(3) + np.sin(q) * cross + (1 - np.cos(q)) * cross @ cross
    return found


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e3])
def test_what_is_lent_over_a_hinge_is_there_at_every_angle(mass: float) -> None:
    """V* M V of a body is no less than that of what it lends, for V of its neighbour and any rate of the hinge."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        M: Floats = mass * random_body(0, -1, "revolute", rng).inertia.matrix()
        axis: Floats = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        N = lent(M, axis)
        assert N.any()
        scale = float(np.abs(M).max())
        for _ in range(10):
            V, rate, q = rng.standard_normal(6), float(rng.standard_normal()), float(rng.uniform(-4, 4))
            moved: Floats = turned(axis, -q) @ V + rate * np.concatenate([axis, np.zeros(3)])
            own, borrowed = float(moved @ M @ moved), float(V @ N @ V)
            assert borrowed <= own + rounding(scale * 100, terms=100)


def test_what_has_no_inertia_lends_none() -> None:
    assert not lent(np.zeros((6, 6)), np.array([0.0, 0.0, 1.0])).any()
