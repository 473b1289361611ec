"""The few strokes that every picture is made of. Only `picture` and annotations name this file: it needs matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from operator_algebra.views.ink.palette import INK
from operator_algebra.views.ink.palette import dark as to_dark

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, lower in y, width, height."""


class Pen:
    """Draws on one pair of axes; widths, sizes and fonts are in points, places in the units of the axes.

    Colours are those of the light card; on a dark one the pen takes the tones that stand for them.
    """

    def __init__(self, axes: Any, *, dark: bool = False) -> None:
        self.axes = axes
        self.dark = dark

    def shade(self, colour: str) -> str:
        """A colour as it is drawn."""
        return to_dark(colour) if self.dark else colour

    def plain(self, left: float, right: float, bottom: float, top: float) -> None:
        """No frame and no ticks; one unit has the same length in both directions."""
        self.axes.set_axis_off()
        self.axes.set_xlim(left, right)
        self.axes.set_ylim(bottom, top)
        self.axes.set_aspect("equal")

    def line(
        self,
        points: Iterable[Point],
        colour: str = INK,
        width: float = 1.0,
        *,
        dashed: bool = False,
        round: bool = False,
        layer: float = 3,
    ) -> None:
        """A line through points."""
        xs, ys = zip(*points, strict=True)
        style = (0, (3, 2)) if dashed else "-"
        look = {"color": self.shade(colour), "linewidth": width, "linestyle": style, "zorder": layer}
        self.axes.plot(xs, ys, solid_joinstyle="round", solid_capstyle="round" if round else "butt", **look)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float = 9.0,
        colour: str = INK,
        *,
        across: Literal["left", "center", "right"] = "center",
        up: Literal["top", "center", "bottom"] = "center",
        bold: bool = False,
        turn: float = 0.0,
        halo: str | None = None,
        layer: float = 6,
    ) -> Any:
        """Words at a place; a halo in the colour of the ground keeps them readable on top of lines."""
        return self.axes.text(
            x,
            y,
            words,
            fontsize=size,
            color=self.shade(colour),
            ha=across,
            va=up,
            weight="bold" if bold else "normal",
            rotation=turn,
            zorder=layer,
            path_effects=_halo(self.shade(halo)) if halo else None,
        )

    def behind(self, words: Any, more: str, size: float = 9.0, colour: str = INK) -> Any:
        """More words on the same line, behind what `text` has written."""
        return self.axes.annotate(
            more, (1, 0), xycoords=words, fontsize=size, color=self.shade(colour), va="bottom", annotation_clip=False
        )

    def _look(self, fill: str, edge: str, width: float, layer: float) -> dict[str, Any]:
        return {"facecolor": self.shade(fill), "edgecolor": self.shade(edge), "linewidth": width, "zorder": layer}

    def box(
        self,
        place: Box,
        fill: str = "none",
        edge: str = "none",
        width: float = 1.0,
        *,
        hatch: str = "",
        layer: float = 1,
    ) -> None:
        """A rectangle; its hatch has the colour of its edge."""
        x, y, w, h = place
        look = self._look(fill, edge, width, layer)
        self.axes.add_patch(Rectangle((x, y), w, h, hatch=hatch or None, **look))

    def boxes(
        self,
        places: Sequence[Box],
        fill: str,
        edge: str = "none",
        width: float = 1.0,
        *,
        hatch: str = "",
        layer: float = 3,
    ) -> None:
        """Many rectangles of one look."""
        patches = [Rectangle((x, y), w, h) for x, y, w, h in places]
        look = self._look(fill, edge, width, layer)
        self.axes.add_collection(PatchCollection(patches, hatch=hatch or None, **look))

    def dot(
        self,
        x: float,
        y: float,
        size: float,
        fill: str,
        edge: str,
        *,
        marker: Any = "o",
        width: float = 1.0,
        layer: float = 5,
    ) -> None:
        """A marker."""
        self.axes.plot(
            [x],
            [y],
            marker=marker,
            markersize=size,
            markerfacecolor=self.shade(fill),
            markeredgecolor=self.shade(edge),
            markeredgewidth=width,
            linestyle="none",
            zorder=layer,
        )

    def arrow(
        self, start: Point, end: Point, colour: str = INK, width: float = 1.4, *, head: float = 9.0, layer: float = 4
    ) -> None:
        """A straight arrow."""
        self.axes.add_patch(
            FancyArrowPatch(
                start,
                end,
                arrowstyle="-|>",
                mutation_scale=head,
                color=self.shade(colour),
                linewidth=width,
                zorder=layer,
                shrinkA=0,
                shrinkB=0,
            )
        )

    def curve(
        self, points: Sequence[Point], colour: str = INK, width: float = 1.4, *, head: float = 9.0, layer: float = 4
    ) -> None:
        """An arrow along a cubic curve: start, two control points, end."""
        path = Path(list(points), [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        self.axes.add_patch(
            FancyArrowPatch(
                path=path,
                arrowstyle="-|>",
                mutation_scale=head,
                facecolor=self.shade(colour),
                edgecolor=self.shade(colour),
                linewidth=width,
                fill=False,
                zorder=layer,
            )
        )

    def polygon(
        self, points: Any, fill: str, *, alpha: float = 1.0, edge: str = "none", width: float = 0.8, layer: float = 2
    ) -> None:
        """A closed polygon."""
        look = self._look(fill, edge, width, layer)
        if fill != "none":
            look["facecolor"] = to_rgba(look["facecolor"], alpha)
        self.axes.add_patch(Polygon(points, closed=True, **look))

    def raster(self, filled: Any, colour: str, place: Box, layer: float = 3) -> None:
        """An image with one pixel of colour for each true entry; the first row is at the lower end of y."""
        image = np.zeros((*filled.shape, 4))
        image[filled] = to_rgba(self.shade(colour))
        x, y, w, h = place
        self.axes.imshow(image, extent=(x, x + w, y + h, y), interpolation="nearest", zorder=layer, aspect="equal")


def _halo(ground: str) -> list[Any]:
    return [withStroke(linewidth=2.2, foreground=ground)]
