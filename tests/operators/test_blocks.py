"""Block matrices: algebra against dense matrices, what they show, and what they refuse."""

from __future__ import annotations

import operator
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.errors import InputError, SingularError, SpaceMismatch
from operator_algebra.evaluation import evaluate
from operator_algebra.models.families import chain, random_tree
from operator_algebra.operators.blockdict import BlockDict
from operator_algebra.operators.blocks import BlockGroup, BlockMatrix
from operator_algebra.operators.layout import Binding, Layout
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, Type
from tests.rounding import apart, condition, rounding, size

NAMES = ("a", "b", "c", "d")
HERE = Binding("model", "toy", NAMES, "body", np.zeros(2))
MIXED = Layout.of([1, 0, 3, 2])
PLAIN = Layout.of([2, 2, 2, 2])


def matmul(a: Any, b: Any) -> Any:
    return a @ b


def made(type_: Type, rows: Layout, cols: Layout, values: Any, *, exact: bool = False) -> BlockMatrix:
    entries = np.asarray(values, dtype=float)
    if exact:
        entries = np.array([[Fraction(x) for x in row] for row in entries.tolist()], dtype=object)
    return BlockMatrix.from_dense(type_, rows, cols, entries.reshape(rows.size, cols.size), HERE)


whole = st.integers(-3, 3).map(float)


def matrices(rows: Layout, cols: Layout) -> st.SearchStrategy[NDArray[np.float64]]:
    return hnp.arrays(np.float64, (rows.size, cols.size), elements=whole)


@given(matrices(MIXED, PLAIN), matrices(MIXED, PLAIN), matrices(PLAIN, MIXED), st.booleans())
@settings(max_examples=60)
def test_algebra_is_that_of_matrices(a: Any, b: Any, c: Any, exact: bool) -> None:
    A, B = (made(FORCE >> TORQUE, MIXED, PLAIN, x, exact=exact) for x in (a, b))
    C = made(TORQUE >> FORCE, PLAIN, MIXED, c, exact=exact)
    assert A.exact is exact
    assert np.array_equal((A + B).dense(), a + b)
    assert np.array_equal((A - B).dense(), a - b)
    assert np.array_equal((-A).dense(), -a)
    assert np.array_equal((Fraction(1, 2) * A).dense(), a / 2)
    assert np.array_equal((A * 3).dense(), 3 * a)
    assert np.array_equal((A @ C).dense(), a @ c)
    assert (A @ C).type == TORQUE >> TORQUE
    assert np.array_equal(A.T.dense(), a.T)
    assert A.T.type == RATE >> MOTION
    assert np.array_equal(A.pattern(), [[bool(A[i, j].any()) for j in range(4)] for i in range(4)])
    assert A.nnz == A.pattern().sum()
    assert np.array_equal((A @ C).diagonal().dense(), np.where(_own(MIXED, MIXED), a @ c, 0))
    norms = [[float(np.linalg.norm(A[i, j].astype(float))) for j in range(4)] for i in range(4)]
    assert apart(A.norms().toarray(), norms) <= rounding(size(norms), terms=36)


def _own(rows: Layout, cols: Layout) -> Any:
    return rows.owner[:, None] == cols.owner[None, :]


@given(matrices(MIXED, PLAIN), st.booleans())
@settings(max_examples=30)
def test_blocks_by_place_and_by_name(a: Any, exact: bool) -> None:
    A = made(FORCE >> TORQUE, MIXED, PLAIN, a, exact=exact)
    for i in range(4):
        for j in range(4):
            expected = a[MIXED.part(i), PLAIN.part(j)]
            assert np.array_equal(A[i, j], expected)
            assert np.array_equal(A[NAMES[i], j - 4], expected)
    wanted = np.array([3, 0, 2, 1]), np.array([0, 0, 3, 2])
    for block, i, j in zip(A.blocks_at(*wanted), *wanted, strict=True):
        assert np.array_equal(block, A[int(i), int(j)])


@given(matrices(MIXED, PLAIN))
@settings(max_examples=30)
def test_the_papers_numbering_reverses_bodies_not_blocks(a: Any) -> None:
    A = made(FORCE >> TORQUE, MIXED, PLAIN, a)
    paper = A.dense("paper")
    rows = [a[MIXED.part(i)] for i in (3, 2, 1, 0)]
    expected = np.hstack([np.vstack(rows)[:, PLAIN.part(j)] for j in (3, 2, 1, 0)])
    assert np.array_equal(paper, expected)
    assert np.array_equal(A.pattern("paper"), A.pattern()[::-1, ::-1])
    with pytest.raises(InputError, match=r"numbering=.* is not known"):
        A.dense("tips first")  # pyright: ignore[reportArgumentType]


