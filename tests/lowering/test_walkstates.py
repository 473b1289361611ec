"""States of walks: those that carry the same, or are read alike, are one; what is left says the same as before."""

from __future__ import annotations

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.query import dense
from operator_algebra.lowering.lower import lower
from operator_algebra.programs.program import Program
from operator_algebra.programs.walk import Walk


def program(text: str) -> Program:
    return lower(dense(formula(text, "a test")))


def walk(text: str) -> Walk:
    found = program(text).outputs[0].walk
    assert found is not None
    return found


ZERO = [
    "inv(I + H phi K) - (I - H psi K)",
    "phi (I - E_phi) - I",
    "phi - psi - phi K H psi",
    "phi - psi - psi K H phi",
    "(I - H psi K) H phi - H psi",
]


@pytest.mark.parametrize("text", ZERO)
def test_of_what_cancels_no_state_is_left(text: str) -> None:
    found = walk(text)
    assert (found.inward, found.outward, found.refs()) == ((), (), ())


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("phi", (1, 0)),
        ("2 phi + psi", (2, 0)),
        ("phi + 3 phi E_phi", (1, 0)),
        ("phi K H psi", (2, 0)),
        ("phi M phi'", (1, 1)),
        ("phi M phi' + phi R phi'", (1, 1)),
    ],
)
def test_how_many_there_are(text: str, states: tuple[int, int]) -> None:
    found = walk(text)
    assert (len(found.inward), len(found.outward)) <= states
    assert len(found.inward) == states[0]


MODELS = [oa.load("tree4"), oa.load("torso2")]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("text", [*ZERO, "phi + 3 phi E_phi", "phi K H psi - phi", "phi M phi' + phi R phi'", "Omega"])
def test_it_is_the_same_operator(text: str, model: oa.Model) -> None:
    q = model.random(seed=5)[0]
    computed = oa.compile(oa.dense(formula(text, "a test")), model)(q=q)
    meant = oa.evaluate(formula(text, "a test"), model, q=q).dense()
    scale = 1.0 + float(np.abs(oa.evaluate("phi R phi'", model, q=q).dense()).max())
    np.testing.assert_allclose(computed, meant, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("text", ["phi - psi + phi K H psi", "phi - phi E_psi - I", "inv(I + H phi K) - (I + H psi K)"])
def test_what_does_not_cancel_stays(text: str) -> None:
    assert walk(text).refs()
