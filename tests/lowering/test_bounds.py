"""The running bound: what is rounded before a pivot, carried along, seen at the pivot in the pivot's own units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.backend import Measured, Run
from operator_algebra.backends.numpy.blocks import ROOT_EPS
from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.signs import random_signs
from operator_algebra.calls.compiled import Compiled
from operator_algebra.calls.rescue import rescued
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraWarning, SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import inv, operator, root
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.body import Body
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.joints.revolute import Revolute
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.programs.instructions import Rounding
from operator_algebra.programs.program import Program
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.changed_mechanisms import rescaled
from tests.rounding import apart, condition, rounding
from tests.strategies import ALL_JOINTS, mechanisms

Floats = NDArray[np.float64]

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
SOLVE = inv(MASS) @ s.T
C = operator("C", RATE >> TORQUE, structure="diagonal")


def measures(run: Compiled, q: Any, **inputs: Any) -> Floats:
    """The measure of the one pivot of a program at every body."""
    call = run._bound(q, inputs)  # pyright: ignore[reportPrivateUsage]
    found = run._numeric().interpreted(call.q, call.v, call.inputs)  # pyright: ignore[reportPrivateUsage]
    (pivot,) = found.pivots
    assert pivot.bounded
    return np.asarray(pivot.measure)


def least(model: Model, q: Any, e: Expr = SOLVE) -> float:
    return float(measures(compile_program(e, model), q, T=np.ones(model.nv)).min(initial=1.0))


def roundings(program: Program) -> dict[bool, int]:
    """What the signs depend on of what is rounded at P, and of what is rounded after the joint (True)."""
    found = [step.definition for sweep in program.bounds for step in sweep.steps]
    return {one.after is not None: one.salt for one in found if isinstance(one, Rounding)}


def _reached(D: Floats, r: Floats) -> float:
    """r* D⁻¹ r, the mean over the columns."""
    each: Floats = np.sum(r * np.linalg.solve(D, r), axis=0)
    return float(np.abs(each).mean())


@given(mechanisms(max_bodies=6), st.integers(0, 2**20))
@settings(max_examples=60)
def test_the_columns_are_those_that_psi_carries(model: Model, seed: int) -> None:
    # Whatever the sweeps do, rounding goes where forces go: r = H ψ (w + E_φ w⁺).
    q, _ = model.random(seed)
    salt = roundings(lower(SOLVE))
    P, psi, E, H, D = (evaluate(e, model, q=q).dense() for e in (s.P, s.psi, s.E_phi, s.H, s.D))
    size = np.sqrt(P.diagonal())[:, None]
    w = size * random_signs(model.n, 6, salt[False]).reshape(-1, 2)
    short = [(part.stop - part.start == 1) or p < 0 for part, p in zip(model.v_slices, model.parent, strict=True)]
    after = size * random_signs(model.n, 6, salt[True]).reshape(-1, 2)
    after *= np.repeat(np.where(short, 1.0, ROOT_EPS), 6)[:, None]
    r = H @ psi @ (w + E @ after)
    reached = np.array([_reached(D[part, part], r[part]) for part in model.v_slices])
    found = measures(compile_program(SOLVE, model), q, T=np.ones(model.nv))
    # D has lost the digits that the measure counts, and is solved with.
    lost = max((condition(D[part, part]) for part in model.v_slices), default=1.0) / float(found.min(initial=1.0))
    assert apart(found, 1 / (1 + reached)) <= rounding(terms=9 * model.n, condition=lost)


@given(mechanisms(max_bodies=6), st.integers(0, 2**20), st.sampled_from([1e-3, 1e-2, 1e2, 1e3]))
@settings(max_examples=30)
def test_units_do_not_matter(model: Model, seed: int, factor: float) -> None:
    q, _ = model.random(seed)
    other = rescaled(model, length=factor, mass=1.0 / factor, time=1.0)
    run, changed = compile_program(SOLVE, model), compile_program(SOLVE, other.model)
    found = measures(changed, q * other.q_units, T=np.ones(model.nv))
    expected = measures(run, q, T=np.ones(model.nv))
    D = evaluate(s.D, model, q=q).dense()
    lost = max((condition(D[part, part]) for part in model.v_slices), default=1.0) / float(found.min(initial=1.0))
    assert apart(found, expected) <= rounding(terms=9 * model.n, condition=lost)


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_it_does_not_grow_with_the_length_of_a_chain(n: int) -> None:
    for model in (chain(n), chain(n, seed=n), random_tree(n, joints=ALL_JOINTS, seed=n)):
        assert least(model, model.random(0)[0]) > 10 * SMALL


def carrier(links: int, mass: float, *, parallel: bool = False) -> Model:
    """Hinges that move one point mass, with links of another mass between."""
    rng = np.random.default_rng(links)
    bodies: list[Body] = []
    for k in range(links):
        axis = (0.0, 0.0, 1.0) if parallel else rng.standard_normal(3).tolist()
        own = 1.0 if k == links - 1 else mass
        inertia = Inertia(
            own, (0.3, 0.2, 0.1) if parallel else rng.standard_normal(3).tolist(), np.zeros((3, 3)).tolist()
        )
        joint = Revolute(name=f"hinge{k}", axis=axis)
        place = Placement() if parallel else Placement(translation=rng.standard_normal(3).tolist())
        bodies.append(Body(f"link{k}", f"link{k - 1}" if k else None, joint, place, inertia))
    return Model(name="carrier", bodies=bodies)


def test_the_measure_is_as_small_as_what_is_left() -> None:
    # The fourth hinge has nothing to move but the links: what is left of its pivot is their share of the mass.
    rates: list[float] = []
    for power in range(2, 13, 2):
        model = carrier(4, 10.0**-power)
        rates.append(least(model, model.random(0)[0]) * 10.0**power)
    assert max(rates) < 10 * min(rates)


@pytest.mark.parametrize("method", ["auto", "joseph", "refined"])
@pytest.mark.parametrize("parallel", [False, True], ids=["skew", "coaxial"])
def test_hinges_that_move_nothing_of_their_own_are_refused(method: Method, parallel: bool) -> None:
    # Coaxial hinges leave a pivot that is zero but for rounding, and nothing of P for the columns to see.
    model = carrier(2 if parallel else 4, 0.0, parallel=parallel)
    q, _ = model.random(0)
    with pytest.raises(SingularError, match="hinge0"):
        compile_program(SOLVE, model, method=method)(q=q, T=np.ones(model.nv))


def test_a_root_of_nothing_but_rounding_is_refused() -> None:
    model = carrier(4, 0.0)
    q, _ = model.random(0)
    with pytest.raises(SingularError, match="hinge0"):
        compile_program(root(s.D), model)(q=q)


def test_nearly_as_much_is_told_with_joint_and_digits() -> None:
    model = carrier(4, 1e-6)
    q, _ = model.random(0)
    with pytest.warns(OperatorAlgebraWarning, match=r'"hinge0" \(relative pivot \de-0[67]\): about [67] of 16'):
        compile_program(SOLVE, model)(q=q, T=np.ones(model.nv))


def test_in_a_batch_the_lost_samples_alone_are_named() -> None:
    model = chain(3)
    straight = operator("J", RATE >> TORQUE, structure="diagonal symmetric")
    e = inv(MASS + straight) @ s.T
    q, _ = model.random(0)
    D = evaluate(s.innovations(straight).D, model, q=q, J=[0.0] * 3).dense().diagonal()
    J = np.zeros((3, 3))
    J[1, 0] = -D[0]  # the last pivot, gone
    found = compile_program(e, model)(q=[q, q, q], T=np.ones(3), J=J, errors="mask")
    assert np.isnan(found).any(axis=1).tolist() == [False, True, False]


def test_pivots_of_samples_that_were_not_computed_again_stay() -> None:
    plain = Run({"x": np.zeros(3)}, (Measured("D", np.array([[1e-6], [1e-10], [1e-16]]), bounded=True),))
    second = Run({"x": np.ones(2)}, (Measured("relation", np.array([[0.5], [1e-15]])),))
    found = rescued(plain, [1, 2], (3,), second)
    assert np.asarray(found.results["x"]).tolist() == [0.0, 1.0, 1.0]
    (D, relation) = found.pivots
    # The second run answers for its samples, but where both fail the plain pivot says at which joint.
    assert D.measure.ravel().tolist() == [1e-6, np.inf, 1e-16]
    assert relation.measure.ravel().tolist() == [np.inf, 0.5, np.inf]


def test_nonsymmetric_pivots_are_seen_from_both_sides() -> None:
    program = lower(inv(MASS + C) @ s.T)
    (pivot,) = program.pivots
    assert pivot.left != pivot.right
    model = carrier(4, 1e-6)
    q, _ = model.random(0)
    found = measures(compile_program(inv(MASS + C) @ s.T, model), q, T=np.ones(4), C=[0.0] * 4)
    plain = measures(compile_program(SOLVE, model), q, T=np.ones(4))
    assert 1e-2 * plain.min() < found.min() < 1e2 * plain.min()


def test_bounds_stand_beside_the_program() -> None:
    program = lower(dynamics.forward_dynamics)
    assert len(program.sweeps) == 3
    assert [sweep.direction for sweep in program.bounds] == ["inward"]
    carried = {step.number for sweep in program.bounds for step in sweep.steps}
    assert not carried & set(program.steps)
    assert "rounding" not in program.pseudocode(reasons=True)
