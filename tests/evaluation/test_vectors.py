"""The published numbers of planar3r and tree4, in both frames and both numberings."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.spatial.arrays import Axes
from tests.rounding import apart, condition, rounding, size

Floats = NDArray[np.float64]
VECTORS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "test_vectors.json").read_text(encoding="utf-8")
)
# Relative to the largest entry: the numbers are given to sixteen digits; they are of three to four bodies, and solve.
TOLERANCE = rounding(terms=9 * 4, condition=max(condition(given["mass"]) for given in VECTORS.values()))
FRAMES: tuple[Axes, ...] = ("body", "world")
MECHANISMS = tuple(VECTORS)

_MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
_COLUMN = s.phi.T @ s.a
_BIAS = s.H @ s.phi @ (s.M @ _COLUMN + s.b)
_GRAVITY = s.H @ s.phi @ s.M @ s.phi.T @ s.a_ground

# Quantities over joints: they depend on no frame.
JOINT_SPACE: dict[str, Expr] = {
    "mass": _MASS,
    "mass_inv": s.inv(_MASS),
    "D": s.D,
    "innovations_factor": s.U,
    "m": s.m,
    "xi": s.xi,
    "nu": s.nu,
    "C_thetadot": _BIAS,
    "gravity_torque": _GRAVITY,
    "kappa": s.kappa,
    "epsilon": s.epsilon,
    "qdd_no_gravity": s.inv(_MASS) @ (s.T - _BIAS),
    "qdd_gravity": s.inv(_MASS) @ (s.T - _BIAS - _GRAVITY),
    "kinetic_energy": 0.5 * (s.v.T @ _MASS @ s.v),
    "Ddot": s.D_ring,
    "C_xi": s.C_xi,
    "xidot_no_gravity": s.inv(s.D) @ (s.kappa - s.C_xi),
}
# Those of a Cholesky factor of D; the formulas are for joints of one degree of freedom.
SINGLE_JOINTS: dict[str, Expr] = {"C_nu": s.C_nu, "nudot_no_gravity": s.epsilon - s.C_nu}
PER_BODY: dict[str, Expr] = {"P": s.P, "Delta_minus": s.Upsilon, "G": s.G}


@cache
def mechanism(name: str) -> tuple[Model, Floats, Floats, Floats]:
    model = load(name)
    if name == "planar3r":
        return model, np.array([0.3, -0.5, 0.8]), np.array([0.7, -0.4, 1.1]), np.array([1.0, -0.5, 0.25])
    turn = np.array([0.1, -0.2, 0.3])
    angle = float(np.linalg.norm(turn))
    quaternion = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) / angle * turn])
    q = np.concatenate([[0.4, -0.9, 0.25], quaternion])
    v = np.array([0.5, -1.2, 0.3, 0.4, -0.6, 0.9])
    return model, q, v, np.array([1, -2, 0.5, 0.3, -0.1, 0.2])


def value(e: Expr, name: str, frame: Axes, numbering: Any = "model") -> Floats:
    model, q, v, T = mechanism(name)
    given: dict[str, Any] = {}
    needed = {symbol.name for symbol in _inputs(e)}
    given |= {"v": v} if "v" in needed else {}
    given |= {"T": T} if "T" in needed else {}
    return evaluate(e, model, q=q, frame=frame, **given).dense(numbering)


def _inputs(e: Expr) -> list[Any]:
    from operator_algebra.expressions.traverse import free_symbols

    return [symbol for symbol in free_symbols(e) if symbol.origin == "input"] + (
        [s.v] if s.H_dot in free_symbols(e) else []
    )


def close(found: Floats, expected: Any) -> bool:
    wanted = np.asarray(expected, dtype=float).reshape(found.shape)
    return apart(found, wanted) <= TOLERANCE * size(wanted)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("quantity", JOINT_SPACE)
def test_joint_space(quantity: str, name: str, frame: Axes) -> None:
    expected = VECTORS[name][quantity]
    assert close(value(JOINT_SPACE[quantity], name, frame), expected)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("quantity", SINGLE_JOINTS)
def test_normalised_rates_of_single_joints(quantity: str, name: str, frame: Axes) -> None:
    model = mechanism(name)[0]
    single = [part.start for part in model.v_slices if part.stop - part.start == 1]
    found = value(SINGLE_JOINTS[quantity], name, frame).reshape(model.nv)
    assert len(single) == 3
    assert close(found[single], np.asarray(VECTORS[name][quantity])[single])


@pytest.mark.parametrize("name", MECHANISMS)
def test_normalised_rates_of_all_joints(name: str) -> None:
    """C_ν = L⁻¹ C_ξ − (dL/dt)* ξ, where dL/dt = L Φ(L⁻¹ Ḋ L⁻*): half of the diagonal, and what is below it."""
    found = {key: value(e, name, "body") for key, e in (("D", s.D), ("rate", s.D_ring), ("C_xi", s.C_xi), ("xi", s.xi))}
    L = np.linalg.cholesky(found["D"])
    turned = np.linalg.solve(L, np.linalg.solve(L, found["rate"]).T)
    rate = L @ (np.tril(turned) - 0.5 * np.diag(np.diag(turned)))
    C_nu = np.linalg.solve(L, found["C_xi"]) - rate.T @ found["xi"]
    assert close(C_nu, VECTORS[name]["C_nu"])
    assert close(value(s.epsilon, name, "body") - C_nu, VECTORS[name]["nudot_no_gravity"])


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_rate_of_articulated_inertia(name: str, frame: Axes) -> None:
    """Its trace at each body, the same in any axes."""
    model, q, v, _ = mechanism(name)
    found = evaluate(s.P_ring, model, q=q, v=v, frame=frame)
    assert close(np.array([np.trace(found[k, k]) for k in range(model.n)]), VECTORS[name]["Pring_tr"])


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("quantity", ["mass", "mass_inv", "innovations_factor", "m", "xi"])
def test_the_papers_numbering_reverses_the_bodies(quantity: str, name: str, frame: Axes) -> None:
    model = mechanism(name)[0]
    expected = np.asarray(VECTORS[name][quantity], dtype=float)
    order = [i for part in reversed(model.v_slices) for i in range(part.start, part.stop)]
    turned = expected[order] if expected.ndim == 1 else expected[order][:, order]
    assert close(value(JOINT_SPACE[quantity], name, frame, "paper"), turned)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("quantity", PER_BODY)
def test_blocks_in_body_axes(quantity: str, name: str, frame: Axes) -> None:
    model, q, _, _ = mechanism(name)
    blocks = evaluate(PER_BODY[quantity], model, q=q, frame=frame)
    for k in range(model.n):
        block = blocks[k, k]
        if frame == "world":
            turn = _body_to_world(model, q, k)
            block = turn.T @ block @ (turn if quantity != "G" else np.eye(block.shape[1]))
        assert close(block, VECTORS[name][f"{quantity}_{k}"])
        # The blocks are found under the joint's name too.
        joint = model.joint_names[k]
        assert np.array_equal(blocks[joint, joint], blocks[k, k])


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_velocity(name: str, frame: Axes) -> None:
    model, q, _, _ = mechanism(name)
    found = value(s.V, name, frame).reshape(model.n, 6)
    if frame == "world":
        found = np.stack([_body_to_world(model, q, k).T @ found[k] for k in range(model.n)])
    assert close(found, VECTORS[name]["V"])


def _body_to_world(model: Model, q: Floats, k: int) -> Floats:
    rotation = LeafValues(model, q).absolute[0][k]
    zero = np.zeros((3, 3))
    return np.block([[rotation, zero], [zero, rotation]])
