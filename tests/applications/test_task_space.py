"""Task space against published numbers, dense algebra, differences of poses and velocities, and forward dynamics."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.applications import task_space as ts
from operator_algebra.backends.pivots import SMALL
from operator_algebra.errors import OperatorAlgebraWarning, SpaceMismatch
from operator_algebra.lowering.lower import Method
from operator_algebra.models.model import Model
from operator_algebra.programs.instructions import Relate
from operator_algebra.spatial.arrays import Axes
from tests.evaluation.test_vectors import FRAMES
from tests.oracles import dense_dynamics
from tests.oracles.finite_differences import allowed as differences
from tests.oracles.finite_differences import along
from tests.rounding import EPS, apart, condition, rounding, size
from tests.strategies import ALL_JOINTS, configurations, mechanisms, random_placement

Floats = NDArray[np.float64]
LINALG: Any = np.linalg
VECTORS = json.loads((Path(__file__).parents[1] / "data" / "task_space.json").read_text(encoding="utf-8"))
ARMS = [oa.random_tree(7, joints=("revolute", "prismatic", "spherical", "universal"), seed=seed) for seed in range(4)]
EVERY_JOINT = [oa.random_tree(len(ALL_JOINTS) + 2, joints=ALL_JOINTS, seed=seed) for seed in range(6)]
MOVING = ts.of(s.B, ts.B_dot)


def with_frames(model: Model) -> Model:
    """Two frames on the last body and one on another, placed at random."""
    rng = np.random.default_rng(7)
    bodies = {"tool": model.body_names[-1], "camera": model.body_names[-1], "hand": model.body_names[model.n // 2]}
    frames = {name: oa.Frame(body, random_placement(rng)) for name, body in bodies.items()}
    return Model(name=f"{model.name} with frames", bodies=model.bodies, gravity=(0.3, -2.0, -9.0), frames=frames)


NAMES = ["tool", "camera", "hand"]
FRAMED = [with_frames(model) for model in ARMS]
FRAMED_EVERY_JOINT = [with_frames(model) for model in EVERY_JOINT]


def run(e: oa.Expr, model: Model, frame: Axes = "body", method: Any = "auto", **values: Any) -> Any:
    """The value of a formula, a matrix if it is no vector; inputs that it does not mention are left out."""
    asked = e if e.type.domain == oa.ONE or not (e.type.domain.attached and e.type.codomain.attached) else oa.dense(e)
    program = oa.compile(asked, model, frame=frame, method=method)
    return program(q=values.pop("q"), **{name: value for name, value in values.items() if name in program.inputs})


def solved(matrix: Any, right: Any) -> Any:
    return LINALG.solve(matrix, right)


def four_links() -> Model:
    """The branched mechanism of the published numbers."""
    turned = oa.Placement.from_rpy((np.pi / 2, 0, 0), translation=(0.4, 0, 0.1))
    z, x = oa.Joint.revolute((0, 0, 1)), oa.Joint.revolute((1, 0, 0))
    masses, centres = (2.0, 1.5, 0.8, 1.1), ((0.1, 0, 0), (0.2, 0, 0.05), (0, 0.05, 0), (0, 0, -0.2))
    moments = ((0.02, 0.03, 0.04), (0.01, 0.02, 0.02), (0.005, 0.006, 0.007), (0.03, 0.03, 0.01))
    inertias = [oa.Inertia(mass, com, moment) for mass, com, moment in zip(masses, centres, moments, strict=True)]
    bodies = [
        oa.Body("0", None, z, oa.Placement(translation=(0, 0, 0.1)), inertias[0]),
        oa.Body("1", "0", z, turned, inertias[1]),
        oa.Body("2", "1", oa.Joint.prismatic((1, 0, 0)), oa.Placement(translation=(0.5, 0, 0)), inertias[2]),
        oa.Body("3", "0", x, oa.Placement(translation=(-0.2, 0.3, 0)), inertias[3]),
    ]
    points = {"a": ("2", (0.1, 0, 0)), "b": ("3", (0, 0, -0.4))}
    frames = {name: oa.Frame(body, oa.Placement(translation=point)) for name, (body, point) in points.items()}
    return Model(name="four links", bodies=bodies, frames=frames)


FOUR = four_links()


def published(found: Any, name: str) -> None:
    """Thirteen digits were published."""
    expected = np.array(VECTORS[name])
    assert apart(found, expected) <= (1e-12 + rounding(terms=6 * FOUR.n)) * size(expected)


def test_published_compliances() -> None:
    Upsilon, Omega = (oa.evaluate(e, FOUR, q=VECTORS["q"]) for e in (s.Upsilon, s.Omega))
    for k in (0, 2, 3):
        published(Upsilon[k, k], f"Upsilon_{k}")
        published(Omega[k, k], f"Upsilon_{k}")
    published(Omega[2, 3], "Omega_2_3")


def test_published_jacobian_and_inertias() -> None:
    points = ts.picks(FOUR, ["a", "b"], linear=True)
    published(run(ts.jacobian, FOUR, q=VECTORS["q"], B=points), "J")
    published(run(ts.inverse_inertia, FOUR, q=VECTORS["q"], B=points), "Lambda_inverse")
    kernel = s.B.T @ s.Omega @ s.B
    published(oa.evaluate(kernel, FOUR, q=VECTORS["q"], B=points).dense(), "Lambda_inverse")
    rows = {"a": points["a"][:, :2], "b": points["b"][:, 1:2]}
    for found in (ts.inertia, ts.of(ts.B_stacked).inertia):
        B_stacked = ts.stack(FOUR, rows)
        published(run(found, FOUR, q=VECTORS["q"], B=rows, B_stacked=B_stacked), "Lambda")
    published(run(ts.inertia, FOUR, q=VECTORS["q"], B=rows, method="orthogonal"), "Lambda")


@pytest.mark.parametrize("formula", [ts.inertia, ts.consistent_inverse, ts.null_space, ts.bias])
@pytest.mark.parametrize("method", ["auto", "orthogonal"])
def test_redundant_rows_are_singular_at_a_named_joint(formula: oa.Expr, method: str) -> None:
    """The six rows of the published example have rank four."""
    points = ts.picks(FOUR, ["a", "b"], linear=True)
    with pytest.raises(oa.errors.SingularError) as caught:
        run(formula, FOUR, q=VECTORS["q"], v=np.ones(4), B=points, method=method)
    assert caught.value.joints
    assert set(caught.value.joints) <= set(FOUR.joint_names)
    assert any(f'at joint "{name}"' in str(caught.value) for name in caught.value.joints)


@pytest.mark.parametrize("formula", [ts.stacked.inertia, ts.stacked.consistent_inverse, ts.stacked.force])
@pytest.mark.parametrize("q", [VECTORS["q"], [0.0, 0.0, 0.0, 0.0]])
def test_redundant_rows_of_the_whole_task_are_singular(formula: oa.Expr, q: list[float]) -> None:
    B_stacked = ts.stack(FOUR, ts.picks(FOUR, ["a", "b"], linear=True))
    with pytest.raises(oa.errors.SingularError, match="singular"):
        run(formula, FOUR, q=q, v=np.ones(4), xdd=np.zeros(6), B_stacked=B_stacked)


def test_singular_samples_of_a_batch_are_masked() -> None:
    """A planar arm with two links cannot move its tip along itself when it is stretched."""
    arm = oa.load("planar2r")
    end = {"tip": oa.Frame(arm.body_names[1], oa.Placement(translation=(1, 0, 0)))}
    tip = Model(name="arm with a tip", bodies=arm.bodies, frames=end)
    columns = ts.picks(tip, ["tip"], linear=True)["tip"][:, [0, 2]]
    given: dict[str, Any] = {"q": [[0.4, 1.1], [0.4, 0.0]], "errors": "mask"}
    found = (
        oa.compile(ts.stacked.inertia, tip)(B_stacked=ts.stack(tip, {"tip": columns}), **given),
        oa.compile(oa.dense(ts.inertia), tip)(B={"tip": columns}, **given),
    )
    for Lambda in found:
        assert np.isfinite(Lambda[0]).all()
        assert np.isnan(Lambda[1]).all()


@pytest.mark.parametrize("method", ["auto", "orthogonal"])
def test_programs_say_how_the_inverse_was_taken(method: Method) -> None:
    """Λ⁻¹ has no term of a body alone, so no body has a pivot for Λ: relations take its place without being asked."""
    for e in (ts.inertia, ts.inertia @ oa.vector("x", s.CONTACT), ts.consistent_inverse):
        program = oa.lower(e, method=method)
        assert ts.inertia in program.report.eliminated
        assert program.report.pivots == ()
        assert [type(program.steps[pivot.value].definition) for pivot in program.pivots] == [Relate]
    assert oa.lower(ts.stacked.inertia).report.pivots == ("s", "D")
    sweeps = 2 if method == "orthogonal" else 1
    for e in (ts.stacked.inertia, ts.stacked.inverse_inertia):
        assert len(oa.lower(e, method=method).sweeps) == sweeps
    assert len(oa.lower(ts.inverse_inertia @ oa.vector("F", s.CONTACT.dual)).sweeps) == 2


@pytest.mark.parametrize("model", FRAMED, ids=lambda m: m.name)
def test_the_jacobian_differentiates_poses(model: Model) -> None:
    q, v = model.random(0)
    rates: dict[str, list[Floats]] = {
        name: [
            along(model, q, v, lambda x, name=name, part=part: oa.dynamics.poses(model, q=x)[name][part])
            for part in (0, 1)
        ]
        for name in NAMES
    }
    own, base = (ts.picks(model, NAMES, q=pose) for pose in (None, q))
    for name in NAMES:
        rotation = oa.dynamics.poses(model, q=q)[name][0]
        turning = rates[name][0] @ rotation.T
        expected = np.concatenate([[turning[2, 1], turning[0, 2], turning[1, 0]], rates[name][1]])
        twist = run(ts.jacobian, model, q=q, B={name: base[name]}) @ v
        place = oa.dynamics.poses(model, q=q)[name][1]
        assert apart(twist, expected) <= differences(1.0 + size(place), v)
        felt = run(ts.jacobian, model, q=q, B={name: own[name]}) @ v
        turned = np.concatenate([rotation @ felt[:3], rotation @ felt[3:]])
        assert apart(turned, twist) <= rounding(max(1.0, size(place)) * float(np.abs(v).sum()), terms=9 * model.n)


@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize("model", FRAMED_EVERY_JOINT, ids=lambda m: m.name)
def test_the_drift_differentiates_velocities(model: Model, linear: bool) -> None:
    q, v = model.random(3)

    def own(x: Floats) -> Any:
        return run(ts.velocity, model, q=x, v=v, B=ts.picks(model, NAMES, linear=linear))

    def base(x: Floats) -> Any:
        return run(ts.velocity, model, q=x, v=v, B=ts.picks(model, NAMES, q=x, linear=linear))

    B, moving = (ts.picks(model, NAMES, q=pose, linear=linear) for pose in (None, q))
    B_dot = ts.pick_rates(model, NAMES, q=q, v=v, linear=linear)
    for velocity, found in (
        (own, run(ts.drift, model, q=q, v=v, B=B)),
        (base, run(MOVING.drift, model, q=q, v=v, B=moving, B_dot=B_dot)),
    ):
        expected = along(model, q, v, velocity, step=1e-3)
        assert apart(found, expected) <= differences(float(np.abs(v).sum()) * model.n, v, step=1e-3)
    turns = np.abs(run(s.V, model, q=q, v=v)).max() > 0
    assert turns
    assert np.abs(run(ts.drift, model, q=q, v=v, B=moving) - expected).max() > 1e-3


@pytest.mark.parametrize("model", FRAMED_EVERY_JOINT, ids=lambda m: m.name)
def test_programs_in_world_axes_agree(model: Model) -> None:
    q, v = model.random(5)
    found: list[list[Any]] = []
    for frame in FRAMES:
        B = ts.picks(model, NAMES, q=q, linear=True, frame=frame)
        B_dot = ts.pick_rates(model, NAMES, q=q, v=v, linear=True, frame=frame)
        values: dict[str, Any] = {"q": q, "v": v, "B": B, "B_dot": B_dot}
        formulas = (MOVING.jacobian, MOVING.velocity, MOVING.drift, MOVING.inverse_inertia)
        found.append([run(e, model, frame, **values) for e in formulas])
    conditioned = condition(dense_dynamics.mass_matrix(model, q))
    for body, world in zip(*found, strict=True):
        assert apart(body, world) <= rounding(size(body), terms=9 * model.n, condition=conditioned)


def tasks(model: Model, q: Floats, count: int) -> dict[str, Floats]:
    """Up to `count` independent directions at the tool and at the hand."""
    rng = np.random.default_rng(11)
    chosen: dict[str, Floats] = {}
    rank = 0
    for name, block in ts.picks(model, ["tool", "hand"]).items():
        J = run(ts.jacobian, model, q=q, B={**chosen, name: block})
        free = min(count, int(LINALG.matrix_rank(J, tol=1e-6)) - rank)
        if free > 0:
            chosen[name] = block @ rng.standard_normal((6, free))
            rank += free
    return chosen


def cancelled(model: Model, q: Floats, B: dict[str, Floats], J: Floats) -> float:
    """How much larger than a row of the Jacobian the terms are that it is summed from."""
    motion = np.abs(oa.evaluate(s.phi.T @ s.H.T, model, q=q).dense())
    terms = (np.abs(ts.stack(model, B)).T @ motion).max(axis=1)
    return float((terms / np.abs(J).max(axis=1)).max())


@st.composite
def situations(draw: st.DrawFn) -> tuple[Model, Floats, Floats]:
    model = with_frames(draw(mechanisms(joints=ALL_JOINTS, min_bodies=2, max_bodies=6, armature=True)))
    q, v = draw(configurations(model))
    return model, q, v


@settings(max_examples=25)
@given(situations(), st.integers(1, 3))
def test_inertias_and_inverses_are_those_of_dense_algebra(situation: tuple[Model, Floats, Floats], count: int) -> None:
    model, q, _ = situation
    assume(model.nv > 0)
    B = tasks(model, q, count)
    assume(B)
    J, mass = run(ts.jacobian, model, q=q, B=B), dense_dynamics.mass_matrix(model, q)
    inverse = J @ solved(mass, J.T)
    lost = cancelled(model, q, B, J)
    # A direction in which a frame hardly moves is told by the program, as it should be.
    assume(lost < 1e2)
    conditioned = condition(inverse) * condition(mass) * lost
    assume(conditioned < 1e10)
    with warnings.catch_warnings():
        # Whether lost digits are told is asked of nearly singular mechanisms, with fifty digits beside them.
        warnings.simplefilter("ignore", OperatorAlgebraWarning)
        inertias_and_inverses_agree(model, q, B, mass, J, inverse, conditioned)


def inertias_and_inverses_agree(
    model: Model, q: Floats, B: dict[str, Floats], mass: Floats, J: Any, inverse: Any, conditioned: float
) -> None:
    # Relations triangularise six equations and more for every body.
    allowed = rounding(terms=36 * model.n, condition=conditioned)
    Lambda: Any = LINALG.inv(inverse)
    given: dict[str, Any] = {"q": q, "B": B, "B_stacked": ts.stack(model, B)}
    assert same(run(ts.inverse_inertia, model, **given), inverse, allowed)
    # Relations carry what levers enlarge; of that a program is silent while at most four digits are lost.
    allowed = max(allowed, EPS / SMALL)
    assert same(run(ts.inertia, model, **given), Lambda, allowed)
    assert same(run(ts.inertia, model, method="orthogonal", **given), Lambda, allowed)
    back = run(ts.consistent_inverse, model, **given)
    free = run(ts.null_space, model, **given)
    rank = len(J)
    terms = max(1.0, size(J) * size(back))
    assert np.abs(J @ back - np.eye(rank)).max() < allowed * terms
    # What the task does not see carries no momentum along what it does: N* ℳ J̄ = 0, and N = I − J̄ J is a projector.
    N = free.T
    weight = float(np.abs(mass).max())
    assert np.abs(N - (np.eye(model.nv) - back @ J)).max() < allowed * terms
    assert np.abs(N.T @ mass @ back).max() < allowed * terms**2 * max(1.0, weight) * max(1.0, float(np.abs(back).max()))
    assert np.abs(J @ solved(mass, free)).max() < allowed * terms**2 * float(np.abs(inverse).max() + 1)


def same(found: Any, expected: Any, allowed: float) -> bool:
    return bool(np.abs(found - expected).max() <= allowed * np.abs(expected).max())


@settings(max_examples=25)
@given(situations(), st.integers(0, 1000))
def test_task_forces_explain_forward_dynamics(situation: tuple[Model, Floats, Floats], seed: int) -> None:
    """Λ ẍ + μ = J̄* T + F, F on the frames; with F among f_ext it stands in μ instead."""
    model, q, v = situation
    assume(model.nv > 0)
    B = tasks(model, q, 2)
    assume(B)
    rng = np.random.default_rng(seed)
    stacked = ts.stack(model, B)
    torque = rng.standard_normal(model.nv)
    F = rng.standard_normal(int(stacked.shape[1]))
    given: dict[str, Any] = {"q": q, "v": v, "B": B, "B_stacked": stacked}
    J, mass = run(ts.jacobian, model, **given), dense_dynamics.mass_matrix(model, q)
    conditioned = condition(J @ solved(mass, J.T)) * condition(mass)
    assume(conditioned < 1e10)
    order = [run(ts.jacobian, model, q=q, B={name: block}) for name, block in B.items()]
    rows = ordered(J, order)
    qdd = run(oa.dynamics.forward_dynamics, model, f_ext=stacked @ F, T=torque, **given)
    xdd = run(ts.acceleration, model, qdd=qdd, **given)
    felt = run(ts.consistent_inverse, model, **given).T @ torque
    terms = max(1.0, size(run(ts.inertia, model, **given)) * max(1.0, size(xdd)))
    allowed = rounding(terms, terms=9 * model.n, condition=conditioned)
    assert np.abs(run(ts.force, model, xdd=xdd, **given) - felt - F[rows]).max() < allowed
    assert np.abs(run(ts.force, model, xdd=xdd, f_ext=stacked @ F, **given) - felt).max() < allowed
    moved = run(ts.inertia, model, **given) @ xdd + run(ts.bias, model, **given)
    assert np.abs(moved - felt - F[rows]).max() < allowed
    whole = run(ts.stacked.force, model, xdd=xdd[np.argsort(rows)], **given)
    assert np.abs(whole[rows] - felt - F[rows]).max() < allowed


def ordered(J: Floats, parts: list[Floats]) -> NDArray[np.intp]:
    """Which row of the stacked parts each row of J is: the task lists the bodies base to tip."""
    rows = np.concatenate(parts)
    found = [int(np.argmin(np.abs(rows - row).max(axis=1))) for row in J]
    assert sorted(found) == list(range(len(rows)))
    return np.array(found, dtype=np.intp)


def test_a_batch_is_its_samples() -> None:
    model = FRAMED[1]
    q = np.stack([model.random(seed)[0] for seed in range(6)]).reshape(2, 3, model.nq)
    v = np.stack([model.random(seed)[1] for seed in range(6)]).reshape(2, 3, model.nv)
    names = ["tool", "hand"]
    formulas = {"Λ": ts.stacked.inertia, "J": MOVING.jacobian, "J̇ v": MOVING.drift, "Λ⁻¹": ts.inverse_inertia}

    def values(q: Floats, v: Floats) -> list[Any]:
        B = ts.picks(model, names, q=q, linear=True)
        B_dot = ts.pick_rates(model, names, q=q, v=v, linear=True)
        given: dict[str, Any] = {"v": v, "B": B, "B_dot": B_dot, "B_stacked": ts.stack(model, B)}
        return [run(e, model, q=q, **given) for e in formulas.values()]

    together = values(q, v)
    for place in np.ndindex(2, 3):
        for whole, one in zip(together, values(q[place], v[place]), strict=True):
            conditioned = condition(dense_dynamics.mass_matrix(model, q[place])) * condition(together[0][place])
            assert apart(whole[place], one) <= rounding(size(one), terms=9 * model.n, condition=conditioned)


def test_a_task_of_the_user_own() -> None:
    """How the tool moves as seen from the hand: the difference of two picks."""
    model = FRAMED[2]
    q, v = model.random(4)
    relative, rates = (
        ts.stack(model, {"tool": blocks["tool"]}) - ts.stack(model, {"hand": blocks["hand"]})
        for blocks in (
            ts.picks(model, NAMES, q=q, linear=True),
            ts.pick_rates(model, NAMES, q=q, v=v, linear=True),
        )
    )
    task = ts.of(ts.B_stacked, ts.B_dot_stacked)

    def away(x: Floats) -> Floats:
        poses = oa.dynamics.poses(model, q=x)
        return np.asarray(poses["tool"][1] - poses["hand"][1])

    given: dict[str, Any] = {"q": q, "v": v, "B_stacked": relative, "B_dot_stacked": rates}
    velocity = along(model, q, v, away)
    assert apart(run(task.velocity, model, **given), velocity) <= differences(1.0 + size(away(q)), v)
    turning = along(model, q, v, lambda x: along(model, x, v, away, step=2e-2), step=2e-2)
    # What one difference leaves is what the other takes the difference of.
    left = differences(1.0 + size(away(q)), v, step=2e-2)
    allowed = 2 * left / 2e-2 + differences(size(velocity), v, step=2e-2)
    assert apart(run(task.drift, model, **given), turning) <= allowed


def test_what_delivers_no_force_is_no_pick() -> None:
    with pytest.raises(SpaceMismatch, match="picks no frames: it must deliver force"):
        ts.of(s.H)
    with pytest.raises(SpaceMismatch):
        ts.of(s.B, ts.B_dot_stacked)


def test_formulas_are_made_once() -> None:
    assert ts.of(s.B).inertia is ts.inertia
    assert ts.of(s.B).jacobian == ts.jacobian
