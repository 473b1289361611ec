"""Dynamics of mechanisms in which joints follow others: the coupled motion is embedded, no force of a gear is computed.

Rates of all joints are v = G v_r, with v_r those of the joints that follow none, and a torque of a follower is felt by
what it follows: G* T. So the mass matrix is G* ℳ G, and q̈ = G (G* ℳ G)⁻¹ G* (T − bias). As v_r splits into joints
that have nothing to do with others, which are bodies' own, and those that lead, G = [single*  gears], and one small
system for the leaders stands beside the sweeps over the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from operator_algebra.applications import dynamics
from operator_algebra.errors import InputError, explain
from operator_algebra.expressions.build import define, inv, operator, vector
from operator_algebra.expressions.formulas import formula
from operator_algebra.models.configurations import followed_q, followed_v
from operator_algebra.models.cuts import joint_blocks
from operator_algebra.models.model import Model, check_model
from operator_algebra.operators.spaces import RATE, TORQUE, Space, space
from operator_algebra.symbols import T

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from operator_algebra.expressions.nodes import Expr
    from operator_algebra.models.numeric import Numbers

Floats: TypeAlias = NDArray[np.float64]

INDEPENDENT: Space = space("independent", attached=False)
"""Rates of the joints that follow none, base to tip, as one vector of no body."""

SINGLE: Space = space("single")
"""Rates of the joints that neither follow nor lead."""

LEADING: Space = space("leading", attached=False)
"""Rates of the joints that others follow."""

G_mimic = operator("G_mimic", INDEPENDENT >> RATE)
"""Rates of all joints from those that follow none; its value is `matrix`."""

single = operator("single", TORQUE >> SINGLE.dual, structure="diagonal onto")
"""Picks the torques of joints that neither follow nor lead; its value is in `coupling`."""

gears = operator("gears", LEADING >> RATE)
"""A column for each joint that leads: 1 for itself, the multipliers of its followers; its value is in `coupling`."""

qdd_independent = vector("qdd_independent", INDEPENDENT)
"""Accelerations of the joints that follow none."""

geared_mass_matrix = G_mimic.T @ dynamics.mass_matrix @ G_mimic
"""G* ℳ G, over the joints that follow none."""

geared_bias = G_mimic.T @ dynamics.bias
"""G* bias."""

geared_inverse_dynamics = G_mimic.T @ (dynamics.mass_matrix @ G_mimic @ qdd_independent + dynamics.bias)
"""The torques of the joints that follow none, those of their followers included: G* (ℳ G q̈_r + bias)."""


def embedded(mass: Expr | str, torque: Expr | str) -> Expr:
    """G (G* A G)⁻¹ G* T for a mass matrix A, by `single` and `gears`.

    While leaders and followers are locked, the others answer torques by locked = single* (single A single*)⁻¹ single;
    what leaders then feel is gears* (A − A locked A) gears. Whatever is inverted is definite where G* A G is.

    >>> from operator_algebra.applications import dynamics
    >>> embedded(dynamics.mass_matrix, T).type
    one → rate
    """
    mass, torque = formula(mass, "embedded"), formula(torque, "embedded")
    locked = define("locked", single.T @ inv(single @ mass @ single.T) @ single)
    felt = define("felt", gears.T @ (mass - mass @ locked @ mass) @ gears)
    leading = inv(felt) @ gears.T @ (torque - mass @ locked @ torque)
    return locked @ (torque - mass @ gears @ leading) + gears @ leading


coupled_acceleration = embedded(dynamics.mass_matrix, T - dynamics.bias)
"""q̈ = G (G* ℳ G)⁻¹ G* (T − bias), for all joints, in keeping with their gears."""


def matrix(model: Model) -> Floats:
    """The value of G_mimic, (nv, rates of the joints that follow none).

    >>> import operator_algebra as oa
    >>> matrix(oa.load("planar2r")).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    check_model(model, "matrix")
    followers = [_rate(model, mimic.joint) for mimic in model.mimic]
    return np.delete(followed_v(model, np.eye(model.nv)).T, followers, axis=1)


class Coupling(TypedDict):
    """The values of `single` and `gears`."""

    single: dict[str, Floats]
    gears: Floats


def coupling(model: Model) -> Coupling:
    """The values of `single` and `gears`.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> geared = oa.Model(bodies=arm.bodies, mimic=[oa.Mimic(*reversed(arm.joint_names), multiplier=-2)])
    >>> coupling(geared)["gears"]
    array([[ 1.],
           [-2.]])
    """
    if not check_model(model, "coupling").mimic:
        what = "no joint mimics another"
        raise InputError(explain(what, f"coupling of {model.name}", "Take the formulas of oa.dynamics."))
    leading = sorted({_rate(model, mimic.follows) for mimic in model.mimic})
    own = dict(zip(model.joint_names, joint_blocks(model, np.eye(model.nv)), strict=True))
    coupled = {name: np.zeros((0, 1)) for mimic in model.mimic for name in (mimic.joint, mimic.follows)}
    gears = followed_v(model, np.eye(model.nv)[leading]).T
    return {"single": own | coupled, "gears": gears}


def _rate(model: Model, joint: str) -> int:
    """Where the rate of a joint with one motion stands."""
    return model.v_slices[model.joint_index(joint)].start


def follow(model: Model, q: ArrayLike) -> Numbers:
    """The configuration in which each joint that mimics another stands where its gear puts it; leading axes as in q.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> geared = oa.Model(bodies=arm.bodies, mimic=[oa.Mimic(*reversed(arm.joint_names), offset=0.5)])
    >>> follow(geared, [0.1, 0.0]).tolist()
    [0.1, 0.6]
    """
    return followed_q(model, check_model(model, "follow").check_q(q))


def follow_rates(model: Model, v: ArrayLike) -> Numbers:
    """The rates with which each joint that mimics another keeps to its gear: G v_r.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> follow_rates(arm, [0.1, 0.2]).tolist()
    [0.1, 0.2]
    """
    return followed_v(model, check_model(model, "follow_rates").check_v(v))


__all__ = [
    "INDEPENDENT", "LEADING", "SINGLE", "G_mimic", "coupled_acceleration", "coupling", "embedded", "follow",
    "follow_rates", "geared_bias", "geared_inverse_dynamics", "geared_mass_matrix", "gears", "matrix",
    "qdd_independent", "single",
]  # fmt: skip
