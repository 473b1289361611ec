"""Programs on tiny mechanisms with a branching body against the plain meaning, and slips that this must notice."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.evaluation import Scaled, evaluate_with_scale
from operator_algebra.expressions.build import diag, inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.programs.program import Program
from operator_algebra.programs.verify import IllFormed, check_program
from operator_algebra.spatial.arrays import Axes
from tests.lowering.agreement import bound, dense, distance
from tests.lowering.mutants import mutants
from tests.often import backend_for
from tests.strategies import ALL_JOINTS, random_body

Floats = NDArray[np.float64]

# Siblings, a second root, a branch below a branch.
PARENTS = ((-1, 0, 0, 1, 1, 0), (-1, 0, 1, 1, -1, 4, 4), (-1, 0, 0, 0, 2))
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
W = s.I - s.H @ s.psi @ s.K
GEAR = operator("gear", TORQUE >> TORQUE, structure="inward hop")
STIFFNESS = operator("C", RATE >> TORQUE, structure="diagonal definite")

APPLICATIONS: dict[str, Expr] = {name: e for name, e in vars(dynamics).items() if isinstance(e, Expr) and len(name) > 1}
FORMULAS: dict[str, Expr] = {
    **{name: e for name, e in APPLICATIONS.items() if e.type.domain.name == "one" or name == "mass_matrix"},
    "factored inverse": W.T @ inv(s.D) @ W @ s.T,
    "diagonal of the inverse": diag(inv(MASS)),
    "smoothed covariance": s.S,
    "operational-space kernel": s.Omega @ s.f_ext,
    "gear coupling": inv(MASS + GEAR @ STIFFNESS @ GEAR.T) @ s.T,
    "nested inverse": inv(inv(inv(MASS) + inv(STIFFNESS)) + STIFFNESS) @ s.T,
}


@cache
def mechanism(index: int) -> Model:
    """A tiny forest with armature, dampers and springs; every kind of joint stands in one of three."""
    rng = np.random.default_rng(index)
    kinds = [kind for kind in ALL_JOINTS if kind != "fixed"] + ["fixed", "revolute"] * 4
    bodies = [
        _equipped(random_body(k, parent, kinds[(6 * index + k) % len(kinds)], rng, armature=True), rng)
        for k, parent in enumerate(PARENTS[index])
    ]
    return Model(name=f"tiny{index}", bodies=bodies)


def _equipped(body: Body, rng: np.random.Generator) -> Body:
    damping = rng.uniform(0.1, 1.0, body.joint.nv).tolist()
    joint = replace(body.joint, damping=tuple(damping))
    if joint.kind not in ("floating", "planar"):
        joint = replace(joint, stiffness=(0.7,) * joint.nv)
    return replace(body, joint=joint)


def values_for(e: Expr, model: Model, seed: int) -> dict[str, Any]:
    """A configuration, and random values for the inputs that a formula mentions."""
    rng = np.random.default_rng(seed)
    joints = [part.stop - part.start for part in model.v_slices]
    q, v = model.random(seed)
    values: dict[str, Any] = {"q": q, "v": v}
    for name in ("T", "qdd"):
        values[name] = rng.standard_normal(model.nv)
    values["f_ext"] = rng.standard_normal(6 * model.n)
    values["C"] = rng.uniform(1.0, 2.0, model.nv)
    values["gear"] = [0.5 * rng.standard_normal((joints[max(p, 0)], joints[k])) for k, p in enumerate(model.parent)]
    mentioned = {symbol.name for symbol in free_symbols(e)}
    rated = "H_dot" in mentioned
    return {name: x for name, x in values.items() if name in mentioned or name == "q" or (name == "v" and rated)}


METHODS: tuple[Method, ...] = ("auto", "joseph", "refined", "orthogonal")


@pytest.mark.parametrize("frame", ["body", "world"])
@pytest.mark.parametrize("index", range(len(PARENTS)))
@pytest.mark.parametrize("name", FORMULAS)
def test_programs_mean_their_formula(name: str, index: int, frame: Axes) -> None:
    e, model = FORMULAS[name], mechanism(index)
    values = values_for(e, model, index)
    expected = evaluate_with_scale(e, model, frame=frame, **values)
    for method in METHODS:
        backend = backend_for(METHODS.index(method))
        found = dense(compile_program(e, model, frame=frame, method=method, backend=backend)(**values))
        assert distance(found, expected) <= bound(expected)


# -- planted slips -----------------------------------------------------------------------------------------------------


def notices(program: Program, expected: Scaled, index: int, values: dict[str, Any]) -> bool:
    """Whether a program is refused as ill-formed, fails, or gives another result."""
    model = mechanism(index)
    try:
        check_program(program)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = compile_program(program, model, backend="interpreter")(**values)
    except (IllFormed, OperatorAlgebraError):
        return True
    return not distance(dense(found), expected) <= bound(expected)


SLIPS_WITHOUT_EFFECT = {
    # All velocities reversed: forces and energy are quadratic in them.
    "inverse_dynamics": ["s: sign of term 0"],
    "forward_dynamics": ["s: sign of term 0"],
    "kinetic_energy": ["V: sign of term 0"],
}


@pytest.mark.parametrize(
    "name",
    [
        "inverse_dynamics",
        "forward_dynamics",
        "kinetic_energy",
        "momentum",
        "factored inverse",
        "gear coupling",
        "smoothed covariance",
    ],
)
def test_every_slip_is_noticed(name: str) -> None:
    e, index = FORMULAS[name], 0  # its universal joint shows the terms with Ḣ
    values = values_for(e, mechanism(index), index)
    expected = evaluate_with_scale(e, mechanism(index), **values)
    program = lower(e)
    assert not notices(program, expected, index, values)
    planted = list(mutants(program))
    assert len(planted) > 8
    missed = [what for what, mutant in planted if not notices(mutant, expected, index, values)]
    assert missed == SLIPS_WITHOUT_EFFECT.get(name, [])
