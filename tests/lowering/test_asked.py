"""What may be lowered: formulas by name, and sizes of the spaces that they pass."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import operator
from operator_algebra.lowering.asked import checked_sizes, named_formulas, sized_spaces
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import RATE, columns_of, direct_sum, space

CONTACT, POINTS = space("contact"), space("points", attached=False)
A, B = operator("A", RATE >> CONTACT, structure="diagonal"), operator("B", RATE >> POINTS)


def test_formulas_come_by_name_or_alone() -> None:
    assert named_formulas(s.V) == {"": s.V}
    assert named_formulas("H' v") == {"": s.H.T @ s.v}
    assert named_formulas({"a": s.V, "b": "T"}) == {"a": s.V, "b": s.T}
    assert not lower(s.V).keyed
    assert lower({"a": s.V}).keyed
    with pytest.raises(InputError, match="empty"):
        named_formulas({})


def test_spaces_are_those_that_leaves_and_inputs_pass() -> None:
    assert sized_spaces([s.H @ s.phi]) == {"joint"}
    assert sized_spaces([A @ s.v, B @ s.v]) == {"joint", "contact", "points"}
    both = operator("C", RATE >> direct_sum([CONTACT, POINTS]))
    assert sized_spaces([both]) == {"joint", "contact", "points"}
    assert sized_spaces([operator("D", columns_of(CONTACT) >> RATE)]) == {"joint"}


def test_sizes_are_of_such_spaces_and_whole() -> None:
    assert checked_sizes(None, [A @ s.v]) == checked_sizes({}, [A @ s.v]) == {}
    assert checked_sizes({"contact": 3, "joint": 2}, [A @ s.v]) == {"contact": 3, "joint": 2}
    with pytest.raises(InputError, match="points"):
        checked_sizes({"points": 3}, [A @ s.v])
    for wrong in (0, -1, 1.5, "3"):
        with pytest.raises(InputError, match="the size of contact"):
            checked_sizes({"contact": wrong}, [A @ s.v])  # pyright: ignore[reportArgumentType]
