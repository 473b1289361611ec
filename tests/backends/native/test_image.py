"""Machine code put into memory without LLVM: what LLVM's own loader makes of it, or nothing."""

from __future__ import annotations

import ctypes
import gc
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.applications import dynamics
from operator_algebra.backends import ready
from operator_algebra.backends.native import crew
from operator_algebra.backends.native.door import Doors, doors
from operator_algebra.backends.native.elf import image_of
from operator_algebra.backends.native.emit import native_text, staged_text
from operator_algebra.backends.native.image import Absolute, Image, stand
from operator_algebra.backends.native.loaded import Loaded
from operator_algebra.backends.native.machine import Machine
from operator_algebra.backends.native.run import NativeKernel
from tests.backends.native.doors import NAMES, arguments, entered, kernel_of
from tests.backends.native.machine_code import Floats, bits, here, tape_of

pytest.importorskip("llvmlite")

CREW: Any = crew
OUTSIDE = "declare i64 @labs(i64)\n"
TWO = """
define internal i64 @inner(i64 %x) noinline {
  %y = mul i64 %x, 3
  ret i64 %y
}
define i64 @outer(i64 %x) {
  %y = call i64 @inner(i64 %x)
  %z = call i64 @twice(i64 %y)
  ret i64 %z
}
define i64 @twice(i64 %x) noinline {
  %y = mul i64 %x, 2
  ret i64 %y
}
"""
CALLS_OUTSIDE = OUTSIDE + "define i64 @size(i64 %x) {\n %y = call i64 @labs(i64 %x)\n ret i64 %y\n}\n"
WRITES = """
@kept = internal global i64 7
define i64 @count() {
  %x = load i64, ptr @kept
  %y = add i64 %x, 1
  store i64 %y, ptr @kept
  ret i64 %x
}
"""


def understood(code: bytes) -> Image:
    found = image_of(code)
    if found is None:
        pytest.skip("object files of this system are left to LLVM")
    return found


def standing(code: bytes, **outside: int) -> Loaded:
    """Code put into memory, read from its file before."""
    image = Image.read(bytes(understood(code)))
    found = None if image is None else stand(image, outside)
    assert found is not None
    return found


@cache
def small() -> bytes:
    """Object code of some operations with a table of constants."""
    return here().compiled(native_text(tape_of(), [1], [1], here().lanes))


def number_of(loaded: Loaded, name: str, *values: int) -> int:
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(values))
    return kind(loaded.address(name))(*values)


def maps() -> Iterator[tuple[range, str]]:
    """What memory there is in this process, and what may be done with it."""
    with open("/proc/self/maps") as lines:
        for line in lines:
            where, rights, *_ = line.split()
            first, last = (int(end, 16) for end in where.split("-"))
            yield range(first, last), rights


# -- what LLVM's loader makes of it ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("staged", [False, True])
def test_kernels_compute_the_same_bits(lanes: int, staged: bool) -> None:
    of, names = (dynamics.forward_dynamics, ("T", "v")) if staged else (dynamics.inverse_dynamics, NAMES)
    kernel: Any = kernel_of(of, names)
    tape, sizes = kernel._tape, kernel.given
    text = (staged_text if staged else native_text)(tape, sizes, [len(tape.results)], lanes)
    assert text is not None
    code = here().compiled(text)
    several = [NativeKernel(loaded, sizes, [len(tape.results)]) for loaded in (standing(code), here().loaded(code))]
    rng = np.random.default_rng(lanes)
    arrays: list[Floats] = [rng.standard_normal((41, size)) for size in sizes]
    arrays[0][3, 2], arrays[1][17, 0] = 1e9, np.nan
    one, other = (kernel(arrays, 41) for kernel in several)
    assert not one.whole
    assert np.array_equal(one.good, other.good)
    assert np.array_equal(bits(one.results[0][one.good]), bits(other.results[0][other.good]))


