"""Labels beside points: each is put where it covers neither another label nor a point."""

from __future__ import annotations

from collections.abc import Sequence

from operator_algebra.markup import width
from operator_algebra.views.canvas import POINTS
from operator_algebra.views.pen import Point

_SIDES = ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1.4), (0, -1.4))
_RINGS = (1.0, 2.2, 3.6, 5.2, 8.0, 11.0, 14.0)

Rectangle = tuple[float, float, float, float]


def place_labels(
    points: Sequence[Point],
    words: Sequence[str],
    size: float,
    inch: float,
    taken: Sequence[Point],
    limits: Rectangle,
) -> list[Point]:
    """The centre of each label; `inch` is an inch in the units of the points, `limits` is left, right, low, high."""
    high = 1.25 * size / POINTS * inch
    dots = [_around(p, 0.1 * inch, 0.1 * inch) for p in (*points, *taken)]
    placed: list[Rectangle] = []
    centres: list[Point] = []
    for point, text in zip(points, words, strict=True):
        wide = (0.62 * width(text) * size / POINTS + 0.04) * inch
        options = [
            (point[0] + x * (0.5 * wide + 0.09 * inch * ring), point[1] + y * 0.13 * inch * ring)
            for ring in _RINGS
            for x, y in _SIDES
        ]
        costs: list[float] = []
        for centre in options:
            box = _around(centre, wide, high)
            distance = (abs(centre[0] - point[0]) + 2 * abs(centre[1] - point[1])) / inch
            costs.append(distance + _crowding(box, placed, dots) + 60 * (not _inside(box, limits)))
        best = options[costs.index(min(costs))]
        placed.append(_around(best, wide, high))
        centres.append(best)
    return centres


def _around(centre: Point, wide: float, high: float) -> Rectangle:
    return centre[0] - 0.5 * wide, centre[1] - 0.5 * high, centre[0] + 0.5 * wide, centre[1] + 0.5 * high


def _crowding(box: Rectangle, placed: Sequence[Rectangle], dots: Sequence[Rectangle]) -> float:
    return 40 * sum(_meet(box, other) for other in placed) + 6 * sum(_meet(box, dot) for dot in dots)


def _inside(box: Rectangle, limits: Rectangle) -> bool:
    return limits[0] < box[0] and box[2] < limits[1] and limits[2] < box[1] and box[3] < limits[3]


def _meet(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
