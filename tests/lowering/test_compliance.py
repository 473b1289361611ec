"""What springs leave of the compliance of a mechanism, and solutions that are small differences of it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.backends.backend import Measured
from operator_algebra.backends.pivots import HELD
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraWarning
from operator_algebra.expressions.build import diag, inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense, trace
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE, space
from operator_algebra.programs.program import Program
from operator_algebra.spatial.inertia import Inertia
from tests.lowering.lost_digits import EPS, error_of, told_by
from tests.oracles.extended_precision import exact
from tests.oracles.many_digits import Factors, factored, many_digits, solved
from tests.strategies import random_body

TASK = space("task", attached=False)
PICK = operator("pick", TASK.dual >> FORCE)
W = operator("W", TASK >> TASK.dual, structure="symmetric definite")
LOOSE = operator("W", TASK >> TASK.dual)
MORE = operator("more", RATE >> space("more", attached=False))
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
J = PICK.T @ s.phi.T @ s.H.T
HARDER = MORE @ inv(MASS + J.T @ W @ J) @ MORE.T
ARMATURE = operator("J", RATE >> TORQUE, structure="diagonal symmetric definite")


def held(W: Expr) -> dict[str, Expr | Query]:
    """Formulas with an inverse that springs hold."""
    inverse = inv(MASS + J.T @ W @ J)
    return {
        "acceleration": inverse @ s.T,
        "force": W @ J @ inverse @ s.T,
        "Delassus": MORE @ inverse @ MORE.T,
        "inverse": dense(inverse),
        "trace": trace(inverse),
    }


class Mechanism:
    """Four hinges, of which the last moves a body that is light, and springs on it."""

    def __init__(self, light: float, stiffness: float, seed: int, rows: int = 2) -> None:
        rng = np.random.default_rng(seed)
        bodies = [random_body(k, k - 1, "revolute", rng) for k in range(4)]
        tip = bodies[-1].inertia
        thin = Inertia(light * tip.mass, tip.com, (light * np.array(tip.inertia_at_com)).tolist())
        self.model = Model(name="light", bodies=[*bodies[:-1], replace(bodies[-1], inertia=thin)])
        self.q = self.model.random(seed)[0]
        self.given: dict[str, Any] = {
            "pick": np.vstack([np.zeros((18, rows)), rng.standard_normal((6, rows))]),
            "W": stiffness * np.diag(rng.uniform(0.5, 2.0, rows)),
            "more": rng.standard_normal((2, 4)),
            "T": rng.standard_normal(4),
        }

    def call(self, formula: Expr | Query, method: Method = "auto", backend: str = "auto") -> tuple[Any, list[str]]:
        """The result, and what was told."""
        run = compile_program(formula, self.model, method=method, backend=backend)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", OperatorAlgebraWarning)
            found = run(q=self.q, **{key: value for key, value in self.given.items() if key in run.inputs})
        return found, [str(warning.message) for warning in caught]

    def pivots(self, formula: Expr | Query) -> list[Measured]:
        """What the interpreter measures."""
        run = compile_program(formula, self.model, backend="interpreter")
        given = {key: value for key, value in self.given.items() if key in run.inputs}
        call = run._bound(self.q, given)  # pyright: ignore[reportPrivateUsage]
        found = run._numeric().interpreted(call.q, call.v, call.inputs)  # pyright: ignore[reportPrivateUsage]
        return [pivot for pivot in found.pivots if pivot.springs]

    def _matrix(self) -> tuple[Any, Any, Any]:
        rows = many_digits(J, self.model, q=self.q, pick=self.given["pick"])
        mass = many_digits(MASS, self.model, q=self.q)
        return mass, rows, mass + rows.T @ exact(self.given["W"]) @ rows

    def truth(self) -> tuple[dict[str, Any], float]:
        """The values in fifty digits, and the condition of what is inverted."""
        _, rows, matrix = self._matrix()
        ones = exact(np.ones(4))
        factors: Factors = factored(matrix, ones, ones)
        inverse = solved(factors, exact(np.eye(4)))
        acceleration = inverse @ exact(self.given["T"])
        more = exact(self.given["more"])
        values = {
            "acceleration": acceleration,
            "force": exact(self.given["W"]) @ (rows @ acceleration),
            "Delassus": more @ inverse @ more.T,
            "inverse": inverse,
            "trace": inverse.trace(),
        }
        return values, float(np.linalg.cond(matrix.astype(np.float64)))

    def share(self) -> float:
        """tr (M + J* W J)⁻¹ / tr M⁻¹."""
        mass, _, matrix = (one.astype(np.float64) for one in self._matrix())
        return float(np.sum(1 / np.linalg.eigvalsh(matrix)) / np.sum(1 / np.linalg.eigvalsh(mass)))


@pytest.mark.parametrize("backend", ["auto", "interpreter"])
@pytest.mark.parametrize("W", [W, LOOSE], ids=["definite", "any"])
@pytest.mark.parametrize(("light", "stiffness"), [(1e-2, 1.0), (1e-5, 1.0), (1e-4, 1e3)])
def test_a_light_body_that_springs_hold_costs_no_digits(W: Expr, light: float, stiffness: float, backend: str) -> None:
    """The least of what moves alone is compliant, together nothing is: the condition of the whole is what counts."""
    for seed in range(1 if backend == "auto" else 2):
        one = Mechanism(light, stiffness, seed)
        expected, condition = one.truth()
        for name, formula in held(W).items():
            found, told = one.call(formula, backend=backend)
            assert not told, (name, told)
            assert error_of(found, expected[name], name) <= 100 * EPS * condition, (name, seed)


@pytest.mark.parametrize("method", ["auto", "refined", "orthogonal"])
def test_where_one_step_is_not_enough_what_is_left_is_told(method: Method) -> None:
    lost: list[float] = []
    for stiffness in (1e3, 1e9):
        one = Mechanism(1e-8, stiffness, 0)
        expected, condition = one.truth()
        for name, formula in held(W).items():
            found, told = one.call(formula, method)
            lost.append(max(map(told_by, told), default=1.0))
            assert error_of(found, expected[name], name) <= 100 * EPS * max(condition, lost[-1]), (name, stiffness)
    assert max(lost) > 1 / HELD


@pytest.mark.parametrize("method", ["refined", "orthogonal", "joseph"])
def test_no_method_loses_them(method: Method) -> None:
    one = Mechanism(1e-5, 1.0, 0)
    expected, condition = one.truth()
    for name, formula in held(W).items():
        found, told = one.call(formula, method)
        assert not told
        assert error_of(found, expected[name], name) <= 100 * EPS * condition, name


def test_samples_that_are_held_are_refined_and_others_left() -> None:
    one = Mechanism(1e-5, 1.0, 0)
    run = compile_program(held(W)["acceleration"], one.model)
    weights = np.stack([1e-9 * one.given["W"], one.given["W"], 1e-8 * one.given["W"]])
    pick, T = one.given["pick"], one.given["T"]
    found = run(q=[one.q] * 3, W=weights, pick=pick, T=T)
    others = run(q=[one.q] * 2, W=weights[[0, 2]], pick=pick, T=T)
    assert np.array_equal(found[[0, 2]], others)
    expected, condition = one.truth()
    assert error_of(found[1], expected["acceleration"], "") <= 100 * EPS * condition


def test_blocks_have_no_residual_so_what_is_lost_is_told() -> None:
    formula = diag(inv(MASS + J.T @ W @ J))
    _, told = Mechanism(1e-5, 1.0, 0).call(formula)
    assert len(told) == 1
    assert "leaves little of the compliance of the mechanism (share" in told[0]
    assert not Mechanism(1.0, 1e-2, 0).call(formula)[1]


@pytest.mark.parametrize(("light", "stiffness"), [(1.0, 1e-3), (1e-2, 1.0), (1e-4, 1.0), (1e-6, 1e3)])
def test_the_share_is_that_of_the_traces(light: float, stiffness: float) -> None:
    """Columns of signs give a trace of a definite matrix within a factor of a few."""
    for seed in range(4):
        one = Mechanism(light, stiffness, seed)
        (found,) = one.pivots(held(W)["acceleration"])
        assert one.share() / 8 <= float(np.min(found.measure)) <= min(1.0, 8 * one.share())


def test_stiff_springs_that_leave_something_free_are_no_matter_of_concern() -> None:
    for stiffness in (1.0, 1e6, 1e12):
        one = Mechanism(1.0, stiffness, 3, rows=1)
        (found,) = one.pivots(held(W)["acceleration"])
        assert np.min(found.measure) >= HELD


def test_shares_belong_to_what_was_opened() -> None:
    """A formula's own small systems answer for themselves; what is refined has its residual, and no transposition."""

    def shares(program: Program) -> int:
        return sum(pivot.kept is not None for pivot in program.pivots)

    assert shares(lower(held(W)["acceleration"])) == 1
    assert shares(lower(inv(MASS) @ (s.T - J.T @ inv(inv(W) + J @ inv(MASS) @ J.T) @ J @ inv(MASS) @ s.T))) == 0
    nested = lower(inv(HARDER) @ MORE @ s.v)
    assert shares(nested) == 1
    assert [sweep.direction for sweep in lower(held(W)["acceleration"]).sweeps] == ["inward", "outward"]


def test_one_inverse_inside_another_is_refined_by_the_orthogonal_method() -> None:
    """Its equations are more than those of the formula, and in worse condition, where armature holds a light body."""
    one = Mechanism(1e-9, 1.0, 0)
    armature = np.array([1.0, 2.0, 3.0, 4.0])
    nested = inv(MASS + inv(inv(MASS + ARMATURE) + inv(ARMATURE))) @ s.T
    run = compile_program(nested, one.model, method="orthogonal")
    found = run(q=one.q, J=armature, T=one.given["T"])
    ones, eye = exact(np.ones(4)), exact(np.eye(4))

    def inverse(matrix: Any) -> Any:
        return solved(factored(matrix, ones, ones), eye)

    mass, held_by = many_digits(MASS, one.model, q=one.q), exact(np.diag(armature))
    outer = mass + inverse(inverse(mass + held_by) + inverse(held_by))
    condition = float(np.linalg.cond(outer.astype(np.float64)))
    assert condition < 1e4
    assert error_of(found, inverse(outer) @ exact(one.given["T"]), "") <= 100 * EPS * condition
