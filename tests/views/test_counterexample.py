"""The picture of a counter-example shows its tree, both sides, and where they differ."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex

from operator_algebra import symbols as s
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.proofs.refute import refute
from operator_algebra.views.counterexample import counterexample
from operator_algebra.views.ink.palette import NOW
from tests.views.figures import collisions, cut_off, words_of


def slip(lhs: Expr, rhs: Expr) -> Identity:
    return Identity("a slip", lhs, rhs)


def of_trace() -> Statement:
    twin = law_named("trace of the kernel").twins[0]
    assert isinstance(twin, Statement)
    return twin


CLAIMS: dict[str, Law] = {
    "two bodies": slip(s.inv(s.I + s.H @ s.phi @ s.K), s.I + s.H @ s.psi @ s.K),
    "fractions": slip(s.phi @ s.M @ s.phi.T, s.P + s.phi_tilde @ s.P + s.P @ s.phi_tilde.T),
    "a branch": slip(s.Omega, s.Upsilon + s.psi_tilde.T @ s.Upsilon + s.Upsilon @ s.psi_tilde),
    "a column of large blocks": slip(s.V_tilde @ s.H.T @ s.v, s.cross(s.H.T @ s.v) @ s.H.T @ s.v),
    "one number": of_trace(),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_tree_sides_and_difference_are_shown(name: str) -> None:
    found = refute(CLAIMS[name])
    assert found is not None
    figure = counterexample(found)
    shown = words_of(figure)
    assert {"left side", "right side", found.claim.formula()} <= shown
    assert {str(k) for k in range(len(found.parent))} <= shown
    i, j = found.entry
    assert {str(found.left[i][j]), str(found.right[i][j])} <= shown
    assert not cut_off(figure)
    assert not collisions(figure)


def test_what_differs_is_coloured_and_the_first_of_it_framed() -> None:
    found = refute(CLAIMS["fractions"])
    assert found is not None
    (axes,) = counterexample(found).axes
    marked = [patch for patch in axes.patches if to_hex(patch.get_facecolor(), keep_alpha=True) == f"{NOW}ff"]
    framed = [patch for patch in axes.patches if patch.get_linewidth() == 1.8]
    sides = zip(found.left, found.right, strict=True)
    assert len(marked) == 2 * sum(x != y for left, right in sides for x, y in zip(left, right, strict=True))
    assert len(framed) == 2


def test_it_draws_into_axes_of_a_user_and_in_the_dark() -> None:
    found = refute(CLAIMS["two bodies"])
    assert found is not None
    figure, axes = plt.subplots()
    assert counterexample(found, ax=axes) is figure
    assert counterexample(found, dark=True).get_facecolor() != counterexample(found).get_facecolor()
    plt.close(figure)
