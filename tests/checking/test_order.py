"""What a law is told on a large mechanism does not depend on the laws that were probed before it."""

import random
from collections.abc import Sequence

import pytest

from operator_algebra.checking.probed_laws import probe
from operator_algebra.checking.suite import mechanism
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Law

CHAIN = mechanism("chain50")
ALL = list(catalogue().values())
SOME = [
    law_named(name)
    for name in (
        "inverse mass matrix",
        "mixed decomposition",
        "costate entries",
        "a joint removes inertia",
        "left exchange",
        "factor inverse",
        "trace of the kernel",
        "determinant of the mass matrix",
    )
]
"""Laws that share recursions, inverses and random vectors."""


def readings(laws: Sequence[Law]) -> dict[str, str]:
    """Verdict, residual, bound and note of each law, to the last digit."""
    return {outcome.law: repr(outcome) for outcome in probe(CHAIN, laws)}


def others(laws: Sequence[Law], expected: dict[str, str]) -> dict[str, tuple[str, str]]:
    """What reads otherwise in this order."""
    found = readings(laws)
    assert found.keys() == expected.keys()
    return {name: (reading, found[name]) for name, reading in expected.items() if reading != found[name]}


def orders(laws: Sequence[Law], shuffles: int) -> list[list[Law]]:
    """The reverse order, and some at random."""
    rng = random.Random(0)
    return [list(laws[::-1]), *(rng.sample(laws, len(laws)) for _ in range(shuffles))]


def test_some_laws_read_the_same_in_any_order_and_alone() -> None:
    expected = readings(SOME)
    assert len(expected) == len(SOME)
    for order in (*orders(SOME, 2), *([law] for law in SOME)):
        assert not others(order, {law.name: expected[law.name] for law in order})


@pytest.mark.slow
def test_all_laws_read_the_same_in_any_order() -> None:
    expected = readings(ALL)
    assert len(expected) > 100
    for order in orders(ALL, 4):
        assert not others(order, expected)
