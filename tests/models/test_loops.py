"""Loops of a model: kept, compared, written and read, and refused with all that is wrong with them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.checking.suite import LOOPED
from operator_algebra.errors import ModelError, OperatorAlgebraWarning
from operator_algebra.models.loops import DIRECTIONS, Loop
from operator_algebra.models.model import Frame, Model

ARM = oa.load("planar2r")
FRAMES = {"wall": Frame(None), "tip": Frame("lower"), "grip": Frame("lower"), "knee": Frame("upper")}
PIN = Loop("pin", "wall", "tip", ("x", "z"))


def held(*loops: Any) -> Model:
    """The arm with loops."""
    return Model(name="held", bodies=ARM.bodies, frames=FRAMES, loops=loops)


def test_loops_belong_to_the_value_of_a_model() -> None:
    model = held(PIN)
    assert model.loops == (PIN,)
    assert model == held(Loop("pin", "wall", "tip", ["x", "z"]))  # type: ignore[arg-type]
    others = [held(), held(replace(PIN, locked=("x",))), held(replace(PIN, at="tip")), held(replace(PIN, name="pins"))]
    assert all(other != model and other.digest != model.digest for other in others)
    assert held().digest == Model(name="held", bodies=ARM.bodies, frames=FRAMES).digest
    assert pickle.loads(pickle.dumps(model)) == model
    assert repr(model).endswith("fixed base   1 loop")
    assert repr(held(PIN, replace(PIN, name="other"))).endswith("   2 loops")


names = st.text(min_size=1, max_size=8).filter(lambda text: bool(text.strip()) and text.isprintable())
locks = st.lists(st.sampled_from(DIRECTIONS), min_size=1, unique=True).map(tuple)


@given(names, locks, st.sampled_from(["tip", "grip", "knee"]), st.sampled_from([None, *FRAMES]))
@settings(max_examples=25)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, name: str, locked: tuple[str, ...], second: str, at: str | None
) -> None:
    model = held(Loop(name, "wall", second, locked, at), Loop(f"{name} 2", "tip", "knee", ("rx", "z")))
    path = tmp_path_factory.mktemp("toml") / "held.toml"
    model.save(path)
    again = oa.load(path)
    assert again == model
    assert again.digest == model.digest


def test_urdf_has_no_place_for_them(tmp_path: Path) -> None:
    with pytest.warns(OperatorAlgebraWarning, match="URDF has no place for loops"):
        held(PIN).save(tmp_path / "held.urdf")


WRONG = [
    ({"name": ""}, "the name is no printable text: ''"),
    ({"first": "walll"}, "first is 'walll', which is no frame. There are wall, tip, grip, knee"),
    ({"at": "nowhere"}, "at is 'nowhere', which is no frame"),
    ({"first": "grip"}, 'both frames are on the body "lower", where nothing moves between them'),
    ({"first": "tip"}, 'both frames are on the body "lower"'),
    ({"second": "wall"}, "both frames are on the ground"),
    ({"locked": ()}, "nothing is locked"),
    ({"locked": ("x", "yaw")}, "'yaw' is no direction. There are rx, ry, rz, x, y, z"),
    ({"locked": ("x", "x")}, "a direction is locked twice"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_each_slip_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        held(replace(PIN, **changes))
    assert message in str(caught.value)
    assert str(caught.value).startswith('model "held", loop ')


def test_all_slips_are_told_together() -> None:
    with pytest.raises(ModelError) as caught:
        held(PIN, PIN, replace(PIN, name="b", first="x"), replace(PIN, name="c", locked=()), "pin")
    text = str(caught.value)
    assert len(text.splitlines()) == 4
    assert 'two loops are called "pin"' in text
    assert "'pin' is not a Loop. Make one with oa.Loop." in text
    with pytest.raises(ModelError, match="Give a list of directions"):
        Loop("pin", "wall", "tip", "x")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"Give a list of oa\.Loop"):
        Model(name="held", bodies=ARM.bodies, loops=3)  # type: ignore[arg-type]


def test_the_suite_knows_which_of_the_gallery_have_loops() -> None:
    assert [name for name in oa.available() if oa.load(name).loops] == list(LOOPED)
