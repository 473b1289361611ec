"""What users of JAX ask for: a pure function that is derived, vectorized and compiled; and calls as of any backend."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.jax import run
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import diag, inv, operator, scalar
from operator_algebra.expressions.query import dense
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.joints.joint import make_joint
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.often import some
from tests.oracles.dense_dynamics import mass_matrix
from tests.rounding import apart, condition, rounding, size

jax: Any = pytest.importorskip("jax")
FORWARD = dynamics.forward_dynamics
ARM = load("planar2r")


@pytest.fixture
def x64() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@pytest.fixture
def step_by_step() -> Iterator[None]:
    """JAX takes seconds to compile."""
    with jax.disable_jit():
        yield


def arguments(model: Model, count: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    values = {name: rng.standard_normal((count, model.nv)) for name in ("v", "T")}
    return {"q": np.stack([model.random(k)[0] for k in range(count)]), **values}


def one_of(values: dict[str, Any], k: int) -> dict[str, Any]:
    return {name: x[k] for name, x in values.items()}


def swinging() -> Model:
    """A point mass that swings through the axis of the hinge that carries its own."""
    swivel, swing = (make_joint("revolute", name=name, axis=axis) for name, axis in AXES.items())
    none, point = Inertia(), Inertia(2.0, (0.0, 0.0, 0.7))
    bodies = [Body("first", -1, swivel, Placement(), none), Body("second", 0, swing, Placement(), point)]
    return Model(name="swinging", bodies=bodies)


AXES = {"swivel": (0, 0, 1), "swing": (1, 0, 0)}

# -- derivatives -------------------------------------------------------------------------------------------------------


def by_complex_step(model: Model, values: dict[str, Any], direction: Any) -> tuple[Any, Any, float]:
    """Accelerations, how they change along rates of the mechanism, and what rounding may leave of either."""
    tiny = 1e-30
    q = model.integrate(values["q"], 1j * tiny * direction)
    stepped: Any = evaluate(FORWARD, model, q=q, v=values["v"], T=values["T"]).dense()
    x, slope = stepped.real, stepped.imag / tiny
    enlarged = condition(mass_matrix(model, values["q"])) ** 2
    return x, slope, rounding(size(x, slope), terms=model.n, condition=enlarged)


@pytest.mark.usefixtures("x64", "step_by_step")
@pytest.mark.parametrize(
    "kinds", some([["revolute", "prismatic"], ["floating", "universal"], ["spherical", "planar", "helical"]], each=3)
)
def test_derivatives_are_those_of_complex_steps(kinds: list[str]) -> None:
    model = chain(len(kinds), joint=kinds, seed=5)
    values = one_of(arguments(model, 1), 0)
    direction = np.cos(np.arange(model.nv))
    x, slope, allowed = by_complex_step(model, values, direction)
    f = compile_program(FORWARD, model, backend="jax").function
    qdot = model.rate(values["q"], direction)

    def of_q(q: Any) -> Any:
        return f(q=q, v=values["v"], T=values["T"])

    found, along = jax.jvp(of_q, (values["q"],), (qdot,))
    assert apart(found, x) <= allowed
    assert apart(along, slope) <= allowed


def test_jax_compiles_vectorizes_and_derives_it() -> None:
    """Backwards: gradients of a sum of accelerations."""
    values = arguments(ARM, 3)
    compiled = compile_program(FORWARD, ARM, backend="jax")

    def total(q: Any, v: Any, T: Any) -> Any:
        return compiled.function(q=q, v=v, T=T).sum()

    with jax.enable_x64(True):
        over_q, over_T = jax.jit(jax.vmap(jax.grad(total, argnums=(0, 2))))(values["q"], values["v"], values["T"])
    for k in range(3):
        M = mass_matrix(ARM, values["q"][k])
        expected = np.linalg.inv(M).sum(axis=0)
        for i, direction in enumerate(np.eye(2)):
            _, slope, allowed = by_complex_step(ARM, one_of(values, k), direction)
            assert apart(over_q[k][i], slope.sum()) <= 2 * allowed
        assert apart(over_T[k], expected) <= rounding(size(expected), terms=2, condition=condition(M))


@pytest.mark.usefixtures("x64", "step_by_step")
def test_leading_axes_are_a_batch() -> None:
    values = arguments(ARM, 6)
    f = compile_program({"x": scalar("h") * s.T, "V": dynamics.velocity}, ARM, backend="jax").function
    q, v = (values[name].reshape(2, 3, 2) for name in ("q", "v"))
    found = f(q=q, v=v, T=values["T"][0], h=np.arange(3.0))
    assert (found["x"].shape, found["V"].shape) == ((2, 3, 2), (2, 3, 12))
    alone = f(q=values["q"][4], v=values["v"][4], T=values["T"][0], h=1)
    assert all(apart(found[name][1, 1], alone[name]) <= rounding(size(alone[name])) for name in alone)


@pytest.mark.usefixtures("x64", "step_by_step")
def test_blocks_of_different_sizes_and_numbers() -> None:
    model = random_tree(3, joints=["revolute", "spherical"], seed=1)
    h, q = scalar("h"), model.random(0)[0]
    e = {"D": diag(s.H @ s.M @ s.H.T), "x": h * s.T}
    found = compile_program(e, model, backend="jax").function(q=q, h=2, T=np.ones(model.nv))
    expected = compile_program(e, model, backend="interpreter")(q=q, h=2.0, T=np.ones(model.nv))
    assert apart(found["x"], expected["x"]) == 0.0
    for one, other in zip(found["D"], expected["D"], strict=True):
        assert apart(one, other) <= rounding(size(other), terms=6)


# -- calls -------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("step_by_step")
@pytest.mark.parametrize("count", [1, 2, 5])
def test_calls_are_what_is_interpreted(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "WIDTHS", (1, 3))
    values = arguments(ARM, count)
    found = compile_program(FORWARD, ARM, backend="jax")(**values)
    expected = compile_program(FORWARD, ARM, backend="interpreter")(**values)
    enlarged = max(condition(mass_matrix(ARM, q)) for q in values["q"])
    assert found.dtype == np.float64
    assert found.flags.writeable
    assert apart(found, expected) <= rounding(size(expected), terms=2, condition=enlarged)
    assert not jax.config.jax_enable_x64


def told(call: Callable[[], Any]) -> tuple[Any, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(), ""
        except SingularError as error:
            return error.result, str(error)


@pytest.mark.usefixtures("step_by_step")
def test_what_is_singular_is_told_and_has_no_derivative() -> None:
    model = swinging()
    solve = inv(dynamics.mass_matrix) @ s.T
    values = {name: x for name, x in arguments(model, 3).items() if name != "v"}
    values["q"][1, 1] = 0.0  # on the axis
    compiled = compile_program(solve, model, backend="jax")
    found, message = told(lambda: compiled(**values))
    _, said = told(lambda: compile_program(solve, model, backend="interpreter")(**values))
    assert message == said
    assert 'joint "swivel"' in message
    assert np.isnan(found).all(axis=1).tolist() == [False, True, False]
    with jax.enable_x64(True):

        def of_T(T: Any) -> Any:
            return compiled.function(q=values["q"], T=T)

        x, slope = jax.jvp(of_T, (values["T"],), (values["T"],))
    for one in (x, slope):
        assert np.isnan(one).all(axis=1).tolist() == np.isnan(one).any(axis=1).tolist() == [False, True, False]


@pytest.mark.usefixtures("x64", "step_by_step")
def test_what_is_not_finite_is_no_number() -> None:
    values = arguments(ARM, 2)
    values["v"][1, 0] = np.inf
    assert np.isnan(compile_program(dynamics.velocity, ARM, backend="jax").function(q=values["q"], v=values["v"])).all(
        axis=1
    ).tolist() == [False, True]


@pytest.mark.usefixtures("step_by_step")
def test_a_mechanism_that_does_not_move() -> None:
    still = Model(
        name="still", bodies=[Body("stone", -1, make_joint("fixed", name="glued"), Placement(), Inertia(1.0))]
    )
    compiled = compile_program(dynamics.gravity_term, still, backend="jax")
    assert compiled(q=[]).shape == (0,)
    assert compiled(q=np.zeros((3, 0))).shape == (3, 0)


def test_the_source_is_what_jax_traces() -> None:
    compiled = compile_program(dynamics.velocity, ARM, backend="jax")
    with jax.disable_jit():
        compiled(q=np.zeros(2), v=np.zeros(2))
    assert "scan[" in compiled.source
    assert "f64" in compiled.source


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_single_precision_is_refused() -> None:
    f = compile_program(dynamics.gravity_term, ARM, backend="jax").function
    with pytest.raises(InputError, match="jax_enable_x64"):
        f(q=np.zeros(2))


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"q": np.zeros(3), "T": np.ones(2)}, r"q has shape \(3,\)"),
        ({"q": np.zeros(2)}, "needs T"),
        ({"q": np.zeros(2), "T": np.ones(3)}, r"it has shape \(3,\)"),
        ({"q": np.zeros(2), "T": np.ones(2), "u": np.ones(2)}, "does not mention u"),
        ({"q": np.zeros(2), "T": 1j * np.ones(2)}, "T is complex128"),
        ({"q": "zero", "T": np.ones(2)}, "q is not an array of numbers"),
        ({"q": np.zeros((2, 2)), "T": np.ones((3, 2))}, "leading axes"),
    ],
)
def test_arguments_that_do_not_fit(given: dict[str, Any], said: str) -> None:
    f = compile_program(inv(dynamics.mass_matrix) @ s.T, ARM, backend="jax").function
    with pytest.raises(InputError, match=said):
        f(**given)


def test_what_is_no_loop_over_bodies_is_refused() -> None:
    with pytest.raises(InputError, match="not written in JAX: a result has blocks for pairs of bodies"):
        compile_program(dense(dynamics.mass_matrix), ARM, backend="jax")(q=np.zeros(2))
    with pytest.raises(InputError, match="not written in JAX"):
        compile_program(FORWARD, ARM, backend="jax", method="orthogonal")(q=[0, 0], v=[0, 0], T=[0, 0])
    with pytest.raises(InputError, match="axes of the bodies"):
        compile_program(FORWARD, ARM, backend="jax", frame="world")
    with pytest.raises(InputError, match="float64"):
        compile_program(FORWARD, ARM, backend="jax", dtype="float32")
    with pytest.raises(InputError, match='backend="jax"'):
        _ = compile_program(FORWARD, ARM).function


@pytest.mark.usefixtures("x64", "step_by_step")
def test_operators_are_for_calls() -> None:
    C = operator("C", RATE >> TORQUE, structure="diagonal definite")
    compiled = compile_program(inv(dynamics.mass_matrix + C) @ s.T, ARM, backend="jax")
    values: dict[str, Any] = {"q": np.zeros(2), "T": np.ones(2), "C": np.ones(2)}
    with pytest.raises(InputError, match=r"C of .* is an operator"):
        compiled.function(**values)
    assert compiled(**values).shape == (2,)
