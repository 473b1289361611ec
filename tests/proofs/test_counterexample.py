"""A counter-example tells its tree, its blocks, and where the sides differ."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.build import vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.spaces import RATE
from operator_algebra.proofs.counterexample import Counterexample
from operator_algebra.proofs.refute import refute


def refuted(lhs: Expr, rhs: Expr, *words: str) -> Counterexample:
    found = refute(Identity("a slip", lhs, rhs, domain=words))
    assert found is not None
    return found


def test_in_one_line() -> None:
    assert repr(refuted(s.phi, s.I)) == "2 bodies, parents [-1, 0]: block (0, 1) is 1 on the left, 0 on the right"
    assert repr(refuted(s.H, 2 * s.H)) == "1 body: block (0, 0) is 1 on the left, 2 on the right"


def test_equal_blocks_are_told_once_and_hops_by_their_ends() -> None:
    lines = refuted(s.psi @ s.phi, s.psi).describe().splitlines()
    assert lines[1] == "E_φ(0, 1) = 1; H = 1; M = 1"


def test_a_block_is_written_row_by_row() -> None:
    found = refuted(s.P_plus, 0 * s.M)
    assert found.describe().splitlines()[1] in ("H = [0 1]; M = I", "H = [1 0]; M = I")
    assert found.blocks(s.M) == {(0, 0): [[1, 0], [0, 1]]}


def test_of_larger_blocks_the_entry_is_told() -> None:
    found = refuted(s.P_plus, 0 * s.M)
    i, _ = found.entry
    assert repr(found) == f"1 body: entry ({i}, {i}), in block (0, 0), is 1 on the left, 0 on the right"


def test_a_body_alone_has_no_shifts_to_tell() -> None:
    assert refuted(s.I - s.E_phi, 2 * s.phi).describe().splitlines() == [
        "smallest counter-example: 1 body",
        "block (0, 0) is 1 on the left, 2 on the right; equal everywhere else",
    ]


def test_a_vector_has_no_block() -> None:
    rates = vector("rates", RATE)
    found = refuted(s.H.T @ rates, 2 * s.H.T @ rates)
    assert found.block is None
    assert repr(found) == "1 body: entry (0, 0) is 1 on the left, 2 on the right"


def test_how_much_else_differs_is_counted() -> None:
    assert refuted(s.phi, s.I).describe().endswith("equal everywhere else")
    twice = refuted(s.phi @ s.M @ s.phi.T, s.M)
    assert twice.elsewhere > 1
    assert twice.describe().endswith(f"{twice.elsewhere} more entries differ")


def test_fractions_are_written_as_such() -> None:
    law = law_named("costate decomposition")
    twin = law.twins[0]
    assert isinstance(twin.lhs, Expr)
    assert isinstance(twin.rhs, Expr)
    assert "1/" in repr(refuted(twin.lhs, twin.rhs))


def test_what_is_printed_is_what_is_described() -> None:
    found = refuted(s.phi, s.psi)
    assert str(found) == found.describe()
    assert found.parent == found.tree.parent
