"""Rates of any root of D, the Cholesky factor among them: what follows of them without a word for triangles."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import operator_algebra as oa
from operator_algebra.expressions.build import operator
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.prove import prove
from operator_algebra.symbols import C_xi, D, D_ring, epsilon, inv, kappa, root, xi
from tests.rounding import apart, condition, rounding, size

L = root(D)
L_dot = operator("L_dot", L.type, structure="diagonal")
"""The rate of a root of D, whichever it is."""
TURN = operator("S", L.type.domain >> L.type.domain, structure="diagonal")
PHI = 0.5 * (inv(L) @ D_ring @ inv(L).T) + TURN - TURN.T
"""What makes L⁻¹ Ḋ L⁻* with its adjoint: half of it, and any skew part; of the Cholesky factor a triangle."""


def test_velocity_terms_of_any_root_are_proved() -> None:
    """ε − d/dt (L* ξ) = L⁻¹ C_ξ − L̇* ξ, with D ξ̇ = κ − C_ξ, for every joint."""
    xi_dot = inv(D) @ (kappa - C_xi)
    moved = epsilon - (L_dot.T @ xi + L.T @ xi_dot)
    assert prove(Identity("terms of any root", moved, inv(L) @ C_xi - L_dot.T @ xi))
    assert prove(Identity("wrong sign", moved, inv(L) @ C_xi + L_dot.T @ xi)).verdict == "REFUTED"
    assert prove(Identity("not turned", moved, inv(L) @ C_xi)).verdict == "REFUTED"


def test_a_rate_made_of_halves_is_that_of_a_root() -> None:
    """L Φ L* + L Φ* L* = Ḋ: L Φ is the rate of a root of D for each Φ of these."""
    made = L @ PHI
    assert prove(Identity("rate of a root", made @ L.T + L @ made.T, D_ring))
    assert prove(Identity("one half", made @ L.T, D_ring)).verdict == "REFUTED"


@pytest.mark.parametrize("seed", range(3))
def test_the_triangle_is_the_rate_of_the_cholesky_factor(seed: int) -> None:
    """The half that is lower triangular gives L̇ itself, by a complex step of the factor of D along the motion."""
    model = oa.random_tree(4, joints=("spherical", "cylindrical", "planar", "floating"), seed=seed)
    q, v = model.random(seed)
    found, rate = oa.evaluate(D, model, q=q).dense(), oa.evaluate(D_ring, model, q=q, v=v).dense()
    for part in model.v_slices:
        own, change = found[part, part], rate[part, part]
        lower = np.linalg.cholesky(own)
        whole = np.linalg.solve(lower, np.linalg.solve(lower, change).T)
        triangle = np.tril(whole) - 0.5 * np.diag(np.diag(whole))
        step = 1e-40
        stepped = np.imag(_cholesky(own + 1j * step * change)) / step
        allowed = rounding(size(change) / size(lower), terms=36, condition=condition(own))
        assert apart(lower @ triangle, stepped) <= allowed * (1.0 + size(whole))


def _cholesky(A: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """L with L Lᵀ = A, no conjugates, so that complex steps pass."""
    L = np.zeros_like(A)
    for j in range(len(A)):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, len(A)):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    return L
