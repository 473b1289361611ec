"""All blocks of inverses made of the matrix that is inverted: right, shorter for robots, and told where digits go."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.applications import dynamics
from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar.graph import Untraceable, operations
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.trace import Tracer
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import SingularError
from operator_algebra.evaluation import evaluate, evaluate_with_scale
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.query import dense
from operator_algebra.lowering.lower import Lowerable, Method, lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.joints.joint import make_joint
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.backends.scalar.calls import Call, answer, least_pivot
from tests.lowering.agreement import bound
from tests.nearly_singular import DOUBTFUL, sample
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms

INVERSE = inv(dynamics.mass_matrix)
DAMPED = inv(dynamics.mass_matrix + operator("S", RATE >> TORQUE, structure="diagonal definite"))


def called(e: Lowerable, model: Model, seed: int, method: Method = "auto") -> Call:
    program = lower(e, zeros=vanishing(model), method=method)
    values = {name: np.ones(model.nv) for name in program.inputs if name != "f_ext"}
    return Call.of(program, model, model.random(seed)[0], values)


def both(call: Call) -> tuple[Traced, Traced | None]:
    """By walks, and by the matrix, whichever is shorter."""
    tracer = Tracer.of(call.program, call.model, Signature.of(call.inputs))
    found = tracer.run()
    return tracer.laid(found, tracer.nodes.positive, ()), tracer.by_trees(found, ())


def count(traced: Traced) -> int:
    return sum(operations(traced.wanted).values())


@given(mechanisms(armature=True, max_bodies=6), st.integers(0, 2**20))
@settings(max_examples=40)
def test_any_tree(model: Model, seed: int) -> None:
    call = called(dense(INVERSE), model, seed)
    _, found = both(call)
    if found is None or not model.nv:
        return
    scaled = evaluate_with_scale(INVERSE, model, q=call.q)
    expected, given_back = scaled.value.dense(), answer(found, call.arguments)
    whole = next(iter(given_back.results.values())).reshape(expected.shape)
    assert apart(whole, expected) <= 2 * bound(scaled) * scaled.scale
    assert np.array_equal(whole, whole.T)


@pytest.mark.parametrize(
    ("name", "part"), [("arm7", 0.4), ("puma560", 0.4), ("quadruped", 0.75), ("hand", 0.75), ("humanoid", 0.65)]
)
def test_robots_take_fewer_operations(name: str, part: float) -> None:
    call = called(dense(INVERSE), load(name), 0)
    walked, found = both(call)
    assert found is not None
    assert count(found) <= part * count(walked)
    assert count(call.traced()) == count(found)
    expected = evaluate(dense(INVERSE), call.model, q=call.q).dense()
    results = answer(call.traced(), call.arguments)
    assert results.good
    condition = float(np.linalg.cond(expected))
    assert apart(results.results["x"].reshape(expected.shape), expected) <= rounding(
        size(expected), terms=call.model.nv, condition=condition
    )


def test_long_chains_are_walked() -> None:
    call = called(dense(INVERSE), chain(24), 0)
    walked, found = both(call)
    assert found is None
    assert count(call.traced()) >= count(walked)


@pytest.mark.parametrize("method", ["joseph", "refined"])
def test_another_method_is_taken_at_its_word(method: Method) -> None:
    _, found = both(called(dense(INVERSE), load("arm7"), 0, method))
    assert found is None


def test_what_is_not_known_to_be_definite_is_walked() -> None:
    some = operator("S", RATE >> TORQUE, structure="diagonal symmetric")
    _, found = both(called(dense(inv(dynamics.mass_matrix + some)), load("arm7"), 0))
    assert found is None


def test_what_a_call_gives_may_stand_beside_the_masses() -> None:
    """An input is no configuration, so how much is lost with it is not known beforehand."""
    _, found = both(called(dense(DAMPED), load("arm7"), 0))
    assert found is None


def test_beside_other_results() -> None:
    model = load("quadruped")
    call = called({"qdd": dynamics.forward_dynamics, "inverse": dense(INVERSE)}, model, 1)
    walked, found = both(call)
    assert found is not None
    assert count(found) < count(walked)
    assert len(found.lost) > model.nv or len(found.positive) > model.nv
    one, other = answer(walked, call.arguments), answer(found, call.arguments)
    assert np.array_equal(one.results["qdd"], other.results["qdd"])
    inverse = one.results["inverse"].reshape(model.nv, -1)
    allowed = rounding(size(inverse), terms=model.nv, condition=float(np.linalg.cond(inverse)))
    assert apart(one.results["inverse"], other.results["inverse"]) <= allowed


def test_digits_that_are_lost_are_told() -> None:
    """A kernel of matrices is trusted nowhere where the interpreter finds that a pivot is small."""
    offered = small = 0
    for family, seed in product(DOUBTFUL, range(8)):
        model, q = sample(family, seed).model, sample(family, seed).q
        program = lower(dense(INVERSE), zeros=vanishing(model))
        if not model.nv or program.cost(model).total > 30_000:
            continue
        call = Call.of(program, model, q, {})
        trusted = least_pivot(call.interpreted()) >= SMALL
        small += not trusted
        try:
            found = both(call)[1]
            good = found is not None and answer(found, call.arguments).good
            offered += found is not None
        except (ArithmeticError, ValueError, SingularError, Untraceable):
            good = False
        assert trusted or not good, (family, seed)
    assert small > 10
    assert offered > 10


@pytest.mark.parametrize("seed", range(12))
def test_no_more_is_lost_than_is_told(seed: int) -> None:
    """Entries of A⁻¹ over the roots of its diagonal, beside a walk, which loses less."""
    rng = np.random.default_rng(seed)
    model = random_tree(int(rng.integers(2, 11)), branching=0.2, seed=seed)
    call = called(dense(INVERSE), model, seed)
    tracer = Tracer.of(call.program, model, Signature.of(call.inputs))
    found = tracer.run()
    walked, other = tracer.laid(found, (), ()), tracer.by_trees(found, ())
    if other is None:
        return
    q = np.stack([model.random(k)[0] for k in range(10)], axis=-1)
    n = model.nv
    one, two = (Tape.of(traced, model.nq).batch(q)[1].reshape(n, n, -1) for traced in (walked, other))
    roots = np.sqrt(np.einsum("iis->is", one))
    _, lost = Tape.of(Traced((), other.lost, (), ()), model.nq).batch(q)
    moved = (np.abs(one - two) / (roots[:, None] * roots)).max(axis=(0, 1))
    assert (moved <= np.finfo(float).eps * (lost.sum(axis=0) / SMALL + n)).all()


def test_what_is_singular_is_told_with_its_joint() -> None:
    """A point mass that swings through the axis of the inner hinge."""
    none, point = Inertia(), Inertia(2.0, (0.0, 0.0, 0.7))
    hinges = [
        make_joint("revolute", name="swivel", axis=(0, 0, 1)),
        make_joint("revolute", name="swing", axis=(1, 0, 0)),
    ]
    bodies = [Body(f"link{i}", i - 1, hinges[i], Placement(), (none, point)[i]) for i in range(2)]
    model = Model(name="swing", bodies=bodies)
    solve, q = compile_program(dense(INVERSE), model), np.array([[0.3, 1.0], [0.1, 0.5], [0.2, 1.5]])
    alone = [solve(q=sample) for sample in q]
    assert both(called(dense(INVERSE), model, 0))[1] is not None
    q = np.insert(q, 1, [0.4, 0.0], axis=0)
    with pytest.raises(SingularError, match=r'joint "swivel".*in sample 1') as caught:
        solve(q=q)
    assert caught.value.samples == (1,)
    found = solve(q=q, errors="mask")
    assert np.isnan(found[1]).all()
    assert np.array_equal(found[[0, 2, 3]], alone)
