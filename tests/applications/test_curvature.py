"""Curvature of the mass matrix: by Christoffel symbols, symmetries, known spaces, universal joints as their hinges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import operator_algebra as oa
from operator_algebra.applications import geometry
from operator_algebra.errors import InputError
from operator_algebra.models.joints.joint import make_joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.arrays import Array, ArrayNamespace, ManifoldNamespace
from tests.applications.inputs import seeds
from tests.applications.test_geometry import ARM, CONSTANT, DIGITS, Q, covector, planar2r, symbols
from tests.euler_angles import EulerAngles
from tests.models.test_custom_joints import Cam
from tests.oracles import dense_dynamics
from tests.rounding import apart, condition, differencing, rounding, size
from tests.strategies import mechanisms


def with_joint(model: Model, k: int, joint: oa.Joint) -> Model:
    return Model(bodies=[replace(body, joint=joint) if i == k else body for i, body in enumerate(model.bodies)])


CURVED = {
    "constant": oa.random_tree(4, joints=("revolute", "prismatic", "helical"), seed=3),
    "universal": oa.random_tree(3, joints=("universal", "revolute", "cylindrical", "universal"), seed=6),
    "cam": with_joint(oa.random_tree(3, joints=("revolute", "helical"), seed=1), 1, Cam(name="cam", lift=0.4)),
    "angles": with_joint(oa.random_tree(3, joints=("revolute", "universal"), seed=2), 1, EulerAngles(name="angles")),
}


@pytest.mark.parametrize("model", CURVED.values(), ids=CURVED)
def test_curvature_by_christoffel_symbols(model: Model) -> None:
    """∂_k Γ̂ⁱ_lj − ∂_l Γ̂ⁱ_kj + Γ̂ⁱ_km Γ̂ᵐ_lj − Γ̂ⁱ_lm Γ̂ᵐ_kj, slopes by differences."""
    q, _ = model.random(1)
    step = 1e-3

    def raised(at: Any) -> Any:
        return np.einsum("il,ljk->ijk", np.linalg.inv(dense_dynamics.mass_matrix(model, at)), symbols(model, at))

    def slope(one: Any) -> Any:
        ends = [raised(q + s * step * one) for s in (1, -1, 2, -2, 3, -3)]
        return (45.0 * (ends[0] - ends[1]) - 9.0 * (ends[2] - ends[3]) + (ends[4] - ends[5])) / (60.0 * step)

    d, g = np.array([slope(one) for one in np.eye(model.nv)]), raised(q)
    expected = np.einsum("kilj->ijkl", d) - np.einsum("likj->ijkl", d)
    expected += np.einsum("ikm,mlj->ijkl", g, g) - np.einsum("ilm,mkj->ijkl", g, g)
    expected = np.einsum("ai,ijkl->ajkl", dense_dynamics.mass_matrix(model, q), expected)
    found = geometry.riemann_tensor(model, q=q)
    assert size(expected) > 1e-3
    mass = dense_dynamics.mass_matrix(model, q)
    lost = condition(mass) * size(mass) * model.nv
    assert apart(found, expected) <= differencing(lost * (1.0 + size(g)) ** 2, step, rate=4.0, order=6)


def in_series(model: Model) -> Model:
    """The same mechanism and coordinates, with hinges and bodies without mass between for maps that depend on q."""
    bodies: list[Body] = []
    for body in model.bodies:
        parts = () if body.joint.has_constant_map else body.joint.series()
        parent, placement = body.parent, body.placement
        for i, (kind, axis) in enumerate(parts[:-1]):
            joint = make_joint(kind, axis=axis, armature=body.joint.armature[i])
            bodies.append(Body(f"{body.name}/{i}", parent, joint, placement))
            parent, placement = f"{body.name}/{i}", oa.Placement()
        if parts:
            joint = make_joint(parts[-1][0], axis=parts[-1][1], armature=body.joint.armature[-1])
            body = Body(body.name, parent, joint, placement, body.inertia)
        bodies.append(body)
    return Model(bodies=bodies)


@given(mechanisms(joints=(*CONSTANT, "universal", "universal", "universal"), max_bodies=4), seeds)
@settings(max_examples=15)
def test_a_universal_joint_is_curved_as_its_hinges_are(model: Model, seed: int) -> None:
    """Beside frames that turn, too, whose fields have brackets."""
    q, one = model.random(seed)
    split = in_series(model)
    if not 0 < model.nv <= 8:
        return
    R = geometry.riemann_tensor(split, q=q)
    allowed = rounding(1.0 + size(R), terms=100, condition=condition(dense_dynamics.mass_matrix(model, q)))
    assert apart(geometry.riemann_tensor(model, q=q), R) <= allowed
    if model.nv > 1:
        other = np.random.default_rng(seed).standard_normal(model.nv)
        found, wanted = (geometry.sectional_curvature(each, q=q, v=one, w=other) for each in (model, split))
        assert apart(found, wanted) <= allowed * (1.0 + size(wanted))


@given(mechanisms(joints=("universal", "revolute", "prismatic"), max_bodies=3, armature=True), seeds)
@settings(max_examples=10)
def test_coordinates_have_no_bracket(model: Model, seed: int) -> None:
    q, one = model.random(seed)
    other = np.random.default_rng(seed).standard_normal(model.nv)
    slopes = geometry.map_slopes(model, q=q, v=one, w=other)
    found = covector(geometry.varying_bracket, model, q, v=one, w=other, **slopes)
    assert (
        size(found)
        <= rounding(terms=100, condition=condition(dense_dynamics.mass_matrix(model, q)))
        * (1.0 + size(one, other)) ** 2
    )


def test_batches_of_maps_that_depend_on_q() -> None:
    model = CURVED["universal"]
    q = np.stack([model.random(seed)[0] for seed in range(3)])
    one, other = np.eye(model.nv)[:2]
    assert apart(geometry.riemann_tensor(model, q=q)[2], geometry.riemann_tensor(model, q=q[2])) <= DIGITS
    found = geometry.sectional_curvature(model, q=q, v=one, w=other)
    assert apart(found[1], geometry.sectional_curvature(model, q=q[1], v=one, w=other)) <= DIGITS


@given(mechanisms(joints=(*CONSTANT, "universal"), max_bodies=4), seeds)
@settings(max_examples=8)
def test_symmetries_of_curvature(model: Model, seed: int) -> None:
    q, _ = model.random(seed)
    if not 0 < model.nv <= 8:
        return
    R = geometry.riemann_tensor(model, q=q)
    allowed = rounding(1.0 + size(R), terms=100, condition=condition(dense_dynamics.mass_matrix(model, q)))
    cycle = R + np.einsum("ijkl->iklj", R) + np.einsum("ijkl->iljk", R)
    for law in (R + np.swapaxes(R, 0, 1), R + np.swapaxes(R, 2, 3), R - np.einsum("ijkl->klij", R), cycle):
        assert size(law) <= allowed


def test_known_curvatures() -> None:
    """A ball that turns about its centre has 1 / 4 J; slides, balanced links, and a body in a plane have none."""
    ball = Model(bodies=[Body("ball", None, oa.Joint.spherical(), inertia=oa.Inertia(1.0, (0, 0, 0), (2, 2, 2)))])
    assert apart(geometry.sectional_curvature(ball, q=[1, 0, 0, 0], v=[1, 0.2, 0.3], w=[0, 1, -0.4]), 1 / 8) <= DIGITS
    slides = oa.chain(3, joint="prismatic")
    flat = planar2r(b=0.0)
    for model in (slides, flat):
        assert size(geometry.riemann_tensor(model, q=model.random(1)[0])) <= DIGITS
    disk = Model(bodies=[Body("disk", None, oa.Joint.planar(), inertia=oa.Inertia(1.0, (0.2, 0.1, 0), (2, 2, 2)))])
    assert size(geometry.riemann_tensor(disk, q=disk.random(1)[0])) <= DIGITS


# -- what is refused --------------------------------------------------------------------------------------------------

VARYING = r'holds for constant joint maps, and that of joint ".*" of kind "univ'


class Turning(Cam):
    """Rates that nobody says are those of the coordinate."""

    kind = "turning"

    def integrate(self, q: Array, dv: Array, xp: ManifoldNamespace) -> Array:
        return q + dv

    def rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        return v + 0.0 * q


def test_fields_without_known_brackets_are_refused() -> None:
    model = with_joint(oa.chain(2), 1, Turning(name="crank"))
    with pytest.raises(
        InputError, match='joint "crank" of kind "turning" has a joint map that depends on q, and rates'
    ):
        geometry.riemann_tensor(model, q=model.neutral())


def test_the_short_formulas_are_for_constant_maps_and_planes() -> None:
    model = oa.chain(2, joint="universal")
    for e in (geometry.curvature, geometry.sectional, geometry.connection_along(geometry.w)):
        with pytest.raises(InputError, match=VARYING):
            oa.compile(e, model)
        with pytest.raises(InputError, match=VARYING):
            oa.evaluate(e, model, q=model.neutral(), v=np.ones(4), w=np.ones(4), x=np.ones(4))
    with pytest.raises(InputError, match="parallel"):
        geometry.sectional_curvature(ARM, q=Q, v=[1.0, 2.0], w=[0.5, 1.0])
    with pytest.raises(InputError, match="parallel"):
        geometry.sectional_curvature(ARM, q=Q, v=[1.0, 2.0], w=[0.0, 0.0])
