"""The bodies of a mechanism as columns: what a million of them are made of, and `Body` objects made of it on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from operator_algebra.models.arrays import Floats, Indices, JointGroup, ModelArrays, joint_groups, model_arrays
from operator_algebra.models.body import Body
from operator_algebra.models.joints.joint import Joint, Limits, row_of, with_fields
from operator_algebra.spatial.arrays import Matrix3, Vector3
from operator_algebra.spatial.inertia import kept_inertia
from operator_algebra.spatial.transforms import kept_placement

_PER_DOF = ("armature", "stiffness", "damping")


@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """All that bodies say, base to tip; a row is a body."""

    names: tuple[str, ...]
    joint_names: tuple[str, ...]
    """Their own: "" where a joint is called like its body."""
    parent: tuple[int, ...]
    arrays: ModelArrays
    groups: tuple[JointGroup, ...]
    rest: Mapping[int, tuple[float, ...]]
    """Of the joints that say where their springs rest."""
    limits: Mapping[int, Limits]
    """Of the joints that have them."""

    @classmethod
    def of(cls, bodies: Sequence[Body], parent: Sequence[int]) -> Columns:
        """Those of `Body` objects whose parents stand at these places."""
        joints = [body.joint for body in bodies]
        return cls(
            names=tuple([body.name for body in bodies]),
            joint_names=tuple([joint.name for joint in joints]),
            parent=tuple(parent),
            arrays=model_arrays(bodies),
            groups=joint_groups(
                bodies, _starts([joint.nq for joint in joints]), _starts([joint.nv for joint in joints])
            ),
            rest={k: joint.rest for k, joint in enumerate(joints) if joint.rest},
            limits={k: joint.limits for k, joint in enumerate(joints) if joint.limits is not None},
        )

    @cached_property
    def nq(self) -> Indices:
        """How many coordinates each joint has."""
        return self._by_body([group.joint.nq for group in self.groups])

    @cached_property
    def nv(self) -> Indices:
        """How many rates each joint has."""
        return self._by_body([group.joint.nv for group in self.groups])

    @cached_property
    def freedoms(self) -> tuple[int, ...]:
        """The same as whole numbers."""
        return tuple(self.nv.tolist())

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each joint."""
        each: list[int] = self._by_body(range(len(self.groups))).tolist()
        return [self.groups[place].joint.kind for place in each]

    @cached_property
    def q_starts(self) -> Indices:
        """Where the coordinates of each joint start in q."""
        return _starts(self.nq)

    @property
    def examples(self) -> tuple[Body, ...]:
        """Bodies among which every combination occurs of root, varying joint map, armature, spring, damper."""
        return self._sorts[0]

    def example(self, k: int) -> Body:
        """The one among the examples that body k is like."""
        return self.examples[int(self._sorts[1][k])]

    @cached_property
    def _sorts(self) -> tuple[tuple[Body, ...], Indices]:
        told = np.zeros(len(self.parent), dtype=np.intp)
        told[np.array(self.parent) < 0] = 1
        for group in self.groups:
            flags = [getattr(self.arrays, field)[group.v].any(axis=1) for field in _PER_DOF]
            flags.append(np.full(len(group.bodies), not group.joint.has_constant_map))
            told[group.bodies] += sum(flag.astype(np.intp) << place for place, flag in enumerate(flags, 1))
        _, first, sort = np.unique(told, return_index=True, return_inverse=True)
        return tuple(map(self.body, first.tolist())), sort

    def body(self, k: int) -> Body:
        """Body k as an object.

        >>> from operator_algebra.models.families import chain
        >>> chain(3).columns.body(1).joint
        Revolute(name='joint2', axis=(0.0, 1.0, 0.0))
        """
        group = next(group for group in self.groups if group.holds(k))
        return self._made(group, [int(np.searchsorted(group.bodies, k))])[0]

    def bodies(self) -> tuple[Body, ...]:
        """All bodies as objects."""
        found = [body for group in self.groups for body in self._made(group, range(len(group.bodies)))]
        if len(self.groups) == 1:
            return tuple(found)
        order = np.argsort(np.concatenate([group.bodies for group in self.groups]))
        places: list[int] = order.tolist()
        return tuple([found[place] for place in places])

    def same(self, other: Columns) -> bool:
        """Whether the bodies are equal, one by one."""
        told = (self.names, self.joint_names, self.parent, self.rest, self.limits, len(self.groups))
        if told != (other.names, other.joint_names, other.parent, other.rest, other.limits, len(other.groups)):
            return False
        return all(map(JointGroup.same, self.groups, other.groups)) and self.arrays.same(other.arrays)

    def digest(self) -> bytes:
        """A hash of the content, the same in every run."""
        content = hashlib.sha256(repr((self.parent, self.names, self.joint_names)).encode())
        content.update(repr((list(self.rest.items()), list(self.limits.items()))).encode())
        for part in (
            *(group.content() for group in self.groups),
            *(array.tobytes() for array in vars(self.arrays).values()),
        ):
            content.update(part)
        return content.digest()

    def _by_body(self, values: Iterable[int]) -> Indices:
        """A number of each group, for each of its bodies."""
        found = np.zeros(len(self.parent), dtype=np.intp)
        for group, value in zip(self.groups, values, strict=True):
            found[group.bodies] = value
        return found

    def _made(self, group: JointGroup, places: Sequence[int]) -> list[Body]:
        """The bodies at these places of a group, as objects."""
        of, bodies, rates = self.arrays, group.bodies[places], group.v[places]
        parts = [part[bodies].tolist() for part in (of.rotation, of.translation, of.mass, of.com, of.inertia_at_com)]
        springs = [getattr(of, field)[rates].tolist() for field in _PER_DOF]
        numbers: list[int] = bodies.tolist()
        found: list[Body] = []
        rows = zip(*parts, *springs, strict=True)
        for place, k, (R, p, mass, com, moments, *own) in zip(places, numbers, rows, strict=True):
            parent = self.names[self.parent[k]] if self.parent[k] >= 0 else None
            joint = self._joint(group, place, k, own) if group.stacked else group.joint
            inertia = kept_inertia(mass, _vector(com), _matrix(moments))
            found.append(Body(self.names[k], parent, joint, kept_placement(_matrix(R), _vector(p)), inertia))
        return found

    def _joint(self, group: JointGroup, place: int, k: int, springs: Sequence[Sequence[float]]) -> Joint:
        columns = {field: np.asarray(getattr(group.joint, field)) for field in group.joint.parameters}
        per_dof = {field: tuple(values) for field, values in zip(_PER_DOF, springs, strict=True)}
        other = {"name": self.joint_names[k], "rest": self.rest.get(k, ()), "limits": self.limits.get(k)}
        return with_fields(group.joint, {**row_of(columns, place), **per_dof, **other})


