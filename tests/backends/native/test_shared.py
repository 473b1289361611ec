"""Long batches by several threads: the bits, errors and masks of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends import kernel as kernels
from operator_algebra.backends.native import run as native_run
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.models.families import chain
from tests.backends.native.test_door import ARM, arguments
from tests.rounding import apart, rounding, size

pytest.importorskip("llvmlite")


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The threads of small batches, too."""
    found: list[object] = []
    start = native_run.start_new_thread

    def counted(function: Callable[..., object], arguments: tuple[Any, ...]) -> int:
        found.append(arguments)
        return start(function, arguments)

    monkeypatch.setattr(native_run, "start_new_thread", counted)
    monkeypatch.setattr(kernels, "WORTH", 1)
    monkeypatch.setattr(kernels, "SHARE", 80_000)  # a hundred samples
    return found


def test_a_sample_has_the_same_bits_with_any_number_of_threads(started: list[Any]) -> None:
    one = compile_program(dynamics.inverse_dynamics, ARM)
    for count in (1, 199, 201, 300, 1001, 4096):
        q, inputs = arguments((count,))
        wanted = one(q=q, **inputs)
        for threads in (2, 3, 8):
            several = compile_program(dynamics.inverse_dynamics, ARM, threads=threads)
            several(q=q, **inputs)
            before = len(started)
            assert np.array_equal(several(q=q, **inputs), wanted)
            assert (len(started) - before > 0) is (count >= 202)
            assert len(started) - before < threads
            out = np.zeros_like(wanted)
            call = several.bind(q=q, **inputs, out=out)
            for _ in range(2):
                out[...] = 0.0
                call()
                assert np.array_equal(out, wanted)
    assert all(lock.locked() for (lock,) in started)  # each has ended, and somebody has waited for it


def test_one_sample_that_may_not_be_trusted_is_told(started: list[Any]) -> None:
    several = compile_program(dynamics.inverse_dynamics, ARM, threads=3)
    q, inputs = arguments((1000,))
    wanted = several(q=q, **inputs)
    for place in (0, 500, 999):
        bad: dict[str, Any] = {**inputs, "qdd": inputs["qdd"].copy()}
        bad["qdd"][place, 2] = np.nan
        with pytest.raises(InputError, match=f"not finite at .{place}, 2"):
            several(q=q, **bad)
        far = q.copy()
        far[place, 1] = 3e6  # beyond what generated code turns by
        found = several(q=far, **inputs)
        assert np.array_equal(np.delete(found, place, axis=0), np.delete(wanted, place, axis=0))
        assert np.isfinite(found).all()
    assert started


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "two", None, 10**6])
def test_a_number_of_threads_is_a_whole_number(threads: Any) -> None:
    with pytest.raises(InputError, match="threads is"):
        compile_program(dynamics.inverse_dynamics, ARM, threads=threads)


def test_loops_are_called_in_every_way() -> None:
    model = chain(70)
    one = compile_program(dynamics.inverse_dynamics, model, backend="interpreter")
    rng = np.random.default_rng(0)
    for shape in ((), (5,)):
        values: dict[str, Any] = {name: rng.standard_normal((*shape, 70)) for name in ("q", "v", "qdd")}
        wanted = one(**values)
        for threads in (1, 2):
            several = compile_program(dynamics.inverse_dynamics, model, threads=threads)
            out = np.zeros_like(wanted)
            call = several.bind(**values, out=out)
            call()
            call()
            for found in (several(**values), several(**values), several(**values, out=out.copy()), out):
                assert apart(found, wanted) <= 100 * rounding(size(wanted), terms=70**2)
