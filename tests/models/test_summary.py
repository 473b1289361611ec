"""How models show themselves."""

from html.parser import HTMLParser

import pytest
from hypothesis import given

from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import available, load
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from tests.strategies import mechanisms


class Balance(HTMLParser):
    """Counts that every element is closed, and collects names and addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.open.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "style")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_line_names_what_matters() -> None:
    assert repr(load("tree4")) == (
        "Model tree4   4 bodies   2 revolute, 1 prismatic, 1 spherical   nq 7, nv 6   fixed base"
    )
    assert repr(load("pendulum")) == "Model pendulum   1 body   1 revolute   nq 1, nv 1   fixed base"
    assert repr(load("quadruped")).endswith("nq 19, nv 18   floating base")


def test_the_tree_has_one_line_for_each_body() -> None:
    assert str(load("tree4")).splitlines()[1:] == [
        "ground",
        "└─ stem           turn, revolute      3 kg",
        "   └─ fork        tilt, revolute      2 kg",
        "      ├─ slider   slide, prismatic    1 kg",
        "      └─ ball     socket, spherical   1.5 kg",
    ]


@given(mechanisms())
def test_lines_are_short(model: Model) -> None:
    assert len(repr(model)) <= 100
    assert "\n" not in repr(model)
    assert len(str(model).splitlines()) == model.n + 2


def test_long_names_and_many_kinds_still_fit() -> None:
    ball = Inertia.sphere(1.0, 0.1, com=(0.1, 0.05, 0))
    long = Model(name="x" * 500, bodies=[Body("y" * 500, None, Joint.floating(), inertia=ball)])
    assert len(repr(long)) <= 100
    assert max(map(len, str(long).splitlines())) <= 130
    assert len(long._repr_html_()) < 30_000  # pyright: ignore[reportPrivateUsage]


def test_forests_say_what_their_bases_do() -> None:
    ball = Inertia.sphere(1.0, 0.1, com=(0.1, 0.05, 0))
    floating, turning = Body("a", None, Joint.floating(), inertia=ball), Body("b", None, Joint.revolute(), inertia=ball)
    assert repr(Model(bodies=[floating, turning])).endswith("2 bases, 1 floating")
    assert repr(Model(bodies=[turning, Body("c", None, Joint.revolute(), inertia=ball)])).endswith("2 fixed bases")


@pytest.mark.parametrize("model", [*available(), "deep", "wide", "evil"])
def test_html_is_one_small_closed_fragment(model: str) -> None:
    ball = Inertia.sphere(1.0, 0.1, com=(0.1, 0.05, 0))
    evil = Body("<script>", None, Joint.revolute(name="</td>"), inertia=ball)
    special = {
        "deep": lambda: chain(5000),
        "wide": lambda: random_tree(64, branching=1.0, seed=0),
        "evil": lambda: Model(name="<b>&'\"", bodies=[evil]),
    }
    text = (special[model]() if model in special else load(model))._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert len(text.encode()) <= 30_000
    parser = Balance()
    parser.feed(text)
    assert not parser.open
    assert not parser.addresses
    assert not parser.seen & {"script", "link", "style", "b", "img"}
    assert text.count("<details open>") == 1


def test_deep_trees_stay_narrow_and_finite() -> None:
    lines = str(chain(100_000)).splitlines()
    assert len(lines) < 300
    assert max(map(len, lines)) < 140
    assert lines[-1] == "… 99800 bodies more"
