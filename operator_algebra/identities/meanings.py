"""What each operator of the vocabulary means physically, one sentence each: the glossary."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from operator_algebra.operators.leaf import LEAVES

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "I": "Leaves everything as it is.",
        **{leaf.name: leaf.meaning for leaf in LEAVES},
        "v": "The joint rates.",
        "qdd": "The joint accelerations.",
        "T": "The joint forces: torques about turning axes, forces along sliding ones.",
        "f_ext": "Forces that act on the bodies from outside, at their origins.",
        "B": "Puts forces at end effectors or contacts on the bodies; its adjoint picks the velocities there.",
        "phi": "Gathers the forces on all bodies outboard of each body; its adjoint spreads velocities outward. All "
        "joints count as locked.",
        "phi_tilde": "The same, without a body's own force.",
        "phi_ring": "How propagation changes with time, as seen in the axes of each body.",
        "R": "Composite inertia: what hangs on a body when all joints outboard are locked.",
        "P": "Articulated inertia: what a body feels of all that hangs on it when the joints outboard are free.",
        "D": "The inertia that a joint feels when all joints outboard of it are free.",
        "G": "The gain: which force a joint has to pass on when it yields to a unit of joint force.",
        "K": "The gain, shifted to the parent.",
        "tau": "The part of a force on a body that makes its joint move.",
        "tau_bar": "The part of a force on a body that passes its joint.",
        "P_plus": "Articulated inertia as felt through the joint, from its inboard side.",
        "E_psi": "Shifts a force to the parent through a joint that yields.",
        "psi": "Gathers forces inward through joints that yield; its adjoint spreads velocities outward through them.",
        "psi_tilde": "The same, without a body's own force.",
        "U": "The innovations factor: makes joint forces from independent ones.",
        "W": "Its inverse, the whitening filter: takes from each joint force what the joints outboard explain.",
        "m": "The square root of the mass matrix that a sweep can apply.",
        "ell": "The inverse of that square root.",
        "Upsilon": "How much each body yields to a unit force on itself, all joints free.",
        "Upsilon_plus": "The same as it arrives from the parent, before the joint's own yielding.",
        "Omega": "How much each body yields to a unit force on any other: the inverse inertia of operational space.",
        "S": "What is left of the articulated inertia when the inboard side is free too; the smoothed covariance.",
        "xi": "Total rates: the part of each joint's motion that does not come from the joints inboard.",
        "nu": "Total rates, scaled so that the kinetic energy is half the sum of their squares.",
        "kappa": "Joint forces freed of what the joints outboard explain; the innovations.",
        "epsilon": "The same, scaled to unit variance.",
        "P_ring": "How articulated inertia changes with time, as seen in the axes of each body.",
        "D_ring": "How the inertia that a joint feels changes with time; the same in any axes.",
        "G_ring": "How the gain changes with time, as seen in the axes of each body.",
        "tau_bar_ring": "How the part of a force that passes a joint changes with time.",
        "E_ring_psi": "How the shift through a yielding joint changes with time.",
        "psi_ring": "How propagation through yielding joints changes with time.",
        "U_ring": "How the innovations factor changes with time; the same in any axes.",
        "m_ring": "How a square root of the mass matrix that is m now changes with time; with joints of one degree of "
        "freedom, m itself.",
        "pi_dot": "What of the change of articulated inertia a joint passes on to the parent.",
        "C_xi": "The velocity terms of the equations of motion in total rates.",
        "C_nu": "The velocity terms of the equations of motion in scaled total rates; they do no work.",
        "V": "The velocity of each body.",
        "V_tilde": "The cross product with the velocity of each body.",
        "delta": "The cross product on forces with the velocity of each body relative to its parent.",
        "rotation": "How the axes of each body turn.",
        "rotation_delta": "How the axes of each body turn relative to those of its parent.",
        "a": "The acceleration that velocities alone cause.",
        "b": "The gyroscopic force on each body.",
    }
)
