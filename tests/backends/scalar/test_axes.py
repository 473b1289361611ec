"""Programs in axes in which turns are planar: shorter, and callers see the axes of bodies."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from operator_algebra.backends.frames import Framed, in_body_axes
from operator_algebra.backends.scalar import trace as tracing
from operator_algebra.backends.scalar.axes import chosen
from operator_algebra.backends.scalar.graph import operations
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraWarning, SingularError
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.programs.program import Program
from operator_algebra.spatial.inertia import Inertia
from tests.backends.scalar.calls import Call, answer, flat
from tests.backends.scalar.test_trace import GOLDEN
from tests.lowering.agreement import bound, scale
from tests.often import some
from tests.programs.test_interpreted_programs import chosen as values_of
from tests.programs.test_interpreted_programs import inputs
from tests.rounding import apart

OBLIQUE = {
    "hinges": chain(5, seed=1),
    "screws": chain(4, joint=["helical"], seed=2),
    "sleeves": chain(4, joint=["cylindrical"], seed=3),
    "crosses": chain(4, joint=["universal"], seed=7),
    "slides": chain(5, joint=["prismatic", "revolute"], seed=4),
    "tree": random_tree(6, joints=["revolute", "prismatic", "helical", "cylindrical", "universal"], seed=5),
    "on a ball": random_tree(6, joints=["spherical", "revolute"], seed=6),
}
TASKS = [
    "dynamics/inverse_dynamics",
    "dynamics/forward_dynamics",
    "dynamics/velocity",
    "dynamics/acceleration",
    "dynamics/ground_wrench",
    "estimation/updated_state",
    "estimation/force_given_acceleration",
    "decomposition/elimination_gain",
    "mass_matrix/dense_mass_matrix",
    "constraints/body_forces",
    "diagonalized/joint_forces",
]
"""With forces and constraints that are given in axes of bodies, and with motions, forces and blocks as results."""


MASS_INVERSE = "inv(H phi M phi' H') T"
IN_BODY_AXES = {
    "blocks of bodies, seen on both sides": "decomposition/composite",
    "a block for each pair of bodies": "decomposition/propagation",
    "where bodies stand in the base": "dynamics/pose",
    "forces about the base": "global_form/force_about_base",
    "an operator that is given between bodies": "global_form/held_between",
}


def call_of(name: str, model: Model) -> Call:
    program = lower(GOLDEN[name])
    return Call.of(program, model, model.random(2)[0], inputs(program, model, 3))


def plainly(program: Program, model: Model, signature: Signature) -> Framed:
    """Whatever may enter and leave, in the axes of bodies."""
    del program, signature
    return in_body_axes(model)


def counted(traced: Traced) -> int:
    return sum(number for kind, number in operations(traced.wanted).items() if kind != "negative")


def agree_with_the_interpreter(call: Call, traced: Traced) -> None:
    found, run, given = answer(traced, call.arguments), call.interpreted(), inputs(call.program, call.model, 3)
    assert found.good
    for output in call.program.outputs:
        expected, formula = flat(run.results[output.name]), output.formula
        scaled = evaluate_with_scale(body_of(formula), call.model, q=call.q, **values_of(formula, given))
        sized = scale(formula, expected, scaled) if isinstance(formula, Query) else scaled.scale
        assert apart(found.results[output.name], expected) <= 2 * bound(scaled) * sized


@pytest.mark.parametrize(("name", "where"), some(list(product(TASKS, OBLIQUE)), each=3))
def test_what_leans_takes_fewer_operations(name: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call = call_of(name, OBLIQUE[where])
    traced = call.traced()
    agree_with_the_interpreter(call, traced)
    monkeypatch.setattr(tracing, "chosen", plainly)
    assert counted(traced) < counted(call.traced())


@pytest.mark.parametrize("why", IN_BODY_AXES)
def test_what_cannot_be_turned_is_made_in_the_axes_of_bodies(why: str) -> None:
    call = call_of(IN_BODY_AXES[why], OBLIQUE["tree"])
    assert chosen(call.program, call.model, Signature.of(call.inputs)).axes is None
    agree_with_the_interpreter(call, call.traced())


@pytest.mark.parametrize("name", ["arm7", "humanoid"])
def test_robots_along_axes_stay_as_they_are(name: str) -> None:
    call = call_of("dynamics/forward_dynamics", load(name))
    assert chosen(call.program, call.model, Signature.of(call.inputs)).axes is None


@pytest.mark.parametrize("text", ["trace(root(M))", "trace(X_abs)", "trace(X_abs M X_abs')"])
@pytest.mark.parametrize("bodies", [6, 70])
def test_what_depends_on_axes_is_made_in_those_of_bodies(text: str, bodies: int) -> None:
    """In lists of operations, and in loops of machine code."""
    model = chain(bodies, seed=7)
    q, _ = model.random(1)
    (output,) = lower(text).outputs
    scaled = evaluate_with_scale(body_of(output.formula), model, q=q)
    expected = compile_program(text, model, backend="interpreter")(q=q)
    assert apart(compile_program(text, model)(q=q), expected) <= 2 * bound(scaled) * scaled.scale


def with_a_thin_tip(bodies: int, share: float) -> Model:
    """Hinges about any axes; the last one turns a body that has next to no inertia about the axis."""
    tree = chain(bodies, seed=7)
    last = tree.bodies[-1]
    axis = np.array(vars(last.joint)["axis"])
    across = np.eye(3) - np.outer(axis, axis)
    J = across + share * np.outer(axis, axis) if share else np.zeros((3, 3))
    tip = replace(last, inertia=Inertia(1.0, (0.3 * axis).tolist(), J.tolist()))
    return Model(name="thin", bodies=[*tree.bodies[:-1], tip])


@pytest.mark.parametrize("bodies", [5, 70])
def test_thin_bodies_lose_no_digits_that_are_not_told(bodies: int) -> None:
    """An inertia rounded in other axes would be some inertia about the axis of a joint."""
    for share, told in ((1e-6, "[56]"), (1e-12, "1[12]")):
        model = with_a_thin_tip(bodies, share)
        q, _ = model.random(0)
        with pytest.warns(OperatorAlgebraWarning, match=f"about {told} of 16 digits are lost"):
            compile_program(MASS_INVERSE, model)(q=q, T=np.ones(bodies))
    point = with_a_thin_tip(bodies, 0.0)
    with pytest.raises(SingularError, match=f'D is singular at joint "joint{bodies}"'):
        compile_program(MASS_INVERSE, point)(q=point.random(0)[0], T=np.ones(bodies))
