"""Closed forms say what the numbers say, on mechanisms with every kind of joint; and what calculus says of them."""

from dataclasses import replace
from importlib import import_module
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.backends.closed_forms import ratios
from operator_algebra.backends.closed_forms.build import parameters, simplified
from operator_algebra.backends.closed_forms.trigonometry import Reader, Translator
from operator_algebra.errors import InputError, OperatorAlgebraWarning, SingularError
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.models.joints.joint import joint_class, make_joint
from operator_algebra.models.model import Model
from tests.lowering.agreement import bound
from tests.oracles.dense_dynamics import mass_matrix
from tests.rounding import apart, condition, rounding, size
from tests.strategies import ALL_JOINTS

sp: Any = import_module("sympy")

dyn = oa.dynamics
CHAIN = oa.chain(3)


@st.composite
def simple_mechanisms(draw: st.DrawFn) -> Model:
    """One or two bodies with data of few digits, as closed forms are made for; up to four degrees of freedom."""
    tenths = st.integers(-9, 9).map(lambda x: x / 10)
    positive = st.integers(1, 20).map(lambda x: x / 10)
    bodies: list[oa.Body] = []
    for k in range(draw(st.integers(1, 2))):
        large = ("spherical", "floating", "planar", "translation") if k else ("floating",)
        kind = draw(st.sampled_from([kind for kind in ALL_JOINTS if kind not in large]))
        joint = make_joint(kind, name=f"joint{k}", **options(draw, kind))
        if joint.nv and draw(st.booleans()):
            joint = replace(joint, armature=(0.1,) * joint.nv)
        turn = draw(st.tuples(*[st.integers(-2, 2)] * 4).filter(any))
        place = oa.Placement.from_quaternion(turn, draw(st.tuples(tenths, tenths, tenths)))
        inertia = oa.Inertia.box(draw(positive), draw(st.tuples(positive, positive, positive))).moved(
            oa.Placement(translation=draw(st.tuples(tenths, tenths, tenths)))
        )
        parent = "body0" if k and draw(st.booleans()) else None
        bodies.append(oa.Body(f"body{k}", parent, joint, place, inertia))
    return oa.Model(name="simple", bodies=bodies)


def options(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """An axis that is simple, or not parallel to those of the joint frame."""
    cls = joint_class(kind)
    given: dict[str, Any] = dict.fromkeys(cls.needs, 0.3)
    if "axis" in cls.parameters:
        given["axis"] = draw(st.sampled_from([(1, 0, 0), (0, -1, 0), (0, 0.6, 0.8), (1, 1, 0), (2, 1, -2)]))
    return given


FORMULAS: dict[str, Any] = {
    "mass matrix": dyn.mass_matrix,
    "its inverse": oa.inv(dyn.mass_matrix),
    "inverse dynamics": dyn.inverse_dynamics,
    "kinetic energy": dyn.kinetic_energy,
    "momentum": dyn.momentum,
    "whitening filter": s.W,
    "articulated inertia": s.P,
    "costate covariance": s.Upsilon,
    "acceleration": dyn.acceleration,
    "trace": oa.trace(dyn.mass_matrix),
    "log-determinant": oa.logdet(dyn.mass_matrix),
    "dense inverse": oa.dense(oa.inv(dyn.mass_matrix)),
    "diagonal of the inverse": oa.diag(oa.inv(dyn.mass_matrix)),
}


def closed(e: Any, model: Model, frame: Any = "body", **given: Any) -> Any:
    return oa.compile(e, model, backend="sympy", frame=frame)(**given)


def numbers(value: Any) -> list[np.ndarray[Any, Any]]:
    """Matrices of floats from a closed form, or from the arrays of the numpy backend."""
    if isinstance(value, tuple):
        return [numbers(block)[0] for block in cast("tuple[Any, ...]", value)]
    if isinstance(value, sp.Basic | sp.MatrixBase):
        matrix = value if isinstance(value, sp.MatrixBase) else sp.Matrix([[value]])
        return [np.array(matrix.evalf(30).tolist(), dtype=float).reshape(matrix.shape)]
    return (
        [np.asarray(block, dtype=float) for block in cast("list[Any]", value)]
        if isinstance(value, list)
        else [np.asarray(value)]
    )


def agree(found: Any, expected: Any, model: Model, q: Any) -> None:
    """The closed form is exact; what is left is the rounding of the numbers, with the mass matrix inverted."""
    mass = mass_matrix(model, q)
    felt = max(1.0, 1.0 / float(np.linalg.eigvalsh(mass)[0])) if model.nv else 1.0
    each = rounding(felt, terms=9 * model.n, condition=condition(mass))
    left, right = numbers(found), numbers(expected)
    if len(left) > 1 and len(right) == 1:
        right = list(right[0])
    for a, b in zip(left, right, strict=True):
        assert apart(a.reshape(b.shape), b) <= each * (1.0 + size(b))


def inputs_of(formula: Any, model: Model, v: Any) -> dict[str, Any]:
    names = {symbol.name for symbol in oa.lower(formula).accepts}
    rng = np.random.default_rng(model.nv)
    drawn = {"v": v, "T": rng.uniform(-1, 1, model.nv), "qdd": rng.uniform(-1, 1, model.nv)}
    return {name: drawn[name] for name in names if name in drawn}


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=list(FORMULAS))
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_closed_forms_and_numbers_agree(formula: Any, data: st.DataObject) -> None:
    model = data.draw(simple_mechanisms())
    frame: Any = data.draw(st.sampled_from(["body", "world"]))
    q, v = model.random(data.draw(st.integers(1, 2**20)))
    values = inputs_of(formula, model, v)
    expected = oa.compile(formula, model, frame=frame)(q=q, **values)
    agree(closed(formula, model, frame, q=q, **values), expected, model, q)


