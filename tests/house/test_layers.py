"""The layers are kept, and no contract forgets a module that has come to exist."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.house.tree import PACKAGE, ROOT, read

CONTRACTS = {
    contract["name"]: contract
    for contract in tomllib.loads(read(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
}
PURE = (
    "expressions",
    "rates",
    "symbols",
    "identities",
    "proofs",
    "programs",
    "lowering",
    "pages",
    "operators.leaf",
    "operators.local",
    "operators.spaces",
    "operators.structure",
)
BACKENDS = ("numpy", "scalar", "compiled", "closed_forms", "differentiable")


def exists(module: str) -> bool:
    path = PACKAGE / module.replace(".", "/")
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def test_the_contracts_are_kept() -> None:
    pytest.importorskip("importlinter")
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert command
    run = subprocess.run([command, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_every_pure_module_is_under_contract() -> None:
    listed = CONTRACTS["The symbolic side never sees a number"]["source_modules"]
    assert listed == [f"operator_algebra.{module}" for module in PURE if exists(module)]


def test_meaning_is_under_contract() -> None:
    programs = [f"operator_algebra.{module}" for module in ("programs", "lowering", "backends", "calls", "compiler")]
    assert CONTRACTS["Meaning shares no code with programs"]["forbidden_modules"] == programs


def test_backends_are_strangers() -> None:
    backends = [f"operator_algebra.backends.{name}" for name in BACKENDS if exists(f"backends.{name}")]
    assert len(backends) < 2 or CONTRACTS["Backends are strangers to each other"]["modules"] == backends
