"""Exact models are all that is declared of a claim's leaves, and small."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import operator, vector
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, space
from operator_algebra.proofs.fields import Fractions
from operator_algebra.proofs.models import Domain, Shape, forests
from operator_algebra.proofs.orders import is_positive
from operator_algebra.proofs.rigid import Rows
from operator_algebra.proofs.samples import Plan, Sample, plan_of

J = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")
GEAR = operator("gear", TORQUE >> TORQUE, structure="inward hop")
FILTER = operator("filter", FORCE >> FORCE, structure="inward unit")
TASKS = space("tasks", attached=False)
CONTACT = space("contact")


def plans(*sides: Expr, words: tuple[str, ...] = ()) -> Iterator[Plan]:
    domain = Domain.of(sides, words)
    for shape in domain.shapes():
        yield plan_of(domain, shape, sides)


def dense(plan: Plan, parent: tuple[int, ...], count: int = 4) -> Iterator[dict[Expr, Rows]]:
    for sample in plan.draws(parent, count):
        yield plan.dense(sample)


def blocks(plan: Plan, leaf: Symbol, rows: Rows) -> dict[tuple[int, int], Rows]:
    """The blocks that are not zero."""
    found: dict[tuple[int, int], Rows] = {}
    for i in plan.tree.bodies:
        for j in plan.tree.bodies:
            above = sum(plan.tree.size(leaf.type.codomain, k) for k in range(i))
            left = sum(plan.tree.size(leaf.type.domain, k) for k in range(j))
            height, width = plan.tree.size(leaf.type.codomain, i), plan.tree.size(leaf.type.domain, j)
            block = [row[left : left + width] for row in rows[above : above + height]]
            if any(map(any, block)):
                found[i, j] = block
    return found


def test_every_shape_of_forest_comes_once() -> None:
    assert [len(forests(n)) for n in range(1, 6)] == [1, 2, 4, 9, 20]
    for parent in forests(4):
        assert all(-1 <= p < k for k, p in enumerate(parent))


def test_sizes_grow() -> None:
    shapes = [plan.shape for plan in plans(s.phi)]
    assert shapes[0] == Shape(1, (1,))
    assert max(shape.bodies for shape in shapes) == 4
    assert {shape.block for shape in shapes} == {1, 2, 3}
    assert any(len(set(shape.freedoms)) > 1 for shape in shapes)


@pytest.mark.parametrize("leaf", [s.E_phi, GEAR], ids=str)
def test_a_hop_joins_parent_and_child(leaf: Symbol) -> None:
    for plan in plans(leaf):
        for parent in plan.domain.trees(plan.shape.bodies):
            for drawn in dense(plan, parent):
                assert all(parent[j] == i for i, j in blocks(plan, leaf, drawn[leaf]))


def test_what_is_inward_leads_to_ancestors_and_is_one_at_home() -> None:
    for plan in plans(FILTER):
        for drawn in dense(plan, (-1, 0, 1, 0)[: plan.shape.bodies]):
            for (i, j), block in blocks(plan, FILTER, drawn[FILTER]).items():
                assert i <= j
                if i == j:
                    assert block == [[int(m == n) for n in range(len(block))] for m in range(len(block))]


@pytest.mark.parametrize("leaf", [s.M, s.H, J], ids=str)
def test_what_is_local_has_one_block_a_body(leaf: Symbol) -> None:
    for plan in plans(leaf):
        for drawn in dense(plan, tuple(range(-1, plan.shape.bodies - 1))):
            assert all(i == j for i, j in blocks(plan, leaf, drawn[leaf]))


def test_definite_and_semidefinite_are_so() -> None:
    for plan in plans(s.M, J):
        for drawn in dense(plan, (-1,) * plan.shape.bodies):
            assert is_positive(drawn[s.M], strictly=True)
            assert is_positive(drawn[J], strictly=False)


def test_where_a_joint_map_is_not_onto_the_sample_is_not_sound() -> None:
    plan = next(plan for plan in plans(s.H) if plan.shape == Shape(2, (1, 1)))
    idle, moving = (Sample((-1, 0), numbers) for numbers in ((1, 0, 0, 0), (1, 0, 0, 1)))
    assert plan.values(Fractions(), [idle, moving]).value(s.H).sound.tolist() == [False, True]


def test_spaces_of_a_user_have_their_own_sizes() -> None:
    task, points = operator("task", RATE >> TASKS), operator("points", CONTACT.dual >> FORCE, structure="diagonal")
    for plan in plans(task, points):
        (drawn, *_) = dense(plan, (-1,) * plan.shape.bodies)
        assert len(drawn[task]) == 2
        assert len(drawn[points][0]) == sum(plan.tree.sizes["contact"])


def test_what_has_no_bodies_is_a_column() -> None:
    wind = vector("wind", FORCE)
    for plan in plans(wind):
        (drawn, *_) = dense(plan, (-1,) * plan.shape.bodies)
        assert [len(row) for row in drawn[wind]] == [plan.tree.whole(ONE)] * plan.tree.whole(FORCE)


# -- domains -----------------------------------------------------------------------------------------------------------


def test_serial_means_no_branches() -> None:
    domain = Domain.of([s.phi], ["serial"])
    assert len(domain.trees(4)) == 5
    assert all(parent.count(k) <= 1 for parent in domain.trees(4) for k in range(4))


def test_motions_of_closed_joints_have_their_brackets_among_them() -> None:
    one, other = vector("one_rate", RATE), vector("other_rate", RATE)
    bracket = s.cross(s.H.T @ one) @ s.H.T @ other
    several = 0
    for plan in plans(bracket, words=("closed joints",)):
        values = plan.values(Fractions(), plan.draws((-1,) * plan.shape.bodies, 4))
        found, back = values.value(bracket), values.right_inverse(s.H)
        across = values.field.product(values.value(s.H).array, found.array)
        assert (values.field.product(back.array, across) == found.array)[back.sound].all()
        several += max(plan.shape.freedoms) > 1 and bool(found.array.any())
    assert several


@pytest.mark.parametrize("word", ["1-DOF", "revolute"])
def test_one_degree_of_freedom(word: str) -> None:
    for plan in plans(s.H, s.H_dot, words=(word,)):
        assert set(plan.shape.freedoms) == {1}
        for drawn in dense(plan, (-1,) * plan.shape.bodies):
            assert not any(map(any, drawn[s.H_dot]))


def test_a_revolute_joint_turns_and_does_not_slide() -> None:
    for plan in plans(s.H, words=("revolute",)):
        assert plan.shape.block == 6
        for drawn in dense(plan, (-1,) * plan.shape.bodies):
            assert all(block[0][3:] == [0, 0, 0] for block in blocks(plan, s.H, drawn[s.H]).values())


def test_a_free_base_moves_in_all_directions() -> None:
    for plan in plans(s.H, words=("free base",)):
        assert plan.shape.freedoms[0] == plan.shape.block
        assert all(parent.count(-1) == 1 for parent in plan.domain.trees(plan.shape.bodies))


# -- where motions have six coordinates --------------------------------------------------------------------------------

X, Y = vector("X", MOTION), vector("Y", MOTION)
RIGID = (
    Identity("shifts keep brackets", s.cross(s.E_phi.T @ X) @ s.E_phi.T, s.E_phi.T @ s.cross(X)),
    Identity("brackets are skew", s.cross(X) @ Y, -(s.cross(Y) @ X)),
)


def test_where_brackets_are_read_shifts_are_rigid_and_inertias_those_of_bodies() -> None:
    field = Fractions()
    for claim in RIGID:
        for plan in plans(claim.lhs, claim.rhs):
            assert plan.shape.block == 6
            samples = [sample for tree in plan.domain.trees(plan.shape.bodies)[:3] for sample in plan.draws(tree, 3)]
            values = plan.values(field, samples)
            left, right = values.value(claim.lhs), values.value(claim.rhs)
            assert (left.sound & right.sound).all()
            assert (left.array == right.array).all(), claim


def test_about_its_mass_centre_an_inertia_has_no_first_moment() -> None:
    for plan in plans(s.X_cm @ s.M @ s.X_cm.T):
        parent = (-1,) * plan.shape.bodies
        values = plan.values(Fractions(), plan.draws(parent, 4))
        central = values.value(s.X_cm @ s.M @ s.X_cm.T).array
        inertia = values.value(s.M).array
        for k in range(plan.shape.bodies):
            turning, sliding = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
            assert not central[:, turning, sliding].any()
            assert (central[:, sliding, sliding] == inertia[:, sliding, sliding]).all()
            assert all(is_positive(one.tolist(), strictly=True) for one in inertia)


def test_along_a_path_shifts_to_the_base_follow_each_other() -> None:
    for plan in plans(s.X_abs @ s.E_phi):
        if plan.shape.bodies > 1:
            for drawn in dense(plan, tuple(range(-1, plan.shape.bodies - 1))):
                placed, hop = (blocks(plan, leaf, drawn[leaf]) for leaf in (s.X_abs, s.E_phi))
                for k in range(1, plan.shape.bodies):
                    assert placed[k, k] == multiplied(placed[k - 1, k - 1], hop[k - 1, k])


def multiplied(a: Rows, b: Rows) -> list[list[int | Fraction]]:
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def test_gravity_stands_at_roots_alone() -> None:
    for plan in plans(s.a_ground, s.E_ground):
        parent = tuple(range(-1, plan.shape.bodies - 1))
        for drawn in dense(plan, parent, 2):
            assert not any(any(row) for row in drawn[s.a_ground][6:])
            assert not any(any(row[6:]) for row in drawn[s.E_ground])
