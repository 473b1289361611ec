"""Certificates say what the claim says, in its words, and declare nothing that is not needed."""

from __future__ import annotations

from typing import Any

import pytest

import operator_algebra as oa
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity
from tests.proofs.reading import proved


def written(claim: Identity | str) -> dict[str, Any]:
    (one,) = oa.prove(claim).certificate()["proofs"]
    return one


def test_the_claim_reads_as_it_was_written() -> None:
    assert written("H phi M phi' H' = H (phi M phi') H'")["claim"] == ["H phi M phi' H'", "H phi M phi' H'"]
    assert written("H G = I")["claim"] == ["H G", ""]


def test_declarations_are_in_order() -> None:
    declared = written("P = M + E_phi P_plus E_phi'")["declare"]
    assert [one[:2] for one in declared if one[0] == "P"] == [["P", "unknown"], ["P", "equals"]]
    names = [one[0] for one in declared]
    assert names.index("P") < names.index("inverse(D)" if "inverse(D)" in names else "inverse")


def test_the_domain_is_declared() -> None:
    certificates = oa.prove("costate decomposition on chains").certificate()["proofs"]
    assert [one["traits"] for one in certificates] == [["serial"], ["serial"]]


@pytest.mark.parametrize("name", ["propagation exchange", "Riccati equation", "left exchange"])
def test_proofs_are_short(name: str) -> None:
    for one in oa.prove(name).certificate()["proofs"]:
        assert len(one["lines"]) <= 12


def test_half_of_all_laws_need_few_lines() -> None:
    laws = [law for law in catalogue().values() if isinstance(law, Identity)]
    counts = sorted(
        len(one["lines"]) for law in laws if (found := proved(law.name)) for one in found.certificate()["proofs"]
    )
    assert counts[len(counts) // 2] <= 4
