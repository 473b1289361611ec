"""Mass matrix, bias and energy of a model by dense matrices, as the operators are defined.

No recursion and no algebra of the package: only the formulas of the joints are shared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models import kinematics
from operator_algebra.models.model import Model
from tests.oracles.by_body import joint_map_rates, joint_maps
from tests.rounding import rounding, size

Floats = NDArray[np.float64]


def mass_matrix(model: Model, q: Floats) -> Floats:
    """H φ M φ* H* and armature."""
    reach, inertia, _ = _operators(model, q)
    return reach @ inertia @ reach.T + np.diag(model.arrays.armature)


def bias(model: Model, q: Floats, v: Floats) -> Floats:
    """H φ (M φ* (a + a_ground) + b): velocity and gravity forces."""
    reach, inertia, phi = _operators(model, q)
    spin = phi.T @ _joint_maps(model, q) @ v
    cross = _block_diagonal([_motion_cross(part) for part in spin.reshape(-1, 6)])
    rates = np.zeros((6 * model.n, model.nv))
    for k, block in enumerate(joint_map_rates(model, q, v)):
        rates[6 * k : 6 * k + 6, model.v_slices[k]] = block
    a = cross @ _joint_maps(model, q) @ v + rates @ v
    rotation, _ = kinematics.body_transforms(model, q, np)
    for k in model.roots:
        a[6 * k + 3 : 6 * k + 6] -= rotation[k].T @ np.array(model.gravity)
    return reach @ (inertia @ phi.T @ a - cross.T @ inertia @ spin)


@dataclass(frozen=True)
class Allowed:
    """What rounding may leave of entries of ℳ, of joint forces and of joint accelerations."""

    mass: float
    force: float
    motion: float


def allowed(model: Model, q: Floats, v: Floats, *, qdd: Floats | float = 0.0, forces: Floats | float = 0.0) -> Allowed:
    """For a mechanism of about a metre at a state, with these accelerations and other forces.

    A diagonal entry of ℳ is a sum of squares, so bodies do not cancel in it. An error of forces is one of
    accelerations by ℳ⁻¹.
    """
    matrix = mass_matrix(model, q)
    mass = float(np.linalg.norm(matrix)) + float(model.arrays.mass.sum())
    force = mass * (float(np.linalg.norm(model.gravity)) + float(np.abs(v).sum()) ** 2 + size(qdd)) + size(forces)
    felt = 1.0 / float(np.linalg.eigvalsh(matrix)[0]) if model.nv else 0.0
    # At every body three rotations in a row, each a sum of three.
    each = rounding(terms=9 * model.n)
    return Allowed(mass * each, force * each, force * felt * each)


def kinetic_energy(model: Model, q: Floats, v: Floats) -> float:
    """½ v* ℳ v."""
    return 0.5 * float(v @ mass_matrix(model, q) @ v)


def potential_energy(model: Model, q: Floats) -> float:
    """−Σ m g · (mass centre in the ground)."""
    rotation, shift = kinematics.body_transforms(model, q, np)
    poses: list[tuple[Floats, Floats]] = []
    energy = 0.0
    for k, p in enumerate(model.parent):
        above, origin = poses[p] if p >= 0 else (np.eye(3), np.zeros(3))
        poses.append((above @ rotation[k], origin + above @ shift[k]))
        centre = poses[k][1] + poses[k][0] @ model.arrays.com[k]
        energy -= float(model.arrays.mass[k] * (np.array(model.gravity) @ centre))
    return energy


def _operators(model: Model, q: Floats) -> tuple[Floats, Floats, Floats]:
    rotation, shift = kinematics.body_transforms(model, q, np)
    hop = np.zeros((6 * model.n, 6 * model.n))
    for k, p in enumerate(model.parent):
        if p >= 0:
            R = rotation[k]
            block = np.block([[R, _skew(shift[k]) @ R], [np.zeros((3, 3)), R]])
            hop[6 * p : 6 * p + 6, 6 * k : 6 * k + 6] = block
    phi: Floats = np.linalg.inv(np.eye(6 * model.n) - hop).astype(np.float64)
    inertia = _block_diagonal([body.inertia.matrix() for body in model.bodies])
    return _joint_maps(model, q).T @ phi, inertia, phi


def _joint_maps(model: Model, q: Floats) -> Floats:
    result = np.zeros((6 * model.n, model.nv))
    for k, block in enumerate(joint_maps(model, q)):
        result[6 * k : 6 * k + 6, model.v_slices[k]] = block
    return result


def _block_diagonal(blocks: list[Floats]) -> Floats:
    result = np.zeros((6 * len(blocks), 6 * len(blocks)))
    for k, block in enumerate(blocks):
        result[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
    return result


def _skew(a: Floats) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _motion_cross(twist: Floats) -> Floats:
    angular, linear = _skew(twist[:3]), _skew(twist[3:])
    return np.block([[angular, np.zeros((3, 3))], [linear, angular]])
