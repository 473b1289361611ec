"""Every check on a mechanism, with its message: problems are collected, then raised or warned about together."""

from __future__ import annotations

import difflib
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.arguments import quoted, shown
from operator_algebra.errors import ModelError, OperatorAlgebraWarning, explain
from operator_algebra.models.body import Body, Frame
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint
from operator_algebra.models.mimic import Mimic, faults
from operator_algebra.models.topology import cycle, depth_first
from operator_algebra.spatial.inertia import Inertia, spatial_inertia
from operator_algebra.spatial.reals import reals
from operator_algebra.spatial.transforms import Placement

Where = Callable[[int], str]
"""How messages name the k-th given body, or the whole for −1: with file and line, or with the model's name."""

# Moments of a flat or thin body, printed with four digits, break the inequalities by their last digit.
_TRIANGLE = 1e-4
_POSITIVE = 1e-6
# A body of this radius [m] is a point mass: the digits of its moments say nothing.
_POINT = 1e-8
# A scaled pivot below this is zero up to rounding of its six terms.
_PIVOT = 1e-14
_SHOWN = 20
# A name longer than this is no slip of the pen.
_READABLE = 200

LARGEST = 1e30
"""Products of a few lengths and masses of this size still are finite; nothing that moves is as large."""


@dataclass(frozen=True)
class Problem:
    """Something wrong with a mechanism; one that is not fatal can be loaded with `strict=False`."""

    what: str
    where: str = ""
    remedy: str = ""
    fatal: bool = True

    def __str__(self) -> str:
        return explain(self.what, self.where, self.remedy)


def report(problems: Iterable[Problem], *, strict: bool, stacklevel: int = 3) -> None:
    """Raise one `ModelError` that lists every problem; with `strict=False` warn of those that are not fatal."""
    found = list(problems)
    wrong = [problem for problem in found if strict or problem.fatal]
    if wrong:
        offer = any(not problem.fatal for problem in wrong) and not any(problem.fatal for problem in wrong)
        lines = [str(problem) for problem in wrong[:_SHOWN]]
        if len(wrong) > _SHOWN:
            lines.append(f"… and {len(wrong) - _SHOWN} more.")
        if offer:
            lines[0] += " strict=False loads it with a warning."
        raise ModelError("\n".join(lines))
    for problem in found:
        warnings.warn(str(problem), OperatorAlgebraWarning, stacklevel=stacklevel)


def parent_indices(bodies: Sequence[Body]) -> list[int]:
    """Parents as places in the given list, −1 for the ground; what is unknown counts as ground."""
    place = {body.name: k for k, body in enumerate(bodies)}
    return [_parent_index(body.parent, place) for body in bodies]


def _parent_index(parent: str | int | None, place: Mapping[str, int]) -> int:
    if parent is None:
        return -1
    return place.get(parent, -1) if isinstance(parent, str) else int(parent)


def model_problems(
    name: Any,
    bodies: Sequence[Body],
    gravity: Any,
    frames: Mapping[str, Frame],
    where: Where | None = None,
    implausible: Sequence[Problem] | None = None,
) -> Iterator[Problem]:
    """Everything that is wrong with the parts of a model; `implausible` if its inertias were checked before merging."""

    def in_model(k: int) -> str:
        return f"model {quoted(name)}, body {quoted(bodies[k].name)}" if k >= 0 else "model"

    at = where or in_model
    if not _is_name(name):
        yield Problem(f"the name of the model is not a text with letters: {shown(name)}", at(-1), "Give it a name.")
    if not bodies:
        yield Problem("there are no bodies", f"model {quoted(name)}", "A mechanism has at least one.")
        return
    yield from _vector_problems(gravity, f"model {quoted(name)}")
    typed = list(_type_problems(bodies, at))
    yield from typed
    if typed:
        return
    broken = list(_tree_problems(bodies, at))
    yield from broken
    yield from _frame_problems(name, bodies, frames)
    large = list(_size_problems(bodies, at))
    yield from large
    if implausible is None:
        implausible = [] if large else list(inertia_problems([body.inertia for body in bodies], at))
    yield from implausible
    if not broken and not large and not implausible:
        yield from _pivot_problems(bodies, at)


def mimic_problems(name: Any, bodies: Sequence[Body], mimics: Sequence[Mimic]) -> Iterator[Problem]:
    """What is wrong with joints that follow others; without them the rest can be loaded."""
    if not mimics or not all(isinstance(body, Body) and isinstance(body.joint, Joint) for body in bodies):  # pyright: ignore[reportUnnecessaryIsInstance]
        return
    joints = {body.joint.name or body.name: body.joint for body in bodies}
    for k, what, remedy in faults(mimics, joints):
        yield Problem(what, f"model {quoted(name)}, joint {quoted(mimics[k].joint)}", remedy)


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and bool(name.strip()) and name.isprintable()


