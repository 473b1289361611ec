"""A column by a walk: beside the dense matrix of an operator whose blocks are products along the tree."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.programs.columns import Columns
from operator_algebra.programs.instructions import Hop
from operator_algebra.programs.matrices import RATIONALS, Matrix
from operator_algebra.programs.records import Ref
from operator_algebra.programs.walk import Walk

IN = Hop(s.E_phi, star=False, inward=True)
TREES = [(-1,), (-1, 0, 1, 2), (-1, 0, 0, 1, 1), (-1, -1, 0, 1, 3)]
# Values by number: what each block of the walk below is at every body.
X, OUT_Z, OUT_BETA, S_X, S_Z, D_X, D_Z, D_BETA, THETA = range(1, 10)
WALK = Walk(
    inward=(IN,),
    outward=(IN.T,),
    out_x=Ref(X),
    out_z=(Ref(OUT_Z),),
    out_beta=(Ref(OUT_BETA),),
    s_x=(Ref(S_X),),
    s_z=((Ref(S_Z),),),
    d_x=(Ref(D_X),),
    d_z=((Ref(D_Z),),),
    d_beta=((Ref(D_BETA),),),
    theta=((Ref(THETA),),),
)


class Numbers:
    """A random number for each value at each body, and for each edge."""

    def __init__(self, parent: tuple[int, ...], seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.parent = parent
        self.n = len(parent)
        self.values: Any = rng.integers(-4, 5, (10, self.n))
        self.edges: Any = rng.integers(1, 5, self.n)

    def get(self, ref: Ref, k: int) -> Matrix:
        return Matrix([[Fraction(int(self.values[ref.value, k]))]], 1)

    def hop(self, hop: Hop, edge: int) -> Matrix:
        return Matrix([[Fraction(int(self.edges[edge] * (1 if hop.inward else 7)))]], 1)

    def columns(self, walk: Walk) -> Columns:
        return Columns(walk, self.parent, RATIONALS, self.get, self.hop)

    def dense(self, walk: Walk) -> Any:
        """From s = s_x x + s_z E s, d = d_x x + d_z E s + d_beta β, and β, which is E' d beside the way in, Θ s on it.

        Column by column, from one unit input: whoever has body j in its subtree answers to what comes back by Θ.
        """

        def at(ref: Ref | None) -> Any:
            return np.zeros(self.n, int) if ref is None else self.values[ref.value]

        whole = np.zeros((self.n, self.n), int)
        for j in range(self.n):
            x = np.eye(self.n, dtype=int)[j]
            sent, down, arriving, out = (np.zeros(self.n, int) for _ in range(4))
            gathered = np.zeros(self.n, int)
            for k in reversed(range(self.n)):
                gathered[k] = sum(self.edges[c] * sent[c] for c in range(self.n) if self.parent[c] == k)
                sent[k] = at(walk.s_x[0])[k] * x[k] + at(walk.s_z[0][0])[k] * gathered[k]
            on_way = [k for k in range(self.n) if self._carries(k, j)]
            for k in range(self.n):
                above = self.parent[k]
                if k in on_way:
                    arriving[k] = at(walk.theta[0][0])[k] * sent[k]
                elif above >= 0:
                    arriving[k] = 7 * self.edges[k] * down[above]
                down[k] = (
                    at(walk.d_x[0])[k] * x[k]
                    + at(walk.d_z[0][0])[k] * gathered[k]
                    + at(walk.d_beta[0][0])[k] * arriving[k]
                )
                out[k] = (
                    at(walk.out_x)[k] * x[k]
                    + at(walk.out_z[0])[k] * gathered[k]
                    + at(walk.out_beta[0])[k] * arriving[k]
                )
            whole[:, j] = out
        return whole

    def _carries(self, k: int, j: int) -> bool:
        while j >= 0 and j != k:
            j = self.parent[j]
        return j == k


def dense(numbers: Numbers, walk: Walk) -> Any:
    """All columns by the walk."""
    whole = np.zeros((numbers.n, numbers.n), int)
    for j in range(numbers.n):
        for k, block in numbers.columns(walk).column(j, range(numbers.n)).items():
            whole[k, j] = 0 if block is None else int(block.rows[0][0])
    return whole


WITHOUT = {
    "everything": {},
    "nothing back": {"theta": ((None,),), "d_z": ((None,),)},
    "no way out": {"out_beta": (None,)},
    "no way in": {"s_x": (None,)},
    "the input alone": {"s_x": (None,), "d_x": (None,)},
}


@pytest.mark.parametrize("what", WITHOUT)
@pytest.mark.parametrize("parent", TREES, ids=str)
def test_columns_are_those_of_the_dense_matrix(parent: tuple[int, ...], what: str) -> None:
    walk = replace(WALK, **WITHOUT[what])
    for seed in range(5):
        numbers = Numbers(parent, seed)
        assert (dense(numbers, walk) == numbers.dense(walk)).all()


def test_only_what_carries_the_rows_is_visited() -> None:
    numbers = Numbers((-1, 0, 0, 1, 1), 0)
    whole = numbers.columns(WALK).column(4, range(5))
    some = numbers.columns(WALK).column(4, [3])
    assert set(some) == {0, 1, 3}
    assert all(some[k] == whole[k] for k in some)


def test_without_shifts_an_operator_is_its_own_block() -> None:
    walk = Walk((), (), Ref(X), (), (), (), (), (), (), (), ())
    numbers = Numbers((-1, 0, 1), 3)
    assert (dense(numbers, walk) == np.diag(numbers.values[X])).all()
