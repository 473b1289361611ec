"""The leaves of a mechanism against finite differences, against each other, and in both frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators import leaf as record
from operator_algebra.operators.leaf import LEAVES, Leaf
from operator_algebra.operators.leaves import LeafValues, local_blocks, places
from operator_algebra.operators.local import CROSS, SPIN
from operator_algebra.spatial.vectors import apply
from tests.oracles.finite_differences import allowed, along
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms

Floats = NDArray[np.float64]
seeds = st.integers(0, 1000)


def poses(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """Pose of each body, composed one by one."""
    R, p = LeafValues(model, q).relative
    R, p = R.copy(), p.copy()
    for k, parent in enumerate(model.parent):
        if parent >= 0:
            p[k] = p[parent] + R[parent] @ p[k]
            R[k] = R[parent] @ R[k]
    return R, p


def turns(model: Model, q: Floats) -> list[Floats]:
    return [np.kron(np.eye(2), rotation) for rotation in poses(model, q)[0]]


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_absolute_poses_are_composed_along_the_path(model: Model, seed: int) -> None:
    q, _ = model.random(seed)
    for found, expected in zip(LeafValues(model, q).absolute, poses(model, q), strict=True):
        assert apart(found, expected) <= rounding(1.0 + size(expected), terms=3 * model.depth)


def test_poses_of_a_long_chain() -> None:
    model = chain(129, seed=4)
    q, _ = model.random(4)
    for found, expected in zip(LeafValues(model, q).absolute, poses(model, q), strict=True):
        assert apart(found, expected) <= rounding(1.0 + size(expected), terms=3 * model.depth)


@given(mechanisms(), seeds)
@settings(max_examples=50)
def test_velocity_is_the_derivative_of_the_pose(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    found = evaluate(s.V, model, q=q, v=v, frame="world").dense().reshape(-1, 6)
    rotation, position = poses(model, q)
    rate = along(model, q, v, lambda q: poses(model, q)[0])
    spin = rate @ np.swapaxes(rotation, -1, -2)
    turning = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)
    moving = along(model, q, v, lambda q: poses(model, q)[1])
    expected = np.concatenate([turning, moving], axis=-1)
    assert apart(found, expected) <= allowed(1.0 + size(position), v)


@given(mechanisms(), seeds)
@settings(max_examples=50)
def test_velocity_product_is_the_derivative_of_velocity_at_constant_rates(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    found = evaluate(s.phi.T @ s.a, model, q=q, v=v).dense()
    rate = along(model, q, v, lambda q: evaluate(s.V, model, q=q, v=v).dense())
    velocity = evaluate(s.V, model, q=q, v=v).dense()
    assert apart(found, rate) <= allowed(size(velocity), v)


@given(mechanisms(joints=("universal", "helical", "revolute")), seeds)
@settings(max_examples=30)
def test_joint_map_rate(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    found = evaluate(s.H_dot, model, q=q, v=v).dense()
    expected = along(model, q, v, lambda q: evaluate(s.H, model, q=q).dense())
    assert apart(found, expected) <= allowed(1.0, v)


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_world_axes_are_body_axes_turned(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    body, world = LeafValues(model, q, v), LeafValues(model, q, v, "world")
    turn = turns(model, q)
    parents = [turn[p] if p >= 0 else np.eye(6) for p in model.parent]
    for leaf in LEAVES:
        rows = parents if leaf.stands == "edge" else turn
        for k, (one, other) in enumerate(zip(body.blocks(leaf), world.blocks(leaf), strict=True)):
            turned = one @ turn[k].T if leaf.columns_turn else one
            turned = rows[k] @ turned if leaf.rows_turn else turned
            terms = (1.0 + size(body.absolute[1])) ** 2 * (1.0 + size(one))
            assert apart(other, turned) <= rounding(terms, terms=6 * model.depth), leaf.name


@given(mechanisms(), seeds, st.sampled_from(["body", "world"]))
@settings(max_examples=40)
def test_shifts_to_the_base_compose(model: Model, seed: int, frame: Any) -> None:
    q, _ = model.random(seed)
    found = evaluate(s.X_abs @ s.E_phi, model, q=q, frame=frame).dense()
    absolute = LeafValues(model, q, frame=frame).blocks(record.X_abs)
    for k, p in enumerate(model.parent):
        if p >= 0:
            block = found[6 * p : 6 * p + 6, 6 * k : 6 * k + 6]
            assert apart(block, absolute[k]) <= rounding(1.0 + size(absolute), terms=6 * model.depth)


@given(mechanisms(), seeds, st.sampled_from(["body", "world"]))
@settings(max_examples=40)
def test_weight_on_the_ground(model: Model, seed: int, frame: Any) -> None:
    q, _ = model.random(seed)
    wrench = evaluate(s.E_ground @ s.phi @ s.M @ s.phi.T @ s.a_ground, model, q=q, frame=frame).dense()
    R, p = poses(model, q)
    centres = p + np.einsum("nij,nj->ni", R, model.arrays.com)
    weights = -model.arrays.mass[:, None] * np.array(model.gravity)
    expected = np.concatenate([np.cross(centres, weights).sum(axis=0), weights.sum(axis=0)])
    terms = (1.0 + size(centres)) * float(np.abs(weights).sum())
    assert apart(wrench, expected) <= rounding(terms, terms=6 * model.depth)


@given(mechanisms(), seeds, st.sampled_from(["body", "world"]))
@settings(max_examples=40)
def test_inertia_about_the_mass_centre_has_no_coupling(model: Model, seed: int, frame: Any) -> None:
    q, _ = model.random(seed)
    central = evaluate(s.X_cm @ s.M @ s.X_cm.T, model, q=q, frame=frame)
    for k, body in enumerate(model.bodies):
        block = central[k, k]
        bound = rounding(size(body.inertia.matrix()) * (1.0 + size(body.inertia.com)) ** 2, terms=6 * 6)
        assert size(block[:3, 3:]) <= bound
        assert apart(block[3:, 3:], body.inertia.mass * np.eye(3)) <= bound


@given(mechanisms(armature=True), st.sampled_from(["body", "world"]))
@settings(max_examples=40)
def test_leading_axes_are_a_batch(model: Model, frame: Any) -> None:
    samples = [model.random(seed) for seed in range(6)]
    q, v = (np.array(part).reshape(2, 3, -1) for part in zip(*samples, strict=True))
    together = LeafValues(model, q, v, frame)
    for i in np.ndindex(2, 3):
        alone = LeafValues(model, q[i], v[i], frame)
        for leaf in LEAVES:
            for many, one in zip(together.blocks(leaf), alone.blocks(leaf), strict=True):
                part = many if many.ndim == 2 else many[i]
                assert apart(part, one) <= rounding(1.0 + size(one), terms=3 * model.depth)


def test_a_complex_step_differentiates_the_leaves() -> None:
    model = random_tree(6, joints=("revolute", "prismatic", "universal", "helical"), seed=2)
    q, v = model.random(2)
    step = 1e-30
    shifted = LeafValues(model, q + 1j * step * v, frame="world")
    for leaf in (record.E_phi, record.H, record.M):
        for k, block in enumerate(shifted.blocks(leaf)):

            def value(q: Floats, leaf: Leaf = leaf, k: int = k) -> Any:
                return LeafValues(model, q, frame="world").blocks(leaf)[k]

            rate = along(model, q, v, value)
            assert apart(np.imag(block) / step, rate) <= allowed(1.0 + size(np.real(block)), v)


def test_only_roots_feel_the_ground() -> None:
    model = random_tree(7, seed=1)
    q, _ = model.random(1)
    blocks = LeafValues(model, q).blocks(record.a_ground)
    assert [bool(block.any()) for block in blocks] == [p < 0 for p in model.parent]


def test_unknown_names_and_frames_are_refused() -> None:
    model = chain(2)
    with pytest.raises(InputError, match="'X' is not a leaf"):
        record.leaf_named("X")
    with pytest.raises(InputError, match="frame='inertial' is not known"):
        LeafValues(model, model.neutral(), frame="inertial")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"H_dot of .* needs v"):
        LeafValues(model, model.neutral()).groups(record.H_dot)


@given(mechanisms(armature=True), seeds, st.sampled_from(["body", "world"]))
@settings(max_examples=30)
def test_blocks_stand_where_the_record_says_and_vanish_where_it_says(model: Model, seed: int, frame: Any) -> None:
    q, v = model.random(seed)
    values, parent = LeafValues(model, q, v, frame), np.array(model.parent)
    for symbol in s.LEAVES:
        leaf = symbol.leaf
        assert leaf is not None
        whole = evaluate(symbol, model, q=q, v=v if leaf.reads_rates else None, frame=frame)
        expected = np.zeros(whole.shape)
        for bodies, blocks in values.groups(leaf):
            for i, row, col in zip(*(part.tolist() for part in places(leaf, bodies, parent)), strict=True):
                expected[whole.rows.part(row), whole.cols.part(col)] = blocks[i]
        assert np.array_equal(whole.dense().reshape(expected.shape), expected)
        for body, block in zip(model.bodies, values.blocks(leaf), strict=True):
            assert block.shape == leaf.block_shape(body.joint.nv)
            assert leaf.at(body) or not block.any()
        assert not (leaf.absent(model) and expected.any())


def test_local_functions_act_on_motions() -> None:
    rng = np.random.default_rng(0)
    motion, other = rng.standard_normal((2, 6))
    cross = local_blocks(CROSS, motion) @ other
    w, v = motion[:3], motion[3:]
    expected = np.concatenate([np.cross(w, other[:3]), np.cross(v, other[:3]) + np.cross(w, other[3:])])
    assert apart(cross, expected) <= rounding(size(motion) * size(other), terms=4)
    spin = local_blocks(SPIN, motion) @ other
    expected = np.concatenate([np.cross(w, other[:3]), np.cross(w, other[3:])])
    assert apart(spin, expected) <= rounding(size(motion) * size(other), terms=4)


def test_the_cross_product_of_a_vector_with_itself_is_zero() -> None:
    twist = np.random.default_rng(1).standard_normal((7, 6))
    assert size(apply(local_blocks(CROSS, twist), twist)) <= rounding(size(twist) ** 2, terms=4)


def test_the_cross_product_keeps_the_jacobi_identity() -> None:
    x, y, z = np.random.default_rng(1).standard_normal((3, 6))

    def cross(a: Floats, b: Floats) -> Floats:
        return local_blocks(CROSS, a) @ b

    total = cross(x, cross(y, z)) + cross(y, cross(z, x)) + cross(z, cross(x, y))
    assert size(total) <= rounding(size(x) * size(y) * size(z), terms=3 * 4 * 4)


def test_blocks_hold_the_parts_where_they_belong() -> None:
    twist = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0])  # turns about z, moves along x
    motion = local_blocks(CROSS, twist)
    assert motion[:3, 3:].tolist() == np.zeros((3, 3)).tolist()
    assert (motion @ np.array([1.0, 0, 0, 0, 1.0, 0])).tolist() == [0, 1, 0, -1, 0, 0]
