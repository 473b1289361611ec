"""Newton–Euler, articulated-body and composite-body recursions in body axes, as the textbooks have them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.model import Model

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Bodies:
    """What the recursions need of a mechanism at (q, v); `shift[k]` takes motions of the parent to body k."""

    model: Model
    shift: list[Floats]
    axes: list[Floats]
    axes_rate: list[Floats]
    inertia: list[Floats]
    rates: list[Floats]

    @classmethod
    def at(cls, model: Model, q: Floats, v: Floats) -> Bodies:
        shift: list[Floats] = []
        axes: list[Floats] = []
        axes_rate: list[Floats] = []
        for k, body in enumerate(model.bodies):
            own_q, own_v = q[model.q_slices[k]], v[model.v_slices[k]]
            R_joint, p_joint = body.joint.transform(own_q, np)
            R_fixed, p_fixed = np.array(body.placement.rotation), np.array(body.placement.translation)
            R, p = R_fixed @ R_joint, p_fixed + R_fixed @ p_joint
            shift.append(np.block([[R.T, np.zeros((3, 3))], [-R.T @ tilde(p), R.T]]))
            axes.append(np.array(body.joint.motion_map(own_q, np)))
            axes_rate.append(np.array(body.joint.motion_map_rate(own_q, own_v, np)))
        given = [body.inertia for body in model.bodies]
        inertia = [rigid_inertia(part.mass, part.com, part.inertia_at_com) for part in given]
        return cls(model, shift, axes, axes_rate, inertia, [v[part] for part in model.v_slices])

    @property
    def ground(self) -> Floats:
        """The acceleration that replaces gravity."""
        return np.concatenate([np.zeros(3), -np.array(self.model.gravity)])


def tilde(a: Floats) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def motion_cross(v: Floats) -> Floats:
    return np.block([[tilde(v[:3]), np.zeros((3, 3))], [tilde(v[3:]), tilde(v[:3])]])


def rigid_inertia(mass: float, com: tuple[float, ...], at_com: object) -> Floats:
    c = tilde(np.array(com))
    return np.block([[np.array(at_com) + mass * c @ c.T, mass * c], [mass * c.T, mass * np.eye(3)]])


def inverse_dynamics(model: Model, q: Floats, v: Floats, qdd: Floats, f_ext: Floats | None = None) -> Floats:
    """Joint forces, recursive Newton–Euler with armature; f_ext (6n,) in body axes at the body origins."""
    at = Bodies.at(model, q, v)
    velocity: list[Floats] = []
    force: list[Floats] = []
    acceleration: list[Floats] = []
    for k, p in enumerate(model.parent):
        S, own = at.axes[k], at.rates[k]
        joint = S @ own
        speed = joint if p < 0 else at.shift[k] @ velocity[p] + joint
        before = at.shift[k] @ (at.ground if p < 0 else acceleration[p])
        gained = before + S @ qdd[model.v_slices[k]] + at.axes_rate[k] @ own + motion_cross(speed) @ joint
        velocity.append(speed)
        acceleration.append(gained)
        momentum = at.inertia[k] @ speed
        force.append(at.inertia[k] @ gained - motion_cross(speed).T @ momentum)
        if f_ext is not None:
            force[k] = force[k] - f_ext[6 * k : 6 * k + 6]
    T = np.zeros(model.nv)
    for k in reversed(range(model.n)):
        T[model.v_slices[k]] = at.axes[k].T @ force[k]
        if model.parent[k] >= 0:
            force[model.parent[k]] = force[model.parent[k]] + at.shift[k].T @ force[k]
    return T + model.arrays.armature * qdd


def mass_matrix(model: Model, q: Floats) -> Floats:
    """Composite rigid bodies, with armature."""
    at = Bodies.at(model, q, np.zeros(model.nv))
    composite = list(at.inertia)
    result = np.diag(model.arrays.armature)
    for k in reversed(range(model.n)):
        p = model.parent[k]
        if p >= 0:
            composite[p] = composite[p] + at.shift[k].T @ composite[k] @ at.shift[k]
        part = model.v_slices[k]
        force = composite[k] @ at.axes[k]
        result[part, part] += at.axes[k].T @ force
        j = k
        while model.parent[j] >= 0:
            force = at.shift[j].T @ force
            j = model.parent[j]
            above = model.v_slices[j]
            result[above, part] = at.axes[j].T @ force
            result[part, above] = result[above, part].T
    return result


def forward_dynamics(model: Model, q: Floats, v: Floats, T: Floats) -> Floats:
    """Joint accelerations by the articulated-body algorithm, with armature."""
    at = Bodies.at(model, q, v)
    velocity: list[Floats] = []
    bias: list[Floats] = []
    product: list[Floats] = []
    for k, p in enumerate(model.parent):
        joint = at.axes[k] @ at.rates[k]
        velocity.append(joint if p < 0 else at.shift[k] @ velocity[p] + joint)
        product.append(motion_cross(velocity[k]) @ joint + at.axes_rate[k] @ at.rates[k])
        bias.append(-motion_cross(velocity[k]).T @ at.inertia[k] @ velocity[k])
    articulated = list(at.inertia)
    gain: list[Floats] = [np.zeros(0)] * model.n
    pivot: list[Floats] = [np.zeros(0)] * model.n
    rest: list[Floats] = [np.zeros(0)] * model.n
    for k in reversed(range(model.n)):
        S, part = at.axes[k], model.v_slices[k]
        gain[k] = articulated[k] @ S
        pivot[k] = S.T @ gain[k] + np.diag(model.arrays.armature[part])
        rest[k] = T[part] - S.T @ bias[k]
        p = model.parent[k]
        if p >= 0:
            solve = np.linalg.solve(pivot[k], gain[k].T)
            left = articulated[k] - gain[k] @ solve
            carried = bias[k] + left @ product[k] + gain[k] @ np.linalg.solve(pivot[k], rest[k])
            articulated[p] = articulated[p] + at.shift[k].T @ left @ at.shift[k]
            bias[p] = bias[p] + at.shift[k].T @ carried
    acceleration: list[Floats] = []
    qdd = np.zeros(model.nv)
    for k, p in enumerate(model.parent):
        before = at.shift[k] @ (at.ground if p < 0 else acceleration[p]) + product[k]
        own = np.linalg.solve(pivot[k], rest[k] - gain[k].T @ before)
        qdd[model.v_slices[k]] = own
        acceleration.append(before + at.axes[k] @ own)
    return qdd
