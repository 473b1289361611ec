"""Poses without forward dynamics are refused with joint, bodies and pose; nearly such poses cost the digits stated."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.applications.diagnosis import check_pose, pivots
from operator_algebra.applications.dynamics import mass_matrix
from operator_algebra.errors import OperatorAlgebraWarning, SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.models.body import Body
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Model
from operator_algebra.spatial.inertia import Inertia
from tests.rounding import apart, condition, rounding
from tests.strategies import configurations, mechanisms


def gimbal(armature: float = 0.0) -> Model:
    """Three axes through one point, of which the outer and the inner one coincide at q = 0."""
    axes = ((0, 0, 1), (0, 1, 0), (0, 0, 1))
    inertias = (Inertia(), Inertia(), Inertia.box(2.0, (0.1, 0.2, 0.3), com=(0.1, 0.0, 0.2)))
    bodies = [
        Body(f"ring{k}", f"ring{k - 1}" if k else None, Joint.revolute(axis, armature=armature), inertia=inertia)
        for k, (axis, inertia) in enumerate(zip(axes, inertias, strict=True))
    ]
    return Model(name="gimbal", bodies=bodies)


def test_gimbal_lock_is_named() -> None:
    model = gimbal()
    with pytest.raises(SingularError) as caught:
        check_pose(model, q=model.neutral())
    assert str(caught.value).startswith(
        'gimbal at the neutral pose: D is singular at joint "ring0", which carries ring0, ring1, ring2: with all joints'
    )
    assert caught.value.joints == ("ring0",)


def test_the_pose_is_named() -> None:
    with pytest.raises(SingularError, match=r"gimbal at q = \(0.5, 0, -0.25\): D is singular"):
        check_pose(gimbal(), q=[0.5, 0.0, -0.25])


def test_away_from_the_lock_nothing_is_said() -> None:
    check_pose(gimbal(), q=[0.0, 0.5, 0.0])


def test_armature_helps() -> None:
    model = gimbal(armature=0.01)
    check_pose(model, q=model.neutral())


@pytest.mark.parametrize("angle", [1e-5, 1e-6, 3e-7])
def test_the_digits_lost_are_those_of_the_pose(angle: float) -> None:
    """With q₂ small, D of the inner joint is as q₂²; the last digits of the matrix decide on the answer."""
    model = gimbal()
    worst = min(pivots(model, q=[0.0, angle, 0.0]), key=lambda pivot: pivot.certainty)
    assert worst.joint == "ring0"
    assert worst.digits_lost == pytest.approx(-2.0 * np.log10(angle), abs=1.0)
    matrix = evaluate(mass_matrix, model, q=[0.0, angle, 0.0]).dense()
    size = np.sqrt(np.diag(matrix))
    assert worst.digits_lost == pytest.approx(np.log10(np.linalg.cond(matrix / np.outer(size, size))), abs=1.5)
    with pytest.warns(OperatorAlgebraWarning, match=f"about {worst.digits_lost:.0f} of 16 digits"):
        check_pose(model, q=[0.0, angle, 0.0])


def test_every_singular_joint_is_listed() -> None:
    heavy, light = Inertia.sphere(1.0, 0.1), Inertia()
    bodies = [Body("base", None, Joint.revolute(), inertia=heavy)]
    bodies += [Body(f"tip{k}", "base", Joint.revolute(), inertia=light) for k in range(3)]
    with pytest.warns(OperatorAlgebraWarning, match="D is singular there"):
        model = Model(name="fan", bodies=bodies, strict=False)
    with pytest.raises(SingularError, match="and at 2 more") as caught:
        check_pose(model, q=model.neutral())
    assert caught.value.joints == ("tip0", "tip1", "tip2")
    assert [pivot.share for pivot in pivots(model, q=model.neutral())] == [1.0, 0.0, 0.0, 0.0]


def test_a_mechanism_that_cannot_move_has_no_pivots() -> None:
    model = chain(3, joint="fixed")
    assert pivots(model, q=[]) == ()
    check_pose(model, q=[])


@given(st.data())
def test_shares_are_shares(data: st.DataObject) -> None:
    """Freeing joints takes inertia away: 0 < share ≤ 1, and 1 at the tips."""
    model = data.draw(mechanisms(armature=True))
    q, _ = data.draw(configurations(model))
    found = pivots(model, q=q)
    assert [pivot.joint for pivot in found] == [
        name for name, body in zip(model.joint_names, model.bodies, strict=True) if body.joint.nv
    ]
    for pivot in found:
        assert 0.0 < pivot.certainty <= pivot.share <= 1.0 + rounding(terms=model.n)
        assert pivot.outboard[0] == model.body_names[model.joint_index(pivot.joint)]


def test_random_mechanisms_are_not_blamed() -> None:
    for seed in range(10):
        model = random_tree(12, seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_pose(model, q=model.random(seed)[0])


def test_the_share_is_what_a_dense_schur_complement_leaves() -> None:
    model = random_tree(6, joints=["revolute"], seed=3)
    q, _ = model.random(3)
    matrix = evaluate(mass_matrix, model, q=q).dense()
    for pivot in pivots(model, q=q):
        k = model.joint_index(pivot.joint)
        beyond = [model.body_index(name) for name in pivot.outboard[1:]]
        schur = matrix[k, k] - matrix[k, beyond] @ np.linalg.solve(matrix[np.ix_(beyond, beyond)], matrix[beyond, k])
        # A pivot is a difference of terms as large as the entry, as far as the rest is from singular.
        allowed = rounding(terms=model.n, condition=condition(matrix))
        assert apart(pivot.share, schur / matrix[k, k]) <= allowed
