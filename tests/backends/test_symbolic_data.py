"""A model's data as exact numbers and symbols, and closed forms as C."""

import math
import re
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.backends.closed_forms.build import parameters, simplified
from operator_algebra.backends.closed_forms.mechanism import ExactModel
from operator_algebra.backends.closed_forms.source import c_function, identifier
from operator_algebra.errors import InputError
from operator_algebra.models.families import random_inertia
from tests.oracles.dense_dynamics import allowed
from tests.rounding import apart, rounding, size
from tests.strategies import placements, random_placement

sp: Any = import_module("sympy")

dyn = oa.dynamics


def one_body(joint: Any, placement: Any = None, inertia: Any = None) -> oa.Model:
    body = oa.Body("body", None, joint, placement or oa.Placement(), inertia or oa.Inertia.box(1.0, (1.0, 2.0, 3.0)))
    return oa.Model(name="one", bodies=[body])


@settings(max_examples=50)
@given(place=placements())
def test_rotations_are_orthogonal_exactly_and_right_to_all_digits(place: oa.Placement) -> None:
    found = ExactModel(one_body(oa.Joint.revolute(), place), {}).arrays.rotation[0]
    R = sp.Matrix(found.tolist())
    assert (R * R.T - sp.eye(3)).is_zero_matrix
    assert R.det() == 1
    assert apart(found.astype(float), place.rotation) <= rounding()


@pytest.mark.parametrize("angle", [math.pi, math.pi - 1e-9, math.pi / 3, math.pi / 4, -math.pi / 2, 1e-9])
def test_special_turns_are_recognised(angle: float) -> None:
    place = oa.Placement.from_axis_angle((0, 1, 0), angle)
    found = sp.Matrix(ExactModel(one_body(oa.Joint.revolute(), place), {}).arrays.rotation[0].tolist())
    assert sp.simplify(found * found.T) == sp.eye(3)
    assert apart(np.array(found.tolist(), dtype=float), place.rotation) <= rounding()
    if abs(angle - math.pi / 3) < 1e-3:
        assert found[0, 2] == sp.sqrt(3) / 2


@settings(max_examples=50)
@given(axis=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: math.hypot(*a) > 1e-3))
def test_axes_have_length_one_exactly(axis: tuple[float, float, float]) -> None:
    joint: Any = oa.Joint.revolute(axis)
    exact_joint: Any = ExactModel(one_body(joint), {}).joint_groups[0].joint
    found = exact_joint.axis[0]
    assert sp.simplify(sum(x**2 for x in found)) == 1
    assert apart(np.array(found, dtype=float), joint.axis) <= rounding()


def test_an_axis_at_45_degrees_stays_short() -> None:
    form = oa.compile(dyn.mass_matrix, one_body(oa.Joint.revolute((1, 1, 0))), backend="sympy")()
    assert form == sp.Matrix([[sp.Rational(23, 24)]])


def test_models_are_not_changed() -> None:
    model = oa.chain(2)
    before = model.digest
    oa.compile(dyn.mass_matrix, model, backend="sympy")(parameters=parameters(model, "mass"))
    assert oa.chain(2).digest == before == model.digest
    assert model.arrays.mass.dtype == np.float64


def test_ready_symbols() -> None:
    model = oa.chain(2)
    found = parameters(model, "mass", "com", "inertia_at_com", "translation")
    assert found["link2"]["mass"] == sp.Symbol("m1")
    assert found["link1"]["com"] == sp.symbols("c0x c0y c0z")
    assert found["link1"]["inertia_at_com"][2][0] == sp.Symbol("I0xz") == found["link1"]["inertia_at_com"][0][2]
    with pytest.raises(InputError, match='no ready symbols for "colour"'):
        parameters(model, "colour")


