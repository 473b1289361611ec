"""Inputs: every form in which they may be given, and every way in which they may be wrong."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import operator, scalar, vector
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Frame, Model
from operator_algebra.operators.bind import bind
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, Space, space
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.rounding import apart, condition, rounding

BOX = Inertia.box(1.0, (0.1, 0.2, 0.3))
ARM = Model(
    name="arm",
    bodies=[
        Body("upper", None, Joint.spherical(name="shoulder"), inertia=BOX),
        Body("fore", "upper", Joint.revolute(name="elbow"), Placement(translation=(0.4, 0, 0)), BOX),
        Body("hand", "fore", Joint.universal(name="wrist"), Placement(translation=(0.3, 0, 0)), BOX),
    ],
    frames={"tool": Frame("hand"), "camera": Frame("hand"), "desk": Frame(None)},
)
Q = ARM.neutral()


def value(symbol: Symbol, given: Any) -> np.ndarray[Any, np.dtype[Any]]:
    return evaluate(symbol, ARM, q=Q, **{symbol.name: given}).dense()


def refused(symbol: Symbol, given: Any, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        bind("the formula", [symbol], ARM, {symbol.name: given}, **options)
    return str(error.value)


J = operator("J", RATE >> TORQUE, structure="diagonal definite")


def test_a_diagonal_operator_from_scalars_or_blocks() -> None:
    scalars = np.arange(1.0, 7.0)
    blocks = [np.diag(scalars[part]) for part in ARM.v_slices]
    assert np.array_equal(value(J, scalars), np.diag(scalars))
    assert np.array_equal(value(J, list(scalars)), np.diag(scalars))
    assert np.array_equal(value(J, blocks), np.diag(scalars))
    blocks[0][0, 1] = blocks[0][1, 0] = 0.5
    assert value(J, blocks)[0, 1] == 0.5


def test_one_body_is_not_a_batch() -> None:
    one = Model(name="one", bodies=[Body("ball", None, Joint.spherical(), inertia=BOX)])
    block = np.diag([1.0, 2.0, 3.0])
    for given in (block[None], [block], [1.0, 2.0, 3.0]):
        assert np.array_equal(evaluate(J, one, q=one.neutral(), J=given).dense(), block)
    bound = bind("J", [J], one, {"J": np.ones((5, 3))}, batch=True).values["J"]
    assert bound.by_body()[0].shape == (5, 3, 3)


@pytest.mark.parametrize("bodies", [1, 2, 3])
@pytest.mark.parametrize("lead", [(1,), (2,), (3,), (2, 3)])
@pytest.mark.parametrize("structure", ["diagonal", "inward hop"])
def test_leading_axes_of_an_array_of_blocks_are_a_batch(bodies: int, lead: tuple[int, ...], structure: str) -> None:
    model = chain(bodies)
    local = operator("L", FORCE >> FORCE, structure=structure)
    batch = np.random.default_rng(0).standard_normal((*lead, bodies, 6, 6))
    formula, f = local @ s.f_ext, np.ones(6 * bodies)
    compiled = compile_program(formula, model)
    for q in (model.neutral(), np.broadcast_to(model.neutral(), (*lead, model.nq))):
        found = compiled(q=q, L=batch, f_ext=f)
        listed = [batch[..., k, :, :] for k in range(bodies)]
        if structure == "diagonal" or bodies > 1:  # in a list, the blocks of roots are ignored, whatever they are
            assert np.array_equal(compiled(q=q, L=listed, f_ext=f), found)
        for k in np.ndindex(lead):
            alone = evaluate(formula, model, q=model.neutral(), L=batch[k], f_ext=f).dense()
            assert apart(found[k], alone) <= rounding(np.abs(batch).sum(axis=-1).max(), terms=6)


def test_hops_have_a_block_per_edge_and_ignore_roots() -> None:
    hop = operator("N", FORCE >> FORCE, structure="inward hop")
    blocks = [np.full((6, 6), float(k)) for k in range(3)]
    expected = np.zeros((18, 18))
    expected[:6, 6:12], expected[6:12, 12:] = 1.0, 2.0
    assert np.array_equal(value(hop, blocks), expected)
    assert np.array_equal(value(hop, [None, *blocks[1:]]), expected)
    assert np.array_equal(value(hop, np.array(blocks)), expected)
    out = operator("N", MOTION >> MOTION, structure="outward hop")
    assert np.array_equal(value(out, blocks), expected.T)


def test_hops_between_joints_have_the_sizes_of_parent_and_child() -> None:
    hop = operator("N", TORQUE >> TORQUE, structure="inward hop")
    found = value(hop, [None, np.ones((3, 1)), np.ones((1, 2))])
    assert found[:3, 3].all()
    assert found[3, 4:].all()
    assert found.sum() == 5


def test_a_whole_operator_is_dense_and_only_for_evaluation() -> None:
    full = operator("A", RATE >> TORQUE)
    matrix = np.random.default_rng(0).standard_normal((6, 6))
    assert np.array_equal(value(full, matrix), matrix)
    assert "not local on the tree" in refused(full, matrix, whole=False)


def test_vectors_and_numbers() -> None:
    torque = np.arange(6.0)
    assert np.array_equal(value(s.T, torque), torque)
    assert np.array_equal(value(s.T, {"wrist": [4.0, 5.0], "elbow": [3.0]}), [0, 0, 0, 3, 4, 5])
    h = scalar("h")
    assert value(h, 2.5).shape == ()
    assert np.array_equal(evaluate(h * s.T, ARM, q=Q, h=2.0, T=torque).dense(), 2 * torque)
    bound = bind("h", [h, s.T], ARM, {"h": [1.0, 2.0], "T": np.ones((2, 6))}, batch=True).values
    assert bound["h"].by_body()[0].shape == (2, 1, 1)
    assert [part.shape for part in bound["T"].by_body()] == [(2, 3, 1), (2, 1, 1), (2, 2, 1)]


def test_external_forces_are_zero_unless_given() -> None:
    assert not evaluate(s.f_ext, ARM, q=Q).dense().any()
    with pytest.raises(InputError, match=r"f needs f \(force, 18 entries\); it was not given. Given: q"):
        evaluate(vector("f", FORCE), ARM, q=Q)


CONTACT = space("foot")
PICK = operator("A", CONTACT.dual >> FORCE, structure="diagonal")


def test_a_space_of_ones_own_gets_its_sizes_from_the_blocks() -> None:
    block = np.random.default_rng(1).standard_normal((6, 3))
    found = value(PICK, {"tool": block})
    assert found.shape == (18, 3)
    assert np.array_equal(found[12:], block)
    both = value(PICK, {"tool": block, "camera": block[:, :2], "shoulder": block[:, :1]})
    assert both.shape == (18, 6)
    assert np.array_equal(both[12:, 1:], np.hstack([block, block[:, :2]]))
    assert np.array_equal(value(PICK, {"elbow": block[:, 0]})[6:12, 0], block[:, 0])


def test_vectors_of_such_a_space() -> None:
    push = vector("c", CONTACT.dual)
    block = np.eye(6)[:, 3:]
    for given in ({"tool": [1.0, 2.0, 3.0]}, [1.0, 2.0, 3.0]):
        found = evaluate(PICK @ push, ARM, q=Q, A={"tool": block}, c=given).dense()
        assert np.array_equal(found, [*[0.0] * 15, 1.0, 2.0, 3.0])
    assert "block sizes of foot* are not known" in refused(push, [1.0])


def test_a_space_without_bodies_is_one_block() -> None:
    rows: Space = space("closure", attached=False)
    jacobian, target = operator("A", RATE >> rows), vector("c", rows)
    matrix = np.random.default_rng(2).standard_normal((2, 6))
    given: dict[str, Any] = {"A": matrix, "c": [1.0, 2.0]}
    found = evaluate(jacobian.T @ s.inv(jacobian @ s.inv(J) @ jacobian.T) @ target, ARM, q=Q, J=np.ones(6), **given)
    assert apart(matrix @ found.dense(), [1.0, 2.0]) <= rounding(2.0, condition=condition(matrix))
    assert evaluate(jacobian @ s.v, ARM, q=Q, v=np.ones(6), A=matrix).shape == (2, 1)


@pytest.mark.parametrize(
    ("symbol", "given", "words"),
    [
        (s.T, np.ones(5), r"T \(torque, 6 entries\) of the formula on arm: it has shape \(5,\), not \(6,\)"),
        (s.T, np.ones((2, 6)), r"it has shape \(2, 6\), not \(6,\)"),
        (s.T, "six", "it is not an array of numbers"),
        (s.T, [1, 2, np.nan, 4, 5, 6], r"it is not finite at \(2,\): nan"),
        (s.T, {"knee": [1.0]}, "there is no joint or frame 'knee'. There are shoulder, elbow, wrist, tool"),
        (s.T, {"elbow": [1.0, 2.0]}, r'the block at "elbow" has shape \(2, 1\), not \(1, 1\)'),
        (J, np.ones(5), r"it has shape \(5,\). Give one block per joint \(3 blocks\) or an array \(6,\)"),
        (J, [1.0, 2.0, -3.0, 1.0, 1.0, 1.0], 'the block at "shoulder" is not definite'),
        (J, [np.eye(3), np.eye(1), np.array([[1.0, 0.5], [0.4, 1.0]])], 'the block at "wrist" is not symmetric'),
        (J, [np.eye(3), np.eye(2), np.eye(2)], r'the block at "elbow" has shape \(2, 2\), not \(1, 1\)'),
        (J, 3.0, "it has the value 3.0"),
        (PICK, {"desk": np.eye(6)}, 'the frame "desk" is fixed to the ground'),
        (PICK, np.eye(6), "the block sizes of foot\\* are not known"),
        (operator("A", RATE >> RATE, structure="diagonal unit"), np.full(6, 2.0), 'the block at "shoulder" is not I'),
        (
            operator("A", RATE >> TORQUE, structure="diagonal invertible"),
            np.zeros(6),
            'at "shoulder" is not invertible',
        ),
        (operator("A", RATE >> TORQUE, structure="diagonal semidefinite"), -np.ones(6), "is not semidefinite"),
        (operator("A", RATE >> TORQUE, structure="symmetric"), np.triu(np.ones((6, 6))), "it is not symmetric"),
        (operator("A", RATE >> TORQUE, structure="inward"), np.ones((6, 6)), "it is not inward"),
        (operator("A", RATE >> TORQUE, structure="outward strict"), np.eye(6), "it is not strict"),
        (operator("A", RATE >> RATE, structure="inward unit"), 2 * np.eye(6), "it is not unit"),
        (
            operator("N", FORCE >> FORCE, structure="inward hop"),
            np.eye(18),
            "it has shape .18, 18.. Give one block per",
        ),
    ],
)
def test_what_is_wrong_is_said(symbol: Symbol, given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        bind("the formula", [symbol], ARM, {symbol.name: given})


def test_declared_flows_are_accepted_when_they_hold() -> None:
    inward = operator("A", RATE >> RATE, structure="inward unit")
    matrix = np.eye(6)
    matrix[:3, 3:] = 1.0
    assert np.array_equal(value(inward, matrix), matrix)
    assert np.array_equal(value(operator("A", RATE >> RATE, structure="outward unit"), matrix.T), matrix.T)


def test_missing_and_superfluous_inputs_are_named() -> None:
    mass = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
    with pytest.raises(InputError, match=r"needs T \(torque, 6 entries\); it was not given. Given: q, v"):
        evaluate(s.inv(mass) @ (s.T - s.H @ s.phi @ s.b), ARM, q=Q, v=np.zeros(6))
    with pytest.raises(InputError, match=r"does not mention T; it was given. Leave it out: it takes q, v"):
        evaluate(s.V, ARM, q=Q, v=np.zeros(6), T=np.zeros(6))
    with pytest.raises(InputError, match="does not mention v"):
        evaluate(mass, ARM, q=Q, v=np.zeros(6))
    with pytest.raises(InputError, match="Ḣ needs v"):
        evaluate(s.H_dot, ARM, q=Q)


def test_the_order_of_quaternions_is_suspected() -> None:
    wrong = np.array([0.0, 0.0, 0.5, 0.5, 0, 0, 0])
    with pytest.raises(InputError, match="orders quaternions w x y z, MuJoCo too, Pinocchio x y z w"):
        evaluate(s.H, ARM, q=wrong)
    with pytest.raises(InputError, match=r"q has shape \(3,\)"):
        evaluate(s.H, ARM, q=np.zeros(3))
    with pytest.raises(InputError, match="one configuration"):
        evaluate(s.H, ARM, q=np.stack([Q, Q]))


def test_batches_of_operators() -> None:
    bound = bind("J", [J], ARM, {"J": np.ones((4, 2, 6))}, batch=True).values["J"]
    assert [block.shape for block in bound.by_body()] == [(4, 2, 3, 3), (4, 2, 1, 1), (4, 2, 2, 2)]
    with pytest.raises(InputError, match='at "elbow" is not definite'):
        bind("J", [J], ARM, {"J": np.where(np.arange(6) == 3, -1.0, 1.0) * np.ones((4, 6))}, batch=True)


def test_models_without_degrees_of_freedom() -> None:
    post = Model(name="post", bodies=[Body("post", None, Joint.fixed(), inertia=BOX)])
    mass = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
    assert evaluate(mass, post, q=[]).dense().shape == (0, 0)
    assert evaluate(s.inv(mass) @ s.T, post, q=[], T=[]).dense().shape == (0,)
    assert evaluate(s.P, post, q=[]).dense().shape == (6, 6)
    assert evaluate(s.U @ s.T, post, q=[], T=[]).dense().shape == (0,)
    assert evaluate(s.v.T @ s.D @ s.v, post, q=[], v=[]).dense() == 0.0


def test_a_tree_of_many_kinds_takes_its_own_sizes() -> None:
    model = random_tree(8, seed=4)
    q, v = model.random(4)
    assert evaluate(s.V, model, q=q, v=v).shape == (48, 1)


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("kind", [RATE >> TORQUE, MOTION >> FORCE, FORCE >> FORCE], ids=str)
def test_a_matrix_is_no_batch_of_scalars(kind: Any, n: int) -> None:
    arm = chain(n)
    A = operator("A", kind, structure="diagonal")
    size = arm.nv if kind == RATE >> TORQUE else 6 * n
    run = compile_program(A, arm)
    q = arm.neutral()
    for matrix in (np.eye(size), np.ones((size, size)), np.ones((3, size, size))):
        for call in (run, partial(evaluate, A, arm)):
            with pytest.raises(InputError, match=r"A .* it has shape .*Give one block per joint"):
                call(q=q, A=matrix)
    # Where q has the leading axes, too, it is a batch.
    found = run(q=np.broadcast_to(q, (size, arm.nq)), A=np.ones((size, size)))
    assert len(found) == size
    assert np.shape(run(q=q, A=np.ones((size + 1, size))))[0] == size + 1


def test_a_vector_tells_a_batch() -> None:
    arm = chain(3)
    q, T, C = arm.neutral(), np.ones((3, 3)), np.arange(9.0).reshape(3, 3)
    A = operator("A", TORQUE >> TORQUE, structure="diagonal")
    run = compile_program(A @ s.T, arm)
    assert np.array_equal(run(q=q, A=C, T=T), C)
    with pytest.raises(InputError, match="a matrix for the whole mechanism"):
        run(q=q, A=C, T=T[0])
