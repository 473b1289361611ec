"""Laws that are discovered: each with a proof that the kernel accepts, and none that is refuted."""

from __future__ import annotations

from functools import cache
from time import process_time

import pytest

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.errors import InputError
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs import laws
from operator_algebra.proofs.laws import Laws, discover_laws
from tests.proofs.test_fingerprints import VOCABULARY

JOINT = ("H", "P", "G", "tau", "D")


@cache
def of_a_joint() -> Laws:
    return discover_laws(JOINT, length=2)


def test_the_laws_of_a_joint() -> None:
    assert [law.formula() for law in of_a_joint()] == [
        "H G = I",
        "H τ = H",
        "G D = P H*",
        "τ P = P τ*",
        "τ G = G",
        "τ τ = τ",
    ]


def test_each_law_has_a_proof_that_the_kernel_accepts() -> None:
    found = of_a_joint()
    assert found.proved == tuple(proof.claim for proof in found.proofs)
    for proof in found.proofs:
        assert proof.verdict == "PROVED"
        proof.replay()


def test_every_fourth_law_holds_on_mechanisms() -> None:
    for law in of_a_joint().proved[::4]:
        assert oa.check(law, oa.random_tree(5, seed=1), samples=2, progress=False).holds


@pytest.mark.slow
def test_between_23_operators_all_laws_are_proved_within_a_minute() -> None:
    start = process_time()
    found = discover_laws(VOCABULARY, length=3, progress=False)
    assert process_time() - start < 60
    assert len(found) > 140
    assert len(found) >= 0.97 * (len(found) + len(found.conjectures))
    assert not [law for law in found.conjectures if "diag" not in law.formula()]


def test_block_diagonals_of_words_that_lead_away_and_back() -> None:
    found = discover_laws([s.E_phi, s.phi, s.psi, s.M, s.R, s.P], length=3, progress=False)
    texts = {law.formula() for law in found}
    assert texts >= {"diag(φ M φ*) = R", "diag(φ M ψ*) = P", "diag(E_φ R φ*) = R − M", "E_φ φ = φ − I"}
    assert not found.conjectures


def test_operators_of_a_user() -> None:
    """A composite inertia of one's own, and the law that its diagonal solves the recursion."""
    lumped = oa.define("lumped", s.phi @ s.M @ s.phi.T)
    found = discover_laws([lumped, s.E_phi, s.R], length=3, progress=False)
    assert "diag(lumped) = R" in {law.formula() for law in found}


def test_what_is_not_proved_is_a_conjecture_and_what_is_refuted_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fingerprint may be an accident, and a search may end too early."""
    fact, slip = Identity("fact", s.H @ s.G, s.I), Identity("slip", s.H @ s.tau, 2 * s.H)
    guess = Identity("guess", s.diag(s.phi @ s.M @ s.phi.T), s.R)

    def told(operators: object, **options: object) -> tuple[Identity, ...]:
        return slip, fact, guess

    def proof_of(law: Identity, *given: object) -> oa.Proof:
        return oa.Proof(law, ()) if law is guess else oa.prove(law)

    monkeypatch.setattr(laws, "relations", told)
    monkeypatch.setattr(laws, "proof_of", proof_of)
    found = discover_laws(JOINT, length=2, progress=False)
    assert [law.name for law in found] == ["fact"]
    assert [law.name for law in found.conjectures] == ["guess"]
    assert "1 conjecture" in repr(found)
    assert str(found).splitlines()[-2:] == ["conjectures", "  diag(φ M φ*) = R"]


def test_those_of_some_operators() -> None:
    found = of_a_joint().of("tau", s.P)
    assert [law.formula() for law in found] == ["τ P = P τ*"]
    with pytest.raises(InputError, match="none of the operators"):
        of_a_joint().of("phi")


def test_those_that_no_record_says() -> None:
    """H G = I and τ τ = τ are laws of the catalogue, τ P = P τ* is what τ is by definition."""
    assert [law.formula() for law in of_a_joint().new] == ["τ G = G"]


def test_what_it_says() -> None:
    found = of_a_joint()
    assert repr(found) == "6 laws, all proved   words of up to 2 of H, P, G, τ, D"
    assert str(found).splitlines()[1] == "  H G = I"
    assert found.render("ascii").splitlines()[3] == "tau P = P tau'"
    assert len(found) == len(list(found)) == 6
    assert "8 operators" in repr(Laws((*found.operators, s.phi, s.psi, s.K), 2, ()))


def test_progress_is_told() -> None:
    told: list[tuple[int, int | None]] = []
    discover_laws(["E_phi", "phi"], length=2, progress=lambda done, total, text: told.append((done, total)))
    assert told[0] == (0, None)
    assert told[-1][0] == told[-1][1] == len(told) - 2


@pytest.mark.parametrize(
    ("symbols", "options", "says"),
    [
        ("H", {}, "Give a list of operators"),
        ([], {}, "no symbols"),
        ([3], {}, "takes a formula"),
        (["I"], {}, "in every word already"),
        (["H"], {"length": 0}, "length is 0"),
        (["H"], {"length": 7}, "too large"),
        (["H"], {"diagonals": 1}, "diagonals is 1"),
        (["H"], {"seconds": 0}, "seconds is 0"),
        (["root(armature)"], {}, "no exact value"),
        (["inv(H P H.T - D)"], {}, "Check what is inverted"),
    ],
)
def test_wrong_arguments(symbols: object, options: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        discover_laws(symbols, **options)  # pyright: ignore[reportArgumentType]
