"""The figures that the views return: they show themselves in a notebook and are saved like any other figure."""

from __future__ import annotations

import io
from typing import Any, cast

from matplotlib.figure import Figure

from operator_algebra.views.ink.palette import CARD
from operator_algebra.views.ink.palette import dark as to_dark
from operator_algebra.views.ink.pen import Pen

DPI = 110


class Picture(Figure):
    """A matplotlib figure outside pyplot: no global state, no window, no figure left open."""

    def __init__(self, width: float, height: float, *, dark: bool = False) -> None:
        self.dark = dark
        cast("Any", super()).__init__(figsize=(width, height), dpi=DPI, facecolor=to_dark(CARD) if dark else CARD)

    def pen(self, left: float = 0.0, bottom: float = 0.0, width: float = 1.0, height: float = 1.0) -> Pen:
        """A pen for a part of the figure, by default for all of it."""
        return Pen(cast("Any", self).add_axes((left, bottom, width, height)), dark=self.dark)

    def png(self, dpi: float = DPI) -> bytes:
        """The picture as PNG, the same bytes for the same picture."""
        buffer = io.BytesIO()
        cast("Any", self).savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
        return buffer.getvalue()

    def _repr_png_(self) -> bytes:
        return self.png()
