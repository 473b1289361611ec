"""What is inferred of an expression is true: rule by rule, and against numbers on random mechanisms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import diag, fixpoint, inv, operator, root, scalar, zero
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE
from operator_algebra.operators.structure import Structure
from operator_algebra.symbols import (
    D,
    E_phi,
    E_psi,
    G,
    H,
    I,
    K,
    M,
    Omega,
    P,
    P_plus,
    R,
    S,
    T,
    U,
    Upsilon,
    W,
    armature,
    ell,
    m,
    phi,
    phi_tilde,
    psi,
    psi_tilde,
    tau_bar,
    v,
)
from tests.expression_strategies import inputs_for, operators
from tests.strategies import mechanisms

h = scalar("h")
X = operator("X", MOTION >> FORCE)
MASS = H @ phi @ M @ phi.T @ H.T


@pytest.mark.parametrize(
    ("e", "words"),
    [
        (phi, "inward unit"),
        (phi.T, "outward unit"),
        (phi_tilde, "inward strict"),
        (psi_tilde, "inward strict"),
        (psi, "inward unit"),
        (E_psi, "inward hop"),
        (K, "inward hop"),
        (tau_bar, "diagonal"),
        (G, "diagonal"),
        (P, "diagonal definite"),
        (P_plus, "diagonal semidefinite"),
        (D, "diagonal definite"),
        (R, "diagonal definite"),
        (S, "diagonal symmetric"),
        (Upsilon, "diagonal semidefinite"),
        (Omega, "full semidefinite"),
        (U, "inward unit"),
        (W, "inward unit"),
        (m, "inward invertible"),
        (ell, "inward invertible"),
        (root(D), "diagonal invertible"),
        (I - E_phi, "inward unit"),
        (I - E_phi - E_phi, "inward unit"),
        (2 * I - E_phi, "inward invertible"),
        (phi - I, "inward strict"),
        (phi - psi, "inward strict"),
        (phi + psi, "inward invertible"),
        (phi + phi - 2 * I, "inward strict"),
        (E_phi + E_psi, "inward hop"),
        (E_phi @ E_phi, "inward strict"),
        (E_phi @ tau_bar @ E_phi, "inward strict"),
        (E_phi @ M @ E_phi.T, "diagonal symmetric semidefinite"),
        (E_phi @ E_psi @ M @ E_psi.T @ E_phi.T, "diagonal symmetric semidefinite"),
        (E_phi.T @ Omega @ E_phi, "full semidefinite"),
        (E_phi.T @ Upsilon @ E_phi, "full semidefinite"),
        (phi @ E_phi @ M @ E_phi.T, "inward"),
        (phi @ M @ phi.T, "related symmetric definite"),
        (phi.T @ Upsilon @ phi, "full semidefinite"),
        (MASS, "related symmetric definite"),
        (MASS + armature, "related symmetric definite"),
        (inv(MASS), "full symmetric definite"),
        (inv(phi.T), "outward unit"),
        (-M, "diagonal symmetric invertible"),
        (M - R, "diagonal symmetric"),
        (2 * M, "diagonal definite"),
        (h * M, "diagonal symmetric"),
        (h * E_phi, "inward hop"),
        (diag(phi @ M @ phi.T), "diagonal definite"),
        (diag(phi @ R), "diagonal"),
        (diag(phi_tilde @ R), "diagonal strict"),
        (H @ M @ H.T, "diagonal definite"),
        (H.T @ inv(D) @ H, "diagonal semidefinite"),
        (R + phi_tilde @ R + R @ phi_tilde.T, "related symmetric"),
        (X + X.T, "full symmetric"),
        (v, "column"),
        (v.T, "row"),
        (v.T @ T, "small"),
        (v.T @ H @ P @ H.T @ v, "small semidefinite"),
        (v.T @ H @ M @ H.T @ v, "small symmetric semidefinite"),
        (v @ v.T, "full symmetric semidefinite"),
        (zero(RATE >> TORQUE), "zero strict semidefinite"),
    ],
    ids=str,
)
def test_table(e: Expr, words: str) -> None:
    assert e.structure == Structure.of(words)
    assert e.T.structure == Structure.of(words).T


def test_a_fixed_point_has_the_strongest_structure_that_its_equation_keeps() -> None:
    skew = fixpoint("skew", FORCE >> FORCE, lambda X: E_phi + E_phi @ X)
    assert skew.structure.flow == "inward"
    one_sided = fixpoint("Y", MOTION >> FORCE, lambda X: M + E_phi @ X @ Upsilon @ M @ E_phi.T)
    assert one_sided.structure == Structure.of("diagonal")
    both = fixpoint("Z", MOTION >> FORCE, lambda X: M + E_phi @ X @ E_phi.T)
    assert both.structure == Structure.of("diagonal definite")
    carried = fixpoint("C", MOTION >> FORCE, lambda X: E_phi @ (X + M) @ E_phi.T)
    assert carried.structure == Structure.of("diagonal semidefinite")
    signless = fixpoint("N", MOTION >> FORCE, lambda X: M - E_phi @ X @ E_phi.T)
    assert signless.structure == Structure.of("diagonal symmetric")
    siblings = fixpoint("Q", FORCE >> MOTION, lambda X: inv(M) + E_phi.T @ X @ E_phi)
    assert siblings.structure.flow == "full"


def test_what_is_left_of_an_inertia_behind_a_joint_is_positive() -> None:
    """S − S A* (A S A* + N)⁻¹ A S for N ≥ 0, and for nothing that only looks like it."""
    free, light = (operator(name, RATE >> TORQUE, structure=f"diagonal {words}") for name, words in
                   (("Y", "symmetric"), ("N", "semidefinite")))  # fmt: skip
    sided = operator("S", MOTION >> FORCE, structure="diagonal symmetric")

    def left(S: Expr, c: int = 1, N: Expr = light, *, other: Expr = M) -> Structure:
        inside = inv(H @ other @ H.T + N) if N is not M else inv(H @ other @ H.T)
        return (S - c * (S @ H.T @ inside @ H @ S)).structure

    assert left(M) == left(M, N=M) == Structure.of("diagonal semidefinite")
    for wrong in (left(M, 2), left(M, N=free), left(sided, other=sided), left(M, other=R), left(M, N=-light)):
        assert wrong == Structure.of("diagonal symmetric")


def test_an_unknown_of_another_equation_is_not_positive_any_more() -> None:
    sided = operator("S", MOTION >> FORCE, structure="diagonal symmetric")
    loose = fixpoint("R", MOTION >> FORCE, lambda X: sided + E_phi @ X @ E_phi.T)
    assert loose.structure == Structure.of("diagonal symmetric")
    free = operator("X", MOTION >> FORCE, structure="diagonal definite")
    firm = fixpoint("R", MOTION >> FORCE, lambda X: free + E_phi @ X @ E_phi.T)
    assert firm.structure == Structure.of("diagonal definite")
    assert firm.substitute({free: free - M}).structure == Structure.of("diagonal symmetric")


def blocks(x: NDArray[np.float64], rows: Layout, cols: Layout) -> list[tuple[int, int, NDArray[np.float64]]]:
    found = [(i, j, x[rows.part(i), cols.part(j)]) for i in range(rows.count) for j in range(cols.count)]
    return [(i, j, block) for i, j, block in found if block.size]


def allowed(structure: Structure, model: Model) -> NDArray[np.bool_]:
    """Where a structure lets blocks be."""
    n = model.n
    hop = np.zeros((n, n), dtype=bool)
    above = np.eye(n, dtype=bool)
    for k, parent in enumerate(model.parent):
        if parent >= 0:
            hop[parent, k] = True
            above[:, k] |= above[:, parent]
    flows = {"diagonal": np.eye(n, dtype=bool), "inward": above, "outward": above.T, "related": above | above.T}
    places = flows.get(structure.flow, np.full((n, n), structure.flow == "full"))
    if structure.hop:
        places = places & (hop | hop.T)
    return places & ~np.eye(n, dtype=bool) if structure.strict else places


@settings(max_examples=300)
@given(operators(depth=4), mechanisms(max_bodies=5), st.integers(0, 99))
def test_structure_holds_in_numbers(e: Expr, model: Model, seed: int) -> None:
    """Rounding is far below 1e-8 of the terms before cancellation while what is inverted has condition below 1e7."""
    found = evaluate_with_scale(e, model, q=model.random(seed)[0], **inputs_for(e, model, seed))
    x, structure = found.value.dense(), e.structure
    small = 1e-8 * max(found.scale, 1e-300) * max(1.0, found.condition / 1e7)
    places = allowed(structure, model)
    for i, j, block in blocks(x, found.value.rows, found.value.cols):
        assert places[i, j] or np.abs(block).max() <= small
        assert not (structure.unit and i == j) or np.abs(block - np.eye(len(block))).max() <= small
    if structure.symmetric:
        assert np.abs(x - x.T).max(initial=0.0) <= small
    if structure.semidefinite and x.size:
        assert np.linalg.eigvalsh((x + x.T) / 2).min() >= -small
    if structure.invertible and x.size:
        assert np.linalg.svd(x, compute_uv=False).min() > 0
