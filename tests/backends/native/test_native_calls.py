"""Calls of programs that run as machine code say what they say without it: the tests of calls, once more on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from operator_algebra import compiler
from operator_algebra.applications import dynamics
from operator_algebra.backends import kernel as kernels
from operator_algebra.backends.native.door import Doors
from operator_algebra.backends.native.run import NativeKernel
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, OperatorAlgebraError
from operator_algebra.models.gallery import load
from tests.backends import test_floats
from tests.backends.native.machine_code import Floats
from tests.compiler import test_quick
from tests.rounding import apart, rounding, size

pytest.importorskip("llvmlite")


RAN: list[object] = []
"""The calls of machine code, of programs that are kept from test to test, too."""


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose calls are written down."""

    def call(*arguments: Any) -> Any:
        RAN.append(function)
        return function(*arguments)

    return call


@pytest.fixture(autouse=True)
def ran(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Machine code from the first call on, of programs that no other test has called before."""
    compiler._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]
    before, bound = len(RAN), Doors.of_arrays

    def counted_bound(*arguments: Any, **options: int) -> Any:
        return counted(bound(*arguments, **options))

    monkeypatch.setattr(kernels, "WORTH", 1)
    monkeypatch.setattr(NativeKernel, "__call__", counted(NativeKernel.__call__))
    monkeypatch.setattr(Doors, "of_arrays", counted_bound)
    yield
    assert len(RAN) > before


test_doubtful_samples = test_floats.test_one_doubtful_sample_leaves_the_others_alone
test_three_doubtful_samples = test_floats.test_singular_nearly_singular_and_indefinite_samples_of_one_batch
test_axes_with_a_doubtful_sample = test_floats.test_axes_of_a_batch_with_a_doubtful_sample
test_range_of_floats = test_floats.test_what_leaves_the_range_of_floats_is_told_as_by_the_interpreter
test_inputs_of_no_body = test_floats.test_numbers_and_vectors_of_no_body
test_shared_vectors = test_quick.test_vectors_that_all_samples_share
test_numbers = test_quick.test_numbers_are_taken_as_python_has_them
test_what_is_not_plain = test_quick.test_what_is_not_plain_goes_the_long_way
test_strides = test_quick.test_arrays_of_any_strides
test_quaternions = test_quick.test_quaternions_that_are_none_are_refused
test_names = test_quick.test_names_are_checked_on_every_call
test_out = test_quick.test_out_is_filled_and_checked
test_written_over_arguments = test_quick.test_results_may_be_written_over_arguments
test_bound_calls = test_quick.test_a_bound_call_reads_what_the_arrays_hold_now
test_new_arrays = test_quick.test_results_are_new_arrays


ODD: list[Callable[[Floats], Any]] = [
    lambda x: x,
    lambda x: x.astype(np.float32),
    lambda x: x.astype(np.int64),
    lambda x: x.astype(">f8"),
    lambda x: x * 1e300,
    lambda x: np.where(x > 1.0, np.nan, x),
    np.asfortranarray,
    lambda x: x[..., ::2],
    lambda x: x[::-1],
    lambda x: x.tolist(),
    lambda x: np.broadcast_to(x[..., :1], x.shape),
]


def wrong_or_odd(rng: np.random.Generator) -> Any:
    """An argument of some shape, kind and strides."""
    shape = tuple(rng.integers(0, 9, rng.integers(0, 4)))
    plain = rng.standard_normal((*shape, int(rng.choice([7, 7, 7, 6, 8, 14]))))
    return ODD[int(rng.integers(0, len(ODD)))](plain)


def test_any_arguments_give_typed_errors_or_the_right_numbers() -> None:
    arm, rng = load("arm7"), np.random.default_rng(0)
    compiled = compile_program(dynamics.inverse_dynamics, arm)
    interpreted = compile_program(dynamics.inverse_dynamics, arm, backend="interpreter")
    right = 0
    for _ in range(400):
        shape = tuple(rng.integers(0, 5, rng.integers(0, 3)))
        values: dict[str, Any] = {x: rng.standard_normal((*shape, 7)) for x in ("q", "v", "qdd")}
        for name in rng.choice(["q", "v", "qdd"], rng.integers(0, 3)):
            values[name] = wrong_or_odd(rng)
        outcomes: list[Any] = []
        for run in (compiled, interpreted):
            try:
                outcomes.append(run(**values))
            except OperatorAlgebraError as error:
                outcomes.append(str(error))
        found, expected = outcomes
        if isinstance(expected, str):
            assert found == expected
        else:
            right += 1
            assert found.shape == expected.shape
            assert apart(found, expected) <= 100 * rounding(size(expected), terms=49)
    assert right > 50


def test_results_that_may_not_be_written_are_refused() -> None:
    arm = load("arm7")
    compiled = compile_program(dynamics.inverse_dynamics, arm)
    zeros = np.zeros((9, 7))
    expected = compiled(q=zeros, v=zeros, qdd=zeros)
    for out in (np.zeros((8, 7)), np.zeros((9, 7), dtype=np.float32), np.broadcast_to(0.0, (9, 7))):
        with pytest.raises(InputError):
            compiled(q=zeros, v=zeros, qdd=zeros, out=out)
    strided = np.zeros((9, 14))[:, ::2]
    assert np.array_equal(compiled(q=zeros, v=zeros, qdd=zeros, out=strided), expected)


@pytest.mark.parametrize("shape", [(), (9,), (2, 3)])
@pytest.mark.parametrize("name", ["arm7", "quadruped"])
def test_bound_calls_read_and_write_the_arrays_that_they_were_given(name: str, shape: tuple[int, ...]) -> None:
    model = load(name)
    compiled = compile_program(dynamics.forward_dynamics, model)
    values, out = test_quick.state(model, shape), np.zeros((*shape, model.nv))
    call = compiled.bind(**values, out=out)
    for seed in range(4):
        anew = test_quick.state(model, shape, seed)
        for x, value in anew.items():
            values[x][...] = value
        call()
        assert np.array_equal(out, compiled(**anew))
    before = out.copy()
    values["q"][..., 0] = np.nan
    with pytest.raises(InputError, match="not finite"):
        call()
    assert np.array_equal(out, before)


def test_a_bound_call_goes_no_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = load("arm7")
    compiled = compile_program(dynamics.forward_dynamics, arm)
    values, out = test_quick.state(arm, (5,)), np.zeros((5, 7))
    expected = compiled(**values)
    call = compiled.bind(**values, out=out)
    call()
    monkeypatch.setattr(type(compiled), "__call__", None)
    out[...] = 0.0
    call()
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("which", ["q", "T", "out"])
def test_bound_arrays_with_gaps_are_read_as_they_are(which: str) -> None:
    arm = load("arm7")
    compiled = compile_program(dynamics.forward_dynamics, arm)
    values: dict[str, Any] = {**test_quick.state(arm, (5,)), "out": np.zeros((5, 7))}
    values[which] = np.repeat(values[which], 2, axis=1)[:, ::2]
    call = compiled.bind(**values)
    for seed in range(3):
        anew = test_quick.state(arm, (5,), seed)
        for x, value in anew.items():
            values[x][...] = value
        call()
        assert np.array_equal(values["out"], compiled(**anew))


def test_results_over_bound_arguments() -> None:
    arm = load("arm7")
    compiled = compile_program(dynamics.forward_dynamics, arm)
    memory = np.zeros((31, 7))
    values = test_quick.state(arm, (30,))
    memory[:30] = values["T"]
    call = compiled.bind(q=values["q"], v=values["v"], T=memory[:30], out=memory[1:])
    for _ in range(3):
        expected = compiled(q=values["q"], v=values["v"], T=memory[:30].copy())
        call()
        assert np.array_equal(memory[1:], expected)
