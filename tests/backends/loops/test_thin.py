"""What is rounded about axes that bodies hardly resist: its bounds hold whatever is rounded, in dense algebra."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.backends.loops.kind_tracer import KindTracer
from operator_algebra.backends.loops.limits import EVERYWHERE
from operator_algebra.backends.loops.pieces import _Cutter, _seen, cut  # pyright: ignore[reportPrivateUsage]
from operator_algebra.backends.loops.records import Running
from operator_algebra.backends.loops.run import LoopKernel, loop_kernel
from operator_algebra.backends.loops.weights import _moving, alongs, inertia  # pyright: ignore[reportPrivateUsage]
from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar import thin
from operator_algebra.backends.scalar.graph import needed
from operator_algebra.backends.scalar.precision import DOUBLE
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.thin import LEFT, Along
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.lowering.bounds import elimination
from operator_algebra.lowering.lower import for_numbers
from operator_algebra.models.families import chain
from operator_algebra.models.model import Model
from operator_algebra.programs.matrices import Matrix
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.backends.loops.by_hand import ByHand
from tests.backends.loops.rods import rods
from tests.backends.loops.test_weights import SIGN, call_of
from tests.often import some
from tests.oracles.rounding_spread import spread
from tests.rounding import rounding

Floats = NDArray[np.float64]
MOST = 2.0 * LEFT + thin.AXIS
"""The part of what may be lost that is left to all that is rounded in P."""
SHARP = (4, 22, 30)
"""Rods that come near to their bounds."""
WELL = 1e9
"""The condition of an inertia beside which rounding is not felt."""
_ROOT_EPS = 2.0**-26


class Dense(NamedTuple):
    """A mechanism in one pose, body by body, in the axes in which it is computed."""

    parent: tuple[int, ...]
    hops: list[Floats]
    maps: list[Floats]
    inertias: list[Floats]
    along: list[Along[Floats, float]]
    moved: list[int]
    """The entries of motions that may be other than zero."""


def numbers(tracer: KindTracer, block: Matrix, q: Floats) -> Floats:
    """A block at the bodies of a kind, from what it loads."""
    nodes = tuple(x for row in block.rows for x in row)
    rows, fixed = np.zeros((len(tracer.loads), len(tracer.kind.bodies))), tracer.kind.numbers(slice(None))
    for node in needed(nodes):
        if node.operation == "input":
            load = tracer.loads[int(node.value)]
            assert load.where in ("number", "coordinate")
            if load.where == "number":
                rows[int(node.value)] = fixed[:, load.place]
            else:
                rows[int(node.value)] = q[
                    np.asarray(tracer.leaves.model.columns.q_starts)[tracer.kind.bodies] + load.place
                ]
    _, found = Tape.of(Traced((), nodes, (), ()), len(rows)).batch(rows)
    return np.moveaxis(found.reshape(block.height, block.width, len(tracer.kind.bodies)), -1, 0)


def dense(model: Model, q: Floats) -> Dense:
    call = call_of(model, 1)
    program, signature = for_numbers(call.program)[0], Signature.of(call.inputs)
    made = _Cutter(
        program, model, signature, lambda: _seen(program, model, signature, EVERYWHERE), DOUBLE, "everywhere"
    )
    parts = elimination(program, program.pivots[0])
    assert parts is not None
    found = alongs(made.tracers, parts, np.asarray(model.parent))
    assert found is not None
    blocks: list[dict[int, Floats]] = [{}, {}, {}]
    several: dict[int, Along[Floats, float]] = {}
    for tracer, along in zip(made.tracers, found, strict=True):
        k = tracer.place
        H = tracer.nodes.product(*(tracer.get(ref, k) for ref in parts.H))
        hop = tracer.hop(parts.hop, k) if k else tracer.nodes.identity(6)
        for known, block in zip(blocks, (hop, H, inertia(tracer, parts)), strict=True):
            known |= dict(zip(tracer.kind.bodies.tolist(), numbers(tracer, block, q), strict=True))
        for i, body in enumerate(tracer.kind.bodies.tolist()):
            several[body] = along.each(lambda rows, i=i: rows[i], lambda column, i=i: float(column[i]))
    hops, maps, inertias = ([known[k] for k in range(model.n)] for known in blocks)
    moved = _moving(made.tracers, parts)
    return Dense(model.parent, hops, maps, inertias, [several[k] for k in range(model.n)], moved)


def totals(one: Dense, diagonals: Floats) -> tuple[Floats, Floats]:
    """ρ at the bodies, and what has to be at most one, where such numbers stand in the place of the diagonals of P."""
    n = len(one.parent)
    found, sums, received, has = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, dtype=bool)
    for k in reversed(range(n)):
        own, parent = one.along[k], one.parent[k]
        found[k] = max(0.0, own.gathered @ diagonals[k] + (received[k] if has[k] else own.received))
        sums[k] = own.borne @ diagonals[k] + 2.0 * found[k] * own.dear
        if parent >= 0:
            c = float(own.above @ one.hops[k] @ own.a)
            received[parent] += own.sent + own.handed @ diagonals[k] + 2.0 * found[k] * (own.fading + own.bent * c * c)
            has[parent] = True
    return found, sums


def lost(one: Dense, diagonals: Floats) -> float:
    """The most that reaches any pivot, where rounding is as large as these numbers, for any motion that it moves."""
    n, worst = len(one.parent), 0.0
    for root in range(n):
        sizes = [len(h) if k == root or k > root else 0 for k, h in enumerate(one.maps)]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        rates = starts[-1]
        energy, rounded = np.zeros((rates, rates)), np.zeros((rates, rates))
        motions: dict[int, Floats] = {}
        for k in range(root, n):
            if k != root and one.parent[k] not in motions:
                continue
            before = np.zeros((6, rates)) if k == root else one.hops[k].T @ motions[one.parent[k]]
            own = np.zeros((6, rates))
            own[:, starts[k] : starts[k + 1]] = one.maps[k].T
            motions[k] = before + own
            size = SIGN * SMALL * diagonals[k]
            again = 1.0 if len(one.maps[k]) < 2 else _ROOT_EPS**2
            energy += motions[k].T @ one.inertias[k] @ motions[k]
            rounded += motions[k].T @ (size[:, None] * motions[k]) + again * before.T @ (size[:, None] * before)
        moving = np.diag(energy) > 0.0
        if len(one.maps[root]) and moving.any():
            root_inverse = np.linalg.inv(np.linalg.cholesky(energy[np.ix_(moving, moving)]))
            form = root_inverse @ rounded[np.ix_(moving, moving)] @ root_inverse.T
            worst = max(worst, float(np.linalg.eigvalsh(form)[-1]))
    return worst


def drawn(one: Dense, rng: np.random.Generator) -> Floats:
    """Sizes of what is rounded, over many powers of ten, most of them next to nothing."""
    n = len(one.parent)
    found = 10.0 ** rng.uniform(-8.0, 0.0, (n, 6)) * (rng.random((n, 6)) < rng.choice([0.1, 0.5, 1.0]))
    found[:, [i for i in range(6) if i not in one.moved]] = 0.0
    along = np.array([own.a for own in one.along]) ** 2
    return found * along if rng.random() < 0.5 and along.any() else found


def brought_to_one(one: Dense, diagonals: Floats) -> Floats:
    """The same times what makes the bound one."""
    low, high = 1e-9, 1e9
    for _ in range(60):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if totals(one, middle * diagonals)[1].max() <= 1.0 else (low, middle)
    return low * diagonals


def borne(one: Dense, diagonals: Floats) -> float:
    """How much of what bodies may bear they do bear at the most: of W + Σ ρ b b* ≤ μ M + ρ a a*, body by body.

    Motions of bodies are any that their zeros allow; a root has its joint alone.
    """
    n, worst = len(one.parent), 0.0
    found, sums = totals(one, diagonals)
    forms = [np.diag(SIGN * SMALL * own) for own in diagonals]
    above = np.zeros(n)
    for k in reversed(range(n)):
        own, parent, h = one.along[k], one.parent[k], one.maps[k]
        size, moves = np.diag(SIGN * SMALL * diagonals[k]), np.eye(6)[one.moved]
        if parent < 0:
            moves = h
        elif len(h) < 2:
            back = np.linalg.pinv(h)
            beside = np.eye(6) - back @ h
            forms[k] += beside @ size @ beside.T
            forms[parent] += one.hops[k] @ back @ h @ size @ h.T @ back.T @ one.hops[k].T
        if parent >= 0:
            b = one.hops[k] @ own.a
            forms[parent] += found[k] * np.outer(b, b)
            above[parent] = max(above[parent], sums[k])
        M = moves @ one.inertias[k] @ moves.T
        if len(M) and np.linalg.cond(M) < WELL:
            root = np.linalg.inv(np.linalg.cholesky(M)) @ moves
            rest = float(np.linalg.eigvalsh(root @ (forms[k] - found[k] * np.outer(own.a, own.a)) @ root.T)[-1])
            most = LEFT * (own.borne @ diagonals[k] + above[k]) + thin.AXIS
            worst = max(worst, rest / most if most > 0.0 else 0.0)
    return worst


def diagonals(one: Dense, model: Model) -> Floats:
    """The diagonals of P."""
    P = [own.copy() for own in one.inertias]
    for k in reversed(range(model.n)):
        h, parent = one.maps[k], one.parent[k]
        if parent >= 0:
            D = h @ P[k] @ h.T + np.diag(model.arrays.armature[model.v_slices[k]])
            P[parent] += one.hops[k] @ (P[k] - P[k] @ h.T @ np.linalg.inv(D) @ h @ P[k]) @ one.hops[k].T
    return np.array([np.diag(block) for block in P])


@pytest.mark.parametrize("seed", some([46, *range(46), *range(47, 60)], 4))
def test_no_rounding_is_lost_more_than_it_is_bounded(seed: int) -> None:
    """Not of P alone: of any numbers in the place of its diagonals, at all pivots, for all motions."""
    rng = np.random.default_rng(seed)
    model = rods(int(rng.integers(2, 7)), seed)
    one = dense(model, model.random(seed)[0] * rng.choice([1.0, 0.1]))
    for _ in range(4):
        several = drawn(one, rng)
        if several.any():
            several = brought_to_one(one, several)
            assert borne(one, several) <= 1.0 + rounding(condition=WELL)
            assert lost(one, several) <= MOST


@pytest.mark.parametrize("part", [0.0, thin.AXIS])
def test_bodies_bear_nearly_what_they_may(monkeypatch: pytest.MonkeyPatch, part: float) -> None:
    """Or the test before could not fail."""
    monkeypatch.setattr(thin, "AXIS", part)
    found: list[float] = []
    for seed in SHARP:
        model = rods(4, seed)
        one, rng = dense(model, model.random(seed)[0]), np.random.default_rng(seed)
        found += [borne(one, brought_to_one(one, drawn(one, rng) + 1e-15)) for _ in range(20)]
    assert 0.9 < max(found) <= 1.0 + rounding(condition=WELL)


@pytest.mark.parametrize("seed", range(16))
def test_samples_are_trusted_where_bounds_hold(seed: int) -> None:
    """By one operation at a time as by dense algebra; then no more reaches any pivot in the mean."""
    model = rods(9, seed)
    call = call_of(model, 1)
    pieces = cut(call.program, model, Signature.of(call.inputs), limits=EVERYWHERE, columns="never")
    one, layout = dense(model, call.q[0]), call.inputs.layouts["joint"]
    most = totals(one, diagonals(one, model))[1].max()
    assert ByHand(pieces, model, call.q[0], [(layout, np.ones(model.nv))], [layout]).run() == (most <= 1.0)
    _, reached = spread(model, call.q[0])
    assert SMALL * SIGN * reached.max() <= max(1.0, most) * MOST


def test_where_a_bound_does_not_hold_columns_tell() -> None:
    """Samples that are computed again have the bits and flags of the kernel that always has columns."""
    pytest.importorskip("llvmlite")
    bodies = list(chain(24).bodies)
    bodies[-1] = replace(bodies[-1], inertia=bodies[-1].inertia + Inertia(30.0, (1.0, 0.0, 0.0)))
    call = call_of(Model(name="heavy", bodies=bodies), 40)
    rows = [call.q, call.inputs.values["T"].entries]
    spared, careful = (
        LoopKernel(call.program, call.model, Signature.of(call.inputs), EVERYWHERE, columns=columns)
        for columns in ("never", "everywhere")
    )
    first = spared._batch(rows, 40).good  # pyright: ignore[reportPrivateUsage]
    assert 0 < np.count_nonzero(first) < 40
    found, expected = spared.batch(rows, 40), careful.batch(rows, 40)
    assert found.whole
    assert found.good.all()
    assert expected.whole
    assert np.array_equal(found.results[0], expected.results[0])


def chosen(model: Model) -> Running:
    """Where columns run in the loops that are made of a mechanism."""
    call = call_of(model, 1)
    return loop_kernel(call.program, model, Signature.of(call.inputs), EVERYWHERE).columns


def with_rods(model: Model, radius: float, turn: float = 0.0) -> Model:
    """Links are rods, turned by an angle so that hinges are no longer across them."""
    thin = 0.5 * radius**2
    along = Inertia(1.0, (0.5, 0.0, 0.0), (thin, thin / 2.0 + 1.0 / 12.0, thin / 2.0 + 1.0 / 12.0))
    own = along.moved(Placement.from_rpy((0.0, turn, turn)))
    return Model(name="rods", bodies=[replace(body, inertia=own) for body in model.bodies])


@pytest.mark.parametrize("radius", [0.0, 1e-9, 1e-3, 0.02])
def test_thin_rods_need_no_columns(radius: float) -> None:
    pytest.importorskip("llvmlite")
    assert chosen(with_rods(chain(40), radius)) == "never"


def test_columns_run_where_numbers_along_axes_do_not_do() -> None:
    pytest.importorskip("llvmlite")
    assert chosen(with_rods(chain(16), 0.002, 0.7)) == "everywhere"
    assert chosen(with_rods(chain(16), 0.2)) == "needed"
    assert chosen(chain(16, seed=0)) == "needed"
    bodies = list(with_rods(chain(16), 0.002).bodies)
    bodies[-1] = replace(bodies[-1], inertia=Inertia(1e4, (1.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    assert chosen(Model(name="heavy", bodies=bodies)) == "everywhere"