def address_of(name: str) -> int:
    """Where a function of Python's is."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def objects_of(monkeypatch: pytest.MonkeyPatch, ask: Callable[[], Any]) -> list[bytes]:
    """The object code that something makes."""
    found: list[bytes] = []
    plain = Machine.compiled

    def compiled(self: Machine, text: str) -> bytes:
        found.append(plain(self, text))
        return found[-1]

    monkeypatch.setattr(Machine, "compiled", compiled)
    assert ask() is not None
    monkeypatch.undo()
    return found


def test_calls_through_a_door_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = objects_of(monkeypatch, doors.__wrapped__)
    image = understood(code)
    outside = {one.name: address_of(one.name) for one in image.absolute if one.name.startswith("Py")}
    assert len(outside) > 10
    usual = doors()
    assert usual is not None
    of_llvm = here().loaded(code, outside)
    kernel = kernel_of(dynamics.inverse_dynamics, NAMES)
    several: list[Any] = []
    for loaded in (standing(code, **outside), of_llvm):
        own = Doors(loaded.address("door"), usual.bound, loaded)
        monkeypatch.setattr(ready, "doors", lambda own=own: own)
        several.append(entered(kernel, NAMES))
    for shape in ((), (1,), (9,), (700,)):
        q, inputs = arguments(shape)
        one, other = (call(q=q, out=None, **inputs) for call in several)
        assert np.array_equal(bits(one), bits(other))
    q, inputs = arguments((3, 3))
    for call in several:
        assert call(1, q, nothing=inputs) == ((1, q), {"nothing": inputs})
        assert call(q=q, out=None, **inputs) is None


def test_threads_are_asked_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = objects_of(monkeypatch, CREW._sharing.__wrapped__)
    taken: list[list[int]] = []
    for loaded in (standing(code), here().loaded(code)):
        sheet = (ctypes.c_int64 * 16)(1)
        at = ctypes.addressof(sheet)
        steps = [number_of(loaded, "put", at, where) for where in (2, 1, 4)]
        steps += [number_of(loaded, "attend", at, 10), number_of(loaded, "put", at, 1)]
        steps += [number_of(loaded, "wait", at, 10), number_of(loaded, "attend", at, 10), sheet[0]]
        taken.append(steps)
    assert taken[0] == taken[1] == [1, 2, 1, 1, 4, 1, 0, 0]


# -- relocations -------------------------------------------------------------------------------------------------------


def relocations(code: bytes) -> Counter[int]:
    """The kinds in an object file for x86-64, told by names of sections."""
    start, count, names = struct.unpack_from("<Q", code, 40)[0], *struct.unpack_from("<2H", code, 60)
    rows = [struct.unpack_from("<2I4Q2I2Q", code, start + 64 * i) for i in range(count)]
    found = Counter[int]()
    for row in rows:
        at = rows[names][4] + row[0]
        if code[at : at + 10] == b".rela.text" or code[at : at + 11] == b".rela.ltext":
            found.update(code[i + 8] for i in range(row[4], row[4] + row[5], 24))
    return found


def test_every_kind_of_relocation_that_occurs_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    understood(small())
    (of_door,) = objects_of(monkeypatch, doors.__wrapped__)
    (of_crew,) = objects_of(monkeypatch, CREW._sharing.__wrapped__)
    assert set(relocations(small())) == {2}
    assert set(relocations(of_door)) == {1}
    assert set(relocations(of_crew)) <= {2, 4}
    assert set(relocations(here().compiled(TWO))) <= {2, 4}


@pytest.mark.parametrize("x", [-5, 0, 2**40])
def test_functions_find_each_other(x: int) -> None:
    code = here().compiled(TWO)
    for loaded in (standing(code), here().loaded(code)):
        assert number_of(loaded, "outer", x) == 6 * x
        assert number_of(loaded, "twice", x) == 2 * x
    with pytest.raises(KeyError):
        standing(code).address("inner")


def test_functions_outside_are_those_told_of_or_of_the_c_library() -> None:
    code = here().compiled(CALLS_OUTSIDE)
    assert number_of(standing(code), "size", -5) == 5
    two = standing(here().compiled(TWO))
    assert number_of(standing(code, labs=two.address("twice")), "size", -5) == -10
    unknown = Image.read(bytes(understood(here().compiled(CALLS_OUTSIDE.replace("@labs", "@nobody_has_it")))))
    assert unknown is not None
    assert stand(unknown, {}) is None


def test_what_writes_to_its_own_data_is_left_to_llvm() -> None:
    code = here().compiled(WRITES)
    assert image_of(code) is None
    loaded = here().loaded(code)
    assert [number_of(loaded, "count") for _ in range(2)] == [7, 8]


@pytest.mark.parametrize("how", [("pic", "large"), ("pic", "medium"), ("static", "small"), ("static", "large")])
@pytest.mark.parametrize("text", [TWO, CALLS_OUTSIDE, WRITES, native_text(tape_of(), [1], [1], 2)])
def test_code_of_other_models_is_understood_rightly_or_not_at_all(how: tuple[str, str], text: str) -> None:
    binding = here().binding
    kind: Any = binding.Target.from_default_triple()
    target = kind.create_target_machine(cpu=here().processor, features="", opt=2, reloc=how[0], codemodel=how[1])
    image = image_of(target.emit_object(binding.parse_assembly(text)))
    loaded = None if image is None else stand(image, {})
    if loaded is None or image is None:
        return
    assert text is not WRITES
    if "outer" in image.functions:
        assert number_of(loaded, "outer", 7) == 42
    elif "size" in image.functions:
        assert number_of(loaded, "size", -7) == 7
    else:
        x = np.ones((3, 1))
        usual = NativeKernel(here().loaded(small()), [1], [1])([x], 3)
        assert np.array_equal(NativeKernel(loaded, [1], [1])([x], 3).results[0], usual.results[0])


# -- memory ------------------------------------------------------------------------------------------------------------


def test_no_memory_may_be_written_and_run() -> None:
    loaded = standing(small())
    start = loaded.address("kernel")
    assert start % 64 == 0
    rights = [may for where, may in maps() if start in where]
    assert rights == ["r-xp"]


def test_memory_is_given_back_when_nothing_holds_it() -> None:
    loaded = standing(small())
    start = loaded.address("kernel")
    entry: Any = loaded.entry
    del loaded
    gc.collect()
    assert not any(start in where and "x" in may for where, may in maps())
    kernel = NativeKernel(standing(small()), [1], [1])
    call = kernel.bound([np.ones((1, 1))], 1)
    start = call.code.address("kernel")
    del kernel, entry
    gc.collect()
    assert any(start in where and "x" in may for where, may in maps())
    assert call()


# -- damaged and foreign files -----------------------------------------------------------------------------------------


def test_each_byte_of_object_code_may_be_wrong() -> None:
    code = small()
    understood(code)
    for i in range(len(code)):
        for value in (0, 0xFF, code[i] ^ 1, code[i] ^ 0x80):
            changed = code[:i] + bytes([value]) + code[i + 1 :]
            image = image_of(changed)
            assert image is None or Image.read(bytes(image)) == image
        assert image_of(code[:i]) is None or code[i:].strip(b"\0") == b""


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_field_of_object_code_may_be_wrong(data: st.DataObject) -> None:
    code = bytearray(small())
    image_of(bytes(code))
    for _ in range(data.draw(st.integers(1, 3))):
        width = data.draw(st.sampled_from([1, 2, 4, 8]))
        at = data.draw(st.integers(0, len(code) // width - 1)) * width
        ends = st.sampled_from([0, 1, len(code), 2 ** (8 * width - 1), 2 ** (8 * width) - 1])
        value = data.draw(st.one_of(ends, st.integers(0, 2 ** (8 * width) - 1)))
        code[at : at + width] = (value % 2 ** (8 * width)).to_bytes(width, "little")
    image = image_of(bytes(code))
    if image is not None:
        assert len(image.memory) <= 2 * len(code)
        assert Image.read(bytes(image)) == image
        stand(image, {})


@pytest.mark.parametrize(("at", "value"), [(0, 0x7E), (4, 1), (5, 2), (7, 9), (16, 2), (18, 0xB7), (18, 3), (58, 40)])
def test_files_of_other_systems_are_not_understood(at: int, value: int) -> None:
    code = bytearray(small())
    understood(bytes(code))
    code[at] = value
    assert image_of(bytes(code)) is None


@pytest.mark.parametrize("code", [b"", b"\x7fELF", b"\xcf\xfa\xed\xfe" + bytes(500), b"MZ" + bytes(500), bytes(5000)])
def test_what_is_no_object_code_is_none(code: bytes) -> None:
    assert image_of(code) is None
    assert Image.read(code) is None


def test_each_byte_of_an_image_may_be_wrong() -> None:
    image = understood(small())
    several = Image(image.memory, image.functions, [Absolute(8, "", 16), Absolute(0, "labs", 0)])
    data = bytes(several)
    assert Image.read(data) == several
    for i in range(len(data)):
        assert Image.read(data[:i]) is None
        for value in (0, 0xFF, data[i] ^ 1, data[i] ^ 0x80):
            found = Image.read(data[:i] + bytes([value]) + data[i + 1 :])
            if found is not None and i % 7 == 0:
                stand(found, {})
    assert Image.read(data + b"\0") is None


@pytest.mark.parametrize(
    ("functions", "absolute"),
    [
        ({"f": -1}, []),
        ({"f": 64}, []),
        ({}, []),
        ({"f": 0}, [Absolute(57, "", 0)]),
        ({"f": 0}, [Absolute(-1, "", 0)]),
        ({"f": 0}, [Absolute(0, "", 65)]),
        ({"f": 0}, [Absolute(0, "", -1)]),
    ],
)
def test_places_outside_of_an_image_are_refused(functions: dict[str, int], absolute: list[Absolute]) -> None:
    assert Image.checked(bytes(64), functions, absolute) is None
    assert Image.checked(bytes(64), {"f": 63}, [Absolute(56, "", 64), Absolute(0, "far", -(2**63))]) is not None


def test_kernels_of_programs_stand_without_llvm() -> None:
    """On Linux no object file of ours is left to LLVM."""
    understood(small())
    kernel: Any = kernel_of(dynamics.inverse_dynamics, NAMES)
    start = kernel._native.code.address("kernel")
    assert [may for where, may in maps() if start in where] == ["r-xp"]
