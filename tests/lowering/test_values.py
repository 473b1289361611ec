"""Values while a formula is lowered: what they are called in messages, and what is left of them in a program."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import matmul
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.operators.spaces import FORCE, ONE
from operator_algebra.programs.instructions import Linear
from operator_algebra.programs.program import Block
from operator_algebra.programs.records import Ref, map_references, references
from tests.lowering.meant import term

BODY = Value(s.M.type, Linear((term(1), term(2, 3))), ("P", "inertia"), origin=s.M)


def test_it_is_called_by_its_first_name_else_by_its_formula() -> None:
    assert BODY.called == "P"
    assert Value(s.M.type, Linear(()), origin=s.M).called == "M"
    assert Value(s.M.type, Linear(())).called == "the formula"


def test_a_long_formula_is_cut() -> None:
    long = matmul(*[s.E_phi] * 4000)
    assert len(Value(long.type, Linear(()), origin=long).formula) < 1000


def test_a_program_has_the_value_without_where_it_came_from() -> None:
    assert BODY.block == Block(BODY.type, BODY.definition, ("P", "inertia"))  # pyright: ignore[reportArgumentType]


def test_an_unknown_is_no_part_of_a_program() -> None:
    with pytest.raises(AssertionError):
        _ = Value(ONE >> FORCE, Unknown((), FORCE)).block


def test_an_unknown_reads_the_values_of_its_equation_at_the_same_body() -> None:
    unknown = Unknown((term(1, 2), term(3)), FORCE)
    assert list(references(unknown)) == [(Ref(1), "L"), (Ref(2), "L"), (Ref(3), "L")]
    assert map_references(unknown, lambda ref: Ref(ref.value + 10)) == Unknown((term(11, 12), term(13)), FORCE)
