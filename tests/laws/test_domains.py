"""Domains are tight: outside of them a mechanism refutes the law."""

from dataclasses import replace

import pytest

from operator_algebra.checking.verdict import readings
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Law
from operator_algebra.identities.themes.noise import J
from operator_algebra.identities.variants import with_noise
from tests.laws.verdicts import SMALL, refuted, verdicts

LAWS = list(catalogue().values())


def _speaking(word: str) -> list[Law]:
    return [law for law in LAWS if word in law.domain]


@pytest.mark.parametrize("law", _speaking("J = 0"), ids=lambda law: law.name)
def test_a_law_for_no_J_fails_with_J(law: Law) -> None:
    assert refuted(with_noise(law, J))


@pytest.mark.parametrize("word", ["serial", "free base"])
def test_a_law_for_some_mechanisms_fails_on_others(word: str) -> None:
    laws = _speaking(word)
    assert laws
    for law in laws:
        everywhere = replace(law, domain=tuple(other for other in law.domain if other != word))
        assert refuted(everywhere)
        assert not refuted(law)


def test_wider_readings_are_judged_too() -> None:
    names = [reading.name for reading in readings(law_named("factor inverse"))]
    assert names == ["factor inverse", "factor inverse, with J", "factor inverse, for any G"]
    assert [reading.name for reading in readings(law_named("gain normalisation"))] == ["gain normalisation"]


def test_a_gain_that_is_not_any_gain_is_seen() -> None:
    claimed = replace(law_named("innovations factorization"), domain=("any G",))
    assert refuted(claimed)


@pytest.mark.parametrize("law", _speaking("any J"), ids=lambda law: law.name)
def test_a_law_for_any_J_needs_what_J_brings(law: Law) -> None:
    assert all(set(verdicts(law, name)) <= {"holds"} for name in SMALL)
