"""Kept machine code: found again for the same list and processor, never believed when damaged, never too much."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from operator_algebra.backends import kernel as kernels
from operator_algebra.backends.native import crew
from operator_algebra.backends.native import make as native_make
from operator_algebra.backends.native import store as stores
from operator_algebra.backends.native.door import doors
from operator_algebra.backends.native.image import Absolute, Image
from operator_algebra.backends.native.machine import Machine
from operator_algebra.backends.native.make import native_kernel
from operator_algebra.backends.native.run import NativeKernel
from operator_algebra.backends.native.store import VARIABLE, Store, code_of, kept_code, store
from operator_algebra.backends.scalar.tape import Tape
from tests.backends.native.machine_code import arrays_of, kernel_of_arm, tape_of, text_of
from tests.house.tree import ROOT

pytest.importorskip("llvmlite")


def sharing() -> Any:
    """What threads share, loaded anew."""
    private: Any = crew
    return private._sharing.__wrapped__()


def value(tape: Tape, *, make: bool = True) -> float | None:
    """What machine code gives at 1."""
    kernel = native_kernel(tape, [1], [1], make=make)
    return None if kernel is None else float(kernel([np.ones((1, 1))], 1).results[0][0, 0])


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules that were compiled."""
    found: list[str] = []
    plain = Machine.compiled

    def counted(self: Machine, text: str) -> bytes:
        found.append(text)
        return plain(self, text)

    monkeypatch.setattr(Machine, "compiled", counted)
    return found


def test_it_is_made_once(kept: Store, made: list[str]) -> None:
    assert value(tape_of(), make=False) is None
    first = value(tape_of())
    assert value(tape_of(), make=False) == value(tape_of()) == first
    assert len(made) == len(kept.sizes()) == 1
    assert value(tape_of(0.25)) != first
    assert len(made) == len(kept.sizes()) == 2


FOREIGN = {
    "no code": b"ret",
    "nothing": b"",
    "half of an image": bytes(Image(bytes(64), {"kernel": 0}, []))[:-1],
    "calls nobody": bytes(Image(bytes(64), {"kernel": 0}, [Absolute(0, "nobody_has_it", 0)])),
    "other object code": b"\xcf\xfa\xed\xfe" + bytes(100),
}
"""What is whole, but cannot be loaded here."""


@pytest.mark.parametrize("code", FOREIGN.values(), ids=FOREIGN)
def test_what_is_foreign_is_made_anew(code: bytes, kept: Store, made: list[str]) -> None:
    first = value(tape_of())
    (path,) = kept.sizes()
    assert kept.write(path.name, code)
    assert kept_code(path.name) is None
    assert value(tape_of(), make=False) is None
    assert value(tape_of()) == value(tape_of()) == first
    assert len(made) == 2


def image_is_kept() -> str:
    """The name of the code of a list."""
    found = code_of(text_of())
    assert found is not None
    if found.kept is None:
        pytest.skip("object files of this system are left to LLVM")
    return found.kept


def test_kept_code_is_found_by_its_name(kept: Store, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    name = image_is_kept()
    assert [path.name for path in kept.sizes()] == [name]
    monkeypatch.setattr(stores, "machine", lambda: None)  # LLVM is not asked
    again, same = kept_code(name), code_of(text_of())
    assert again is not None
    assert same is not None
    assert again.kept == same.kept == name
    x = np.linspace(-2, 2, 33).reshape(-1, 1)
    one, other = (NativeKernel(code, [1], [1])([x], 33).results[0] for code in (again, same))
    assert np.array_equal(one, other)
    assert len(made) == 1


def test_each_byte_of_a_file_may_be_wrong(kept: Store) -> None:
    name = image_is_kept()
    path = kept.folder / name
    data = path.read_bytes()
    for i in range(len(data)):
        path.write_bytes(data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1 :])
        assert kept_code(name) is None
        assert not path.exists()
        if i % 16 == 0:
            path.write_bytes(data[:i])
            assert kept_code(name) is None
    path.write_bytes(data)
    assert kept_code(name) is not None


