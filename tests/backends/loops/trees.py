"""Mechanisms on which loops use their memory again: most bodies are near to their parents in number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from operator_algebra.models.families import forest, random_tree
from operator_algebra.models.model import Model
from tests.strategies import ALL_JOINTS

LONG = 100
"""So many bodies at least."""


def grown(parents: Sequence[int], joints: Sequence[str], seed: int) -> Model:
    """A forest with random bodies."""
    rng = np.random.default_rng([seed, 3])
    kinds = [joints[int(k)] for k in rng.integers(len(joints), size=len(parents))]
    return forest(f"forest{len(parents)}", parents, kinds, rng, 0.0)


def chain_of(bodies: int, joints: Sequence[str], seed: int) -> Model:
    """A chain with random joints of some kinds."""
    return grown(range(-1, bodies - 1), joints, seed)


def small_tree(seed: int) -> Model:
    """One to seven bodies with joints of all kinds."""
    return random_tree(1 + seed % 7, joints=ALL_JOINTS, seed=seed)


def several(seed: int, bodies: int, joints: Sequence[str]) -> Model:
    """Trees of up to six bodies, one after the other: none is deep, and the first are over when others start."""
    rng = np.random.default_rng([seed, 4])
    parents: list[int] = []
    while len(parents) < bodies:
        root = len(parents)
        parents.append(-1)
        for k in range(root + 1, root + int(rng.integers(1, 7))):
            parents.append(int(rng.integers(max(root, k - 2), k)))
    return grown(parents, joints, seed)


def tree_of(seed: int) -> Model:
    """A tree, a chain, several trees, or many of them."""
    rng = np.random.default_rng([seed, 2])
    some = [ALL_JOINTS[int(k)] for k in rng.permutation(len(ALL_JOINTS))[:3]]
    match seed % 8:
        case 0 | 1 | 2:
            return small_tree(seed)
        case 3 | 4:
            return chain_of(5 + seed % 5, ALL_JOINTS, seed)
        case 5 | 6:
            return several(seed, 9, ALL_JOINTS)
        case _:
            return several(seed, LONG, some)
