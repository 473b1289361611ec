"""Laws explain programs and do not make them: without a law only its *because* line is gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import diag, fixpoint, inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import FORCE, MOTION

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
LAWS = tuple(catalogue())
# One program that computes P, D, G, Υ, V, R and what follows from them.
EVERYTHING = {
    "qdd": dynamics.forward_dynamics,
    "factored": (s.I - s.H @ s.psi @ s.K).T @ inv(s.D) @ (s.I - s.H @ s.psi @ s.K) @ s.T,
    "spread": diag(inv(MASS)),
    "composite": s.R,
}
FORMULAS = [EVERYTHING, dynamics.inverse_dynamics, dynamics.mass_matrix, dynamics.momentum, s.Omega @ s.f_ext]


def parts_of(text: str) -> tuple[list[str], list[str]]:
    """The page without its reasons, and the reasons."""
    lines = text.splitlines()
    stop = next((i for i, line in enumerate(lines) if line.startswith("cost")))
    start = next((i for i, line in enumerate(lines) if line.startswith("because")), stop)
    return lines[:start] + lines[stop:], lines[start:stop]


def steps_of(text: str) -> list[str]:
    return parts_of(text)[0]


def reasons_of(text: str) -> list[str]:
    return parts_of(text)[1]


def with_laws(monkeypatch: pytest.MonkeyPatch, laws: Mapping[str, Any]) -> None:
    monkeypatch.setattr("operator_algebra.identities.catalogue._all", lambda: laws)
    assert catalogue() == laws


@pytest.mark.parametrize("index", range(len(FORMULAS)))
def test_without_any_law_the_program_is_the_same(index: int, monkeypatch: pytest.MonkeyPatch) -> None:
    full = lower(FORMULAS[index])
    page = full.pseudocode()
    with_laws(monkeypatch, {})
    bare = lower(FORMULAS[index])
    assert bare.stages == full.stages
    assert bare.outputs == full.outputs
    assert bare.report == full.report
    assert steps_of(bare.pseudocode()) == steps_of(page)
    assert all("eliminating" in line for line in reasons_of(bare.pseudocode()))


def test_each_law_is_worth_its_line_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    laws = dict(catalogue())
    full = lower(EVERYTHING)
    page, cited = full.pseudocode(), reasons_of(full.pseudocode())
    gone: set[str] = set()
    for name in LAWS:
        with monkeypatch.context() as patch:
            with_laws(patch, {key: law for key, law in laws.items() if key != name})
            other = lower(EVERYTHING)
            assert other.stages == full.stages
            text = other.pseudocode()
        assert steps_of(text) == steps_of(page)
        if text != page:
            gone.add(name)
            assert len(reasons_of(text)) == len(cited) - 1
    assert {name for name in LAWS if any(name in line for line in cited)} == gone
    assert len(gone) >= 5


@pytest.mark.parametrize(
    ("e", "wrong"),
    [
        (diag(s.phi.T @ inv(s.M) @ s.phi), "costate"),
        (diag(s.K @ s.D @ s.U.T), "costate"),
        (fixpoint("P", MOTION >> FORCE, lambda X: 2 * s.M + s.E_phi @ X @ s.E_phi.T), "Riccati"),
        (fixpoint("Upsilon", FORCE >> MOTION, lambda X: inv(s.M) + diag(s.E_phi.T @ X @ s.E_phi)), "costate"),
        (s.phi @ s.M @ s.phi.T @ s.H.T @ s.v, "composite"),
    ],
    ids=str,
)
def test_a_law_is_cited_for_what_it_speaks_of_only(e: Expr, wrong: str) -> None:
    assert wrong not in lower(e).pseudocode()
