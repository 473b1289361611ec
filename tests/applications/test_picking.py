"""What picks frames from bodies: places, axes, order, and what is refused."""

from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.applications.picking import pick_rates, picks, stack
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.spatial.transforms import Placement
from tests.rounding import apart, differencing, rounding, size

TURNED = Placement.from_rpy((0.3, -0.2, 0.5), translation=(0.1, 0.2, -0.4))


def tree(**frames: oa.Frame) -> Model:
    return Model(name="tree", bodies=oa.random_tree(5, seed=3).bodies, frames=frames)


def twice(rotation: Any) -> Any:
    return np.block([[rotation, np.zeros((3, 3))], [np.zeros((3, 3)), rotation]])


def at(model: Model, k: int) -> str:
    return model.body_names[k]


PLAIN = tree()
MODEL = tree(
    tool=oa.Frame(at(PLAIN, 4), TURNED),
    camera=oa.Frame(at(PLAIN, 4)),
    table=oa.Frame(None),
    hand=oa.Frame(at(PLAIN, 2)),
)
Q, RATES = MODEL.random(0)
# What rounding may leave of a pose at the end of five bodies.
POSED = rounding(terms=3 * 5)


def test_a_joint_means_the_frame_of_its_body() -> None:
    name = MODEL.joint_names[4]
    assert np.array_equal(picks(MODEL, [name])[name], np.eye(6))
    assert np.array_equal(picks(MODEL, ["camera"])["camera"], np.eye(6))


def test_a_force_at_a_frame_has_a_moment_about_the_body() -> None:
    block = picks(MODEL, ["tool"])["tool"]
    force = np.array([1.0, -2.0, 0.5])
    turned = np.asarray(TURNED.rotation) @ force
    assert apart(block[:, 3:] @ force, [*np.cross(TURNED.translation, turned), *turned]) <= rounding(
        size(force), terms=3
    )
    assert np.array_equal(picks(MODEL, ["tool"], linear=True)["tool"], block[:, 3:])


def test_base_axes_are_those_of_the_base_whatever_the_frame() -> None:
    rotation = oa.dynamics.poses(MODEL, q=Q)["tool"][0]
    own, base = (picks(MODEL, ["tool"], q=pose)["tool"] for pose in (None, Q))
    assert apart(base @ twice(rotation), own) <= POSED
    body = oa.dynamics.poses(MODEL, q=Q)[at(MODEL, 4)][0]
    world = picks(MODEL, ["tool"], q=Q, frame="world")["tool"]
    assert apart(world, twice(body) @ base) <= POSED


@pytest.mark.parametrize("linear", [True, False])
def test_rates_are_those_of_the_picks(linear: bool) -> None:
    step = 1e-5
    ahead, behind = (
        picks(MODEL, ["tool", "hand"], q=MODEL.integrate(Q, sign * step * RATES), linear=linear) for sign in (1, -1)
    )
    for name, rate in pick_rates(MODEL, ["tool", "hand"], q=Q, v=RATES, linear=linear).items():
        slope = (ahead[name] - behind[name]) / (2 * step)
        assert apart(rate, slope) <= differencing(size(ahead[name]), step, rate=float(np.abs(RATES).sum()))


def test_leading_axes_are_a_batch() -> None:
    q, v = np.stack([Q, MODEL.neutral()]), np.stack([RATES, RATES])
    for frame in ("body", "world"):
        blocks = (
            picks(MODEL, ["tool"], q=q, frame=frame)["tool"],
            pick_rates(MODEL, ["tool"], q=q, v=v, frame=frame)["tool"],
        )
        for i in range(2):
            assert apart(blocks[0][i], picks(MODEL, ["tool"], q=q[i], frame=frame)["tool"]) <= POSED
            alone = pick_rates(MODEL, ["tool"], q=q[i], v=v[i], frame=frame)["tool"]
            assert apart(blocks[1][i], alone) <= POSED * float(np.abs(RATES).sum())
    assert stack(MODEL, picks(MODEL, ["tool", "hand"], q=q, linear=True)).shape == (2, 30, 6)


def test_columns_are_stacked_in_the_order_of_the_names() -> None:
    picked = picks(MODEL, ["tool", "hand"], linear=True)
    whole = stack(MODEL, picked)
    expected = np.zeros((30, 6))
    expected[24:30, :3], expected[12:18, 3:] = picked["tool"], picked["hand"]
    assert np.array_equal(whole, expected)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["nothing"], r"picks of tree: there is no joint or frame 'nothing'\. There are .*tool"),
        (["table"], r'the frame "table" is fixed to the ground\. Name one that moves'),
        (["tool", "tool"], "a name is given twice in .* Give a list of different names"),
        ("tool", "what is picked is 'tool'. Give a list of different names"),
    ],
)
def test_names_that_mean_no_moving_frame_are_refused(names: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        picks(MODEL, names)
    with pytest.raises(InputError, match=message):
        pick_rates(MODEL, names, q=Q, v=RATES)


def test_axes_that_depend_on_the_pose_need_it() -> None:
    with pytest.raises(InputError, match=r'in frame="world" depend on the pose\. Give q'):
        picks(MODEL, ["tool"], frame="world")
    wrong: Any = "base"
    with pytest.raises(InputError, match="frame='base' is not known"):
        picks(MODEL, ["tool"], q=Q, frame=wrong)


def test_blocks_that_are_no_picks_are_refused() -> None:
    with pytest.raises(InputError, match="nothing of tree was picked"):
        stack(MODEL, {})
    for block in (np.eye(3), np.ones(6)):
        with pytest.raises(InputError, match=r'the block at "tool" has shape .*six rows'):
            stack(MODEL, {"tool": block})
