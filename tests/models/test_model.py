"""Models: numbering, topology, value semantics, and what they refuse."""

import copy
import pickle
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.errors import ModelError, OperatorAlgebraWarning
from operator_algebra.models.families import chain
from operator_algebra.models.gallery import load
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Frame, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.strategies import mechanisms

BALL = Inertia.sphere(1.0, 0.1, com=(0.1, 0.05, 0.0))


def _body(name: str, parent: str | int | None, joint: Joint | None = None, inertia: Inertia = BALL) -> Body:
    return Body(name, parent, joint or Joint.revolute(), inertia=inertia)


def test_bodies_are_stored_depth_first_children_before_siblings() -> None:
    bodies = [_body("a", None), _body("b", "a"), _body("c", "a"), _body("d", "b"), _body("e", None), _body("f", "c")]
    model = Model(bodies=bodies)
    assert model.body_names == ("a", "b", "d", "c", "f", "e")
    assert model.parent == (-1, 0, 1, 0, 3, -1)
    assert model.children == ((1, 3), (2,), (), (4,), (), ())
    assert model.roots == (0, 5)
    assert model.level == (0, 1, 2, 1, 2, 0)
    assert model.height == (2, 1, 0, 1, 0, 0)
    assert model.depth == 3


def test_parents_may_be_places_in_the_given_list_and_may_come_later() -> None:
    by_place = Model(bodies=[_body("tip", 1), _body("root", -1)])
    by_name = Model(bodies=[_body("root", None), _body("tip", "root")])
    assert by_place == by_name
    assert by_place.bodies[1].parent == "root"


@given(mechanisms(), st.randoms(use_true_random=False))
def test_any_order_of_the_bodies_gives_the_same_tree(model: Model, random: Any) -> None:
    shuffled = list(model.bodies)
    random.shuffle(shuffled)
    other = Model(name=model.name, bodies=shuffled)
    assert sorted(other.body_names) == sorted(model.body_names)
    for k, body in enumerate(other.bodies):
        assert other.parent[k] < k
        assert body == model.bodies[model.body_index(body.name)]
        parent = other.body_names[other.parent[k]] if other.parent[k] >= 0 else None
        assert parent == body.parent


@given(mechanisms())
def test_slices_cover_the_coordinates(model: Model) -> None:
    for slices, size in ((model.q_slices, model.nq), (model.v_slices, model.nv)):
        assert [i for part in slices for i in range(part.start, part.stop)] == list(range(size))
    assert sum(len(group.bodies) for group in model.joint_groups) == model.n


@given(mechanisms())
def test_models_are_values(model: Model) -> None:
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert hash(again) == hash(model)
    assert copy.deepcopy(model) == model
    assert model in {again: 1}
    heavier = replace(model.bodies[0], inertia=Inertia.sphere(77.0, 0.1))
    assert Model(name=model.name, bodies=[heavier, *model.bodies[1:]]) != model
    assert Model(name="other", bodies=model.bodies) != model
    assert Model(name=model.name, bodies=model.bodies, gravity=(0, 0, 1)) != model
    assert model != "model"


def test_the_hash_does_not_change_between_runs() -> None:
    code = "from operator_algebra.models.gallery import load; print(load('hand').digest)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == load("hand").digest


def test_the_hash_sees_every_part() -> None:
    body = _body("a", None)
    variants = [
        Model(bodies=[body]),
        Model(bodies=[replace(body, joint=Joint.revolute(armature=0.1))]),
        Model(bodies=[replace(body, joint=Joint.revolute(damping=0.1))]),
        Model(bodies=[replace(body, joint=Joint.prismatic())]),
        Model(bodies=[replace(body, placement=Placement(translation=(0, 0, 1)))]),
        Model(bodies=[replace(body, inertia=Inertia.sphere(1.0, 0.2))]),
        Model(bodies=[body], frames={"tool": Frame("a")}),
        Model(bodies=[body], frames={"tool": Frame(None)}),
        Model(bodies=[body], gravity=(0, 0, 0)),
    ]
    assert len({model.digest for model in variants}) == len(variants)


