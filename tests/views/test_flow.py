"""Sweeps on the tree: order, messages and lines are those of the program."""

import io

import pytest
from hypothesis import given, settings
from PIL import Image, ImageSequence

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.symbols import D, H, M, T, inv, phi, v
from operator_algebra.views.content.stages import Lowered, program_of, small_tree, stages
from operator_algebra.views.flow import Sheet, flow
from operator_algebra.views.movie import Movie
from tests.strategies import mechanisms
from tests.views.figures import words_of

SOLVE = inv(H @ phi @ M @ phi.T @ H.T) @ T


@settings(max_examples=20)
@given(mechanisms(max_bodies=9))
def test_what_a_body_reads_was_sent_in_an_earlier_wave(model: Model) -> None:
    for stage in stages(oa.lower(oa.dynamics.forward_dynamics), model):
        wave = {k: w for w, bodies in enumerate(stage.waves) for k in bodies}
        assert sorted(wave) == list(range(model.n))
        edges = [edge for w in range(len(stage.waves)) for edge in stage.edges(model, w)]
        assert all(wave[source] < wave[target] for source, target in edges)
        assert len(edges) == model.n - len(model.roots)


def test_messages_of_the_articulated_body_sweeps() -> None:
    inward, outward = stages(oa.lower(SOLVE), small_tree())
    assert (inward.direction, inward.messages) == ("inward", ("P⁺", "z⁺"))
    assert (outward.direction, outward.messages) == ("outward", ("α",))


def test_the_lines_are_those_of_the_printed_program() -> None:
    program = oa.lower(oa.dynamics.inverse_dynamics)
    page = " ".join(program.pseudocode().split())
    for stage in stages(program, small_tree()):
        assert stage.lines
        assert all(" ".join(line.split()) in page for line in stage.lines)


def test_stages_that_are_no_sweeps() -> None:
    tree = oa.load("tree4")
    (local,) = stages(program_of(M @ oa.vector("x", oa.MOTION), tree), tree)
    assert (local.direction, local.waves, local.edges(tree, 0)) == ("local", ((0, 1, 2, 3),), [])
    *_, once = stages(program_of(oa.dynamics.kinetic_energy, tree), tree)
    assert (once.direction, once.waves) == ("once", ())
    assert "once: sums over all bodies" in words_of(flow(oa.dynamics.kinetic_energy, tree))


def test_the_picture_names_what_passes() -> None:
    words = words_of(flow(SOLVE, oa.load("quadruped")))
    assert {"P⁺, z⁺", "α", "D(k) = H(k) P(k) H(k)*", "inward: from the tips to the base", "12"} < words
    paper = words_of(flow(SOLVE, oa.load("quadruped"), numbering="paper"))
    assert "13" in paper
    assert "0" not in paper


def test_leaves_that_the_mechanism_lacks_are_folded_away() -> None:
    text = " ".join(words_of(flow(oa.dynamics.inverse_dynamics, oa.load("tree4"))))
    assert "armature" not in text
    assert "armature" in " ".join(words_of(flow(oa.dynamics.inverse_dynamics, oa.load("puma560"))))


@pytest.mark.parametrize("name", oa.available())
def test_every_mechanism_is_drawn(name: str) -> None:
    model = oa.load(name)
    figure = flow(oa.dynamics.forward_dynamics, model)
    at = Sheet.of(program_of(oa.dynamics.forward_dynamics, model), model, paper=False)
    assert figure.get_size_inches().tolist() == pytest.approx([at.width, at.height])
    assert at.width < 14


def test_a_movie_has_a_frame_for_each_wave_and_a_last_one() -> None:
    movie = flow(SOLVE, oa.load("tree4"), animate=True)
    assert isinstance(movie, Movie)
    assert len(movie.frames) == 3 + 3 + 1
    assert len(set(movie.frames)) == 7
    with Image.open(io.BytesIO(movie.gif())) as gif:
        frames = list(ImageSequence.Iterator(gif))
        assert len(frames) == 7
        assert gif.info["loop"] == 0
    assert repr(movie) == "Movie (H φ M φ* H*)⁻¹ T on tree4   7 frames"


def test_a_movie_is_saved_as_gif_or_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("movies")
    movie = flow(phi.T @ H.T @ v, oa.load("planar3r"), animate=True)
    movie.save(folder / "sweep.gif")
    movie.save(folder / "sweep.html")
    assert (folder / "sweep.gif").read_bytes()[:6] == b"GIF89a"
    page = (folder / "sweep.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert "http" not in page
    with pytest.raises(InputError, match=r"saved as \.gif or \.html"):
        movie.save(folder / "sweep.mp4")


@pytest.mark.parametrize("subject", ["φ φ*", 1.0, oa.dense(D @ oa.operator("Q", oa.RATE >> oa.RATE))])
def test_what_has_no_sweeps_is_refused(subject: Lowered) -> None:
    with pytest.raises(oa.errors.OperatorAlgebraError):
        flow(subject)
