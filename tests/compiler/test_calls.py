"""How a compiled formula is called: cache, inputs, batches, out=, bind, and what is refused."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import BackendUnavailable, InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import inv, operator, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import dense, logdet
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE, TORQUE
from tests.oracles.dense_dynamics import allowed, mass_matrix
from tests.rounding import apart, condition, rounding, size

Floats = NDArray[np.float64]

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
ARM = chain(3, seed=1)
MIXED = random_tree(7, joints=("revolute", "spherical", "floating", "universal", "fixed"), seed=4)
solve = compile_program(inv(MASS) @ s.T, ARM)


def state(model: Model, shape: tuple[int, ...] = (), seed: int = 0) -> dict[str, Any]:
    """Random q, v, T of a shape."""
    rng = np.random.default_rng(seed)
    q = model.integrate(model.neutral(), rng.standard_normal((*shape, model.nv)))
    return {"q": q, "v": rng.standard_normal((*shape, model.nv)), "T": rng.standard_normal((*shape, model.nv))}


# -- cache -------------------------------------------------------------------------------------------------------------


def test_the_same_arguments_give_the_same_object() -> None:
    first = compile_program(inv(MASS) @ s.T, ARM)
    e = inv(s.H @ s.phi @ s.M @ s.phi.T @ s.H.T) @ s.T
    assert compile_program(e, ARM) is first
    assert compile_program(e, ARM, frame="world") is not first
    assert compile_program(e, ARM, method="joseph") is not first
    assert compile_program(e, chain(3, seed=2)) is not first
    several = {"V": s.V, "x": e}
    assert compile_program(several, ARM) is compile_program(dict(several), ARM)
    assert compile_program({"V": s.V}, ARM) is not compile_program({"W": s.V}, ARM)


def test_one_program_serves_every_mechanism() -> None:
    programs = [compile_program(inv(MASS) @ s.T, model).program for model in (chain(4, seed=1), chain(5, seed=1))]
    assert programs[0] is programs[1]


# -- inputs ------------------------------------------------------------------------------------------------------------


def test_inputs_are_named() -> None:
    assert solve.inputs == ("T",)
    assert compile_program(dynamics.forward_dynamics, ARM).inputs == ("T", "f_ext", "v")


def test_inputs_that_fold_away_may_be_given() -> None:
    # ARM has no dampers: v is not needed, but the formula mentions it.
    passive = compile_program(dynamics.passive, ARM)
    assert passive.inputs == ()
    assert np.array_equal(passive(q=ARM.neutral(), v=[1, 2, 3]), passive(q=ARM.neutral()))
    with pytest.raises(InputError, match=r"v .* it has shape"):
        passive(q=ARM.neutral(), v=[1, 2])


Q = [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"q": Q}, r"needs T \(torque, 3 entries\); it was not given. Given: q."),
        ({"T": Q}, r"needs q \(3 entries\); it was not given"),
        ({"q": Q, "T": Q, "v": Q}, r"does not mention v; it was given. Leave it out: it takes q, T."),
        ({"q": Q, "T": [1, 2]}, r"T \(torque, 3 entries\) .* it has shape \(2,\), not \(..., 3\)"),
        ({"q": Q, "T": 1.0}, r"T \(torque, 3 entries\) .* shape"),
        ({"q": Q, "T": [1, 2, np.nan]}, r"T \(torque, 3 entries\) .* not finite at \(2,\): nan"),
        ({"q": Q, "T": [1, np.inf, 0]}, r"not finite at \(1,\): inf"),
        ({"q": Q, "T": ["a", "b", "c"]}, r"not an array of numbers"),
        ({"q": Q, "T": [[1], [1, 2], [3]]}, r"not an array of numbers"),
        ({"q": Q, "T": [1j, 0, 0]}, r"T of .* is complex128; compiled programs compute with float64. Use evaluate"),
        ({"q": [0.1, 0.2], "T": Q}, r"q has shape \(2,\), not \(..., 3\)"),
        ({"q": [0.1, 0.2, np.nan], "T": Q}, r"q is not finite at \(2,\): nan"),
        ({"q": "abc", "T": Q}, r"q is not an array of numbers"),
        (
            {"q": np.zeros((4, 3)), "T": np.zeros((2, 3))},
            r"the leading axes of the arguments do not fit together: q \(4,\), T \(2,\).",
        ),
        ({"q": Q, "T": {"nobody": 1.0}}, r'there is no joint or frame .nobody.. There are joint1'),
        ({"q": Q, "T": Q, "errors": "ignore"}, r'errors=.ignore. is not known. Use "raise" or "mask".'),
    ],
)  # fmt: skip
def test_bad_inputs_are_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve(**values)


def test_the_rates_that_the_joint_map_needs_are_inputs() -> None:
    model = chain(2, joint="universal", seed=0)
    rate = compile_program(s.H_dot @ s.f_ext, model)
    assert rate.inputs == ("f_ext", "v")
    q, v = model.random(0)
    with pytest.raises(InputError, match=r"needs v \(rate, 4 entries\)"):
        rate(q=q, f_ext=np.ones(12))
    with pytest.raises(InputError, match="not finite"):
        rate(q=q, f_ext=np.ones(12), v=v * np.nan)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"backend": "cuda"}, BackendUnavailable, 'there is no backend "cuda". Available here: numpy'),
        ({"frame": "link"}, InputError, 'Use "body" .* or "world"'),
        ({"method": "fast"}, InputError, 'Use "auto", "joseph", "refined" or "orthogonal"'),
    ],
)
def test_unknown_options_are_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compile_program(s.V, ARM, **options)


@pytest.mark.parametrize("model", ["arm7", None, 3, Model])
def test_what_is_no_model_is_refused(model: object) -> None:
    with pytest.raises(InputError, match="compile takes a model"):
        compile_program(s.V, cast("Model", model))


def test_operators_are_given_by_diagonal_blocks_or_names() -> None:
    C = operator("C", RATE >> TORQUE, structure="diagonal definite")
    damped = compile_program(inv(MASS + C) @ s.T, ARM)
    values = state(ARM)
    whole = damped(q=values["q"], T=values["T"], C=[1.0, 2.0, 3.0])
    blocks = damped(q=values["q"], T=values["T"], C=[np.eye(1), 2 * np.eye(1), 3 * np.eye(1)])
    named = damped(q=values["q"], T=values["T"], C={"joint1": [[1.0]], "joint2": [[2.0]], "joint3": [[3.0]]})
    assert np.array_equal(whole, blocks)
    assert np.array_equal(whole, named)
    with pytest.raises(InputError, match=r"C .* not .*definite"):
        damped(q=values["q"], T=values["T"], C=[1.0, -2.0, 3.0])


# -- batches -----------------------------------------------------------------------------------------------------------

h = scalar("h")
RESULTS: dict[str, Expr] = {
    "vector": dynamics.forward_dynamics,
    "blocks": s.P,
    "blocks of several sizes": s.D,
    "constant blocks": s.M,
    "matrix": dynamics.mass_matrix,
    "scalar": dynamics.kinetic_energy,
    "row": s.T.T @ inv(MASS),
    "six numbers": dynamics.momentum,
    "multiple": h * s.V,
}
AXES = {
    "vector": 1,
    "blocks": 3,
    "blocks of several sizes": 2,
    "constant blocks": 3,
    "matrix": 2,
    "scalar": 0,
    "row": 2,
}


def pieces(result: Any) -> list[Any]:
    """A result as a list: blocks of several sizes are one already."""
    return cast("list[Any]", result) if isinstance(result, list) else [result]


def parts(result: Any, index: tuple[int, ...]) -> list[Any]:
    """One sample of a result."""
    return [piece[index] for piece in pieces(result)]


def close(a: Any, b: Any, model: Model, q: Floats) -> bool:
    """Whether sums in another order explain how far they are apart, with the mass matrix inverted."""
    left = rounding(max(1.0, size(*pieces(b))), terms=9 * model.n, condition=condition(mass_matrix(model, q)))
    return all(apart(x, y) <= left for x, y in zip(pieces(a), pieces(b), strict=True))


@pytest.mark.parametrize("lead", [(), (1,), (5,), (2, 3), (0,), (2, 0, 3)])
@pytest.mark.parametrize("name", RESULTS)
def test_leading_axes_lead_the_result(name: str, lead: tuple[int, ...]) -> None:
    compiled = compile_program(RESULTS[name], MIXED)
    values: dict[str, Any] = {**state(MIXED, lead), "h": np.full(lead, 0.5)}
    values = {key: value for key, value in values.items() if key in compiled.inputs or key == "q"}
    result = compiled(**values)
    one = compiled(**{key: value[(0,) * len(lead)] for key, value in values.items()}) if 0 not in lead else None
    assert all(np.shape(piece)[: len(lead)] == lead for piece in pieces(result))
    assert all(np.ndim(piece) == len(lead) + AXES.get(name, 1) for piece in pieces(result))
    if one is not None:
        first = (0,) * len(lead)
        assert close(parts(result, first), one, MIXED, values["q"][first])


@pytest.mark.parametrize("name", [name for name in RESULTS if "blocks" not in name])
def test_results_have_the_shapes_of_evaluation(name: str) -> None:
    compiled = compile_program(RESULTS[name], MIXED)
    values: dict[str, Any] = {**state(MIXED), "h": 0.5}
    values = {key: value for key, value in values.items() if key in compiled.inputs or key == "q"}
    expected = evaluate(RESULTS[name], MIXED, **values).dense()
    found = compiled(**values)
    assert np.shape(found) == np.shape(expected)
    assert close(found, expected, MIXED, values["q"])


def test_axes_of_the_arguments_broadcast() -> None:
    compiled = compile_program(dynamics.forward_dynamics, MIXED)
    q, v, T = state(MIXED, (4, 1))["q"], state(MIXED, (3,))["v"], state(MIXED)["T"]
    result = compiled(q=q, v=v, T=T)
    assert result.shape == (4, 3, MIXED.nv)
    assert close(result[2, 1], compiled(q=q[2, 0], v=v[1], T=T), MIXED, q[2, 0])


@pytest.mark.parametrize("count", [1, 2, 7, 20_000])
def test_pieces_of_a_long_batch_are_put_together(count: int) -> None:
    values = state(ARM, (count,))
    compiled = compile_program(dynamics.inverse_dynamics, ARM)
    result = compiled(q=values["q"], v=values["v"], qdd=values["T"])
    for k in (0, count // 2, count - 1):
        q, v, qdd = (values[name][k] for name in ("q", "v", "T"))
        assert close(result[k], compiled(q=q, v=v, qdd=qdd), ARM, q)


def test_pieces_of_one_large_sample_are_put_together() -> None:
    model = chain(16_500)
    compiled = compile_program({"V": s.V, "M": s.M, "energy": dynamics.kinetic_energy}, model)
    q = np.stack([model.neutral(), model.neutral() + 0.1, model.neutral() - 0.1])
    v = np.stack([np.ones(model.nv), np.zeros(model.nv), -np.ones(model.nv)])
    result = compiled(q=q, v=v)
    for k in range(3):
        one = compiled(q=q[k], v=v[k])
        assert all(apart(result[name][k], one[name]) <= rounding(size(one[name]), terms=model.n) for name in one)


# -- several results, out=, bind ---------------------------------------------------------------------------------------


def test_several_results_come_by_name() -> None:
    compiled = compile_program({"V": s.V, "mass": dense(MASS), "size": logdet(MASS)}, ARM)
    found = compiled(**{name: value for name, value in state(ARM).items() if name != "T"})
    assert list(found) == ["V", "mass", "size"]
    assert found["V"].shape == (18,)
    allowed = rounding(len(found["mass"]), terms=len(found["mass"]), condition=condition(found["mass"]))
    assert apart(found["size"], np.linalg.slogdet(found["mass"])[1]) <= allowed


def test_out_is_filled_and_returned() -> None:
    values = state(ARM, (4,))
    values.pop("v")
    out = np.full((4, 3), np.nan)
    assert solve(**values, out=out) is out
    assert np.array_equal(out, solve(**values))
    turned = np.full((3, 4), np.nan).T
    solve(**values, out=turned)
    assert np.array_equal(turned, out)


def read_only() -> Floats:
    out = np.zeros(3)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.zeros(4), r"out has shape \(4,\); the result has \(3,\). Give an array of that shape."),
        ([0.0, 0.0, 0.0], r"out has shape list; the result has \(3,\)"),
        (np.zeros(3, dtype=int), r"out holds int64; the result needs a writable array of float64"),
        (np.zeros(3, dtype=np.float32), r"out holds float32; the result needs a writable array of float64"),
        (read_only(), r"out holds float64, read-only"),
    ],
)
def test_a_bad_out_is_refused(out: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve(q=Q, T=Q, out=out)


def test_out_of_several_results() -> None:
    compiled = compile_program({"V": s.V, "D": s.D}, MIXED)
    values = {name: value for name, value in state(MIXED).items() if name != "T"}
    expected = compiled(**values)
    out: dict[str, Any] = {"V": np.zeros_like(expected["V"]), "D": [np.zeros_like(block) for block in expected["D"]]}
    assert compiled(**values, out=out) is out
    assert np.array_equal(out["V"], expected["V"])
    assert all(np.array_equal(found, block) for found, block in zip(out["D"], expected["D"], strict=True))
    with pytest.raises(InputError, match="out has no place for 'D'"):
        compiled(**values, out={"V": out["V"]})


def test_bind_reads_its_arrays_at_each_call() -> None:
    values = state(ARM)
    q, T, out = values["q"], values["T"], np.zeros(3)
    step = solve.bind(q=q, T=T, out=out)
    assert not out.any()
    step()
    first = out.copy()
    assert np.array_equal(first, solve(q=q, T=T))
    q += 0.3
    T *= 2.0
    step()
    assert np.array_equal(out, solve(q=q, T=T))
    assert not np.array_equal(out, first)


def test_bind_checks_its_arguments_at_once() -> None:
    with pytest.raises(InputError, match="needs T"):
        solve.bind(q=Q, out=np.zeros(3))
    with pytest.raises(InputError, match="out has shape"):
        solve.bind(q=Q, T=Q, out=np.zeros(4))()


def test_results_are_the_callers_own() -> None:
    first = solve(q=Q, T=Q)
    kept = first.copy()
    solve(q=[0.5, 0.5, 0.5], T=Q)
    assert np.array_equal(first, kept)
    constant = compile_program(s.M, ARM)(q=Q)
    constant[...] = 0.0
    assert compile_program(s.M, ARM)(q=Q).any()
    inertia = compile_program(s.M, ARM)(q=np.zeros((2, 3)))
    inertia[0] = 0.0
    assert inertia[1].any()


def test_inputs_are_left_as_they_are() -> None:
    values = state(MIXED, (2,))
    kept = {name: value.copy() for name, value in values.items()}
    compile_program(dynamics.forward_dynamics, MIXED)(**values)
    assert all(np.array_equal(values[name], kept[name]) for name in values)


def test_every_gallery_mechanism_moves() -> None:
    for name in ("quadruped", "humanoid", "tree4"):
        model = load(name)
        values = state(model)
        qdd = compile_program(dynamics.forward_dynamics, model)(**values)
        T = compile_program(dynamics.inverse_dynamics, model)(q=values["q"], v=values["v"], qdd=qdd)
        left = allowed(model, values["q"], values["v"], qdd=qdd, forces=values["T"]).force
        assert apart(T, values["T"]) <= left


def test_the_representation_is_one_line() -> None:
    assert repr(solve) == "Compiled  (H φ M φ* H*)⁻¹ T   chain3   numpy   inputs q, T"
    long = compile_program(inv(MASS) @ (s.T - vector("u", TORQUE) - dynamics.bias), ARM)
    assert len(repr(long)) <= 100
    assert "\n" not in repr(long)
