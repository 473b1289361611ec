"""A folder of its own for what each test keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_algebra import compiler
from operator_algebra.backends.native.store import VARIABLE, Store


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    found = Store(tmp_path / "kept")
    monkeypatch.setenv(VARIABLE, str(found.folder))
    yield found
    compiler._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]
