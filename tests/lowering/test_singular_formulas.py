"""evaluate and compiled programs agree on what is singular: what cancels has no inverse in it, the rest has."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import NotLowerable, OperatorAlgebraWarning, SingularError
from operator_algebra.evaluation import evaluate, evaluate_with_scale
from operator_algebra.expressions.build import define, diag, inv, operator, scalar
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense, trace
from operator_algebra.lowering.lower import Method
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.spatial.inertia import Inertia
from tests.lowering.agreement import bound
from tests.rounding import apart, rounding, size

J = operator("J", RATE >> TORQUE, structure="diagonal definite")
h = scalar("h")
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
NAMED = define("X", MASS)
# Verdicts differ by all digits; what is not singular here has a condition below 1e7.
CLOSE = 1e-7


def wrist(seed: int, branching: float = 0.5) -> Model:
    """A tree of revolute joints with a tip that has no inertia about its axis."""
    tree = random_tree(3 + seed % 3, joints=("revolute",), branching=branching, seed=seed)
    tip = max(k for k in range(tree.n) if not tree.children[k])
    body = tree.bodies[tip]
    axis: Any = np.array(vars(body.joint)["axis"])
    thin = replace(body, inertia=Inertia(1.0, (0.3 * axis).tolist(), np.zeros((3, 3)).tolist()))
    bodies = [thin if k == tip else other for k, other in enumerate(tree.bodies)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorAlgebraWarning)
        return Model(name=f"wrist{seed}", bodies=bodies, strict=False)


class Maker:
    """Formulas in joint space with singular inverses, zeros and terms that cancel."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def forward(self, depth: int) -> Expr:
        """Rate → torque."""
        leaves: list[Any] = [lambda: MASS, lambda: s.D, lambda: J, lambda: s.damping, lambda: NAMED, lambda: 2 * MASS]
        deeper: list[Any] = [
            lambda: self.forward(depth - 1) + self.forward(depth - 1),
            lambda: J + self.forward(depth - 1),
            lambda: self.forward(depth - 1) @ self.backward(depth - 1) @ self.forward(depth - 1),
            lambda: s.U @ self.forward(depth - 1),
            lambda: self.cancelled(self.forward(depth - 1)),
            lambda: self.forward(depth - 1).T,
        ]
        return self.rng.choice(leaves if depth <= 0 else leaves + deeper)()

    def backward(self, depth: int) -> Expr:
        """Torque → rate."""
        leaves: list[Any] = [
            lambda: inv(MASS),
            lambda: inv(s.D),
            lambda: inv(NAMED),
            lambda: inv(J),
            lambda: inv(MASS + J),
            lambda: s.W.T @ inv(s.D) @ s.W,
        ]
        deeper: list[Any] = [
            lambda: self.backward(depth - 1) + self.backward(depth - 1),
            lambda: inv(J + self.forward(depth - 1)),
            lambda: inv(J) @ self.limit() @ inv(J),
            lambda: inv(J @ self.backward(depth - 1) @ J + MASS),
            lambda: self.cancelled(self.backward(depth - 1)),
            lambda: self.backward(depth - 1) @ s.damping @ self.backward(depth - 1),
            lambda: h * self.backward(depth - 1),
        ]
        return self.rng.choice(leaves if depth <= 0 else leaves + deeper)()

    def limit(self) -> Expr:
        """Rate → torque: an inverse of inverses, finite also where those are not."""
        return inv(inv(MASS + self.rng.choice((0 * J, J, 2 * J))) + inv(J))

    def cancelled(self, e: Expr) -> Expr:
        """Something that is zero as a ring element, and perhaps a rest."""
        A = self.rng.choice((J, MASS, s.D))
        if e.type == TORQUE >> RATE:
            zero = self.rng.choice(
                (e - e, 0 * e, (A.T @ e).T @ inv(J) - e.T @ A @ inv(J), e @ (A + J) @ e - e @ A @ e - e @ J @ e)
            )
            return zero + self.rng.choice((inv(J), inv(MASS + J))) if zero.type == e.type else inv(J)
        return e - e + self.rng.choice((J, A))

    def formula(self) -> Expr | Query:
        e = self.backward(2)
        return self.rng.choice((e @ s.T, e @ s.T, diag(e), trace(e), dense(e), s.T.T @ e @ s.T))