@pytest.mark.parametrize("kind", [kind for kind in ALL_JOINTS if kind != "fixed"])
def test_symbols_may_be_given_their_values_afterwards(kind: str) -> None:
    model = oa.chain(1, joint=kind)
    form = closed(dyn.forward_dynamics, model)
    q, v = model.random(3)
    T = np.linspace(-1, 1, model.nv)
    at = {
        sp.Symbol(f"{name}{i}"): sp.Float(x, 40)
        for name, xs in (("q", q), ("v", v), ("T", T))
        for i, x in enumerate(xs)
    }
    assert {str(symbol) for symbol in form.free_symbols} <= {str(symbol) for symbol in at}
    expected = oa.compile(dyn.forward_dynamics, model)(q=q, v=v, T=T)
    agree(form.xreplace(at), expected[:, None], model, q)


@pytest.fixture(scope="module")
def symbolic_chain() -> tuple[Any, Any]:
    """The mass matrix of three bodies with symbolic masses, and its inverse by the articulated sweeps."""
    masses = parameters(CHAIN, "mass")
    both = {"mass": dyn.mass_matrix, "inverse": oa.inv(dyn.mass_matrix)}
    found = oa.compile(both, CHAIN, backend="sympy")(parameters=masses)
    return found["mass"], found["inverse"]


def test_mass_matrix_times_inverse_is_the_identity(symbolic_chain: tuple[Any, Any]) -> None:
    mass, inverse = symbolic_chain
    assert {f"m{k}" for k in range(3)} <= {str(symbol) for symbol in inverse.free_symbols}
    assert simplified(mass * inverse) == sp.eye(3)
    assert simplified(inverse * mass - 2 * sp.eye(3)) == -sp.eye(3)


def test_sympy_itself_finds_the_identity(symbolic_chain: tuple[Any, Any]) -> None:
    mass, inverse = symbolic_chain
    names = sorted(inverse.free_symbols | mass.free_symbols, key=str)
    # Any point of the unit circle with rational coordinates makes the whole product rational.
    circle = {sp.cos(sp.Symbol(f"q{k}")): sp.Rational(1 - t * t, 1 + t * t) for k, t in enumerate((2, 3, 5))}
    circle |= {sp.sin(sp.Symbol(f"q{k}")): sp.Rational(2 * t, 1 + t * t) for k, t in enumerate((2, 3, 5))}
    rest = {name: sp.Rational(k + 3, 7) for k, name in enumerate(names)}
    at = [matrix.xreplace(circle).xreplace(rest) for matrix in (mass, inverse)]
    assert at[0] * at[1] == sp.eye(3)
    two = oa.chain(2)
    pair = [closed(e, two, parameters=parameters(two, "mass")) for e in (dyn.mass_matrix, oa.inv(dyn.mass_matrix))]
    assert sp.simplify(pair[0] * pair[1]) == sp.eye(2)


