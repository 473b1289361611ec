"""Objects that are called at an address that stands in them: as others before and after, and gone in the end."""

from __future__ import annotations

import copy
import ctypes
import gc
import weakref
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import numpy as np
import pytest

from operator_algebra.backends.native.entry import PLAIN, Enterable, enter, leave
from operator_algebra.compiler import compile as compile_program
from operator_algebra.models.gallery import load
from operator_algebra.symbols import H, M, phi, qdd

pytestmark = pytest.mark.skipif(not PLAIN, reason="objects of this Python are laid out in another way")


@dataclass(frozen=True, eq=False)
class Adder(Enterable):
    """Adds a number."""

    by: int
    others: tuple[object, ...] = ()

    def __call__(self, *, to: int) -> int:
        return self.by + to

    def __getstate__(self) -> dict[str, object]:
        return dict(vars(self))


class Kept(bytes):
    """A table that has something."""

    what: object


@pytest.fixture
def function() -> Callable[..., Any]:
    """Called by Python itself with the object, its arguments, how many have no name, and the names of the others."""
    prototype: Any = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
    )

    def run(one: Adder, _: int, count: int, __: int) -> object:
        return "at the address", one.by, count & 0xFF

    return prototype(run)


def place(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def test_a_call_goes_to_the_address(function: Any) -> None:
    one = Adder(3)
    assert one(to=4) == 7
    enter(one, place(function), b"table")
    assert one(to=4) == ("at the address", 3, 0)
    assert Adder(5)(to=4) == 9
    enter(one, place(function), b"another")
    assert one(to=4) == ("at the address", 3, 0)
    assert Adder.__call__(one, to=4) == 7
    leave(one)
    assert one(to=4) == 7


def test_it_stays_what_it_was(function: Any) -> None:
    one = Adder(3)
    enter(one, place(function), b"table")
    assert isinstance(one, Adder)
    assert (type(one).__name__, type(one).__module__, type(one).__doc__) == ("Adder", __name__, "Adds a number.")
    assert type(replace(one, by=4)) is type(one)
    for other in (replace(one, by=4), copy.copy(one), copy.deepcopy(one)):
        assert other(to=1) == other.by + 1
        enter(other, place(function), b"table")
        assert other(to=1) == ("at the address", other.by, 0)
        assert type(other) is type(one)
    with pytest.raises(FrozenInstanceError):
        one.by = 7  # pyright: ignore[reportAttributeAccessIssue]


def test_nothing_is_left_of_it(function: Any) -> None:
    others: list[object] = []
    one, table = Adder(3, (others,)), Kept(b"table")
    others.append(one)
    table.what = one.__call__
    enter(one, place(function), table)
    gone = weakref.ref(one)
    del one, table, others
    gc.collect()
    assert gone() is None


def test_programs_are_copied_without_their_door() -> None:
    pytest.importorskip("llvmlite")
    arm = load("arm7")
    compiled, q = compile_program(H @ phi @ M @ phi.T @ H.T @ qdd, arm, backend="compiled"), np.ones((9, 7))
    wanted = compiled(q=q, qdd=q)
    assert np.array_equal(compiled(q=q, qdd=q), wanted)
    for other in (copy.copy(compiled), replace(compiled, threads=2)):
        for _ in range(3):
            assert np.array_equal(other(q=q, qdd=q), wanted)
        assert repr(other) == repr(compiled)
