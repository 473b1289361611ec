"""Certificates say what the claim says, in its words, and declare nothing that is not needed."""

from __future__ import annotations

from typing import Any

import pytest

import operator_algebra as oa
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity
from operator_algebra.symbols import E_phi, H, I, K, M, P, R, inv, phi, psi
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


def test_letters_are_called_as_the_claim_calls_them() -> None:
    names = [one[0] for one in written(Identity("exchange", phi - psi, phi @ K @ H @ psi))["declare"]]
    assert {"phi", "psi"} <= set(names)


def test_what_is_equal_is_declared_once() -> None:
    declared = written(Identity("twice", inv(H @ P @ H.T) @ (H @ P @ H.T), I @ inv(H @ P @ H.T) @ (H @ P @ H.T)))[
        "declare"
    ]
    assert len([one for one in declared if one[1] == "inverse"]) == 1


def test_what_nobody_mentions_is_not_declared() -> None:
    unused = oa.define("unused", R @ inv(phi).T)
    declared = written(Identity("nothing", unused - unused + M, M))["declare"]
    assert "M" in [one[0] for one in declared]


def test_operators_of_one_name_are_told_apart() -> None:
    a = oa.operator("A", oa.MOTION >> oa.FORCE, structure="diagonal")
    b = oa.operator("A", oa.MOTION >> oa.FORCE, structure="diagonal symmetric")
    names = [one[0] for one in written(Identity("two", a + b, b + a))["declare"]]
    assert names == ["A", "A_2"]


def test_the_domain_is_declared() -> None:
    certificates = oa.prove("costate decomposition on chains").certificate()["proofs"]
    assert [one["traits"] for one in certificates] == [["serial"], ["serial"]]


def test_what_is_declared_of_a_leaf_is_what_the_model_says() -> None:
    (shift,) = [one for one in written("propagation")["declare"] if one[0] == "E_phi"]
    assert shift == ["E_phi", "rigid", "force", "force", "inward hop"]
    assert E_phi.structure.hop


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