def test_a_planar_arm_is_the_textbook_one() -> None:
    """Two links with symbolic data: the mass matrix, Coriolis and gravity terms that every course derives."""
    model = oa.load("planar2r")
    m1, m2, l1, c1, c2, I1, I2, g = sp.symbols("m1 m2 l1 c1 c2 I1 I2 g")
    data = {
        "upper": {"mass": m1, "com": (c1, 0, 0), "inertia_at_com": (0, I1, 0)},
        "lower": {"mass": m2, "com": (c2, 0, 0), "inertia_at_com": (0, I2, 0), "translation": (l1, 0, 0)},
        "gravity": (0, 0, -g),
    }
    q1, q2, v1, v2 = sp.symbols("theta1 theta2 omega1 omega2")
    at = {"q": (q1, q2), "parameters": data}
    h = m2 * l1 * c2
    low = I2 + m2 * c2**2
    mass = sp.Matrix([[I1 + m1 * c1**2 + m2 * l1**2 + low + 2 * h * sp.cos(q2), low + h * sp.cos(q2)], [0, low]])
    mass[1, 0] = mass[0, 1]
    found = closed(dyn.mass_matrix, model, **at)
    assert simplified(found - mass) == sp.zeros(2)
    assert simplified(closed(oa.inv(dyn.mass_matrix), model, **at) - mass.inv()) == sp.zeros(2)
    coriolis = h * sp.sin(q2) * sp.Matrix([-2 * v1 * v2 - v2**2, v1**2])
    assert simplified(closed(dyn.coriolis, model, v=(v1, v2), **at) - coriolis) == sp.zeros(2, 1)
    outer = m2 * g * c2 * sp.cos(q1 + q2)
    gravity = -sp.Matrix([(m1 * c1 + m2 * l1) * g * sp.cos(q1) + outer, outer])
    assert simplified(closed(dyn.gravity_term, model, **at) - gravity) == sp.zeros(2, 1)
    assert sp.latex(found[1, 1]) in ("I_{2} + c_{2}^{2} m_{2}", "I_{2} + m_{2} c_{2}^{2}")


@pytest.mark.parametrize("kinds", [["revolute"], ["revolute", "prismatic"], ["helical", "revolute"]])
def test_velocity_terms_are_christoffel_symbols_of_the_mass_matrix(kinds: list[str]) -> None:
    model = oa.chain(3, joint=kinds)
    q, v = sp.symbols("q0:3"), sp.symbols("v0:3")
    mass = closed(dyn.mass_matrix, model)
    expected = sp.Matrix(
        [
            sum(
                (sp.diff(mass[i, j], q[k]) - sp.diff(mass[j, k], q[i]) / 2) * v[j] * v[k]
                for j in range(3)
                for k in range(3)
            )
            for i in range(3)
        ]
    )
    assert simplified(closed(dyn.coriolis, model) - expected) == sp.zeros(3, 1)
    energy = closed(dyn.kinetic_energy, model)
    assert simplified(energy - (sp.Matrix(v).T * mass * sp.Matrix(v))[0, 0] / 2) == 0


def test_roots_and_logarithms() -> None:
    model = oa.chain(2)
    mass, factor = closed(dyn.mass_matrix, model), closed(s.m, model)
    assert simplified(factor * factor.T - mass) == sp.zeros(2)
    whitened = closed(oa.inv(s.m) @ dyn.mass_matrix @ oa.inv(s.m).T, model)
    assert whitened == sp.eye(2)
    assert simplified(sp.exp(closed(oa.logdet(dyn.mass_matrix), model)) - mass.det()) == 0