def test_symbols_for_everything_give_the_model_back() -> None:
    """Closed forms in symbolic data, with the data put in afterwards, against the numbers of the model."""
    rng = np.random.default_rng(5)
    bodies = [
        oa.Body(f"body{k}", f"body{k - 1}" if k else None, joint, random_placement(rng), random_inertia(rng))
        for k, joint in enumerate([oa.Joint.revolute((0, 1, 0), armature=0.2), oa.Joint.prismatic((1, 0, 0))])
    ]
    model = oa.Model(name="pair", bodies=bodies, gravity=(0.0, 0.5, -9.0))
    data: dict[str, Any] = parameters(model, "mass", "com", "inertia_at_com", "translation")
    data["body0"]["armature"] = sp.Symbol("a0")
    data["gravity"] = sp.symbols("gx gy gz")
    bias = oa.compile(dyn.gravity_term, model, backend="sympy")(parameters=data)
    mass = oa.compile(dyn.mass_matrix, model, backend="sympy")(parameters=data)
    at: dict[Any, Any] = dict(zip(data["gravity"], model.gravity, strict=True)) | {sp.Symbol("a0"): 0.2}
    q = [0.3, -0.4]
    at |= dict(zip(sp.symbols("q0 q1"), q, strict=True))
    for k, body in enumerate(bodies):
        fields = data[body.name]
        at[fields["mass"]] = body.inertia.mass
        at |= dict(zip(fields["com"], body.inertia.com, strict=True))
        at |= dict(zip(fields["translation"], body.placement.translation, strict=True))
        for i in range(3):
            at |= dict(zip(fields["inertia_at_com"][i], body.inertia.inertia_at_com[i], strict=True))
        assert sp.Symbol(f"m{k}") in mass.free_symbols
    for form, formula in ((mass, dyn.mass_matrix), (bias, dyn.gravity_term)):
        found = np.array(form.subs(at).evalf().tolist(), dtype=float)
        expected = oa.compile(formula, model)(q=q)
        assert apart(found.reshape(expected.shape), expected) <= rounding(size(expected), terms=9 * model.n)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"nobody": {"mass": 1}}, 'has no body or joint "nobody"'),
        ({"link1": {"colour": 1}}, '"link1" has no "colour"'),
        ({"link1": {"com": (1, 2)}}, r"com of link1 has shape \(2,\), not \(3,\)"),
        ({"gravity": 9.81}, r"gravity has shape \(\), not \(3,\)"),
        ({"joint1": {"armature": 1}}, "no joint of chain2 has armature"),
        ({"joint1": {"mass": 1}}, '"joint1" has no "mass"'),
        ({"link1": {"mass": "m"}}, "mass of link1 is not made of numbers and expressions: 'm'"),
        ({"link1": {"mass": None}}, "not made of numbers and expressions: None"),
        ({"link1": {"mass": float("nan")}}, "nan stands in a closed form"),
        ({"link1": {"mass": -1}}, "mass of link1 is negative: -1"),
        ({"link1": {"inertia_at_com": [[1, 2, 0], [3, 1, 0], [0, 0, 1]]}}, "inertia_at_com of link1 is not symmetric"),
        ({"link1": {"rotation": sp.eye(3) * 2}}, "rotation of link1 is not a rotation"),
        ({"link1": {"rotation": sp.diag(1, 1, -1)}}, "rotation of link1 is not a rotation"),
        ({"link1": 3}, "3 is not a mapping from each field of link1"),
        ([1], "not a mapping from each body or joint"),
    ],
)
def test_parameters_are_checked(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        oa.compile(dyn.mass_matrix, oa.chain(2), backend="sympy")(parameters=given)


def test_a_rotation_of_symbols_is_recognised() -> None:
    turn = {"link2": {"rotation": sp.rot_axis1(sp.Symbol("a")), "com": sp.Matrix(sp.symbols("x y z"))}}
    form = oa.compile(dyn.mass_matrix, oa.chain(2), backend="sympy")(parameters=turn)
    assert {sp.Symbol("a"), sp.Symbol("x")} <= form.free_symbols


def test_a_joint_of_ones_own_has_closed_forms() -> None:
    class Cam(oa.Joint):
        """A slide along x by 0.3 sin q."""

        kind = "cam"
        nq = nv = 1

        def transform(self, q: Any, xp: Any) -> Any:
            zero = xp.zeros_like(q)
            return self._constant(np.eye(3), q, xp), xp.concatenate([0.3 * xp.sin(q), zero, zero], axis=-1)

        def motion_map(self, q: Any, xp: Any) -> Any:
            zero = xp.zeros_like(q)
            return xp.concatenate([zero, zero, zero, 0.3 * xp.cos(q), zero, zero], axis=-1)[..., None]

        def motion_map_rate(self, q: Any, v: Any, xp: Any) -> Any:
            zero = xp.zeros_like(q)
            return xp.concatenate([zero, zero, zero, -0.3 * xp.sin(q) * v, zero, zero], axis=-1)[..., None]

    model = one_body(Cam(), inertia=oa.Inertia(2.0))
    q, v = sp.symbols("q0 v0")
    mass = oa.compile(dyn.mass_matrix, model, backend="sympy")()
    assert sp.expand(mass[0, 0] - sp.Rational(18, 100) * sp.cos(q) ** 2) == 0
    terms = oa.compile(dyn.coriolis, model, backend="sympy")()
    assert sp.expand(terms[0, 0] + sp.Rational(18, 100) * sp.sin(q) * sp.cos(q) * v**2) == 0


# -- C -----------------------------------------------------------------------------------------------------------------


def run_c(source: str, sizes: dict[str, int], **arguments: Any) -> dict[str, list[float]]:
    """The outputs of a C function of assignments, read as Python, which writes these expressions alike."""
    body = re.search(r"\{\n(.*)\n\}", source, re.DOTALL)
    assert body
    names = {"sin": math.sin, "cos": math.cos, "pow": math.pow, "sqrt": math.sqrt, "log": math.log}
    outputs = {name: [0.0] * size for name, size in sizes.items()}
    lines = [line.strip().removeprefix("const double ").removesuffix(";") for line in body[1].splitlines()]
    exec("\n".join(lines), {}, names | outputs | arguments)
    return outputs


def test_the_source_is_c_that_computes_the_same() -> None:
    model = oa.chain(2, seed=4)
    q, v = model.random(2)
    T = [0.3, -0.7]
    compiled = oa.compile(dyn.forward_dynamics, model, backend="sympy")
    assert "void chain2(const double q[2], const double T[2], const double v[2], double out[2])" in compiled.source
    out = run_c(compiled.source, {"out": 2}, q=list(q), v=list(v), T=T)["out"]
    expected = oa.compile(dyn.forward_dynamics, model)(q=q, v=v, T=T)
    assert apart(out, expected) <= allowed(model, q, v, qdd=expected, forces=np.array(T)).motion


def test_several_results_are_several_outputs() -> None:
    model = oa.load("planar2r")
    both = {"mass": dyn.mass_matrix, "energy": dyn.kinetic_energy}
    source = oa.compile(both, model, backend="sympy").source
    assert "double mass[4], double *energy)" in source
    assert len(re.findall(r"cos\(q\[1\]\)", source)) == 1


def test_c_functions_of_ones_own() -> None:
    model = oa.load("planar2r")
    data = parameters(model, "mass")
    m, angles = [fields["mass"] for fields in data.values()], sp.symbols("a b")
    form = oa.compile(dyn.mass_matrix, model, backend="sympy")(q=angles, parameters=data)
    source = c_function("inertia", {"M": form}, {"angles": angles, "m": m})
    out = run_c(source, {"M": 4}, angles=[0.2, 0.5], m=[1.0, 1.0])["M"]
    expected = oa.compile(dyn.mass_matrix, model)(q=[0.2, 0.5])
    assert apart(np.reshape(out, (2, 2)), expected) <= rounding(size(expected), terms=9)
    with pytest.raises(InputError, match="no argument for m0, m1"):
        c_function("inertia", {"M": form}, {"angles": angles})


@pytest.mark.parametrize(("text", "name"), [("my arm-2", "my_arm_2"), ("7dof", "f_7dof"), ("ärm", "arm"), ("—", "f_")])
def test_names_in_c(text: str, name: str) -> None:
    assert identifier(text) == name


def test_block_diagonal_results_are_tuples_of_blocks() -> None:
    model = oa.chain(2, joint=["spherical", "revolute"])
    blocks = oa.compile(s.D, model, backend="sympy")()
    assert [block.shape for block in blocks] == [(3, 3), (1, 1)]
    assert simplified(blocks[0] - blocks[0].T) == sp.zeros(3)
