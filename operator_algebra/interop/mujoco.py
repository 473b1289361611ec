"""Mechanisms in MuJoCo, an independent engine: its mass matrix and bias force in the coordinates of this package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.errors import ModelError
from operator_algebra.installing import missing
from operator_algebra.models.joints.joint import JOINT_KINDS, joint_class, make_joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.transforms import Placement
from operator_algebra.spatial.vectors import skew

Floats = NDArray[np.float64]

_WHOLE = ("spherical", "floating", "fixed")  # the kinds that MuJoCo has besides series of hinges and slides


def engine() -> Any:
    """The package mujoco, or an error that says how to install it."""
    try:
        return import_module("mujoco")
    except ImportError:
        raise missing("the comparison with another engine", "mujoco") from None


def to_mujoco(model: Model) -> Any:
    """The mechanism as a compiled MuJoCo model, without contacts."""
    mujoco = engine()
    spec = mujoco.MjSpec()
    spec.option.gravity = model.gravity
    made: dict[str | None, Any] = {None: spec.worldbody}
    for body in model.bodies:
        parent = None if body.parent is None else str(body.parent)
        made[body.name] = _body(mujoco, made[parent], body)
    try:
        return spec.compile()
    except ValueError as error:
        raise ModelError(f"MuJoCo refuses {model.name}: {str(error).splitlines()[0]}.") from None


def _body(mujoco: Any, parent: Any, body: Body) -> Any:
    kind = body.joint.kind
    series = body.joint.series()
    if not (series or kind in _WHOLE) or (kind == "floating" and body.parent is not None):
        known = ", ".join((*_in_series(), *_WHOLE))
        raise ModelError(f'body "{body.name}": MuJoCo has no joint of kind {kind!r} here. It has {known}.')
    place = Placement() if kind == "floating" else body.placement
    inertia = body.inertia.inertia_at_com
    made = parent.add_body(
        name=body.name,
        pos=place.translation,
        quat=_quaternion(mujoco, place),
        mass=body.inertia.mass,
        ipos=body.inertia.com,
        fullinertia=[inertia[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))],
        explicitinertial=True,
    )
    types = mujoco.mjtJoint
    motions = {"revolute": types.mjJNT_HINGE, "prismatic": types.mjJNT_SLIDE}
    for k, (motion, axis) in enumerate(series):
        made.add_joint(type=motions[motion], axis=axis, armature=body.joint.armature[k])
    if kind in ("spherical", "floating"):
        if len(set(body.joint.armature)) > 1:
            raise ModelError(f'body "{body.name}": MuJoCo has one armature for all axes of a {kind} joint.')
        whole = types.mjJNT_BALL if kind == "spherical" else types.mjJNT_FREE
        made.add_joint(type=whole, armature=body.joint.armature[0])
    return made


def _in_series() -> list[str]:
    return [kind for kind in JOINT_KINDS if make_joint(kind, **joint_class(kind).chain_options(0)).series()]


def _quaternion(mujoco: Any, place: Placement) -> Floats:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.array(place.rotation).reshape(-1))
    return quaternion


def mass_and_bias(model: Model, q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """MuJoCo's mass matrix and bias force (velocity terms and gravity), in our coordinates and rates.

    Its free joint has the linear velocity in world axes first, ours the twist in body axes: v' = S v.
    """
    mujoco = engine()
    compiled = to_mujoco(model)
    data = mujoco.MjData(compiled)
    position, rates, turned = _converted(mujoco, model, q, v)
    S, drift = turned
    data.qpos[:], data.qvel[:] = position, rates
    mujoco.mj_forward(compiled, data)
    mass = np.zeros((compiled.nv, compiled.nv))
    mujoco.mj_fullM(compiled, data, mass)
    bias = np.array(data.qfrc_bias)
    return S.T @ mass @ S, S.T @ (bias + mass @ drift)


def _converted(mujoco: Any, model: Model, q: Floats, v: Floats) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
    position, S, drift = np.array(q, dtype=float), np.eye(model.nv), np.zeros(model.nv)
    for body, at_q, at_v in zip(model.bodies, model.q_slices, model.v_slices, strict=True):
        if body.joint.kind != "floating":
            continue
        own = Placement.from_quaternion(q[at_q][3:].tolist(), q[at_q][:3].tolist())
        pose = body.placement @ own
        position[at_q] = np.concatenate([pose.translation, _quaternion(mujoco, pose)])
        rotation = np.array(pose.rotation)
        zero = np.zeros((3, 3))
        S[at_v, at_v] = np.block([[zero, rotation], [np.eye(3), zero]])
        angular, linear = v[at_v][:3], v[at_v][3:]
        drift[at_v] = np.concatenate([rotation @ (skew(angular, np) @ linear), np.zeros(3)])
    return position, S @ v, (S, drift)
