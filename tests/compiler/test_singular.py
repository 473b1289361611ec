"""Singular operators: named joint and samples, masks, warnings; and rescue where only a local pivot is lost."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, OperatorAlgebraWarning, SingularError
from operator_algebra.expressions.build import diag, inv, operator, root
from operator_algebra.expressions.query import block, dense, logdet, trace
from operator_algebra.lowering.lower import Lowerable, Method
from operator_algebra.models.families import chain
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.spatial.inertia import Inertia
from tests.oracles.dense_dynamics import mass_matrix
from tests.rounding import apart, condition, rounding, size

Floats = NDArray[np.float64]

C = operator("C", RATE >> TORQUE, structure="diagonal")
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
APPLIED = inv(MASS + C) @ s.T
ARM = chain(3, seed=0)
Q = ARM.random(0)[0]
DENSE = mass_matrix(ARM, Q)
FORCE = np.array([1.0, 2.0, 3.0])
NONE = np.zeros(3)
# The last pivot is that entry itself, the first one is det / (the product of the others).
LAST_PIVOT_GONE = np.array([0.0, 0.0, -DENSE[2, 2]])
SINGULAR = np.array([-np.linalg.det(DENSE) / np.linalg.det(DENSE[1:, 1:]), 0.0, 0.0])
solve = compile_program(APPLIED, ARM)


def relative(found: Any, expected: Any) -> float:
    return apart(found, expected) / size(expected)


def solves(found: Any, X: Floats) -> bool:
    """Whether it is X⁻¹ FORCE up to rounding."""
    return relative(found, np.linalg.solve(X, FORCE)) <= allowed(X)


def allowed(X: Floats) -> float:
    """What rounding may leave of what X⁻¹ gives, relative to its largest entry."""
    return rounding(terms=len(X), condition=condition(X))


# -- singular ----------------------------------------------------------------------------------------------------------


def test_the_joint_is_named() -> None:
    with pytest.raises(
        SingularError,
        match=r'D is singular at joint "joint1" \(relative pivot [^)]+\) at q = \(.*\): '
        r"the equations of \(H φ M φ\* H\* \+ C\)⁻¹ for the bodies from there outward \(link1, link2, link3\) depend",
    ) as caught:
        solve(q=Q, C=SINGULAR, T=FORCE)
    assert caught.value.joints == ("joint1",)
    assert caught.value.samples == ()
    assert np.isnan(np.asarray(caught.value.result)).all()


def test_one_body_alone() -> None:
    arm = chain(1, seed=0)
    q, _ = arm.random(0)
    with pytest.raises(SingularError, match='joint "joint1"'):
        compile_program(APPLIED, arm)(q=q, C=-mass_matrix(arm, q).diagonal(), T=[1.0])


def test_samples_are_named_and_the_others_computed() -> None:
    noise = np.stack([NONE, SINGULAR, NONE + 1.0, SINGULAR])
    with pytest.raises(SingularError, match="in sample 1") as caught:
        solve(q=Q, C=noise, T=FORCE)
    assert caught.value.samples == (1, 3)
    assert caught.value.joints == ("joint1",)
    result = np.asarray(caught.value.result)
    assert np.isnan(result).all(axis=1).tolist() == [False, True, False, True]
    assert solves(result[0], DENSE)
    assert solves(result[2], DENSE + np.eye(3))


def test_samples_are_counted_over_all_leading_axes() -> None:
    noise = np.stack([NONE, SINGULAR])
    force = np.stack([FORCE, -FORCE, 2 * FORCE])[:, None, :]
    with pytest.raises(SingularError) as caught:
        solve(q=Q, C=noise, T=force)
    assert caught.value.samples == (1, 3, 5)
    assert np.asarray(caught.value.result).shape == (3, 2, 3)


def test_masked_samples_are_not_numbers() -> None:
    noise = np.stack([NONE, SINGULAR, NONE + 1.0])
    result = solve(q=[Q] * 3, C=noise, T=FORCE, errors="mask")
    assert np.isnan(result).all(axis=1).tolist() == [False, True, False]
    assert np.isnan(solve(q=Q, C=SINGULAR, T=FORCE, errors="mask")).all()
    out = np.zeros((3, 3))
    assert solve(q=[Q] * 3, C=noise, T=FORCE, errors="mask", out=out) is out
    assert np.array_equal(np.isnan(out), np.isnan(result))


def test_a_mask_covers_every_result() -> None:
    several = compile_program({"x": APPLIED, "V": s.V, "D": s.innovations(C).D}, ARM)
    found = several(q=Q, C=np.stack([NONE, SINGULAR]), T=FORCE, v=FORCE, errors="mask")
    for value in found.values():
        assert np.isnan(value[1]).all()
        assert not np.isnan(value[0]).any()


def test_nothing_is_warned_beside_the_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve(q=Q, C=SINGULAR, T=FORCE, errors="mask")


def test_a_whole_that_is_singular_is_never_silent() -> None:
    # No local pivot is zero but for rounding: the smallest eigenvalue is taken away at every joint.
    least = float(np.linalg.eigvalsh(DENSE)[0])
    with pytest.raises((SingularError, OperatorAlgebraWarning), match='singular at joint "joint'):
        solve(q=Q, C=[-least] * 3, T=FORCE)


@pytest.mark.parametrize(
    "query", [diag(inv(MASS + C)), trace(inv(MASS + C)), dense(inv(MASS + C)), logdet(MASS + C)], ids=str
)
def test_queries_of_a_singular_operator_are_refused(query: Lowerable) -> None:
    with pytest.raises(SingularError):
        compile_program(query, ARM)(q=Q, C=SINGULAR)


def test_the_determinant_of_local_blocks_names_the_joint() -> None:
    with pytest.raises(
        SingularError, match=r'C is singular at joint "joint2" .*: its rows depend on each other there'
    ) as caught:
        compile_program(logdet(C), ARM)(q=Q, C=[1.0, 0.0, 1.0])
    assert caught.value.joints == ("joint2",)
    masked = compile_program(logdet(C), ARM)(q=Q, C=[[1.0, 0.0, 1.0], [1.0, 2.0, 1.0]], errors="mask")
    assert np.isnan(masked[0])
    assert apart(masked[1], np.log(2.0)) <= rounding()


def test_a_root_needs_a_definite_block() -> None:
    noise = s.innovations(operator("J", RATE >> TORQUE, structure="diagonal symmetric"))
    with pytest.raises(SingularError, match='is not positive definite at joint "joint1"') as caught:
        compile_program(root(noise.D), ARM)(q=Q, J=[-9.0, 0.0, 0.0])
    assert caught.value.joints == ("joint1",)


def wrist() -> Model:
    """A chain whose last joint turns a body that has no inertia about its axis."""
    last = ARM.bodies[-1]
    axis = np.array(vars(last.joint)["axis"])
    bodies = [*ARM.bodies[:-1], replace(last, inertia=Inertia(1.0, (0.3 * axis).tolist(), np.zeros((3, 3)).tolist()))]
    return Model(name="wrist", bodies=bodies)


def test_a_joint_without_inertia_is_named_with_what_hangs_on_it() -> None:
    with pytest.raises(
        SingularError,
        match=r'D is singular at joint "joint3" .*: nothing outboard of it \(link3\) has inertia about its axis. '
        "Give the tip body inertia, or fix the joint.",
    ) as caught:
        compile_program(inv(MASS) @ s.T, wrist())(q=Q, T=FORCE)
    assert caught.value.joints == ("joint3",)


def test_armature_cures_a_joint_without_inertia() -> None:
    found = compile_program(APPLIED, wrist())(q=Q, T=FORCE, C=NONE + 0.1)
    assert solves(found, mass_matrix(wrist(), Q) + 0.1 * np.eye(3))


@pytest.mark.parametrize(("share", "digits"), [(1e-5, "6"), (1e-6, "7"), (1e-8, "9"), (1e-10, "11"), (1e-12, "13")])
def test_lost_digits_are_told(share: float, digits: str) -> None:
    noise = SINGULAR * (1 - share)
    with pytest.warns(
        OperatorAlgebraWarning, match=rf'singular at joint "joint1" .*: about {digits} of 16 digits'
    ) as told:
        found = solve(q=Q, C=noise, T=FORCE)
    assert len(told) == 1
    assert told[0].filename == __file__  # the warning points at the call
    assert relative(found, np.linalg.solve(DENSE + np.diag(noise), FORCE)) < 100 * 10.0 ** (int(digits) - 16)


def test_healthy_systems_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for share in (1.0, 1e-1, 1e-2):
            solve(q=Q, C=SINGULAR * (1 - share), T=FORCE)


# -- only a local pivot is lost ----------------------------------------------------------------------------------------


def test_a_lost_pivot_is_rescued() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solve(q=Q, C=LAST_PIVOT_GONE, T=FORCE)
    assert solves(found, DENSE + np.diag(LAST_PIVOT_GONE))


@pytest.mark.parametrize("share", [1e-4, 1e-6, 1e-9, 1e-12, 1e-15])
def test_a_small_pivot_costs_no_digits(share: float) -> None:
    noise = LAST_PIVOT_GONE * (1 - share)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = solve(q=Q, C=noise, T=FORCE)
    # Refined down to 1e-8, without local pivots below; elimination alone would leave eps / share.
    assert solves(found, DENSE + np.diag(noise))


def test_rescue_leaves_healthy_samples_as_they_are() -> None:
    noise = np.stack([NONE, LAST_PIVOT_GONE, NONE + 1.0])
    found = solve(q=[Q] * 3, C=noise, T=FORCE)
    for sample, own in zip(found, noise, strict=True):
        assert solves(sample, DENSE + np.diag(own))
    healthy = solve(q=Q, C=noise[[0, 2]], T=FORCE)
    assert np.array_equal(found[[0, 2]], healthy)


@pytest.mark.parametrize("name", ["applied", "diagonal"])
def test_lost_samples_of_a_batch_with_several_axes(name: str) -> None:
    noise = np.stack([[NONE, NONE + 0.5], [LAST_PIVOT_GONE, NONE + 1.0], [NONE + 2.0, LAST_PIVOT_GONE]])
    given: dict[str, Any] = {"T": FORCE} if name == "applied" else {}
    run = solve if name == "applied" else compile_program(diag(inv(MASS + C)), ARM)
    found = run(q=np.stack([Q, Q]), C=noise, **given)
    for place in np.ndindex(3, 2):
        X = DENSE + np.diag(noise[place])
        expected = np.linalg.solve(X, FORCE) if name == "applied" else answer("diagonal", X)
        assert relative(found[place], expected) <= allowed(X)


def test_a_lost_sample_does_not_hide_a_singular_one() -> None:
    noise = np.stack([LAST_PIVOT_GONE, NONE, SINGULAR])
    with pytest.raises(SingularError, match="in sample 2") as caught:
        solve(q=[Q] * 3, C=noise, T=FORCE)
    assert caught.value.samples == (2,)
    found: Any = caught.value.result
    assert solves(found[0], DENSE + np.diag(LAST_PIVOT_GONE))
    assert np.isnan(found[2]).all()


LOST: dict[str, Lowerable] = {
    "diagonal": diag(inv(MASS + C)),
    "trace": trace(inv(MASS + C)),
    "block": block(inv(MASS + C), 0, 2),
    "dense": dense(inv(MASS + C)),
    "log-determinant": logdet(MASS + C),
}


def answer(name: str, X: Floats) -> Any:
    """What a query of X⁻¹, or log det X, is by dense algebra."""
    inverse = np.linalg.inv(X)
    answers: dict[str, Any] = {
        "diagonal": inverse.diagonal()[:, None, None],
        "trace": np.trace(inverse),
        "block": inverse[0:1, 2:3],
        "dense": inverse,
        "log-determinant": np.linalg.slogdet(X)[1],
    }
    return answers[name]


@pytest.mark.parametrize("name", LOST)
def test_queries_survive_a_lost_pivot(name: str) -> None:
    noise = LAST_PIVOT_GONE.copy()
    if name == "log-determinant":  # the determinant is turned positive
        noise[0] = 2 * np.linalg.det(DENSE + np.diag(noise)) / DENSE[1, 2] ** 2
    found = compile_program(LOST[name], ARM)(q=Q, C=noise)
    X = DENSE + np.diag(noise)
    # An error of X⁻¹ is relative to the whole of it; that of log det X = Σ log of pivots, to the number of pivots.
    terms = len(X) if name == "log-determinant" else size(np.linalg.inv(X))
    assert apart(found, answer(name, X)) <= terms * allowed(X)


@pytest.mark.parametrize("method", ["auto", "joseph", "refined", "orthogonal"])
def test_a_negative_determinant_has_no_logarithm(method: Method) -> None:
    run = compile_program(logdet(MASS + C), ARM, method=method)
    with pytest.raises(InputError, match="the determinant is negative, so it has no logarithm"):
        run(q=Q, C=[-1e4, 0.0, 0.0])
    found = run(q=Q, C=[[-1e4, 0.0, 0.0], [0.0, 0.0, 0.0]], errors="mask")
    assert np.isnan(found[0])
    assert apart(found[1], np.linalg.slogdet(DENSE)[1]) <= len(DENSE) * allowed(DENSE)