def numbered(
    places: Sequence[int],
    parent: Sequence[int],
    kinds: Iterable[tuple[Joint, Indices, Mapping[str, Floats]]],
    **arrays: Floats,
) -> Columns:
    """Bodies without springs or limits, called "link1" at place 0 and so on, on joints called "joint1".

    Of each kind of joint there is one joint, the bodies that have such joints, and their parameters, stacked.
    """
    given = sorted(kinds, key=lambda kind: int(kind[1][0]))
    sizes = np.zeros((2, len(parent)), dtype=np.intp)
    for joint, bodies, _ in given:
        sizes[:, bodies] = [[joint.nq], [joint.nv]]
    q, v = _starts(sizes[0]), _starts(sizes[1])
    names = tuple([f"joint{place + 1}" for place in places])
    groups: list[JointGroup] = []
    for joint, bodies, parameters in given:
        one = with_fields(joint.named(names[int(bodies[0])]), parameters)
        at_q, at_v = q[bodies, None] + np.arange(joint.nq), v[bodies, None] + np.arange(joint.nv)
        groups.append(JointGroup(type(one), bodies, one, at_q, at_v))
    nothing = np.zeros(int(sizes[1].sum()))
    return Columns(
        names=tuple([f"link{place + 1}" for place in places]),
        joint_names=names,
        parent=tuple(parent),
        arrays=ModelArrays(**arrays, armature=nothing, stiffness=nothing, damping=nothing),
        groups=tuple(groups),
        rest={},
        limits={},
    )


def _starts(sizes: Sequence[int] | Indices) -> Indices:
    stops = np.cumsum(sizes, dtype=np.intp)
    return stops - np.asarray(sizes, dtype=np.intp)


def _vector(values: Sequence[float]) -> Vector3:
    x, y, z = values
    return (x, y, z)


def _matrix(rows: Sequence[Sequence[float]]) -> Matrix3:
    a, b, c = rows
    return (_vector(a), _vector(b), _vector(c))
