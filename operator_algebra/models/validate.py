"""Every check on the parts of a mechanism, with its message: names, types, the tree; `plausible` has the numbers."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from operator_algebra.arguments import quoted, shown
from operator_algebra.models.body import Body, Frame
from operator_algebra.models.columns import Columns
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.mimic import Mimic, faults
from operator_algebra.models.plausible import number_problems
from operator_algebra.models.problems import SHOWN, Problem, Where
from operator_algebra.models.topology import cycle
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.reals import reals
from operator_algebra.spatial.transforms import Placement

# A name longer than this is no slip of the pen.
_READABLE = 200


def parent_indices(bodies: Sequence[Body]) -> list[int]:
    """Parents as places in the given list, −1 for the ground; what is unknown counts as ground."""
    place = {body.name: k for k, body in enumerate(bodies)}
    return [_parent_index(body.parent, place) for body in bodies]


def _parent_index(parent: str | int | None, place: Mapping[str, int]) -> int:
    if parent is None:
        return -1
    return place.get(parent, -1) if isinstance(parent, str) else int(parent)


def examined(
    name: Any,
    bodies: Sequence[Body],
    gravity: Any,
    frames: Mapping[str, Frame],
    where: Where | None = None,
    implausible: Sequence[Problem] | None = None,
) -> tuple[list[Problem], Columns | None]:
    """Everything that is wrong with the parts of a model, and its bodies as columns, if they are such at all.

    `implausible` if inertias were checked before merging.
    """
    at = where or body_of(name, [body.name for body in bodies])
    found = list(_head_problems(name, bodies, gravity, at))
    typed = list(_type_problems(bodies, at))
    if typed or not bodies:
        return [*found, *typed], None
    broken = list(_tree_problems(bodies, at))
    found += [*broken, *_frame_problems(name, bodies, frames)]
    columns = Columns.of(bodies, parent_indices(bodies))

    def part(k: int, which: str) -> object:
        return id(getattr(bodies[k], which))

    return [*found, *number_problems(columns, at, part, merged=implausible, rooted=not broken)], columns


def body_of(name: Any, bodies: Sequence[str]) -> Where:
    """How messages name a body of a model that is in no file."""
    return lambda k: f"model {quoted(name)}, body {quoted(bodies[k])}" if k >= 0 else "model"


def _head_problems(name: Any, bodies: Sequence[Body], gravity: Any, at: Where) -> Iterator[Problem]:
    if not _is_name(name):
        yield Problem(f"the name of the model is not a text with letters: {shown(name)}", at(-1), "Give it a name.")
    if not bodies:
        yield Problem("there are no bodies", f"model {quoted(name)}", "A mechanism has at least one.")
    else:
        yield from _vector_problems(gravity, f"model {quoted(name)}")


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
                advice = suggestion(parent, place) if broken <= SHOWN else ""
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
