"""Stacked equations made triangular: what dense algebra says of them, however many rows are mostly zeros."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from operator_algebra.backends.numpy.arrays import Block
from operator_algebra.backends.numpy.blocks import solve
from operator_algebra.backends.numpy.equations import Equations
from operator_algebra.backends.numpy.triangles import stacked

EPS = np.finfo(float).eps
SAMPLES = 3
pytestmark = pytest.mark.usefixtures("as_executables_divide")


@pytest.fixture
def as_executables_divide() -> Iterator[None]:
    """What is divided by zero is chosen away."""
    with np.errstate(all="ignore"):
        yield


def drawn(blocks: int, rng: np.random.Generator) -> tuple[Equations, Block, Block, int]:
    """Unknowns of up to six, each equation with three of them; as dense matrices, with the columns of the others."""
    equations = Equations()
    sizes = [int(n) for n in rng.integers(1, 7, blocks)]
    places = equations.columns(sizes)
    (others,) = equations.columns([3])
    width = others.start
    matrix, constant = np.zeros((SAMPLES, width, others.stop)), rng.normal(size=(SAMPLES, width, 1))
    row = 0
    for k, size in enumerate(sizes):
        terms = [(places[k], np.eye(size) * 4.0)]
        for column in (places[int(rng.integers(blocks))], others):
            terms.append((column, rng.normal(size=(SAMPLES, size, column.stop - column.start)) / 4))
        for column, block in terms:
            matrix[:, row : row + size, column] += block
        equations.add(size, terms, constant[:, row : row + size])
        row += size
    return equations, matrix, constant, width


@pytest.mark.parametrize("salt", [None, 1])
@pytest.mark.parametrize(("blocks", "seed"), [(1, 0), (4, 1), (12, 2), (18, 3), (25, 4), (60, 5)])
def test_unknowns_and_determinants_are_those_of_dense_algebra(blocks: int, seed: int, salt: int | None) -> None:
    rng = np.random.default_rng(seed)
    equations, matrix, constant, width = drawn(blocks, rng)
    found = equations.triangularised(width, width, salt)
    inner, other = matrix[..., :width], rng.normal(size=(SAMPLES, 3, 1))
    expected = np.linalg.solve(inner, constant - matrix[..., width:] @ other)
    # Backward stable in `width` reflections.
    allowed = 8 * width * EPS * np.linalg.cond(inner)
    size = np.abs(expected).max(axis=(-2, -1))
    assert (np.abs(found.solved(other) - expected).max(axis=(-2, -1)) <= allowed * size).all()
    sign, logdet = np.linalg.slogdet(inner)
    assert (found.negative == (sign < 0)).all()
    summed = width * EPS * np.abs(logdet)
    assert (np.abs(found.logdet + found.exponent * np.log(2.0) - logdet) <= allowed + summed).all()


@pytest.mark.parametrize(("blocks", "seed"), [(4, 0), (25, 1), (60, 2)])
def test_a_row_that_depends_on_the_others_leaves_no_digit(blocks: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    equations, matrix, _, width = drawn(blocks, rng)
    healthy = equations.triangularised(width, width, salt=0)
    assert (healthy.kept > 1e-4).all()
    columns = slice(0, matrix.shape[-1])
    equations.add(1, [(columns, rng.normal(size=(SAMPLES, 1, width)) @ matrix)])
    singular = equations.triangularised(width + 1, width + 1, salt=0)
    # Rounding over rounding, both with signs by chance: seldom ten times as much as eps of each row.
    assert (singular.kept < 10 * width * EPS).all()


@pytest.mark.parametrize(("size", "apart"), [(3, 1.0), (8, 1e-3), (8, 1e-9), (20, 1e-6)])
def test_what_rounding_makes_of_a_diagonal_is_no_luck(size: int, apart: float) -> None:
    """At least what half an eps of the matrix does in the mean, at most that of all reflections at their largest."""
    rng = np.random.default_rng(size)
    matrix = rng.normal(size=(size, size))
    matrix[:, -1] = matrix[:, :-1] @ rng.normal(size=size - 1) + apart * matrix[:, -1]
    matrix /= np.abs(matrix).max(axis=1)[:, None]
    equations = Equations()
    (unknowns,) = equations.columns([size])
    equations.add(size, [(unknowns, matrix)])
    found = equations.triangularised(size, size, salt=0)
    ordered = matrix[:, np.argsort(found.places)]
    least, most = 1.0, 1.0
    for j in range(size):
        x = np.ones(j + 1)
        x[:j] = -np.linalg.pinv(ordered[:, :j]) @ ordered[:, j]
        left = ordered[:, : j + 1] @ x
        entry = np.linalg.norm(left)
        alone = np.linalg.norm(np.outer(left / entry, x) * ordered[:, : j + 1])
        # Reflections keep the lengths of columns; v β |v|* |a| is twice as long as a at most.
        every = np.sqrt(1.0 + 4.0 * (j + 1)) * np.linalg.norm(x * np.linalg.norm(ordered[:, : j + 1], axis=0))
        least, most = min(least, 2.0 * entry / every), min(most, 2.0 * entry / alone)
    slack = 1.0 + size * EPS / least
    assert least / slack <= found.kept <= most * slack


def test_no_equations_for_no_unknowns_say_nothing() -> None:
    """As at a body whose joint has no degree of freedom."""
    equations = Equations()
    (given,) = equations.columns([3])
    equations.add(0, [(given, np.zeros((4, 0, 3)))])
    found = equations.triangularised(0, 0, salt=0)
    assert found.rest.shape == (4, 0, 3)
    assert found.kept.tolist() == [1.0] * 4
    assert found.logdet.tolist() == found.exponent.tolist() == [0.0] * 4
    assert not found.negative.any()


@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("thin", [1e-6, 1e-13, 1e-19])
def test_the_constant_of_a_definition_takes_no_digits(size: float, thin: float) -> None:
    """x = y + a and z = t x − c where t is small: of z alone, x would be what a difference of c leaves."""
    rng = np.random.default_rng(0)
    mixed = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    y, a, c = size * rng.normal(size=(3, 3, 1))
    equations = Equations()
    x, z, given = equations.columns([3, 3, 3])
    equations.add(3, [(x, mixed), (given, -mixed)], mixed @ a)
    equations.add(3, [(z, -np.eye(3)), (x, thin * np.eye(3))], c, defines=z)
    found = equations.triangularised(3, 6, salt=0)
    relation = found.relation
    left = solve(relation.own, relation.constant - relation.others @ y)
    unknowns = found.placed(stacked([found.solved(stacked([left, y])), left]))
    # Backward stable in six columns.
    allowed = 8 * 6 * EPS
    assert np.abs(unknowns[x] - (y + a)).max() <= allowed * np.abs([y, a]).max()
    assert np.abs(unknowns[z] - (thin * (y + a) - c)).max() <= allowed * np.abs([y, a, c]).max()