def _vector_problems(gravity: Any, where: str) -> Iterator[Problem]:
    try:
        numbers = reals(gravity)
        fine = len(numbers) == 3 and all(map(math.isfinite, numbers))
    except (TypeError, ValueError, OverflowError):
        fine = False
    if not fine:
        yield Problem(f"gravity is not three finite numbers: {shown(gravity)}", where, "Give it in m/s².")


def _type_problems(bodies: Sequence[Body], at: Where) -> Iterator[Problem]:
    for k, body in enumerate(bodies):
        if not _is_name(body.name):
            yield Problem(f"the name is empty or not printable text: {shown(body.name)}", at(k), "Give it a name.")
        parent: Any = body.parent
        if not (parent is None or isinstance(parent, str | int | np.integer)) or isinstance(parent, bool):
            yield Problem(f"the parent is {shown(parent)}", at(k), "Give a body's name or place, or None.")
        for part, kind in ((body.joint, Joint), (body.placement, Placement), (body.inertia, Inertia)):
            if not isinstance(part, kind):  # pyright: ignore[reportUnnecessaryIsInstance]
                yield Problem(f"{shown(part)} is not a {kind.__name__}", at(k))
            elif isinstance(part, Joint) and len(part.armature) != part.nv:
                yield Problem("the joint was not made whole", at(k), "Call super().__post_init__() in __post_init__.")


def _tree_problems(bodies: Sequence[Body], at: Where) -> Iterator[Problem]:
    place: dict[str, int] = {}
    joints: dict[str, int] = {}
    for k, body in enumerate(bodies):
        if place.setdefault(body.name, k) != k:
            two = f" and {shown(bodies[place[body.name]].parent)}, {shown(body.parent)} as parents"
            yield Problem(
                f'two bodies are called "{body.name}"{two}', at(k), "Names are unique; a body has one parent."
            )
        joint = body.joint.name or body.name
        if joints.setdefault(joint, k) != k:
            yield Problem(f'two joints are called "{joint}"', at(k), "A joint without a name has that of its body.")
    broken = 0
    for k, body in enumerate(bodies):
        parent = body.parent
        if isinstance(parent, str):
            if parent not in place:
                broken += 1
                advice = suggestion(parent, place) if broken <= _SHOWN else ""
                yield Problem(f"the parent {quoted(parent)} is not a body", at(k), advice)
        elif parent is not None and not -1 <= parent < len(bodies):
            broken += 1
            yield Problem(
                f"the parent {shown(parent)} is not the place of a body", at(k), f"Bodies are 0 to {len(bodies) - 1}."
            )
    if not broken and len(place) == len(bodies):
        ring = cycle([_parent_index(body.parent, place) for body in bodies])
        if ring:
            names = " → ".join(bodies[k].name for k in [*ring[:8], ring[0]])
            yield Problem(
                f"the parents form a cycle: {names}", at(ring[0]), "Loops are constraints on a tree; cut one."
            )


def suggestion(name: object, known: Iterable[str]) -> str:
    """The body that was probably meant."""
    text = name if isinstance(name, str) and len(name) <= _READABLE else ""
    close = difflib.get_close_matches(text, list(islice(known, 2000)), n=1)
    return f'Did you mean "{close[0]}"?' if close else "Use the name of a body, or None for the ground."


def _frame_problems(name: str, bodies: Sequence[Body], frames: Mapping[str, Frame]) -> Iterator[Problem]:
    place = {body.name: k for k, body in enumerate(bodies)}
    for title, frame in frames.items():
        where = f"model {quoted(name)}, frame {quoted(title)}"
        if not _is_name(title):
            yield Problem("the name is empty or not printable text", where, "Give it a name.")
        if not isinstance(frame, Frame):  # pyright: ignore[reportUnnecessaryIsInstance]
            yield Problem(f"{shown(frame)} is not a Frame", where)
        elif frame.body is not None and not (isinstance(frame.body, str) and frame.body in place):  # pyright: ignore[reportUnnecessaryIsInstance]
            yield Problem(f"the body {quoted(frame.body)} does not exist", where, suggestion(frame.body, place))


