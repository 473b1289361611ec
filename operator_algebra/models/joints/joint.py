"""What a joint is: coordinates, transform, joint map; and the kinds of the package, a file each in this folder."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, TypedDict, TypeVar, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from operator_algebra.arguments import shown, told, word
from operator_algebra.errors import ModelError, explain
from operator_algebra.models import joints
from operator_algebra.spatial.arrays import Array, ArrayNamespace, ManifoldNamespace, Vector3
from operator_algebra.spatial.reals import reals

_FOR_ALL = ("axis", "custom", "joint")  # the files of this folder that are no kinds
_FIRST = ("fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical")


def _kinds_here() -> tuple[str, ...]:
    """The plain ones first, as messages and suites name them; then the others, by name."""
    found = [name for _, name, _ in iter_modules(joints.__path__) if name not in _FOR_ALL]
    return tuple(dict.fromkeys((*_FIRST, "translation", "floating", *found)))


Rows = NDArray[np.float64]
"""Numbers of many joints, one row each."""

JOINT_KINDS = _kinds_here()
"""The kinds of the package: each is the name of a file here, and the `kind` of the class in it."""

_PER_DOF = ("armature", "stiffness", "damping")


class Mark(NamedTuple):
    """How pictures show a joint: a letter, and one of matplotlib's markers, round if it turns, square if it slides."""

    letter: str = "?"
    shape: str = "D"


@dataclass(frozen=True)
class Limits:
    """Bounds of a joint, one number per degree of freedom; an empty tuple says that there is no bound."""

    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()


Options: TypeAlias = dict[str, Any]
"""What a joint is made from, by keyword."""


