"""Facts know why they are zero, and what they rest on."""

from fractions import Fraction

from operator_algebra.proofs.facts import Fact, Term, collected, resting_on, total, turned
from operator_algebra.proofs.letters import ONE, adjoint
from operator_algebra.proofs.theory import Theory
from operator_algebra.symbols import H, phi
from tests.proofs.reading import letter


def facts() -> tuple[Theory, list[Fact]]:
    theory = Theory()
    theory.read(H @ phi)
    return theory, [Fact(form, why) for why, form in theory.axioms()]


def test_a_sum_of_multiples_is_zero() -> None:
    theory, (left, right) = facts()
    h = ((), (letter(theory, H),))
    made = total([Term(Fraction(2), h, left, ONE), Term(Fraction(-2), h, right, ONE)])
    assert set(made.form.values()) == {2, -2}
    assert list(made.below()) == [left, right]


def test_a_sum_of_one_fact_is_that_fact() -> None:
    _, (left, _right) = facts()
    assert total([Term(Fraction(1), ONE, left, ONE)]) is left


def test_the_adjoint_of_the_adjoint_is_the_fact() -> None:
    _, (left, _right) = facts()
    assert turned(left).form == adjoint(left.form)
    assert turned(turned(left)) is left


def test_equal_terms_are_put_together() -> None:
    _, (left, _right) = facts()
    one = Term(Fraction(1), ONE, left, ONE)
    assert collected([one, one, one._replace(c=Fraction(-2))]) == ()
    assert [term.c for term in collected([one, one])] == [2]


def test_what_a_fact_rests_on_comes_before_it() -> None:
    _, (left, right) = facts()
    inner = total([Term(Fraction(2), ONE, left, ONE)])
    outer = total([Term(Fraction(1), ONE, inner, ONE), Term(Fraction(1), ONE, right, ONE)])
    listed = resting_on(outer)
    assert set(listed) == {left, right, inner, outer}
    assert listed.index(left) < listed.index(inner) < listed.index(outer)
