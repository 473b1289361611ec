"""Blocks of rigid bodies in whole numbers and fractions: turns keep lengths, inertias are positive."""

from fractions import Fraction

import numpy as np

from operator_algebra.proofs.rigid import (
    SUBGROUPS,
    Rows,
    own_square,
    quarters,
    rigid_inertia,
    rigid_shift,
    skew,
    times,
)


def turned(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def test_products() -> None:
    a: Rows = [[1, 2], [3, 4]]
    assert times(a, [[0, 1], [1, 0]]) == [[2, 1], [4, 3]]
    assert own_square(a) == times(a, turned(a))
    assert quarters([[1]], [[2]], [[3]], [[4]]) == a


def test_a_cross_product() -> None:
    assert times(skew(1, 2, 3), [[4], [5], [6]]) == [[-3], [6], [-3]]
    assert turned(skew(1, 2, 3)) == skew(-1, -2, -3)


def test_a_shift_turns_without_stretching_and_carries_forces_by_their_arm() -> None:
    shift = rigid_shift(1, 2, 0, 1, 3, -1, 2)
    turn = [row[:3] for row in shift[:3]]
    assert times(turn, turned(turn)) == [[int(i == j) for j in range(3)] for i in range(3)]
    assert all(isinstance(x, int | Fraction) for row in shift for x in row)
    assert [row[3:] for row in shift[:3]] == times(skew(3, -1, 2), turn)
    assert [row[:3] for row in shift[3:]] == [[0] * 3] * 3


def test_an_inertia_is_symmetric_and_positive() -> None:
    inertia = rigid_inertia(2, 1, -1, 3, 1, 2, 1, 0, 1, 1)
    assert inertia == turned(inertia)
    assert np.linalg.eigvalsh(np.array(inertia, dtype=float))[0] > 0
    assert rigid_inertia(1, 0, 0, 0, 1, 0, 1, 0, 0, 1) == [[int(i == j) for j in range(6)] for i in range(6)]


def test_motions_of_joints_have_their_brackets_among_them() -> None:
    for rows in SUBGROUPS.values():
        basis = np.array(rows, dtype=float)
        for one in basis:
            (w, u) = (np.array(skew(*half), dtype=float) for half in (one[:3].tolist(), one[3:].tolist()))
            bracket = basis @ np.block([[w, np.zeros((3, 3))], [u, w]]).T
            assert np.linalg.matrix_rank(np.vstack([basis, bracket])) == len(basis)
