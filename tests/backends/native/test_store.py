"""Kept machine code: found again for the same list and processor, never believed when damaged, never too much."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from operator_algebra.backends import kernel as kernels
from operator_algebra.backends.native import run as native_run
from operator_algebra.backends.native import store as stores
from operator_algebra.backends.native.emit import native_text
from operator_algebra.backends.native.machine import Machine, machine
from operator_algebra.backends.native.run import native_kernel
from operator_algebra.backends.native.store import VARIABLE, Store, store
from operator_algebra.backends.scalar.graph import Graph
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.trace import Traced
from tests.backends.native.machine_code import arrays_of
from tests.backends.native.test_run import kernel_of_arm
from tests.house.tree import ROOT

pytest.importorskip("llvmlite")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    folder = tmp_path / "code"
    monkeypatch.setenv(VARIABLE, str(folder))
    return Store(folder)


def tape_of(factor: float = 0.5) -> Tape:
    graph = Graph()
    x = graph.input(0)
    return Tape.of(Traced((), (x * factor + x.sin(),), (), ()), 1)


def here() -> Machine:
    found = machine()
    assert found is not None
    return found


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


def test_other_processors_versions_and_options_have_other_code(kept: Store) -> None:
    text = native_text(tape_of(), [1], [1], here().lanes)
    others = [replace(here(), **{field: "other"}) for field in ("processor", "features", "made_by")]
    assert len({kept.name(text, one) for one in (here(), *others)}) == 4
    assert "llvmlite" in here().made_by


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
    kept.folder.chmod(0o777)
    assert kept.read("a.code") is None
    kept.write("b.code", b"x")
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
    assert len(kept.sizes()) == 2  # the arm's, and that of the door that all calls share


def test_kept_code_is_looked_for_before_code_is_made(
    kept: Store, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "KEPT", 10)
    monkeypatch.setattr(kernels, "WORTH", 1000)
    asked: list[bool] = []

    def told(*arguments: Any, make: bool = True) -> Any:
        asked.append(make)
        return native_run.native_kernel(*arguments, make=make)

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
