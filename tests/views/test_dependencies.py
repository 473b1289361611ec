"""Components of formulas: who reads whom, and what the compiler makes of it."""

import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError, OperatorAlgebraError
from operator_algebra.symbols import D, H, M, T, W, inv, phi, qdd, v
from operator_algebra.views.content.unknowns import Edge, unknowns
from operator_algebra.views.dependencies import dependencies
from tests.views.figures import words_of

MASS = H @ phi @ M @ phi.T @ H.T
x = oa.vector("x", oa.FORCE)


def test_the_inverse_of_the_mass_matrix_is_one_component_of_both_directions() -> None:
    (component,) = unknowns(inv(MASS) @ T)
    assert set(component.equations) == {"0 = H f − T", "α = H* x + E_φ* α", "f = M α + E_φ f"}
    assert set(component.edges) == {
        Edge("f", "x", "body", "H"),
        Edge("x", "α", "body", "H*"),
        Edge("α", "α", "parent", "E_φ*"),
        Edge("α", "f", "body", "M"),
        Edge("f", "f", "children", "E_φ"),
    }
    assert component.kind == "two sweeps: eliminate inward, substitute outward"


@pytest.mark.parametrize(
    ("e", "kinds"),
    [
        (phi @ x, ["one inward sweep"]),
        (phi.T @ H.T @ v, ["one outward sweep"]),
        (M @ oa.vector("y", oa.MOTION), ["assignment: rides on any sweep"]),
        (MASS @ qdd, ["one outward sweep", "one inward sweep", "assignment: rides on any sweep"]),
        (W @ T, ["one inward sweep", "assignment: rides on any sweep", "one inward sweep"]),
        (inv(D + D) @ T, ["one inward sweep", "assignment: rides on any sweep"]),
    ],
)
def test_components_in_order_of_dependence(e: oa.Expr, kinds: list[str]) -> None:
    found = [component.kind for component in unknowns(e)]
    assert [kind for kind, before in zip(found, ["", *found], strict=False) if kind != before] == kinds


@pytest.mark.parametrize(
    "e", [oa.dynamics.forward_dynamics, oa.dynamics.inverse_dynamics, oa.dynamics.velocity, inv(MASS) @ MASS @ qdd]
)
def test_names_are_distinct_and_read_only_what_is_there(e: oa.Expr) -> None:
    known: list[str] = []
    for component in unknowns(e):
        known += component.names
        assert all({edge.source, edge.target} <= set(known) for edge in component.edges)
        assert len(component.equations) == len(component.names)
    assert len(set(known)) == len(known)


def test_scalars_stand_in_equations_and_on_arrows() -> None:
    h, B = oa.scalar("h"), oa.operator("B", oa.RATE >> oa.TORQUE, structure="diagonal definite")
    (component,) = unknowns(inv(MASS + h * B) @ T)
    assert "0 = H f + h B x − T" in component.equations
    assert Edge("x", "x", "body", "h B") in component.edges


def test_arrows_between_the_same_variables_are_one_with_all_their_operators() -> None:
    one, two = (oa.operator(name, oa.RATE >> oa.TORQUE, structure="diagonal definite") for name in ("B", "S"))
    words = words_of(dependencies(inv(MASS + one + two) @ T))
    assert "B + S" in words
    assert not {"B", "S"} & words


def test_the_picture_shows_equations_and_operators() -> None:
    words = words_of(dependencies("inv(H φ M φ* H*) T"))
    assert {"x", "α", "f", "E_φ", "E_φ*", "M", "0 = H f − T"} < words
    assert dependencies(oa.dynamics.forward_dynamics).axes


def test_what_has_no_vectors_is_refused() -> None:
    with pytest.raises(InputError, match="not a vector over the bodies"):
        dependencies(phi)
    with pytest.raises(InputError, match="not a vector over the bodies"):
        dependencies(oa.dynamics.kinetic_energy)
    with pytest.raises(InputError, match="takes a formula, not"):
        dependencies(3.0)  # pyright: ignore[reportArgumentType]
    with pytest.raises(OperatorAlgebraError):
        dependencies(inv(phi - phi @ phi) @ x)
