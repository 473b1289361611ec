"""Block products are read through the values that name parts of them, and through nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.operators.spaces import FORCE, ONE, Type
from operator_algebra.programs.instructions import Given, Invert, Linear
from operator_algebra.programs.products import expand_products, single_product, straight
from operator_algebra.programs.program import Block
from operator_algebra.programs.records import Ref, Term
from tests.lowering.meant import term

BLOCK = FORCE >> FORCE
LEAVES = {n: Block(BLOCK, Given(None), symmetric=n == 1) for n in (1, 2, 3)}


def block(*terms: Term, type_: Type = BLOCK) -> Block:
    return Block(type_, Linear(terms))


def test_one_plain_product_of_blocks() -> None:
    assert single_product(block(term(1, 2))) == (Ref(1), Ref(2))


@pytest.mark.parametrize(
    "value",
    [
        block(),
        block(term(1)),
        block(term()),
        block(term(1, 2, times=2)),
        block(term(1, 2), term(3)),
        block(Term(Fraction(1), (Ref(1), Ref(2)), (4,))),
        block(term(1, 2), type_=ONE >> FORCE),
        block(term(1, 2), type_=ONE >> ONE),
        Block(BLOCK, Invert(Ref(1))),
    ],
    ids=str,
)
def test_everything_else_is_none(value: Block) -> None:
    assert single_product(value) is None


Words = list[list[tuple[int, bool]]]


@given(st.lists(st.lists(st.tuples(st.integers(1, 12), st.booleans()), min_size=2, max_size=4), max_size=9))
def test_written_out_a_product_is_the_same_word(words: Words) -> None:
    """Value n ≥ 4 is a product of values before it; by letters, turned around under a star."""
    values: dict[int, Block] = dict(LEAVES)
    letters: dict[int, list[tuple[int, bool]]] = {n: [(n, False)] for n in LEAVES}
    for number, word in enumerate(words, start=4):
        factors = [Ref(1 + (n - 1) % (number - 1), star) for n, star in word]
        values[number] = block(Term(Fraction(1), tuple(factors)))
        letters[number] = [pair for ref in factors for pair in read(letters, ref)]
    for number in values:
        for ref in (Ref(number), Ref(number).T):
            expected = tuple(straight(values, Ref(n, star)) for n, star in read(letters, ref))
            assert expand_products(values, (ref,)) == expected


def read(letters: Mapping[int, list[tuple[int, bool]]], ref: Ref) -> list[tuple[int, bool]]:
    found = letters[ref.value]
    return [(n, not star) for n, star in reversed(found)] if ref.star else found


def test_only_what_is_its_own_adjoint_loses_its_star() -> None:
    assert straight(LEAVES, Ref(1).T) == Ref(1)
    assert straight(LEAVES, Ref(2).T) == Ref(2).T
    assert straight(LEAVES, Ref(2)) == Ref(2)


def test_sums_stay_closed() -> None:
    values = {**LEAVES, 4: block(term(1, 2), term(3)), 5: block(term(4, 3))}
    assert expand_products(values, (Ref(5),)) == (Ref(4), Ref(3))
