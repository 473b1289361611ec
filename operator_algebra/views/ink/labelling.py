"""Labels beside points: each is put where it covers neither another label nor a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from operator_algebra.markup import width
from operator_algebra.views.ink.canvas import POINTS
from operator_algebra.views.ink.palette import CARD, INK, SOFT

if TYPE_CHECKING:
    from operator_algebra.views.ink.pen import Pen, Point

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


def draw_labels(
    pen: Pen,
    points: Sequence[Point],
    words: Sequence[str],
    size: float,
    inch: float,
    taken: Sequence[Point],
    limits: Rectangle,
) -> None:
    """The labels where `place_labels` puts them, with a line to the point from those that are not beside it."""
    centres = place_labels(points, words, size, inch, taken, limits)
    for point, centre, text in zip(points, centres, words, strict=True):
        half = 0.5 * 0.6 * size / POINTS * width(text) * inch, 0.5 * size / POINTS * inch
        x, y = (min(max(p, c - h), c + h) for p, c, h in zip(point, centre, half, strict=True))
        if (x - point[0]) ** 2 + (y - point[1]) ** 2 > (0.15 * inch) ** 2:
            pen.line([point, (x, y)], SOFT, 0.5, layer=4.7)
        pen.text(*centre, text, size, INK, halo=CARD)


def apart(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The places nearest to these, in their order, that are a gap from each other, between low and high.

    Where there is no room the gap shrinks.

    >>> apart([0.0, 0.1, 5.0], 1.0, -1.0, 6.0)
    [-0.45, 0.55, 5.0]
    """
    count = len(places)
    gap = min(gap, (high - low) / max(count - 1, 1))
    pools: list[tuple[float, int]] = []  # mean and number of neighbours that touch
    for number, place in enumerate(places):
        pools.append((place - gap * number, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (b, m), (a, n) = pools.pop(), pools.pop()
            pools.append(((a * n + b * m) / (n + m), n + m))
    free = [mean for mean, members in pools for _ in range(members)]
    return [min(max(x, low), high - gap * (count - 1)) + gap * number for number, x in enumerate(free)]


def _around(centre: Point, wide: float, high: float) -> Rectangle:
    return centre[0] - 0.5 * wide, centre[1] - 0.5 * high, centre[0] + 0.5 * wide, centre[1] + 0.5 * high


def _crowding(box: Rectangle, placed: Sequence[Rectangle], dots: Sequence[Rectangle]) -> float:
    return 40 * sum(_meet(box, other) for other in placed) + 6 * sum(_meet(box, dot) for dot in dots)


def _inside(box: Rectangle, limits: Rectangle) -> bool:
    return limits[0] < box[0] and box[2] < limits[1] and limits[2] < box[1] and box[3] < limits[3]


def _meet(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
