"""Letters: one for equal content; the adjoint of an inverse is that of the adjoint; structure follows from parts."""

from fractions import Fraction

from operator_algebra.proofs.letters import RING, adjoint, pattern, times, whole_pattern, word
from operator_algebra.proofs.theory import Theory
from operator_algebra.symbols import D, E_phi, E_psi, H, I, M, P, R, inv, phi, psi, root
from tests.proofs.reading import letter


def test_equal_content_is_one_letter_whatever_it_is_called() -> None:
    theory = Theory()
    assert letter(theory, phi) is letter(theory, inv(I - E_phi))
    assert letter(theory, inv(D)) is letter(theory, inv(H @ P @ H.T))
    assert letter(Theory(), psi) is letter(Theory(), psi)


def test_different_operators_of_one_name_are_two_letters() -> None:
    theory = Theory()
    assert letter(theory, inv(H @ P @ H.T)) is not letter(theory, inv(H @ R @ H.T))


def test_the_adjoint_of_an_inverse_is_the_inverse_of_the_adjoint() -> None:
    theory = Theory()
    assert letter(theory, phi).star is letter(theory, inv((I - E_phi).T))
    assert letter(theory, phi).star.star is letter(theory, phi)


def test_what_is_symmetric_is_its_own_adjoint() -> None:
    theory = Theory()
    assert all((x := letter(theory, e)).star is x for e in (M, P, inv(D)))
    assert letter(theory, root(D)).star is not letter(theory, root(D))


def test_the_adjoint_turns_words_round() -> None:
    theory = Theory()
    h, m = letter(theory, H), letter(theory, M)
    assert adjoint(word(h, m)) == word(m, h.star)


def test_structure_follows_from_what_a_letter_is_made_of() -> None:
    theory = Theory()
    assert repr(letter(theory, phi).structure) == "inward, unit diagonal"
    assert repr(letter(theory, psi.T).structure) == "outward, unit diagonal"
    assert letter(theory, inv(D)).structure.flow == "diagonal"
    assert letter(theory, inv(H @ phi @ M @ phi.T @ H.T)).structure.flow == "full"


def test_a_hop_and_back_stays_at_one_body() -> None:
    theory = Theory()
    e, m, f = letter(theory, E_phi), letter(theory, M), letter(theory, phi)
    assert pattern((e, m, e.star)).flow == "diagonal"
    assert pattern((e.star, m, e)).flow == "full"
    assert pattern((f, m, f.star)).flow == "related"


def test_the_pattern_of_a_sum_counts_units() -> None:
    theory = Theory()
    f = word(letter(theory, phi))
    assert whole_pattern(RING.minus(f, RING.of())).strict
    assert whole_pattern(RING.minus(RING.scaled(Fraction(2), f), RING.of())).unit
    assert whole_pattern(theory.read(E_psi)).strict
    assert not whole_pattern(times(f, f, f)).strict
