"""The Riccati equation and the innovations factorization, found from H φ M φ* H* alone; and the inverse, proved."""

from __future__ import annotations

from functools import cache

import pytest

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Fixpoint, Inverse
from operator_algebra.expressions.traverse import postorder
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.discover import Discovery, derive, discover
from operator_algebra.proofs.proof import Proof

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
J = oa.operator("J", oa.RATE >> oa.TORQUE, structure="diagonal semidefinite")
B = oa.operator("B", oa.FORCE >> oa.space("foot").dual, structure="diagonal")
h = oa.scalar("h")

OPERATORS = (
    MASS,
    MASS + J,
    MASS + h * s.damping + h * h * J,
    s.phi @ s.M @ s.phi.T,
    s.H @ s.psi @ s.M @ s.psi.T @ s.H.T,
    s.H @ s.phi @ (s.M + s.P) @ s.phi.T @ s.H.T + 2 * J,
    B @ s.phi @ s.M @ s.phi.T @ B.T,
)


@cache
def found(e: oa.Expr) -> Discovery:
    return discover(e)


def right(proof: Proof) -> oa.Expr:
    assert isinstance(proof.claim, Identity)
    return proof.claim.rhs


@pytest.mark.parametrize("e", OPERATORS, ids=lambda e: e.render())
def test_product_and_equation_are_proved(e: oa.Expr) -> None:
    made = found(e)
    assert made
    for proof in (made.equation, made.factorization):
        assert proof.verdict == "PROVED"
        proof.replay()
    factor = 1 * s.I + made.propagation @ made.gain
    assert right(made.factorization) == factor @ made.pivot @ factor.T
    assert made.pivot.structure.flow == made.unknown.structure.flow == "diagonal"


@pytest.mark.parametrize(("e", "known"), [(MASS, s.innovations(0)), (MASS + J, s.innovations(J))], ids=["plain", "J"])
def test_what_is_found_is_what_the_papers_have(e: oa.Expr, known: s.Innovations) -> None:
    made = found(e)
    for new, old in ((made.unknown, known.P), (made.pivot, known.D), (made.gain, known.K)):
        assert oa.prove(Identity("the same", new, old))


def test_the_equation_is_that_of_riccati() -> None:
    equation = found(MASS).equation.claim
    assert equation.formula() == "M = P − E_φ P E_φ* + K D K*"
    assert isinstance(found(MASS).unknown, Fixpoint)


def test_it_holds_on_a_mechanism() -> None:
    claim = found(MASS + J).factorization.claim
    assert oa.check(claim, oa.random_tree(5, seed=2), samples=2, progress=False).holds


def test_with_a_changed_gain_it_is_false() -> None:
    made = found(MASS)
    factor = s.I + made.propagation @ s.phi @ made.gain
    assert oa.prove(Identity("slip", MASS, factor @ made.pivot @ factor.T)).verdict == "REFUTED"


def test_names_that_the_formula_has_are_left_alone() -> None:
    made = found(OPERATORS[5])
    assert isinstance(made.unknown, Fixpoint)
    assert (made.unknown.name, made.pivot.name) == ("P_2", "D")
    assert isinstance(named := discover(MASS, unknown="X").unknown, Fixpoint)
    assert named.name == "X"


@pytest.mark.parametrize("e", [*OPERATORS[:3], OPERATORS[4]], ids=lambda e: e.render())
def test_the_inverse_is_proved_from_both_sides(e: oa.Expr) -> None:
    proof = derive(oa.inv(e))
    assert proof
    proof.replay()
    assert [part.claim.name for part in proof.readings] == ["inverse from the right", "inverse from the left"]
    assert not [text for text in proof.assumptions if e.render() in text]
    whole = [node for node in postorder(right(proof)) if isinstance(node, Inverse) and node.structure.flow == "full"]
    assert whole == []


def test_inverses_of_factors_need_no_inverse() -> None:
    proof = derive("inv(I + H phi K) T")
    assert right(proof).render() == "(I − H ψ K) T"
    assert [part.claim.name for part in proof.readings] == [
        "inverse from the right",
        "inverse from the left",
        "derived",
    ]
    assert proof
    proof.replay()


def test_the_inverse_is_that_of_the_matrix() -> None:
    claim = Identity("inverse", oa.inv(MASS), right(derive(oa.inv(MASS))))
    assert oa.check(claim, oa.random_tree(5, seed=3), samples=2, progress=False).holds


def test_the_inverse_lowers_to_two_sweeps() -> None:
    proof = derive(oa.inv(MASS) @ s.T)
    assert proof.readings[-1].claim.name == "derived"
    assert len(oa.lower(right(proof)).sweeps) == 2


def test_the_frame_of_the_factors() -> None:
    made = discover(MASS, frame=["I", s.H @ s.phi])
    assert right(made.factorization) == right(found(MASS).factorization)
    for frame in (["I", "H psi"], ["H phi", "I"], ["I"], []):
        with pytest.raises(InputError, match=r"Leave it out, or give I and H φ"):
            discover(MASS, frame=frame)
    with pytest.raises(InputError, match="two operators"):
        discover(MASS, frame="H phi")


def test_a_form_is_derived_to_be_lowered() -> None:
    assert right(derive("inv(I + H phi K)", goal="lowerable")).render() == "I − H ψ K"
    with pytest.raises(InputError, match=r"no inverse of a whole matrix"):
        derive("inv(I + H phi K)", goal="short")  # pyright: ignore[reportArgumentType]


def test_what_it_says() -> None:
    assert "M = P_2 − E_ψ P_2 E_ψ* + K D K*" in repr(found(OPERATORS[4])).replace("D_2", "D").replace("K_2", "K")
    assert repr(found(MASS)).splitlines()[-1].strip() == "K = E_φ P H* D⁻¹"


@pytest.mark.parametrize(
    "e", ["H", "H phi M", "inv(D)", "phi.T H.T inv(D) H phi", "H phi M psi.T H.T", "phi M phi.T + psi M psi.T"]
)
def test_what_has_another_form_is_refused(e: str) -> None:
    with pytest.raises(InputError, match="is not of the form"):
        discover(e)


@pytest.mark.parametrize("e", ["H", "inv(D) T", "inv(I - E_phi)"])
def test_without_an_inverse_there_is_nothing_to_derive(e: str) -> None:
    with pytest.raises(InputError, match="no inverse of a whole matrix"):
        derive(e)
