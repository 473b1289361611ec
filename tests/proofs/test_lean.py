"""The text of a proof in Lean 4: each of its lines follows in any ring, read by a reader that shares no code with it.

There is no Lean here. What is tested is what a line says, not that Lean takes it.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import operator
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.spaces import FORCE, ONE
from operator_algebra.proofs.lean import HEAD
from operator_algebra.symbols import phi
from tests.proofs.lean_reader import check, theorems
from tests.proofs.reading import proved


def checked(file: str, seed: int = 0) -> int:
    """All theorems of a file, computed; how many there are."""
    found = list(theorems(file))
    for one in found:
        check(one, np.random.default_rng(seed))
    return len(found)


def test_a_short_one_reads_as_one_would_write_it() -> None:
    text = oa.prove("phi E_phi = phi - I").render("lean")
    theorem = text[text.index("theorem claim") :]
    assert (
        theorem
        == """theorem claim {R : Type*} [Ring R] [StarRing R] (E_phi phi : R)
    (phi_left : phi * (1 - E_phi) = 1)
    (phi_right : (1 - E_phi) * phi = 1)
    : phi * E_phi = phi - 1 := by
  have line_0 : phi * E_phi - phi + 1 = 0 := Eq.trans (by expand []) <|
      multiple (-1) 1 (sub_eq_zero.mpr phi_left)
  exact sub_eq_zero.mp (Eq.trans (by expand []) line_0)

end OperatorAlgebra
"""
    )


@pytest.mark.parametrize("name", catalogue())
def test_each_line_of_each_law_follows(name: str) -> None:
    proof = proved(name)
    lines = [one.certificate for one in proof.readings if one.certificate and len(one.certificate["claim"]) == 2]
    if any(given[:2] == ["one", "one"] for one in lines for _, kind, *given in one["declare"] if kind == "leaf"):
        with pytest.raises(InputError, match="is a number that multiplies operators"):
            proof.render("lean")
        return
    assert checked(proof.render("lean")) == len(lines)


SLIPS = [
    ("phi E_phi = phi - I", "multiple (-1)", "multiple (-2)"),
    ("phi E_phi = phi - I", "phi_left)\n  exact", "phi_right)\n  exact"),
    ("phi E_phi = phi - I", "- phi + 1 = 0", "+ phi + 1 = 0"),
    ("phi E_phi = phi - I", "phi * E_phi = phi - 1 :=", "phi * E_phi = phi :="),
    ("tau P = P tau'", "star P = P", "P = P"),
    ("tau P = P tau'", "= P * star H", "= P * H"),
    ("tau P = P tau'", "have inverse_D_star", "have inverse_star"),
]


@pytest.mark.parametrize(("claim", "old", "new"), SLIPS)
def test_the_reader_finds_slips(claim: str, old: str, new: str) -> None:
    text = oa.prove(claim).render("lean")
    head, below = text[: text.index("/-!")], text[text.index("/-!") :]
    assert checked(text) == 1
    if old not in below:
        pytest.fail(f"nothing to change in\n{below}")
    with pytest.raises((AssertionError, KeyError)):
        checked(head + below.replace(old, new, 1))


def test_what_no_text_says_is_a_hypothesis_with_a_name() -> None:
    text = proved("costate covariance").render("lean")
    (told, *_) = theorems(text)
    for rule in ("rule diag", "a multiple of itself"):
        found = re.search(rf"Taken from the kernel, {rule}: ([\w, ]+)\.", text)
        assert found is not None
        assert all(told.hypotheses[name].endswith(" = 0") for name in found[1].split(", "))


def test_facts_of_brackets_are_hypotheses() -> None:
    text = proved("Jacobi identity").render("lean")
    (told,) = theorems(text)
    assert "fact jacobi: jacobi_fact" in text
    assert told.hypotheses["jacobi_fact"] == "cross - cross_X * cross_Z + cross_Z * cross_X = 0"


def test_of_blocks_there_is_a_comment() -> None:
    text = proved("propagation series").render("lean")
    assert "-- shift: " in text
    assert [one.name for one in theorems(text)] == ["inverse"]


def test_fractions_are_scalars_of_an_algebra() -> None:
    text = oa.prove("phi/2 - phi E_phi/2 = I/2").render("lean")
    assert "[Algebra ℚ R]" in text
    assert "(1/2 : ℚ) • phi" in text
    assert checked(text) == 1


def test_names_that_mean_something_in_lean_are_other_names() -> None:
    names = ("fun", "R", "star", "have")
    a, b, c, d = (operator(name, FORCE >> FORCE) for name in names)
    text = oa.prove(Identity("at", a @ (b + c) @ d, a @ b @ d + a @ c @ d)).render("lean")
    (told,) = theorems(text)
    assert told.name == "at_2"
    assert told.letters == ["fun_2", "R_2", "star_2", "have_2"]
    check(told, np.random.default_rng(0))


def test_numbers_that_multiply_have_no_text() -> None:
    h = operator("h", ONE >> ONE)
    with pytest.raises(InputError, match="h is a number that multiplies operators"):
        oa.prove(Identity("scaled", h * (phi + phi), h * phi + h * phi)).render("lean")


def test_without_a_proof_there_is_no_text() -> None:
    with pytest.raises(InputError, match="no certificate: the verdict is REFUTED"):
        oa.prove("phi = psi").render("lean")


def test_the_file_names_little_of_mathlib() -> None:
    """What is named is in Mathlib for rings with star, and nothing else is."""
    assert len(re.findall(r"\b(?:star|mul|add|sub|smul|neg|zero|one)_\w+", HEAD)) < 40
    assert HEAD.startswith("import Mathlib\n")
