"""Joints whose map hides what rounding does to D = H P H*: no form of the code trusts it, and the message says why."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraWarning, SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.symbols import T
from tests.backends.loops.called import kernel, rows
from tests.backends.test_forms import Case, forms
from tests.euler_angles import EulerAngles, Tilted
from tests.nearly_singular import sample
from tests.strategies import ALL_JOINTS

SOLVED = inv(dynamics.mass_matrix) @ T
FORMULAS = {"solved": SOLVED, "forward": dynamics.forward_dynamics}
BACKENDS = ("interpreter", "numpy", "compiled")
WRIST = Model(
    name="wrist",
    bodies=[
        Body("arm", None, Joint.revolute(), inertia=oa.Inertia.box(2.0, (0.1, 0.2, 0.3), com=(0.2, 0.1, 0.0))),
        Body("hand", "arm", EulerAngles(name="wrist"), inertia=oa.Inertia.box(1.0, (0.1, 0.3, 0.2), com=(0.1, 0, 0))),
        Body("tool", "hand", Joint.prismatic(), inertia=oa.Inertia.sphere(0.5, 0.1, com=(0.0, 0.2, 0.0))),
    ],
)
LOCKED = np.array([0.3, 0.2, math.pi / 2, 0.4, 0.1])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("e", FORMULAS.values(), ids=FORMULAS)
@pytest.mark.parametrize("many", [False, True])
def test_a_locked_joint_is_named(e: Expr, backend: str, many: bool) -> None:
    if backend == "compiled":
        pytest.importorskip("llvmlite")
    run = compile_program(e, WRIST, backend=backend)
    q = np.tile(LOCKED, (40, 1)) if many else LOCKED
    q = q + np.where(np.arange(40) == 17, 0.0, 0.5)[:, None] if many else q
    extra: dict[str, Any] = {"v": np.ones(5)} if "v" in run.inputs else {}
    with pytest.raises(SingularError, match="its 3 rates do not move it in 3 ways") as caught:
        run(q=q, T=np.ones(5), **extra)
    assert caught.value.joints == ("wrist",)
    assert caught.value.samples == ((17,) if many else ())
    assert "q = (0.3, 0.2, 1.571, 0.4, 0.1)" in str(caught.value)


def test_evaluation_names_it_too() -> None:
    with pytest.raises(SingularError, match=r'singular at joint "wrist".* in this pose its 3 rates do not move it'):
        evaluate(inv(dynamics.mass_matrix), WRIST, q=LOCKED)


@pytest.mark.parametrize("away", [1e-7, 1e-5, 1e-3])
def test_near_the_lock_digits_are_lost_and_told(away: float) -> None:
    for backend in BACKENDS[:2]:
        run = compile_program(SOLVED, WRIST, backend=backend)
        with pytest.warns(OperatorAlgebraWarning, match='nearly singular at joint "wrist"'):
            run(q=LOCKED + away * np.eye(5)[2], T=np.ones(5))


@pytest.mark.parametrize("seed", [5, 9, 10, 13, 21])
def test_all_forms_agree_whether_to_trust(seed: int) -> None:
    """No form knows more than another; what is interpreted tells at each sample as much as they do."""
    one = sample("oblique", seed)
    program = lower(SOLVED, zeros=vanishing(one.model))
    case = Case(program, one.model, one.q, {name: np.ones(one.model.nv) for name in program.inputs})
    several = dict(forms(case))
    good, _ = several["calls of NumPy"](case.arrays)
    for name, form in several.items():
        assert np.array_equal(form(case.arrays)[0], good), name
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = compile_program(SOLVED, one.model, backend="interpreter")
        found = run(q=one.q, errors="mask", T=np.ones(one.model.nv))
    assert bool(good[0]) or caught or np.isnan(found).all()


def test_loops_do_not_trust_one_joint_among_many() -> None:
    apart = 1e-3
    pytest.importorskip("llvmlite")
    model = chain(96, joint="universal", seed=2)
    axis = np.array([0.6, 0.0, 0.8])
    joint = Joint.universal(axis.tolist(), (axis + apart * np.array([0.8, 0.0, -0.6])).tolist(), name="skew")
    bodies = [replace(body, joint=joint) if k == 40 else body for k, body in enumerate(model.bodies)]
    for bad, made in ((False, model), (True, Model(bodies=bodies))):
        values = {"q": np.stack([made.random(k)[0] for k in range(3)]), "T": np.ones((3, made.nv))}
        code, call = kernel(made, SOLVED, values)
        _, good, _ = code.batch(rows(call), 3)
        assert good.all() != bad
        assert good.any() != bad


def test_loops_do_not_trust_one_locked_joint_of_a_user() -> None:
    pytest.importorskip("llvmlite")
    plain = chain(80, seed=2)
    model = Model(bodies=[replace(body, joint=EulerAngles()) for body in plain.bodies])
    q = np.tile([0.3, 0.4, -0.2], (3, 80))
    q[1, 3 * 40 + 1] = math.pi / 2 + 1e-6
    code, call = kernel(model, SOLVED, {"q": q, "T": np.ones((3, model.nv))})
    assert code.batch(rows(call), 3)[1].tolist() == [True, False, True]


def test_healthy_oblique_joints_are_left_in_peace() -> None:
    model = random_tree(8, joints=ALL_JOINTS, seed=3)
    bodies = [replace(body, joint=EulerAngles(name="mine")) if k == 3 else body for k, body in enumerate(model.bodies)]
    model = Model(bodies=bodies)
    q, v = model.random(1)
    q[model.q_slices[3]] = [0.4, 0.7, -0.2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compile_program(dynamics.forward_dynamics, model)(q=q, v=v, T=np.ones(model.nv))
    assert np.isfinite(found).all()


def test_which_joints_are_looked_at() -> None:
    kinds = {kind: chain(2, joint=kind).oblique for kind in ALL_JOINTS}
    assert not any(kinds.values())
    assert WRIST.oblique == {1}
    assert chain(1, joint="revolute").oblique == frozenset()
    narrow = Joint.universal((1.0, 0.0, 0.0), (1.0, 1.0, 0.0))
    assert Model(bodies=[Body("a", None, narrow, inertia=oa.Inertia.sphere(1.0, 0.1))]).oblique == {0}


# -- simulation --------------------------------------------------------------------------------------------------------


def top(tilt: float) -> Model:
    joint = Tilted(name="mount", tilt=tilt)
    return Model(
        name="top", bodies=[Body("top", None, joint, inertia=oa.Inertia.box(1.0, (0.1, 0.3, 0.2), (0.1, 0, 0)))]
    )


def test_a_motion_that_starts_locked_is_refused() -> None:
    model = top(math.pi / 2)
    with pytest.raises(
        SingularError, match=r'simulate top, at the start: .* at joint "mount" .* do not move it in 3 ways'
    ):
        oa.simulate(model, model.neutral(), np.zeros(3), until=1.0)


def test_what_a_motion_near_the_lock_loses_is_told_once() -> None:
    model = top(math.pi / 2 - 1e-6)
    with pytest.warns(OperatorAlgebraWarning, match=r'simulate top: digits are lost .* after t = .* "mount"') as told:
        oa.simulate(model, model.neutral(), np.zeros(3), until=2e-3, step=1e-3)
    assert len(told) == 1


def test_a_law_without_an_answer_in_a_locked_pose_blames_the_joint() -> None:
    model = top(math.pi / 2)
    found = oa.check("innovations factorization", model=model, samples=2, progress=False)
    assert found.verdict == "inconclusive"
    assert 'to blame: joint "mount": in this pose its 3 rates do not move it in 3 ways' in str(found)
    assert oa.check("innovations factorization", model=top(0.3), samples=2, progress=False).verdict == "holds"
