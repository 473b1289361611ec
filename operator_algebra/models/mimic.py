"""Joints that follow other joints, and what may follow what."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from operator_algebra.arguments import quoted, shown, word
from operator_algebra.errors import ModelError
from operator_algebra.models.joints.joint import Joint
from operator_algebra.spatial.reals import real

_LARGEST = 1e30
_COMPARED = 500
_SPELLED = 20
_REMEDY = "Name a moving joint that follows no other, or delete the mimic."


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint that follows another one: its coordinate is multiplier · (the other's) + offset.

    Both are joints with one motion, by name; nobody follows a joint that follows.

    >>> Mimic("right_finger", "left_finger", multiplier=-1)
    Mimic(joint='right_finger', follows='left_finger', multiplier=-1.0, offset=0.0)
    """

    joint: str
    follows: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        word(self.joint, "the joint of a mimic", error=ModelError)
        word(self.follows, "the joint that a mimic follows", error=ModelError)
        for key in ("multiplier", "offset"):
            try:
                value = real(getattr(self, key))
            except (TypeError, ValueError, OverflowError):
                value = math.nan
            if not abs(value) <= _LARGEST:
                what = f"the {key} of a mimic is {shown(getattr(self, key))}. Give a finite number."
                raise ModelError(what)
            object.__setattr__(self, key, value)


def faults(mimics: Sequence[Mimic], joints: Mapping[str, Joint]) -> Iterator[tuple[int, str, str]]:
    """Which of them cannot be, why, and what to do; `joints` are those of the mechanism by name."""
    followers = {mimic.joint: mimic for mimic in reversed(mimics)}
    spelled = 0
    for k, mimic in enumerate(mimics):
        own, followed = joints.get(mimic.joint), joints.get(mimic.follows)
        what, advice = "", _REMEDY
        if own is None:
            what = f"there is no joint {quoted(mimic.joint)} that could follow another"
        elif followers[mimic.joint] is not mimic:
            what = f"it mimics {quoted(followers[mimic.joint].follows)} already"
        elif followed is None:
            what = f"the joint {quoted(mimic.follows)} that it mimics does not exist"
            close: list[str] = []
            if spelled < _SPELLED:
                spelled += 1
                close = difflib.get_close_matches(mimic.follows[:100], islice(joints, _COMPARED), n=1, cutoff=0.7)
            advice = f'Did you mean "{close[0]}"?' if close else advice
        elif mimic.joint == mimic.follows:
            what = "the joint mimics itself"
        elif mimic.follows in followers:
            other = followers[mimic.follows].follows
            what = f"the joint {quoted(mimic.follows)} that it mimics mimics another one, {quoted(other)}"
        elif not _has_one_motion(followed):
            what = f"it mimics {quoted(mimic.follows)}, a {followed.kind} joint, which has not just one motion"
        elif not _has_one_motion(own):
            what = f"it mimics {quoted(mimic.follows)}, but is a {own.kind} joint, which has not just one motion"
        if what:
            yield k, what, advice


def _has_one_motion(joint: Joint) -> bool:
    return joint.nv == 1 and joint.nq == 1
