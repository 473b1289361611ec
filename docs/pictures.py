"""The pictures that are committed: `python docs/pictures.py` writes them to docs/_static.

The front picture is a formula as tiles, its sweeps half-way, and the mechanism that it is about; as SVG it is light or
dark as the reader prefers. One picture for each mechanism of the gallery goes to docs/_static/mechanisms.
"""

import sys
from pathlib import Path
from typing import Any, cast

import numpy as np

import operator_algebra as oa
from operator_algebra.models.model import Model
from operator_algebra.symbols import H, M, T, inv, phi
from operator_algebra.views.content.equation import equation
from operator_algebra.views.content.stages import program_of
from operator_algebra.views.factors import Row, draw_row
from operator_algebra.views.flow import Sheet, draw_sheet
from operator_algebra.views.ink.palette import FAINT, SOFT
from operator_algebra.views.ink.picture import Picture
from operator_algebra.views.robot import robot
from operator_algebra.views.vector import adaptive, svg

STATIC = Path(__file__).parent / "_static"

_POSES: dict[str, list[float]] = {
    "pendulum": [0.5],
    "planar2r": [-0.4, 0.9],
    "planar3r": [0.3, -0.5, 0.8],
    "four_bar": [0.8, -0.3, 1.5],
    "slider_crank": [0.8, -1.0, 0.8],
}


def hero(model: Model) -> Picture:
    """ℳ = H φ M φ* H* as tiles; below it the sweeps of its inverse, the inward one running, and the mechanism."""
    tiles = Row.of(equation(oa.dynamics.mass_matrix, model), high=1.8)
    program = program_of(inv(H @ phi @ M @ phi.T @ H.T) @ T, model)
    sweeps = Sheet.of(program, model, paper=False)
    wide, above, below = sweeps.width + 5.2, tiles.height + 1.1, sweeps.height
    figure = Picture(wide, above + below)
    top = figure.pen(0, below / (above + below), 1, above / (above + below))
    top.plain(0, wide, 0, above)
    draw_row(top, tiles, 0.5 * (wide - tiles.width), 0.5)
    note = f"the mass matrix of the {model.name}, {model.n} bodies, {model.nv} degrees of freedom; tiles to scale"
    top.text(0.5 * wide, 0.1, note, 8, SOFT, up="bottom")
    bottom = below / (above + below)
    draw_sheet(figure.pen(0, 0, sweeps.width / wide, bottom), sweeps, (0, 2))
    right = figure.pen(sweeps.width / wide, 0.02, 1 - sweeps.width / wide, bottom - 0.04)
    robot(model, ax=right.axes, ellipsoids=True)
    line = figure.pen()
    line.plain(0, wide, 0, above + below)
    line.line([(0.25, below), (wide - 0.25, below)], FAINT, 0.8)
    return figure


def pose(model: Model) -> Any:
    """A configuration that shows the mechanism well."""
    if model.name in _POSES:
        q = _POSES[model.name]
        return oa.constraints.closed(model, q) if model.loops else q
    if model.name == "snake40":
        q = model.neutral()
        q[7:] = 0.28 * np.sin(np.arange(39) / 2.5)
        return q
    return model.random(seed=3)[0] if model.name in ("arm7", "puma560", "tree4") else None


def main() -> None:
    """Write all pictures."""
    front = hero(oa.load("quadruped"))
    (STATIC / "hero.png").write_bytes(front.png(dpi=120))
    (STATIC / "hero.svg").write_text(adaptive(svg(front)), encoding="utf-8")
    folder = STATIC / "mechanisms"
    folder.mkdir(exist_ok=True)
    for name in oa.available():
        model = oa.load(name)
        figure = cast("Picture", robot(model, pose(model)))
        (folder / f"{name}.png").write_bytes(figure.png(dpi=72))
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
