"""How fast bodies can be, and how large P, beside dense algebra where the joints stand."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.backends.scalar.known import Key
from operator_algebra.backends.scalar.resistance import Unknown
from operator_algebra.lowering.lower import Method
from tests.backends.scalar.standing import SOLVED, called, known_of, mechanisms, standing, tracers
from tests.oracles.rounding_spread import Blocks, carried
from tests.rounding import rounding

Floats = NDArray[np.float64]


def fastest(blocks: Blocks, again: list[float]) -> dict[Key, float]:
    """The most that V(i)², and V⁻(i)² so many times, can be where all bodies have a unit of energy, twice."""
    columns: list[int] = np.cumsum([0, *(len(H) for H in blocks.maps)]).tolist()
    moved, handed, energy = list[Floats](), list[Floats](), np.zeros((columns[-1], columns[-1]))
    for k, parent in enumerate(blocks.parent):
        own = slice(columns[k], columns[k + 1])
        before: Floats = blocks.hops[k].T @ moved[parent] if parent >= 0 else np.zeros((6, columns[-1]))
        J = before.copy()
        J[:, own] += blocks.maps[k].T
        handed.append(before)
        moved.append(J)
        energy += J.T @ blocks.inertias[k] @ J
        energy[own, own] += blocks.joined[k]
    inverse = np.linalg.inv(energy)
    squares: Floats = np.stack(
        [np.einsum("kij,jl,kil->ki", np.stack(one), inverse, np.stack(one)) for one in (moved, handed)]
    )
    return {(k, i): float(squares[0, k, i] + again[k] * squares[1, k, i]) for k in range(len(moved)) for i in range(6)}


@pytest.mark.parametrize("method", ["auto", "joseph"])
def test_no_body_is_faster_and_no_entry_of_p_larger(method: Method) -> None:
    met = 0
    for model, q in mechanisms():
        call = called(SOLVED, model, q, method)
        found = tracers(call)
        if found is None:
            continue
        known, blocks = known_of(call, found), standing(call, found)
        units = [float(known.run.rounding_unit(known.parts.w_plus, k)) ** 2 for k in range(model.n)]
        most = defaultdict[Key, float](float)
        try:
            sources = list(known.sources())
        except Unknown:
            continue
        for source in sources:
            most[source.key] += source.most
            assert source.most <= source.alone * (1 + rounding(terms=100))
        for key, square in fastest(blocks, units).items():
            assert square <= most[key] * (1 + rounding(terms=1000)), (model.name, key)
        largest, (entries, _) = known.reach(), carried(blocks)
        for k, i in largest:
            assert entries[k, i] <= largest[k, i] * (1 + rounding(terms=1000)), (model.name, k, i)
        met += 1
    assert met > 25
