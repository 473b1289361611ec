"""What a certificate says, as a person writes it."""

import pytest

from operator_algebra.proofs.spelling import assumption, formula, polynomial, spelled, word


@pytest.mark.parametrize(
    ("told", "text"),
    [("phi'", "φ*"), ("tau_bar", "τ̄"), ("inverse(D)", "D⁻¹"), ("inverse(psi)'", "ψ⁻*"), ("root(D)'", "root(D)*")],
)
def test_letters(told: str, text: str) -> None:
    assert spelled(told) == text


def test_words() -> None:
    assert word("H phi M phi' H'") == "H φ M φ* H*"
    assert word("") == "I"


def test_formulas() -> None:
    assert formula({"": "1", "E_phi": "-1"}) == "I − E_φ"
    assert formula("(I-H·psi·K) H phi") == "(I − H ψ K) H φ"
    assert formula({"(H+2·K')'": "-1", "M": "-3/2"}) == "−(H + 2 K*)* − 3/2 M"
    assert formula({"M": "1/2"}) == "1/2 M"
    assert formula("") == "I"
    assert formula({}) == "0"


def test_polynomials_begin_with_their_shortest_words() -> None:
    assert polynomial({"P H' inverse(D) H P": "-1", "P": "1"}) == "P − P H* D⁻¹ H P"
    assert polynomial({}) == "0"
    assert polynomial(dict.fromkeys("ABCDEFGH", "1")).endswith("(2 more terms)")


def test_assumptions() -> None:
    declared = {"declare": [["inverse(D)", "inverse", "H P H'"], ["inverse", "inverse", "M"], ["root(D)", "root", "D"]]}
    assert assumption("inverse(D) exists", declared) == "D is invertible"
    assert assumption("inverse exists", declared) == "M is invertible"
    assert assumption("root(D) exists", declared) == "D is positive definite"
    assert assumption("serial", declared) == "no body carries two others"


def test_what_is_assumed_is_said_without_the_names_of_a_certificate() -> None:
    declared = {"declare": [
        ["(sum)", "define", {"M": "1", "N": "-1"}],
        ["inverse", "inverse", "H (sum) H'"],
        ["diag_2", "diag", {"inverse'": "1", "": "1"}],
        ["inverse_2", "inverse", "B' diag_2 B"],
    ]}  # fmt: skip
    assert assumption("inverse exists", declared) == "H (M − N) H* is invertible"
    assert assumption("inverse_2 exists", declared) == "B* diag((H (M − N) H*)⁻* + I) B is invertible"


def test_the_root_of_what_is_positive_has_an_inverse() -> None:
    declared = {"declare": [["root(D)", "root", "D"], ["inverse", "inverse", "root(D)'"]]}
    assert assumption("inverse exists", declared) == "D is positive definite"
