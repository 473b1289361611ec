"""How joints are marked in pictures: a letter for the kind, a round or angular shape for turning or sliding."""

from __future__ import annotations

from typing import NamedTuple

from operator_algebra.models.model import Model


class Mark(NamedTuple):
    """Letter, marker shape, and the name of the kind."""

    letter: str
    shape: str
    kind: str


_MARKS = {
    "fixed": Mark("X", "s", "fixed"),
    "revolute": Mark("R", "o", "revolute"),
    "prismatic": Mark("P", "s", "prismatic"),
    "helical": Mark("H", "p", "helical"),
    "cylindrical": Mark("C", "p", "cylindrical"),
    "universal": Mark("U", "o", "universal"),
    "planar": Mark("E", "h", "planar"),
    "spherical": Mark("S", "o", "spherical"),
    "translation": Mark("T", "s", "translation"),
    "floating": Mark("F", "h", "floating"),
}


def mark(kind: str) -> Mark:
    """The mark of a kind of joint; a user's own kinds share one.

    >>> mark("revolute").letter, mark("cam").letter
    ('R', '?')
    """
    return _MARKS.get(kind, Mark("?", "D", kind))


SHAPES = "round: turns   square: slides   other: both"


def marks_of(model: Model) -> list[Mark]:
    """The marks that a mechanism needs, in the order of its joints."""
    return list(dict.fromkeys(mark(body.joint.kind) for body in model.bodies))
