"""`prove`: every law in every reading, no twin, of the mutants exactly those that are equal; and what users claim."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError, OperatorAlgebraError, TheoryError
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Identity, false_claim
from operator_algebra.identities.mutants import mutants
from operator_algebra.identities.themes.noise import J
from operator_algebra.identities.variants import wider, with_noise
from operator_algebra.proofs.prove import prove
from operator_algebra.proofs.search import Search, search
from operator_algebra.symbols import E_phi, H, I, M, P, R, diag, inv, phi, v
from tests.often import some
from tests.proofs.reading import proved

LAWS = [law for law in catalogue().values() if isinstance(law, Identity)]
EQUAL = (Path(__file__).parents[1] / "laws" / "equal_mutants.txt").read_text(encoding="utf-8").splitlines()
SECONDS = 0.3
"""What a false claim may take."""


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_every_law_is_proved_in_all_its_readings(law: Identity) -> None:
    proof = proved(law.name)
    assert proof
    assert [reading.claim.name for reading in proof.readings] == [reading.name for reading in wider(law)]
    proof.replay()


def test_no_reading_is_forgotten() -> None:
    assert sum(len(wider(law)) for law in LAWS) > 200


@pytest.mark.parametrize("law", some(LAWS, each=5), ids=lambda law: law.name)
def test_no_twin_is_proved(law: Identity) -> None:
    for twin in law.twins:
        claim = false_claim(law, twin)
        assert isinstance(claim, Identity)
        assert not prove(claim, seconds=SECONDS), twin.slip


RATES = ("derivatives", "sensitivities", "gradients", "diagonalized", "geometry")
PLAIN = [law for law in LAWS if law.theme not in RATES]
"""Themes whose mutants take minutes."""


@pytest.mark.parametrize("law", some(PLAIN, each=12), ids=lambda law: law.name)
def test_of_the_mutants_those_are_proved_that_are_equal(law: Identity) -> None:
    for claim in plain_mutants(law):
        assert bool(prove(claim, seconds=SECONDS)) == (f"{claim.name}: {claim.formula()}" in EQUAL), claim


@pytest.mark.slow
@pytest.mark.parametrize("law", [law for law in LAWS if law.theme in RATES], ids=lambda law: law.name)
def test_of_the_mutants_of_rates_only_those_are_proved_that_are_equal(law: Identity) -> None:
    for claim in plain_mutants(law):
        assert not prove(claim, seconds=SECONDS) or f"{claim.name}: {claim.formula()}" in EQUAL, claim


def plain_mutants(law: Identity) -> Iterator[Identity]:
    """Mutants as claims of their own, without wider readings."""
    for mutant in mutants(law):
        domain = tuple(word for word in mutant.domain if word not in ("any J", "any G"))
        yield Identity(mutant.name, mutant.lhs, mutant.rhs, domain=domain)


@pytest.mark.parametrize("law", [law for law in LAWS if "J = 0" in law.domain], ids=lambda law: law.name)
def test_a_law_for_no_J_is_not_proved_with_J(law: Identity) -> None:
    claim = with_noise(law, J)
    assert isinstance(claim, Identity)
    assert not prove(claim, seconds=SECONDS)


@pytest.mark.parametrize("name", ["costate decomposition on chains"])
def test_a_law_of_chains_is_not_proved_on_trees(name: str) -> None:
    law = law_named(name)
    assert isinstance(law, Identity)
    assert not prove(Identity("on trees", law.lhs, law.rhs), seconds=SECONDS)


def test_a_claim_is_given_as_a_law_a_name_or_a_text() -> None:
    assert prove(law_named("factor inverse"))  # pyright: ignore[reportArgumentType]
    assert prove("factor inverse")
    assert prove("inv(I + H phi K) = I - H psi K")
    assert not prove("inv(I + H phi K) = I + H psi K")


def test_wrong_claims_are_told_as_everywhere() -> None:
    with pytest.raises(oa.errors.SpaceMismatch, match="cannot equate"):
        prove("H P = P")
    with pytest.raises(InputError, match="no law"):
        prove("unheard of")
    for seconds in (0, -1, True, "soon", float("nan"), float("inf")):
        with pytest.raises(InputError, match="positive number"):
            prove("factor inverse", seconds=seconds)  # pyright: ignore[reportArgumentType]


# -- operators of a user's own ---------------------------------------------------------------------------------------


def test_rotor_inertia() -> None:
    rotors = oa.operator("rotors", oa.RATE >> oa.TORQUE, structure="diagonal definite")

    def gain(X: oa.Expr) -> tuple[oa.Expr, oa.Expr]:
        D = H @ X @ H.T + rotors
        return D, X @ H.T @ inv(D)

    X = oa.fixpoint("P_r", oa.MOTION >> oa.FORCE, lambda X: M + E_phi @ (I - gain(X)[1] @ H) @ X @ E_phi.T)
    D, G = gain(X)
    U = I + H @ phi @ E_phi @ G
    mass = H @ phi @ M @ phi.T @ H.T + rotors
    assert prove(Identity("geared", mass, U @ D @ U.T))
    assert prove(Identity("not geared", mass, U @ (D - rotors) @ U.T)).verdict == "REFUTED"
    psi = inv(I - E_phi @ (I - G @ H))
    W = I - H @ psi @ E_phi @ G
    assert prove(Identity("solved", inv(mass), W.T @ inv(D) @ W))


def test_operational_space() -> None:
    """The inertia that a foot of one's own feels comes from Ω, and from nothing that is smaller."""
    B = oa.operator("B", oa.space("foot").dual >> oa.FORCE)
    mass = H @ phi @ M @ phi.T @ H.T
    felt = B.T @ phi.T @ H.T @ inv(mass) @ H @ phi @ B
    assert prove(Identity("felt", felt, B.T @ oa.symbols.Omega @ B))
    assert prove(Identity("below", felt, B.T @ oa.symbols.Upsilon @ B), seconds=SECONDS).verdict == "REFUTED"
    found = prove(Identity("load", inv(B.T @ oa.symbols.Omega @ B), inv(felt)))
    assert "B* φ* H* (H φ M φ* H*)⁻¹ H φ B is invertible" in found.assumptions


