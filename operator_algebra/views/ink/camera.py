"""From space to paper: parallel projection from a chosen side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.model import Model
from operator_algebra.views.content.skeleton import Skeleton

Floats = NDArray[np.float64]

_FLAT = 1e-6
"""A mechanism thinner than this fraction of its size is planar."""


@dataclass(frozen=True, eq=False)
class Camera:
    """`right` and `up` span the paper, `toward` leads from it to the eye."""

    right: Floats
    up: Floats
    toward: Floats

    def __call__(self, points: Any) -> Floats:
        """Places on the paper, (..., 2)."""
        return np.asarray(points) @ np.stack([self.right, self.up], axis=-1)

    def nearness(self, point: Any) -> float:
        """How near to the eye a point is."""
        return float(np.asarray(point) @ self.toward)

    def outline(self, shape: Floats, count: int = 72) -> Floats:
        """The outline of the ellipsoid {x : x* A⁻¹ x = 1} of a semidefinite A: an ellipse, (count, 2).

        The shadow of it is the ellipse of V A V*, with the rows of V spanning the paper.
        """
        view = np.stack([self.right, self.up])
        values, vectors = np.linalg.eigh(view @ shape @ view.T)
        angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
        circle = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        return circle * np.sqrt(np.clip(values, 0.0, None)) @ vectors.T


def upward(model: Model) -> Floats:
    """Against gravity; z where there is none."""
    gravity = np.asarray(model.gravity)
    size = float(np.linalg.norm(gravity))
    return -gravity / size if size > 0 else np.array([0.0, 0.0, 1.0])


def camera(body: Skeleton, view: tuple[float, float] | None = None) -> Camera:
    """Seen from an azimuth and an elevation in degrees; without them a planar mechanism is seen almost from the front.

    Azimuth 0 is in front of the x axis.
    """
    up = upward(body.model)
    if view is None:
        points = body.points
        thickness = np.ptp(points, axis=0)
        thin = int(np.argmin(thickness))
        front = np.eye(3)[thin]
        if thickness[thin] <= _FLAT * body.reach and abs(front @ up) < 0.5:
            side = np.cross(up, front)
            front, side = (front, side) if side.sum() > 0 else (-front, -side)  # the axis in the plane leads right
            return _looking(front + 0.28 * side + 0.2 * up, up)
        view = (-58.0, 20.0)
    azimuth, elevation = np.radians(view)
    ahead = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    ahead = ahead - (ahead @ up) * up
    ahead /= np.linalg.norm(ahead)
    level = np.cos(azimuth) * ahead + np.sin(azimuth) * np.cross(up, ahead)
    return _looking(np.cos(elevation) * level + np.sin(elevation) * up, up)


def _looking(toward: Floats, up: Floats) -> Camera:
    toward = toward / np.linalg.norm(toward)
    side = np.cross(up, toward)
    if np.linalg.norm(side) < 1e-9:  # straight from above
        side = np.eye(3)[int(np.argmin(np.abs(toward)))]
    right = side - (side @ toward) * toward
    right /= np.linalg.norm(right)
    return Camera(right, np.cross(toward, right), toward)
