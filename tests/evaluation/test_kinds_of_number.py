"""evaluate computes in the kind of number that it is given: derivatives by a complex step, extended precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from shutil import which
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, SingularError
from operator_algebra.evaluation import evaluate, evaluate_with_scale
from operator_algebra.expressions.build import diag, inv, operator, root
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, logdet, trace
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.families import random_tree
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.kinematics import inertia_blocks
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.spatial.arrays import Axes
from operator_algebra.spatial.inertia import Inertia, spatial_inertia
from operator_algebra.spatial.transforms import Placement
from tests.expression_strategies import expressions, inputs_for
from tests.lowering.agreement import bound, scale
from tests.oracles.finite_differences import along
from tests.rounding import apart, differencing, size
from tests.strategies import ALL_JOINTS, mechanisms
from tests.wrong_numbers import not_numbers

Array = Any
mpmath: Any = import_module("mpmath")
LONG_EPS = float(np.finfo(np.longdouble).eps)
ALL = random_tree(len(ALL_JOINTS), joints=ALL_JOINTS, branching=0.6, seed=5)
Q, V = ALL.random(5)
TORQUES = np.random.default_rng(5).standard_normal(ALL.nv)
SPRUNG = ("revolute", "prismatic", "helical", "cylindrical", "universal", "translation", "spherical")


def sprung(model: Model) -> Model:
    """The model with springs, dampers and rotors wherever a joint can have them."""

    def changed(body: Body) -> Body:
        joint = body.joint
        spring = 3.0 if joint.kind in SPRUNG else ()
        return replace(body, joint=replace(joint, stiffness=spring, damping=0.2, armature=0.1))

    return Model(name=f"{model.name} with springs", bodies=[changed(body) for body in model.bodies])


SPRINGS = sprung(ALL)
FORMULAS: dict[str, Expr | Query] = {
    "inverse dynamics": dynamics.inverse_dynamics,
    "forward dynamics": dynamics.forward_dynamics,
    "mass matrix": dynamics.mass_matrix,
    "kinetic energy": dynamics.kinetic_energy,
    "velocity": s.V,
    "articulated inertia": s.P,
    "poses": s.X_abs,
    "root": s.m,
    "log-determinant": logdet(dynamics.mass_matrix),
    "log-determinant of blocks": logdet(s.D),
    "log-determinant of a triangle": logdet(s.M @ s.psi.T),
    "trace": trace(s.Omega),
    "block": block(inv(dynamics.mass_matrix), 1, 3),
    "diagonal": diag(inv(dynamics.mass_matrix)),
    "spring": s.spring,
    "momentum": dynamics.momentum,
}


def given_to(e: Expr | Query) -> dict[str, Any]:
    """The inputs of a formula of this page."""
    names = {symbol.name for symbol in free_symbols(e.body if isinstance(e, Query) else e)}
    values = {"v": V, "T": TORQUES, "qdd": TORQUES}
    # The joint map of some kinds moves with v.
    return {name: value for name, value in values.items() if name in names or (name == "v" and "H_dot" in names)}


def complex_step(model: Model, q: Array, v: Array, value: Callable[[Array], Array], size: float) -> Array:
    """d/dt of a function of q at q, moving with the rates v, by a step into the complex plane: nothing cancels."""
    return value(model.integrate(q, 1j * size * v)).imag / size


def step(value: Array, size: float) -> Array:
    """The derivative that the imaginary part of a value tells."""
    return value.imag / size


def close(found: Array, expected: Array, size: Any) -> bool:
    """Whether derivatives agree to what sixth-order differences in steps of 2e-3 tell of numbers of that size."""
    return bool(np.abs(found - expected).max(initial=0.0) <= 1e-7 * (1.0 + np.abs(expected).max(initial=0.0) + size))


@pytest.mark.parametrize("name", FORMULAS)
def test_derivatives_by_a_complex_step(name: str) -> None:
    e = FORMULAS[name]
    frames: tuple[Axes, ...] = ("body", "world")
    for model in (ALL, SPRINGS):
        for frame in frames:

            def value(q: Array, model: Model = model, frame: Axes = frame) -> Array:
                return evaluate(e, model, q=q, frame=frame, **given_to(e)).dense()

            expected = along(model, Q, V, value)
            for small in (1e-10, 1e-200):
                assert close(complex_step(model, Q, V, value, small), expected, np.abs(value(Q)).max())


@given(
    expressions(), mechanisms(armature=True, max_bodies=6), st.integers(0, 2**20), st.sampled_from(["body", "world"])
)
@settings(max_examples=50)
def test_derivatives_of_random_expressions(e: Expr, model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    values = dict(inputs_for(e, model, seed))
    if any(symbol.name == "H_dot" for symbol in free_symbols(e)):
        values.setdefault("v", v)

    def value(at: Array) -> Array:
        return evaluate(e, model, q=at, frame=frame, **values).dense()

    try:
        scaled = evaluate_with_scale(e, model, q=q, frame=frame, **values)
        expected = along(model, q, v, value)
    except SingularError:
        reject()
    if scaled.condition > 1e4:  # differences of such values tell little
        reject()
    assert close(complex_step(model, q, v, value, 1e-40), expected, scaled.scale * scaled.condition)


def test_derivatives_along_inputs() -> None:
    e = dynamics.forward_dynamics
    direction = np.cos(np.arange(ALL.nv))

    def acceleration(T: Array) -> Array:
        return evaluate(e, ALL, q=Q, v=V, T=T).dense()

    found = acceleration(TORQUES + 1e-30j * direction).imag / 1e-30
    assert close(found, acceleration(TORQUES + direction) - acceleration(TORQUES), 0.0)
    energy = step(evaluate(dynamics.kinetic_energy, ALL, q=Q, v=V + 1e-30j * direction).dense(), 1e-30)
    assert close(energy, direction @ evaluate(dynamics.mass_matrix @ s.v, ALL, q=Q, v=V).dense(), 0.0)


J = operator("J", RATE >> TORQUE, structure="diagonal definite")


def test_derivatives_along_an_operator() -> None:
    blocks = np.linspace(1.0, 2.0, ALL.nv)
    direction = np.cos(np.arange(ALL.nv))
    for e in (root(J), inv(dynamics.mass_matrix + J), logdet(dynamics.mass_matrix + J)):

        def value(given: Array, e: Expr | Query = e) -> Array:
            return evaluate(e, ALL, q=Q, J=given).dense()

        found = value(blocks + 1e-30j * direction).imag / 1e-30
        differences = (value(blocks + 1e-5 * direction) - value(blocks - 1e-5 * direction)) / 2e-5
        assert close(found, differences, np.abs(value(blocks)).max())


@pytest.mark.parametrize("turned", [0.0, 1e-9, 1e-4, 1.0, 3.1, 3.2, 6.0])
def test_differences_of_configurations_have_derivatives(turned: float) -> None:
    far = ALL.integrate(Q, turned * V)
    small = 1e-6
    found = step(ALL.difference(Q, ALL.integrate(far, 1e-30j * V)), 1e-30)
    ahead, behind = (ALL.difference(Q, ALL.integrate(far, h * V)) for h in (small, -small))
    assert apart(found, (ahead - behind) / (2 * small)) <= differencing(1.0 + size(ahead), small)


# -- more digits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("kind", [np.longdouble, np.clongdouble, np.complex128])
def test_the_kind_of_number_is_kept(name: str, kind: Any) -> None:
    e = FORMULAS[name]
    plain: Array = evaluate(e, ALL, q=Q, **given_to(e)).dense()
    found: Array = evaluate(e, ALL, q=Q.astype(kind), **given_to(e)).dense()
    assert plain.dtype == np.float64
    assert found.dtype == kind
    assert not found.imag.any()
    scaled = evaluate_with_scale(e.body if isinstance(e, Query) else e, ALL, q=Q, **given_to(e))
    terms = scale(e, plain, scaled) if isinstance(e, Query) else scaled.scale
    assert apart(found.real.astype(float), plain) <= bound(scaled) * terms
    if "v" in given_to(e):
        values: dict[str, Any] = {**given_to(e), "v": V.astype(kind)}
        assert evaluate(e, ALL, q=Q, **values).dtype == kind


def test_extended_precision_is_not_rounded_on_the_way() -> None:
    q, T = Q.astype(np.longdouble) / 3 * 3, TORQUES.astype(np.longdouble) / 3
    for model in (ALL, SPRINGS):
        acceleration = evaluate(dynamics.forward_dynamics, model, q=q, v=V, T=T).dense()
        back = evaluate(dynamics.inverse_dynamics, model, q=q, v=V, qdd=acceleration).dense()
        # As exact as the plain numbers, by as many more digits as these have.
        plain = evaluate(dynamics.forward_dynamics, model, q=Q, v=V, T=T.astype(float)).dense()
        rounded = evaluate(dynamics.inverse_dynamics, model, q=Q, v=V, qdd=plain).dense()
        condition = np.linalg.cond(evaluate(dynamics.mass_matrix, model, q=Q).dense())
        sizes = np.abs(back).max() + np.abs(rounded).max()
        assert np.abs(back - T).max() <= 64 * LONG_EPS * condition * sizes
        law = s.m @ s.m.T - s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
        scaled = evaluate_with_scale(law, model, q=q)
        assert np.abs(scaled.value.dense()).max() <= 64 * LONG_EPS * scaled.condition * scaled.scale


def digits(values: Array) -> Array:
    """Numbers of any width as numbers with fifty digits, exactly."""
    return np.frompyfunc(lambda x: mpmath.mpf(x.as_integer_ratio()[0]) / x.as_integer_ratio()[1], 1, 1)(values)


def farthest(found: Array, expected: Array) -> float:
    """The largest difference, in roundings of extended precision."""
    difference: Array = digits(found) - expected
    return max(float(abs(x)) for x in difference.flat) / LONG_EPS


def test_leaves_have_all_digits() -> None:
    with mpmath.workdps(50):
        for body, found in zip(ALL.bodies, inertia_blocks(ALL, np.longdouble), strict=True):
            parts: list[Any] = [body.inertia.mass, body.inertia.com, body.inertia.inertia_at_com]
            mass, com, inertia = (digits(np.array(part)) for part in parts)
            expected = spatial_inertia(np.array(mass), com, inertia, np)
            assert farthest(found, expected) <= 8 * np.abs(found).max()
        turning = next(group for group in ALL.joint_groups if group.kind_class.kind == "revolute")
        angle = np.array([[1.0]], dtype=np.longdouble) / 3
        R, _ = turning.wide_joint(angle.dtype).transform(angle, np)
        axis: Array = digits(np.asarray(vars(turning.joint)["axis"])[0])
        x, y, z = axis
        sine, cosine = mpmath.sin(digits(angle)[0, 0]), mpmath.cos(digits(angle)[0, 0])
        along_axis = np.outer(axis, axis)
        cross: Array = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        assert farthest(R[0], along_axis + cosine * (digits(np.eye(3)) - along_axis) + sine * cross) <= 8


# -- what is refused ---------------------------------------------------------------------------------------------------

PLANAR = random_tree(3, joints=("revolute",), seed=1)
ONES = np.ones(3)


NOT_FLOATS = (np.complex128, np.complex64, np.longdouble, np.clongdouble)


@pytest.mark.parametrize("kind", NOT_FLOATS)
@pytest.mark.parametrize("name", ["q", "v", "qdd"])
def test_compiled_programs_refuse_what_they_cannot_hold(name: str, kind: Any) -> None:
    run = compile_program(dynamics.inverse_dynamics, PLANAR)
    values: dict[str, Any] = {"q": ONES, "v": ONES, "qdd": ONES}
    values[name] = values[name].astype(kind)
    with pytest.raises(
        InputError, match=rf"{name} of .* is (complex|float)\d+; compiled programs compute with float64"
    ):
        run(**values)
    assert evaluate(dynamics.inverse_dynamics, PLANAR, **values).dtype.itemsize >= 16
    if name == "q":
        with pytest.raises(InputError, match=r"compiled programs compute with float64"):
            compile_program(dynamics.mass_matrix, PLANAR).linear_operator(q=values["q"])


@pytest.mark.parametrize("name", ["q", "v", "qdd", "f_ext"])
@pytest.mark.parametrize("backend", ["numpy", "interpreter", "c"])
def test_every_backend_refuses_them_however_often_it_ran(backend: str, name: str) -> None:
    """Interpreted, traced and as machine code, which plain arguments reach without being looked at again."""
    if backend == "c" and not (which("cc") or which("gcc") or which("clang")):
        pytest.skip("there is no C compiler")
    run = compile_program(dynamics.inverse_dynamics, PLANAR, backend=backend)
    plain: dict[str, Any] = {"q": ONES, "v": ONES, "qdd": ONES, "f_ext": np.zeros(18)}
    many = np.ones((20_000, 3))

    def call(**changed: Any) -> Any:
        given_: dict[str, Any] = {**plain, **changed}
        return run(**given_)

    wide: dict[str, Any] = {**plain, name: plain[name].astype(np.longdouble)}
    for warmed in (0, 4, 1):
        for _ in range(warmed):
            call(q=many if warmed == 1 and backend == "numpy" else ONES)
        for kind in NOT_FLOATS:
            for wrong in (plain[name].astype(kind), np.stack([plain[name].astype(kind)] * 3)):
                with pytest.raises(InputError, match=rf"{name} .*compiled programs compute with float64"):
                    call(**{name: wrong})
        with pytest.raises(InputError, match=name):
            call(**{name: [complex(x) for x in plain[name]]})
        with pytest.raises(InputError, match=r"float64"):
            call(out=np.zeros(3, np.complex128))
        with pytest.raises(InputError, match=rf"{name} .*compiled programs compute with float64"):
            run.bind(**wide, out=np.zeros(3))


def test_closed_forms_hold_every_bit() -> None:
    """A third in extended precision is not that in floats; the model is of numbers that both have."""
    sympy: Any = import_module("sympy")
    bodies = [
        Body(name, parent, Joint.revolute((0, 0, 1)), Placement(translation=(1, 0, 0)), Inertia(1.0, (0.5, 0, 0)))
        for name, parent in (("upper", None), ("lower", "upper"))
    ]
    model = Model(name="dyadic", bodies=bodies, gravity=(0, -10, 0), strict=False)
    third = np.array([1, 2], dtype=np.longdouble) / 3
    given_: dict[str, Any] = {"q": third, "v": third, "qdd": third}
    run = compile_program(dynamics.inverse_dynamics, model, backend="sympy")
    exact = [np.longdouble(str(sympy.N(x, 40))) for x in run(**given_)]
    expected = evaluate(dynamics.inverse_dynamics, model, **given_).dense().ravel()
    assert apart(exact, expected) <= 100 * LONG_EPS * size(expected)
    for name in given_:
        turned: dict[str, Any] = {**given_, name: third + np.clongdouble(1j)}
        with pytest.raises(InputError, match="not a finite real number"):
            run(**turned)
        real: dict[str, Any] = {**given_, name: third.astype(np.clongdouble)}  # 1/3 + 0i is a real number
        assert list(run(**real)) == list(run(**given_))


@pytest.mark.parametrize("wrong", not_numbers((3,)))
@pytest.mark.parametrize("name", ["q", "v", "qdd", "J"])
def test_what_is_no_number_is_refused(name: str, wrong: str) -> None:
    e = dynamics.inverse_dynamics + J @ s.qdd
    values: dict[str, Any] = {"q": ONES, "v": ONES, "qdd": ONES, "J": ONES}
    values[name] = not_numbers((3,))[wrong]
    calls: tuple[Callable[..., Any], ...] = (compile_program(e, PLANAR), partial(evaluate, e, PLANAR))
    for call in calls:
        with pytest.raises(InputError, match=name):
            call(**values)


@pytest.mark.parametrize("wrong", not_numbers((3,)))
def test_configurations_are_numbers(wrong: str) -> None:
    value = not_numbers((3,))[wrong]
    for call in (
        lambda: PLANAR.check_q(value),
        lambda: PLANAR.check_v(value),
        lambda: PLANAR.integrate(ONES, value),
        lambda: PLANAR.difference(value, ONES),
    ):
        with pytest.raises(InputError, match=r"is not an array of numbers|has shape"):
            call()


def test_narrow_numbers_are_widened() -> None:
    for kind in (np.float16, np.float32, np.int8, np.uint64, np.bool_):
        found = evaluate(dynamics.mass_matrix, PLANAR, q=ONES.astype(kind))
        assert np.array_equal(found.dense(), evaluate(dynamics.mass_matrix, PLANAR, q=ONES).dense())
