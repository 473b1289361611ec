"""A folder of one's own for machine code that is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_algebra.backends.native.store import VARIABLE, Store


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    folder = tmp_path / "code"
    monkeypatch.setenv(VARIABLE, str(folder))
    return Store(folder)
