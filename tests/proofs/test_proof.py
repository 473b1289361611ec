"""`Proof`: what it says of a claim, what it rests on, and its certificates, short and flat."""

from __future__ import annotations

import json
from typing import Any

import pytest

from operator_algebra.errors import InputError, TheoryError
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs import kernel
from operator_algebra.proofs.proof import Proof
from operator_algebra.proofs.prove import prove
from operator_algebra.symbols import P, tau
from tests.often import some
from tests.proofs.reading import proved

SECONDS = 0.3


def test_a_proof_is_true_only_if_proved() -> None:
    assert bool(prove("factor inverse")) is True
    failed = prove("H phi K = H psi K")
    assert (bool(failed), failed.verdict) == (False, "REFUTED")
    with pytest.raises(InputError, match="no certificate"):
        failed.certificate()


def test_it_tells_what_it_rests_on() -> None:
    assert prove("propagation").assumptions == ()
    assert prove("gain normalisation").assumptions == ("D is invertible",)
    assert "no body carries two others" in prove("costate decomposition on chains").assumptions


def test_a_counter_example_is_shown() -> None:
    failed = prove("P = P tau'", seconds=SECONDS)
    assert str(failed).startswith("REFUTED        claim: P = P τ*")
    assert "counter-example: 1 body" in str(failed)
    assert failed.counterexample is not None


def test_a_claim_of_words_that_nobody_can_draw_is_left_open() -> None:
    """A trait that no model is known to have refutes nothing, and both sides differ in generic matrices."""
    failed = prove(Identity("on odd trees", P, P @ tau.T, domain=("odd",)), seconds=SECONDS)
    assert failed.verdict == "NOT_DERIVABLE"
    assert "left of lhs − rhs: P − P H* D⁻¹ H P" in str(failed)


def test_a_certificate_survives_json() -> None:
    proof = prove("inverse mass matrix")
    assert json.loads(json.dumps(proof.certificate())) == proof.certificate()
    assert isinstance(proof, Proof)


def test_a_forged_certificate_is_not_replayed() -> None:
    proof = prove("propagation")
    certificate = proof.readings[0].certificate
    assert certificate is not None
    certificate["lines"][0][0][""] = "7"
    with pytest.raises(TheoryError, match="refuses"):
        proof.replay()


# -- axioms and flat certificates -------------------------------------------------------------------------------------


def test_axioms_are_called_by_what_they_define() -> None:
    found = prove("H phi M phi' H' = (I + H phi K) D (I + H phi K)'").axioms
    assert sorted(found) == ["D⁻¹ D = I", "definition of φ", "equation of P"]
    assert prove("phi E_phi = phi - I").axioms == ("definition of φ",)
    assert prove("K = E_phi G").axioms == ()
    assert prove("P = R").axioms == ()


def test_the_riccati_equation_is_not_needed_where_any_gain_will_do() -> None:
    """(4.1c) rests on two resolvents, (4.1b) on the equation of P, too."""
    assert not [text for text in prove("left exchange").axioms if text.startswith("equation")]
    assert "equation of P" in prove("innovations factorization").axioms


def sums(proof: dict[str, Any]) -> list[list[Any]]:
    return [line for line in proof["lines"] if is_sum(line)]


RULES = [[name] for name in kernel.FUNCTIONS]


def is_sum(line: list[Any]) -> bool:
    """Whether a line is a sum of multiples of others."""
    return not any(isinstance(ref, str) or (isinstance(ref, list) and ref[:1] in RULES) for _, _, ref, _ in line[1:])


NAMES = [*catalogue()]


@pytest.mark.parametrize("name", some(NAMES, each=6))
def test_flat_certificates_prove_the_same(name: str) -> None:
    proof = proved(name)
    for whole, flat in zip(proof.certificate()["proofs"], proof.flatten()["proofs"], strict=True):
        told, known = kernel.check(flat), kernel.check(whole)
        assert told["claim"] == known["claim"]
        assert set(told["assumed"]) <= set(known["assumed"])
        places = {place for place, line in enumerate(flat["lines"]) if is_sum(line)}
        for _, *terms in sums(flat):
            assert not [ref for *_, ref, _ in terms if isinstance(ref, int) and ref in places], name


def test_what_needs_sums_alone_is_one_line() -> None:
    (flat,) = prove("H phi M phi' H' = (I + H phi K) D (I + H phi K)'").flatten()["proofs"]
    assert len(flat["lines"]) == 1
    assert len(flat["lines"][0]) > len(prove("phi E_phi = phi - I").flatten()["proofs"][0]["lines"][0])


def test_without_a_proof_nothing_is_flat() -> None:
    with pytest.raises(InputError, match="no certificate"):
        prove("P = R").flatten()


def test_what_would_be_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.proofs.facts.LIMIT", 3)
    with pytest.raises(InputError, match="terms"):
        prove("inverse mass matrix").flatten()
