"""Robots whose joints mimic others: embedded dynamics agree with Pinocchio's full model, projected."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from operator_algebra import embedding
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import SingularError
from tests.models.formats.urdf.file_in_pinocchio import Pinocchio
from tests.models.formats.urdf.robots import Floats, is_named, load_quietly, robot_files
from tests.rounding import apart, condition, rounding

pin: Any = pytest.importorskip("pinocchio")

MOVING = ("revolute", "continuous", "prismatic")


def _gears(path: Any) -> dict[str, tuple[str, float, float]]:
    """The joint that each one follows, with multiplier and offset, as plain XML says."""
    joints = {joint.get("name"): joint for joint in ET.parse(path).getroot().findall("joint")}
    found: dict[str, tuple[str, float, float]] = {}
    for name, joint in joints.items():
        mimic = joint.find("mimic")
        followed = None if mimic is None else joints.get(mimic.get("joint"))
        if mimic is None or followed is None or followed.find("mimic") is not None:
            continue
        if joint.get("type") in MOVING and followed.get("type") in MOVING:
            numbers = (float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0")))
            found[str(name)] = (str(mimic.get("joint")), *numbers)
    return found


GEARS = {name: _gears(path) for name, path in robot_files().items() if is_named(path)}
GEARED = [name for name, gears in GEARS.items() if gears]
SINGULAR = ("romeo_description/romeo",)  # fingers without mass, with what they follow


def test_there_are_some() -> None:
    assert len(GEARED) >= 8
    assert sum(map(len, GEARS.values())) >= 50


@pytest.mark.parametrize("name", GEARED)
def test_the_projected_full_model_agrees(name: str) -> None:
    path, gears = robot_files()[name], GEARS[name]
    model = load_quietly(path)
    assert {m.joint: (m.follows, m.multiplier, m.offset) for m in model.mimic} == gears
    other = Pinocchio(str(path), model, "fixed")
    q, v = model.random(3)
    for follower, (followed, multiplier, offset) in gears.items():
        i, j = (model.q_slices[model.joint_index(joint)].start for joint in (follower, followed))
        assert q[i] == multiplier * q[j] + offset
    torque = np.random.default_rng(3).uniform(-1.0, 1.0, model.nv)

    # Everything by its own engine, in its own order of joints.
    order = other.order()
    there, rates, torques = other.configuration(q), np.zeros(model.nv), np.zeros(model.nv)
    rates[order], torques[order] = v, torque
    free = [i for i in range(model.nv) if model.joint_names[_joint_of(model, i)] not in gears]
    G = np.zeros((model.nv, len(free)))
    for i in range(model.nv):
        followed, multiplier, _ = gears.get(model.joint_names[_joint_of(model, i)], ("", 1.0, 0.0))
        source = model.v_slices[model.joint_index(followed)].start if followed else i
        G[order[i], free.index(source)] = multiplier
    upper: Floats = np.triu(pin.crba(other.model, other.data, there))
    mass: Floats = G.T @ (upper + np.triu(upper, 1).T) @ G
    forces: Floats = G.T @ pin.nonLinearEffects(other.model, other.data, there, rates)

    ours = embedding.matrix(model)
    size = np.sqrt(np.diag(mass))
    found: Floats = compile_program(embedding.geared_mass_matrix, model)(q=q, G_mimic=ours)
    allowed = rounding(terms=9 * model.n)  # below 1e-12
    assert (np.abs(found - mass) <= allowed * np.outer(size, size)).all()
    # Joint damping is no part of the other engine's nonlinear effects.
    damped = model.arrays.damping * v
    found = compile_program(embedding.geared_bias, model)(q=q, v=v, G_mimic=ours) - ours.T @ damped
    terms = size.max() ** 2 * (1.0 + float(np.abs(v).sum()) ** 2) + float(np.abs(damped).sum())
    assert apart(found, forces) <= allowed * terms

    solve = compile_program(embedding.coupled_acceleration, model)
    given = embedding.coupling(model)
    if name in SINGULAR:
        with pytest.raises(SingularError):
            solve(q=q, v=v, T=torque, **given)
        return
    answer = solve(q=q, v=v, T=torque + damped, **given)
    # In units in which the mass matrix has a diagonal of ones.
    scaled: Floats = mass / np.outer(size, size)
    expected: Floats = np.linalg.solve(scaled, (G.T @ torques - forces) / size).astype(np.float64)
    difference = size * answer[free] - expected
    assert np.linalg.norm(difference) <= allowed * condition(scaled) * np.linalg.norm(expected)
    assert apart(answer, G[order] @ answer[free]) <= allowed * np.abs(answer).max()


def _joint_of(model: Any, i: int) -> int:
    return next(k for k, part in enumerate(model.v_slices) if part.start <= i < part.stop)
