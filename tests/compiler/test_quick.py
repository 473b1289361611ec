"""The short way of a call: taken by plain arguments, left where anything has to be said, and equal to the long way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends import kernel
from operator_algebra.backends.native.entry import leave
from operator_algebra.calls.compiled import Compiled
from operator_algebra.calls.quick import Quick
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, RangeError, SingularError
from operator_algebra.expressions.build import inv, scalar
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from tests.strategies import ALL_JOINTS

ARM = load("arm7")
DOG = load("quadruped")
TREE = random_tree(6, joints=ALL_JOINTS, seed=5)
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T


def state(model: Model, shape: tuple[int, ...] = (), seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    q = model.integrate(model.neutral(), rng.standard_normal((*shape, model.nv)))
    return {"q": q, "v": rng.standard_normal((*shape, model.nv)), "T": rng.standard_normal((*shape, model.nv))}


def quick_of(compiled: Compiled) -> Quick:
    found = compiled._quick  # pyright: ignore[reportPrivateUsage]
    assert found is not None
    return found


def short(compiled: Compiled, values: dict[str, Any]) -> Any:
    """What the short way gives; None if it is not taken."""
    given = dict(values)
    return quick_of(compiled)(given.pop("q"), given)


def long(compiled: Compiled, values: dict[str, Any]) -> Any:
    """What a call gives that has never been called in this form."""
    vars(compiled).pop("_quick", None)
    leave(compiled)
    return compiled(**values)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return all(same(one[name], other[name]) for name in one)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(one, list):
        return all(map(same, one, other))  # pyright: ignore[reportUnknownArgumentType]
    return np.array_equal(one, other) and np.shape(one) == np.shape(other)


FORMULAS: dict[str, Expr | Query | dict[str, Expr | Query]] = {
    "vector": dynamics.forward_dynamics,
    "blocks": {"D": s.D, "x": dynamics.forward_dynamics},
    "number": {"energy": dynamics.kinetic_energy, "x": dynamics.forward_dynamics},
}


@pytest.mark.parametrize("shape", [(), (1,), (5,), (30,), (3, 4), (3, 1, 10)])
@pytest.mark.parametrize("model", [ARM, DOG, TREE], ids=["arm", "dog", "tree"])
@pytest.mark.parametrize("name", FORMULAS)
def test_it_gives_the_bits_of_the_long_way(name: str, model: Model, shape: tuple[int, ...]) -> None:
    compiled = compile_program(FORMULAS[name], model)
    values = state(model, shape)
    expected = long(compiled, values)
    found = short(compiled, values)
    assert found is not None
    assert same(found if compiled.program.keyed else next(iter(found.values())), expected)
    assert same(compiled(**values), expected)


def test_results_are_new_arrays() -> None:
    compiled = compile_program(dynamics.forward_dynamics, ARM)
    values = state(ARM)
    first = long(compiled, values)
    second = compiled(**values)
    kept = second.copy()
    second[:] = 0.0
    assert np.array_equal(compiled(**values), kept)
    assert np.array_equal(first, kept)
    assert second.flags.writeable
    assert compiled(**state(ARM, (3,))).flags.c_contiguous


def test_vectors_that_all_samples_share() -> None:
    compiled = compile_program(dynamics.forward_dynamics, ARM)
    values = state(ARM, (30,))
    values["T"] = values["T"][0]
    expected = long(compiled, values)
    assert same(short(compiled, values)["x"], expected)


def test_numbers_are_taken_as_python_has_them() -> None:
    h = scalar("h")
    compiled = compile_program(inv(MASS + h * MASS) @ s.T, ARM)
    for shape in ((), (30,)):
        values: dict[str, Any] = {**state(ARM, shape), "h": 0.5}
        values.pop("v")
        expected = long(compiled, values)
        assert same(short(compiled, values)["x"], expected)
        assert short(compiled, {**values, "h": np.float64(0.5)}) is None
        values["h"] = np.float64(0.5)
        assert same(compiled(**values), expected)


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a list": lambda x: x["q"].tolist(),
    "integers": lambda x: np.ones_like(x["q"], dtype=np.int64),
    "single precision": lambda x: x["q"].astype(np.float32),
    "other bytes": lambda x: x["q"].astype(">f8"),
    "a number": lambda x: 1.0,
    "an array of no axes": lambda x: np.array(1.0),
    "masked": lambda x: np.ma.masked_array(x["q"], mask=False),
    "too short": lambda x: x["q"][:-1],
    "not finite": lambda x: np.full_like(x["q"], np.nan),
    "infinite": lambda x: np.full_like(x["q"], np.inf),
    "nothing": lambda x: None,
}


@pytest.mark.parametrize("argument", ["q", "T"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_plain_goes_the_long_way(argument: str, change: str) -> None:
    compiled = compile_program(dynamics.forward_dynamics, ARM)
    values = state(ARM)
    long(compiled, values)
    changed: dict[str, Any] = {**values, argument: CHANGES[change](values)}
    assert short(compiled, changed) is None
    assert said(lambda: compiled(**changed)) == said(lambda: long(compiled, changed))


def said(run: Callable[[], object]) -> str:
    try:
        run()
    except InputError as error:
        return str(error)
    return ""


def test_arrays_of_any_strides() -> None:
    compiled = compile_program(dynamics.forward_dynamics, ARM)
    values = state(ARM, (40,))
    expected = long(compiled, values)
    strided = {name: np.asfortranarray(x) for name, x in values.items()}
    assert same(short(compiled, strided)["x"], expected)
    assert same(compiled(**{name: x[::-1] for name, x in values.items()}), expected[::-1])
    assert same(compiled(**{name: x[3][::-1][::-1] for name, x in values.items()}), expected[3])


@pytest.mark.parametrize("shape", [(), (30,)])
def test_quaternions_that_are_none_are_refused(shape: tuple[int, ...]) -> None:
    compiled = compile_program(dynamics.forward_dynamics, DOG)
    values = state(DOG, shape)
    long(compiled, values)
    values["q"][..., 3:7] *= 1.1
    assert short(compiled, values) is None
    with pytest.raises(InputError, match="norm of q"):
        compiled(**values)


def test_doubtful_samples_go_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that takes the whole inertia of a single joint away."""
    monkeypatch.setattr(kernel, "CALLS", 4)
    model, h = chain(1, seed=1), scalar("h")
    compiled = compile_program(inv(MASS - h * MASS) @ s.T, model)
    values: dict[str, Any] = {"q": model.random(0)[0], "T": np.ones(1), "h": 0.5}
    long(compiled, values)
    assert short(compiled, values) is not None
    for times in range(12):
        values["h"] = 1.0
        assert short(compiled, values) is None
        with pytest.raises(SingularError):
            compiled(**values)
        assert np.isnan(compiled(**values, errors="mask")).all(), times