class JointOptions(TypedDict, total=False):
    """What every joint takes besides its geometry; a number stands for the same number in each degree of freedom."""

    name: str
    armature: float | Sequence[float]
    stiffness: float | Sequence[float]
    damping: float | Sequence[float]
    rest: float | Sequence[float]
    limits: Limits | None


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A joint between a parent body and a child body.

    A kind of joint says how its coordinates q place the child (`transform`) and how its rates v move it (`motion_map`).
    To make one, subclass: set `kind`, `nq`, `nv`, write the two methods, and `motion_map_rate` if the map depends on q.
    A spring pulls with −stiffness (q ⊖ rest), a damper with −damping v.

    >>> Joint.revolute(axis=(0, 0, 2), armature=0.1)
    Revolute(armature=(0.1,), axis=(0.0, 0.0, 1.0))
    """

    kind: ClassVar[str] = ""
    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0
    parameters: ClassVar[tuple[str, ...]] = ()  # the fields that enter the formulas and may be stacked over bodies
    quaternion: ClassVar[slice | None] = None  # where in q a unit quaternion stands
    needs: ClassVar[Mapping[str, str]] = MappingProxyType({})  # options without a default: what to give
    draws: ClassVar[tuple[int, int]] = (0, 0)  # of normal and of uniform numbers, for a random joint
    lengths: ClassVar[tuple[str, ...]] = ()  # the parameters that are lengths, which a change of units scales
    mark: ClassVar[Mark] = Mark()

    name: str = ""
    armature: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()
    limits: Limits | None = None

    def __post_init__(self) -> None:
        nv = self.nv
        object.__setattr__(self, "name", word(self.name, "the name of a joint", error=ModelError))
        for field in _PER_DOF:
            given = getattr(self, field)
            if isinstance(given, tuple) and not given:
                object.__setattr__(self, field, (0.0,) * nv)
            else:
                object.__setattr__(self, field, self._per_dof(given, nv, field, least=0.0))
        if not isinstance(self.rest, tuple) or self.rest:  # pyright: ignore[reportUnnecessaryIsInstance]
            object.__setattr__(self, "rest", self._per_dof(self.rest, self.nq, "rest"))
        if self.limits is not None:
            self._check_limits(self.limits)
        if any(self.stiffness) and not self.allows_springs:
            raise self.error(
                "a spring needs rates that are the derivatives of the coordinates",
                "Take stiffness away, or model the joint as several joints with one degree of freedom each.",
            )
        if not _is_of_package(type(self)):
            from operator_algebra.models.joints.custom import check_joint

            check_joint(self)

    def __repr__(self) -> str:
        """Only what differs from the default."""
        parts: list[str] = []
        for name in _field_names(type(self)):
            value = getattr(self, name)
            if value not in ("", (), None) and (name not in _PER_DOF or any(value)):
                parts.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def named(self, name: str) -> Self:
        """The same joint with another name."""
        return with_fields(self, {"name": word(name, "the name of a joint", error=ModelError)})

    # -- the geometry of a kind ------------------------------------------------------------------------------------

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """Pose (R, p) of the child's frame in the joint's frame; q (..., nq) → (..., 3, 3), (..., 3)."""
        raise self.error("it has no transform", "Write transform(self, q, xp) in the class.")

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H*: twist of the child relative to its parent, in child axes about the child's origin; (..., 6, nv)."""
        raise self.error("it has no motion_map", "Write motion_map(self, q, xp) in the class.")

    def motion_map_rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        """d/dt H* along the rates v, in the axes of the child; (..., 6, nv). Zero where the map is constant."""
        del v
        return self._constant(np.zeros((6, self.nv)), q, xp)

    @property
    def has_constant_map(self) -> bool:
        """Whether the joint map does not depend on q; a kind says so by not writing `motion_map_rate`."""
        return type(self).motion_map_rate is Joint.motion_map_rate

    @property
    def allows_springs(self) -> bool:
        """Whether −stiffness (q ⊖ rest) is the gradient of an energy."""
        return self.nq == self.nv

    def neutral(self) -> NDArray[np.float64]:
        """The configuration in which the child's frame is the joint's frame, for the kinds of the package."""
        return np.zeros(self.nq)

    def integrate(self, q: Array, dv: Array, xp: ManifoldNamespace) -> Array:
        """The configuration q ⊕ dv, reached by the constant rates dv in unit time."""
        del xp
        if self.nq != self.nv:
            raise self.error("nq differs from nv and there is no integrate", "Write integrate(self, q, dv, xp).")
        return q + dv

    def rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        """q̇, how the coordinates change: the derivative of q ⊕ t v at t = 0."""
        del q, xp
        if type(self).integrate is not Joint.integrate:
            raise self.error("it has an integrate of its own and no rate", "Write rate(self, q, v, xp).")
        return v

    def difference(self, q0: Array, q1: Array, xp: ManifoldNamespace) -> Array:
        """The constant rates q1 ⊖ q0, which lead from q0 to q1 in unit time."""
        del xp
        if self.nq != self.nv:
            raise self.error("nq differs from nv and there is no difference", "Write difference(self, q0, q1, xp).")
        return q1 - q0

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Configurations of the given shape, spread over what the joint can do; limits are not looked at."""
        return rng.uniform(-1.0, 1.0, (*shape, self.nq))

    # -- how mechanisms are made of a kind, and told without it ------------------------------------------------------

    @classmethod
    def chain_options(cls, k: int) -> Options:
        """What joint k of a regular chain is made from."""
        del k
        return {}

    @classmethod
    def random_options(cls, rng: np.random.Generator) -> Options:
        """What a random joint is made from: the geometry, no springs."""
        normal, uniform = cls.draws
        columns = cls.random_columns(rng.standard_normal((1, normal)), rng.random((1, uniform)))
        return row_of(columns, 0)

    @classmethod
    def random_columns(cls, normal: Rows, uniform: Rows) -> dict[str, Rows]:
        """Options of many random joints, from rows of as many normal and uniform numbers as `draws` says."""
        del normal, uniform
        return {}

    @classmethod
    def kept_columns(cls, options: Mapping[str, Rows]) -> dict[str, Rows]:
        """Of options of many joints what the constructor keeps of each, by parameter."""
        return {field: np.asarray(options[field], dtype=np.float64) for field in cls.parameters}

    def series(self) -> tuple[tuple[str, Vector3], ...]:
        """Joints with one motion each, by kind and axis, that do the same in the same coordinates; none if none do."""
        return ()

    # -- helpers ---------------------------------------------------------------------------------------------------

    def error(self, what: str, remedy: str = "") -> ModelError:
        """A `ModelError` that names this joint."""
        called = f' "{self.name}"' if self.name else ""
        return ModelError(explain(what, f"joint{called} of kind {self.kind or type(self).__name__!r}", remedy))

    def stacked(self, joints: Sequence[Joint]) -> Joint:
        """One joint that stands for many of its kind: its parameters carry a leading axis, and formulas broadcast."""
        return with_fields(
            self,
            {
                field: np.array([getattr(joint, field) for joint in joints], dtype=np.float64)
                for field in self.parameters
            },
        )

    def _constant(self, block: Any, q: Array, xp: ArrayNamespace) -> Array:
        return xp.broadcast_to(block, (*q.shape[:-1], *np.shape(block)[-2:]))

    def _per_dof(self, given: Any, count: int, field: str, least: float = -math.inf) -> tuple[float, ...]:
        try:
            many = isinstance(cast("object", given), Sequence) or getattr(given, "ndim", 0) > 0
            numbers = reals(given if many else (given,) * count)
        except (TypeError, ValueError, OverflowError):
            numbers = (math.nan,)
        if len(numbers) != count or not all(map(math.isfinite, numbers)):
            raise self.error(f"{field} needs {count} finite numbers, not {shown(given)}")
        if min(numbers, default=least) < least:
            raise self.error(f"{field} is negative: {given}", "Give numbers of at least 0.")
        return numbers

    def _check_limits(self, limits: object) -> None:
        if not isinstance(limits, Limits):
            raise self.error(f"the limits are {told(limits)}", "Give a Limits.")
        for field in ("lower", "upper", "velocity", "effort"):
            bound: Any = getattr(limits, field)
            try:
                numbers = reals(bound)
            except (TypeError, ValueError, OverflowError):
                numbers = (math.nan,)
            if len(numbers) not in (0, self.nv) or any(map(math.isnan, numbers)):
                raise self.error(f"the limit {shown(field)} needs {self.nv} numbers, not {shown(bound)}")
        if any(low > high for low, high in zip(limits.lower, limits.upper, strict=False)):
            raise self.error(f"the lower limit {limits.lower} is above the upper {limits.upper}", "Swap them.")

    # -- the kinds of the package, each imported when first asked for ---------------------------------------------

    @staticmethod
    def fixed(*, name: str = "") -> Joint:
        """No motion."""
        return make_joint("fixed", name=name)

    @staticmethod
    def revolute(axis: Sequence[float] = (0, 0, 1), **options: Unpack[JointOptions]) -> Joint:
        """Turning about an axis; q is the angle."""
        return make_joint("revolute", axis=axis, **options)

    @staticmethod
    def prismatic(axis: Sequence[float] = (0, 0, 1), **options: Unpack[JointOptions]) -> Joint:
        """Sliding along an axis; q is the distance."""
        return make_joint("prismatic", axis=axis, **options)

    @staticmethod
    def helical(axis: Sequence[float] = (0, 0, 1), *, pitch: float, **options: Unpack[JointOptions]) -> Joint:
        """A screw: q is the angle; pitch is the advance along the axis per radian."""
        return make_joint("helical", axis=axis, pitch=pitch, **options)

    @staticmethod
    def cylindrical(axis: Sequence[float] = (0, 0, 1), **options: Unpack[JointOptions]) -> Joint:
        """Turning about and sliding along one axis; q = (angle, distance)."""
        return make_joint("cylindrical", axis=axis, **options)

    @staticmethod
    def universal(
        axis1: Sequence[float] = (1, 0, 0), axis2: Sequence[float] = (0, 1, 0), **options: Unpack[JointOptions]
    ) -> Joint:
        """Two turns: about axis1, then about axis2, which the first carries along; the map depends on q."""
        return make_joint("universal", axis1=axis1, axis2=axis2, **options)

    @staticmethod
    def planar(axis: Sequence[float] = (0, 0, 1), **options: Unpack[JointOptions]) -> Joint:
        """Motion in a plane with this normal; q = (angle, x, y), rates (ω, v_x, v_y) in body axes."""
        return make_joint("planar", axis=axis, **options)

    @staticmethod
    def spherical(**options: Unpack[JointOptions]) -> Joint:
        """Turning freely; q is a quaternion w x y z, rates are the angular velocity in body axes."""
        return make_joint("spherical", **options)

    @staticmethod
    def translation(**options: Unpack[JointOptions]) -> Joint:
        """Sliding freely without turning; q and rates in the axes of the joint's frame."""
        return make_joint("translation", **options)

    @staticmethod
    def floating(**options: Unpack[JointOptions]) -> Joint:
        """Moving freely; q = (position, quaternion w x y z), rates are the twist in body axes."""
        return make_joint("floating", **options)


