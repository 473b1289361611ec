"""The vectorised evaluation of a model against its joints, one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.models import kinematics
from operator_algebra.models.model import Model
from operator_algebra.spatial.transforms import phi_block
from operator_algebra.spatial.vectors import skew
from tests.oracles.by_body import joint_map_rates, joint_maps
from tests.rounding import apart, differencing, rounding, size
from tests.strategies import mechanisms


@given(mechanisms(), st.integers(0, 1000))
def test_blocks_are_those_of_the_joints(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    batch, rates = np.stack([q, model.neutral()]), np.stack([v, 2.0 * v])
    rotation, position = kinematics.joint_transforms(model, batch, np)
    placed = kinematics.body_transforms(model, batch, np)
    maps = joint_maps(model, batch)
    map_rates = joint_map_rates(model, batch, rates)
    assert rotation.shape == (2, model.n, 3, 3)
    assert position.shape == (2, model.n, 3)
    for k, body in enumerate(model.bodies):
        for sample in range(2):
            own, rate = batch[sample, model.q_slices[k]], rates[sample, model.v_slices[k]]
            R, p = body.joint.transform(own, np)
            pairs = [(rotation[sample, k], R), (position[sample, k], p)]
            pairs += [(maps[k][sample], body.joint.motion_map(own, np))]
            pairs += [(map_rates[k][sample], body.joint.motion_map_rate(own, rate, np))]
            turned, moved = np.array(body.placement.rotation), np.array(body.placement.translation)
            pairs += [
                (placed[0][sample, k], turned @ R),
                (placed[1][sample, k], moved + turned @ p),
            ]
            for found, wanted in pairs:
                assert apart(found, wanted) <= rounding(1.0 + size(own), terms=3)


@given(mechanisms(), st.integers(0, 1000))
def test_only_maps_that_depend_on_q_have_rate_groups(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    bodies = [k for group in kinematics.joint_map_rate_groups(model, q, v, np) for k in group.bodies]
    there, _ = model.random(seed + 1)
    maps = zip(joint_maps(model, q), joint_maps(model, there), strict=True)
    assert sorted(bodies) == [k for k, (here, other) in enumerate(maps) if (here != other).any()]


@given(mechanisms())
def test_inertia_blocks(model: Model) -> None:
    found = kinematics.inertia_blocks(model)
    for k, body in enumerate(model.bodies):
        assert (found[k] == body.inertia.matrix()).all()
        assert np.linalg.eigvalsh(found[k])[0] > 0.0


@given(mechanisms(max_bodies=4), st.integers(0, 1000))
def test_velocities_are_derivatives_of_poses(model: Model, seed: int) -> None:
    """The twist of a body, summed along its path, against differences of its pose in the ground."""
    q, v = model.random(seed)
    rotation, shift = kinematics.body_transforms(model, q, np)
    maps = joint_maps(model, q)
    twists: list[np.ndarray] = []
    for k, p in enumerate(model.parent):
        relative = maps[k] @ v[model.v_slices[k]]
        carried = phi_block(rotation[k], shift[k], np).T @ twists[p] if p >= 0 else 0.0
        twists.append(carried + relative)
    h = 1e-5
    ahead, behind = (_poses(model, model.integrate(q, s * h * v)) for s in (1.0, -1.0))
    here = _poses(model, q)
    for k, twist in enumerate(twists):
        spin = here[k][:3, :3].T @ (ahead[k] - behind[k])[:3, :3] / (2 * h)
        move = here[k][:3, :3].T @ (ahead[k] - behind[k])[:3, 3] / (2 * h)
        wanted = skew(twist[:3], np)
        allowed = differencing(size(*here), h, rate=float(np.abs(v).sum()))
        assert apart(spin, wanted) <= allowed
        assert apart(move, twist[3:]) <= allowed


def test_a_model_with_fixed_joints_only_has_no_coordinates() -> None:
    from operator_algebra.models.families import chain

    model = chain(3, joint="fixed")
    q = model.neutral()
    assert q.shape == (0,)
    assert kinematics.body_transforms(model, q, np)[1].tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert model.integrate(q, np.zeros(0)).shape == (0,)


def _poses(model: Model, q: np.ndarray) -> list[np.ndarray]:
    rotation, shift = kinematics.body_transforms(model, q, np)
    poses: list[np.ndarray] = []
    for k, p in enumerate(model.parent):
        step = np.eye(4)
        step[:3, :3], step[:3, 3] = rotation[k], shift[k]
        poses.append(poses[p] @ step if p >= 0 else step)
    return poses
