"""What holds frames of a mechanism to each other, beside the joints of its tree: closed loops, rolling, blades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from operator_algebra.arguments import items, quoted, shown
from operator_algebra.errors import ModelError, explain
from operator_algebra.models.body import Frame

DIRECTIONS = ("rx", "ry", "rz", "x", "y", "z")
"""Turns about the axes of a frame, then displacements along them."""


@dataclass(frozen=True, slots=True)
class Loop:
    """Two frames, by name, that cannot move against each other in the `locked` directions; the others are free.

    Directions are those of `first`: displacements "x", "y", "z" of the origin of `second`, turns "rx", "ry", "rz". All
    six weld, all but "rz" make a hinge about z, the three displacements a ball joint. With two turns locked the axes of
    the third stay parallel; with one, such as "rz", x of `second` stays perpendicular to y of `first`, as in a
    universal joint.

    With `at`, the name of a third frame, velocities alone are zero: those of `second` against `first` of points that
    meet the origin of `at`, in the axes of `at`. So wheels roll and blades do not slip.

    >>> Loop("pin", "coupler end", "rocker end", ("x", "y"))
    Loop(name='pin', first='coupler end', second='rocker end', locked=('x', 'y'), at=None)
    """

    name: str
    first: str
    second: str
    locked: tuple[str, ...]
    at: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "locked", items(self.locked, "locked", "directions", error=ModelError))

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames that it names."""
        return (self.first, self.second) if self.at is None else (self.first, self.second, self.at)


def loop_faults(loops: Sequence[object], frames: Mapping[str, Frame]) -> Iterator[tuple[int, str, str, str]]:
    """What is wrong with loops: which one, the field, what it is, and the remedy."""
    names: set[object] = set()
    for k, loop in enumerate(loops):
        if not isinstance(loop, Loop):
            yield k, "", f"{shown(loop)} is not a Loop", "Make one with oa.Loop."
            continue
        if not (isinstance(loop.name, str) and loop.name.strip() and loop.name.isprintable()):  # pyright: ignore[reportUnnecessaryIsInstance]
            yield k, "name", f"the name is no printable text: {shown(loop.name)}", "Give it a name."
        elif loop.name in names:
            yield k, "name", f"two loops are called {quoted(loop.name)}", "Names are unique."
        else:
            names.add(loop.name)
        yield from ((k, *fault) for fault in _frame_faults(loop, frames))
        yield from ((k, *fault) for fault in _direction_faults(loop))


def _frame_faults(loop: Loop, frames: Mapping[str, Frame]) -> Iterator[tuple[str, str, str]]:
    given = {"first": loop.first, "second": loop.second} | ({} if loop.at is None else {"at": loop.at})
    known = ", ".join(list(frames)[:8]) + (", …" if len(frames) > 8 else "")
    remedy = f"There are {known}." if frames else "There are none. Give the model frames, those of the ground too."
    missing = {field for field, name in given.items() if not (isinstance(name, str) and name in frames)}  # pyright: ignore[reportUnnecessaryIsInstance]
    for field in (field for field in given if field in missing):
        yield field, f"{field} is {shown(given[field])}, which is no frame", remedy
    if not missing and frames[loop.first].body == frames[loop.second].body:
        where = "the ground" if frames[loop.first].body is None else f"the body {quoted(frames[loop.first].body)}"
        yield "second", f"both frames are on {where}, where nothing moves between them", "Name frames of two bodies."


def _direction_faults(loop: Loop) -> Iterator[tuple[str, str, str]]:
    known = ", ".join(DIRECTIONS)
    if not loop.locked:
        yield "locked", "nothing is locked", f"Give directions, of {known}."
    for word in loop.locked:
        if word not in DIRECTIONS:
            yield "locked", f"{shown(word)} is no direction", f"There are {known}."
    if len(set(map(str, loop.locked))) < len(loop.locked):
        yield "locked", "a direction is locked twice", f"Give each once, of {known}."


def checked(loops: object, frames: Mapping[str, Frame], where: str) -> tuple[Loop, ...]:
    """Loops that were given as an argument, all that is wrong with them in one `ModelError`."""
    given = items(loops, "loops", "oa.Loop", error=ModelError)
    wrong = [explain(what, f"{where}, {_place(given, k)}", remedy) for k, _, what, remedy in loop_faults(given, frames)]
    if wrong:
        raise ModelError("\n".join(wrong))
    return given


def _place(loops: Sequence[object], k: int) -> str:
    loop = loops[k]
    return f"loop {quoted(loop.name)}" if isinstance(loop, Loop) else f"loop {k}"
