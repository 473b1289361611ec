"""Settings of every test run: the same random examples each time, pictures without a screen, pages of one width.

And what keeps it short: little code is generated where programs run but once.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from operator_algebra import compiler, evaluation
from operator_algebra.backends import floats
from tests.often import IN_PART

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ["OPERATOR_ALGEBRA_CACHE"] = ""  # machine code that is tested is made by what is tested
for side in ("COLUMNS", "LINES"):  # whoever runs the tests may have a window, and pytest-xdist says that it has one
    os.environ.pop(side, None)

# A random mechanism costs milliseconds to seconds, so no example has a deadline.
_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("gate", _patient, derandomize=True, database=None)
settings.register_profile("explore", _patient, max_examples=1000)  # --hypothesis-profile=explore looks afresh
settings.load_profile("gate")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what does not run each time; by their names, so that every kind of case is met."""
    for item in items:
        each = IN_PART.get(item.nodeid.partition("[")[0].removeprefix("tests/"), 1)
        if crc32(item.nodeid.encode()) % each:
            item.add_marker(pytest.mark.slow)


GENERATED = frozenset({"backends", "bench", "compiler", "docs", "house", "notebooks"})
"""Folders of tests in which code is generated as for users. Elsewhere a program runs once or twice."""
LITTLE = 3_000
"""Operations of the programs from which code is generated there: to make more takes longer than to read them often."""


@pytest.fixture(autouse=True, scope="module")
def _little_code(request: pytest.FixtureRequest) -> Iterator[None]:
    folder = request.path.relative_to(Path(__file__).parents[1]).parts[1]
    if folder in GENERATED:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floats, "MOST", LITTLE)
        yield
    compiler._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]


@pytest.fixture
def on_any_joints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas have values, and programs compute them, also where they are no derivatives, as with universal joints."""
    for door in (compiler, evaluation):
        monkeypatch.setattr(door, "refuse_outside", _nothing)


def _nothing(*_: object) -> None:
    """Refuses no mechanism."""