def outcome(call: Callable[..., Any], **given: Any) -> Any:
    """The value as an array, or None where it is refused, or told to have lost its digits."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", OperatorAlgebraWarning)
        try:
            found = call(**given)
        except (SingularError, NotLowerable):
            return None
    if any("is nearly singular" in str(warning.message) for warning in told):
        return None
    return np.asarray(found.dense() if hasattr(found, "dense") else found)


def swept_value(e: Expr | Query, model: Model, **given: Any) -> Any:
    """Lowered and called: what is structurally singular is refused at once."""
    return compile_program(e, model)(**given)


def given_to(e: Expr | Query, model: Model) -> dict[str, Any]:
    """The inputs that a formula has left."""
    from operator_algebra.expressions.traverse import free_symbols

    names = {symbol.name for symbol in free_symbols(e.body if isinstance(e, Query) else e)}
    values = {"T": np.cos(np.arange(model.nv)), "J": np.linspace(1.0, 2.0, model.nv), "h": 0.0}
    return {name: value for name, value in values.items() if name in names}


def verdicts(seed: int) -> tuple[bool, bool, float]:
    """Whether evaluate and the program refuse, and how far their values are apart, relative to their size."""
    model = wrist(seed)
    e = Maker(seed).formula()
    q, _ = model.random(seed)
    given = given_to(e, model)
    plain = outcome(partial(evaluate, e, model), q=q, **given)
    swept = outcome(partial(swept_value, e, model), q=q, **given)
    if plain is None or swept is None:
        return plain is None, swept is None, 0.0
    if swept.shape != plain.shape:  # blocks beside a matrix
        plain = np.array([plain[k : k + 1, k : k + 1] for k in range(model.nv)])
    return False, False, float(np.abs(plain - swept).max() / (1.0 + np.abs(plain).max()))


def agree(first: int, count: int) -> None:
    """Both refuse, or both have the value, for formulas of which a good part is refused."""
    found = {seed: verdicts(seed) for seed in range(first, first + count)}
    assert [seed for seed, (plain, swept, _) in found.items() if plain != swept] == []
    assert count // 5 < sum(plain for plain, _, _ in found.values()) < count * 4 // 5
    assert max(distance for _, _, distance in found.values()) < CLOSE


def test_random_formulas_of_singular_mechanisms() -> None:
    agree(0, 100)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 3000, 250))
def test_many_random_formulas_of_singular_mechanisms(first: int) -> None:
    agree(first, 250)


def test_lost_numbers_end_in_a_typed_error() -> None:
    assert verdicts(920)[:2] == (True, True)  # a relation overflows on the way to its refusal


SPECIAL: dict[str, tuple[Expr | Query, bool]] = {
    "a difference": (inv(MASS) @ s.T - inv(MASS) @ s.T, False),
    "a difference by name": (inv(NAMED) @ s.T - inv(MASS) @ s.T, False),
    "distributed": ((J + MASS) @ inv(MASS) @ s.T - J @ inv(MASS) @ s.T - MASS @ inv(MASS) @ s.T, False),
    "a leaf that the model has not": (s.T + s.damping @ inv(MASS) @ s.T, False),
    "a trace": (trace(inv(MASS) - inv(MASS)), False),
    "a matrix": (inv(MASS) - inv(MASS), False),
    "blocks": (inv(s.D) - inv(s.D), False),
    "a finite limit": (inv(inv(J) + inv(MASS)) @ inv(J) @ s.T, False),
    "a finite limit twice": (inv(inv(J) + inv(MASS + inv(inv(J) + inv(MASS)))) @ inv(J) @ s.T, False),
    "an inverse": (inv(MASS) @ s.T, True),
    "a gain": (s.G @ s.T, True),
    "a number that is zero": (h * (inv(MASS) @ s.T), True),
    "beside its inverse": (MASS @ inv(MASS) @ s.T, True),
    "a sum of local inverses": (inv(inv(s.D) + inv(J)) @ inv(J) @ s.T, True),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_what_is_singular(name: str) -> None:
    e, refused = SPECIAL[name]
    for seed in range(3):
        model = wrist(seed)
        q, _ = model.random(seed)
        given = given_to(e, model)
        plain = outcome(partial(evaluate, e, model), q=q, **given)
        swept = outcome(partial(swept_value, e, model), q=q, **given)
        assert (plain is None) == (swept is None) == refused
        if plain is not None:
            expected = np.ravel(np.diag(plain) if name == "blocks" else plain)
            assert apart(np.ravel(swept), expected) <= allowed(e, model, q, given, expected)


def allowed(e: Expr | Query, model: Model, q: Any, given: dict[str, Any], expected: Any) -> float:
    """What rounding may leave; where what cancels is singular, nothing is inverted."""
    try:
        scaled = evaluate_with_scale(e.body if isinstance(e, Query) else e, model, q=q, **given)
    except SingularError:
        return rounding(max(1.0, size(expected)), terms=9 * model.n)
    return bound(scaled) * max(1.0, scaled.scale)


def test_singular_samples_alone_take_the_normal_form() -> None:
    e = (J + MASS) @ inv(MASS) @ s.T - MASS @ inv(MASS) @ s.T - s.damping @ inv(MASS) @ s.T
    model = wrist(1)
    q = np.stack([model.random(k)[0] for k in range(3)])
    T = np.cos(np.arange(3.0 * model.nv)).reshape(3, -1)
    given: dict[str, Any] = {"q": q, "J": np.linspace(1.0, 2.0, model.nv), "T": T}
    assert outcome(partial(swept_value, e, model), **given) is None
    masked: Any = compile_program(e, model)(**given, errors="mask")
    assert np.isnan(masked).all()
    # On the whole mechanism every sample is regular, and none takes another road.
    run = compile_program(e, random_tree(model.nv, joints=("revolute",), seed=1))
    assert np.isfinite(run(**given)).all()
    assert "normal_form" not in vars(run)


@pytest.mark.parametrize("method", ["auto", "joseph", "refined", "orthogonal"])
def test_what_is_singular_at_every_body(method: Method) -> None:
    # The relations of these equations overflow before they are refused.
    for e in (inv(s.I + s.E_phi.T + inv(s.cross(s.V))), trace(inv(s.I + s.E_phi.T + inv(s.V_tilde)))):
        for n in (1, 2, 4):
            arm = chain(n)
            q, v = arm.random(0)
            for rates in (v, 0.0 * v):
                with pytest.raises(SingularError):
                    compile_program(e, arm, method=method)(q=q, v=rates)
                with pytest.raises(SingularError):
                    evaluate(e, arm, q=q, v=rates)
