"""Exact leaves of any structure on a random tree, for the interpreter and for evaluation alike."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from operator_algebra.expressions.nodes import Symbol
from operator_algebra.meaning.evaluator import Evaluation
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.mechanism import Mechanism
from tests.laws.rational import definite, matrix, shift
from tests.oracles.exact_sources import GivenSource

OWN = {True: (2, 0, 1), False: (2,)}
"""Block sizes of a user's space: of one per body, and of one that belongs to no body."""
JOINTS = (1, 2, 1)
FITTING = {"ground": (6,), "free": (1, 1, 0), "led": (0, 1, 1)}
"""Of those that are not arbitrary: joints are split in free and led freedoms."""


@dataclass(frozen=True)
class Exact:
    """A tree, and the blocks of leaves and inputs by name and body."""

    tree: Mechanism
    blocks: dict[str, list[Any]]
    ends: dict[str, list[tuple[int, int]]]
    attached: dict[str, bool]

    @property
    def given(self) -> dict[str, list[list[list[Any]]]]:
        """Blocks as the interpreter reads them."""
        return {name: [block.tolist() for block in found] for name, found in self.blocks.items()}

    @property
    def evaluation(self) -> Evaluation:
        """The same blocks as block matrices."""
        layouts = {
            family: Layout.of(sizes, attached=self.attached[family]) for family, sizes in self.tree.sizes.items()
        }
        values = {
            name: {place: block for place, block in zip(self.ends[name], found, strict=True) if min(place) >= 0}
            for name, found in self.blocks.items()
        }
        return Evaluation(GivenSource(self.tree.parent, layouts, values), 1e9)


def exact(symbols: Iterable[Symbol], seed: int) -> Exact:
    """Random rational blocks of the declared structure on a tree of three bodies."""
    rng = random.Random(seed)
    parent = (-1, 0, rng.randint(-1, 1))
    listed = sorted(symbols, key=lambda symbol: symbol.name)
    sizes: dict[str, tuple[int, ...]] = {"spatial": (6, 6, 6), "joint": JOINTS, "one": (1,)}
    attached = {"spatial": True, "joint": True, "one": False}
    for symbol in listed:
        for space in (symbol.type.codomain, symbol.type.domain):
            sizes.setdefault(space.sizes, FITTING.get(space.sizes, OWN[space.attached]))
            attached.setdefault(space.sizes, space.attached)
    tree = Mechanism(parent, sizes, ("joint0", "joint1", "joint2"))
    ends = {symbol.name: [_ends(symbol, k, parent) for k in _bodies(symbol)] for symbol in listed}
    blocks = {s.name: [_block(rng, s, tree, i, j) for i, j in ends[s.name]] for s in listed}
    return Exact(tree, blocks, ends, attached)


def _bodies(symbol: Symbol) -> range:
    return range(3 if symbol.type.domain.attached or symbol.type.codomain.attached else 1)


def _ends(symbol: Symbol, k: int, parent: tuple[int, ...]) -> tuple[int, int]:
    """Block row and block column of block k."""
    if symbol.structure.hop:
        return (parent[k], k) if symbol.structure.flow == "inward" else (k, parent[k])
    return (k if symbol.type.codomain.attached else 0, k if symbol.type.domain.attached else 0)


def _block(rng: random.Random, symbol: Symbol, tree: Mechanism, i: int, j: int) -> Any:
    def size(space: Space, k: int) -> int:
        return tree.size(space, max(k, 0))

    height, width = size(symbol.type.codomain, i), size(symbol.type.domain, j)
    if symbol.name == "E_phi":
        return shift(rng)
    if symbol.structure.symmetric:
        return definite(rng, height)
    return matrix(rng, height, width) + 7 * np.eye(height, width, dtype=int)
