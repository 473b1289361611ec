"""How fast bodies can be, and how large P, beside dense algebra where the joints stand."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.backends.frames import Framed, in_body_axes
from operator_algebra.backends.scalar import trace as traces
from operator_algebra.backends.scalar.known import Key, values
from operator_algebra.backends.scalar.resistance import Unknown
from operator_algebra.lowering.lower import Method
from operator_algebra.models.model import Model
from tests.backends.scalar.standing import SOLVED, called, known_of, mechanisms, standing, tracers
from tests.oracles.rounding_spread import Blocks, carried
from tests.rounding import condition, rounding

Floats = NDArray[np.float64]


def motions(blocks: Blocks) -> tuple[Floats, Floats, Floats, float]:
    """V and V⁻ for unit rates, (bodies, 6, freedoms), the inverse of the energy, twice, of all, and its rounding."""
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
    inverse: Floats = np.linalg.inv(energy).astype(np.float64)
    return np.stack(moved), np.stack(handed), inverse, rounding(terms=1000, condition=condition(energy))


def fastest(blocks: Blocks, again: list[float]) -> tuple[dict[Key, float], float]:
    """The most that V(i)², and V⁻(i)² so many times, can be where all bodies have a unit of energy, twice.

    Behind it stands what rounding may add to a square of size one.
    """
    moved, handed, inverse, rounded = motions(blocks)
    V, before = (np.einsum("kij,jl,kil->ki", one, inverse, one) for one in (moved, handed))
    return {(k, i): float(V[k, i] + again[k] * before[k, i]) for k in range(len(V)) for i in range(6)}, rounded


def of_bodies(_: object, model: Model, __: object) -> Framed:
    return in_body_axes(model)


@pytest.mark.parametrize(("method", "turned"), [("auto", True), ("auto", False), ("joseph", True)])
def test_no_body_is_faster_and_no_entry_of_p_larger(
    method: Method, turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In axes in which turns are planar, and in those of the bodies, in which hinges are oblique."""
    if not turned:
        monkeypatch.setattr(traces, "chosen", of_bodies)
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
        squares, rounded = fastest(blocks, units)
        for key, square in squares.items():
            assert square <= most[key] * (1 + rounded), (model.name, key)
        largest, (entries, _) = known.reach(), carried(blocks)
        for k, i in largest:
            assert entries[k, i] <= largest[k, i] * (1 + rounding(terms=1000)), (model.name, k, i)
        met += 1
    assert met > 25


def test_torques_that_pass_a_joint_are_borne_as_the_pose_says() -> None:
    """No less than a* V can be, no more than where the parent resists least, and less where the axis is another."""
    met, less = 0, 0
    for model, q in mechanisms():
        call = called(SOLVED, model, q)
        found = tracers(call)
        if found is None:
            continue
        known, (moved, _, inverse, rounded) = known_of(call, found), motions(standing(call, found))
        try:
            several = [(source, known.passed(source)) for source in known.sources()]
        except Unknown:
            continue
        for source, passed in several:
            if passed is not None:
                left, node = passed
                told = left.most + float(values((node,), q[:, None])[0, 0])
                functional = source.part @ moved[source.at]
                worst = float(np.linalg.eigvalsh(known.most[model.parent[source.at]][:3, :3])[-1])
                assert functional @ inverse @ functional <= told * (1 + rounded)
                assert told <= worst * (source.part @ source.part) * (1 + rounding(terms=1000))
                met += 1
                less += told < source.most / 2
    assert met > 100
    assert less > 10
