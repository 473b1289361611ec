"""Orders of words: total, kept by products, and the same whenever it is asked."""

from itertools import product

import pytest

from operator_algebra.proofs.letters import adjoint, row
from operator_algebra.proofs.order import Order
from operator_algebra.proofs.theory import Theory
from operator_algebra.symbols import E_phi, H, M, P, inv, phi
from tests.proofs.reading import letter


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_words_are_ordered_and_products_keep_the_order(seed: int | None) -> None:
    theory = Theory()
    letters = [letter(theory, e) for e in (E_phi, M, P, phi, phi.T)]
    key = Order(theory, seed).key
    words = [row((), rest) for n in range(3) for rest in product(letters, repeat=n)]
    assert len({key(word) for word in words}) == len(words)
    for u, w in product(words[:12], words):
        for x in letters:
            less = key(u) < key(w)
            assert u == w or less == (key(row((), (x, *u[1]))) < key(row((), (x, *w[1]))))
            assert u == w or less == (key(row((), (*u[1], x))) < key(row((), (*w[1], x))))


def test_a_new_letter_finds_its_place() -> None:
    theory = Theory()
    order = Order(theory)
    first = row((), [letter(theory, H)])
    before = order.key(first)
    late = row((), [letter(theory, phi)])
    assert order.key(late) > before
    assert order.key(first) == before


def test_what_an_equation_gives_is_written_by_its_solution() -> None:
    theory = Theory()
    theory.read(P)
    key = Order(theory).key
    ((given, _),) = theory.read(M).items()
    assert all(key(word) < key(given) for word in theory.equations[letter(theory, P)] if word != given)


def test_an_inverse_as_a_whole_is_written_by_what_it_is() -> None:
    theory = Theory()
    mass = H @ phi @ M @ phi.T @ H.T
    ((whole, _),) = theory.read(inv(mass)).items()
    ((other, _),) = adjoint(theory.read(mass)).items()
    assert Order(theory).key(whole) > Order(theory).key(other)
