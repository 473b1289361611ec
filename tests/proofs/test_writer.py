"""Declarations of certificates: names, and what is declared once, in order, and only if it is needed."""

from __future__ import annotations

import operator_algebra as oa
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.theory import Theory
from operator_algebra.proofs.writer import Writer
from operator_algebra.symbols import D, E_phi, G, H, I, K, M, P, R, inv, phi, psi
from tests.proofs.test_certificate import written


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


def test_what_is_declared_of_a_leaf_is_what_the_model_says() -> None:
    (shift,) = [one for one in written("propagation")["declare"] if one[0] == "E_phi"]
    assert shift == ["E_phi", "rigid", "force", "force", "inward hop"]
    assert E_phi.structure.hop


def test_formulas_are_words_and_coefficients() -> None:
    writer = Writer(Theory())
    assert writer.formula(H @ phi @ M @ H.T) == "H phi M H'"
    assert writer.formula(phi / 2 - I) == {"phi": "1/2", "": "-1"}
    assert writer.formula(I) == ""
    assert writer.formula(P - P) == {}


def test_sums_in_words_are_called_as_they_look() -> None:
    writer = Writer(Theory())
    factor = I + H @ phi @ K
    assert writer.formula(factor @ D @ factor.T) == "(I+H·phi·K) D (I+K'·phi'·H')"
    assert writer.formula(H @ (R - 2 * M) @ H.T) == "H (R-2·M) H'"
    assert writer.declared[-1] == ["(R-2·M)", "define", {"R": "1", "M": "-2"}]
    assert writer.formula(H @ (M + E_phi @ (R - 2 * M) @ E_phi.T) @ H.T) == "H (sum) H'"
    assert writer.formula((I - G @ H) @ (I - G @ H)) == "(I-G·H) (I-G·H)"
