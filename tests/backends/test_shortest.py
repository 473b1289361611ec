"""Of the forms of a program generated code takes the shortest on the mechanism at hand; all of them are right there."""

from __future__ import annotations

from typing import Any

import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends.loops import pieces
from operator_algebra.backends.loops.limits import EVERYWHERE
from operator_algebra.backends.loops.pieces import cut
from operator_algebra.backends.native.machine import machine
from operator_algebra.backends.scalar import trace as tracing
from operator_algebra.backends.scalar.graph import operations
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.traced import Traced, shortest
from operator_algebra.expressions.build import define
from operator_algebra.lowering.lower import for_numbers, lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.program import Program
from tests.backends.loops.as_loops import agrees, in_loops
from tests.backends.scalar.calls import Call
from tests.backends.test_forms import Case, all_forms_agree
from tests.programs.test_interpreted_programs import inputs
from tests.strategies import ALL_JOINTS

MOVED = define("moved", dynamics.forward_dynamics)
TREES = [random_tree(5, joints=ALL_JOINTS, seed=seed) for seed in (2, 6)]


def call(model: Model) -> Call:
    """Forward dynamics at random arguments."""
    program = lower(MOVED, zeros=vanishing(model))
    return Call.of(program, model, model.random(1)[0], inputs(program, model, 3))


def only(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    """One form and no other."""

    def one(program: Program) -> tuple[Program, ...]:
        return (for_numbers(program)[place],)

    monkeypatch.setattr(tracing, "for_numbers", one)
    monkeypatch.setattr(pieces, "for_numbers", one)


def each(monkeypatch: pytest.MonkeyPatch, made: Any) -> list[Any]:
    """What is made of the first form, of the second, and of both."""
    found: list[Any] = []
    for place in (0, 1):
        with monkeypatch.context() as patch:
            only(patch, place)
            found.append(made())
    return [*found, made()]


def length(traced: Traced) -> int:
    return sum(operations(traced.entries).values())


@pytest.mark.parametrize(
    ("model", "saved"),
    [
        (chain(6), 0.1),
        (chain(6, joint="spherical"), 0.03),
        (load("arm7"), 0.1),
        (load("quadruped"), 0.05),
        (random_tree(6, joints=["revolute"], seed=0), 0.01),
        (chain(6, joint="translation"), 0.0),
        (chain(6, joint="prismatic", seed=1), 0.0),
    ],
    ids=lambda x: x.name if isinstance(x, Model) else "",
)
def test_the_shorter_form_is_taken(model: Model, saved: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Known motions apart, where joints turn; where they slide, an inertia meets little anyway."""
    first, second, taken = map(length, each(monkeypatch, call(model).traced))
    assert taken == (second if saved else first) == min(first, second)
    assert first - taken >= saved * first


@pytest.mark.parametrize(("joint", "saved"), [("revolute", 0.1), ("spherical", 0.03), ("translation", 0.0)])
def test_so_do_loops(joint: str, saved: float, monkeypatch: pytest.MonkeyPatch) -> None:
    one = call(chain(70, joint=joint))

    def made() -> int:
        return cut(one.program, one.model, Signature.of(one.inputs), limits=EVERYWHERE).length()

    first, second, taken = each(monkeypatch, made)
    assert taken == (second if saved else first) == min(first, second)
    assert first - taken >= saved * first


@pytest.mark.parametrize("model", TREES, ids=lambda model: model.name)
def test_known_motions_apart_are_right_on_every_kind_of_joint(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """As single operations in all their forms, and as loops."""
    only(monkeypatch, 1)
    program = lower(MOVED, zeros=vanishing(model))
    case = Case(program, model, model.random(2)[0], inputs(program, model, 3))
    all_forms_agree(case)
    if machine() is None:
        return
    made = in_loops(case)
    assert not isinstance(made, str)
    assert agrees(case, made)


def test_lengths_decide_if_one_is_clearly_less() -> None:
    lengths = {"first": 1000, "second": 995, "third": 900}
    assert shortest(["first", "second"], lengths.__getitem__) == "first"
    assert shortest(["first", "second", "third"], lengths.__getitem__) == "third"
    assert shortest(["second", "first"], lengths.__getitem__) == "second"


def test_one_form_is_not_counted() -> None:
    def never(_: str) -> int:
        raise AssertionError

    assert shortest(["first"], never) == "first"
