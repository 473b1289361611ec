"""The four answers to an exercise: kinds take what they ask for and refuse everything else in a sentence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra import course
from operator_algebra.course import judge
from operator_algebra.symbols import H, I, K, M, P, inv, phi, psi
from tests.notebooks.answers import junk

KINDS: dict[str, Callable[[object], Any]] = {
    "number": course.number,
    "whole": course.whole,
    "wholes": course.wholes(2),
    "array": course.array(2, 2),
    "arrays": course.arrays([(1, 1), (2, 2)]),
    "one_of": course.one_of("A", "B"),
    "pair_of": course.pair_of(["hip", "knee"]),
    "expression": course.expression(phi, of=(H, K, phi, psi), inverse=False),
    "calculation": course.calculation(phi - psi, phi @ K @ H @ psi),
    "claim": course.claim,
    "model": course.model,
    "check_result": course.check_result,
    "function": course.function(course.number),
}


def never(value: object) -> bool:
    """A task that no answer fulfils."""
    return False


def failing(value: object) -> bool:
    """A task that cannot be asked about this answer."""
    raise ZeroDivisionError("of nothing")


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
@pytest.mark.parametrize("what", junk())
def test_junk_gets_a_sentence(kind: Callable[[object], Any], what: str) -> None:
    verdict = judge(junk()[what], kind, never)
    assert (verdict.word == "not tried") == what.endswith("ellipsis")
    assert verdict.word != "right"
    assert verdict.because or verdict.word != "wrong kind"
    assert "\n" not in str(verdict)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("number", 4),
        ("number", np.float32(0.5)),
        ("number", np.array(0.5)),
        ("whole", np.int64(4)),
        ("wholes", np.array([1, 2])),
        ("wholes", [1, 2]),
        ("array", [[1, 2], [3, 4]]),
        ("arrays", [np.eye(1), np.eye(2)]),
        ("one_of", "B"),
        ("pair_of", ["knee", "hip"]),
        ("expression", I - K @ H @ psi),
        ("expression", "I - K H psi"),
        ("calculation", ["phi - psi", "phi inv(psi) psi - psi", phi @ K @ H @ psi]),
        ("claim", "M = M"),
        ("claim", oa.Identity("mine", M, M)),
        ("model", oa.load("pendulum")),
        ("function", lambda: 1.0),
    ],
)
def test_answers_of_the_right_kind_are_judged(kind: str, answer: object) -> None:
    assert str(judge(answer, KINDS[kind], lambda value: value is not None)) == "right"
    assert str(judge(answer, KINDS[kind], never)) == "wrong"
    assert str(judge(answer, KINDS[kind], failing)) == "wrong: ZeroDivisionError: of nothing"


@pytest.mark.parametrize(
    ("kind", "answer", "sentence"),
    [
        ("number", "4", "the answer is a str, '4'. Give a number."),
        ("number", float("nan"), "the answer is not finite. Give a number."),
        ("whole", 4.0, "the answer is 4.0. Give a whole number."),
        ("array", [1, 2], "the answer is a list, [1, 2]. Give 2 × 2 numbers."),
        ("one_of", "C", """the answer is a str, 'C'. Give one of "A", "B"."""),
        ("expression", H, "the answer is force → torque. Give an expression force → force."),
        ("expression", inv(phi), "the answer has an inverse in it. Write it without one."),
        ("expression", M @ inv(M), "the answer has an inverse in it. Write it without one."),
        ("expression", P @ inv(P), "the answer has an inverse in it. Write it without one."),
        ("expression", "H phi H'", "cannot compose φ with H*"),
        ("calculation", ["phi"], "the answer is a list, ['phi']. Give a list of at least three formulas."),
        ("calculation", [phi, psi, phi], "the calculation does not begin with φ − ψ, but with φ."),
        ("claim", "M", """the answer is a str, 'M'. Give an equation, "lhs = rhs"."""),
        ("model", "arm7", "the answer is a str, 'arm7'. Give a Model."),
    ],
)
def test_what_was_asked_for_is_said(kind: str, answer: object, sentence: str) -> None:
    assert str(judge(answer, KINDS[kind], never)) == f"wrong kind: {sentence}"


def test_letters_that_were_not_asked_for_are_named() -> None:
    kind = course.expression(phi, of=(H, K, psi))
    assert str(judge(phi @ K @ H @ phi, kind, never)) == "wrong kind: the answer mentions φ. Write it in H, K, ψ."
    # P is defined by an equation with M, D and E_φ in it; none of them is written.
    assert str(judge(P, course.expression(M, of=(P,)), never)) == "wrong"


def test_functions_are_judged_by_what_they_give_back() -> None:
    def asked(f: Callable[[], float]) -> bool:
        return f() == 1.0

    kind = KINDS["function"]
    assert str(judge(lambda: 1.0, kind, asked)) == "right"
    assert str(judge(lambda: 2.0, kind, asked)) == "wrong"
    assert str(judge(lambda: None, kind, asked)) == "not tried"
    assert (
        str(judge(lambda: "1", kind, asked)) == "wrong kind: what the function gives back is a str, '1'. Give a number."
    )
    assert str(judge(lambda: list[float]()[0], kind, asked)) == "wrong: IndexError: list index out of range"
