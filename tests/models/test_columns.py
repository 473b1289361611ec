"""Models made of columns are those made of `Body` objects: equal, with one hash, the same arrays and faults."""

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import ModelError
from operator_algebra.models.configurations import generator
from operator_algebra.models.families import chain, forest, random_inertia, random_joint, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.joints.axis import random_direction
from operator_algebra.models.joints.joint import Joint, joint_class, make_joint
from operator_algebra.models.model import Body, Model
from operator_algebra.models.plausible import inertia_problems
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.strategies import ALL_JOINTS


def _drawn_singly(name: str, parents: list[int], kinds: list[str], seed: int, mass_spread: float) -> Model:
    """A forest, one body after the other."""
    rng = generator(seed)
    bodies: list[Body] = []
    for k, kind in enumerate(kinds):
        axis, angle, place = random_direction(rng), float(rng.uniform(-math.pi, math.pi)), rng.uniform(-0.5, 0.5, 3)
        placement = Placement.from_axis_angle(axis, angle, place.tolist())
        scale = 10.0 ** float(rng.uniform(-mass_spread, mass_spread))
        joint = random_joint(kind, rng, name=f"joint{k + 1}")
        above = f"link{parents[k] + 1}" if parents[k] >= 0 else None
        bodies.append(Body(f"link{k + 1}", above, joint, placement, random_inertia(rng, scale=scale)))
    return Model(name=name, bodies=bodies)