def test_what_leaves_the_range_of_floats_is_told_on_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "CALLS", 4)
    compiled = compile_program(dynamics.forward_dynamics, ARM)
    values = state(ARM)
    long(compiled, values)
    values["v"] = np.full(7, 1e200)
    for _ in range(12):
        with pytest.raises(RangeError):
            compiled(**values)
        assert np.isnan(compiled(**values, errors="mask")).all()


def test_names_are_checked_on_every_call() -> None:
    compiled = compile_program(dynamics.forward_dynamics, ARM)
    values = state(ARM)
    compiled(**values)
    compiled(**values)
    with pytest.raises(InputError, match="does not mention u"):
        compiled(**values, u=np.ones(7))
    with pytest.raises(InputError, match="needs v"):
        compiled(q=values["q"], T=values["T"])
    with pytest.raises(InputError, match="errors="):
        compiled(**values, errors="ignore")  # pyright: ignore[reportArgumentType]


def test_out_is_filled_and_checked() -> None:
    compiled = compile_program(dynamics.forward_dynamics, ARM)
    for shape in ((), (30,)):
        values = state(ARM, shape)
        expected = long(compiled, values)
        out = np.empty((*shape, 7))
        assert compiled(**values, out=out) is out
        assert np.array_equal(out, expected)
        with pytest.raises(InputError, match="out has shape"):
            compiled(**values, out=np.empty((*shape, 8)))
        out.setflags(write=False)
        with pytest.raises(InputError, match="read-only"):
            compiled(**values, out=out)


def test_results_may_be_written_over_arguments() -> None:
    compiled = compile_program(dynamics.forward_dynamics, ARM)
    for shape in ((), (30,)):
        values = state(ARM, shape)
        expected = long(compiled, values)
        assert np.array_equal(compiled(**values, out=values["T"]), expected)


def test_a_bound_call_reads_what_the_arrays_hold_now() -> None:
    compiled = compile_program(dynamics.forward_dynamics, ARM)
    values = state(ARM)
    out = np.empty(7)
    call = compiled.bind(**values, out=out)
    for seed in range(3):
        anew = state(ARM, seed=seed)
        for name, x in anew.items():
            values[name][...] = x
        call()
        assert np.array_equal(out, compiled(**anew))
    values["q"][0] = np.nan
    with pytest.raises(InputError, match="not finite"):
        call()
