"""The workbench remembers what was tried, which letters are young, and shows equality by rewriting."""

from operator_algebra.proofs.letters import RING
from operator_algebra.symbols import E_phi, H, I, P, phi, psi
from tests.proofs.reading import bench_of, letter


def test_things_are_said_once() -> None:
    bench = bench_of(phi)
    assert bench.once("tried", 1)
    assert not bench.once("tried", 1)
    assert bench.once("tried", 2)


def test_equality_comes_with_its_reason() -> None:
    bench = bench_of(phi)
    left, right = bench.theory.read(phi @ E_phi), bench.theory.read(phi - I)
    fact = bench.equal(left, right)
    assert fact is not None
    assert fact.form == RING.minus(left, right)
    assert bench.equal(left, {}) is None


def test_axioms_of_new_letters_are_told_once() -> None:
    bench = bench_of(phi)
    assert bench.new_axioms() == []
    bench.theory.read(psi)
    assert len(bench.new_axioms()) == 5
    assert bench.new_axioms() == []


def test_letters_have_an_age() -> None:
    bench = bench_of(phi)
    bench.next_round()
    bench.theory.read(H @ P)
    assert bench.age(letter(bench.theory, phi)) == 0
    assert bench.age(letter(bench.theory, P)) == 1
