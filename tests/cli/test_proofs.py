"""What a terminal says of a proof: the second witness where there is one, LaTeX for the chain alone."""

from __future__ import annotations

from operator_algebra.cli.reporting.proofs import page, proofs_of, second_witness


def test_the_second_witness_speaks_of_what_is_proved_alone() -> None:
    (told,) = proofs_of("inv(I + H phi K) = I - H psi K", seconds=5, quiet=True)
    assert second_witness(told).strip() == "and the compiler makes one value of both sides: proved by value numbering"
    for other in ("innovations factorization", "phi = psi", "articulated below composite inertia"):
        (told,) = proofs_of(other, seconds=5, quiet=True)
        assert second_witness(told) == ""


def test_a_page_is_the_verdict_then_the_chain() -> None:
    (told,) = proofs_of("phi E_phi = phi - I", seconds=5, quiet=True)
    text = page(told, style="unicode", quiet=False)
    assert text.index("PROVED") < text.index("value numbering") < text.index("definition of φ")
    assert page(told, style="unicode", quiet=True) == str(told)
    assert page(told, style="latex", quiet=False).startswith(r"\begin{aligned}")


def test_a_file_of_lean_is_that_alone_and_of_what_is_proved() -> None:
    (told,) = proofs_of("phi E_phi = phi - I", seconds=5, quiet=True)
    assert page(told, style="lean", quiet=False) == told.render("lean")
    (other,) = proofs_of("phi = psi", seconds=5, quiet=True)
    assert page(other, style="lean", quiet=False).startswith("REFUTED")
