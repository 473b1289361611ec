"""`calc` and `explain`: chains that somebody wrote down, of which the kernel accepts every link."""

from __future__ import annotations

from itertools import pairwise

import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.identities.identity import Identity
from operator_algebra.identities.textbook import CHAINS, Link
from operator_algebra.proofs import kernel
from operator_algebra.proofs.chain import Shown
from operator_algebra.proofs.proof import Proof
from operator_algebra.symbols import H, phi, psi


def test_a_calculation_is_proved_link_by_link() -> None:
    good = oa.calc("tau_bar tau_bar", "tau_bar - G H + G H G H", "tau_bar")
    assert good
    assert [reading.claim.name for reading in good.readings] == ["link 1", "link 2"]
    wrong = oa.calc("tau_bar tau_bar", "tau_bar + G H", "tau_bar")
    assert not wrong
    assert "(link 1)" in str(wrong)
    with pytest.raises(oa.errors.InputError, match="at least two"):
        oa.calc("phi")


def explained(name: str) -> tuple[Proof, Identity]:
    proof = oa.explain(name)
    assert isinstance(proof.claim, Identity)
    return proof, proof.claim


@pytest.mark.parametrize("name", CHAINS)
def test_each_link_of_a_textbook_chain_has_a_certificate_of_its_own(name: str) -> None:
    proof, law = explained(name)
    assert proof.verdict == "PROVED"
    certificates = proof.certificate()["proofs"]
    assert len(certificates) == len(proof.steps) == len(CHAINS[name]) <= 8
    assert all(kernel.check(one)["lines"] for one in certificates)
    links = [reading.claim for reading in proof.readings if isinstance(reading.claim, Identity)]
    assert (links[0].lhs, links[-1].rhs) == (law.lhs, law.rhs)
    assert all(before.rhs is after.lhs for before, after in pairwise(links))


@pytest.mark.parametrize("name", CHAINS)
def test_what_it_shows_is_the_chain_with_its_reasons(name: str) -> None:
    proof, law = explained(name)
    assert [step.reason for step in proof.steps if isinstance(step, Shown)] == [reason for _, reason in CHAINS[name]]
    lines = proof.render().splitlines()
    assert lines[0].strip() == law.lhs.render()
    assert lines[-1].strip().startswith(f"= {law.rhs.render()} ")
    latex = proof.render("latex")
    assert latex.startswith(r"\begin{aligned}")
    assert latex.count("{") == latex.count("}")
    assert latex.count("&=") == len(proof.steps)
    assert f"$${latex}$$" == proof._repr_latex_()  # pyright: ignore[reportPrivateUsage]
    assert proof._repr_html_().count("<table") == 1  # pyright: ignore[reportPrivateUsage]


def test_a_law_without_a_textbook_chain_is_explained_by_the_search() -> None:
    proof, law = explained("Riccati equation")
    (reading,) = proof.readings
    assert (proof.verdict, reading.claim, proof.chains) == ("PROVED", law, ((law.name, reading.chain),))
    assert "equation of P" in proof.render()
    assert oa.prove("Riccati equation").readings[1:]


def test_a_wrong_link_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    slip = (Link(H @ phi, "a slip"), Link(H @ psi, "and back"))

    def slipped(_: Identity) -> tuple[Link, ...]:
        return slip

    monkeypatch.setattr("operator_algebra.proofs.calculation.textbook", slipped)
    proof = oa.explain("left exchange")
    assert (proof.verdict, proof.steps) == ("REFUTED", ())
    assert "(a slip)" in str(proof)
    with pytest.raises(InputError, match="nothing was proved"):
        proof.render()


def test_a_statement_is_explained_by_its_schema() -> None:
    proof = oa.explain("articulated below composite inertia")
    assert (proof.verdict, proof.schemas) == ("PROVED", oa.prove("articulated below composite inertia").schemas)


def test_what_is_no_law_is_told() -> None:
    with pytest.raises(InputError, match="Did you mean 'Riccati equation'"):
        oa.explain("Ricati equation")
    with pytest.raises(InputError, match="there is no law"):
        oa.explain("H phi = H psi")
    for name in (7, None, ["left exchange"]):
        with pytest.raises(InputError, match="the name of a law"):
            oa.explain(name)  # pyright: ignore[reportArgumentType]
    for seconds in (0, True, float("nan")):
        with pytest.raises(InputError, match="positive number"):
            oa.explain("left exchange", seconds=seconds)
