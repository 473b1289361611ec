"""The numbers of loops: how their rows pick from bodies, how that turns, by how much they are open, and closing them.

A row is a wrench w about the origin of the base, which acts on the second body, and its opposite on the first. Its
velocity w* (V₂ − V₁) is the rate of its error, at every pose, closed or not.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from operator_algebra.applications.readout import body_poses
from operator_algebra.arguments import choice
from operator_algebra.compiler import compile as compile_program
from operator_algebra.models.loops import DIRECTIONS, Loop, checked
from operator_algebra.models.model import Model, check_model
from operator_algebra.operators.leaves import FRAMES
from operator_algebra.spatial.rotations import matrix_quaternion
from operator_algebra.spatial.vectors import apply
from operator_algebra.symbols import V

Floats = NDArray[np.float64]
Loops = Iterable[Loop] | None
"""Loops instead of those of the model; None for these."""

_TURNS, _SLIDES = DIRECTIONS[:3], DIRECTIONS[3:]


class _Rows(NamedTuple):
    """What is constant in the rows of some loops: frames on bodies, −1 for the ground, and directions in frames."""

    body: NDArray[np.intp]  # of each frame
    rotation: Floats
    translation: Floats
    first: NDArray[np.intp]  # frames of each row
    second: NDArray[np.intp]
    axes: NDArray[np.intp]  # the frame whose axes are meant: `at`, or the first
    point: NDArray[np.intp]  # the frame where points meet: `at`, or the second
    slide: Floats  # (rows, 3) in these axes
    turn: Floats  # the same for velocities alone
    outer: Floats  # (rows, 3) in the second frame: for turns of which some are held outer · inner is zero
    inner: Floats  # (rows, 3) in the first
    whole: Floats  # (rows, 3) in the first, where all turns are held: twice the vector part of a quaternion is zero
    placed: Floats  # (rows,) 0 for velocities alone


class _Scene(NamedTuple):
    """Where bodies and frames are and how they move, in axes of the base; the ground stands behind the bodies."""

    rotation: Floats  # of bodies (…, n + 1, 3, 3)
    position: Floats
    spin: Floats
    speed: Floats
    axes: Floats  # of frames (…, frames, 3, 3)
    origin: Floats
    turning: Floats
    moving: Floats


class _Wrenches(NamedTuple):
    """Moments about the origin of the base and forces, (…, rows, 3), with their rates."""

    moment: Floats
    force: Floats
    moment_rate: Floats
    force_rate: Floats


def rows(
    model: Model,
    *,
    q: ArrayLike,
    v: ArrayLike | None = None,
    loops: Loops = None,
    frame: Literal["body", "world"] = "body",
) -> dict[str, Floats]:
    """The value of C for loops, (..., 6n, rows), and with v that of C_dot; `frame` is that of the program.

    >>> import operator_algebra as oa
    >>> rows(oa.load("four_bar"), q=[0.5, 0.5, 1.5])["C"].shape
    (18, 2)
    """
    choice(frame, "frame", FRAMES)
    parts = _rows_of(model, given_loops(model, loops))
    scene = _scene(model, parts, q, v)
    found = _picked(model, parts, scene, _wrenches(parts, scene), frame)
    return {"C": found[0]} if v is None else {"C": found[0], "C_dot": found[1]}


def errors(model: Model, *, q: ArrayLike, loops: Loops = None) -> Floats:
    """By how much loops are open, (..., rows), in metres, turns by their sines; 0 where velocities alone are held.

    >>> import operator_algebra as oa
    >>> bars = oa.load("four_bar")
    >>> bool(abs(errors(bars, q=bars.neutral())).max() > 0.1)
    True
    """
    parts = _rows_of(model, given_loops(model, loops))
    return _errors(parts, _scene(model, parts, q, None))


def row_names(model: Model, *, loops: Loops = None) -> tuple[str, ...]:
    """What each row holds: the loop and the direction.

    >>> import operator_algebra as oa
    >>> row_names(oa.load("four_bar"))
    ('pin x', 'pin y')
    """
    return tuple(f"{loop.name} {word}" for loop in given_loops(model, loops) for word in loop.locked)


def given_loops(model: Model, loops: Loops) -> tuple[Loop, ...]:
    """Loops that were given, tested, or those of the model."""
    check_model(model, "a loop")
    return model.loops if loops is None else checked(loops, model.frames, f"loops of {model.name}")


@lru_cache(maxsize=64)
def _rows_of(model: Model, loops: tuple[Loop, ...]) -> _Rows:
    names = list(dict.fromkeys(name for loop in loops for name in loop.frames))
    place = {name: k for k, name in enumerate(names)}
    frames = [model.frames[name] for name in names]
    listed = [(loop, word) for loop in loops for word in loop.locked]
    at = [loop.at for loop, _ in listed]
    pairs = [_pairs(loop, word) for loop, word in listed]

    def among(chosen: Iterable[str]) -> NDArray[np.intp]:
        return np.array([place[name] for name in chosen], dtype=np.intp)

    def directions(words: tuple[str, ...], used: Iterable[bool]) -> Floats:
        found = [
            np.eye(3)[words.index(w)] if w in words and u else np.zeros(3)
            for (_, w), u in zip(listed, used, strict=True)
        ]
        return np.array(found).reshape(-1, 3)

    return _Rows(
        np.array([-1 if one.body is None else model.body_index(one.body) for one in frames], dtype=np.intp),
        np.array([one.placement.rotation for one in frames]).reshape(-1, 3, 3),
        np.array([one.placement.translation for one in frames]).reshape(-1, 3),
        among(loop.first for loop, _ in listed),
        among(loop.second for loop, _ in listed),
        among(loop.at or loop.first for loop, _ in listed),
        among(loop.at or loop.second for loop, _ in listed),
        directions(_SLIDES, [True for _ in listed]),
        directions(_TURNS, [one is not None for one in at]),
        np.array([b for b, _ in pairs]).reshape(-1, 3),
        np.array([a for _, a in pairs]).reshape(-1, 3),
        directions(_TURNS, [_is_whole(loop) for loop, _ in listed]),
        np.array([float(one is None) for one in at]),
    )


def _is_whole(loop: Loop) -> bool:
    return loop.at is None and set(_TURNS) <= set(loop.locked)


def _pairs(loop: Loop, word: str) -> tuple[Floats, Floats]:
    """Directions in the second frame and in the first that stay perpendicular, one of the turns being free.

    About i of (i, j, k) these are the axes j of one and k of the other. Which of the frames gives j is open; an axis
    about which the second turns freely is taken of the second, so that it may turn all the way.
    """
    if word not in _TURNS or loop.at is not None or _is_whole(loop):
        return np.zeros(3), np.zeros(3)
    i = _TURNS.index(word)
    x, y = np.eye(3)[(i + 1) % 3], np.eye(3)[(i + 2) % 3]
    free = [turn for turn in _TURNS if turn not in loop.locked]
    return (-y, x) if free == [_TURNS[(i + 2) % 3]] else (x, y)


def _scene(model: Model, parts: _Rows, q: ArrayLike, v: ArrayLike | None) -> _Scene:
    rotation, position = body_poses(model, q)
    lead = rotation.shape[:-3]
    if v is None:
        motion: Floats = np.zeros((*lead, model.n, 6))
    else:
        found = compile_program(V, model)(q=q, v=v)
        lead = found.shape[:-1]
        parts_of_motion = found.reshape(*lead, model.n, 2, 3)
        motion = (rotation[..., None, :, :] @ parts_of_motion[..., None])[..., 0].reshape(*lead, model.n, 6)
    ground = (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
    moving = (rotation, position, motion[..., :3], motion[..., 3:])
    R, p, spin, speed = (_behind(lead, one, still) for one, still in zip(moving, ground, strict=True))
    at = R[..., parts.body, :, :]
    arm = apply(at, parts.translation)
    turning = spin[..., parts.body, :]
    carried = speed[..., parts.body, :] + _cross(turning, arm)
    return _Scene(R, p, spin, speed, at @ parts.rotation, p[..., parts.body, :] + arm, turning, carried)


def _behind(lead: tuple[int, ...], bodies: Floats, ground: Floats) -> Floats:
    inner = ground.shape
    wide = np.broadcast_to(bodies, (*lead, *bodies.shape[-1 - len(inner) :]))
    return np.concatenate([wide, np.broadcast_to(ground, (*lead, 1, *inner))], axis=-1 - len(inner))


def _wrenches(parts: _Rows, scene: _Scene) -> _Wrenches:
    axes, turning = scene.axes[..., parts.axes, :, :], scene.turning[..., parts.axes, :]
    point, moving = scene.origin[..., parts.point, :], scene.moving[..., parts.point, :]
    force, free = apply(axes, parts.slide), apply(axes, parts.turn)
    force_rate, free_rate = _cross(turning, force), _cross(turning, free)
    held, held_rate = _held_turns(parts, scene)
    return _Wrenches(
        free + held + _cross(point, force),
        force,
        free_rate + held_rate + _cross(moving, force) + _cross(point, force_rate),
        force_rate,
    )


def _held_turns(parts: _Rows, scene: _Scene) -> tuple[Floats, Floats]:
    """The moments of turns that are held, and their rates: outer × inner, or w e + r × e of a quaternion (w, r)."""
    turn, other = (scene.turning[..., k, :] for k in (parts.second, parts.first))
    outer, inner = _turned(parts, scene)
    moment = _cross(outer, inner)
    rate = _cross(_cross(turn, outer), inner) + _cross(outer, _cross(other, inner))
    if not parts.whole.any():
        return moment, rate
    axes, (w, r) = scene.axes[..., parts.first, :, :], _relative(parts, scene)
    spin = apply(np.swapaxes(axes, -1, -2), turn - other)
    w_rate = -0.5 * (spin * r).sum(axis=-1, keepdims=True)
    r_rate = 0.5 * (w * spin + _cross(spin, r))
    own = apply(axes, w * parts.whole + _cross(r, parts.whole))
    own_rate = apply(axes, w_rate * parts.whole + _cross(r_rate, parts.whole)) + _cross(other, own)
    return moment + own, rate + own_rate


def _turned(parts: _Rows, scene: _Scene) -> tuple[Floats, Floats]:
    """The directions of turns that are held, (…, rows, 3), in axes of the base."""
    return apply(scene.axes[..., parts.second, :, :], parts.outer), apply(
        scene.axes[..., parts.first, :, :], parts.inner
    )


def _relative(parts: _Rows, scene: _Scene) -> tuple[Floats, Floats]:
    """The turn of the second frame in the first, as the number and the vector of a quaternion, the number positive."""
    first, second = (scene.axes[..., k, :, :] for k in (parts.first, parts.second))
    found: Floats = matrix_quaternion(np.swapaxes(first, -1, -2) @ second, np)
    upright: Floats = np.where(found[..., :1] < 0.0, -found, found)
    return upright[..., :1], upright[..., 1:]


def _errors(parts: _Rows, scene: _Scene) -> Floats:
    apart = scene.origin[..., parts.second, :] - scene.origin[..., parts.first, :]
    slide = apply(scene.axes[..., parts.axes, :, :], parts.slide)
    outer, inner = _turned(parts, scene)
    found = (slide * apart).sum(axis=-1) + (outer * inner).sum(axis=-1)
    if parts.whole.any():
        found = found + 2.0 * (parts.whole * _relative(parts, scene)[1]).sum(axis=-1)
    return parts.placed * found


def _picked(model: Model, parts: _Rows, scene: _Scene, wrenches: _Wrenches, frame: str) -> tuple[Floats, Floats]:
    """C and Ċ: at the second body of a row its wrench about that body's origin, at the first the opposite."""
    count = len(parts.first)
    found: list[Floats] = [np.zeros((*scene.rotation.shape[:-3], model.n + 1, 6, count)) for _ in range(2)]
    row = np.arange(count)
    for sign, ends in ((1.0, parts.second), (-1.0, parts.first)):
        body = parts.body[ends]
        for target, value in zip(found, _about(scene, body, wrenches, frame), strict=True):
            target[..., body, :, row] += np.moveaxis(sign * value, -2, 0)
    return tuple(one[..., : model.n, :, :].reshape(*one.shape[:-3], 6 * model.n, count) for one in found)  # type: ignore[return-value]


def _about(scene: _Scene, body: NDArray[np.intp], wrenches: _Wrenches, frame: str) -> tuple[Floats, Floats]:
    """Wrenches about the origins of bodies, and their rates as axes that turn with these see them."""
    position, spin, speed = (one[..., body, :] for one in (scene.position, scene.spin, scene.speed))
    moment = wrenches.moment - _cross(position, wrenches.force)
    moment_rate = (
        wrenches.moment_rate - _cross(speed, wrenches.force) - _cross(position, wrenches.force_rate)
    ) - _cross(spin, moment)
    force_rate = wrenches.force_rate - _cross(spin, wrenches.force)
    back = np.eye(3) if frame == "world" else np.swapaxes(scene.rotation[..., body, :, :], -1, -2)
    values = ((moment, wrenches.force), (moment_rate, force_rate))
    one, other = (np.concatenate([apply(back, part) for part in value], axis=-1) for value in values)
    return one, other


_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


def _cross(a: Floats, b: Floats) -> Floats:
    return a[..., _NEXT] * b[..., _LAST] - a[..., _LAST] * b[..., _NEXT]
