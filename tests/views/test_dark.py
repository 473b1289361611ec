"""Dark pictures: the same picture in other tones, all of them readable; SVGs that follow the reader."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any

import pytest
from matplotlib.colors import to_hex, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.text import Text

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.identities.identity import Identity
from operator_algebra.markup import PALETTE
from operator_algebra.proofs.counterexample import Counterexample
from operator_algebra.proofs.refute import refute
from operator_algebra.symbols import H, M, T, inv, phi, psi
from operator_algebra.views.conditioning import conditioning
from operator_algebra.views.cost import cost
from operator_algebra.views.counterexample import counterexample
from operator_algebra.views.dependencies import dependencies
from operator_algebra.views.energy import energy
from operator_algebra.views.factors import factors
from operator_algebra.views.filter import filter as filter_view
from operator_algebra.views.flow import flow
from operator_algebra.views.ink import palette
from operator_algebra.views.ink.palette import contrast, dark, looks
from operator_algebra.views.proof import proof
from operator_algebra.views.residuals import residuals
from operator_algebra.views.robot import robot
from operator_algebra.views.scaling import scaling
from operator_algebra.views.timeline import timeline
from operator_algebra.views.tree import tree
from operator_algebra.views.vector import adaptive, inline, svg, tones
from tests.views.figures import words_of
from tests.views.test_documented import views

SOLVE = inv(H @ phi @ M @ phi.T @ H.T) @ T
TREE, DOG, SNAKE = (oa.load(name) for name in ("tree4", "quadruped", "snake40"))
FALL = oa.dynamics.forward_dynamics


@lru_cache
def checks() -> tuple[oa.Check, ...]:
    """A law and a claim that fails."""
    return tuple(oa.check(name, TREE, samples=2) for name in ("left exchange", "inv(I + H phi K) = I + H psi K"))


def fall() -> oa.Film:
    """A double pendulum for a moment."""
    return oa.simulate(oa.load("planar2r"), [0.5, 0.0], [0.0, 0.0], until=0.2)


def wrong() -> Counterexample:
    found = refute(Identity("twin", psi, phi))
    assert found is not None
    return found


DRAWN: dict[str, Callable[[bool], Figure]] = {
    "spy": lambda night: oa.spy(phi, DOG, dark=night),
    "factors": lambda night: factors(oa.dynamics.mass_matrix, DOG, dark=night),
    "flow": lambda night: flow(SOLVE, DOG, dark=night),
    "dependencies": lambda night: dependencies(SOLVE, dark=night),
    "tree": lambda night: tree(SNAKE, dark=night),
    "robot": lambda night: robot(TREE, ellipsoids=True, frames=True, dark=night),
    "timeline": lambda night: timeline(FALL, DOG, dark=night),
    "cost": lambda night: cost(FALL, DOG, dark=night),
    "scaling": lambda night: scaling(SOLVE, (4, 8), timed=False, dark=night),
    "residuals": lambda night: residuals(checks(), dark=night),
    "counterexample": lambda night: counterexample(wrong(), dark=night),
    "conditioning": lambda night: conditioning(checks(), dark=night),
    "energy": lambda night: energy(fall(), dark=night),
    "filter": lambda night: filter_view(dark=night),
    "proof": lambda night: proof(oa.prove("left exchange"), dark=night),
}


def test_every_view_has_a_dark_side() -> None:
    assert sorted(DRAWN) == views()


def artists(figure: Figure) -> Iterator[Any]:
    """All that is drawn on the axes of a figure, in one order."""
    for axes in figure.axes:
        shown: Any = axes
        yield from (*shown.texts, *shown.lines, *shown.patches)
        yield from (one for one in shown.collections if len(one.get_paths()) and one.get_array() is None)
        if shown.axison:
            yield from shown.findobj(Text)
            yield from (spine for spine in shown.spines.values() if spine.get_visible())


def colours(figure: Figure) -> Iterator[tuple[str, str]]:
    """Kind and colour of all that can be seen."""
    yield "ground", to_hex(figure.get_facecolor())
    for artist in artists(figure):
        if not getattr(artist, "get_text", lambda: "no text")():
            continue
        for name in ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"):
            unseen = name == "color" and getattr(artist, "get_linestyle", str)() == "None"  # marks without a line
            given = "none" if unseen else getattr(artist, f"get_{name}", lambda: "none")()
            for red, green, blue, opacity in to_rgba_array(given):
                if opacity:
                    yield f"{type(artist).__name__} {name}", to_hex((red, green, blue))


@pytest.mark.parametrize("name", DRAWN)
def test_a_dark_picture_is_the_light_one_in_dark_tones(name: str) -> None:
    light, night = DRAWN[name](False), DRAWN[name](True)
    assert words_of(light) == words_of(night)
    assert [(kind, dark(tone)) for kind, tone in colours(light)] == list(colours(night))


def test_letters_are_readable_on_both_cards() -> None:
    for ink in (palette.INK, palette.SOFT, palette.INWARD, palette.ALARM):
        assert contrast(ink, palette.CARD) >= 4.5
        assert contrast(dark(ink), dark(palette.CARD)) >= 4.5
    for branch in range(8):
        for ground in (palette.tint(branch), palette.strong(branch)):
            letters = palette.INK if ground == palette.tint(branch) else palette.PAPER
            assert contrast(letters, ground) >= 4
            assert contrast(dark(letters), dark(ground)) >= 4
    for look in looks(["inward", "outward", "local", "once", "walk"] * 2):
        assert contrast(look.letters, look.fill) >= 3.5
        assert contrast(dark(look.letters), dark(look.fill)) >= 3.5
    assert contrast(dark(palette.INK), dark(palette.NOW)) >= 4.5


def test_operators_keep_different_colours() -> None:
    tones = {dark(colour) for colour in PALETTE.values()}
    assert len(tones) == len(set(PALETTE.values()))
    assert all(contrast(tone, dark(palette.CARD)) >= 4.5 for tone in tones)


def test_sweeps_of_one_direction_differ_by_hatch() -> None:
    found = looks(["outward", "inward", "outward", "inward", "outward", "once"])
    assert all(a != b for a, b in combinations(found, 2))
    assert len({look.hatch for look in (found[0], found[2], found[4])}) == 3
    assert [look.stroke for look in found[:3]] == [palette.OUTWARD, palette.INWARD, palette.OUTWARD]
    cells: list[Any] = [cells for cells in timeline(FALL, DOG).axes[0].collections if len(cells.get_paths()) == DOG.n]
    assert [cell.get_hatch() for cell in cells] == [None, None, "///"]


def test_axes_of_a_caller_get_a_dark_figure() -> None:
    figure: Any = Figure(figsize=(8, 4))
    oa.spy(phi, TREE, ax=figure.subplots(), dark=True)
    assert to_hex(figure.get_facecolor()) == dark(palette.CARD)
    untouched: Any = Figure(facecolor="#abcdef")
    oa.spy(phi, TREE, ax=untouched.subplots())
    assert to_hex(untouched.get_facecolor()) == "#abcdef"


def test_dark_is_true_or_false() -> None:
    with pytest.raises(InputError, match="dark is"):
        tree(TREE, dark="yes")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", DRAWN)
def test_every_colour_of_an_svg_has_its_dark_tone(name: str) -> None:
    text = svg(DRAWN[name](False))
    sheet = tones([text])
    used = set(re.findall(r"#[0-9a-f]{6}\b", re.sub(r"data:image[^\"]+|id=\"[^\"]+\"|#[a-z]\w+\"", "", text)))
    assert used
    for colour in used:
        assert dark(colour) == colour or f'{colour}"] {{' in sheet
    assert not re.search(
        r'<g id="text_\d+">\s*(?:<!--.*?-->\s*)?<g (?!style="fill|id=)', text, re.DOTALL
    )  # black by default
    assert adaptive(text).count(sheet) == 1


def test_svgs_are_the_same_each_time_and_stand_beside_each_other() -> None:
    assert svg(tree(TREE)) == svg(tree(TREE))
    both = inline(svg(tree(TREE)), "a") + inline(svg(tree(TREE)), "b")
    ids = re.findall(r'\bid="([^"]+)"', both)
    assert len(ids) == len(set(ids))
    assert all(target in ids for target in re.findall(r'href="#([^"]+)"', both))
