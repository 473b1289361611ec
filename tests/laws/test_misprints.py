"""Every misprint of the page of sources is refuted: as a twin, by its spaces, by exact models, or by plain numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import decomposition
from operator_algebra.checking.suite import mechanism
from operator_algebra.errors import SpaceMismatch
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import scalar, vector
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.identity import Identity, Statement, false_claim
from operator_algebra.identities.themes.constraints import _A as A  # pyright: ignore[reportPrivateUsage]
from operator_algebra.identities.themes.constraints import _forces as multipliers  # pyright: ignore[reportPrivateUsage]
from operator_algebra.identities.themes.constraints import _P_perp as P_perp  # pyright: ignore[reportPrivateUsage]
from operator_algebra.identities.themes.noise import ZERO
from operator_algebra.proofs.prove import prove
from operator_algebra.symbols import (
    B,
    D,
    E_phi,
    G,
    H,
    H_dot,
    I,
    K,
    M,
    P,
    T,
    V_tilde,
    W,
    differentiate,
    ell,
    inv,
    m,
    phi,
    psi,
    v,
    xi,
)
from tests.applications.test_constrained_mechanisms import FOUR_BAR
from tests.house.tree import ROOT, read
from tests.laws.verdicts import refuted
from tests.rounding import apart, rounding, size

LINALG: Any = np.linalg
MASS = H @ phi @ M @ phi.T @ H.T
EDITORIAL = "a slip of words, of a reference, or of an index that has no range"
error, c = vector("error", B.type.domain), scalar("c")


def twin(law: str, slip: str) -> Callable[[], bool]:
    """A planted neighbour of a law is refuted."""
    found = law_named(law)
    (wrong,) = [one for one in found.twins if slip == (one.name if isinstance(one, Statement) else one.slip)]
    return lambda: refuted(false_claim(found, wrong))


def false(lhs: Any, rhs: Any) -> Callable[[], bool]:
    """A well-typed claim that exact models refute."""
    return lambda: prove(Identity("as printed", lhs, rhs), seconds=2).verdict == "REFUTED"


def ill_typed(*write: Callable[[], Any]) -> Callable[[], bool]:
    """Formulas that cannot be written."""

    def is_refused() -> bool:
        for one in write:
            with pytest.raises(SpaceMismatch):
                one()
        return True

    return is_refused


# -- numbers -----------------------------------------------------------------------------------------------------------


def differ(found: Any, printed: Any) -> bool:
    return apart(found, printed) > 1e-3 * size(found, printed)


def agree(found: Any, expected: Any) -> bool:
    return apart(found, expected) <= rounding(size(found, expected), terms=60)


def body_terms() -> bool:
    """The force rows of (7) and (9) beside the rate of momentum of a body, whose origin has the velocity v."""
    rng = np.random.default_rng(3)
    mass, p, w, u, w_dot, u_dot = 1.7, *rng.standard_normal((5, 3))
    velocities = np.cross(w, p) + u
    momentum = mass * (np.cross(w_dot, p) + u_dot + np.cross(w, velocities))
    (seven, nine) = mass * np.cross(w, p), mass * (np.cross(w, p) + u_dot + np.cross(w, u))
    gyroscopic = mass * (np.cross(w, np.cross(w, p)) + np.cross(w, u))
    whole = mass * (np.cross(w_dot, p) + np.cross(w, np.cross(w, p)) + u_dot + np.cross(w, u))
    inertia = _spatial(mass, p)
    bias = -_crossing(w, u).T @ inertia @ np.concatenate([w, u])
    assert agree(bias[3:], gyroscopic)
    assert agree(whole, momentum)
    return differ(gyroscopic, seven) and differ(whole, nine)


def _tilde(x: Any) -> Any:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def _crossing(w: Any, u: Any) -> Any:
    return np.block([[_tilde(w), np.zeros((3, 3))], [_tilde(u), _tilde(w)]])


def _spatial(mass: float, p: Any) -> Any:
    about = np.diag([0.2, 0.3, 0.4]) - mass * _tilde(p) @ _tilde(p)
    return np.block([[about, mass * _tilde(p)], [-mass * _tilde(p), mass * np.eye(3)]])


def composite_centre() -> bool:
    """After (33) and in (84): what a body outward adds to mass times mass centre."""
    rng = np.random.default_rng(5)
    rho, own, (centre, p, length) = 2.3, 1.1, rng.standard_normal((3, 3))
    shift = np.block([[np.eye(3), _tilde(length)], [np.zeros((3, 3)), np.eye(3)]])
    whole = shift @ _spatial(rho, centre) @ shift.T + _spatial(own, p)
    assert agree(whole[:3, 3:], _tilde(rho * (centre + length) + own * p))
    assert agree(whole[:3, 3:], rho * _tilde(centre) + _tilde(length) * rho + own * _tilde(p))
    return differ(rho * (centre + length) + own * p, rho * (centre + length) + own * rho)


def sums_of_the_kernel() -> bool:
    """(78): Ω(k, j) is a sum over the bodies inward of both, the base among them."""
    model = mechanism("chain6")
    q, _ = model.random(2)
    gathered = evaluate(H @ psi, model, q=q).dense()
    weight = LINALG.inv(evaluate(D, model, q=q).dense())
    Omega = evaluate(s.Omega, model, q=q).dense()
    parts = [slice(6 * i, 6 * i + 6) for i in range(model.n)]
    k, j = parts[3], parts[5]

    def summed(bodies: range) -> Any:
        rows = [slice(i, i + 1) for i in bodies]
        return sum(gathered[i, k].T @ weight[i, i] @ gathered[i, j] for i in rows)

    assert agree(summed(range(4)), Omega[k, j])
    return differ(summed(range(1, 4)), Omega[k, j])


def curvature_components() -> bool:
    """Lemma 2.2: what antisymmetries, the exchange of pairs and the cyclic sum leave, for 2 to 4 coordinates."""
    printed: list[int] = []
    for n in (2, 3, 4):
        index = np.arange(n**4).reshape(n, n, n, n)
        one = np.eye(n**4)
        rules = [
            one + one[index.transpose(1, 0, 2, 3).ravel()],
            one + one[index.transpose(0, 1, 3, 2).ravel()],
            one - one[index.transpose(2, 3, 0, 1).ravel()],
            one + one[index.transpose(0, 2, 3, 1).ravel()] + one[index.transpose(0, 3, 1, 2).ravel()],
        ]
        free = n**4 - int(LINALG.matrix_rank(np.concatenate(rules)))
        assert free == n**2 * (n**2 - 1) // 12
        printed.append(free - n * (n + 1) // 2)
    return any(printed)


def set_points() -> bool:
    """Control 8.2: a stretched arm feels nothing of an error along it, as a bent one does."""
    model = mechanism("planar2r")
    pull = {"elbow": np.vstack([np.zeros((3, 1)), [[1.0], [0.0], [0.0]]])}  # along the second link, at its joint
    bent, stretched = (evaluate(inv(m) @ H @ phi @ B, model, q=[0.3, x], B=pull).dense() for x in (0.9, 0.0))
    assert size(bent) > 0.1
    return size(stretched) <= rounding()


def lost_subscripts() -> bool:
    """(8) of the decomposition: the same letters on both sides of the diagonal do not fill it."""
    model = mechanism("chain6")
    q, _ = model.random(4)
    mass = evaluate(MASS, model, q=q).dense()
    shifts = evaluate(decomposition.propagation, model, q=q).dense()
    axes = evaluate(decomposition.joint_axes, model, q=q).dense()
    carried = evaluate(decomposition.composite, model, q=q).dense()
    i, j = 2, 5
    a, b = slice(6 * i, 6 * i + 6), slice(6 * j, 6 * j + 6)
    holds = axes[a, i] @ shifts[b, a].T @ carried[b, b] @ axes[b, j]
    printed = axes[a, i] @ carried[a, a] @ LINALG.inv(shifts[b, a]) @ axes[b, j]
    assert agree(mass[i, j], holds)
    return differ(mass[i, j], printed)


def orthogonal_complement() -> bool:
    model = mechanism("chain6")
    return evaluate(decomposition.propagation @ decomposition.joint_axes, model, q=model.neutral()).dense().shape == (
        6 * model.n, model.nv,
    )  # fmt: skip


def number_of_pivots() -> bool:
    model = mechanism("chain6")
    return len(list(evaluate(decomposition.pivots, model, q=model.neutral()).diagonal_blocks())) == model.n


def lowered_symbols() -> bool:
    rng = np.random.default_rng(1)
    mass = np.diag([2.0, 3.0]) + 0.5
    first = rng.standard_normal((2, 2, 2))
    second = np.einsum("il,ljk->ijk", LINALG.inv(mass), first)
    assert agree(np.einsum("il,ljk->ijk", mass, second), first)
    return differ(np.einsum("il,ljk->ijk", LINALG.inv(mass), second), first)


def points_of_a_body() -> bool:
    """ṗ_B is zero, and V̂ᵇ p_B is not."""
    twist, point = np.random.default_rng(2).standard_normal((2, 6))
    return size(np.cross(twist[:3], point[:3]) + twist[3:]) > 0.1


def moved_inertia() -> bool:
    d = np.array([0.3, -0.2, 0.5])
    return differ(-2.0 * _tilde(d) @ _tilde(d), -_tilde(d) @ _tilde(d))


def rank_of_a_planar_loop() -> bool:
    """Three rows of positions of a four-bar, of which two are independent."""
    q = FOUR_BAR.random(0)[0]
    step = 1e-40
    ahead = [np.asarray(FOUR_BAR.integrate(q, 1j * step * one)) for one in np.eye(3)]

    def gap(x: Any) -> Any:
        crank, both, rocker = x[0], x[0] + x[1], x[2]
        tip = np.array(
            [0.35 * np.cos(crank) + 0.9 * np.cos(both), 0.35 * np.sin(crank) + 0.9 * np.sin(both), 0 * crank]
        )
        return tip - np.array([1 + 0.7 * np.cos(rocker), 0.7 * np.sin(rocker), 0 * rocker])

    rows = np.array([np.imag(gap(one)) / step for one in ahead]).T
    return LINALG.matrix_rank(rows) == 2


def assembly() -> bool:
    """The rows of Table III: N (6 A + 4 M) and N (N + 1) / 2 times (3 A + 5 M), half of them of each kind."""
    rows = [n * (6 + 4) / 2 + n * (n + 1) / 2 * (3 + 5) / 2 for n in range(1, 9)]
    assert rows == [2 * n**2 + 7 * n for n in range(1, 9)]
    return rows != [2 * n * (n + 5) for n in range(1, 9)]


def siblings_couple() -> bool:
    found = law_named("coupling of neighbours on chains")
    assert isinstance(found, Identity)
    return refuted(Identity("on trees", found.lhs, found.rhs))


def shift_of_a_lever() -> bool:
    """A block of three numbers where nine belong."""
    with pytest.raises(ValueError, match="dimension"):
        np.block([[np.eye(3), np.ones((3, 1))], [np.zeros((3, 3)), np.eye(3)]])
    return True


def smooth_factor() -> bool:
    return prove("m is the Cholesky factor").verdict == "PROVED"


def two_rates() -> bool:
    """The term with ∂S/∂q is of second order in ν."""
    rate, slope = 2.0, np.array([-np.sin(0.3), np.cos(0.3)])  # S = (cos θ, sin θ), which turns with ν
    ahead = 0.3 + 1e-40j * rate
    drift = np.imag([np.cos(ahead), np.sin(ahead)]) / 1e-40 * rate
    return agree(slope * rate * rate, drift) and differ(slope * rate, drift)


def held_time() -> bool:
    """An elastic and a plastic impact both have jumps along A*, so the jump alone does not say which it is."""
    law = law_named("energy that an impact takes")
    return bool(law.twins) and refuted(false_claim(law, law.twins[1]))


MISPRINTS: dict[tuple[str, str], Callable[[], bool] | str] = {
    ("Diagonalized dynamics", "Table 3, both columns"): ill_typed(lambda: G @ s.epsilon),
    ("Diagonalized dynamics", "(8.1)"): ill_typed(
        lambda: Identity("as printed", differentiate(xi), T - H @ psi @ vector("eta", H.type.domain))
    ),
    ("Diagonalized dynamics", "(8.6)"): ill_typed(lambda: -c * m.T @ v - c * H @ psi @ B @ error),
    ("Diagonalized dynamics", "(6.16c)"): ill_typed(
        lambda: (s.rotation_delta @ (I + phi @ K @ H) @ P + V_tilde.T) @ M @ s.V
    ),
    ("Diagonalized dynamics", "(6.5) ◦"): ill_typed(lambda: psi @ s.pi_dot @ psi),
    ("Diagonalized dynamics", "(6.11), (6.13), text of 6.16 ◦"): twin(
        "rate of the square root of the mass matrix, turning joints", "τ for τ̄"
    ),
    ("Diagonalized dynamics", "§4, running text ◦"): lambda: (
        false(MASS, H @ phi @ M @ H.T)()
        and ill_typed(lambda: H @ phi @ M @ phi.T @ H, lambda: H @ phi @ M @ phi @ H.T)()
    ),
    ("Diagonalized dynamics", "(6.9)"): shift_of_a_lever,
    ("Diagonalized dynamics", "(5.5)"): twin("Jacobi identity", "as printed"),
    ("Diagonalized dynamics", "Lemma 2.2"): curvature_components,
    ("Diagonalized dynamics", "§5"): lambda: m.structure.flow == "inward" and m.T.structure.flow == "outward",
    ("Diagonalized dynamics", "proof of identity 6.1"): EDITORIAL,
    ("Diagonalized dynamics", "(8.1), reference"): EDITORIAL,
    ("Diagonalized dynamics", "§3"): smooth_factor,
    ("Diagonalized dynamics", "Control 8.2"): set_points,
    ("Filtering and smoothing", "(68)"): ill_typed(lambda: s.tau_bar @ s.Upsilon_plus @ s.tau_bar.T),
    ("Filtering and smoothing", "(83), update of the costate covariance"): ill_typed(lambda: H @ H.T),
    ("Filtering and smoothing", "(83), its propagation"): ill_typed(lambda: phi @ s.Upsilon @ phi),
    ("Filtering and smoothing", "(83), propagation of the costate"): ill_typed(lambda: phi @ phi.T @ H.T @ s.qdd),
    ("Filtering and smoothing", "(7), row of forces"): body_terms,
    ("Filtering and smoothing", "(9)"): body_terms,
    ("Filtering and smoothing", "(26)"): EDITORIAL,
    ("Filtering and smoothing", "(77)"): EDITORIAL,
    ("Filtering and smoothing", "(78)"): sums_of_the_kernel,
    ("Filtering and smoothing", "after (33)"): composite_centre,
    ("Filtering and smoothing", "(84), line of the mass centre"): composite_centre,
    ("Filtering and smoothing", "(36)"): EDITORIAL,
    ("Filtering and smoothing", "before (30)"): EDITORIAL,
    ("Filtering and smoothing", "(60), (64)"): twin("smoothed estimate", "filtered alone"),
    ("Filtering and smoothing", "§XI"): twin("released inertia", "as printed: P for P⁺"),
    ("Filtering and smoothing", "§XII, Table III"): assembly,
    ("Inertia decomposition", "(8) ◦"): lost_subscripts,
    ("Inertia decomposition", "(17), (19) ◦"): ill_typed(lambda: H @ psi @ E_phi @ P @ H.T @ T),
    ("Inertia decomposition", "(16) ◦"): EDITORIAL,
    ("Inertia decomposition", "(24) to (27)"): number_of_pivots,
    ("Inertia decomposition", "§II ◦"): orthogonal_complement,
    ("Geometric treatment", "metric, before (17)"): twin("rate of kinetic energy", "half"),
    ("Geometric treatment", "text by (2)"): points_of_a_body,
    ("Geometric treatment", "inertia in another frame"): moved_inertia,
    ("Geometric treatment", "text by (15)"): twin("rate of spatial velocities", "twists that rest"),
    ("Geometric treatment", "after (16) ◦"): lowered_symbols,
    ("Geometric treatment", "text after (4)"): EDITORIAL,
    ("Geometric treatment", "pairing ◦"): EDITORIAL,
    ("Geometric treatment", "partial derivative"): EDITORIAL,
    ("Geometric treatment", "(18)"): rank_of_a_planar_loop,
    ("Geometric treatment", "before (24)"): twin("constraints of what is projected", "as printed: A itself"),
    ("Geometric treatment", "(22)"): two_rates,
    ("Geometric treatment", "(23)"): ill_typed(lambda: s.qdd + A.T @ multipliers),
    ("Geometric treatment", "(25)"): ill_typed(lambda: (I - P_perp) @ T),
    ("Geometric treatment", "(29)"): held_time,
    ("Review", "(7) in link coordinates"): twin("balance of forces", "without external force"),
    ("Review", "(29)"): twin("incidence of accelerations", "without the base"),
    ("Review", "after (4)"): false(H_dot, ZERO),
    ("Review", "(14) ◦"): twin("forward dynamics in closed form", "bias without P a"),
    ("Review", "(20), (27) ◦"): twin("constraints keep their accelerations", "sign of the multipliers"),
    ("Review", "composite bodies, loops"): twin("mass matrix by composite bodies", "one triangle"),
    ("Review", "(24), (28)"): EDITORIAL,
    ("Review", "after (28)"): siblings_couple,
}
"""By paper and place, as the page of sources has them."""


def listed() -> list[tuple[str, str]]:
    """The rows of the page; a place that stands twice is told apart by what it says."""
    text = read(ROOT / "docs" / "reference" / "sources.md")
    found: list[tuple[str, str]] = []
    for section in text[text.index("## Misprints") :].split("\n### ")[1:]:
        paper = section.splitlines()[0]
        for where in re.findall(r"^\| ([^|]*?) \|", section, re.M):
            if where not in ("where", "---") and not where.startswith("-"):
                found.append((paper, where if (paper, where) not in found else f"{where}, reference"))
    return found


def test_every_misprint_is_accounted_for() -> None:
    assert listed() == list(MISPRINTS)
    assert sum(isinstance(one, str) for one in MISPRINTS.values()) == 11


@pytest.mark.parametrize("place", [place for place, one in MISPRINTS.items() if not isinstance(one, str)], ids=" ".join)
def test_what_is_printed_is_refuted(place: tuple[str, str]) -> None:
    refute = MISPRINTS[place]
    assert not isinstance(refute, str)
    assert refute()


def test_the_forms_that_hold_are_there() -> None:
    """The right neighbours of what is ill-typed above."""
    assert (G @ (s.m @ vector("white", ell.type.codomain))).type.codomain == H.type.domain
    assert (inv(D) @ W @ T).type == differentiate(xi).type
    assert ((I - P_perp) @ inv(MASS) @ T).type == v.type
