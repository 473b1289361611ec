"""Numbers read off the matrices of `dynamics`: poses, the centre of mass, potential energy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import RangeError
from operator_algebra.expressions.query import Query
from operator_algebra.models.configurations import rest
from operator_algebra.models.model import Model, check_model
from operator_algebra.models.numeric import Numbers

if TYPE_CHECKING:
    from operator_algebra.expressions.nodes import Expr


def _value(e: Expr | Query, model: Model, **values: Any) -> Any:
    return compile_program(e, model)(**values)


def _from_skew(block: Any) -> Any:
    """The vector of a skew matrix."""
    return np.stack([block[..., 2, 1], block[..., 0, 2], block[..., 1, 0]], axis=-1)


def body_poses(model: Model, q: ArrayLike) -> tuple[Numbers, Numbers]:
    """X_abs(k) = [[R, p̃ R], [0, R]]: R (…, n, 3, 3) and p (…, n, 3) of every body."""
    from operator_algebra.applications.dynamics import pose

    blocks = _value(pose, model, q=q)
    rotation = blocks[..., :3, :3]
    return rotation, _from_skew(blocks[..., :3, 3:] @ np.swapaxes(rotation, -1, -2))


def named_poses(model: Model, q: Any) -> Mapping[str, tuple[Any, Any]]:
    """R and p of every body, then of the frames on them."""
    rotation, position = body_poses(model, q)
    each = zip(np.moveaxis(rotation, -3, 0), np.moveaxis(position, -2, 0), strict=True)
    found = dict(zip(model.body_names, each, strict=True))
    ground = (np.eye(3), np.zeros(3))
    for name, frame in model.frames.items():
        R, p = ground if frame.body is None else found[frame.body]
        local_R, local_p = np.asarray(frame.placement.rotation), np.asarray(frame.placement.translation)
        found[name] = (R @ local_R, p + R @ local_p)
    return found


def mass_and_centre(model: Model, q: Any) -> tuple[Any, Any]:
    """From [[J, m c̃], [−m c̃, m I]]: m and c; a mechanism without mass has its centre at the origin."""
    from operator_algebra.applications.dynamics import ground_inertia

    inertia = _value(ground_inertia, model, q=q)
    mass = inertia[..., 5, 5]
    moment = _from_skew(inertia[..., :3, 3:])
    return mass, moment / np.where(mass > 0, mass, 1.0)[..., None]


def mass_at_rest(model: Model) -> float:
    """The mass of all bodies, which is the same at every pose."""
    return float(mass_and_centre(model, check_model(model, "total_mass").neutral())[0])


def potential(model: Model, q: Any) -> Any:
    """−m g·c, and ½ d* stiffness d of the springs with d = q ⊖ rest."""
    mass, centre = mass_and_centre(model, q)
    energy = -mass * (centre @ np.asarray(model.gravity))
    stretch = model.difference(rest(model), q)
    with np.errstate(over="ignore", invalid="ignore"):
        found = energy + 0.5 * np.sum(model.arrays.stiffness * stretch**2, axis=-1)
    if not np.isfinite(found).all():
        raise RangeError(f"the potential energy of {model.name} is beyond the range of floats. Check the units of q.")
    return found
