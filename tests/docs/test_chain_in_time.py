"""What the page on chains in time computes is what dense algebra and the algebraic Riccati equation give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.models.test_how_to import PAGES, run
from tests.rounding import apart, condition, rounding, size

_linalg: Any = np.linalg


def test_the_page_computes_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot: Any = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(pyplot, "show", lambda: pyplot.close("all"))
    printed, names = run(str(PAGES.parent / "explain" / "chain_in_time.md"))
    seen = names["watch"] @ names["spread"] @ names["watch"].T + 0.09 * np.eye(names["n"])
    allowed = rounding(size(names["dense"]), terms=names["n"], condition=condition(seen))
    assert apart(names["estimate"].ravel(), names["dense"]) <= allowed
    scores = np.squeeze(names["told"]["misfit"] + names["told"]["logdet"])
    assert names["factors"][scores.argmin()] == 1.0
    S, y = seen, names["positions"]
    dense: Any = y @ _linalg.solve(S, y) + _linalg.slogdet(S)[1]
    assert apart(scores[3], dense) <= rounding(size(dense), terms=names["n"], condition=condition(S))
    # A tenth of the way the end is far: the closed loop shrinks what is left of it at each step.
    u, endless = names["u"], -(names["feedback"] @ names["coming"].T)[0]
    closed = names["go_on"] - names["push"] @ names["feedback"]
    left = np.abs(_linalg.eigvals(closed)).max() ** (0.9 * names["n"])
    assert apart(u[:20], endless[:20]) <= (
        left + rounding(terms=names["n"], condition=condition(names["after"]))
    ) * size(u)
    assert "cost     O(N): one sweep" in printed
