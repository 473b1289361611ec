"""The mass matrix taken apart: against dense Gaussian elimination, and the numbers of a published arm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import operator_algebra as oa
from operator_algebra.applications import decomposition, dynamics
from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from operator_algebra.symbols import H, V, X_cm, armature, innovations, inv, phi
from tests.applications.inputs import Case, cases, same
from tests.rounding import apart, size

LINALG: Any = np.linalg
Z, Y = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)


def diagonal(*entries: float) -> list[list[float]]:
    """Moments of inertia about principal axes."""
    return np.diag(entries).tolist()


ARM3 = Model(
    name="ARM3",
    bodies=[
        Body("first", None, Joint.revolute(Z), Placement(), Inertia(3.0, (0, 0, 0.25), diagonal(0.08, 0.08, 0.02))),
        Body(
            "second",
            "first",
            Joint.revolute(Y),
            Placement(translation=(0, 0, 0.5)),
            Inertia(2.0, (0.3, 0, 0), diagonal(0.01, 0.06, 0.06)),
        ),
        Body(
            "third",
            "second",
            Joint.revolute(Y),
            Placement(translation=(0.6, 0, 0)),
            Inertia(1.0, (0.2, 0, 0.02), diagonal(0.004, 0.02, 0.02)),
        ),
    ],
)
POSE = np.array([0.4, -0.5, 1.1])
MASS = [[7.161154058744e-01, 0, 0], [0, 7.906520457836e-01, 1.255260228918e-01], [0, 1.255260228918e-01, 6.04e-02]]
PIVOTS = [7.161154058744e-01, 5.297781646075e-01, 6.04e-02]
ARTICULATED = [
    [
        [1.604925503853, 0, -8.384622482912e-01, 0, -2.728888863944, 0],
        [0, 7.612776030927e-01, 0, 1.737555206185, 0, 4.124575510818e-01],
        [-8.384622482912e-01, 0, 7.161154058744e-01, 0, 1.229459046718, 0],
        [0, 1.737555206185, 0, 4.975110412371, 0, 8.249151021636e-01],
        [-2.728888863944, 0, 1.229459046718, 0, 6.0, 0],
        [0, 4.124575510818e-01, 0, 8.249151021636e-01, 0, 4.079435686377],
    ],
    [
        [5.532634544442e-02, 0, 1.263319342455e-01, 0, 1.691695495838e-01, 0],
        [0, 5.297781646075e-01, 0, 1.824062907084e-01, 0, -1.082963607679],
        [1.263319342455e-01, 0, 7.493257003392e-01, 0, 1.308543371486, 0],
        [0, 1.824062907084e-01, 0, 2.526186481682, 0, -3.040104845141e-01],
        [1.691695495838e-01, 0, 1.308543371486, 0, 3.0, 0],
        [0, -1.082963607679, 0, -3.040104845141e-01, 0, 2.804939346132],
    ],
]
"""Of the first two bodies, about their origins."""
PRINTED = 1e-11
"""Of numbers with thirteen digits."""


def reduced(mass: Any, sizes: list[int]) -> tuple[Any, Any]:
    """U and the blocks of D by Gaussian elimination of the last block first."""
    left, U = mass.copy(), np.eye(len(mass))
    for end, count in reversed(list(zip(np.cumsum(sizes).tolist(), sizes, strict=True))):
        own, above = slice(end - count, end), slice(0, end - count)
        U[above, own] = LINALG.solve(left[own, own].T, left[above, own].T).T
        left[above, above] -= U[above, own] @ left[own, above]
        left[above, own] = left[own, above] = 0.0
    return U, left


@given(cases)
@settings(max_examples=20)
def test_elimination_is_that_of_gauss(case: Case) -> None:
    """From the last body on, since children stand behind their parents."""
    mass = case.value(dynamics.mass_matrix)
    U, left = reduced(mass, [part.stop - part.start for part in case.model.v_slices])
    condition = LINALG.cond(mass) if len(mass) else 1.0
    assert same(case.value(decomposition.matrix_of_complements), mass)
    assert same(case.value(decomposition.upper_factor), U, condition * 1e-3)
    assert same(case.value(decomposition.pivots), left, mass)
    assert same(case.value(decomposition.elimination) @ U, np.eye(len(U)), condition * 1e-3)
    assert same(case.value(decomposition.multipliers), U - np.eye(len(U)), condition * 1e-3)
    assert same(case.value(decomposition.solved_acceleration), case.value(dynamics.forward_dynamics))


@given(cases)
@settings(max_examples=20)
def test_velocities_are_those_of_mass_centres(case: Case) -> None:
    found = case.value(X_cm.T) @ case.value(decomposition.twist)
    assert same(found, case.value(V))


@given(cases)
@settings(max_examples=20)
def test_masses_do_not_mix(case: Case) -> None:
    masses = case.value(decomposition.central_inertia)
    for k in range(case.model.n):
        assert same(masses[6 * k : 6 * k + 3, 6 * k + 3 : 6 * k + 6], np.zeros((3, 3)), masses)


@given(cases)
@settings(max_examples=8)
def test_elimination_may_stop_anywhere(case: Case) -> None:
    """Step by step beside Gauss; what is left are the entries of bodies whose outward joints are free."""
    model, mass = case.model, case.value(dynamics.mass_matrix)
    left, steps = mass.copy(), np.eye(len(mass))
    arms, joints = case.value(phi), case.value(H)
    for k in reversed(range(model.n)):
        own = model.v_slices[k]
        above = slice(0, own.start)
        if own.stop > own.start:
            left[above] -= left[above, own] @ LINALG.solve(left[own, own], left[own])
        alone = decomposition.choose(model, [model.joint_names[k]])
        some = decomposition.choose(model, model.joint_names[k:])
        step = case.value(decomposition.elementary_elimination, chosen=alone)
        steps = step @ steps
        assert same(step @ case.value(decomposition.elementary_inverse, chosen=alone), np.eye(len(mass)), step)
        assert same(case.value(decomposition.partial_elimination, chosen=some), steps, steps)
        assert same(case.value(decomposition.partly_eliminated, chosen=some), left, mass)
        M_hat = case.value(inv(X_cm) @ decomposition.partly_articulated @ inv(X_cm).T, chosen=some)
        bodies = slice(0, 6 * k)
        kept = joints[above, bodies] @ blocks_of(M_hat, k) @ arms[bodies, bodies].T @ joints[above, bodies].T
        expected = np.diag(model.arrays.armature[above])
        for rows in model.v_slices[:k]:
            inward = slice(0, rows.stop)
            expected[rows, inward] += kept[rows, inward]
        pattern = np.tril(np.ones_like(expected))
        assert same(left[above, above] * pattern, expected * pattern, mass)


def blocks_of(matrix: Any, count: int) -> Any:
    """The first blocks on the diagonal."""
    found = np.zeros((6 * count, 6 * count))
    for k in range(count):
        part = slice(6 * k, 6 * k + 6)
        found[part, part] = matrix[part, part]
    return found


def test_every_stage_at_once_is_a_batch() -> None:
    """The table of two indices: a sweep for each stage, none locked first and all locked last."""
    stages = [decomposition.choose(ARM3, ARM3.joint_names[k:]) for k in range(ARM3.n + 1)]
    found = [oa.compile(decomposition.partly_articulated, ARM3)(q=POSE, chosen=stage) for stage in stages]
    free, locked = (oa.compile(e, ARM3)(q=POSE) for e in (decomposition.articulated, decomposition.composite))
    assert apart(found[0], free) <= PRINTED
    assert apart(found[-1], locked) <= PRINTED


def test_joints_that_are_not_there_cannot_be_chosen() -> None:
    with pytest.raises(InputError, match='ARM3 has no joint "fourth" to eliminate'):
        decomposition.choose(ARM3, ["fourth"])


def test_a_published_arm() -> None:
    def value(e: Any, **given_: Any) -> Any:
        return np.asarray(evaluate(e, ARM3, q=POSE, frame="world", **given_).dense())

    assert apart(value(decomposition.matrix_of_complements), np.array(MASS)) <= PRINTED
    assert apart(np.diagonal(value(decomposition.pivots)), np.array(PIVOTS)) <= PRINTED
    own = evaluate(innovations(armature).P, ARM3, q=POSE)
    for k, upper in enumerate(ARTICULATED):
        expected = np.array(upper)
        assert apart(own[k, k], expected) <= PRINTED * size(expected)
    U = np.eye(3)
    U[1, 2] = 2.078245412116
    assert apart(value(decomposition.upper_factor), U) <= PRINTED
    tau = np.array([1.0, -0.5, 0.25])
    hat = value(decomposition.elimination) @ tau
    assert apart(hat, np.array([1.0, -1.019561353029, 0.25])) <= PRINTED
    tilde = LINALG.solve(value(decomposition.pivots), hat)
    assert apart(tilde, np.array([1.396422967300, -1.924506182289, 4.139072847682])) <= PRINTED
    rates = value(decomposition.elimination).T @ tilde
    assert apart(rates, np.array([1.396422967300, -1.924506182289, 8.138668991613])) <= PRINTED