def test_null_space_of_a_task() -> None:
    """J̄ = ℳ⁻¹ J* Λ is a right inverse of J, and I − J̄ J a projection on what the task does not see; not its adjoint."""
    B = oa.operator("B", oa.space("foot").dual >> oa.FORCE)
    mass = H @ phi @ M @ phi.T @ H.T
    J = oa.define("J_foot", B.T @ phi.T @ H.T)
    J_bar = oa.define("J_bar", inv(mass) @ J.T @ inv(J @ inv(mass) @ J.T))
    N = oa.define("N", I - J_bar @ J)
    assert prove(Identity("right inverse", J @ J_bar, I))
    assert prove(Identity("projection", N @ N, N))
    assert prove(Identity("inertial", mass @ N, N.T @ mass))
    assert prove(Identity("unseen", J @ N, 0 * J))
    assert prove(Identity("unmoved", J_bar @ J, I)).verdict == "REFUTED"
    assert prove(Identity("any weight", M @ phi.T @ H.T @ N, M @ phi.T @ H.T)).verdict == "REFUTED"


def test_armature_of_a_model() -> None:
    armature = oa.symbols.armature
    geared = oa.symbols.innovations(armature)
    mass = H @ phi @ M @ phi.T @ H.T + armature
    assert prove(Identity("armature", mass, geared.U @ geared.D @ geared.U.T))
    assert prove(Identity("forgotten", mass - armature, geared.U @ geared.D @ geared.U.T)).verdict == "REFUTED"


def test_implicit_damping_has_numbers_in_it() -> None:
    h, B = oa.scalar("h"), oa.operator("B_d", oa.RATE >> oa.TORQUE, structure="diagonal semidefinite")
    stiff = oa.operator("stiff", oa.RATE >> oa.TORQUE, structure="diagonal semidefinite")
    damped = oa.symbols.innovations(h * B + h * h * stiff)
    mass = H @ phi @ M @ phi.T @ H.T + h * B + (h * h) * stiff
    assert prove(Identity("damped", mass, damped.U @ damped.D @ damped.U.T))
    assert prove(Identity("once", mass + h * B, damped.U @ damped.D @ damped.U.T)).verdict == "REFUTED"
    W = I - H @ damped.psi @ damped.K
    assert prove(Identity("solved", inv(mass), W.T @ inv(damped.D) @ W))


