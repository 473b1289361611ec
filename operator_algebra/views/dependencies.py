"""dependencies: which intermediate vectors of a formula need each other, and what the compiler makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.render import brief
from operator_algebra.markup import cut, width
from operator_algebra.views.content.unknowns import Component, Edge, Reading, unknowns
from operator_algebra.views.ink.canvas import POINTS, open_canvas
from operator_algebra.views.ink.palette import CARD, FAINT, INK, INWARD, OUTWARD, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen, Point

_COLOURS: dict[Reading, str] = {"body": SOFT, "children": INWARD, "parent": OUTWARD}
_SIZE = 22.0
_TEXT_AT = 3.4
_LINE = 0.21
_COLUMNS = 60
_LETTER = 0.07


def dependencies(e: Expr | str, *, ax: Axes | None = None, dark: bool = False) -> Figure:
    """The components of a vector formula: variables in circles, an arrow from each to those that are computed from it.

    Grey arrows stay at a body, blue ones read the children, orange ones the parent. A component with blue arrows is
    an inward sweep, with orange ones an outward sweep; with both it has to be eliminated.

    >>> figure = dependencies("inv(H φ M φ* H*) T")
    """
    subject = formula(e, "a picture of dependencies")
    at = _Sheet(_gathered(unknowns(subject)), brief(subject, 60))
    canvas = open_canvas(ax, at.width, at.height, dark=dark)
    pen = canvas.pen
    pen.plain(0.0, at.width, 0.0, at.height)
    pen.text(0.25, at.height - 0.28, at.title, 13, bold=True, across="left")
    for component, low in at.rows():
        _draw(pen, at, component, low)
    signs = "arrows: to what is computed   grey: at the same body   blue: reads the children   orange: reads the parent"
    pen.text(0.25, 0.2, signs, 8, SOFT, across="left")
    return canvas.figure


def _gathered(components: tuple[Component, ...]) -> tuple[Component, ...]:
    """Assignments that follow each other, as one row."""
    rows: list[Component] = []
    for component in components:
        if rows and not component.readings and not rows[-1].readings:
            equations = rows[-1].equations + component.equations
            rows[-1] = Component(rows[-1].names + component.names, equations, ())
        else:
            rows.append(component)
    return tuple(rows)


@dataclass(frozen=True)
class _Sheet:
    """A row for each component: its graph at the left if it has one, its equations at the right; in inches."""

    components: tuple[Component, ...]
    title: str

    @property
    def width(self) -> float:
        lines = [line for component in self.components for line in (*component.equations, component.kind)]
        return _TEXT_AT + 0.3 + 0.08 * max(36, *(min(width(line), _COLUMNS) for line in lines))

    def row(self, component: Component) -> float:
        """Height of the row of a component."""
        circle = {1: 0.95, 2: 1.0, 3: 2.0}.get(len(component.names), 2.6) if component.readings else 0.0
        return max(circle + _above(component), _LINE * (len(component.equations) + 1) + 0.3)

    @property
    def height(self) -> float:
        return 1.0 + sum(map(self.row, self.components))

    def rows(self) -> Iterator[tuple[Component, float]]:
        """Every component and the lower end of its row."""
        low = self.height - 0.55
        for component in self.components:
            low -= self.row(component)
            yield component, low


def _above(component: Component) -> float:
    """Room for the loop of the variable on top of a circle of them."""
    top = component.names[0]
    looped = any(edge.source == edge.target == top for edge in component.edges)
    return 0.5 if looped and len(component.names) > 2 else 0.0


def _places(component: Component, centre: Point) -> dict[str, Point]:
    """Variables side by side or on a circle, the first on top."""
    count = len(component.names)
    radius = 0.0 if count == 1 else 0.62 if count == 2 else 0.68 if count == 3 else 0.75
    start = np.pi if count == 2 else np.pi / 2
    angles = [start - 2 * np.pi * i / count for i in range(count)]
    return {
        name: (centre[0] + radius * float(np.cos(angle)), centre[1] + radius * float(np.sin(angle)))
        for name, angle in zip(component.names, angles, strict=True)
    }


def _draw(pen: Pen, at: _Sheet, component: Component, low: float) -> None:
    high = at.row(component)
    pen.line([(0.25, low + high), (at.width - 0.25, low + high)], FAINT, 0.8)
    centre = (0.5 * _TEXT_AT, low + 0.5 * (high - _above(component)) - (0.1 if len(component.names) == 3 else 0.0))
    places = _places(component, centre) if component.readings else {}
    inner = _merged(edge for edge in component.edges if edge.source in places)
    pairs = {(edge.source, edge.target) for edge in inner}
    for edge in inner:
        _arrow(pen, edge, places, centre, alone=(edge.target, edge.source) not in pairs)
    for name, (x, y) in places.items():
        pen.dot(x, y, _SIZE, CARD, INK, width=1.2)
        pen.text(x, y - 0.005, name, 10 if width(name) < 3 else 7, INK, bold=True)
    top = low + high - 0.28
    colours = {_COLOURS[reading] for reading in component.readings}
    heading = colours.pop() if len(colours) == 1 else INK
    pen.text(_TEXT_AT, top, component.kind, 9, heading, across="left", bold=True)
    for number, equation in enumerate(component.equations, 1):
        pen.text(_TEXT_AT, top - _LINE * number - 0.03, cut(equation, _COLUMNS), 9.5, INK, across="left")


def _merged(edges: Iterable[Edge]) -> list[Edge]:
    """One arrow for all terms that read the same variable in the same way."""
    found: dict[tuple[str, str, Reading], Edge] = {}
    for edge in edges:
        key = edge.source, edge.target, edge.reading
        before = found[key].operator if key in found else ""
        found[key] = replace(edge, operator=" + ".join(part for part in (before, edge.operator) if part))
    return list(found.values())


def _arrow(pen: Pen, edge: Edge, places: dict[str, Point], centre: Point, *, alone: bool) -> None:
    """An arrow, bent to its left; one without an answer bends away from the centre, where the others are."""
    colour = _COLOURS[edge.reading]
    source, target = np.array(places[edge.source]), np.array(places[edge.target])
    mark = 0.5 * _SIZE / POINTS + 0.02
    if edge.source == edge.target:
        away = source - centre
        away = away / np.linalg.norm(away) if np.linalg.norm(away) > 1e-9 else np.array([-1.0, 0.0])
        across = np.array([-away[1], away[0]])
        start, end = (source + mark * (0.75 * away + sign * 0.66 * across) for sign in (1, -1))
        bends = [source + 0.52 * away + sign * 0.3 * across for sign in (1, -1)]
        label = source + (0.53 + 0.03 * len(edge.operator) * abs(away[0])) * away
    else:
        along = (target - source) / np.linalg.norm(target - source)
        across = np.array([-along[1], along[0]])
        if alone and across @ (0.5 * (source + target) - centre) < -1e-9:
            across = -across
        middle = 0.5 * (source + target) + 0.16 * across
        start = source + mark * _unit(middle - source)
        end = target + mark * _unit(middle - target)
        bends = [middle, middle]
        crossing = np.linalg.norm(0.5 * (source + target) - centre) < 0.1  # where the labels of others may be
        label = (
            middle
            - (0.25 if crossing and alone else 0.0) * along
            + (0.05 + 0.5 * _LETTER * width(edge.operator) * abs(across[0])) * across
        )
    pen.curve([_point(p) for p in (start, *bends, end)], colour)
    if edge.operator:
        pen.text(*_point(label), edge.operator, 8.5, colour, halo=CARD)


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def _point(place: np.ndarray) -> Point:
    return float(place[0]), float(place[1])
