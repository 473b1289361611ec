"""What the tests of pictures read from a figure."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

SLACK = 1.5
"""Pixels by which boxes of text may touch: letters do not fill them."""


def words_of(figure: Figure) -> set[str]:
    """Every text that a figure shows."""
    return {artist.get_text().strip() for artist in figure.findobj(Text)} - {""}


def collisions(figure: Figure) -> set[tuple[str, str]]:
    """Texts that lie on each other; slanted ones are left out, as their boxes overlap where they do not."""
    level = [(text, box) for text, box in _boxes(figure) if text.get_rotation() % 90 == 0]
    return {(a.get_text(), b.get_text()) for (a, p), (b, q) in combinations(level, 2) if _meet(p, q)}


def cut_off(figure: Figure) -> set[str]:
    """Texts that reach beyond the figure."""
    right, top = figure.bbox.width, figure.bbox.height
    return {
        text.get_text()
        for text, box in _boxes(figure)
        if min(box.x0, box.y0) < -SLACK or box.x1 > right + SLACK or box.y1 > top + SLACK
    }


def _boxes(figure: Figure) -> Iterator[tuple[Any, Any]]:
    """Every text that is drawn, and its box in pixels; labels of ticks beyond the ends of an axis are not drawn."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    unseen = {id(text) for axes in figure.axes for text in _ticks_beyond(axes)}
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in unseen:
            yield text, text.get_window_extent(canvas.get_renderer())


def _ticks_beyond(axes: Any) -> Iterator[Any]:
    for axis, limits in ((axes.xaxis, sorted(axes.get_xlim())), (axes.yaxis, sorted(axes.get_ylim()))):
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not axes.axison or not limits[0] <= tick.get_loc() <= limits[1]:
                yield from (tick.label1, tick.label2)


def _meet(p: Any, q: Any) -> bool:
    wide, high = min(p.x1, q.x1) - max(p.x0, q.x0), min(p.y1, q.y1) - max(p.y0, q.y0)
    return wide > SLACK and high > 0.3 * min(p.height, q.height)
