"""A program in pieces gives what it gives as a whole: on all joints, forests and singular mechanisms, at random."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.loops import classes
from operator_algebra.backends.loops.emit import loop_text
from operator_algebra.backends.loops.limits import EVERYWHERE
from operator_algebra.backends.loops.pieces import cut
from operator_algebra.backends.loops.places import Found
from operator_algebra.backends.loops.records import Cut
from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar.graph import Untraceable, operations
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import dense
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.inputs import Bound
from operator_algebra.operators.leaf_factors import body_classes
from operator_algebra.operators.vanishing import vanishing
from tests.backends.loops.by_hand import ByHand, Floats
from tests.backends.scalar.calls import Call, flat, least_pivot, random_arguments
from tests.backends.scalar.test_trace import renamed
from tests.expression_strategies import expressions, inputs_for
from tests.lowering.agreement import bound
from tests.nearly_singular import DOUBTFUL, sample
from tests.programs.test_interpreted_programs import chosen, inputs
from tests.rounding import apart
from tests.strategies import ALL_JOINTS, mechanisms


def in_pieces(call: Call) -> Cut:
    return cut(call.program, call.model, Signature.of(call.inputs), limits=EVERYWHERE)


def by_hand(call: Call) -> tuple[bool, dict[str, Floats]]:
    """Whether a program in pieces may be trusted, and its results."""
    run = ByHand.of(in_pieces(call), call)
    good = run.run()
    places = [Found.of(call.program, output, call.model, call.inputs.layouts) for output in call.program.outputs]
    results = [one.result(array[None], ()) for one, array in zip(places, run.results, strict=True)]
    return good, {one.laid.name: flat(result) for one, result in zip(places, results, strict=True)}


def agrees(formulas: dict[str, Expr], call: Call, values: dict[str, object]) -> bool:
    """Whether what may be trusted is what the formulas mean."""
    good, found = by_hand(call)
    for name, e in formulas.items():
        scaled = evaluate_with_scale(e, call.model, q=call.q, **chosen(e, values))
        assert apart(found[name], scaled.value.dense().ravel()) <= 2 * bound(scaled) * scaled.scale
    return good


FORMULAS: dict[str, Expr] = {
    "velocity": dynamics.velocity,
    "T": dynamics.inverse_dynamics,
    "qdd": dynamics.forward_dynamics,
    "solved": inv(dynamics.mass_matrix) @ s.T,
    "coriolis": dynamics.coriolis,
    "gravity": dynamics.gravity_term,
}
UNSPRUNG: dict[str, Expr] = {
    **{name: e for name, e in FORMULAS.items() if name not in ("T", "qdd")},
    "forces": dynamics.mass_matrix @ s.qdd + dynamics.coriolis + dynamics.gravity_term,
    "rates": inv(dynamics.mass_matrix) @ (s.T - dynamics.coriolis - dynamics.gravity_term),
}
"""How far a planar joint or a quaternion is from where its spring rests is a matter of comparisons."""
EVERYTHING: dict[str, Expr] = {**FORMULAS, "a": s.a, "acceleration": dynamics.acceleration}


@pytest.mark.parametrize("kind", [kind for kind in ALL_JOINTS if kind != "planar"])
def test_chains_of_each_kind(kind: str) -> None:
    model = chain(5, joint=["revolute", kind], seed=2)
    program = lower(UNSPRUNG, zeros=vanishing(model))
    values = inputs(program, model, 1)
    assert agrees(UNSPRUNG, Call.of(program, model, model.random(1)[0], values), values)


@pytest.mark.parametrize("method", ["auto", "joseph"])
@pytest.mark.parametrize("seed", range(2))
def test_trees_with_joints_of_all_kinds(seed: int, method: Method) -> None:
    model = random_tree(9, joints=ALL_JOINTS, seed=seed)
    for name, e in FORMULAS.items():
        program = lower({name: e}, zeros=vanishing(model), method=method)
        values = inputs(program, model, 1)
        agrees({name: e}, Call.of(program, model, model.random(seed)[0], values), values)


def test_several_results_at_once() -> None:
    model = random_tree(9, joints=ALL_JOINTS, seed=1)
    program = lower(EVERYTHING, zeros=vanishing(model))
    values = inputs(program, model, 1)
    assert agrees(EVERYTHING, Call.of(program, model, model.random(3)[0], values), values)


@given(mechanisms(armature=True, max_bodies=7), st.integers(0, 2**20))
@settings(max_examples=12)
def test_forests(model: Model, seed: int) -> None:
    e = inv(dynamics.mass_matrix) @ s.T
    program = lower({"x": e}, zeros=vanishing(model))
    values = dict(inputs_for(e, model, seed))
    agrees({"x": e}, Call.of(program, model, model.random(seed)[0], values), values)


@given(expressions(), mechanisms(armature=True, max_bodies=6), st.integers(0, 2**20))
@settings(max_examples=25)
def test_random_formulas(e: Expr, model: Model, seed: int) -> None:
    q, values = random_arguments(e, model, seed)
    call = Call.of(lower({"x": e}), model, q, values)
    try:
        good, found = by_hand(call)
    except Untraceable:
        reject()
    except (ZeroDivisionError, ValueError):  # a pivot is zero, a root negative
        return
    run = call.interpreted()
    assert not good or least_pivot(run) >= SMALL
    scaled = evaluate_with_scale(e, model, q=q, **values)
    if good:
        assert apart(found["x"], flat(run.results["x"])) <= 2 * bound(scaled) * scaled.scale


def test_no_small_pivot_is_missed() -> None:
    small = 0
    for family, seed in product(DOUBTFUL, range(3)):
        model, q = sample(family, seed).model, sample(family, seed).q
        if model.n > 12 or not model.nv:
            continue
        call = Call.of(lower(inv(dynamics.mass_matrix) @ s.T), model, q, {"T": np.ones(model.nv)})
        trusted = least_pivot(call.interpreted()) >= SMALL
        small += not trusted
        try:
            good, _ = by_hand(call)
        except (ArithmeticError, ValueError, Untraceable):
            good = False
        assert trusted or not good, (family, seed)
    assert small > 4


# -- what is found -----------------------------------------------------------------------------------------------------


def test_a_regular_chain_has_few_kinds_and_few_operations() -> None:
    """Zeros and ones are found in what passes from body to body, as they are where all bodies are one list."""
    models = chain(12), chain(24), chain(200)
    for e, most in ((dynamics.inverse_dynamics, 1.2), (dynamics.forward_dynamics, 1.3)):  # with what tells of rounding
        program = lower(e, zeros=vanishing(models[0]))
        names = [name for name in program.inputs if name != "f_ext"]
        calls = [Call.of(program, m, m.neutral(), {n: np.ones(m.nv) for n in names}) for m in models]
        found = in_pieces(calls[2])
        assert len(found.kinds) == 4
        read = {**found.slots, **found.passing}
        inner = max(range(4), key=lambda i: len(found.kinds[i].bodies))
        body = sum(n for row in found.table for n in operations(row[inner].wanted(read)).values())
        fewer, more = (sum(operations(call.traced().entries).values()) for call in calls[:2])
        assert body <= most * (more - fewer) / 12
        assert len(found.slots) <= 24


def test_what_all_bodies_have_in_common_is_no_load() -> None:
    assert all(not len(kind.varying) for kind in classes.kinds(chain(50), body_classes(chain(50))))
    assert any(len(kind.varying) for kind in classes.kinds(chain(50, seed=1), body_classes(chain(50, seed=1))))


def test_what_is_more_than_sweeps_is_left_to_others() -> None:
    model = chain(5, seed=0)
    program = lower(dense(dynamics.mass_matrix))
    call = Call.of(program, model, model.neutral(), inputs(program, model, 0))
    with pytest.raises(Untraceable):
        in_pieces(call)


def test_what_is_not_finite_or_no_rotation_is_not_trusted() -> None:
    model = chain(4, joint="spherical", seed=0)
    program = lower(dynamics.velocity)
    q = model.random(0)[0]
    assert by_hand(Call.of(program, model, q, {"v": np.ones(model.nv)}))[0]
    call = Call.of(program, model, q, {"v": np.ones(model.nv)})
    call.q[4:8] *= 1.01
    assert not by_hand(call)[0]


def test_names_change_nothing() -> None:
    model = random_tree(8, seed=0)
    program = lower(dynamics.forward_dynamics)
    call = Call.of(program, model, model.random(0)[0], inputs(program, model, 0))
    anew = {x if x == "v" else f"{x}_anew": value for x, value in call.inputs.values.items()}
    absent = frozenset(f"{x}_anew" for x in call.inputs.absent)
    other = cut(renamed(program), model, Signature.of(Bound(anew, call.inputs.layouts, absent)), limits=EVERYWHERE)
    count = len(anew) - len(absent)
    assert loop_text(other, count, 1, 4, fuses=True) == loop_text(in_pieces(call), count, 1, 4, fuses=True)
