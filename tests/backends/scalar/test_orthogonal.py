"""Blocks that are not symmetric: inverses and determinants beside LAPACK's, and what is told where there are none."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

from operator_algebra.backends.scalar.algebra import NodeNumbers
from operator_algebra.backends.scalar.graph import Graph
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, SingularError
from operator_algebra.expressions.build import inv, operator, vector
from operator_algebra.expressions.query import logdet
from operator_algebra.models.families import chain
from operator_algebra.operators.spaces import space
from operator_algebra.programs.matrices import Matrix
from tests.rounding import apart, condition, rounding, size

Floats = np.ndarray[Any, Any]
_linalg: Any = np.linalg


class Block:
    """Operations on a block of so many arguments."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.numbers = NodeNumbers.over(Graph())
        graph = self.numbers.graph
        self.block = Matrix([[graph.input(n * i + j) for j in range(n)] for i in range(n)], n)

    def inverse(self, several: Floats) -> Floats:
        """The inverses of several matrices, (..., n, n)."""
        rows = self.numbers.inverse(self.block).rows
        entries = tuple(x for row in rows for x in row)
        _, found = Tape.of(Traced((), entries, (), ()), self.n**2).batch(several.reshape(len(several), -1).T)
        return found.T.reshape(several.shape)

    def size(self, several: Floats) -> Floats:
        """How large the inverses are said to be."""
        entry = self.numbers.norm(self.numbers.inverse(self.block))
        _, found = Tape.of(Traced((), (entry,), (), ()), self.n**2).batch(several.reshape(len(several), -1).T)
        return found[0]

    def determinant(self, several: Floats) -> tuple[Floats, Floats]:
        """Whether determinants are said to be positive, and what they are then."""
        entry = self.numbers.determinant(self.block)
        positive = tuple(self.numbers.positive)
        good, found = Tape.of(Traced((), (entry,), positive, ()), self.n**2).batch(several.reshape(len(several), -1).T)
        return good, found[0]


def matrices(n: int, count: int, seed: int) -> Floats:
    """Random matrices, some of them with a zero in front, columns of different sizes, conditions up to 1e8."""
    rng = np.random.default_rng(seed)
    found = rng.standard_normal((count, n, n)) * 10.0 ** rng.uniform(-3, 3, (count, 1, n))
    found[::3, 0, 0] = 0.0
    found[1::3, -1] = found[1::3, 0] * rng.uniform(1, 2, (len(found[1::3]), 1)) + 1e-5 * found[1::3, -1]
    return found


@pytest.mark.parametrize("n", range(2, 8))
def test_inverses(n: int) -> None:
    """As stable as reflections, columns of any size: errors go by the condition of columns of one size."""
    several = matrices(n, 60, n)
    for a, found in zip(several, Block(n).inverse(several), strict=True):
        lengths = np.linalg.norm(a, axis=0)
        unit = a / lengths
        expected = _linalg.inv(unit)
        allowed = rounding(size(expected), terms=n * n, condition=condition(unit))
        assert apart(found * lengths[:, None], expected) <= allowed


@pytest.mark.parametrize("n", range(2, 6))
def test_determinants(n: int) -> None:
    """Positive ones are found, negative ones never trusted, and rows that cannot stay in their order are left alone."""
    several = matrices(n, 60, n)
    good, found = Block(n).determinant(several)
    signs, logs = np.linalg.slogdet(several)
    assert not good[signs < 0].any()
    assert not good[::3].any()
    free = np.arange(60) % 3 > 0
    assert good[free & (signs > 0)].any()
    worst = max(condition(a / np.linalg.norm(a, axis=0)) for a in several[good])
    assert apart(np.log(found[good]), logs[good]) <= rounding(1.0 + size(logs[good]), terms=n * n, condition=n * worst)


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_what_is_singular_has_no_inverse_or_a_huge_one(n: int) -> None:
    """Equal columns, equal rows, ones, which look harmless when solved for, and zeros; a regular one beside them."""
    a = matrices(n, 7, 1)
    a[:2, :, -1] = a[:2, :, 0]
    a[2:4, -1] = a[2:4, 0]
    a[4], a[5] = np.ones((n, n)), np.zeros((n, n))
    sizes = Block(n).size(a)
    lengths = np.linalg.norm(a, axis=(1, 2))
    assert not (sizes[:6] * lengths[:6] < 1 / (n * rounding(terms=n * n))).any()
    assert sizes[6] * lengths[6] <= n * condition(a[6])


ROWS = space("rows", attached=False)
CROSS, w = operator("S", ROWS >> ROWS), vector("w", ROWS)
FORMULAS = {"solution": inv(CROSS) @ w, "determinant": logdet(CROSS)}


class Told(NamedTuple):
    """What is said of a batch: the error, the warnings, and the results where errors are masked."""

    error: str
    warnings: list[str]
    masked: Any


def told(name: str, backend: str, given: dict[str, Floats]) -> Told:
    """What a backend says of samples."""
    run = compile_program(FORMULAS[name], chain(2), backend=backend)
    q, error = np.zeros((len(given["S"]), 2)), ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            run(q=q, errors="raise", **given)
        except (InputError, SingularError) as raised:
            error = str(raised)
        masked = run(q=q, errors="mask", **given)
    return Told(error, sorted({str(one.message) for one in caught}), masked)


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("bad", ["singular", "nearly", "negative", "swapped"])
def test_a_batch_is_told_of_as_by_the_interpreter(name: str, bad: str) -> None:
    """One bad sample: the same errors, warnings and masks, and the others as if it were not there."""
    rng = np.random.default_rng(3)
    a, sides = np.eye(3) + 0.3 * rng.standard_normal((9, 3, 3)), rng.standard_normal((9, 3))
    spoilt = a.copy()
    spoilt[4] = {
        "singular": np.ones((3, 3)),
        "nearly": np.ones((3, 3)) + 1e-14 * a[4],
        "negative": np.diag([1.0, 1.0, -1.0]),
        "swapped": np.eye(3)[[1, 2, 0]],
    }[bad]
    given = {"w": sides} if name == "solution" else {}
    expected, found = (told(name, one, {"S": spoilt, **given}) for one in ("interpreter", "auto"))
    assert found[:2] == expected[:2]
    assert np.array_equal(np.isfinite(found.masked), np.isfinite(expected.masked))
    others = np.arange(9) != 4
    assert np.array_equal(found.masked[others], told(name, "auto", {"S": a, **given}).masked[others])
    exact = np.linalg.slogdet(a)[1] if name == "determinant" else np.linalg.solve(a, sides[..., None])[..., 0]
    allowed = rounding(size(exact) + 1.0, terms=9, condition=max(condition(one) for one in a[others]))
    assert apart(found.masked[others], exact[others]) <= allowed
