"""What inertia bears of rounding bounds what reaches pivots; columns run where it does not, in these lanes alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.loops import weights as rules
from operator_algebra.backends.loops.limits import EVERYWHERE
from operator_algebra.backends.loops.pieces import cut
from operator_algebra.backends.loops.records import Columns
from operator_algebra.backends.loops.run import LoopKernel, loop_kernel
from operator_algebra.backends.loops.weights import ABOVE, OWN
from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar.known import FAR
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.expressions.build import inv
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.backends.loops.by_hand import ByHand
from tests.backends.loops.rods import in_a_plane
from tests.backends.scalar.calls import Call
from tests.oracles.rounding_spread import spread
from tests.strategies import ALL_JOINTS

SOLVED = inv(dynamics.mass_matrix) @ s.T
SIGN = (1.25**3 - 0.8**3) / (3 * 0.45)
"""The mean square of a sign."""


def call_of(model: Model, count: int) -> Call:
    program = lower({"x": SOLVED}, zeros=vanishing(model))
    q = np.stack([model.random(seed)[0] for seed in range(count)])
    return Call.of(program, model, q, {"T": np.ones((count, model.nv))})


def columns_of(call: Call) -> bool:
    pieces = cut(call.program, call.model, Signature.of(call.inputs), limits=EVERYWHERE)
    return any(isinstance(piece.columns, Columns) for row in pieces.table for piece in row)


class Limits(ByHand):
    """What is compared with one at the bodies."""

    largest = (0.0, 0.0)

    def _carry(self, columns: Columns, k: int) -> None:
        own, above = self.numbers_at(columns.limits, k)
        self.largest = max(self.largest[0], own), max(self.largest[1], above)
        super()._carry(columns, k)


TREES = [
    random_tree(9, joints=["revolute", "prismatic", "fixed"], seed=1),
    random_tree(9, joints=["revolute", "spherical", "universal"], seed=2),
    random_tree(12, joints=ALL_JOINTS, mass_spread=1.0, seed=4),
    random_tree(12, joints=ALL_JOINTS, mass_spread=1.0, seed=5),
    random_tree(12, joints=["revolute", "fixed"], mass_spread=2.0, seed=3),
    chain(14),
    chain(14, joint=["revolute", "helical"], seed=1),
    in_a_plane(14, (0.0, 0.0, 1.0), 0),
    in_a_plane(14, (0.0, 1.0, 0.0), 1),
]


def stiffened(model: Model) -> Model:
    return Model(
        name=model.name,
        bodies=[replace(b, joint=replace(b.joint, armature=(0.1,) * b.joint.nv)) for b in model.bodies],
    )


@pytest.mark.parametrize("few", [0, 2_000])
@pytest.mark.parametrize("model", [*TREES, stiffened(TREES[0])], ids=lambda model: model.name)
def test_what_inertia_bears_is_no_less_than_what_reaches_any_pivot(
    model: Model, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where neighbours lend each other inertia, and where each body bears alone."""
    monkeypatch.setattr(rules, "_FEW", few)
    call = call_of(model, 4)
    pieces = cut(call.program, model, Signature.of(call.inputs), limits=EVERYWHERE)
    layout = call.inputs.layouts["joint"]
    for q in call.q:
        run = Limits(pieces, model, q, [(layout, np.ones(model.nv))], [layout])
        run.run()
        own, above = run.largest
        assert own > 0.0
        _, lost = spread(model, q)
        most = own * OWN + above * ABOVE
        assert SMALL * SIGN * lost.max() <= most


def test_columns_run_where_they_have_to_and_in_these_lanes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample has the same flag beside any others, and that of one operation at a time."""
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(rules, "_FEW", 0)
    model = random_tree(12, joints=["revolute", "fixed"], mass_spread=3.0, seed=3)
    call = call_of(model, 19)
    made = LoopKernel(call.program, model, Signature.of(call.inputs), EVERYWHERE)
    rows = [call.q, call.inputs.values["T"].entries]
    layout = call.inputs.layouts["joint"]
    ran = 0
    together = made.batch(rows, 19)
    for k in range(19):
        run = ByHand(made.cut, model, call.q[k], [(layout, np.ones(model.nv))], [layout])
        good = run.run()
        made._runs[0] = 0  # pyright: ignore[reportPrivateUsage]
        alone = made.batch([row[k : k + 1] for row in rows], 1)
        assert made._runs[0] == run.runs  # pyright: ignore[reportPrivateUsage]
        assert alone.good[0] == together.good[k] == good
        assert np.array_equal(alone.results[0][0], together.results[0][k])
        ran += run.runs
    assert 0 < ran < 19 * model.n


def test_what_is_not_definite_has_columns_everywhere() -> None:
    bodies = list(chain(5, seed=0).bodies)
    massless = Model(name="massless", bodies=[*bodies[:2], replace(bodies[2], inertia=Inertia()), *bodies[3:]])
    assert not columns_of(call_of(massless, 1))


def test_what_slides_farther_than_is_reckoned_with_is_looked_at_closely() -> None:
    """Of a joint of several freedoms Joseph's form leaves √eps of what is rounded, times the square of the lever."""
    pytest.importorskip("llvmlite")
    model = chain(4, joint=["revolute", "cylindrical"], seed=0)
    call = call_of(model, 1)
    assert columns_of(call)
    made = LoopKernel(call.program, model, Signature.of(call.inputs), EVERYWHERE)
    far = call.q[0].copy()
    far[model.q_slices[1]] = 2.0 * FAR
    rows = np.stack([call.q[0], far]), np.ones((2, model.nv))
    assert made.batch(rows, 2).good.tolist() == [True, False]


def test_neighbours_lend_each_other_what_light_links_lack() -> None:
    """On trees in which each body alone does not bear what is rounded there, hardly any columns run."""
    pytest.importorskip("llvmlite")
    model = random_tree(100, joints=["revolute"], seed=1)
    call = call_of(model, 1)
    made = loop_kernel(call.program, model, Signature.of(call.inputs), EVERYWHERE)
    assert made.share(call.q[0]) == 0.0


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)])
def test_where_no_body_moves_nothing_counts(axis: tuple[float, float, float]) -> None:
    """About their long axes thin rods resist nothing, but in a plane across their hinges they never turn about them."""
    pytest.importorskip("llvmlite")
    model = in_a_plane(40, axis, 2)
    call = call_of(model, 1)
    made = loop_kernel(call.program, model, Signature.of(call.inputs), EVERYWHERE)
    assert any(piece.columns for row in made.cut.table for piece in row)
    assert made.share(call.q[0]) == 0.0


def test_where_columns_run_often_they_run_always() -> None:
    """Thin rods that hinges are not across."""
    pytest.importorskip("llvmlite")
    own = Inertia.cylinder(1.0, 0.002, 1.0, com=(0.5, 0.0, 0.0), axis=0).moved(Placement.from_rpy((0.0, 0.7, 0.7)))
    thin = [replace(body, inertia=own) for body in chain(16).bodies]
    for model, everywhere in ((Model(name="thin", bodies=thin), True), (chain(16, seed=0), False)):
        call = call_of(model, 1)
        made = loop_kernel(call.program, model, Signature.of(call.inputs), EVERYWHERE)
        assert made.runs_everywhere == everywhere
        assert (made.share(call.q[0]) == 0.0) or not everywhere
