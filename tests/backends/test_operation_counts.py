"""Scalar operations, counted: filter and smoother of a planar chain beside the composite method, as papers count."""

from __future__ import annotations

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.models.model import Model
from tests.applications.test_planar_chain import MASS, SOLVE, planar
from tests.models.test_how_to import PAGES, run


def counted(e: Expr | Query, model: Model) -> int:
    """Additions, subtractions, multiplications and divisions of the generated code, at given sines and cosines."""
    compiled = oa.compile(e, model)
    found = compiled.operations(q=np.ones(model.nq), **{name: np.ones(model.nv) for name in compiled.inputs})
    return sum(number for what, number in found.items() if what not in ("sin", "cos", "negative"))


def test_a_planar_link_takes_as_many_operations_as_in_print() -> None:
    """28 additions, 26 multiplications, 3 divisions for each link, 57 in all; 4 N² for entries of the mass matrix."""
    solving = [counted(SOLVE, planar(count)) for count in range(3, 8)]
    assert set(np.diff(solving).tolist()) == {28 + 26 + 3}
    filling = [counted(oa.dense(MASS), planar(count)) for count in range(4, 9)]
    assert set(np.diff(filling, n=2).tolist()) == {2 * 2 * 2}


def test_the_filter_is_shorter_from_five_links_on() -> None:
    """Than the mass matrix and Gaussian elimination, N³ / 3 + N² additions and as many multiplications."""
    shorter = {
        count: counted(SOLVE, planar(count)) < counted(oa.dense(MASS), planar(count)) + 2 * (count**3 / 3 + count**2)
        for count in range(3, 9)
    }
    assert [count for count, yes in shorter.items() if yes] == [5, 6, 7, 8]


def test_the_table_of_the_page() -> None:
    """Both ways beside each other, as `docs/explain/estimation.md` shows them, and what is printed of them."""
    found = [
        (n, counted(SOLVE, planar(n)), counted(oa.dense(MASS), planar(n)), round(2 * (n**3 / 3 + n**2)))
        for n in range(3, 8)
    ]
    shown, names = run(str(PAGES.parent / "explain" / "estimation.md"))
    assert [tuple(row) for row in names["rows"]] == found
    assert all(" ".join(map(str, row)) in " ".join(shown.split()) for row in found)
    # 27 N operations of a kind, against N³/3 + N² to eliminate and 2 N² + 7 N, by the rows of the table, to assemble.
    filter_, rows, text = ([f(n) for n in range(1, 9)] for f in (_filter, _by_rows, _by_text))
    assert [n for n, a, b in zip(range(1, 9), filter_, rows, strict=True) if a < b] == [5, 6, 7, 8]
    assert [n for n, a, b in zip(range(1, 9), filter_, text, strict=True) if a < b] == [4, 5, 6, 7, 8]


def _filter(n: int) -> float:
    return (28 + 26) / 2 * n


def _by_rows(n: int) -> float:
    """6 additions and 4 multiplications for each link, 3 and 5 for each pair: half of them of each kind."""
    return n**3 / 3 + n**2 + n * (6 + 4) / 2 + n * (n + 1) / 2 * (3 + 5) / 2


def _by_text(n: int) -> float:
    return n**3 / 3 + n**2 + 2 * n * (n + 5)


def test_what_is_interpreted_is_no_list_of_operations() -> None:
    chain = oa.chain(3)
    assert oa.compile(SOLVE, chain).operations(q=chain.neutral(), T=np.ones(3)) == oa.compile(
        SOLVE, chain, threads=2
    ).operations(q=chain.random(1)[0], T=np.zeros(3))
    with pytest.raises(InputError, match="is interpreted for"):
        oa.compile(SOLVE, chain, frame="world").operations(q=chain.neutral(), T=np.ones(3))
    with pytest.raises(InputError, match="gives closed forms, not numbers"):
        oa.compile(MASS, chain, backend="sympy").operations(q=chain.neutral())
