"""spy draws one square for each block, says what it shows, and refuses what it cannot show."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.symbols import H, M, T, V, phi
from operator_algebra.views.content.blocks import Picturable, blocks
from operator_algebra.views.spy import spy
from tests.views.figures import words_of

MASS = H @ phi @ M @ phi.T @ H.T


def squares(figure: Figure) -> np.ndarray:
    """Row and column of each filled square."""
    (collection,) = [c for c in figure.axes[0].collections if isinstance(c, PatchCollection)]
    corners = np.array([np.asarray(path.vertices).min(axis=0) for path in collection.get_paths()])
    return np.sort(np.floor(corners[:, ::-1]).astype(int), axis=0)


def test_one_square_for_each_block() -> None:
    tree = oa.load("tree4")
    expected = np.argwhere(blocks(MASS, tree).filled)
    assert np.array_equal(squares(spy(MASS, tree)), np.sort(expected, axis=0))


def test_the_papers_count_from_the_tips() -> None:
    tree = oa.load("tree4")
    turned = np.argwhere(blocks(MASS, tree).filled[::-1, ::-1])
    assert np.array_equal(squares(spy(MASS, tree, numbering="paper")), np.sort(turned, axis=0))
    assert {"1  socket", "4  turn"} < words_of(spy(MASS, tree, numbering="paper"))
    assert {"0  turn", "3  socket"} < words_of(spy(MASS, tree))


def test_it_says_what_it_shows() -> None:
    words = words_of(spy(phi, oa.load("quadruped")))
    assert {"φ", "I", "12  knee_hr"} < words
    text = " ".join(words)
    for part in ("force → force", "inward, unit diagonal", "structural", "numbering: model", "carries it"):
        assert part in text


@pytest.mark.parametrize("name", oa.available())
def test_every_mechanism_is_drawn(name: str) -> None:
    model = oa.load(name)
    assert spy("inv(H φ M φ* H*)", model).axes
    assert len(words_of(spy(phi, model))) > (model.n if model.n <= 20 else 3)


def test_a_pattern_of_a_value_needs_no_model() -> None:
    arm = oa.load("arm7")
    value = oa.evaluate(phi, arm, q=arm.neutral())
    assert np.array_equal(blocks(value).filled, blocks(phi, arm).filled)
    assert "value at a configuration" in " ".join(words_of(spy(value)))


def test_a_configuration_can_have_fewer_blocks() -> None:
    snake = oa.load("snake40")
    at_rest = blocks(MASS, snake, snake.neutral())
    assert at_rest.filled.sum() < blocks(MASS, snake).filled.sum()
    assert at_rest.source == "at the given q: what cancels there is left out"


def test_vectors_and_sums_over_bodies_are_drawn() -> None:
    quadruped = oa.load("quadruped")
    assert blocks(V, quadruped).filled.shape == (13, 1)
    assert spy(V, quadruped, numbering="paper").axes
    assert blocks(oa.dynamics.momentum, quadruped).filled.shape == (1, 1)
    assert spy(oa.dynamics.momentum, quadruped).axes


def test_large_mechanisms_are_drawn_as_one_image() -> None:
    figure = spy(phi, oa.chain(150))
    (image,) = figure.axes[0].images
    assert image.get_array().shape == (150, 150, 4)  # pyright: ignore[reportOptionalMemberAccess]


def test_it_draws_on_given_axes() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert spy(phi, oa.load("tree4"), ax=right) is figure
    assert right.texts
    assert not left.texts


@pytest.mark.parametrize(
    ("subject", "problem"),
    [
        (oa.trace(MASS), "not a matrix of blocks"),
        (oa.symbols.I, "spaces of I and 0"),
        ("φ φ*", "cannot compose"),
        (3.0, "takes a formula, not a float"),
    ],
)
def test_what_has_no_pattern_is_refused(subject: Picturable, problem: str) -> None:
    with pytest.raises(oa.errors.OperatorAlgebraError, match=problem):
        spy(subject, oa.load("tree4"))


def test_what_is_missing_is_named() -> None:
    arm = oa.load("arm7")
    with pytest.raises(InputError, match=r"Give one: spy\(e, oa.load"):
        spy(phi)
    with pytest.raises(InputError, match="needs T"):
        spy(T, arm, q=arm.neutral())
    with pytest.raises(InputError, match="Add q"):
        spy(T, arm, T=np.ones(7))
    with pytest.raises(InputError, match='"model" or "paper"'):
        spy(phi, arm, numbering="tips")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="patterns are drawn up to"):
        spy(phi, oa.chain(2001))


def test_pyplot_stays_unloaded() -> None:
    program = (
        "import sys, operator_algebra as oa\n"
        "from operator_algebra.views.spy import spy\n"
        "assert 'matplotlib' not in sys.modules\n"
        "spy(oa.symbols.phi, oa.load('tree4')).png()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
