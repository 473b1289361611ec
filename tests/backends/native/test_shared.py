"""Long batches by several threads: the bits, errors and masks of one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends import kernel as kernels
from operator_algebra.backends import ready
from operator_algebra.backends.native import crew
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.models.families import chain
from tests.backends.native.doors import ARM, arguments
from tests.rounding import apart, rounding, size

pytest.importorskip("llvmlite")


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The threads that are asked, for small batches, too."""
    found: list[object] = []
    ask = crew.Helper.ask

    def counted(helper: crew.Helper, kept: object, *words: int) -> None:
        found.append(helper)
        ask(helper, kept, *words)

    monkeypatch.setattr(crew.Helper, "ask", counted)
    monkeypatch.setattr(kernels, "WORTH", 1)
    monkeypatch.setattr(ready, "SHARE", 80_000)  # a hundred samples
    return found


def test_a_sample_has_the_same_bits_with_any_number_of_threads(asked: list[Any]) -> None:
    one = compile_program(dynamics.inverse_dynamics, ARM)
    for count in (1, 199, 201, 300, 1001, 4096):
        q, inputs = arguments((count,))
        wanted = one(q=q, **inputs)
        for threads in (2, 3, 8):
            several = compile_program(dynamics.inverse_dynamics, ARM, threads=threads)
            several(q=q, **inputs)
            before = len(asked)
            assert np.array_equal(several(q=q, **inputs), wanted)
            assert (len(asked) - before > 0) is (count >= 202)
            assert len(asked) - before < threads
            out = np.zeros_like(wanted)
            call = several.bind(q=q, **inputs, out=out)
            for _ in range(2):
                out[...] = 0.0
                call()
                assert np.array_equal(out, wanted)
    assert len(set(asked)) < 8  # they stay


def test_one_sample_that_may_not_be_trusted_is_told(asked: list[Any]) -> None:
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
    assert asked


@pytest.mark.parametrize("looks", [1, 1_000_000])
def test_who_sleeps_is_woken_and_who_is_awake_is_asked_at_once(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    crew.dismiss()
    monkeypatch.setattr(crew, "LOOKS", looks)
    several = compile_program(dynamics.inverse_dynamics, ARM, threads=3)
    q, inputs = arguments((2048,))
    wanted = several(q=q, **inputs)
    for i in range(200):
        assert np.array_equal(several(q=q, **inputs), wanted)
        if i % 20 == 0:
            time.sleep(0.002)
    crew.dismiss()  # those that look so often, too


def test_threads_of_python_share_each_its_own_batch(asked: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    several = compile_program(dynamics.inverse_dynamics, ARM, threads=2)
    batches = [arguments((count,)) for count in (300, 2000)]
    wanted = [several(q=q, **inputs) for q, inputs in batches]
    both = Barrier(len(batches))
    ask = crew.Helper.ask

    def at_once(helper: crew.Helper, kept: object, *words: int) -> None:
        both.wait(60)
        ask(helper, kept, *words)

    def called(place: int) -> bool:
        q, inputs = batches[place]
        return all(np.array_equal(several(q=q, **inputs), wanted[place]) for _ in range(30))

    asked.clear()
    monkeypatch.setattr(crew.Helper, "ask", at_once)
    with ThreadPoolExecutor(len(batches)) as pool:
        assert all(pool.map(called, range(len(batches))))
    assert len(set(asked)) == len(batches)


def test_where_there_are_no_more_threads_fewer_share(asked: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object) -> int:
        del arguments
        raise RuntimeError("can't start new thread")

    several = compile_program(dynamics.inverse_dynamics, ARM, threads=4)
    q, inputs = arguments((3000,))
    wanted = several(q=q, **inputs)
    crew.dismiss()
    asked.clear()
    monkeypatch.setattr(crew, "start_new_thread", refused)
    assert np.array_equal(several(q=q, **inputs), wanted)
    assert not asked


def test_what_was_shared_is_not_kept(asked: list[Any]) -> None:
    several = compile_program(dynamics.inverse_dynamics, ARM, threads=2)
    q, inputs = arguments((3000,))
    several(q=q, **inputs)
    several(q=q, **inputs)
    assert asked
    held = weakref.ref(q)
    del q
    assert held() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes fork on POSIX")
def test_a_process_that_forks_has_threads_of_its_own() -> None:
    """And a process ends while they look for work."""
    script = """
        import os
        from tests.backends.native.doors import ARM, arguments
        from operator_algebra.applications import dynamics
        from operator_algebra.backends import kernel, ready
        from operator_algebra.backends.native import crew
        from operator_algebra.compiler import compile
        kernel.WORTH, ready.SHARE, crew.LOOKS = 1, 80_000, 1_000_000
        several = compile(dynamics.inverse_dynamics, ARM, threads=2)
        q, inputs = arguments((3000,))
        wanted = several(q=q, **inputs)
        several(q=q, **inputs)
        process = os.fork()
        same = (several(q=q, **inputs) == wanted).all() and (several(q=q, **inputs) == wanted).all()
        if process:
            assert same
            assert os.waitpid(process, 0)[1] == 0
            print("both")
        else:
            assert same
    """
    told = subprocess.run(
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, "both\n", "")


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "two", None, 10**6])
def test_a_number_of_threads_is_a_whole_number(threads: Any) -> None:
    with pytest.raises(InputError, match="threads is"):
        compile_program(dynamics.inverse_dynamics, ARM, threads=threads)


def test_loops_have_the_same_bits_with_any_number_of_threads(asked: list[Any]) -> None:
    model = chain(70)
    one = compile_program(dynamics.forward_dynamics, model)
    rng = np.random.default_rng(0)
    for count in (63, 65, 700):
        values: dict[str, Any] = {name: rng.standard_normal((count, 70)) for name in ("q", "v", "T")}
        wanted = one(**values)
        asked.clear()
        for threads in (2, 3, 8):
            several = compile_program(dynamics.forward_dynamics, model, threads=threads)
            for _ in range(3):
                assert np.array_equal(several(**values), wanted)
        assert (len(asked) > 0) is (count > 64)


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
