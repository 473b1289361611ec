"""A motion as a drawing that moves: well-formed, without script or network, its points where the mechanism is."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.views.animation import animation, between
from operator_algebra.views.content.skeleton import skeleton
from operator_algebra.views.ink.camera import camera
from tests.rounding import apart, rounding

ARM, TREE = oa.load("planar2r"), oa.load("tree4")
FILM = oa.simulate(ARM, [0.5, 0.0], [0.0, 0.0], until=0.4)
Floats = NDArray[np.float64]
SVG = "{http://www.w3.org/2000/svg}"
PIXEL = 0.1
"""Places are written to a tenth of a pixel."""


def test_it_is_well_formed_and_needs_nothing_else() -> None:
    text = animation(FILM).html()
    assert "<script" not in text
    assert set(re.findall(r"https?://[^\"\s]+", text)) == {"http://www.w3.org/2000/svg"}
    assert ElementTree.fromstring(animation(FILM).svg).tag == f"{SVG}svg"


def test_every_link_moves_as_long_as_the_film() -> None:
    drawing = ElementTree.fromstring(animation(FILM).svg)
    moving = drawing.findall(f".//{SVG}animate")
    assert len(moving) == len(skeleton(ARM).links) + 2  # the joints, and the clock
    assert {each.get("dur") for each in moving} == {"0.400s"}


def test_links_are_where_the_mechanism_is() -> None:
    """All frames are one parallel projection: pixels are the camera's places, times a scale, from a corner."""
    drawing = ElementTree.fromstring(animation(FILM).svg)
    first = next(iter(drawing.findall(f".//{SVG}animate")))
    paths = str(first.get("values")).split(";")
    times = np.linspace(0.0, 0.4, len(paths))
    eye = camera(skeleton(ARM, FILM.q[0]))
    bodies = [skeleton(ARM, q) for q in between(FILM, times)]
    flat = np.array([eye(np.array(body.links[0][1:])) for body in bodies]).reshape(-1, 2)
    pixels = np.array([[float(x) for x in re.findall(r"-?[\d.]+", path)] for path in paths]).reshape(-1, 2)
    pixels[:, 1] *= -1.0
    scale = _slope(flat, pixels)
    assert apart(pixels - pixels[0], scale * (flat - flat[0])) <= 4.0 * PIXEL


def _slope(x: Floats, y: Floats) -> float:
    a, b = x - x.mean(axis=0), y - y.mean(axis=0)
    return float((a * b).sum() / (a * a).sum())


@pytest.mark.parametrize("model", [ARM, TREE, oa.load("quadruped")], ids=lambda model: model.name)
def test_between_frames_the_motion_is_smooth(model: oa.Model) -> None:
    """Cubic pieces err by h⁴: the frames themselves are met, and half a step is met sixteen times as well."""
    q, v = model.random(1)
    fine = oa.simulate(model, q, v, until=0.04, step=0.005)
    assert apart(model.difference(fine.q, between(fine, fine.t)), np.zeros((len(fine), model.nv))) <= rounding(
        1.0, terms=9
    )

    def wrong(every: int) -> float:
        coarse = oa.Film(fine.t[::every], fine.q[::every], fine.v[::every], fine.T[::every], model)
        return float(np.abs(model.difference(fine.q, between(coarse, fine.t))).max())

    assert wrong(8) > 8.0 * wrong(4)


def test_it_is_saved_as_page_or_drawing(tmp_path: Path) -> None:
    moving = FILM.robot(animate=True)
    moving.save(tmp_path / "arm.html")
    assert (tmp_path / "arm.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    moving.save(tmp_path / "arm.svg")
    assert ElementTree.parse(tmp_path / "arm.svg").getroot().tag == f"{SVG}svg"
    with pytest.raises(InputError, match=r"saved as .html or .svg"):
        moving.save(tmp_path / "arm.gif")
    assert repr(moving).startswith("Animation planar2r, 0 s to 0.4 s   ")


def test_a_motion_that_ends_with_an_impact_is_drawn_up_to_it() -> None:
    """Two frames of one time, with a corner between them."""
    stop = oa.events.limit("shoulder", upper=0.6, restitution=0.5, stop=True)
    film = oa.simulate(ARM, [0.5, 0.0], [0.0, 0.0], until=1.0, events=[stop])
    assert film.t[-1] == film.t[-2] < 1.0
    times = np.linspace(0.0, float(film.t[-1]), 7)
    assert np.isfinite(between(film, times)).all()
    assert apart(between(film, times[-1:])[0], film.q[-1]) <= rounding()
    assert "nan" not in animation(film).svg
    with pytest.raises(InputError, match="one frame"):
        animation(film[film.t[-1] :])


def test_what_does_not_move_is_told() -> None:
    still = oa.Film(FILM.t[:1], FILM.q[:1], FILM.v[:1], FILM.T[:1], ARM)
    many = oa.simulate(ARM, np.zeros((2, 2)), [0.0, 0.0], until=0.1, step=0.1)
    with pytest.raises(InputError, match="one frame"):
        animation(still)
    for draw in (animation, oa.Film.robot):
        with pytest.raises(InputError, match=r"film\.motion\(0\)"):
            draw(many)
    assert animation(many.motion(1)).title == "planar2r, 0 s to 0.1 s"
    with pytest.raises(InputError, match="Give what simulate returns"):
        animation(ARM)  # pyright: ignore[reportArgumentType]