def test_a_number_that_is_a_square_has_its_root() -> None:
    inertia = oa.Inertia(4.0, inertia_at_com=(1.0, 1.0, 1.0))
    model = oa.Model(name="slider", bodies=[oa.Body("block", None, oa.Joint.prismatic(), inertia=inertia)])
    assert closed(oa.root(s.D), model) == (sp.Matrix([[2]]),)


def test_angles_may_be_sums_and_multiples() -> None:
    model = oa.load("planar2r")
    x, y = sp.symbols("x y")
    straight = closed(dyn.gravity_term, model).subs({"q0": x - 2 * y, "q1": 2 * y + sp.pi / 3}, simultaneous=True)
    assert simplified(closed(dyn.gravity_term, model, q=(x - 2 * y, 2 * y + sp.pi / 3)) - straight) == sp.zeros(2, 1)
    assert closed(dyn.mass_matrix, model, q=(x, sp.pi / 2)).free_symbols == set()


def test_springs_dampers_and_armature() -> None:
    joint = oa.Joint.prismatic((1, 0, 0), name="rail", stiffness=2.0, damping=3.0, armature=0.5, rest=0.25)
    model = oa.Model(name="cart", bodies=[oa.Body("cart", None, joint, inertia=oa.Inertia(1.5))])
    q, v, T, k, d = sp.symbols("q0 v0 T0 k d")
    fall = closed(dyn.forward_dynamics, model)[0, 0]
    assert sp.expand(fall - (T - 3 * v - 2 * (q - sp.Rational(1, 4))) / 2) == 0
    data = {"rail": {"stiffness": k, "damping": d, "armature": 1}}
    fall = closed(dyn.forward_dynamics, model, parameters=data)[0, 0]
    assert sp.simplify(fall - (T - d * v - k * (q - sp.Rational(1, 4))) / sp.Rational(5, 2)) == 0


def test_pivots_that_are_always_zero_are_named() -> None:
    point = oa.Body("rod", None, oa.Joint.revolute(name="hinge"), inertia=oa.Inertia(1.0))
    with pytest.warns(OperatorAlgebraWarning, match="D is singular"):
        light = oa.Model(name="light", bodies=[point], strict=False)
    with pytest.raises(SingularError, match='D is singular at joint "hinge"') as caught:
        closed(oa.inv(dyn.mass_matrix), light)
    assert caught.value.joints == ("hinge",)
    with pytest.raises(SingularError, match="singular at joint"):
        closed(oa.root(s.D), light)
    with pytest.raises(SingularError, match="determinant is zero"):
        closed(oa.logdet(dyn.mass_matrix), light)


def test_hopeless_closed_forms_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so much work, which depends on no clock; with the body where it happened, and what to do."""
    monkeypatch.setattr(ratios, "WORK", 20_000)
    with pytest.raises(InputError, match=r'closed form of \w+ at "joint\d" grows too large .* numeric backend'):
        closed(oa.inv(dyn.mass_matrix), CHAIN, parameters=parameters(CHAIN, "mass", "com"))
    assert closed(dyn.mass_matrix, oa.chain(1)) is not None


def test_coefficients_of_denominators_are_whole() -> None:
    a = sp.Symbol("a")
    found = closed(oa.block(oa.inv(dyn.mass_matrix), 0, 0), oa.chain(4), q=[0, a, 0, 0])[0, 0]
    _, below = sp.fraction(found)
    assert all(x.is_Integer for x in below.atoms(sp.Rational))


def test_robots_are_refused_before_memory_fills() -> None:
    with pytest.raises(InputError, match=r'at "trunk" grows too large .* numeric backend'):
        closed(oa.inv(dyn.mass_matrix), oa.load("quadruped"))


def test_writing_is_work_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could still be computed may have too many terms once half angles are turned into sines and cosines."""
    reader = Translator.reader

    def exhausted(translator: Translator) -> Reader:
        monkeypatch.setattr(ratios, "WORK", 0)
        return reader(translator)

    monkeypatch.setattr(Translator, "reader", exhausted)
    with pytest.raises(InputError, match=r"closed form of ℳ grows too large .* numeric"):
        closed(dyn.mass_matrix, CHAIN)
    with pytest.raises(InputError, match="the expression grows too large"):
        simplified(sp.sin(sp.Symbol("x")) + 1)


