"""Structure is about the tree: every table is compared with patterns on random forests, entry by entry."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra.errors import InputError
from operator_algebra.operators.structure import (
    FLAGS,
    FLOWS,
    Flow,
    Structure,
    is_within,
    join_flow,
    multiply_flow,
)

Pattern = NDArray[np.bool_]
ON_TREES: tuple[Flow, ...] = ("zero", "diagonal", "inward", "outward", "related", "full")


def pattern(flow: str, parent: list[int]) -> Pattern:
    """The largest pattern of a flow: row body, column body."""
    n = len(parent)
    above = np.eye(n, dtype=bool)
    for k in range(n):
        if parent[k] >= 0:
            above[:, k] |= above[:, parent[k]]
    table = {
        "zero": np.zeros((n, n), dtype=bool),
        "diagonal": np.eye(n, dtype=bool),
        "inward": above,
        "outward": above.T,
        "related": above | above.T,
        "full": np.ones((n, n), dtype=bool),
    }
    return table[flow]


# Deep and branched enough for every path that a product of two flows can take.
BUSHY = [-1, 0, 1, 2, 1, 4, 0, 6, 6, -1, 9, 9]


def smallest(found: Pattern, parent: list[int]) -> Flow:
    return next(flow for flow in ON_TREES if not (found & ~pattern(flow, parent)).any())


@pytest.mark.parametrize(("a", "b"), list(itertools.product(ON_TREES, ON_TREES)))
def test_the_product_table_is_exact(a: Flow, b: Flow) -> None:
    found = (pattern(a, BUSHY).astype(int) @ pattern(b, BUSHY).astype(int)) > 0
    assert multiply_flow(a, b) == smallest(found, BUSHY)


@pytest.mark.parametrize(("a", "b"), list(itertools.product(ON_TREES, ON_TREES)))
def test_the_sum_table_is_exact(a: Flow, b: Flow) -> None:
    joined = join_flow(a, b)
    assert joined == smallest(pattern(a, BUSHY) | pattern(b, BUSHY), BUSHY)
    assert is_within(a, b) == (joined == b)


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(*[st.integers(-1, k - 1) for k in range(n)])), st.data())
def test_the_tables_hold_on_every_forest(parents: tuple[int, ...], data: st.DataObject) -> None:
    parent = list(parents)
    a, b = data.draw(st.sampled_from(ON_TREES)), data.draw(st.sampled_from(ON_TREES))
    product = (pattern(a, parent).astype(int) @ pattern(b, parent).astype(int)) > 0
    assert not (product & ~pattern(multiply_flow(a, b), parent)).any()
    assert not ((pattern(a, parent) | pattern(b, parent)) & ~pattern(join_flow(a, b), parent)).any()


@given(st.sampled_from(ON_TREES), st.sampled_from(ON_TREES), st.sampled_from(ON_TREES))
def test_sums_are_a_semilattice_and_products_grow_with_their_factors(a: Flow, b: Flow, c: Flow) -> None:
    assert join_flow(a, b) == join_flow(b, a)
    assert join_flow(join_flow(a, b), c) == join_flow(a, join_flow(b, c))
    assert join_flow(a, a) == a
    assert is_within(multiply_flow(a, c), multiply_flow(join_flow(a, b), c))
    assert is_within(multiply_flow(c, a), multiply_flow(c, join_flow(a, b)))


def test_words_and_what_they_imply() -> None:
    assert Structure.of("inward hop").flags == {"hop", "strict"}
    assert Structure.of("diagonal definite").has("symmetric", "semidefinite", "invertible", "onto")
    assert Structure.of("diagonal, symmetric") == Structure.of("symmetric diagonal")
    assert Structure.of("").flow == "full"
    assert Structure.of("inward unit").invertible


@pytest.mark.parametrize(
    "words", ["upper", "diagonal hop", "full hop", "inward unit strict", "diagonal strict definite"]
)
def test_contradictions_are_refused(words: str) -> None:
    with pytest.raises(InputError):
        Structure.of(words)


@given(st.sampled_from(FLOWS), st.lists(st.sampled_from(FLAGS), max_size=3))
def test_the_star_is_an_involution(flow: Flow, flags: list[str]) -> None:
    try:
        structure = Structure.make(flow, flags)
    except InputError:
        return
    assert structure.T.T.flow == flow
    assert structure.T.T.flags <= structure.flags
    assert structure.T.flags >= structure.flags - {"onto"}


def test_onto_does_not_survive_the_star_unless_invertible() -> None:
    assert not Structure.of("diagonal onto").T.has("onto")
    assert Structure.of("diagonal invertible").T.has("onto")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("diagonal definite", "block-diagonal, symmetric, definite"),
        ("inward hop", "inward, hop"),
        ("inward strict", "inward, strict"),
        ("inward unit", "inward, unit diagonal"),
        ("diagonal unit", "block-diagonal"),
        ("zero symmetric", "zero"),
        ("full symmetric semidefinite", "full, symmetric, semidefinite"),
    ],
)
def test_text(words: str, text: str) -> None:
    assert repr(Structure.of(words)) == text