JointOf = TypeVar("JointOf", bound=Joint)


def with_fields(joint: JointOf, values: Mapping[str, object]) -> JointOf:
    """The same joint with other values of some fields, which nobody tests: columns of numbers, or kept ones."""
    one = copy.copy(joint)
    for field, value in values.items():
        object.__setattr__(one, field, value)
    return one


def row_of(columns: Mapping[str, Rows], i: int) -> Options:
    """Row i of columns, as the fields of a joint."""
    rows = {field: column[i] for field, column in columns.items()}
    return {field: tuple(row.tolist()) if row.ndim else float(row) for field, row in rows.items()}


@cache
def _is_of_package(cls: type[Joint]) -> bool:
    return cls.kind in JOINT_KINDS and cls.__module__ == f"{__package__}.{cls.kind}"


def joint_class(kind: str) -> type[Joint]:
    """The class of a kind of joint of the package."""
    if kind not in JOINT_KINDS:
        known = ", ".join(JOINT_KINDS)
        raise ModelError(
            explain(f"unknown kind of joint {shown(kind)}", remedy=f"Use one of {known}, or subclass Joint.")
        )
    return _class_in_file(kind)


@cache
def _class_in_file(kind: str) -> type[Joint]:
    found = vars(import_module(f"{__package__}.{kind}")).values()
    return next(each for each in found if isinstance(each, type) and issubclass(each, Joint) and each.kind == kind)


@cache
def _field_names(cls: type[Joint]) -> tuple[str, ...]:
    """The options of a kind; a million joints ask."""
    return tuple(field.name for field in fields(cls))


def make_joint(kind: str, /, **options: Any) -> Joint:
    """A joint of the given kind from keyword options, as in a file.

    >>> make_joint("prismatic", axis=(1, 0, 0)).nv
    1
    """
    cls = joint_class(kind)
    known = _field_names(cls)
    unknown = [name for name in options if name not in known]
    if unknown:
        raise ModelError(
            explain(f"a {kind} joint takes no {shown(unknown[0])}", remedy=f"It takes {', '.join(known)}.")
        )
    for name, about in cls.needs.items():
        if name not in options:
            raise ModelError(explain(f"a {kind} joint needs its {name}", remedy=f"Give {about}."))
    return cls(**options)
