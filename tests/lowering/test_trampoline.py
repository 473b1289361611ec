"""Recursion without the call stack: a generator that yields its recursive calls gives what the recursion gives."""

from __future__ import annotations

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from operator_algebra.lowering.trampoline import Steps, run

Tree = int | list["Tree"]

TREES: st.SearchStrategy[Tree] = st.recursive(
    st.integers(-9, 9), lambda inner: st.lists(inner, max_size=4), max_leaves=20
)


def plainly(tree: Tree) -> int:
    """A sum in which order and depth matter."""
    total = 1
    for part in tree if isinstance(tree, list) else ():
        total = 3 * total + plainly(part)
    return tree if isinstance(tree, int) else total


def stepwise(tree: Tree) -> Steps[int]:
    """The same by steps."""
    total = 1
    for part in tree if isinstance(tree, list) else ():
        found = yield stepwise(part)
        total = 3 * total + found
    return tree if isinstance(tree, int) else total


def depth(n: int) -> Steps[int]:
    """How deep it goes."""
    if not n:
        return 0
    below = yield depth(n - 1)
    return below + 1


@drawn(TREES)
def test_it_gives_what_the_recursion_gives(tree: Tree) -> None:
    assert run(stepwise(tree)) == plainly(tree)


def test_it_goes_as_deep_as_memory() -> None:
    assert run(depth(200_000)) == 200_000


def test_an_error_comes_out_as_it_was_raised() -> None:
    def failing(n: int) -> Steps[int]:
        if not n:
            raise ValueError("at the bottom")
        found = yield failing(n - 1)
        return found

    with pytest.raises(ValueError, match="at the bottom"):
        run(failing(5000))
