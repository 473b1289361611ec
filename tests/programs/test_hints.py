"""Whether values are of the kinds that the fields of a record declare: what a text is tested by."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.query import dense
from operator_algebra.lowering.lower import lower
from operator_algebra.programs.hints import fit, is_of
from operator_algebra.programs.instructions import WORDS, Invert, Linear
from operator_algebra.programs.program import Output, Pivot, Report
from operator_algebra.programs.records import Ref, Term


@dataclass
class Pair:
    """A number and a word or nothing."""

    number: int
    word: str | None


FITS: list[tuple[object, Any]] = [
    (3, int),
    (True, bool),
    ("a", str),
    (None, str | None),
    ("a", str | None),
    ("trace", Literal["trace", "logdet"]),
    ((), tuple[int, ...]),
    ((1, 2, 3), tuple[int, ...]),
    ((1, "a"), tuple[int, str]),
    ((), tuple[()]),
    (((1, None), (2, "a")), tuple[tuple[int, str | None], ...]),
    (object(), Any),
    (Ref(1), Ref | None),
]
FITS_NOT: list[tuple[object, Any]] = [
    (True, int),
    (1, bool),
    ("1", int),
    (None, str),
    ("sum", Literal["trace", "logdet"]),
    ([1, 2], tuple[int, ...]),
    ((1, "a"), tuple[int, ...]),
    ((1, True), tuple[int, ...]),
    ((1,), tuple[int, str]),
    ((1, "a", 2), tuple[int, str]),
    ((1,), tuple[()]),
    (((1, 2),), tuple[tuple[int, str | None], ...]),
    (Term(Fraction(1), ()), Ref),
]


@pytest.mark.parametrize(("value", "hint"), FITS, ids=[str(i) for i in range(len(FITS))])
def test_what_fits(value: object, hint: Any) -> None:
    assert is_of(value, hint)


@pytest.mark.parametrize(("value", "hint"), FITS_NOT, ids=[str(i) for i in range(len(FITS_NOT))])
def test_what_does_not(value: object, hint: Any) -> None:
    assert not is_of(value, hint)


def test_a_record_is_fitted_field_by_field_and_in_number() -> None:
    assert fit(Pair, (3, "a"))
    assert fit(Pair, (3, None))
    for content in ((3,), (3, "a", "b"), ("a", 3), ()):
        assert not fit(Pair, content)


def test_instructions_are_fitted() -> None:
    assert fit(Linear, ((Term(Fraction(1), (Ref(2),)),),))
    assert not fit(Linear, (Term(Fraction(1), (Ref(2),)),))
    assert fit(Invert, (Ref(2),))
    assert not fit(Invert, (2,))


def test_all_that_the_compiler_makes_fits() -> None:
    mass = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
    for program in (lower(inv(mass) @ s.T), lower(dense(inv(mass))), lower(inv(mass) @ s.T, method="orthogonal")):
        for step in program.computed.values():
            definition = step.definition
            assert fit(WORDS[definition.word], content(definition))
        for kind, records in ((Output, program.outputs), (Pivot, program.pivots), (Report, (program.report,))):
            assert all(fit(kind, content(record)) for record in records)


def content(record: Any) -> list[object]:
    return [getattr(record, one.name) for one in fields(record)]