def test_arguments_are_checked() -> None:
    form = oa.compile(dyn.inverse_dynamics, oa.load("planar2r"), backend="sympy")
    wrong: list[tuple[Any, str]] = [
        ({"q": [0]}, r"q has shape \(1,\), not \(2,\): model planar2r\. Give its 2 coordinates\."),
        ({"q": [0, sp.nan]}, "nan stands in a closed form"),
        ({"q": [0, sp.I]}, "not a finite real number"),
        ({"qdd": [1, 2, 3]}, r"shape \(3,\)"),
        ({"qdd": ["1", "2"]}, "not text"),
        ({"q": ["1", "2"]}, "not an array of numbers or expressions"),
        ({"q": [None, 0]}, r"q of planar2r .*None"),
        ({"q": [0, float("nan")]}, "nan stands in a closed form"),
        ({"q": np.zeros((5, 2))}, r"shape \(5, 2\).*no batch: give one configuration"),
        ({"q": np.zeros((5, 3))}, r"shape \(5, 3\).*Give its 2 coordinates"),
        ({"J": 1}, "does not mention J"),
        ({"out": np.zeros(2)}, "not written into arrays"),
    ]
    for arguments, words in wrong:
        with pytest.raises(InputError, match=words):
            form(**arguments)
    with pytest.raises(InputError, match="gives closed forms, not numbers"):
        form.bind(q=[0, 0], out=np.zeros(2))
    with pytest.raises(InputError, match="gives closed forms, not numbers"):
        form.linear_operator(q=[0, 0], v=[0, 0])
    with pytest.raises(InputError, match='a step of method="orthogonal"'):
        oa.compile(oa.inv(dyn.mass_matrix), CHAIN, backend="sympy", method="orthogonal")()


def test_columns_of_sympy_are_vectors() -> None:
    form = oa.compile(dyn.inverse_dynamics, oa.load("planar2r"), backend="sympy")
    q, v, qdd = (sp.Matrix(sp.symbols(names)) for names in ("a b", "x y", "g h"))
    assert form(q=q, v=v, qdd=qdd) == form(q=list(q), v=list(v), qdd=list(qdd))


def test_declared_operators_are_read_and_verified() -> None:
    J = oa.operator("J", oa.RATE >> oa.TORQUE, structure="diagonal definite")
    model = oa.chain(2, joint=["spherical", "revolute"])
    form = oa.compile(oa.diag(dyn.mass_matrix + J), model, backend="sympy")
    plain = closed(oa.diag(dyn.mass_matrix), model)
    by_default = form()
    assert simplified(by_default[1] - plain[1]) == sp.Matrix([[sp.Symbol("J3")]])
    full = sp.Matrix([[sp.Symbol(f"j{min(i, j)}{max(i, j)}") for j in range(3)] for i in range(3)])
    assert simplified(form(J=[full.tolist(), [[1]]])[0] - plain[0]) == full
    with pytest.raises(InputError, match="not symmetric"):
        form(J=[[[1, 2, 0], [0, 1, 0], [0, 0, 1]], [[1]]])
    N = oa.operator("N", oa.RATE >> oa.TORQUE, structure="inward hop")
    with pytest.raises(InputError, match=r"needs N .* not given"):
        oa.compile((dyn.mass_matrix + N) @ s.v, model, backend="sympy")()


def test_one_block_of_a_bordered_inverse() -> None:
    """It is taken from the columns of its body, for there is no walk along the tree."""
    arm = oa.load("planar2r")
    u = oa.vector("u", oa.TORQUE)
    e = oa.block(oa.inv(dyn.mass_matrix + u @ u.T), 1, 0)
    form = oa.compile(e, arm, backend="sympy")(u=[1, 2])
    (angle,) = form.free_symbols
    expected = oa.evaluate(e, arm, q=[0.3, 0.5], u=[1.0, 2.0]).dense()
    scaled = evaluate_with_scale(e.body, arm, q=[0.3, 0.5], u=[1.0, 2.0])
    assert apart(float(form[0].subs({angle: 0.5})), expected[0, 0]) <= bound(scaled) * scaled.scale