def test_models_are_frozen() -> None:
    model = chain(2)
    with pytest.raises(ModelError, match="frozen"):
        model.name = "other"
    with pytest.raises(ModelError, match="frozen"):
        del model.name
    with pytest.raises(TypeError):
        model.frames["x"] = Frame(None)  # pyright: ignore[reportIndexIssue]
    with pytest.raises(ValueError, match="read-only"):
        model.arrays.mass[0] = 2.0


def test_names_lead_to_places() -> None:
    model = load("tree4")
    assert model.body_index("fork") == 1
    assert model.joint_index("socket") == 3
    with pytest.raises(ModelError, match=r'there is no joint "sokket"\. There are turn, tilt, slide, socket'):
        model.joint_index("sokket")


def test_a_joint_without_a_name_is_called_like_its_body() -> None:
    assert Model(bodies=[_body("a", None, Joint.revolute(name="hinge")), _body("b", "a")]).joint_names == ("hinge", "b")


def test_large_chains_are_built_in_linear_time() -> None:
    """100,000 bodies deep: nothing recurses, nothing is quadratic."""
    start = time.process_time()
    model = chain(100_000)
    assert model.depth == 100_000
    assert model.nv == 100_000
    assert len(model.joint_groups) == 1
    assert hash(pickle.loads(pickle.dumps(model))) == hash(model)
    assert len(str(model)) < 50_000
    assert time.process_time() - start < 60.0  # quadratic work would take hours


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        ([], "there are no bodies"),
        ([_body("", None)], "the name is empty"),
        ([_body("  ", None)], "the name is empty"),
        ([_body("a\nb", None)], "the name is empty or not printable"),
        ([_body("a", None), _body("a", None)], 'two bodies are called "a"'),
        ([_body("a", None), _body("b", None), _body("a", "b")], "None, 'b' as parents"),
        ([_body("a", "b")], 'the parent "b" is not a body'),
        ([_body("elbow", None), _body("b", "elbov")], 'Did you mean "elbow"'),
        ([_body("a", 7)], "the parent 7 is not the place of a body"),
        ([_body("a", -2)], "the parent -2 is not the place of a body"),
        ([_body("a", True)], "the parent is True"),
        ([_body("a", 0)], "the parents form a cycle: a → a"),
        ([_body("a", "c"), _body("b", "a"), _body("c", "b"), _body("d", None)], "form a cycle"),
        ([_body("a", None, Joint.revolute(name="x")), _body("b", "a", Joint.revolute(name="x"))], "two joints are"),
        ([_body("a", None, Joint.revolute(name="b")), _body("b", "a")], 'two joints are called "b"'),
        ([Body("a", None, "revolute")], "'revolute' is not a Joint"),  # pyright: ignore[reportArgumentType]
        ([Body("a", None, Joint.revolute(), (0, 0, 1))], "is not a Placement"),  # pyright: ignore[reportArgumentType]
        ([Body("a", None, Joint.revolute(), inertia=2.0)], "2.0 is not a Inertia"),  # pyright: ignore[reportArgumentType]
        (["a"], "'a' is not a Body"),
        ([_body("a", None, inertia=Inertia(-1.0))], "the mass is negative: -1"),
        ([_body("a", None, inertia=Inertia(1.0, (0, 0, 0), (1, 1, -1)))], "a principal moment is -1"),
        ([_body("a", None, inertia=Inertia(1.0, (0, 0, 0), (0.4, 0.1, 0.2)))], "0.4 > 0.2 + 0.1"),
        ([_body("a", None, inertia=Inertia())], 'nothing that joint "a" carries has mass'),
        ([_body("a", None), _body("b", "a", inertia=Inertia())], 'nothing that joint "b" carries has mass'),
        ([_body("a", None, inertia=Inertia(1.0))], "no inertia about an axis of its joint"),
        ([_body("a", None, Joint.spherical(), Inertia(1.0, (0, 0, 1)))], "no inertia about an axis"),
    ],
)
def test_bad_bodies_are_refused(bodies: list[Body], message: str) -> None:
    with pytest.raises(ModelError, match=message.replace("+", r"\+")):
        Model(bodies=bodies)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": ""}, "the name of the model"),
        ({"name": 3}, "the name of the model"),
        ({"gravity": (0, 0)}, "gravity is not three finite numbers"),
        ({"gravity": (0, 0, float("nan"))}, "gravity is not three finite numbers"),
        ({"gravity": "down"}, "gravity is not three finite numbers"),
        ({"gravity": None}, "gravity is not three finite numbers"),
        ({"frames": {"": Frame("a")}}, "the name is empty"),
        ({"frames": {"tool": Frame("x")}}, 'frame "tool": the body "x" does not exist'),
        ({"frames": {"tool": "a"}}, "is not a Frame"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Model(bodies=[_body("a", None)], **options)


def test_every_problem_is_listed_at_once() -> None:
    bodies = [_body("a", "x"), _body("b", None, inertia=Inertia(-1.0)), _body("b", None)]
    with pytest.raises(ModelError) as caught:
        Model(bodies=bodies, gravity=(0, 0))
    lines = str(caught.value).splitlines()
    causes = ["gravity", "two bodies", "two joints", 'the parent "x"', "the mass is negative"]
    assert len(lines) == len(causes)
    assert all(cause in line for cause, line in zip(causes, lines, strict=True))


def test_thousands_of_problems_are_cut_short() -> None:
    with pytest.raises(ModelError, match="… and 4980 more"):
        Model(bodies=[_body(f"b{k}", "nobody") for k in range(5000)])


@pytest.mark.parametrize(
    "inertia", [Inertia(-1.0), Inertia(1.0, (0, 0, 0), (0.4, 0.1, 0.2)), Inertia(1.0, (0, 0, 0), (1, 1, -1)), Inertia()]
)
def test_implausible_inertia_is_offered_with_a_warning(inertia: Inertia) -> None:
    with pytest.raises(ModelError, match="strict=False loads it with a warning"):
        Model(bodies=[_body("a", None, inertia=inertia)])
    with pytest.warns(OperatorAlgebraWarning, match='body "a"'):
        model = Model(bodies=[_body("a", None, inertia=inertia)], strict=False)
    assert model.bodies[0].inertia == inertia


def test_what_makes_massless_bodies_harmless() -> None:
    """Armature, a fixed joint, or mass further out: D is not singular then."""
    nothing = Inertia()
    Model(bodies=[_body("a", None), _body("b", "a", Joint.revolute(armature=0.1), nothing)])
    Model(bodies=[_body("a", None), _body("b", "a", Joint.fixed(), nothing)])
    Model(bodies=[_body("a", None, inertia=nothing), _body("b", "a", Joint.revolute((1, 0, 0)))])
    Model(bodies=[_body("a", None, inertia=Inertia(0.0, (0, 0, 0), (0.1, 0.1, 0.1)))])


def test_flat_bodies_with_printed_digits_pass() -> None:
    Model(bodies=[_body("plate", None, inertia=Inertia(1.0, (0, 0, 0), (0.0833333, 0.0833333, 0.166667)))])


def test_arrays_hold_the_data() -> None:
    model = load("tree4")
    assert model.arrays.mass.tolist() == [3.0, 2.0, 1.0, 1.5]
    assert model.arrays.armature.shape == (model.nv,)
    satellite = load("satellite")
    k = satellite.joint_index("hinge_left2")
    assert satellite.arrays.stiffness[satellite.v_slices[k]].tolist() == [40.0]
    assert np.count_nonzero(satellite.arrays.damping) == 6
