"""Calls that Python makes of machine code: plain arrays get through, all else is left alone, nothing is lost."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends.kernel import Kernel
from operator_algebra.backends.native.door import doors
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.query import Query, dense
from operator_algebra.models.numeric import MOST
from tests.backends.native.doors import ARM, NAMES, arguments, entered, expected, kernel_of
from tests.backends.native.machine_code import Floats, bits
from tests.fences import CAN, fenced
from tests.rounding import apart, rounding, size

pytest.importorskip("llvmlite")


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return kernel_of(dynamics.inverse_dynamics, NAMES)


@pytest.fixture(scope="module")
def door(kernel: Kernel) -> Any:
    return entered(kernel, NAMES)


# -- what gets through -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [False, True], ids=["new", "out"])
def test_any_number_of_samples(given: bool, kernel: Kernel, door: Any) -> None:
    for shape in ((), *((count,) for count in (*range(1, 34), 500, 5000))):
        q, inputs = arguments(shape)
        out = np.full(q.shape, np.nan) if given else None
        found = door(q=q, out=out, **inputs)
        assert found is not None
        assert (found is out) is given
        assert type(found) is np.ndarray
        assert found.flags.owndata
        assert found.flags.writeable
        assert np.array_equal(bits(found), bits(expected(kernel, q, inputs)))


def test_rows_of_any_distance(kernel: Kernel, door: Any) -> None:
    q, inputs = arguments((13,))
    wanted = expected(kernel, q, inputs)
    changes: list[Callable[[Floats], Floats]] = [
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: np.ascontiguousarray(x[::-1])[::-1],
        lambda x: np.concatenate([x, x], axis=1)[:, 7:],
        lambda x: np.broadcast_to(x, x.shape),
    ]
    for change in changes:
        found = door(q=change(q), out=None, **{name: change(x) for name, x in inputs.items()})
        assert found is not None
        assert np.array_equal(found, wanted)


def test_one_row_for_all_samples(kernel: Kernel, door: Any) -> None:
    q, inputs = arguments((9,))
    inputs["v"] = inputs["v"][3]
    found = door(q=q, out=None, **inputs)
    wide = {**inputs, "v": np.broadcast_to(inputs["v"], (9, 7))}
    assert found is not None
    assert np.array_equal(found, expected(kernel, q, wide))
    repeated = door(q=q, out=None, **wide)
    assert np.array_equal(found, repeated)


def test_names_in_any_order(kernel: Kernel, door: Any) -> None:
    q, inputs = arguments(())
    found = door(q=q, out=None, **dict(reversed(inputs.items())))
    assert np.array_equal(found, expected(kernel, q, inputs))
    strange = {"".join(("q", "d", "d")): inputs["qdd"], "v": inputs["v"]}
    assert door(q=q, **strange) is None  # as Python never writes a name
    assert np.array_equal(door(**inputs, q=q), found)
    assert np.array_equal(door(v=inputs["v"], out=np.empty(7), qdd=inputs["qdd"], q=q), found)


SHAPES: dict[str, tuple[Query | Any, tuple[str, ...], tuple[int, ...]]] = {
    "a number": (dynamics.kinetic_energy, ("v",), ()),
    "a matrix": (dense(dynamics.mass_matrix), (), (7, 7)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_results_of_any_shape(name: str) -> None:
    e, names, shape = SHAPES[name]
    door: Any = entered(kernel_of(e, names), names)
    compiled = compile_program(e, ARM, backend="interpreter")
    for lead in ((), (1,), (11,)):
        q, inputs = arguments(lead)
        inputs = {x: inputs[x] for x in names}
        wanted = compiled(q=q, **inputs)
        for out in (None, np.empty((*lead, *shape))):
            found = door(q=q, out=out, **inputs)
            assert found is not None
            assert found.shape == wanted.shape == (*lead, *shape)
            assert apart(found, wanted) <= 100 * rounding(size(wanted), terms=49)
        assert door(q=q, out=np.empty((*lead, *shape, 1)), **inputs) is None
        assert door(q=q, out=np.empty((2, *lead, *shape)), **inputs) is None


# -- what does not -----------------------------------------------------------------------------------------------------


class Kind(np.ndarray[Any, Any]):
    """Arrays with a mind of their own."""


ODD: dict[str, Callable[[Floats], Any]] = {
    "none": lambda x: None,
    "a number": lambda x: 1.0,
    "a list": lambda x: x.tolist(),
    "bytes": lambda x: x.tobytes(),
    "a buffer": lambda x: memoryview(x),  # pyright: ignore[reportArgumentType]
    "no axes": lambda x: np.array(1.0),
    "too short": lambda x: x[..., :-1],
    "too long": lambda x: np.concatenate([x, x], axis=-1),
    "no numbers": lambda x: x[..., :0],
    "no samples": lambda x: np.zeros((0, 7)),
    "other samples": lambda x: np.zeros((3, 7)) if x.ndim > 1 else np.zeros((1, 1, 7)),
    "three axes": lambda x: np.zeros((1, *x.shape))[None],
    "columns first": lambda x: np.asfortranarray(np.zeros((5, 7))) if x.ndim > 1 else x[::-1],
    "gaps": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "single precision": lambda x: x.astype(np.float32),
    "integers": lambda x: x.astype(np.int64),
    "as large": lambda x: x.view(np.int64),
    "complex": lambda x: x.astype(np.complex128),
    "extended": lambda x: x.astype(np.longdouble),
    "truths": lambda x: x > 0,
    "objects": lambda x: x.astype(object),
    "texts": lambda x: x.astype("S8"),
    "records": lambda x: x.view([("x", np.float64)]),
    "other bytes": lambda x: x.astype(">f8" if sys.byteorder == "little" else "<f8"),
    "a kind": lambda x: x.view(Kind),
    "masked": lambda x: np.ma.masked_array(x, mask=False),
    "a type": lambda x: np.ndarray,
}


@pytest.mark.parametrize("shape", [(), (5,)])
@pytest.mark.parametrize("how", ODD)
def test_what_is_not_plain_is_left_alone(how: str, shape: tuple[int, ...], door: Any) -> None:
    q, inputs = arguments(shape)
    odd = ODD[how](q)
    assert door(q=odd, out=None, **inputs) is None
    for name in NAMES:
        assert door(q=q, out=None, **{**inputs, name: odd}) is None
    if odd is not None:
        assert door(q=q, out=odd, **inputs) is None


def test_names_that_are_not_those(door: Any) -> None:
    q, inputs = arguments(())
    v, qdd = (inputs[name] for name in NAMES)
    for wrong in ({}, {"v": v}, {**inputs, "T": v}, {"v": v, "T": qdd}, {"v": v, "qdd ": qdd}, {**inputs, "Q": None}):
        assert door(q=q, out=None, **wrong) is None


def test_arguments_without_a_name(door: Any) -> None:
    q, inputs = arguments(())
    assert door(q) == ((q,), {})
    several, named = door(*[q] * 100, **inputs)
    assert len(several) == 100
    assert named == inputs
    assert door() is None


def test_results_that_may_not_be_written(door: Any) -> None:
    q, inputs = arguments((5,))
    out = np.zeros((5, 7))
    out.setflags(write=False)
    assert door(q=q, out=out, **inputs) is None
    assert door(q=q, out=np.zeros((5, 14))[:, ::2], **inputs) is None
    assert door(q=q, out=np.zeros((10, 7))[::2], **inputs) is None
    assert door(q=q, out=np.zeros((7, 5)).T, **inputs) is None
    assert not out.any()


def test_batches_beyond_what_one_call_takes(door: Any) -> None:
    q, inputs = arguments(())
    many = np.broadcast_to(q, (MOST // 7 + 1, 7))
    assert door(q=many, out=None, **inputs) is None
    assert door(q=many, out=q, **inputs) is None


@pytest.mark.parametrize(("place", "bad"), [("q", 1e7), ("v", 1e200), *((x, np.nan) for x in ("q", *NAMES))])
def test_what_may_not_be_trusted_is_written_nowhere(place: str, bad: float, door: Any) -> None:
    for shape in ((), (30,), (2000,)):
        q, inputs = arguments(shape)
        {"q": q, **inputs}[place][..., -7:].flat[-7:] = bad
        out = np.full(q.shape, 7.0)
        assert door(q=q, out=out, **inputs) is None
        assert (out == 7.0).all()
        assert door(q=q, out=None, **inputs) is None


# -- memory ------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not CAN, reason="pages are protected as Linux does it")
@pytest.mark.parametrize("before", [False, True], ids=["behind", "before"])
def test_nothing_beside_an_array_is_touched(before: bool, kernel: Kernel, door: Any) -> None:
    for count in range(34):
        q, inputs = arguments((count,) if count else ())
        wanted = expected(kernel, q, inputs)
        closed = {name: fenced(x, before=before) for name, x in inputs.items()}
        out = fenced(np.zeros_like(q), before=before)
        assert door(q=fenced(q, before=before), out=out, **closed) is out
        assert np.array_equal(out, wanted)


@pytest.mark.parametrize("shift", [-40, -7, -1, 0, 1, 6, 7, 57])
def test_results_over_arguments(shift: int, kernel: Kernel, door: Any) -> None:
    memory = np.zeros(300)
    q, inputs = arguments((20,))
    middle = memory[70 : 70 + 140].reshape(20, 7)
    middle[...] = inputs["v"]
    wanted = expected(kernel, q, inputs)
    out = memory[70 + shift : 210 + shift].reshape(20, 7)
    assert door(q=q, out=out, **{**inputs, "v": middle}) is out
    assert np.array_equal(out, wanted)


def counts(objects: list[Any]) -> list[int]:
    return [sys.getrefcount(one) for one in objects]


def references(make: Callable[[], Any]) -> int:
    found = make()
    return sys.getrefcount(found)


def test_references_are_level(door: Any) -> None:
    q, inputs = arguments((30,))
    out, wrong = np.empty_like(q), np.zeros(3)
    odd = [make(q) for make in ODD.values()]
    held: list[Any] = [door, q, *inputs.values(), out, wrong, np.empty, *(x for x in odd if type(x) is np.ndarray)]
    before = counts(held)
    for _ in range(50):
        assert door(q=q, out=out, **inputs) is out
        assert references(lambda: door(q=q, out=None, **inputs)) == references(lambda: np.empty(3))
        assert door(q=wrong, out=out, **inputs) is None
        assert door(q=q, out=wrong, **inputs) is None
        assert door(q=q, out=None, **{**inputs, "v": wrong}) is None
        for one in odd:
            assert door(q=one, out=None, **inputs) is None
            assert door(q=q, out=None, **{**inputs, "qdd": one}) is None
            assert one is None or door(q=q, out=one, **inputs) is None
    assert counts(held) == before


def test_memory_is_given_back(door: Any) -> None:
    q, inputs = arguments((2000,))
    out, bad = np.empty_like(q), np.full_like(q, np.nan)
    tracemalloc.start()
    try:
        for _ in range(3):
            door(q=q, out=out, **inputs)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(50):
            door(q=q, out=out, **inputs)
            door(q=q, out=None, **inputs)
            door(q=bad, out=None, **inputs)
            door(q=bad, out=out, **inputs)
            door(q=q, out=bad[0], **inputs)
        gc.collect()
        after, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < q.nbytes / 2
    assert most - before > q.nbytes  # it is counted


def test_threads_at_once(kernel: Kernel, door: Any) -> None:
    several = [arguments((3000,), seed) for seed in range(4)]
    wanted = [expected(kernel, q, inputs) for q, inputs in several]

    def run(index: int) -> bool:
        q, inputs = several[index % 4]
        return np.array_equal(door(q=q, out=None, **inputs), wanted[index % 4])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, range(64)))


def test_a_door_outlives_what_it_was_made_of() -> None:
    names = ("T", "v")
    found: Any = entered(kernel_of(dynamics.forward_dynamics, names), names)
    gc.collect()
    q, inputs = arguments(())
    assert found(q=q, v=inputs["v"], T=inputs["qdd"]) is not None


# -- where there is no door --------------------------------------------------------------------------------------------


def test_many_results_have_no_door() -> None:
    kernel = kernel_of({"a": dynamics.kinetic_energy, "b": dynamics.inverse_dynamics}, NAMES)
    assert kernel.door(NAMES, print) is None


def test_there_is_room_for_so_many_arrays_and_axes(kernel: Kernel) -> None:
    opened, native = doors(), kernel._native  # pyright: ignore[reportPrivateUsage]
    assert opened is not None
    assert native is not None
    for given, result in ((17, (7,)), (3, (7, 1, 1, 1)), (3, (7, 0))):
        assert opened.of(native.code, [("x", 7)] * given, result, print, quiet=0, most=9) is None
    assert opened.of(native.code, [("x", 7)] * 16, (7, 1, 1), print, quiet=0, most=9) is not None
    assert opened.of(native.code, [("q", 7), ("x", 0)], (7,), print, quiet=0, most=9) is None
