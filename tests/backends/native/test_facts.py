"""What names of kept code are made of: another processor or another LLVM has other names, and none runs their code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from operator_algebra.backends.native import facts as facts_of_here
from operator_algebra.backends.native import store as stores
from operator_algebra.backends.native.machine import machine
from operator_algebra.backends.native.run import NativeKernel
from operator_algebra.backends.native.store import Store, code_of, kept_code
from tests.backends.native.machine_code import here, text_of

pytest.importorskip("llvmlite")

FACTS: Any = facts_of_here
STORES: Any = stores
CPUINFO = """\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 26
model\t\t: 2
model name\t: AMD EPYC
stepping\t: 1
cpu MHz\t\t: 2596.122
flags\t\t: fpu sse sse2 avx avx2 fma
bogomips\t: 5192.24

processor\t: 1
flags\t\t: fpu
"""
ARM = """\
processor\t: 0
BogoMIPS\t: 50.00
Features\t: fp asimd evtstrm
CPU implementer\t: 0x41
CPU variant\t: 0x3
CPU part\t: 0xd0c

"""


@pytest.fixture
def cpuinfo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file in which the system tells of its processors; here it may be changed."""
    path = tmp_path / "cpuinfo"
    path.write_text(CPUINFO)
    monkeypatch.setattr(FACTS, "_TOLD", str(path))
    forget()
    yield path
    forget()


@pytest.fixture
def llvmlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpuinfo: Path) -> Path:
    """The folder of another llvmlite, of which there are only files."""
    folder = tmp_path / "llvmlite"
    (folder / "binding").mkdir(parents=True)
    (folder / "_version.py").write_text("1")
    with (folder / "binding" / "libllvmlite.so").open("wb") as library:
        library.truncate(2**25)
    monkeypatch.setattr(FACTS, "find_spec", installed(folder))
    forget()
    assert cpuinfo.exists()
    return folder


def installed(folder: Path | None) -> Callable[[str], ModuleSpec]:
    """What finds a package in a folder."""
    origin = None if folder is None else str(folder / "__init__.py")
    return lambda name: ModuleSpec(name, None, origin=origin)


def nothing(name: str) -> None:
    assert name == "llvmlite"


def forget() -> None:
    FACTS.facts.cache_clear()
    STORES._here.cache_clear()


def name(folder: Path) -> str:
    """Of some code, by what is told now."""
    forget()
    found = Store(folder).name("text")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fma", "fma avx512f"),
        ("avx2 ", ""),
        (": 26", ": 25"),
        ("model\t\t: 2", "model\t\t: 3"),
        ("Authentic", "Genuine"),
    ],
)
def test_another_processor_has_other_names(old: str, new: str, cpuinfo: Path, llvmlite: Path) -> None:
    before = name(llvmlite)
    cpuinfo.write_text(CPUINFO.replace(old, new))
    assert name(llvmlite) != before
    cpuinfo.write_text(CPUINFO)
    assert name(llvmlite) == before


@pytest.mark.parametrize(("old", "new"), [("2596.122", "3100.5"), ("5192.24", "1.0"), ("\nflags\t\t: fpu\n", "\n")])
def test_clocks_and_other_processors_do_not_matter(old: str, new: str, cpuinfo: Path, llvmlite: Path) -> None:
    before = name(llvmlite)
    assert old in CPUINFO
    cpuinfo.write_text(CPUINFO.replace(old, new))
    assert name(llvmlite) == before


def test_processors_of_other_kinds_are_told_apart(cpuinfo: Path, llvmlite: Path) -> None:
    cpuinfo.write_text(ARM)
    before = name(llvmlite)
    assert FACTS.facts() is not None
    cpuinfo.write_text(ARM.replace("asimd", "asimd sve"))
    assert name(llvmlite) != before


@pytest.mark.parametrize("change", ["version", "library", "time", "place"])
def test_another_llvmlite_has_other_names(
    change: str, llvmlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = name(llvmlite)
    library = llvmlite / "binding" / "libllvmlite.so"
    if change == "version":
        (llvmlite / "_version.py").write_text("1.1")
    elif change == "library":
        os.truncate(library, 2**25 + 1)
    elif change == "time":
        os.utime(library, ns=(0, library.stat().st_mtime_ns + 1))
    else:
        other = llvmlite.rename(tmp_path / "elsewhere")
        monkeypatch.setattr(FACTS, "find_spec", installed(other))
    assert name(llvmlite) != before


@pytest.mark.parametrize("lacks", ["cpuinfo", "flags", "library", "size", "origin"])
def test_where_too_little_is_told_llvm_is_asked(
    lacks: str, cpuinfo: Path, llvmlite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = llvmlite / "binding" / "libllvmlite.so"
    if lacks == "cpuinfo":
        cpuinfo.unlink()
    elif lacks == "flags":
        cpuinfo.write_text(CPUINFO.replace("flags", "other"))
    elif lacks == "library":
        library.unlink()
    elif lacks == "size":  # LLVM itself is elsewhere
        os.truncate(library, 2**18)
    else:
        monkeypatch.setattr(FACTS, "find_spec", installed(None))
    usual = name(llvmlite)
    assert FACTS.facts() is None
    for field in ("processor", "features", "made_by"):
        other = here()._replace(**{field: "other"})
        monkeypatch.setattr(stores, "machine", lambda other=other: other)
        assert name(llvmlite) != usual
    monkeypatch.setattr(stores, "machine", machine)
    assert name(llvmlite) == usual


def test_without_llvmlite_there_are_no_names(cpuinfo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FACTS, "find_spec", nothing)
    monkeypatch.setattr(stores, "machine", lambda: None)
    forget()
    assert Store(cpuinfo.parent).name("text") is None
    assert code_of("text") is None


def test_code_of_another_processor_is_not_run(kept: Store, cpuinfo: Path) -> None:
    made = code_of(text_of())
    assert made is not None
    if made.kept is None:
        pytest.skip("object files of this system are left to LLVM")
    again = kept_code(made.kept)
    assert again is not None
    assert NativeKernel(again, [1], [1])([np.ones((1, 1))], 1).whole
    cpuinfo.write_text(CPUINFO.replace("avx2 ", ""))
    forget()
    assert kept_code(made.kept) is None
    assert code_of(text_of(), make=False) is None
    cpuinfo.write_text(CPUINFO)
    forget()
    assert kept_code(made.kept) is not None
