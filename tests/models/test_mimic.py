"""Joints that follow others: as values, in files, and as embedded dynamics against dense algebra."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra import embedding
from operator_algebra.errors import InputError, ModelError
from operator_algebra.models.model import Body, Mimic, Model
from operator_algebra.symbols import T, inv
from tests.rounding import condition, rounding

ONE_MOTION = ("revolute", "prismatic", "helical")


def geared(seed: int, *, leading: int = 2, followers: int = 4) -> Model:
    """A random forest with joints of many kinds, of which some with one motion follow others anywhere in it."""
    rng = np.random.default_rng(seed)
    plain = oa.random_tree(9, branching=0.6, seed=seed, joints=(*ONE_MOTION, *ONE_MOTION, "spherical", "universal"))
    single = [k for k, body in enumerate(plain.bodies) if body.joint.kind in ONE_MOTION]
    chosen: list[str] = [plain.joint_names[k] for k in rng.permutation(single).tolist()]
    leading = min(leading, len(chosen) - 1)
    mimic = [
        Mimic(name, chosen[int(rng.integers(leading))], float(rng.uniform(-2.0, 2.0)), float(rng.uniform(-1.0, 1.0)))
        for name in chosen[leading : leading + followers]
    ]
    bodies = [
        replace(body, joint=replace(body.joint, armature=(0.1,) * body.joint.nv, damping=(0.2,) * body.joint.nv))
        for body in plain.bodies
    ]
    return Model(name=f"geared {seed}", bodies=bodies, mimic=mimic)


def dense_gears(model: Model) -> np.ndarray[Any, Any]:
    """G by its definition, entry by entry."""
    start = dict(zip(model.joint_names, (part.start for part in model.v_slices), strict=True))
    led = {start[mimic.joint]: mimic for mimic in model.mimic}
    free = [i for i in range(model.nv) if i not in led]
    G = np.zeros((model.nv, len(free)))
    for i in range(model.nv):
        G[i, free.index(start[led[i].follows] if i in led else i)] = led[i].multiplier if i in led else 1.0
    return G


@pytest.mark.parametrize("seed", range(6))
def test_embedded_dynamics_are_those_of_dense_projection(seed: int) -> None:
    model = geared(seed)
    assert model.mimic
    q, v = model.random(seed)
    torque = np.random.default_rng(seed).uniform(-1.0, 1.0, model.nv)
    G, coupling = dense_gears(model), embedding.coupling(model)
    np.testing.assert_array_equal(embedding.matrix(model), G)
    mass = oa.evaluate(oa.dynamics.mass_matrix, model, q=q).dense()
    bias = oa.evaluate(oa.dynamics.bias, model, q=q, v=v).dense().ravel()
    reduced = G.T @ mass @ G
    size = np.sqrt(np.diag(reduced))
    allowed = rounding(terms=9 * model.n) * condition(reduced / np.outer(size, size))
    expected = G @ np.linalg.solve(reduced, G.T @ (torque - bias))
    scale = np.abs(expected).max() + np.abs(bias).max() / np.diag(reduced).min()
    given: dict[str, Any] = {"q": q, "v": v, "T": torque}
    for answer in (
        oa.compile(embedding.coupled_acceleration, model)(**given, **coupling),
        oa.evaluate(embedding.coupled_acceleration, model, **given, **coupling).dense().ravel(),
        oa.compile(
            embedding.G_mimic @ inv(embedding.geared_mass_matrix) @ embedding.G_mimic.T @ (T - oa.dynamics.bias), model
        )(**given, G_mimic=G),
    ):
        assert np.abs(answer - expected).max() <= allowed * scale
        assert np.abs(answer - embedding.follow_rates(model, answer)).max() <= allowed * scale
    qdd = np.linalg.solve(reduced, G.T @ (torque - bias))
    back = oa.compile(embedding.geared_inverse_dynamics, model)(q=q, v=v, qdd_independent=qdd, G_mimic=G)
    assert np.abs(back - G.T @ torque).max() <= allowed * (np.abs(bias).max() + np.abs(mass).max() * scale)


def test_a_leader_without_mass_is_carried_by_its_followers() -> None:
    """What is inverted is definite where G* ℳ G is, though D of the leader alone is zero."""
    model = geared(1, leading=1)
    leader = model.joint_index(model.mimic[0].follows)
    light = [
        replace(body, inertia=oa.Inertia(), joint=replace(body.joint, armature=(0.0,))) if k == leader else body
        for k, body in enumerate(model.bodies)
    ]
    bare = Model(name="light", bodies=light, mimic=model.mimic, strict=True)
    q, v = bare.random(0)
    G = dense_gears(bare)
    mass = oa.evaluate(oa.dynamics.mass_matrix, bare, q=q).dense()
    bias = oa.evaluate(oa.dynamics.bias, bare, q=q, v=v).dense().ravel()
    answer = oa.compile(embedding.coupled_acceleration, bare)(q=q, v=v, T=np.zeros(bare.nv), **embedding.coupling(bare))
    np.testing.assert_allclose(G.T @ mass @ answer, -G.T @ bias, rtol=1e-9, atol=1e-9 * np.abs(bias).max())


def test_forward_dynamics_takes_no_more_sweeps_than_with_free_joints() -> None:
    free, led = oa.lower(oa.dynamics.forward_dynamics), oa.lower(embedding.coupled_acceleration)
    assert len(led.sweeps) == len(free.sweeps) == 3


def test_random_configurations_keep_to_the_gears() -> None:
    model = geared(3)
    q, v = model.random(5)
    places = dict(zip(model.joint_names, zip(model.q_slices, model.v_slices, strict=True), strict=True))
    for mimic in model.mimic:
        (own_q, own_v), (q_followed, v_followed) = places[mimic.joint], places[mimic.follows]
        assert q[own_q] == mimic.multiplier * q[q_followed] + mimic.offset
        assert v[own_v] == mimic.multiplier * v[v_followed]
    np.testing.assert_array_equal(embedding.follow(model, q), q)
    moved = embedding.follow(model, np.stack([model.neutral(), q]))
    np.testing.assert_array_equal(moved[1], q)


METHODS: dict[str, Any] = {
    "runge-kutta": {},
    "semi-implicit": {"method": "semi-implicit", "step": 2e-2},
    "implicit": {"method": "implicit", "step": 2e-2},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_simulation_keeps_to_the_gears(method: str) -> None:
    """Two blocks driven against each other by one motor: the force moves both masses, by 1 and by the square of 2."""
    block = oa.Inertia(1.5, inertia_at_com=(1.0, 1.0, 1.0))
    bodies = [Body(name, None, oa.Joint.prismatic((1, 0, 0)), inertia=block) for name in ("left", "right")]
    model = Model(name="rail", bodies=bodies, mimic=[Mimic("right", "left", -2.0, 0.25)])
    film = oa.simulate(model, [0.0, 0.25], [0.0, 0.0], torque=[3.0, 0.5], until=1.0, **METHODS[method])
    rate = (3.0 - 2.0 * 0.5) / (1.5 + 4.0 * 1.5)
    off = 0.5 * rate * METHODS[method].get("step", 0.0)  # of order one, v⁺ in each step
    assert abs(film.v[-1, 0] - rate) <= rounding(rate, terms=1000)
    assert abs(film.q[-1, 0] - rate / 2.0) <= off + rounding(terms=1000)
    assert np.abs(film.q[:, 1] - (0.25 - 2.0 * film.q[:, 0])).max() <= rounding(2.0, terms=1000)
    assert np.abs(film.v[:, 1] + 2.0 * film.v[:, 0]).max() <= rounding(2.0, terms=1000)


def test_a_geared_mechanism_keeps_its_energy() -> None:
    plain = geared(4)
    free = [replace(body, joint=replace(body.joint, damping=(0.0,) * body.joint.nv)) for body in plain.bodies]
    model = Model(name="geared", bodies=free, mimic=plain.mimic)
    q, v = model.random(1)
    tolerance = 1e-10  # of each step, in radians and metres and as a share of rates
    film = oa.simulate(model, q, v, until=0.05, tolerance=tolerance)
    energy = film.energy()
    felt = np.abs(energy.kinetic).max() + 9.81 * oa.dynamics.total_mass(model)
    assert energy.drift <= tolerance * len(film.t) * felt


def test_a_start_out_of_gear_is_refused() -> None:
    model = geared(0)
    q, v = model.random(0)
    place = model.q_slices[model.joint_index(model.mimic[0].joint)].start
    q[place] += 0.1
    with pytest.raises(InputError, match=rf'joint "{model.mimic[0].joint}" .* q is 0.1 away .*embedding.follow\('):
        oa.simulate(model, q, v, until=0.1)
    with pytest.raises(InputError, match=r"v is .* away .*embedding.follow_rates\("):
        oa.simulate(model, embedding.follow(model, q), v + 1.0, until=0.1)


def test_gears_are_part_of_the_value() -> None:
    model = geared(2)
    free = Model(name=model.name, bodies=model.bodies)
    assert model != free
    assert model.digest != free.digest
    assert pickle.loads(pickle.dumps(model)) == model
    assert f"nv {model.nv}, {len(model.mimic)} mimic" in repr(model)
    lines = str(model).splitlines()
    for mimic in model.mimic:
        assert any(mimic.joint in line and f"mimics {mimic.follows}" in line for line in lines)
    assert "mimics" not in str(free)
    with pytest.raises(InputError, match="no joint mimics another"):
        embedding.coupling(free)


@pytest.mark.parametrize("ending", [".toml", ".urdf"])
def test_files_keep_gears_to_the_bit(ending: str, tmp_path: Path) -> None:
    arm = oa.chain(4)
    a, b, c, d = arm.joint_names
    gears = [Mimic(c, a, 1 / 3, -0.1), Mimic(d, b, -1e-7, 1e20 / 3)]
    model = Model(name="geared", bodies=arm.bodies, gravity=arm.gravity, mimic=gears)
    model.save(tmp_path / f"geared{ending}")
    again = oa.load(tmp_path / f"geared{ending}")
    assert set(again.mimic) == set(model.mimic)
    assert not oa.load(tmp_path / f"geared{ending}", mimic=False).mimic
    if ending == ".toml":
        assert again == model


BODY = (
    '[[bodies]]\nname = "{}"\njoint = {{ kind = "{}" }}\nmass = 1.0\ncom = [0.1, 0.2, 0.3]\ninertia = [1.0, 1.0, 1.0]\n'
)
BODIES = "version = 1\n" + "".join(
    BODY.format(name, kind)
    for name, kind in (("a", "revolute"), ("b", "prismatic"), ("c", "revolute"), ("ball", "spherical"))
)
WRONG = {
    'joint = "a"\nfollows = "d"': 'line 28, mimic joint "a": the joint "d" that it mimics does not exist',
    'joint = "d"\nfollows = "a"': 'mimic joint "d": there is no joint "d" that could follow another',
    'joint = "a"\nfollows = "a"': "the joint mimics itself",
    'joint = "a"\nfollows = "ball"': 'it mimics "ball", a spherical joint, which has not just one motion',
    'joint = "ball"\nfollows = "a"': "but is a spherical joint, which has not just one motion",
    'joint = "a"': "there is no follows",
    'joint = "a"\nfollows = 3': "follows is 3, not a text",
    'joint = "a"\nfollows = "b"\nmultiplier = nan': "multiplier is not finite",
    'joint = "a"\nfollows = "b"\nmultiplier = 1e40': "the multiplier of a mimic is 1e+40",
    'joint = "a"\nfollows = "b"\nratio = 1.0': 'unknown key "ratio"',
    'joint = "a"\nfollows = "b"\n[[mimic]]\njoint = "a"\nfollows = "c"': 'it mimics "b" already',
    'joint = "a"\nfollows = "b"\n[[mimic]]\njoint = "b"\nfollows = "c"': '"b" that it mimics mimics another one, "c"',
    'joint = "a"\nfollows = "b"\n[[mimic]]\njoint = "b"\nfollows = "a"': '"a" that it mimics mimics another one, "b"',
}


@pytest.mark.parametrize("text", WRONG)
def test_gears_that_cannot_be_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(f"{BODIES}[[mimic]]\n{text}\n")
    with pytest.raises(ModelError) as caught:
        oa.load(path)
    assert WRONG[text] in str(caught.value)
    assert str(caught.value).startswith("wrong.toml, line ")


def test_what_is_wrong_is_said_with_everything_else() -> None:
    box = oa.Inertia.box(1.0, (0.1, 0.2, 0.3))
    bodies = [Body("a", None, oa.Joint.revolute((0, 0, 1)), inertia=box), Body("b", "x", oa.Joint.fixed(), inertia=box)]
    with pytest.raises(ModelError) as caught:
        Model(bodies=bodies, mimic=[Mimic("a", "c"), Mimic("a", "a")])
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    for entry in (("a", "b"), None, Mimic):
        with pytest.raises(ModelError, match="is not a Mimic"):
            Model(bodies=bodies[:1], mimic=[entry])  # pyright: ignore[reportArgumentType]
    for options in ({"multiplier": float("inf")}, {"offset": "1"}, {"multiplier": True}, {"follows": 3}):
        with pytest.raises(ModelError):
            Mimic(**{"joint": "a", "follows": "b", **options})  # pyright: ignore[reportArgumentType]
