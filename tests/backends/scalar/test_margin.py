"""What pivots can lose at most, beside what the interpreter finds that they lose."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar import margin as margins
from operator_algebra.backends.scalar.by_bodies import borne_by_bodies
from operator_algebra.backends.scalar.graph import Node, operations
from operator_algebra.backends.scalar.margin import margin
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.thin import AXIS, LEFT, SIGN
from operator_algebra.backends.scalar.trace import Tracer
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.expressions.build import diag, inv, operator
from operator_algebra.lowering.bounds import elimination
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.backends.loops.rods import in_a_plane, rods
from tests.backends.scalar.calls import Call
from tests.backends.scalar.standing import SOLVED, Tried, called, mechanisms, standing, tracers
from tests.golden.known import KNOWN
from tests.oracles.rounding_spread import carried, spread
from tests.programs.test_interpreted_programs import inputs

DIAGONAL = diag(inv(dynamics.mass_matrix))


def bounds(call: Call, found: Tried | None = None) -> list[tuple[Node, ...] | None]:
    """For each pivot what it loses at most; none is told of one that is zero wherever joints stand."""
    found = found or tracers(call)
    if found is None:
        return [None]
    return [margin(found[0], pivot, found[0].nodes.graph, found[1]) for pivot in call.program.pivots]


def most(call: Call, nodes: tuple[Node, ...]) -> float:
    """What is lost at most, in units of ε."""
    _, found = Tape.of(Traced((), nodes, (), ()), len(call.arguments)).single(call.arguments)
    return sum(found) / SMALL


@pytest.mark.parametrize("method", ["auto", "joseph"])
def test_no_pivot_loses_more(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the mean, by dense algebra, whatever is borne by all bodies together and by each alone, and however much."""
    monkeypatch.setattr(margins, "ROOM", 0.0)
    met, tight = 0, 0
    for model, q in mechanisms():
        call = called(SOLVED, model, q, method)
        found = tracers(call)
        if found is None:
            continue
        lost = carried(standing(call, found))[1].max()
        for borne, large in (((0.0,), 1e9), ((0.0, 0.2), 0.0), ((1e9,), 1e9)):
            monkeypatch.setattr(margins, "_BORNE", borne)
            monkeypatch.setattr(margins, "_LARGE", large)
            (nodes,) = bounds(call, found)
            if nodes is not None:
                bound = most(call, nodes)
                assert lost <= bound, (model.name, borne)
                met += 1
                tight += bound < 1.0 / SMALL
    assert met > 75
    assert tight > 45


@pytest.mark.parametrize("seed", range(12))
def test_no_pivot_loses_more_than_one_body_bears(seed: int) -> None:
    """In the mean, by dense algebra; all bodies bear it on some, not on others."""
    model = rods(7, seed) if seed % 3 else in_a_plane(20, (0.0, 1.0, 0.0), seed)
    call = called(SOLVED, model, model.random(seed)[0])
    tracer = Tracer.of(call.program, model, Signature.of(call.inputs))
    tracer.run()
    tried = np.stack([model.random(seed)[0] for seed in range(3)], axis=-1)
    (pivot,) = call.program.pivots
    found = borne_by_bodies(tracer, pivot, tracer.nodes.graph, tried)
    if found is None:
        assert any(body.joint.nv > 1 for body in model.bodies)
        return
    _, left = Tape.of(Traced((), tuple(found), (), ()), len(call.arguments)).single(call.arguments)
    _, lost = spread(model, call.q)
    assert SMALL * SIGN * lost.max() <= (2.0 * LEFT + AXIS) * (1.0 - min(left))


def test_chains_of_rods_carry_nothing_along() -> None:
    for model in (chain(12), in_a_plane(30, (0.0, 0.0, 1.0), 1)):
        traced = called(SOLVED, model, model.random(0)[0]).traced()
        whole, entries = (sum(operations(nodes).values()) for nodes in (traced.wanted, traced.entries))
        assert whole - entries <= 0.2 * entries


