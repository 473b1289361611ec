"""Redundant rows of loops and springs, solved by the smallest forces on request, beside pseudo-inverses of NumPy."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.lowering.lower import Method
from operator_algebra.symbols import H, M, T, inv, phi

LOOP = oa.space("loop", attached=False)
SPRING = oa.space("spring", attached=False)
C = oa.operator("C", LOOP.dual >> oa.FORCE)
K = oa.operator("K", SPRING.dual >> oa.FORCE)
W = oa.operator("W", SPRING >> SPRING.dual, structure="symmetric definite")
drift = oa.vector("drift", LOOP)
MASS = H @ phi @ M @ phi.T @ H.T
J, JS = C.T @ phi.T @ H.T, K.T @ phi.T @ H.T
SPRUNG = MASS + JS.T @ W @ JS
_linalg: Any = np.linalg
EPS = float(np.finfo(np.float64).eps)


def multiplier(system: oa.Expr) -> oa.Expr:
    return inv(J @ inv(system) @ J.T) @ (J @ inv(system) @ T + drift)


def acceleration(system: oa.Expr) -> oa.Expr:
    return inv(system) @ (T - J.T @ multiplier(system))


ARM = oa.chain(6)
STIFF, HELD = {"λ": multiplier(MASS), "qdd": acceleration(MASS)}, acceleration(SPRUNG)


@dataclass(frozen=True)
class Scene:
    """An arm, rows on it of which some follow from others, and matrices for the oracle."""

    model: oa.Model
    given: dict[str, Any]
    mass: Any
    rows: Any


def scene(seed: int, *, rank: int = 3, rows: int = 5, samples: int = 1, frame: Any = "body") -> Scene:
    """Rows are mixed at random from as many as the rank on the last two bodies; the drift asks for what they can do."""
    rng = np.random.default_rng(seed)
    model = ARM
    pick = np.zeros((6 * model.n, rank))
    pick[-12:] = rng.standard_normal((12, rank))
    pick = pick @ rng.standard_normal((rank, rows))
    q = np.stack([model.random(seed + k)[0] for k in range(samples)])
    mass = np.stack([oa.evaluate(MASS, model, q=one).dense() for one in q])
    jacobian = np.stack([oa.evaluate(J, model, q=one, C=pick, frame=frame).dense() for one in q])
    asked = (jacobian @ rng.standard_normal((model.nv, 1)))[..., 0]
    given: dict[str, Any] = {"q": q, "C": pick, "T": rng.standard_normal(model.nv), "drift": asked}
    if samples > 1:
        return Scene(model, given, mass, jacobian)
    return Scene(model, given | {"q": q[0], "drift": asked[0]}, mass[0], jacobian[0])


def smallest(mass: Any, rows: Any, torque: Any, asked: Any) -> tuple[Any, Any]:
    """The smallest forces, and the acceleration: by weighted least squares, which never squares the rows."""
    root = _linalg.cholesky(mass)
    scaled = _linalg.solve(root, rows.T)  # S = scaled* scaled
    free = _linalg.solve(root, torque)
    forces = _linalg.pinv(scaled, rcond=1e-10) @ (free + _linalg.pinv(scaled.T, rcond=1e-10) @ asked)
    return forces, _linalg.solve(root.T, free - scaled @ forces)


def bound(one: Scene) -> float:
    """Rounding, times what the problem does to it: the mass matrix, and the rows that count."""
    found = _linalg.svd(one.rows, compute_uv=False)
    return 100 * EPS * float(_linalg.cond(one.mass)) * float(found[0] / found[found > 1e-10 * found[0]].min())


def apart(found: Any, expected: Any) -> float:
    return float(_linalg.norm(found - expected) / _linalg.norm(expected))


@pytest.mark.parametrize(("method", "frame"), [("auto", "body"), ("orthogonal", "body"), ("refined", "world")])
def test_smallest_forces_and_exact_accelerations(method: Method, frame: Any) -> None:
    for seed in range(3):
        one = scene(seed, frame=frame)
        found = oa.compile(STIFF, one.model, method=method, frame=frame, redundant="least norm")(**one.given)
        forces, qdd = smallest(one.mass, one.rows, one.given["T"], one.given["drift"])
        assert apart(found["λ"], forces) <= bound(one)
        assert apart(found["qdd"], qdd) <= bound(one)


def test_rows_that_do_not_depend_keep_every_bit() -> None:
    one = scene(0, rank=3, rows=3)
    plain, asked = (oa.compile(STIFF, one.model, redundant=how)(**one.given) for how in ("raise", "least norm"))
    for name in STIFF:
        np.testing.assert_array_equal(plain[name], asked[name])


def test_more_rows_than_freedoms() -> None:
    one = scene(1, rank=6, rows=9)
    found = oa.compile(STIFF, one.model, redundant="least norm")(**one.given)
    forces, _ = smallest(one.mass, one.rows, one.given["T"], one.given["drift"])
    assert apart(found["λ"], forces) <= bound(one)
    assert np.abs(one.rows @ found["qdd"] + one.given["drift"]).max() <= bound(one)


def test_one_row_that_says_nothing() -> None:
    model = oa.chain(3)
    given: dict[str, Any] = {"q": model.neutral(), "C": np.zeros((18, 1)), "T": np.ones(3)}
    run = oa.compile(STIFF, model, redundant="least norm")
    np.testing.assert_array_equal(run(**given, drift=[0.0])["λ"], [0.0])
    with pytest.raises(oa.errors.SingularError, match="what they ask for does not"):
        run(**given, drift=[1.0])


@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_rows_that_contradict_each_other_are_named(backend: str) -> None:
    one = scene(2, rank=2, rows=2)
    pick = one.given["C"][:, [0, 1, 1]]
    given: dict[str, Any] = one.given | {"C": pick, "drift": np.array([0.3, 1.0, 1.5])}
    run = oa.compile(STIFF, one.model, backend=backend, redundant="least norm")
    with pytest.raises(
        oa.errors.SingularError, match=r"its rows 1, 2 \(counted from 0\) follow from each other there, but"
    ):
        run(**given)
    given["drift"] = np.array([0.3, 1.0, 1.0])
    run(**given)


def test_who_does_not_ask_is_told_how() -> None:
    one = scene(0)
    with pytest.raises(oa.errors.SingularError, match='or compile with redundant="least norm"'):
        oa.compile(STIFF, one.model)(**one.given)


def test_an_inverse_alone_has_no_least_norm() -> None:
    one = scene(0)
    given: dict[str, Any] = {name: one.given[name] for name in ("q", "C")}
    S = J @ inv(MASS) @ J.T
    for formula in (inv(S), oa.trace(inv(S)), {"S": inv(S), "det": oa.logdet(S)}, oa.logdet(S)):
        with pytest.raises(oa.errors.SingularError):
            oa.compile(formula, one.model, redundant="least norm")(**given)


def test_a_projection_is_applied_to_what_agrees() -> None:
    """M⁻¹ J* S⁻¹ J as a matrix, and its adjoint: each column of J asks for what the rows can do."""
    one = scene(3)
    given: dict[str, Any] = {name: one.given[name] for name in ("q", "C")}
    projection = inv(MASS) @ J.T @ inv(J @ inv(MASS) @ J.T) @ J
    root = _linalg.cholesky(one.mass)
    scaled = _linalg.solve(root, one.rows.T)
    onto = _linalg.solve(root.T, scaled @ _linalg.pinv(scaled, rcond=1e-10) @ root.T)
    for formula, expected in ((projection, onto), (projection.T, onto.T)):
        found = oa.compile(oa.dense(formula), one.model, redundant="least norm")(**given)
        assert apart(found, expected) <= bound(one)


def test_samples_of_a_batch_are_told_apart() -> None:
    """Generated code does the sample whose rows do not depend; of the others one contradicts itself."""
    one = scene(4, samples=3)
    free = np.zeros_like(one.given["C"])
    free[-12:] = np.random.default_rng(4).standard_normal((12, 5))
    pick = np.stack([one.given["C"], free, one.given["C"]])
    drift_given = np.array(one.given["drift"])
    drift_given[2] += np.arange(5.0)
    given: dict[str, Any] = one.given | {"C": pick, "drift": drift_given}
    run = oa.compile(STIFF, one.model, redundant="least norm")
    found = run(**given, errors="mask")
    assert np.isfinite(found["λ"]).all(axis=-1).tolist() == [True, True, False]
    alone: dict[str, Any] = {name: value if name == "T" else value[0] for name, value in given.items()}
    np.testing.assert_array_equal(found["λ"][0], run(**alone)["λ"])
    with pytest.raises(oa.errors.SingularError, match=r"in sample 2 .* but what they ask for does not"):
        run(**given)


@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6, 1e9, 1e12])
def test_stiff_springs_that_depend_beside_loops_that_do(stiffness: float) -> None:
    """Both sets of rows are redundant; the loops hold, the springs deflect."""
    for seed in range(3):
        one = scene(seed)
        rng = np.random.default_rng(seed + 100)
        pick = np.zeros((36, 2))
        pick[12:24] = rng.standard_normal((12, 2))
        pick = pick @ rng.standard_normal((2, 4))
        weight = stiffness * np.diag(rng.uniform(0.5, 2.0, 4))
        given: dict[str, Any] = one.given | {"K": pick, "W": weight}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", oa.errors.OperatorAlgebraWarning)
            found = oa.compile(HELD, one.model, redundant="least norm")(**given)
        springs = oa.evaluate(JS, one.model, q=given["q"], K=pick).dense()
        expected = held(one, springs, weight)
        assert apart(found, expected) <= bound(one)


def held(one: Scene, springs: Any, weight: Any) -> Any:
    """The acceleration from one system of least squares over what the loops leave free, without a small system."""
    rows, asked, torque = one.rows, one.given["drift"], one.given["T"]
    _, found, across = _linalg.svd(rows)
    rank = int((found > 1e-10 * found[0]).sum())
    loose = across[rank:].T
    particular = -_linalg.pinv(rows, rcond=1e-10) @ asked
    stack = np.concatenate([_linalg.cholesky(one.mass).T, np.sqrt(weight) @ springs])
    free = np.concatenate([_linalg.solve(_linalg.cholesky(one.mass), torque), np.zeros(len(weight))])
    # Large rows first, orthogonally: what is stiff costs what is not no digits.
    order = np.argsort(-np.abs(stack @ loose).max(axis=1))
    Q, R = _linalg.qr((stack @ loose)[order])
    return particular + loose @ _linalg.solve(R, Q.T @ (free - stack @ particular)[order])


def test_evaluation_finds_the_same() -> None:
    one = scene(5)
    forces, qdd = smallest(one.mass, one.rows, one.given["T"], one.given["drift"])
    for formula, expected in zip(STIFF.values(), (forces, qdd), strict=True):
        found = oa.evaluate(formula, one.model, redundant="least norm", **one.given).dense()
        assert apart(found, expected) <= bound(one)
        with pytest.raises(oa.errors.SingularError):
            oa.evaluate(formula, one.model, **one.given)
        wrong = one.given | {"drift": one.given["drift"] + np.arange(5.0)}
        with pytest.raises(oa.errors.SingularError, match="what they ask for does not"):
            oa.evaluate(formula, one.model, redundant="least norm", **wrong)


def test_what_is_asked_for_is_read_strictly() -> None:
    model = oa.chain(2)
    with pytest.raises(oa.errors.InputError, match="redundant='yes' is not known"):
        oa.compile(STIFF, model, redundant="yes")  # pyright: ignore[reportArgumentType]
    with pytest.raises(oa.errors.InputError, match="closed forms have no least norm"):
        oa.compile(STIFF, model, backend="sympy", redundant="least norm")