@pytest.mark.parametrize("change", ["../code/", "/", "x", "0" * 16 + "-"])
def test_names_that_are_none_find_nothing(change: str, kept: Store) -> None:
    name = image_is_kept()
    (kept.folder / (change.strip("./") + name)).parent.mkdir(exist_ok=True)
    assert kept_code(change + name) is None
    assert kept_code(name[: len(name) // 2] + change + name[len(name) // 2 :]) is None
    assert kept_code(name.replace("-", "-" + change)) is None
    assert kept_code("") is None
    assert kept_code(name) is not None


def test_object_code_that_llvm_has_to_load_is_kept_for_it(
    kept: Store, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_understood(self: Machine, code: bytes) -> None:
        assert code, self

    monkeypatch.setattr(Machine, "image_of", not_understood)
    first = value(tape_of())
    found = code_of(text_of())
    assert found is not None
    assert found.kept is None
    (path,) = kept.sizes()
    assert kept_code(path.name) is None
    assert value(tape_of(), make=False) == first
    assert len(made) == 1


def test_without_a_folder_nothing_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for folder in ("", str(tmp_path / "file" / "below")):
        monkeypatch.setenv(VARIABLE, folder)
        found = code_of(text_of())
        assert found is not None
        assert found.kept is None
        assert kept_code("0" * 16 + "-" + "0" * 64 + ".code") is None


@pytest.mark.parametrize("damage", ["cut", "empty", "a bit", "other code"])
def test_what_is_damaged_is_made_anew(damage: str, kept: Store, made: list[str]) -> None:
    first = value(tape_of())
    (path,) = kept.sizes()
    data = bytearray(path.read_bytes())
    if damage == "a bit":
        data[len(data) // 2] ^= 1
    path.write_bytes({"cut": data[:-1], "empty": b"", "a bit": data, "other code": data[:32] + b"ret"}[damage])
    assert value(tape_of(), make=False) is None
    assert not path.exists()
    assert value(tape_of()) == first
    assert len(made) == 2


def test_what_was_not_used_for_longest_goes_first(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "LIMIT", 250)
    for i, name in enumerate(("a.code", "b.code")):
        kept.write(name, bytes(64))
        os.utime(kept.folder / name, (i, i))
    assert kept.read("a.code") == bytes(64)
    kept.write("c.code", bytes(64))
    assert {path.name for path in kept.sizes()} == {"a.code", "c.code"}


def test_what_is_cleared_is_gone(kept: Store) -> None:
    kept.write("a.code", b"x")
    kept.clear()
    assert not kept.sizes()
    assert kept.read("a.code") is None


@pytest.mark.skipif(sys.platform == "win32", reason="rights are told in other ways there")
def test_a_folder_that_others_may_write_to_is_not_used(kept: Store) -> None:
    kept.write("a.code", b"x")
    found = code_of(text_of())
    name = None if found is None else found.kept
    kept.folder.chmod(0o777)
    assert kept.read("a.code") is None
    assert name is None or kept_code(name) is None
    assert not kept.write("b.code", b"x")
    assert not (kept.folder / "b.code").exists()


def test_a_folder_that_cannot_be_made_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "below"))
    assert value(tape_of()) is not None


def test_the_variable_names_the_folder_or_keeps_nothing(monkeypatch: pytest.MonkeyPatch, made: list[str]) -> None:
    monkeypatch.setenv(VARIABLE, "")
    assert store() is None
    assert value(tape_of()) == value(tape_of())
    assert len(made) == 2
    monkeypatch.delenv(VARIABLE)
    found = store()
    assert found is not None
    assert found.folder.name == "operator-algebra"


def test_threads_write_the_same_at_once(kept: Store) -> None:
    def once(i: int) -> bool:
        kept.write("a.code", bytes(10_000))
        return kept.read("a.code") == bytes(10_000)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(once, range(200)))
    assert [path.name for path in kept.folder.iterdir()] == ["a.code"]


LINES = """
import numpy as np
import operator_algebra as oa
from operator_algebra.backends import kernel
kernel.WORTH, kernel.KEPT = 200, 50
arm = oa.load("arm7")
run = oa.compile(oa.dynamics.inverse_dynamics, arm)
x = np.random.default_rng(0).standard_normal((100, 7))
print([run(q=x, v=x, qdd=x).sum().hex() for _ in range(4)])
"""


def test_several_processes_at_once(kept: Store) -> None:
    command = [sys.executable, "-c", LINES]
    started = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    texts = {process.communicate()[0] for process in started}
    assert [process.returncode for process in started] == [0, 0, 0]
    assert len(texts) == len(set(texts.pop().strip("[]\n").split(", "))) == 1
    assert len(kept.sizes()) == 3  # the arm's, what it is for, and that of the door that all calls share


def test_kept_code_is_looked_for_before_code_is_made(
    kept: Store, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "KEPT", 10)
    monkeypatch.setattr(kernels, "WORTH", 1000)
    asked: list[bool] = []

    def told(*arguments: Any, make: bool = True) -> Any:
        asked.append(make)
        return native_make.native_kernel(*arguments, make=make)

    monkeypatch.setattr(kernels, "native_kernel", told)
    kernel, call = kernel_of_arm()
    for _ in range(20):
        kernel.batch(arrays_of(call, 100), 100)
    assert asked == [False, True]
    again, _ = kernel_of_arm()
    again.batch(arrays_of(call, 100), 100)
    assert again.native
    assert asked == [False, True, False]
    assert len(made) == len(kept.sizes()) == 1


THIN = """
import ctypes
import sys
import numpy as np
from operator_algebra.backends.native.crew import Batch
from operator_algebra.backends.native.door import doors
from operator_algebra.backends.native.run import NativeKernel
from operator_algebra.backends.native.store import kept_code
code = kept_code(sys.argv[1])
kernel = NativeKernel(code, [1], [1])
x = np.linspace(-2, 2, 9000).reshape(-1, 1)
one, several = kernel([x], len(x)), kernel([x], len(x), threads=2)
assert one.whole and several.whole
assert np.array_equal(one.results[0], several.results[0])
found = doors()
assert found is not None
out = np.empty_like(x)
call = kernel.bound([x], len(x))
found.of_arrays(call, out, print, quiet=10)()
assert np.array_equal(out, one.results[0])
print(one.results[0].sum().hex())
many = ("llvmlite", "operator_algebra.lowering", "operator_algebra.programs", "operator_algebra.expressions")
rest = "native.emit", "native.text", "native.make", "scalar.tape"
made = tuple(f"operator_algebra.backends.{name}" for name in rest)
print(sorted(name for name in sys.modules if name.startswith((*many, *made))))
print(sorted(name for name in sys.modules if name in ("tempfile", "importlib.metadata", "sysconfig", "numpy.ma")))
"""


def test_a_new_process_calls_kept_code_without_what_makes_it(kept: Store) -> None:
    name = image_is_kept()
    doors.__wrapped__()
    sharing()
    assert len(kept.sizes()) == 3
    kernel = NativeKernel(code_of(text_of()) or pytest.fail("there is none"), [1], [1])
    x = np.linspace(-2, 2, 9000).reshape(-1, 1)
    expected = kernel([x], len(x)).results[0].sum().hex()
    command = [sys.executable, "-c", THIN, name]
    several = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for process in several:
        assert process.communicate()[0].splitlines() == [expected, "[]", "[]"]
        assert process.returncode == 0


ENDS = """
import sys
from operator_algebra.backends.native import crew
sharing = crew._sharing()
helpers = [crew.Helper(sharing) for _ in range(3)]
crew._idle.extend(helpers)
crew._PATIENCE = 0.0
if sys.argv[1] == "left":  # nobody tells them that this is the end
    crew._idle.clear()
if sys.argv[1] == "held":
    held = helpers
"""


@pytest.mark.parametrize("how", ["told", "left", "held"])
def test_a_process_may_end_while_its_threads_are_in_kept_code(how: str, kept: Store) -> None:
    assert sharing() is not None
    for _ in range(3):
        subprocess.run([sys.executable, "-c", ENDS, how], cwd=ROOT, check=True, timeout=60)
    assert len(kept.sizes()) == 1
