"""Random arguments of compiled programs, a few each time; `python -m tests.fuzz.calls` runs for as long as is asked."""

from __future__ import annotations

import numpy as np
import pytest

from operator_algebra.backends import kernel, ready
from operator_algebra.backends.floats import Floats
from tests.fuzz.calls import SHARE, SUBJECTS, case, ordinary, subject
from tests.often import some


@pytest.mark.parametrize("first", some(range(0, 400, 25), 8))
def test_right_numbers_or_an_error_in_words(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "WORTH", 1)
    monkeypatch.setattr(ready, "SHARE", SHARE)
    for number in range(first, first + 25):
        case(number)


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_subject_has_machine_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(kernel, "WORTH", 1)
    of = subject(name)
    of.native(**ordinary(of.model, of.names, (3,), np.random.default_rng(0)))
    found = of.native._executable  # pyright: ignore[reportPrivateUsage]
    assert isinstance(found, Floats)
    assert any(one.native for one in found.kernels)
