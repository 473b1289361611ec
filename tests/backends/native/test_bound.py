"""Bound calls: machine code with the addresses of arrays, and another function where there is more to say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends import floats
from operator_algebra.backends import kernel as kernels
from operator_algebra.backends.kernel import Kernel
from operator_algebra.backends.native import door
from operator_algebra.backends.native.door import doors
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import SingularError
from tests.backends.native.doors import ARM, NAMES, arguments, expected, kernel_of
from tests.backends.native.test_door import counts
from tests.fences import CAN, fenced

pytest.importorskip("llvmlite")


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return kernel_of(dynamics.inverse_dynamics, NAMES)


def test_it_asks_where_numbers_may_not_be_trusted(kernel: Kernel) -> None:
    asked: list[str] = []
    q, inputs = arguments((9,))
    out = np.zeros_like(q)

    def other() -> object:
        asked.append("asked")
        if np.isinf(q).any():
            raise SingularError("infinite")
        return object()

    call: Any = kernel.bound([q, *(inputs[name] for name in NAMES)], 9, out, other)
    before = counts([call, q, out])
    for _ in range(3):
        q += 0.25
        assert call() is None
        assert np.array_equal(out, expected(kernel, q, inputs))
    assert not asked
    kept = out.copy()
    q[3, 3] = np.nan
    assert call() is None
    assert len(asked) == 1
    q[3, 3] = np.inf
    with pytest.raises(SingularError):
        call()
    assert np.array_equal(out, kept)
    assert counts([call, q, out]) == before
    with pytest.raises(TypeError):
        call(1)


@pytest.mark.skipif(not CAN, reason="pages are protected as Linux does it")
@pytest.mark.parametrize("before", [False, True], ids=["behind", "before"])
def test_nothing_beside_its_arrays_is_touched(before: bool, kernel: Kernel) -> None:
    for count in range(1, 34):
        q, inputs = arguments((count,))
        given = [fenced(x, before=before) for x in (q, *(inputs[name] for name in NAMES))]
        out = fenced(np.zeros_like(q), before=before)
        call = kernel.bound(given, count, out, list)
        assert call is not None
        call()
        assert np.array_equal(out, expected(kernel, q, inputs))


def test_it_is_as_before_until_there_is_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "WORTH", 3 * kernels.ALONE)
    plain = compile_program(dynamics.inverse_dynamics, ARM)
    compiled = replace(plain, _executable=floats.build(plain.program, ARM, "body"))
    q, inputs = arguments(())
    out = np.zeros(7)
    call = compiled.bind(q=q, out=out, **inputs)
    for _ in range(6):
        q += 0.25
        call()
        assert np.array_equal(out, plain(q=q, **inputs))
    assert type(compiled.bind(q=q, out=out, **inputs)) is type(len)


def test_other_pythons_call_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = compile_program(dynamics.inverse_dynamics, ARM)
    q, inputs = arguments((30,))
    wanted, out = plain(q=q, **inputs), np.zeros((30, 7))
    monkeypatch.setattr(kernels, "WORTH", 1)
    monkeypatch.setattr(door, "PLAIN", False)
    doors.cache_clear()
    try:
        assert doors() is None
        other = replace(plain, _executable=floats.build(plain.program, ARM, "body"))
        call = other.bind(q=q, out=out, **inputs)
        for _ in range(3):
            out[...] = 0.0
            call()
            assert np.array_equal(other(q=q, **inputs), wanted)
            assert np.array_equal(out, wanted)
    finally:
        doors.cache_clear()