def _parents(count: int, seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    return [int(rng.integers(-1, k)) for k in range(count)]


@given(
    st.lists(st.sampled_from(ALL_JOINTS), min_size=1, max_size=12), st.integers(0, 10**6), st.sampled_from([0.0, 3.0])
)
def test_bodies_drawn_at_once_are_those_drawn_singly(kinds: list[str], seed: int, spread: float) -> None:
    parents = _parents(len(kinds), seed)
    at_once = forest("tree", parents, kinds, generator(seed), spread)
    singly = _drawn_singly("tree", parents, kinds, seed, spread)
    assert at_once.bodies == singly.bodies
    assert at_once == singly
    assert singly == at_once
    assert hash(at_once) == hash(singly)


def test_blocks_of_bodies_follow_each_other() -> None:
    """More bodies than are drawn at once."""
    kinds = [ALL_JOINTS[k % len(ALL_JOINTS)] for k in range(5000)]
    parents = _parents(5000, 1)
    assert forest("tree", parents, kinds, generator(5)) == _drawn_singly("tree", parents, kinds, 5, 0.0)
    regular = chain(5000, joint=list(ALL_JOINTS))
    for k in (0, 1, 4095, 4096, 4999):
        kind, body = ALL_JOINTS[k % len(ALL_JOINTS)], regular.columns.body(k)
        assert body.joint == make_joint(kind, name=f"joint{k + 1}", **joint_class(kind).chain_options(k))
        assert body.placement == Placement(translation=(float(k > 0), 0, 0))


@given(st.integers(1, 9), st.integers(0, 999))
def test_columns_and_objects_say_the_same(count: int, seed: int) -> None:
    model = random_tree(count, joints=ALL_JOINTS, seed=seed)
    remade = Model(name=model.name, bodies=model.bodies)
    assert remade == model
    assert remade.digest == model.digest
    assert [model.columns.body(k) for k in range(count)] == list(remade.bodies) == list(model.bodies)
    assert (remade.nq, remade.nv, remade.parent, repr(remade), str(remade)) == (
        model.nq,
        model.nv,
        model.parent,
        repr(model),
        str(model),
    )
    for one, two in zip(model.joint_groups, remade.joint_groups, strict=True):
        assert one.joint.name == two.joint.name
        np.testing.assert_array_equal(one.q, two.q)
        np.testing.assert_array_equal(one.v, two.v)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert again == model
        assert again.bodies == model.bodies
        assert hash(again) == hash(model)
        assert not any(array.flags.writeable for array in vars(again.arrays).values())


@pytest.mark.parametrize("name", ["satellite", "humanoid", "tree4", "hand"])
def test_bodies_made_of_columns_are_those_given(name: str) -> None:
    """Springs, dampers, limits, rests and names of joints come back from the columns."""
    model = load(name)
    assert model.columns.bodies() == model.bodies
    assert tuple(map(model.columns.body, range(model.n))) == model.bodies
    assert pickle.loads(pickle.dumps(model)).bodies == model.bodies


_CHANGES: list[Callable[[Body], Body]] = [
    lambda body: replace(body, inertia=Inertia(body.inertia.mass * 2, body.inertia.com, body.inertia.inertia_at_com)),
    lambda body: replace(body, placement=Placement(body.placement.rotation, (9, 9, 9))),
    lambda body: replace(body, joint=replace(body.joint, armature=(0.5,))),
    lambda body: replace(body, joint=replace(body.joint, damping=(0.5,))),
    lambda body: replace(body, joint=replace(body.joint, stiffness=(0.5,))),
    lambda body: replace(body, joint=replace(body.joint, stiffness=(0.5,), rest=(1.0,))),
    lambda body: replace(body, joint=Joint.revolute((0, 0.6, 0.8), name=body.joint.name)),
    lambda body: replace(body, joint=body.joint.named("other")),
    lambda body: replace(body, name="other"),
    lambda body: replace(body, parent=None),
]


@pytest.mark.parametrize("change", _CHANGES)
def test_a_change_of_one_body_is_seen(change: Callable[[Body], Body]) -> None:
    model = chain(3, seed=4)
    other = Model(name=model.name, bodies=[*model.bodies[:2], change(model.bodies[2])])
    assert other != model
    assert other.digest != model.digest
    assert other.bodies[:2] == model.bodies[:2]


def test_a_joint_of_a_user_stays_whole() -> None:
    from dataclasses import dataclass
    from typing import ClassVar

    @dataclass(frozen=True, kw_only=True, repr=False)
    class Slide(Joint):
        kind: ClassVar[str] = "slide"
        nq: ClassVar[int] = 1
        nv: ClassVar[int] = 1
        colour: str = "red"

        def transform(self, q: Any, xp: Any) -> tuple[Any, Any]:
            zero = xp.zeros_like(q[..., 0])
            return xp.broadcast_to(xp.eye(3), (*q.shape[:-1], 3, 3)), xp.stack([q[..., 0], zero, zero], axis=-1)

        def motion_map(self, q: Any, xp: Any) -> Any:
            return xp.broadcast_to(np.eye(6)[:, 3:4], (*q.shape[:-1], 6, 1))

    def made(colour: str) -> Model:
        body = Body("cart", None, Slide(colour=colour), inertia=Inertia.sphere(1.0, 0.1))
        return Model(bodies=[body, *chain(2).bodies])

    assert made("red") == made("red")
    assert made("red") != made("blue")
    assert made("red").digest != made("blue").digest
    assert made("blue").columns.bodies() == made("blue").bodies


def test_faults_of_numbers_name_their_bodies() -> None:
    """Each fault once where bodies share a part, once for each body where they do not."""
    heavy, thin = Inertia(-2.0), Inertia(1.0, (0, 0, 0), (0.4, 0.1, 0.2))
    hinge = Joint.revolute()
    shared = [Body(f"b{k}", f"b{k - 1}" if k else None, hinge, inertia=heavy) for k in range(3)]
    with pytest.raises(ModelError) as caught:
        Model(bodies=shared)
    assert str(caught.value).splitlines()[0].startswith('model "model", body "b0": the mass is negative: -2')
    assert len(str(caught.value).splitlines()) == 1
    own = [replace(body, inertia=Inertia(-1.0 - k)) for k, body in enumerate(shared)]
    with pytest.raises(ModelError) as caught:
        Model(bodies=[*own, Body("flat", "b0", hinge, inertia=thin)])
    for name, what in (("b0", "-1"), ("b1", "-2"), ("b2", "-3"), ("flat", "0.4 > 0.2 + 0.1")):
        assert any(f'body "{name}"' in line and what in line for line in str(caught.value).splitlines())
    with pytest.raises(ModelError, match='body "b1": a number is too large to compute with: 1e\\+31'):
        Model(bodies=[shared[0], replace(shared[1], placement=Placement(translation=(-1e31, 0, 0)))])
    with pytest.raises(ModelError, match='body "b0": a number is too large to compute with: 1e\\+31'):
        Model(bodies=[replace(shared[0], joint=Joint.helical(pitch=-1e31))])
    with pytest.raises(ModelError, match="too large"):
        Model(bodies=[replace(shared[0], joint=Joint.revolute(stiffness=1.0, rest=1e31))])


@given(st.integers(0, 10**6))
def test_bodies_that_pass_unseen_would_pass_when_seen(seed: int) -> None:
    """What is told from pivots of second moments alone agrees with principal moments."""
    rng = np.random.default_rng(seed)
    moments = np.abs(rng.normal(size=(40, 3))) * 10.0 ** rng.integers(-3, 4, (40, 1))
    turns = np.linalg.qr(rng.normal(size=(40, 3, 3)))[0]
    inertias = turns @ (moments[..., None] * np.swapaxes(turns, -1, -2))
    inertias = 0.5 * (inertias + np.swapaxes(inertias, -1, -2))
    told = {problem.where for problem in inertia_problems(np.zeros(40), inertias, str)}
    least, middle, most = np.sort(moments, axis=1).T
    assert {str(k) for k in np.flatnonzero(least + middle < 0.999 * most)} <= told
    assert told <= {str(k) for k in np.flatnonzero(least + middle < most)}


@pytest.mark.slow
def test_a_million_bodies() -> None:
    """Built, hashed and compiled without an object for each body."""
    model = chain(1_000_000, seed=0)
    assert len(model.digest) == 64
    program = compile_program(dynamics.forward_dynamics, model)
    q, v = model.random(0)
    found = program(q=q, v=v, T=np.zeros(model.nv))
    assert np.isfinite(found).all()
    assert "bodies" not in vars(model)
    assert model.columns.body(999_999).parent == "link999999"
