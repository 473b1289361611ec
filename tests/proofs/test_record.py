"""What pages call proved: the kernel accepts it today, and a law that has changed is proved no more."""

from __future__ import annotations

from dataclasses import replace

from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.evidence import record
from operator_algebra.identities.facts import certified, evidence
from operator_algebra.identities.identity import Identity
from operator_algebra.symbols import P, R
from tests.proofs.record import gather


def test_the_kernel_accepts_all_that_is_called_proved_and_nothing_is_forgotten() -> None:
    assert gather() == dict(record())


def test_another_formula_or_domain_is_not_proved_by_the_record() -> None:
    law = law_named("factor inverse")
    assert isinstance(law, Identity)
    assert evidence(law) == "proved"
    assert certified(replace(law, rhs=law.rhs + law.rhs)) is None
    assert evidence(replace(law, domain=("serial",))) == "sampled"
    assert evidence(Identity("own", P, R)) == "sampled"
