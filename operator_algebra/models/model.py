"""What a mechanism is: bodies joined to a forest, stored from base to tip."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from operator_algebra.arguments import entries, flag, items, quoted, shown, told
from operator_algebra.errors import InputError, ModelError, explain
from operator_algebra.models import configurations, summary
from operator_algebra.models.arrays import Indices, JointGroup, ModelArrays
from operator_algebra.models.body import Body, Frame
from operator_algebra.models.columns import Columns
from operator_algebra.models.loops import Loop, checked
from operator_algebra.models.mimic import Mimic
from operator_algebra.models.numeric import Numbers
from operator_algebra.models.plausible import each_its_own, number_problems
from operator_algebra.models.problems import Problem, Where, report
from operator_algebra.models.topology import depth_first, heights, levels
from operator_algebra.models.validate import body_of, examined, mimic_problems
from operator_algebra.spatial.transforms import vector3

__all__ = ["Body", "Frame", "Loop", "Mimic", "Model", "check_model"]

GRAVITY = (0.0, 0.0, -9.81)


class Model:
    """A mechanism: a forest of bodies, validated and frozen, stored depth-first with parent[i] < i.

    The ground is −1. Spatial vectors are [angular; linear]; coordinates and rates are concatenated base to tip.
    `mimic` says which joints follow others: they stay joints of the tree, with coordinates and rates of their own, and
    `oa.embedding` has the dynamics in which they follow.
    `loops` hold frames to each other beside the joints: formulas of the tree do not know them, `oa.constraints` does.
    `strict=False` turns implausible masses and inertias from errors into warnings.

    >>> from operator_algebra import Inertia, Joint, Placement
    >>> arm = Model(name="arm", bodies=[
    ...     Body("upper", None, Joint.revolute((0, 1, 0)), inertia=Inertia(2.0, (0.2, 0, 0), (0.01, 0.02, 0.02))),
    ...     Body("lower", "upper", Joint.revolute((0, 1, 0)), Placement(translation=(0.4, 0, 0)),
    ...          Inertia(1.0, (0.2, 0, 0), (0.01, 0.02, 0.02)))])
    >>> arm
    Model arm   2 bodies   2 revolute   nq 2, nv 2   fixed base
    >>> arm.parent
    (-1, 0)
    """

    name: str
    columns: Columns
    """All that the bodies say, row by row: what formulas are evaluated with."""
    gravity: tuple[float, float, float]
    mimic: tuple[Mimic, ...]
    loops: tuple[Loop, ...]

    def __init__(
        self,
        *,
        name: str = "model",
        bodies: Iterable[Body],
        gravity: Sequence[float] = GRAVITY,
        frames: Mapping[str, Frame] | None = None,
        mimic: Iterable[Mimic] = (),
        loops: Iterable[Loop] = (),
        strict: bool = True,
    ) -> None:
        given = items(bodies, "the bodies of a model", "Body", error=ModelError)
        for k, body in enumerate(given):
            if not isinstance(body, Body):
                raise ModelError(explain(f"{shown(body)} is not a Body", f"model {quoted(name)}, place {k}"))
        named = {} if frames is None else entries(frames, "frames", "names to Frame", error=ModelError)
        mimics = items(mimic, "what mimics", "Mimic", error=ModelError)
        for k, entry in enumerate(mimics):
            if not isinstance(entry, Mimic):
                raise ModelError(explain(f"{shown(entry)} is not a Mimic", f"model {quoted(name)}, mimic {k}"))
        found, columns = examined(name, given, gravity, named)
        report([*found, *mimic_problems(name, given, mimics)], strict=flag(strict, "strict", error=ModelError))
        closing = checked(loops, named, f"model {quoted(name)}")
        self._store(name, given, columns, gravity=gravity, frames=named, mimic=mimics, loops=closing)

    @classmethod
    def from_parts(
        cls,
        *,
        name: str,
        bodies: Sequence[Body],
        gravity: Sequence[float],
        frames: Mapping[str, Frame],
        problems: Iterable[Problem],
        where: Where,
        strict: bool,
        implausible: Sequence[Problem] | None = None,
        mimic: Sequence[Mimic] = (),
        loops: Sequence[Loop] = (),
    ) -> Model:
        """The model that a file describes; the reader's problems and the model's are reported together.

        The reader has tested `mimic` and `loops`.
        """
        found, columns = examined(name, bodies, gravity, frames, where, implausible)
        report([*problems, *found], strict=strict, stacklevel=5)
        model = cls.__new__(cls)
        model._store(name, bodies, columns, gravity=gravity, frames=frames, mimic=mimic, loops=loops)
        return model

    @classmethod
    def from_columns(cls, name: str, columns: Columns) -> Model:
        """The model of bodies that stand depth-first and have names of their own; their numbers are tested."""
        report(number_problems(columns, body_of(name, columns.names), each_its_own), strict=True)
        model = cls.__new__(cls)
        vars(model).update(name=name, columns=columns, gravity=GRAVITY, _frames={}, mimic=(), loops=())
        return model

    def _store(
        self,
        name: str,
        given: Sequence[Body],
        columns: Columns | None,
        *,
        gravity: Sequence[float],
        frames: Mapping[str, Frame],
        mimic: Sequence[Mimic],
        loops: Sequence[Loop],
    ) -> None:
        assert columns is not None, "whatever has no columns has problems"
        order, parent = depth_first(columns.parent)
        bodies = tuple([_with_parent_name(given, k, columns.parent[k]) for k in order])
        if order != list(range(len(order))):
            columns = Columns.of(bodies, parent)
        own = {"columns": columns, "bodies": bodies, "gravity": vector3(gravity, "gravity")}
        vars(self).update(own, name=name, _frames=dict(frames), mimic=tuple(mimic), loops=tuple(loops))

    def __setattr__(self, name: str, value: object) -> None:
        raise ModelError(f"a model is frozen: {name!r} cannot be set. Make a new model instead.")

    def __delattr__(self, name: str) -> None:
        raise ModelError(f"a model is frozen: {name!r} cannot be deleted. Make a new model instead.")

    # -- topology --------------------------------------------------------------------------------------------------

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies, base to tip."""
        return self.columns.bodies()

    @property
    def parent(self) -> tuple[int, ...]:
        """The place of each body's parent, −1 for the ground."""
        return self.columns.parent

    @property
    def n(self) -> int:
        """Number of bodies."""
        return len(self.parent)

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(group.q.size for group in self.joint_groups)

    @cached_property
    def nv(self) -> int:
        """Number of rates: degrees of freedom."""
        return sum(group.v.size for group in self.joint_groups)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The bodies carried by each body, in order."""
        lists: list[list[int]] = [[] for _ in self.parent]
        for k, p in enumerate(self.parent):
            if p >= 0:
                lists[p].append(k)
        return tuple(tuple(list_) for list_ in lists)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The bodies joined to the ground."""
        return tuple(k for k, p in enumerate(self.parent) if p < 0)

    @cached_property
    def level(self) -> tuple[int, ...]:
        """How many bodies lie between each body and the ground: 0 for roots."""
        return tuple(levels(self.parent))

    @cached_property
    def height(self) -> tuple[int, ...]:
        """How many bodies lie between each body and its farthest tip: 0 for tips."""
        return tuple(heights(self.parent))

    @cached_property
    def depth(self) -> int:
        """Bodies on the longest way from the ground to a tip."""
        return max(self.level) + 1

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return self.columns.names

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints; a joint without one is called like the body that it carries."""
        return tuple([own or body for own, body in zip(self.columns.joint_names, self.body_names, strict=True)])

    @cached_property
    def q_slices(self) -> tuple[slice, ...]:
        """Where the coordinates of each joint stand in q."""
        return _slices(self.columns.nq)

    @cached_property
    def v_slices(self) -> tuple[slice, ...]:
        """Where the rates of each joint stand in v."""
        return _slices(self.columns.nv)

    @property
    def frames(self) -> Mapping[str, Frame]:
        """Named frames."""
        return MappingProxyType(self.__dict__["_frames"])

    def body_index(self, name: str) -> int:
        """The place of a body, by its name."""
        return self._find("body", name, self._body_places)

    def joint_index(self, name: str) -> int:
        """The place of a joint, and of the body that it carries, by the joint's name."""
        return self._find("joint", name, self._joint_places)

    # -- data for vectorised evaluation ----------------------------------------------------------------------------

    @cached_property
    def arrays(self) -> ModelArrays:
        """Placements, inertias and joint constants, stacked over bodies."""
        return self.columns.arrays

    @cached_property
    def joint_groups(self) -> tuple[JointGroup, ...]:
        """Joints by kind, for one vectorised call for each kind."""
        return self.columns.groups

    @property
    def freedoms(self) -> tuple[int, ...]:
        """How many rates each joint has."""
        return self.columns.freedoms

    @cached_property
    def oblique(self) -> frozenset[int]:
        """The bodies whose joint maps have columns that nearly follow from others, or may: see `JointGroup.oblique`."""
        return frozenset(int(k) for group in self.joint_groups for k in group.oblique)

    @property
    def examples(self) -> tuple[Body, ...]:
        """Some bodies, among which there is one of each sort: see `Columns.examples`."""
        return self.columns.examples

    # -- configurations --------------------------------------------------------------------------------------------

    def neutral(self) -> NDArray[np.float64]:
        """The configuration without any motion, (nq,)."""
        return configurations.neutral(self)

    def random(self, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A random configuration within the joint limits, and rates between −1 and 1; what mimics follows."""
        return configurations.random(self, seed)

    def integrate(self, q: ArrayLike, dv: ArrayLike) -> Numbers:
        """The configuration q ⊕ dv: where the constant rates dv lead in unit time; any leading axes."""
        return configurations.integrate(self, q, dv)

    def rate(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """The rate q̇ of the coordinates as the joints move with v, for integrators that know no manifold.

        The derivative of q ⊕ t v at t = 0: v for most joints, ½ q ∘ [0, ω] for quaternions; any leading axes.
        """
        return configurations.rate(self, q, v)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Numbers:
        """The constant rates q1 ⊖ q0, which lead from q0 to q1 in unit time; any leading axes."""
        return configurations.difference(self, q0, q1)

    def check_q(self, q: ArrayLike) -> Numbers:
        """Coordinates as an array (..., nq), finite, with unit quaternions; otherwise `InputError`.

        Complex and extended precision are kept. Of complex coordinates the real parts are a configuration.
        """
        return configurations.check_q(self, q)

    def check_v(self, v: ArrayLike, name: str = "v") -> Numbers:
        """Rates as an array (..., nv), finite; otherwise `InputError`."""
        return configurations.check_v(self, v, name)

    def save(self, path: str | Path) -> None:
        """Write the model to a .toml or .urdf file."""
        from operator_algebra.models.gallery import save

        save(self, path)

    # -- value -----------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Model):
            return NotImplemented
        return self._value == other._value and self.columns.same(other.columns)

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)

    @cached_property
    def digest(self) -> str:
        """Hash of the content, the same in every run: sha256 in hexadecimal."""
        content = hashlib.sha256(self.columns.digest())
        content.update(repr((self.name, self.gravity, sorted(self._frames.items()), self.mimic, self.loops)).encode())
        return content.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        kept = ("name", "columns", "gravity", "_frames", "mimic", "loops")
        return {key: vars(self)[key] for key in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __repr__(self) -> str:
        return summary.line(self)

    def __str__(self) -> str:
        return summary.tree(self)

    def _repr_html_(self) -> str:
        return summary.html(self)

    _frames: dict[str, Frame]

    @property
    def _value(self) -> tuple[object, ...]:
        return (self.name, self.gravity, self._frames, self.mimic, self.loops)

    @cached_property
    def _body_places(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.body_names)}

    @cached_property
    def _joint_places(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.joint_names)}

    def _find(self, what: str, name: str, places: dict[str, int]) -> int:
        if not isinstance(name, str) or name not in places:  # pyright: ignore[reportUnnecessaryIsInstance]
            known = ", ".join(list(places)[:8]) + (", …" if len(places) > 8 else "")
            raise ModelError(f'model "{self.name}": there is no {what} {quoted(name)}. There are {known}.')
        return places[name]


def check_model(value: object, what: str) -> Model:
    """An argument as a model; `what` begins the message: "compile"."""
    if isinstance(value, Model):
        return value
    raise InputError(f"{what} takes a model, not {told(value)}. Load one with load(name), or make one with chain(n).")


def _with_parent_name(bodies: Sequence[Body], k: int, parent: int) -> Body:
    body = bodies[k]
    name = bodies[parent].name if parent >= 0 else None
    return body if body.parent == name else replace(body, parent=name)


def _slices(sizes: Indices) -> tuple[slice, ...]:
    stops = np.cumsum(sizes)
    return tuple(map(slice, (stops - sizes).tolist(), stops.tolist()))
