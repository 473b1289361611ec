"""A motion as a drawing that moves: one SVG or HTML file without script, network or fonts of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from operator_algebra.applications.film import Film
from operator_algebra.arguments import instance
from operator_algebra.errors import InputError
from operator_algebra.markup import element, escape, html_page
from operator_algebra.models.configurations import difference_rate
from operator_algebra.views.content.branches import branches
from operator_algebra.views.content.skeleton import Skeleton, skeleton
from operator_algebra.views.ink.camera import camera
from operator_algebra.views.ink.palette import CARD, FAINT, INK, SOFT, strong
from operator_algebra.views.vector import tones

Floats = NDArray[np.float64]

_RATE = 25.0
"""Pictures in a second of the motion, as long as there are not too many."""
_MOST = 300
_SIDE = 480.0
"""Pixels of the longer side."""
_EDGE = 34.0


class Animation:
    """A motion that repeats, in its own time; `save` writes .html or .svg, a notebook shows it."""

    def __init__(self, title: str, svg: str) -> None:
        self.title, self.svg = title, svg

    def html(self) -> str:
        """The animation as a page."""
        return html_page(self.title, self.svg)

    def save(self, path: str | Path) -> None:
        """Write the animation to an .html or .svg file."""
        target = Path(path)
        if target.suffix not in (".html", ".svg"):
            raise InputError(f"{target.name}: an animation is saved as .html or .svg.")
        target.write_text(self.html() if target.suffix == ".html" else self.svg, encoding="utf-8")

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Animation {self.title}   {len(self.svg) / 1000:.0f} kB"


def animation(film: Film, *, view: tuple[float, float] | None = None) -> Animation:
    """The links of the mechanism moving, with the paths of what they end in; `view` is azimuth and elevation.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> moving = animation(oa.simulate(arm, [0.5, 0.0], [0.0, 0.0], until=0.2))
    >>> "<script" in moving.html()
    False
    """
    instance(film, "the film", Film, "Give what simulate returns.")
    if film.q.ndim != 2:
        raise InputError("the film shows several motions. Take one of them, film.motion(0).")
    if film.t[-1] == film.t[0]:
        raise InputError("a film of one frame does not move.")
    seconds = float(film.t[-1] - film.t[0])
    count = int(min(max(2.0, np.ceil(_RATE * seconds)), _MOST))
    times: Floats = np.linspace(float(film.t[0]), float(film.t[-1]), count + 1)
    bodies = [skeleton(film.model, q) for q in between(film, times)]
    title = f"{film.model.name}, {film.t[0]:.3g} s to {film.t[-1]:.3g} s"
    return Animation(title, _Drawing(bodies, view, seconds).svg(title))


def between(film: Film, times: Floats) -> Floats:
    """Configurations at other times: cubic in coordinates about the frame before, with the rates of both frames."""
    model = film.model
    left = np.clip(np.searchsorted(film.t, times, side="right") - 1, 0, len(film) - 2)
    h = (film.t[left + 1] - film.t[left])[:, None]
    s = (times - film.t[left])[:, None] / np.where(h > 0.0, h, 1.0)
    gone, after = difference_rate(model, film.q[left], film.q[left + 1], film.v[left + 1])
    before = film.v[left]
    x = s * s * (3.0 - 2.0 * s) * gone + h * s * (1.0 - s) * ((1.0 - s) * before - s * after)
    return model.integrate(film.q[left], x)


class _Drawing:
    """All frames on one sheet, in pixels."""

    def __init__(self, bodies: Sequence[Skeleton], view: tuple[float, float] | None, seconds: float) -> None:
        self.bodies, self.seconds = bodies, seconds
        self.eye = camera(bodies[0], view)
        flat = np.concatenate([self.eye(body.points) for body in bodies] + [np.zeros((1, 2))])
        self.low, high = flat.min(axis=0), flat.max(axis=0)
        extent = max(float((high - self.low).max()), 1e-9)
        self.scale = (_SIDE - 2.0 * _EDGE) / extent
        self.wide, self.high = ((high - self.low) * self.scale + 2.0 * _EDGE).tolist()

    def place(self, points: Floats) -> Floats:
        """Pixels of points in space; down is positive."""
        flat = (self.eye(points) - self.low) * self.scale + _EDGE
        return np.stack([flat[..., 0], self.high - flat[..., 1]], axis=-1)

    def svg(self, title: str) -> str:
        model = self.bodies[0].model
        branch = branches(model.parent)
        links = range(len(self.bodies[0].links))
        ends = np.array([[self.place(np.array(link[1:])) for link in body.links] for body in self.bodies])
        tips = [i for i in links if not model.children[self.bodies[0].links[i][0]]]
        parts = [element("path", d=_path(ends[:, i, 1]), fill="none", stroke=FAINT, stroke_width=1.2) for i in tips]
        for i in links:
            colour = strong(branch[self.bodies[0].links[i][0]])
            parts.append(self._moving([_path(frame[i]) for frame in ends], colour, 4.5))
        joints = np.array([self.place(body.joints) for body in self.bodies])
        parts.append(self._moving(["".join(map(_dot, frame)) for frame in joints], INK, 6.5))
        parts.append(_dot_at(self.place(np.zeros(3)), SOFT))
        parts.append(self._clock())
        frame = element("rect", width=f"{self.wide:.0f}", height=f"{self.high:.0f}", fill=CARD)
        style = element("style", tones([frame, *parts]))
        size = {"viewBox": f"0 0 {self.wide:.0f} {self.high:.0f}", "width": f"{self.wide:.0f}"}
        named = element("title", escape(title))
        return element(
            "svg", named, style, frame, *parts, xmlns="http://www.w3.org/2000/svg", role="img", aria_label=title, **size
        )

    def _moving(self, paths: Sequence[str], colour: str, thick: float) -> str:
        moved = self._animate("d", paths)
        return element(
            "path", moved, d=paths[0], fill="none", stroke=colour, stroke_width=thick, stroke_linecap="round"
        )

    def _clock(self) -> str:
        """A line below that grows with time."""
        y = f"{self.high - 8.0:.0f}"
        moved = self._animate("d", [f"M10 {y}h0.1", f"M10 {y}h{self.wide - 20.0:.0f}"])
        return element("path", moved, d=f"M10 {y}h0.1", stroke=SOFT, stroke_width=2)

    def _animate(self, what: str, values: Iterable[str]) -> str:
        return element(
            "animate", attributeName=what, dur=f"{self.seconds:.3f}s", repeatCount="indefinite", values=";".join(values)
        )


def _path(points: Floats) -> str:
    return "M " + "L".join(f"{x:.1f} {y:.1f}" for x, y in points.tolist())


def _dot(point: Floats) -> str:
    return f"M {point[0]:.1f} {point[1]:.1f}h0"


def _dot_at(point: Floats, colour: str) -> str:
    return element("circle", cx=f"{point[0]:.1f}", cy=f"{point[1]:.1f}", r=3, fill=colour)
