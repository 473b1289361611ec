"""Walks, substitution, fixed points and records of expressions."""

import pytest
from hypothesis import given

from operator_algebra.errors import InputError, SpaceMismatch, TheoryError
from operator_algebra.expressions.build import define, diag, fixpoint, inv, operator, vector
from operator_algebra.expressions.nodes import Expr, Fixpoint, Scale, Symbol
from operator_algebra.expressions.order import digest
from operator_algebra.expressions.traverse import fold, free_symbols, from_records, postorder, symbols, to_records
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE
from operator_algebra.symbols import E_phi, E_psi, H, I, K, M, P, R, T, V, armature, innovations, phi, psi, qdd, v
from tests.expression_strategies import expressions

X = operator("X", MOTION >> FORCE)
DIAGONAL = operator("N", MOTION >> FORCE, structure="diagonal symmetric")


@given(expressions())
def test_postorder_visits_every_node_once_and_children_first(e: Expr) -> None:
    order = list(postorder(e))
    place = {node: index for index, node in enumerate(order)}
    assert len(place) == len(order)
    assert order[-1] is e
    assert all(place[child] < place[node] for node in order for child in node.children)


@given(expressions())
def test_fold_counts_the_leaves_of_the_tree(e: Expr) -> None:
    def count(node: Expr) -> int:
        return sum(count(child) for child in node.children) or 1

    def combine(_: Expr, below: tuple[int, ...]) -> int:
        return sum(below) or 1

    assert fold(e, combine) == count(e)


@given(expressions())
def test_records_lead_back(e: Expr) -> None:
    assert from_records(to_records(e)) is e


def test_symbols_of_the_formula_and_of_its_meaning() -> None:
    e = H @ phi @ M @ phi.T @ H.T
    assert e.symbols() == symbols(e) == {H, phi, M}
    assert free_symbols(e) == {H, E_phi, M}
    assert free_symbols(P) == {H, E_phi, M}
    assert free_symbols(innovations(armature).D) == {H, E_phi, M, armature}
    assert free_symbols(V) == {H, E_phi, v}
    assert all(symbol.origin != "bound" for symbol in symbols(P))


@given(expressions())
def test_substituting_nothing_or_itself_changes_nothing(e: Expr) -> None:
    assert e.substitute({}) is e
    assert e.substitute({e: e}) is e
    assert e.substitute({M: M, phi: phi}) is e


def test_substitution_is_simultaneous() -> None:
    e = phi @ psi @ E_phi
    assert e.substitute({phi: psi, psi: phi}) == psi @ phi @ E_phi
    assert (phi @ M @ phi.T).substitute({phi: psi}) == psi @ M @ psi.T
    assert inv(I + H @ phi @ K).substitute({H @ phi @ K: H @ psi @ K}) == inv(I + H @ psi @ K)
    assert (M + phi @ M @ phi.T).substitute({M: R}) == R + phi @ R @ phi.T
    assert (2 * phi).substitute({phi: I}).type == FORCE >> FORCE


def test_substitution_leaves_definitions_alone() -> None:
    assert (H @ phi).substitute({E_phi: E_psi}) == H @ phi


def test_substitution_keeps_what_the_formula_was_written_with() -> None:
    with pytest.raises(SpaceMismatch, match="map other spaces"):
        phi.substitute({phi: M})
    with pytest.raises(InputError, match="M is block-diagonal, X is not known to be"):
        (phi @ M).substitute({M: X})
    loose = operator("loose", MOTION >> FORCE, structure="diagonal")
    with pytest.raises(InputError, match="P is symmetric, loose is not known to be"):
        (phi @ P @ phi.T).substitute({P: loose})
    assert (phi @ P @ phi.T).substitute({P: DIAGONAL}) == phi @ DIAGONAL @ phi.T
    assert X.substitute({X: M + X}) == M + X


def test_substitution_reaches_into_fixed_points() -> None:
    found = R.substitute({M: P})
    assert isinstance(found, Fixpoint)
    assert found == fixpoint("R", MOTION >> FORCE, lambda X: P + E_phi @ X @ E_phi.T, cites=found.cites)
    assert found != R
    inward = fixpoint("F", FORCE >> FORCE, lambda Y: E_phi + K @ H @ Y)
    assert inward.structure.flow == "inward"
    with pytest.raises(TheoryError, match="Write the equation anew"):
        inward.substitute({E_phi: operator("anywhere", FORCE >> FORCE)})


def riccati(J: Expr) -> Expr:
    return innovations(J).P


def test_equations_have_variables_of_their_own() -> None:
    one, other = (riccati(operator(name, RATE >> TORQUE, structure="diagonal")) for name in ("J_one", "J_two"))
    assert isinstance(one, Fixpoint)
    assert isinstance(other, Fixpoint)
    assert one.name == other.name == "P_J"
    assert one.variable is not other.variable
    assert riccati(armature) is riccati(armature)
    shared = {node for node in postorder(one.body) if one.variable in postorder(node)} & set(postorder(other.body))
    assert not shared


def nested() -> Expr:
    def outer(X: Expr) -> Expr:
        return fixpoint("X", MOTION >> FORCE, lambda Y: M + E_phi @ (X + Y) @ E_phi.T)

    return fixpoint("X", MOTION >> FORCE, outer)


def test_nested_equations_do_not_capture_variables_of_the_same_name() -> None:
    e = nested()
    assert e is nested()
    assert isinstance(e, Fixpoint)
    assert isinstance(e.body, Fixpoint)
    assert e.variable is not e.body.variable
    assert {e.variable, e.body.variable} <= set(postorder(e.body.body))
    assert from_records(to_records(e)) is e


def test_variables_inside_definitions_are_bound_too() -> None:
    e = fixpoint("Y", MOTION >> FORCE, lambda X: M + define("step", E_phi @ X @ E_phi.T))
    assert isinstance(e, Fixpoint)
    (_, step) = e.body.children
    assert isinstance(step, Symbol)
    assert step.definition == E_phi @ e.variable @ E_phi.T
    assert e == fixpoint("Y", MOTION >> FORCE, lambda X: M + define("step", E_phi @ X @ E_phi.T))


def test_fixed_points_check_their_equation() -> None:
    with pytest.raises(SpaceMismatch, match="Both must agree"):
        fixpoint("F", MOTION >> FORCE, lambda X: H @ X @ H.T)
    with pytest.raises(InputError, match="define a fixed point"):
        fixpoint("F", MOTION >> FORCE, lambda X: 3)  # pyright: ignore[reportArgumentType, reportReturnType]
    assert fixpoint("F", MOTION >> FORCE, lambda X: M).structure == M.structure
    assert fixpoint("F", FORCE >> MOTION, lambda X: inv(M) + diag(phi.T @ X @ phi)).structure.flow == "diagonal"


@given(expressions(), expressions())
def test_digests_tell_expressions_apart(one: Expr, other: Expr) -> None:
    assert (digest(one) == digest(other)) == (one is other)


def test_digests_see_everything() -> None:
    forms: list[Expr] = [
        X,
        operator("X", MOTION >> FORCE, structure="diagonal"),
        operator("Y", MOTION >> FORCE),
        operator("X", MOTION >> MOTION),
        define("X", M),
        define("X", P),
        define("X", M, cites="here"),
        vector("T", TORQUE),
        2 * M,
        3 * M,
        M + P,
        P + M,
        H.T,
        qdd @ T.T,
        P,
        riccati(armature),
    ]
    assert len({digest(e) for e in forms}) == len(forms)
    assert isinstance(forms[8], Scale)
