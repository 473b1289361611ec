"""The foot of a page: what was eliminated, and the laws that say the same."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, operator
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.pages.because import because

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
J = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")


def test_an_elimination_and_its_laws() -> None:
    lines = because(lower(inv(MASS) @ s.T), "unicode")
    assert lines[0] == "eliminating tips first on the tree of H φ M φ* H* gives this P, D, G"
    assert [line.split("    ")[0] for line in lines[1:]] == [
        "H φ M φ* H* = (I + H φ K) D (I + K* φ* H*)",
        "(I + H φ K)⁻¹ = I − H ψ K",
        "M = P − E_ψ P E_φ*",
    ]


def test_a_pivot_with_more_terms_factors_another_matrix() -> None:
    lines = because(lower(inv(MASS + J) @ s.T), "ascii")
    assert lines[1].startswith("H phi M phi' H' + J = (I + H phi K) D (I + K' phi' H')")


def test_nothing_is_claimed_of_what_is_not_computed() -> None:
    assert because(lower(MASS @ s.v), "unicode") == []