def test_an_own_composite_inertia_is_the_composite_inertia() -> None:
    X = oa.fixpoint("whole", oa.MOTION >> oa.FORCE, lambda X: E_phi @ X @ E_phi.T + M)
    assert prove(Identity("same equation", X, R))
    assert prove(Identity("decomposition", phi @ M @ phi.T, phi @ X + X @ phi.T - X))
    assert prove(Identity("articulated", X, P)).verdict == "REFUTED"


def test_two_gains_of_one_name_are_two() -> None:
    first = oa.define("gain", P @ H.T @ inv(H @ P @ H.T))
    second = oa.define("gain", R @ H.T @ inv(H @ R @ H.T))
    assert prove(Identity("first", H @ first, H @ second))
    assert prove(Identity("not the same", first, second)).verdict == "REFUTED"


def test_two_leaves_of_one_name_are_two() -> None:
    first = oa.operator("A", oa.MOTION >> oa.FORCE, structure="diagonal")
    second = oa.operator("A", oa.MOTION >> oa.FORCE, structure="diagonal symmetric")
    assert prove(Identity("own adjoint", second, second.T))
    assert prove(Identity("not its own", first, first.T)).verdict == "REFUTED"


def test_a_velocity_is_an_unknown_too() -> None:
    V = oa.fixpoint("V_own", oa.ONE >> oa.MOTION, lambda V: E_phi.T @ V + H.T @ v)
    assert prove(Identity("velocity", V, phi.T @ H.T @ v))
    assert prove(Identity("twice", V, 2 * phi.T @ H.T @ v)).verdict == "REFUTED"


def test_numbers_are_their_own_adjoints() -> None:
    A = oa.operator("A", oa.MOTION >> oa.FORCE)
    x, y = oa.vector("x", oa.MOTION), oa.vector("y", oa.MOTION)
    assert prove(Identity("scalar", x.T @ A @ y, y.T @ A.T @ x))
    assert prove(Identity("no scalar", x.T @ A @ y, y.T @ A @ x)).verdict == "REFUTED"


def test_what_contradicts_itself_is_named() -> None:
    hidden = oa.define("hidden", E_phi - E_phi @ phi @ (I - E_phi))
    claim = Identity("nothing inverted", inv(hidden), phi)
    with pytest.raises(TheoryError, match=r"equations behind .*hidden⁻¹ contradict each other"):
        prove(claim)


def test_an_equation_without_one_solution_is_named() -> None:
    X = oa.fixpoint("X_own", oa.MOTION >> oa.FORCE, lambda X: X + M)
    found = prove(Identity("whatever", X @ H.T, X @ H.T + M @ H.T))
    assert found.verdict == "UNDECIDED"
    assert "the equation of X_own is not causal" in str(found)


def test_what_agrees_in_generic_matrices_is_decided_but_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = replace(search(phi, phi, (), seconds=SECONDS), proved=None)

    def fruitless(*_: object, **__: object) -> Search:
        return nothing

    monkeypatch.setattr("operator_algebra.proofs.prove.search", fruitless)
    found = prove("phi E_phi = phi - I")
    assert (bool(found), found.verdict) == (False, "DECIDED")
    assert "without a proof: both sides agree in generic matrices of size" in str(found)


def test_certificates_are_the_same_in_any_order() -> None:
    first = json.dumps(prove("square root of the inverse").certificate())
    for law in LAWS[:40:7]:
        prove(law)
    assert json.dumps(prove("square root of the inverse").certificate()) == first


def test_diagonals_of_what_goes_one_way() -> None:
    assert prove(Identity("unit", diag(phi @ M), M))
    assert prove(Identity("mixed", diag(phi @ M @ phi.T), R))
    with pytest.raises(OperatorAlgebraError):
        prove("diag(phi) = ")
