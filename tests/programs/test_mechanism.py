"""A mechanism as a program sees it: a tree with block sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.errors import InputError
from operator_algebra.operators.spaces import FORCE, GROUND, MOTION, ONE, RATE, ROUNDING, columns_of, direct_sum, space
from operator_algebra.programs.mechanism import Mechanism

FORK = Mechanism((-1, 0, 0), {"joint": (1, 3, 2), "spatial": (6, 6, 6), "ground": (6,)}, ("base", "left", "right"))


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(*(st.integers(-1, k - 1) for k in range(n)))))
def test_children_are_those_whose_parent_a_body_is(parent: tuple[int, ...]) -> None:
    tree = Mechanism(parent, {})
    assert list(tree.bodies) == list(range(len(parent)))
    for k in tree.bodies:
        assert list(tree.children[k]) == [c for c in tree.bodies if parent[c] == k]


@pytest.mark.parametrize(
    ("of", "sizes"),
    [
        (RATE, (1, 3, 2)),
        (MOTION, (6, 6, 6)),
        (direct_sum([RATE, FORCE]), (7, 9, 8)),
        (columns_of(RATE), (6, 6, 6)),
        (columns_of(RATE, "left"), (3, 3, 3)),
        (columns_of(FORCE, 0), (6, 6, 6)),
        (ONE, (1, 1, 1)),
        (ROUNDING, (2, 2, 2)),
        (GROUND, (6, 6, 6)),
    ],
    ids=str,
)
def test_block_sizes(of: object, sizes: tuple[int, ...]) -> None:
    assert tuple(FORK.size(of, k) for k in FORK.bodies) == sizes  # pyright: ignore[reportArgumentType]


def test_over_all_bodies_sizes_add_up_and_what_belongs_to_none_is_counted_once() -> None:
    assert FORK.whole(RATE) == 6
    assert FORK.whole(direct_sum([RATE, FORCE])) == 6 + 18
    assert FORK.whole(GROUND) == 6
    assert FORK.whole(columns_of(RATE)) == 6


def test_bodies_by_name_or_index() -> None:
    assert [FORK.place(name) for name in ("base", "left", "right", 2, -1)] == [0, 1, 2, 2, 2]
    for nobody in ("nobody", 3, -4):
        with pytest.raises(InputError, match=f"there is no body {nobody!r} among 3"):
            FORK.place(nobody)


def test_sizes_that_nobody_gave_are_told() -> None:
    with pytest.raises(InputError, match="block sizes of contact are not known"):
        FORK.size(space("contact"), 0)
