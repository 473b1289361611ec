"""Values on exact models are what formulas mean, in fractions; residues are those of the fractions."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import define, diag, fixpoint, inv, operator, root, vector
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.proofs.fields import SMALL, Array, Fractions, Residues
from operator_algebra.proofs.models import Domain, Shape
from operator_algebra.proofs.samples import Plan, Sample, plan_of
from operator_algebra.proofs.values import Values
from tests.proofs.exact_models import meant

J = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")
HEAVY = s.innovations(J)
FILTER = operator("filter", FORCE >> FORCE, structure="inward unit")
TILTED = operator("tilted", FORCE >> FORCE, structure="inward")
STIFF = operator("stiff", RATE >> TORQUE, structure="definite")
h = operator("h", TORQUE >> TORQUE, structure="inward hop")
WAVE = fixpoint("wave", MOTION >> FORCE, lambda X: s.M + s.E_phi @ (X - X @ inv(X + s.R) @ X) @ s.E_phi.T)
FORMULAS: dict[str, Expr] = {
    **{name: e for name, e in s.vocabulary().items() if name not in ("I",)},
    **{f"{name} with J": getattr(HEAVY, name) for name in ("P", "D", "G", "psi", "Omega", "Upsilon", "S", "xi")},
    "inverse of an inward operator": inv(TILTED),
    "inverse of an outward operator": inv(FILTER.T),
    "inverse of anything": inv(s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + STIFF),
    "inverse of an inverse": inv(s.psi),
    "diagonal": diag(s.psi @ s.M @ s.psi.T),
    "a hop of gears": inv(s.I - h) @ s.D,
    "a fixed point inside of another": WAVE,
    "a scalar times an operator": (s.v.T @ s.D @ s.v) * s.phi,
    "a rational multiple": 2 * s.phi / 3,
    "an operator of a column": s.psi @ s.P @ s.V,
}


def plans(e: Expr) -> list[Plan]:
    domain = Domain.of([e], ())
    if domain.physical:
        return [plan_of(domain, Shape(6, (1, 1)), (e,))]
    wanted = [shape for shape in domain.shapes() if shape.bodies in (1, 3) or shape == Shape(3, (2, 1, 2, 1))]
    return [plan_of(domain, shape, (e,)) for shape in wanted[:4:3]]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_value_in_fractions_is_what_the_formula_means(name: str) -> None:
    e, compared = FORMULAS[name], 0
    for plan in plans(e):
        samples = [sample for tree in plan.domain.trees(plan.shape.bodies)[-2:] for sample in plan.draws(tree, 5)[1:]]
        for sample in samples:
            values = plan.values(Fractions(), [sample])
            found = values.value(e)
            if found.sound[0]:
                leaves = {leaf: values.value(leaf).array[0].tolist() for leaf in free_symbols(e)}
                tree = Mechanism(sample.parent, plan.tree.sizes)
                assert found.array[0].tolist() == meant(tree, leaves, e)
                compared += 1
    assert compared >= 2


@pytest.mark.parametrize("name", FORMULAS)
def test_residues_are_those_of_the_fractions(name: str) -> None:
    e, residues, fractions = FORMULAS[name], Residues(SMALL), Fractions()
    for plan in plans(e):
        samples = plan.draws(plan.domain.trees(plan.shape.bodies)[-1], 4)
        few, exact = plan.values(residues, samples).value(e), plan.values(fractions, samples).value(e)
        assert few.sound.tolist() == exact.sound.tolist()
        assert few.array[few.sound].tolist() == residues.array(exact.array[exact.sound]).tolist()


def test_a_root_is_rational_because_its_square_was_chosen() -> None:
    for plan in plans(root(s.D)):
        values = plan.values(Fractions(), plan.draws(plan.domain.trees(plan.shape.bodies)[-1], 5))
        factor, D = values.value(root(s.D)), values.value(s.D)
        assert factor.sound.any()
        square = values.field.product(factor.array, factor.array.transpose(0, 2, 1))
        assert (square == D.array)[factor.sound].all()


def test_what_is_singular_is_a_property_of_a_sample() -> None:
    plan = plan_of(Domain.of([J], ()), Shape(1, (1, 1)), (J,))
    values = plan.values(Fractions(), [Sample((-1, 0), (1, 1)), Sample((-1, 0), (1, 0))])
    assert values.value(J).sound.tolist() == [True, True]
    assert values.value(inv(J)).sound.tolist() == [True, False]
    assert values.value(J @ inv(J)).sound.tolist() == [True, False]
    named = define("stiffness", J @ inv(J) @ J)
    assert values.value(named).sound.tolist() == [True, False]
    assert values.value(named).sound.tolist() == [True, False]


def test_a_right_inverse_is_one_for_each_block() -> None:
    plan = plan_of(Domain.of([s.H], ()), Shape(3, (2, 1, 2, 1)), (s.H,))
    values = plan.values(Fractions(), plan.draws((-1, 0, 0, 1), 5))
    back = values.right_inverse(s.H)
    product = values.field.product(values.value(s.H).array, back.array)
    assert back.sound.any()
    assert (product == values.field.identity(5, 6))[back.sound].all()


def generic(*leaves: Symbol) -> Values:
    field = Residues(SMALL)
    tree = plan_of(Domain.of(leaves, ()), Shape(2, (1,)), leaves).tree
    given: dict[Expr, Array] = {leaf: field.array([[[1, 2], [3, 5]]]) for leaf in leaves}
    return Values(field, tree, given, 1, generic=True)


def test_in_generic_matrices_no_power_of_a_shift_vanishes() -> None:
    values = generic(s.E_phi)
    phi = values.value(s.phi).array
    assert (values.field.product(phi, values.value(s.I - s.E_phi).array) == values.field.identity(1, 2)).all()
    assert values.value(s.E_phi @ s.E_phi @ s.E_phi).array.all()


def test_in_generic_matrices_a_recursion_has_no_value_of_its_own() -> None:
    with pytest.raises(InputError, match="R has no value without a tree"):
        generic(s.E_phi, s.M).value(s.R)


def test_a_leaf_that_was_not_given_is_named() -> None:
    with pytest.raises(InputError, match="M has no value in this model"):
        generic(s.E_phi).value(s.E_phi @ s.M)


X = vector("X", MOTION)


def test_a_local_function_stands_in_the_blocks_of_its_vector() -> None:
    plan = plan_of(Domain.of([s.cross(X)], ()), Shape(6, (1, 1)), (s.cross(X),))
    values = plan.values(Fractions(), [Sample((-1, 0), tuple(range(1, 13)))])
    block = values.value(s.cross(X)).array[0, 6:, 6:].tolist()
    assert block == [
        [0, -9, 8, 0, 0, 0],
        [9, 0, -7, 0, 0, 0],
        [-8, 7, 0, 0, 0, 0],
        [0, -12, 11, 0, -9, 8],
        [12, 0, -10, 9, 0, -7],
        [-11, 10, 0, -8, 7, 0],
    ]
    assert not values.value(s.cross(X)).array[0, :6, 6:].any()
