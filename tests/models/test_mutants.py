"""A fuzz of the readers: mutants of good files become the right model or a typed error."""

from pathlib import Path

import pytest

from tests.models.mutants import DATA, run


@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize("name", ["arm.urdf", "arm.toml"])
def test_mutants_are_right_or_refused(name: str, block: int, tmp_path: Path) -> None:
    found = run(range(50 * block, 50 * block + 50), DATA / name, tmp_path)
    assert found.total() == 50
    assert found["refused"] < 50
