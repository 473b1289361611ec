"""Machine code on arrays: any number of samples, any strides, nothing touched beside them, threads at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends import kernel as kernels
from operator_algebra.backends.native import machine as machines
from operator_algebra.backends.native import run as native_run
from operator_algebra.backends.native.run import NativeKernel
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from operator_algebra.operators.vanishing import vanishing
from tests.backends.native.machine_code import Floats, arrays_of, bits, code, kernel_of_arm, same
from tests.backends.scalar.calls import Call
from tests.fences import CAN, fenced
from tests.house.tree import ROOT
from tests.programs.test_interpreted_programs import inputs
from tests.strategies import ALL_JOINTS

pytest.importorskip("llvmlite")

TREE = random_tree(4, joints=ALL_JOINTS, seed=5)


@pytest.fixture(scope="module")
def made() -> tuple[Call, Tape, NativeKernel]:
    program = lower({"x": dynamics.forward_dynamics, "E": dynamics.kinetic_energy}, zeros=vanishing(TREE))
    call = Call.of(program, TREE, TREE.random(0)[0], inputs(program, TREE, 0))
    tape = Tape.of(call.traced(), len(call.arguments))
    return call, tape, code(tape, [array.shape[1] for array in arrays_of(call, 1)], [TREE.nv, 1])


Made = tuple[Call, Tape, NativeKernel]


def test_any_number_of_samples(made: Made) -> None:
    call, tape, kernel = made
    arrays = arrays_of(call, 33)
    for count in range(34):
        some = [array[:count] for array in arrays]
        _, good, results = kernel(some, count)
        assert good.shape == (count,)
        assert [result.shape for result in results] == [(count, TREE.nv), (count, 1)]
        assert not count or same(tape, kernel, some)


def test_a_sample_has_the_same_bits_wherever_it_stands(made: Made) -> None:
    call, _, kernel = made
    arrays = arrays_of(call, 20)
    together = kernel(arrays, 20).results
    rng = np.random.default_rng(0)
    for count in range(1, 34):
        chosen = rng.integers(0, 20, count)
        found = kernel([array[chosen] for array in arrays], count).results
        assert all(np.array_equal(bits(one), bits(all_[chosen])) for one, all_ in zip(found, together, strict=True))


STRIDES: dict[str, Callable[[Floats], Floats]] = {
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "columns first": np.asfortranarray,
    "every other column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "part of rows": lambda x: np.concatenate([x, x], axis=1)[:, : x.shape[1]],
    "read-only": lambda x: np.broadcast_to(x, x.shape),
    "not aligned": lambda x: _shifted(x),
}


def _shifted(x: Floats) -> Floats:
    memory = np.empty(x.nbytes + 3, dtype=np.uint8)
    found = memory[3:].view(np.float64).reshape(x.shape)
    found[...] = x
    return found


@pytest.mark.parametrize("how", STRIDES)
def test_any_strides(how: str, made: Made) -> None:
    call, tape, kernel = made
    arrays = arrays_of(call, 13)
    expected = kernel(arrays, 13).results
    found = kernel([STRIDES[how](array) for array in arrays], 13).results
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
    assert same(tape, kernel, [STRIDES[how](array) for array in arrays])


def test_what_all_samples_share_is_given_once(made: Made) -> None:
    call, tape, kernel = made
    arrays = arrays_of(call, 13)
    assert same(tape, kernel, [arrays[0], *(array[:1] for array in arrays[1:])])


def test_shapes_that_do_not_fit_are_refused(made: Made) -> None:
    call, _, kernel = made
    arrays = arrays_of(call, 5)
    for wrong in (arrays[0][:, 1:], arrays[0][:3], arrays[0][:0], arrays[0][0], arrays[0].astype(np.complex128)):
        with pytest.raises((ValueError, TypeError)):
            kernel([wrong, *arrays[1:]], 5)
    with pytest.raises(ValueError, match="shape"):
        kernel(arrays[1:], 5)


# -- memory ------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not CAN, reason="pages are protected as Linux does it")
@pytest.mark.parametrize("before", [False, True], ids=["behind", "before"])
def test_nothing_beside_an_array_is_touched(before: bool, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    call, _, kernel = made
    several = [arrays_of(call, count) for count in range(34)]
    expected = [kernel(arrays, count).results for count, arrays in enumerate(several)]

    class Fenced:
        """NumPy, but for new arrays."""

        def __getattr__(self, name: str) -> Any:
            return getattr(np, name)

        def empty(self, shape: Any, dtype: Any = np.float64) -> Any:
            made = np.empty(shape, dtype)
            return fenced(made, before=before) if made.dtype == np.float64 else made

    monkeypatch.setattr(native_run, "np", Fenced())
    for count, arrays in enumerate(several):
        found = kernel([fenced(array, before=before) for array in arrays], count).results
        assert all(np.array_equal(one, other) for one, other in zip(found, expected[count], strict=True)), count


def test_threads_at_once(made: Made) -> None:
    call, _, kernel = made
    arrays = arrays_of(call, 500)
    expected = kernel(arrays, 500).results
    with ThreadPoolExecutor(8) as pool:
        for _, _, found in pool.map(kernel, [arrays] * 64, [500] * 64):
            assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


# -- when there is machine code ----------------------------------------------------------------------------------------


def test_it_is_made_once_it_is_worth_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "WORTH", 100)
    kernel, call = kernel_of_arm()
    arrays = arrays_of(call, 30)
    found = [kernel.batch(arrays, 30)]
    assert not kernel.native
    found += [kernel.batch(arrays, 30) for _ in range(4)]
    assert kernel.native
    assert all(np.array_equal(bits(one.results[0]), bits(found[0].results[0])) for one in found)


def test_single_configurations_count_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "WORTH", 5 * kernels.ALONE)
    kernel, call = kernel_of_arm()
    for _ in range(4):
        kernel.single(call.arguments)
    assert not kernel.native
    kernel.single(call.arguments)
    assert kernel.native


def test_without_llvmlite_all_works(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(kernels, "WORTH", 1)
    kernel, call = kernel_of_arm()
    arrays = arrays_of(call, 30)
    expected = kernel.batch(arrays, 30).results
    assert kernel.native
    machines.machine.cache_clear()
    monkeypatch.setattr(machines, "import_module", absent)
    try:
        without, _ = kernel_of_arm()
        found = without.batch(arrays, 30).results
        assert not without.native
    finally:
        machines.machine.cache_clear()
    assert np.array_equal(bits(found[0]), bits(expected[0]))


def test_what_llvm_cannot_do_is_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: machines.Machine, text: str) -> bytes:
        raise RuntimeError(f"{len(text)} characters are too many for {self.processor}")

    monkeypatch.setattr(kernels, "WORTH", 1)
    monkeypatch.setattr(machines.Machine, "compiled", refused)
    kernel, call = kernel_of_arm()
    assert kernel.batch(arrays_of(call, 30), 30).whole
    assert not kernel.native


def test_llvmlite_is_not_imported_before_it_is_worth_it() -> None:
    lines = """
import sys
import numpy as np
import operator_algebra as oa
arm = oa.load("arm7")
oa.compile(oa.dynamics.inverse_dynamics, arm)(q=np.zeros((50, 7)), v=np.zeros(7), qdd=np.zeros(7))
assert not any(name.startswith("llvmlite") for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", lines], cwd=ROOT, check=True)