def _size_problems(bodies: Sequence[Body], at: Where) -> Iterator[Problem]:
    fine: set[int] = set()  # a chain of equal links shares its parts
    for k, body in enumerate(bodies):
        inertia, joint = body.inertia, body.joint
        parts: tuple[tuple[object, Iterable[float]], ...] = (
            (inertia, (inertia.mass, *inertia.com, *chain.from_iterable(inertia.inertia_at_com))),
            (body.placement, body.placement.translation),
            (joint, (*joint.armature, *joint.stiffness, *joint.damping, *joint.rest, getattr(joint, "pitch", 0.0))),
        )
        for part, numbers in parts:
            if id(part) not in fine:
                largest = max(map(abs, numbers))
                if largest > LARGEST:
                    yield Problem(f"a number is too large to compute with: {largest:g}", at(k), "Check the units.")
                fine.add(id(part))


def inertia_problems(inertias: Sequence[Inertia], at: Where) -> Iterator[Problem]:
    """What no rigid body has: negative mass, negative principal moments, moments against the triangle inequality."""
    distinct = {id(inertia): k for k, inertia in reversed(list(enumerate(inertias)))}
    chosen = sorted(distinct.values())  # a chain of equal links shares one inertia
    masses = np.array([inertias[k].mass for k in chosen])
    moments = np.linalg.eigvalsh(np.array([inertias[k].inertia_at_com for k in chosen]))
    largest = np.abs(moments).max(axis=1)
    negligible = np.abs(masses) * _POINT**2
    negative = moments[:, 0] < -_POSITIVE * largest - negligible
    triangle = moments[:, 0] + moments[:, 1] < (1.0 - _TRIANGLE) * moments[:, 2] - negligible
    for i in np.flatnonzero((masses < 0.0) | negative | triangle).tolist():
        k = chosen[i]
        if masses[i] < 0.0:
            yield Problem(f"the mass is negative: {masses[i]:g}", at(k), "Check the sign.", fatal=False)
        if negative[i]:
            yield Problem(
                f"the rotational inertia about the mass centre is not positive: a principal moment is "
                f"{moments[i, 0]:.4g}",
                at(k),
                "Check the products of inertia, and whether the moments are about the mass centre.",
                fatal=False,
            )
        elif triangle[i]:
            a, b, c = moments[i]
            yield Problem(
                "the rotational inertia violates the triangle inequality "
                f"(principal moments {c:.4g} > {b:.4g} + {a:.4g})",
                at(k),
                "Check the axes or the units.",
                fatal=False,
            )


def _pivot_problems(bodies: Sequence[Body], at: Where) -> Iterator[Problem]:
    """Joints whose articulated inertia D is singular at every pose."""
    parents = parent_indices(bodies)
    massive = [not body.inertia.is_zero for body in bodies]
    tip = [True] * len(bodies)
    for k in _tips_first(parents):
        p = parents[k]
        if p >= 0:
            tip[p] = False
            massive[p] = massive[p] or massive[k]
    remedy = "Give the tip body inertia, give the joint armature, or fix the joint."
    for k, body in enumerate(bodies):
        loose = 0.0 in body.joint.armature
        if loose and not massive[k] and (parents[k] < 0 or massive[parents[k]]):
            what = f'nothing that joint "{body.joint.name or body.name}" carries has mass, so D is singular there'
            yield Problem(what, at(k), remedy, fatal=False)
    loose_tips = [
        k
        for k, b in enumerate(bodies)
        if tip[k] and massive[k] and 0.0 in b.joint.armature and b.joint.has_constant_map
    ]
    for k in loose_tips if len(loose_tips) < _SHOWN else _distinct(bodies, loose_tips):
        if _pivot_is_singular(bodies[k]):
            joint = bodies[k].joint
            what = f'the body has no inertia about an axis of its joint "{joint.name or bodies[k].name}": D is singular'
            yield Problem(what, at(k), remedy, fatal=False)


def _distinct(bodies: Sequence[Body], tips: Iterable[int]) -> list[int]:
    seen: dict[object, int] = {}
    for k in tips:
        joint = bodies[k].joint
        geometry = tuple(getattr(joint, field) for field in joint.parameters) if joint.kind in JOINT_KINDS else k
        seen.setdefault((joint.kind, geometry, joint.armature, bodies[k].inertia), k)
    return list(seen.values())


def _pivot_is_singular(body: Body) -> bool:
    joint, inertia = body.joint, body.inertia
    parts: list[NDArray[np.float64]] = [np.asarray(x) for x in (inertia.mass, inertia.com, inertia.inertia_at_com)]
    moving = joint.motion_map(joint.neutral(), np)
    pivot = moving.T @ spatial_inertia(parts[0], parts[1], parts[2], np) @ moving + np.diag(joint.armature)
    size = np.sqrt(np.abs(np.diag(pivot)))
    if not size.all():
        return True
    return bool(np.linalg.eigvalsh(pivot / np.outer(size, size))[0] <= _PIVOT)


def _tips_first(parents: Sequence[int]) -> list[int]:
    return depth_first(parents)[0][::-1]