def two_links(mass: float, offset: float, slides: bool) -> Model:
    """Two links, the second light and far from its joint."""
    joint = Joint.prismatic((1, 0, 0)) if slides else Joint.revolute((0, 1, 0))
    first = Body("a", None, Joint.revolute((0, 0, 1)), inertia=Inertia.box(1.0, (0.3, 0.2, 0.4), (0.1, 0.0, 0.2)))
    tip = Inertia.box(mass, (0.2, 0.1, 0.3), (offset, 0.0, 0.0))
    return Model(name="two", bodies=[first, Body("b", "a", joint, Placement(translation=(offset, 0, 0)), tip)])


@pytest.mark.parametrize("slides", [False, True])
def test_what_is_bounded_holds_wherever_joints_stand(slides: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margins, "ROOM", 0.0)
    for mass, offset in product((1e-6, 1.0, 1e3), (0.0, 0.3, 30.0)):
        model = two_links(mass, offset, slides)
        for x in (0.0, 1.3, 900.0):
            call = called(SOLVED, model, np.array([x, x]))
            found = tracers(call)
            assert found is not None
            (nodes,) = bounds(call, found)
            assert nodes is not None
            assert carried(standing(call, found))[1].max() <= most(call, nodes)


def test_links_without_inertia_and_other_pivots_are_not_bounded() -> None:
    bare = Body("b", "a", Joint.prismatic((0, 1, 0)), inertia=Inertia())
    tip = Body("c", "b", Joint.prismatic((1, 0, 0)), inertia=Inertia.box(1.0, (0.2, 0.1, 0.3)))
    model = Model(name="slides", bodies=[two_links(1.0, 0.3, False).bodies[0], bare, tip])
    assert bounds(called(SOLVED, model, model.neutral())) == [None]
    shifted = operator("C", RATE >> TORQUE, structure="diagonal definite")
    arm = load("arm7")
    program = lower(inv(dynamics.mass_matrix + shifted) @ s.T, zeros=vanishing(arm))
    values = {"C": np.ones(7), "T": np.ones(7)}
    call = Call.of(program, arm, arm.neutral(), values)
    assert elimination(program, program.pivots[0]) is not None
    assert bounds(call) == [None]  # what is added comes with the call
    chosen = lower(KNOWN["free_flyer_jacobian"].formula)
    fork = random_tree(4, joints=("revolute", "spherical"), seed=1)
    reading = Call.of(chosen, fork, fork.random(2)[0], inputs(chosen, fork, 2))
    assert set(bounds(reading)) == {None}  # P reads what is chosen
    assert reading.traced().results
    implicit = lower(inv(dynamics.mass_matrix + s.T @ s.T.T) @ s.T)
    assert None in [elimination(implicit, pivot) for pivot in implicit.pivots]


def test_bodies_that_are_fixed_are_one_with_what_carries_them() -> None:
    """Of a link that is two bodies, one of them without inertia, the pivots are those of the link."""
    first, second = two_links(1.0, 0.3, False).bodies
    bare = Body("c", "b", Joint.fixed(), Placement(translation=(0.1, 0.2, 0.3)), Inertia())
    model = Model(name="three", bodies=[first, second, bare], strict=False)
    q = model.random(1)[0]
    call, alone = called(SOLVED, model, q), called(SOLVED, two_links(1.0, 0.3, False), q)
    (found,), (expected,) = bounds(call), bounds(alone)
    assert found is not None
    assert expected is not None
    assert most(alone, expected) <= most(call, found) <= 2 * most(alone, expected)


@pytest.mark.parametrize(
    ("name", "share"), [("arm7", 0.05), ("quadruped", 0.05), ("hand", 0.05), ("humanoid", 0.02), ("plane", 0.05)]
)
def test_it_takes_few_operations(name: str, share: float) -> None:
    model = in_a_plane(12, (0.0, 0.0, 1.0), 0) if name == "plane" else load(name)
    program = lower(dynamics.forward_dynamics, zeros=vanishing(model))
    call = Call.of(program, model, model.random(0)[0], {x: np.ones(model.nv) for x in program.inputs if x != "f_ext"})
    traced = call.traced()
    whole, entries = (sum(operations(nodes).values()) for nodes in (traced.wanted, traced.entries))
    assert whole - entries <= share * entries
