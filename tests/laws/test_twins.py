"""Each law has planted wrong twins, and check refutes every one."""

import pytest

from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity, Law, Statement, Twin, false_claim
from tests.laws.verdicts import SMALL, refuted, verdicts

LAWS = list(catalogue().values())
TWINS = [(law, twin) for law in LAWS for twin in law.twins]
NAMES = [f"{law.name}-{k}" for k, (law, _) in enumerate(TWINS)]


@pytest.mark.parametrize("law", LAWS, ids=[law.name for law in LAWS])
def test_a_law_has_a_twin_and_holds(law: Law) -> None:
    assert law.twins
    found = [verdict for name in SMALL for verdict in verdicts(law, name)]
    assert found
    assert set(found) == {"holds"}


@pytest.mark.parametrize(("law", "twin"), TWINS, ids=NAMES)
def test_a_twin_is_refuted_inside_the_domain_of_its_law(law: Law, twin: Twin | Statement) -> None:
    assert refuted(false_claim(law, twin))


def test_twins_are_not_their_laws() -> None:
    for law, twin in TWINS:
        assert (twin.lhs, twin.rhs) != (law.lhs, law.rhs)


def test_slips_of_a_law_are_told_apart() -> None:
    for law in LAWS:
        if isinstance(law, Identity):
            slips = [twin.slip for twin in law.twins]
            assert len(slips) == len(set(slips)), law.name
