"""Which bodies are labelled in a picture, and with what."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any, Literal, SupportsIndex

from operator_algebra.arguments import choice, shown, told, whole
from operator_algebra.errors import InputError
from operator_algebra.markup import cut
from operator_algebra.models.model import Model
from operator_algebra.views.content.branches import LABELLED, branches

Labels = Literal["auto", "all", "ends", "none"] | Collection[str | SupportsIndex]
"""All bodies, the roots and tips of branches, none, or those that are listed by joint, body or number."""

MOST = 24
"""So many ends are labelled without being asked for: roots of the mechanism, then ends of the longest branches."""
LARGEST = 200
"""So many labels are drawn at most."""
_NAME = 18
_WORDS = {
    "auto": "all bodies of a small mechanism, else the ends of its branches",
    "all": "every body",
    "ends": "root and tip of each branch",
    "none": "no names",
}


def labelled(model: Model, labels: Labels = "auto") -> tuple[int, ...]:
    """The bodies that are labelled.

    >>> import operator_algebra as oa
    >>> labelled(oa.load("snake40")), labelled(oa.load("tree4")), labelled(oa.load("tree4"), ["tilt"])
    ((0, 39), (0, 1, 2, 3), (1,))
    """
    if not isinstance(labels, str):
        return _listed(model, labels)
    word = choice(labels, "labels", _WORDS)
    if word == "auto":
        word = "all" if model.n <= LABELLED else "ends"
    if word == "ends":
        return tuple(sorted(_ends(model)[:MOST]))
    return _few(range(model.n) if word == "all" else (), model)


def _ends(model: Model) -> list[int]:
    """First and last body of each branch, in the order of their worth."""
    members: dict[int, list[int]] = {}
    for k, branch in enumerate(branches(model.parent)):
        members.setdefault(branch, []).append(k)
    found = sorted(members.values(), key=len, reverse=True)
    return list(dict.fromkeys([*model.roots, *(k for own in found for k in (own[0], own[-1]))]))


def _few(bodies: Sequence[int], model: Model) -> tuple[int, ...]:
    if len(bodies) > LARGEST:
        raise InputError(
            f"{len(bodies)} labels of {model.name} have no room; {LARGEST} have. Name fewer bodies, or take "
            'labels="ends".'
        )
    return tuple(bodies)


def _listed(model: Model, labels: Any) -> tuple[int, ...]:
    try:
        wanted = list(labels)
    except TypeError:
        raise InputError(
            f'labels is "auto", "all", "ends", "none" or a list of joints, bodies or numbers, not {told(labels)}.'
        ) from None
    return _few(sorted({_body(model, one) for one in wanted}), model)


def _body(model: Model, one: object) -> int:
    names = {body.name: k for k, body in enumerate(model.bodies)}
    names |= {name: k for k, name in enumerate(model.joint_names)}
    if not isinstance(one, str):
        return whole(one, "a label", least=0, most=model.n - 1)
    if one in names:
        return names[one]
    near = get_close_matches(one, names, 1)
    hint = f" Did you mean {near[0]!r}?" if near else f" Its bodies are 0 to {model.n - 1}, base first."
    raise InputError(f"labels: {model.name} has no joint or body {shown(one)}.{hint}")


def label_of(model: Model, k: int, number: int) -> str:
    """Number and joint name of a body."""
    return f"{number}  {cut(model.joint_names[k], _NAME)}"


def note(model: Model, bodies: Sequence[int]) -> str:
    """What a caption says where not every body is labelled."""
    if not bodies or len(bodies) == model.n:
        return ""
    return f"{len(bodies)} of {model.n} bodies labelled"