def test_blocks_are_made_in_groups() -> None:
    k = np.array([0, 2])
    groups = [BlockGroup(k, k, np.stack([np.eye(2), 2 * np.eye(2)])), BlockGroup(k[:1], k[1:], np.ones((1, 2, 2)))]
    for dtype in (float, complex, object):
        A = BlockMatrix.from_groups(FORCE >> FORCE, PLAIN, PLAIN, groups, HERE, dtype)
        assert A.dtype == dtype
        assert np.array_equal(A[2, 2], 2 * np.eye(2))
        assert np.array_equal(A[0, 2], np.ones((2, 2)))
        assert A.nnz == 3
    empty = BlockMatrix.from_groups(FORCE >> FORCE, PLAIN, PLAIN, [], HERE)
    assert empty.nnz == 0
    assert not empty.dense().any()


def test_many_blocks_are_taken_apart_in_pieces() -> None:
    n = 20_000
    layout = Layout.of(np.tile([1, 2], n // 2))
    k = np.arange(n)
    groups = [BlockGroup(k[i::2], k[i::2], k[i::2, None, None] * np.ones((n // 2, i + 1, i + 1))) for i in (0, 1)]
    A = BlockMatrix.from_groups(RATE >> TORQUE, layout, layout, groups, Binding("m", "m", (), "body"))
    assert all((block == i).all() for i, block in enumerate(A.diagonal_blocks()))
    with pytest.raises(InputError, match=r"entries is too large. Use sparse"):
        BlockMatrix.from_groups(
            RATE >> TORQUE, Layout.of([60_000]), Layout.of([60_000]), [], Binding("m", "m", (), "body")
        ).dense()


def test_columns_and_numbers_lose_their_empty_axes() -> None:
    one = Layout.of([1], attached=False)
    column = made(ONE >> FORCE, PLAIN, one, np.arange(8))
    assert column.dense().shape == (8,)
    assert np.array_equal(column.dense("paper"), [6, 7, 4, 5, 2, 3, 0, 1])
    assert column.T.dense().shape == (1, 8)
    assert (column.T @ made(ONE >> MOTION, PLAIN, one, np.ones(8))).dense().shape == ()
    assert column.pattern().tolist() == [[True], [True], [True], [True]]


@given(st.sampled_from([(1, 1, 1, 1), (1, 3, 2, 0), (6, 6, 6, 6)]), st.integers(0, 100), st.booleans())
@settings(max_examples=40)
def test_inverses(sizes: tuple[int, ...], seed: int, local: bool) -> None:
    layout = Layout.of(sizes)
    values = np.random.default_rng(seed).standard_normal((layout.size, layout.size)) + 3 * np.eye(layout.size)
    if local:
        values = np.where(_own(layout, layout), values, 0)
    A = made(MOTION >> FORCE, layout, layout, values)
    inverse = A.inverse()
    assert inverse.type == FORCE >> MOTION
    assert apart(inverse.dense() @ values, np.eye(layout.size)) <= rounding(
        terms=layout.size, condition=condition(values)
    )
    if layout.size < 10:
        exact = made(MOTION >> FORCE, layout, layout, values, exact=True)
        product = exact.inverse() @ exact
        assert np.array_equal(product.dense(), np.eye(layout.size))


def test_singular_blocks_are_named() -> None:
    with pytest.raises(SingularError, match='singular at joint "c"') as error:
        made(RATE >> TORQUE, PLAIN, PLAIN, np.diag([1, 1, 1, 1, 1, 0, 1, 1.0])).inverse()
    assert error.value.joints == ("c",)
    with pytest.raises(SingularError, match="singular to rounding"):
        made(RATE >> TORQUE, PLAIN, PLAIN, np.ones((8, 8))).inverse()
    with pytest.raises(InputError, match="different block sizes"):
        made(FORCE >> TORQUE, MIXED, PLAIN, np.ones((6, 8))).inverse()


def test_values_of_different_spaces_models_or_configurations_do_not_mix() -> None:
    arm, leg = chain(3, seed=1), chain(3, seed=2)
    q, other = arm.random(0)[0], arm.random(1)[0]
    H, phi = (evaluate(e, arm, q=q) for e in (s.H, s.phi))
    expected = evaluate(s.H @ s.phi, arm, q=q.copy()).dense()
    assert apart((H @ phi).dense(), expected) <= rounding(size(expected), terms=6)
    with pytest.raises(SpaceMismatch, match="different mechanisms"):
        matmul(H, evaluate(s.phi, leg, q=q))
    with pytest.raises(SpaceMismatch, match="at two configurations: their q differ"):
        matmul(H, evaluate(s.phi, arm, q=other))
    with pytest.raises(SpaceMismatch, match="in body axes and one in world axes"):
        matmul(H, evaluate(s.phi, arm, q=q, frame="world"))
    with pytest.raises(SpaceMismatch, match="cannot compose a value force → force with a value force → torque"):
        matmul(phi, H)
    with pytest.raises(SpaceMismatch, match="their spaces differ"):
        operator.add(H, phi)
    with pytest.raises(InputError, match=r"Take its array with \.dense\(\)"):
        matmul(phi, np.eye(18))
    with pytest.raises(InputError, match=r"Take its array with \.dense\(\)"):
        matmul(np.eye(18), phi)
    with pytest.raises(InputError, match="Write A @ B"):
        operator.mul(phi, phi)
    with pytest.raises(SpaceMismatch, match="there is no block 3: 3 blocks"):
        operator.getitem(phi, (3, 0))
    with pytest.raises(SpaceMismatch, match='has no joint "knee"'):
        operator.getitem(phi, ("knee", 0))


def test_one_line() -> None:
    arm = chain(6, seed=1)
    value = evaluate(s.phi, arm, q=arm.neutral())
    expected = "value of φ   force → force   36×36, 6×6 blocks of 6×6, 21 of 36 stored   chain6, body frame"
    assert repr(value) == expected
    long = evaluate((s.phi - s.psi + 2 * s.tau_bar) @ s.phi @ s.tau @ s.phi, arm, q=arm.neutral(), frame="world")
    assert len(repr(long)) <= 100
    assert repr(long).startswith("value of ")
    assert "…" in repr(long)


@pytest.mark.parametrize("n", [1, 3, 64, 65, 300])
def test_html_is_one_small_fragment(n: int) -> None:
    model = random_tree(n, branching=0.9, seed=3)
    html = evaluate(s.phi, model, q=model.neutral())._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert len(html.encode()) <= 30_000
    assert html.count("<svg") == 1
    assert not re.search(r"<script|http", html)
    assert ("stands for" in html) is (n > 64)


def test_html_of_the_worst_pattern_stays_small() -> None:
    layout = Layout.of([1] * 64)
    checkers = np.indices((64, 64)).sum(axis=0) % 2
    html = BlockMatrix.from_dense(
        RATE >> TORQUE, layout, layout, checkers, Binding("m", "<m>", (), "body")
    )._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert len(html.encode()) <= 30_000
    assert "<m>" not in html


def test_exact_values_have_no_sparse_form() -> None:
    exact = made(FORCE >> FORCE, PLAIN, PLAIN, np.eye(8), exact=True)
    assert isinstance(exact.data, BlockDict)
    with pytest.raises(InputError, match=r"no scipy.sparse form"):
        exact.sparse()
    assert exact.dense()[0, 0] == Fraction(1)


def test_sparse_is_a_copy() -> None:
    A = made(FORCE >> FORCE, PLAIN, PLAIN, np.eye(8))
    A.sparse().data[:] = 0
    assert np.array_equal(A.dense(), np.eye(8))


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200, 1e307])
def test_blocks_of_every_size_are_stored_and_measured(size: float) -> None:
    model = chain(2)
    value = evaluate(s.M, model, q=model.neutral())
    small = value.like(value.stored * 0.0 + value.stored.sign() * size)
    assert small.nnz == value.nnz == 2
    count = np.count_nonzero(small[0, 0])
    # A root and a product round once each; what is below the least normal number is rounded to the spacing there.
    left = 4 * np.finfo(np.float64).eps * size * np.sqrt(count) + 2 * np.spacing(size)
    assert abs(small.norms().toarray()[0, 0] - size * np.sqrt(count)) <= left
