"""robot: a mechanism as a stick figure in space, and what its bodies weigh."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from operator_algebra.markup import width
from operator_algebra.models.model import Model
from operator_algebra.symbols import M, P
from operator_algebra.views.content.branches import LABELLED, branches
from operator_algebra.views.content.naming import Labels, labelled, note
from operator_algebra.views.content.skeleton import Skeleton, skeleton, weights
from operator_algebra.views.ink.camera import Camera, camera, upward
from operator_algebra.views.ink.canvas import (
    Numbering,
    check_numbering,
    counted,
    number_of,
    numbering_note,
    open_canvas,
)
from operator_algebra.views.ink.labelling import draw_labels
from operator_algebra.views.ink.palette import CARD, FAINT, INK, PAPER, SHADE, SOFT, operator_colour, strong

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen, Point

Floats = NDArray[np.float64]

_SIDE = 4.6
_AXES = 0.14
"""The length of the axes of the base, in parts of the reach; those of bodies are shorter, so that both are seen."""


def robot(
    model: Model,
    q: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
    numbering: Numbering = "model",
    labels: Labels = "auto",
    dark: bool = False,
    ellipsoids: bool = False,
    frames: bool | None = None,
    view: tuple[float, float] | None = None,
) -> Figure:
    """A mechanism at q (neutral without it): links, joints with their axes, centres of mass, body frames.

    `ellipsoids` shows how heavy each body is in each direction, alone (M) and with what it carries (P): semi-axes are
    √mass. `view` is azimuth and elevation in degrees.

    >>> import operator_algebra as oa
    >>> figure = robot(oa.load("arm7"), ellipsoids=True)
    """
    paper = check_numbering(numbering)
    named = labelled(model, labels)
    scene = _Scene.of(skeleton(model, q), view, len(named))
    canvas = open_canvas(ax, *scene.inches, dark=dark)
    pen = canvas.pen
    pen.plain(*scene.limits)
    _ground(pen, scene)
    signs = "bar: axis of turning   arrow: sliding   ⊕ centre of mass"
    if ellipsoids:
        mass = _ellipsoids(pen, scene, *weights(model, q))
        signs = f"inner, grey: M(k)   outer, pink: P(k)   semi-axes √mass, the longest √({mass:.2g} kg)"
    _links(pen, scene)
    _joints(pen, scene)
    shown = frames if frames is not None else model.n <= 4 and not ellipsoids
    letters = _frames(pen, scene) if shown else _base_letters(scene)
    _names(pen, scene, paper, named, letters)
    _captions(pen, scene, paper, named, "neutral pose" if q is None else "at the given q", signs)
    return canvas.figure


@dataclass(frozen=True, eq=False)
class _Scene:
    """The mechanism, the eye, and the part of the paper that is shown, in metres."""

    body: Skeleton
    eye: Camera
    low: Floats
    high: Floats
    side: float
    """Inches of the longer side of the drawing; many labels need more."""

    @staticmethod
    def of(body: Skeleton, view: tuple[float, float] | None, labels: int) -> _Scene:
        eye = camera(body, view)
        flat = eye(np.concatenate([body.points, _AXES * body.reach * np.eye(3), np.zeros((1, 3)), _floor(body)]))
        margin = 0.1 * body.reach
        side = _SIDE * max(1.0, labels / 24) ** 0.5
        return _Scene(body, eye, flat.min(axis=0) - margin, flat.max(axis=0) + margin, side)

    @property
    def inch(self) -> float:
        """Metres to an inch of paper."""
        return float((self.high - self.low).max()) / self.side

    @property
    def width(self) -> float:
        title = 0.12 * width(self.body.model.name) + 3.4
        return max(float(self.high[0] - self.low[0]), title * self.inch, 4.6 * self.inch)

    @property
    def limits(self) -> tuple[float, float, float, float]:
        left = float(self.low[0] + self.high[0] - self.width) / 2
        inch = self.inch
        return left, left + self.width, float(self.low[1]) - 0.55 * inch, float(self.high[1]) + 0.5 * inch

    @property
    def inner(self) -> tuple[float, float, float, float]:
        """The limits without the captions."""
        left, right, bottom, top = self.limits
        return left, right, bottom + 0.5 * self.inch, top - 0.45 * self.inch

    @property
    def inches(self) -> tuple[float, float]:
        left, right, bottom, top = self.limits
        return (right - left) / self.inch, (top - bottom) / self.inch

    def layer(self, point: Any) -> float:
        """Nearer things are drawn over farther ones."""
        return 3.0 + 0.5 * np.tanh(self.eye.nearness(point) / self.body.reach)


def _point(flat: Floats) -> Point:
    return float(flat[0]), float(flat[1])


def _floor(body: Skeleton) -> Floats:
    """Corners of a tile of ground under everything; none without gravity."""
    if not any(body.model.gravity):
        return np.zeros((0, 3))
    points = np.concatenate([body.points, np.zeros((1, 3))])
    up = upward(body.model)
    side = np.cross(up, np.roll(up, 1))
    depth = np.cross(side, up)
    free = body.model.bodies[0].joint.kind == "floating"
    low = float(((body.points if free else points) @ up).min())
    size = 0.08 * body.reach
    spans = [((points @ along).min() - size, (points @ along).max() + size) for along in (side, depth)]
    around = ((0, 0), (1, 0), (1, 1), (0, 1))
    return np.array([low * up + spans[0][i] * side + spans[1][j] * depth for i, j in around])


def _ground(pen: Pen, scene: _Scene) -> None:
    """The axes of the base, and the ground below the mechanism if there is gravity."""
    body, eye = scene.body, scene.eye
    size = _AXES * body.reach
    corners = _floor(body)
    if len(corners):
        pen.polygon(eye(corners), SHADE, edge=FAINT, layer=0)
    for direction, name in zip(np.eye(3), "xyz", strict=True):
        end = eye(size * direction)
        if np.hypot(*end) < 0.25 * size:
            continue
        pen.arrow((0.0, 0.0), _point(end), INK, 1.0, head=6, layer=2)
        pen.text(*_letter(scene, end), name, 7, SOFT)


def _letter(scene: _Scene, end: Floats) -> Point:
    """Beside the tip of an axis of the base, where no joint on that axis hides it."""
    length = max(float(np.hypot(*end)), 1e-9 * scene.body.reach)
    return _point(end + 0.1 * scene.inch / length * np.array([-end[1], end[0]]))


def _ellipsoids(pen: Pen, scene: _Scene, own: Floats, felt: Floats) -> float:
    """P in its colour, M within it in grey; the largest, whose mass is returned, has a seventh of the reach."""
    largest = max(float(np.linalg.eigvalsh(felt).max(initial=0.0)), 1e-300)
    scale = (0.14 * scene.body.reach) ** 2 / largest
    for k, centre in enumerate(scene.body.centres):
        place = scene.eye(centre)
        for shapes, e, alpha in ((felt, P, 0.28), (own, M, 0.5)):
            outline = place + scene.eye.outline(scale * shapes[k])
            colour = operator_colour(e)
            pen.polygon(outline, colour, alpha=alpha, edge=colour, width=0.9, layer=scene.layer(centre) - 1.2)
    return largest


def _links(pen: Pen, scene: _Scene) -> None:
    branch = branches(scene.body.model.parent)
    thick = float(np.clip(5.2 - 0.06 * scene.body.model.n, 2.2, 5.0))
    for k, start, end in scene.body.links:
        middle = scene.layer((start + end) / 2)
        pen.line([_point(scene.eye(start)), _point(scene.eye(end))], strong(branch[k]), thick, layer=middle, round=True)
    for joint, origin in zip(scene.body.joints, scene.body.origins, strict=True):
        if np.linalg.norm(origin - joint) > 1e-9 * scene.body.reach:
            pen.line([_point(scene.eye(joint)), _point(scene.eye(origin))], SOFT, 1.1, dashed=True, layer=2.8)
    for origin, point in zip(scene.body.origins, scene.body.centres, strict=True):
        x, y = _point(scene.eye(point))
        pen.line([_point(scene.eye(origin)), (x, y)], SOFT, 0.7, layer=2.9)
        size = 6.0 if scene.body.model.n <= LABELLED else 4.0
        pen.dot(x, y, size, PAPER, INK, width=0.8, layer=scene.layer(point) + 1.2)
        pen.dot(x, y, size - 1.5, INK, INK, marker="+", width=0.8, layer=scene.layer(point) + 1.3)


def _joints(pen: Pen, scene: _Scene) -> None:
    """A mark for each joint, and its axes: a bar across for turning, an arrow for sliding."""
    body = scene.body
    branch = branches(body.model.parent)
    length = float(np.clip(0.045 * body.reach, 0.05 * scene.inch, 0.16 * scene.inch))
    for k, direction, turning in body.axes:
        half = length * direction
        start, end = _point(scene.eye(body.joints[k] - half)), _point(scene.eye(body.joints[k] + half))
        if turning:
            pen.line([start, end], INK, 2.0, layer=scene.layer(body.joints[k]) + 1.0)
        else:
            stretched = _point(scene.eye(body.joints[k] + 3.5 * half))
            pen.arrow(start, stretched, INK, 1.2, head=7, layer=scene.layer(body.joints[k]) + 1.0)
    size = 7.0 if body.model.n <= LABELLED else 4.5
    for k, joint in enumerate(body.joints):
        made = body.model.bodies[k].joint
        place = body.origins[k] if made.kind == "floating" else joint
        x, y = _point(scene.eye(place))
        pen.dot(x, y, size, PAPER, strong(branch[k]), marker=made.mark.shape, width=1.5, layer=scene.layer(place) + 1.1)


def _frames(pen: Pen, scene: _Scene) -> list[Point]:
    """The axes of each body, and where their letters stand; where one would lie on another it is left out."""
    size = 0.09 * scene.body.reach
    letters = _base_letters(scene)
    for rotation, origin in zip(scene.body.rotations, scene.body.origins, strict=True):
        for axis, name, colour in zip(rotation.T, "xyz", ("#b3261e", "#2e7d32", "#1f4fa3"), strict=True):
            start, end = scene.eye(origin), scene.eye(origin + size * axis)
            if np.hypot(*(end - start)) < 0.25 * size:
                continue
            pen.arrow(_point(start), _point(end), colour, 1.0, head=5, layer=4.6)
            place = _point(start + 1.3 * (end - start))
            if all(np.hypot(place[0] - x, place[1] - y) > 0.13 * scene.inch for x, y in letters):
                pen.text(*place, name, 6.5, colour, halo=CARD)
                letters.append(place)
    return letters


def _base_letters(scene: _Scene) -> list[Point]:
    return [_letter(scene, end) for end in scene.eye(_AXES * scene.body.reach * np.eye(3))]


def _names(pen: Pen, scene: _Scene, paper: bool, named: tuple[int, ...], letters: list[Point]) -> None:
    model = scene.body.model
    if not named:
        return
    points = np.array(list(_label_points(scene.body)))
    places = [_point(p) for p in scene.eye(points[list(named)])]
    words = [f"{number_of(k, model.n, paper)} {model.joint_names[k]}" for k in named]
    taken = [*(_point(p) for p in scene.eye(scene.body.centres)), *letters]
    taken += [_point(scene.eye(a + t * (b - a))) for _, a, b in scene.body.links for t in (0.25, 0.5, 0.75)]
    draw_labels(pen, places, words, 7.0, scene.inch, taken, scene.inner)


def _label_points(body: Skeleton) -> Iterator[Floats]:
    for k, joint in enumerate(body.joints):
        yield body.origins[k] if body.model.bodies[k].joint.kind == "floating" else joint


def _captions(pen: Pen, scene: _Scene, paper: bool, named: tuple[int, ...], pose: str, signs: str) -> None:
    left, _, bottom, top = scene.limits
    inch, model = scene.inch, scene.body.model
    title = pen.text(left + 0.2 * inch, top - 0.25 * inch, model.name, 13, bold=True, across="left")
    pen.behind(title, f"   {counted(model)}, {pose}", 9, SOFT)
    pen.text(left + 0.2 * inch, bottom + 0.36 * inch, signs, 8, INK, across="left")
    notes = (f"extent {scene.body.reach:.2g} m", numbering_note(model.n, paper) if named else "", note(model, named))
    pen.text(left + 0.2 * inch, bottom + 0.16 * inch, " · ".join(filter(None, notes)), 8, SOFT, across="left")
