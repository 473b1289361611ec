"""The stick figure stands where the mechanism stands, and the ellipsoids are those of M and P."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.models.kinematics import joint_transforms
from operator_algebra.models.model import Model
from operator_algebra.views.content.skeleton import skeleton, weights
from operator_algebra.views.ink.camera import camera
from operator_algebra.views.ink.labelling import place_labels
from operator_algebra.views.robot import robot
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms
from tests.views.figures import words_of


@settings(max_examples=20)
@given(mechanisms(), st.integers(0, 5))
def test_points_follow_from_placements_and_joints(model: Model, seed: int) -> None:
    q, _ = model.random(seed)
    turns, shifts = joint_transforms(model, q, np)
    body = skeleton(model, q)
    pose: list[np.ndarray] = []
    for k, part in enumerate(model.bodies):
        above = pose[model.parent[k]] if model.parent[k] >= 0 else np.eye(4)
        placed, moved = np.eye(4), np.eye(4)
        placed[:3, :3], placed[:3, 3] = part.placement.rotation, part.placement.translation
        moved[:3, :3], moved[:3, 3] = turns[k], shifts[k]
        allowed = rounding(1.0 + size(*pose, shifts), terms=9 * model.n)
        assert apart(body.joints[k], (above @ placed)[:3, 3]) <= allowed
        pose.append(above @ placed @ moved)
        assert apart(body.origins[k], pose[k][:3, 3]) <= allowed
        assert apart(body.centres[k], (pose[k] @ [*part.inertia.com, 1.0])[:3]) <= allowed


def test_links_lead_to_children_frames_or_the_centre_of_mass() -> None:
    quadruped = skeleton(oa.load("quadruped"))
    assert [k for k, _, _ in quadruped.links].count(0) == 4
    assert len(quadruped.links) == 4 + 2 * 4 + 4
    tree = skeleton(oa.load("tree4"))
    assert tree.links[-1][2] == pytest.approx(tree.centres[3])


def test_axes_of_turning_and_sliding() -> None:
    axes = {k: (direction, turning) for k, direction, turning in skeleton(oa.load("tree4")).axes}
    assert axes.keys() == {0, 1, 2}
    assert axes[0][0] == pytest.approx([0, 0, 1])
    assert [axes[k][1] for k in (0, 1, 2)] == [True, True, False]


@settings(max_examples=20)
@given(mechanisms(joints=("revolute", "prismatic", "spherical", "universal", "fixed")), st.integers(0, 5))
def test_no_body_is_lighter_for_what_it_carries(model: Model, seed: int) -> None:
    q, _ = model.random(seed)
    own, felt = weights(model, q)
    for k, part in enumerate(model.bodies):
        assert own[k] == pytest.approx(part.inertia.mass * np.eye(3))
        gained = np.linalg.eigvalsh(felt[k] - own[k])
        assert gained.min() >= -rounding(size(felt[k]), terms=9 * model.n)


def test_a_free_direction_carries_no_weight_and_a_locked_one_all_of_it() -> None:
    rail = oa.Body("cart", None, oa.Joint.prismatic((1, 0, 0)), inertia=oa.Inertia(2.0))
    slider = oa.Body("slider", "cart", oa.Joint.prismatic((0, 0, 1)), inertia=oa.Inertia(5.0))
    _, felt = weights(Model(name="cross slide", bodies=[rail, slider]))
    assert felt[0] == pytest.approx(np.diag([7.0, 7.0, 2.0]))


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_the_outline_of_an_ellipsoid_touches_its_shadow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((3, 3))
    shape = root @ root.T
    eye = camera(skeleton(oa.load("arm7")), (rng.uniform(-180, 180), rng.uniform(-90, 90)))
    outline = eye.outline(shape, 360)
    for angle in rng.uniform(0, 2 * np.pi, 4):
        normal = np.array([np.cos(angle), np.sin(angle)])
        space = normal[0] * eye.right + normal[1] * eye.up
        assert (outline @ normal).max() == pytest.approx(np.sqrt(space @ shape @ space), rel=2e-3)


@given(st.sampled_from(oa.available()), st.floats(-180, 180), st.floats(-90, 90))
def test_the_eye_has_a_right_handed_frame(name: str, azimuth: float, elevation: float) -> None:
    for view in ((azimuth, elevation), None):
        eye = camera(skeleton(oa.load(name)), view)
        frame = np.stack([eye.right, eye.up, eye.toward])
        assert apart(frame @ frame.T, np.eye(3)) <= rounding(terms=3)
        assert np.linalg.det(frame) == pytest.approx(1.0)


def test_a_planar_mechanism_is_seen_from_the_front() -> None:
    for name, normal in (("planar3r", [0, 0, 1]), ("planar2r", [0, -1, 0])):
        arm = oa.load(name)
        eye = camera(skeleton(arm, arm.random(1)[0]))
        assert eye.toward @ normal > 0.9
        assert eye.right[0] > 0.9


@pytest.mark.parametrize("name", oa.available())
def test_every_mechanism_is_drawn(name: str) -> None:
    model = oa.load(name)
    words = words_of(robot(model, model.random(2)[0], ellipsoids=True))
    assert name in words
    assert "at the given q" in " ".join(words)
    if model.n <= 20:
        assert {f"{k} {joint}" for k, joint in enumerate(model.joint_names)} < words


def test_the_papers_count_from_the_tips() -> None:
    assert {"3 shoulder", "1 wrist"} < words_of(robot(oa.load("planar3r"), numbering="paper"))


def test_a_batch_of_configurations_is_refused() -> None:
    arm = oa.load("arm7")
    with pytest.raises(InputError, match="one configuration"):
        robot(arm, np.zeros((2, 7)))


def test_labels_do_not_cover_each_other() -> None:
    points = [(0.1 * i, 0.05 * (i % 3)) for i in range(12)]
    centres = place_labels(points, ["joint"] * 12, 7.0, 1.0, [], (-2.0, 3.0, -2.0, 2.0))
    wide, high = 0.62 * 5 * 7 / 72 + 0.04, 1.25 * 7 / 72
    for i, a in enumerate(centres):
        for b in centres[:i]:
            assert abs(a[0] - b[0]) >= wide - 1e-9 or abs(a[1] - b[1]) >= high - 1e-9
