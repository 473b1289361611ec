"""Joints as code that many bodies share sees them: nothing is compared in it, and equal joints of a user are one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np

from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint, with_fields
from operator_algebra.models.joints.planar import Planar
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.leaf_factors import BodyClass

_OF_ALL = frozenset(field.name for field in fields(Joint))


@dataclass(frozen=True, kw_only=True, repr=False)
class _Plane(Planar):
    """A plane whose directions are numbers of the body, as the normal is: which they are is a matter of comparisons."""

    parameters: ClassVar[tuple[str, ...]] = ("axis", "first", "second")

    def _in_plane(self) -> tuple[Numbers, Numbers]:
        return np.asarray(vars(self)["first"]), np.asarray(vars(self)["second"])


def sharing(classes: Sequence[BodyClass], most: int) -> tuple[BodyClass, ...]:
    """The same bodies in classes that code can serve: up to so many kinds of joints of a user."""
    own = [of for of in classes if of.joint.kind in JOINT_KINDS]
    return tuple(_plane(of) if type(of.joint) is Planar else of for of in own) + _users(classes, most)


def _plane(of: BodyClass) -> BodyClass:
    first, second = of.joint._in_plane() if isinstance(of.joint, Planar) else ((), ())  # pyright: ignore[reportPrivateUsage]
    joint: Joint = object.__new__(_Plane)  # of stacked numbers, which no joint is made of
    joint.__dict__.update(vars(of.joint), first=first, second=second)
    return replace(of, joint=joint)


def _users(classes: Sequence[BodyClass], most: int) -> tuple[BodyClass, ...]:
    """Bodies whose joints differ in nothing but what stands in columns."""
    several: list[list[BodyClass]] = []
    for of in classes:
        if of.joint.kind not in JOINT_KINDS:
            alike = next((group for group in several if _equal(group[0].joint, of.joint)), None)
            if alike is not None:
                alike.append(of)
            elif len(several) == most:
                raise Untraceable("there are more kinds of a user's joints than code is made for")
            else:
                several.append([of])
    return tuple(map(_together, several))


def _equal(one: Joint, other: Joint) -> bool:
    if type(one) is not type(other):
        return False
    own, others = ({name: x for name, x in vars(joint).items() if name not in _OF_ALL} for joint in (one, other))
    return own.keys() == others.keys() and all(np.array_equal(x, others[name]) for name, x in own.items())


def _together(several: Sequence[BodyClass]) -> BodyClass:
    """One class of them, body by body in order; their joint is the first one's, whose parameters are not stacked."""
    names = [field.name for field in fields(BodyClass) if field.name not in ("joint", "gravity")]
    order = np.argsort(np.concatenate([of.bodies for of in several]))
    columns = {name: np.concatenate([getattr(of, name) for of in several])[order] for name in names}
    return replace(several[0], joint=with_fields(several[0].joint, {"parameters": ()}), **columns)
