"""New processes of the bench are like those of an installation that was used before."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_algebra.bench import fresh

_CODE = """
import os, sys
import operator_algebra.lowering.lower as module
print(sys.dont_write_bytecode, os.path.exists(module.__cached__), os.environ["OPENBLAS_NUM_THREADS"])
"""


def test_bytecode_is_there_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    vars(fresh)["_environment"].cache_clear()
    assert fresh.output_of(_CODE).split() == ["False", "True", "1"]
    vars(fresh)["_environment"].cache_clear()
