"""Stages: what later ones read is kept, and nothing else changes than the order of the work."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from operator_algebra.applications import dynamics
from operator_algebra.backends.native import make
from operator_algebra.backends.native import stages as module
from operator_algebra.backends.native.emit import staged_text
from operator_algebra.backends.native.loaded import Loaded
from operator_algebra.backends.native.make import fastest, native_kernel
from operator_algebra.backends.native.stages import places, ready, stages
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.vanishing import vanishing
from tests.backends.native.machine_code import arrays_of, code, same
from tests.backends.scalar.calls import Call, random_arguments
from tests.expression_strategies import expressions
from tests.programs.test_interpreted_programs import inputs
from tests.strategies import mechanisms

pytest.importorskip("llvmlite")
SHORT = {"LONG": 20, "_SIZE": 30, "_APART": 12}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many stages of small programs."""
    for name, value in SHORT.items():
        monkeypatch.setattr(module, name, value)


def forward(name: str) -> tuple[Call, Tape]:
    model = load(name)
    program = lower(dynamics.forward_dynamics, zeros=vanishing(model))
    call = Call.of(program, model, model.random(0)[0], inputs(program, model, 0))
    return call, Tape.of(call.traced(), len(call.arguments))


@pytest.mark.parametrize("name", ["arm7", "quadruped"])
def test_what_a_later_stage_reads_is_kept(name: str) -> None:
    """Each stage by itself, with what is in memory alone, on numbers that tell what they are."""
    _, tape = forward(name)
    given = ready(tape, [len(tape.results)], 8)
    assert sorted(tile.start for tiles in given.values() for tile in tiles) == list(range(0, len(tape.results), 8))
    several = stages(tape, 64, given)
    assert len(several) > 1
    assert [(a.stop, b.start) for a, b in pairwise(several)] == [(a.stop, a.stop) for a in several[:-1]]
    assert (several[0].start, several[-1].stop) == (0, len(tape.entries))
    before = len(tape.constants) + tape.arguments + 2 * len(tape.turned)
    whole, memory, final = list(range(before + tape.rows)), dict(enumerate(range(before))), set[int]()
    for stage in several:
        own: dict[int, int] = {}
        for i in range(stage.start, stage.stop):
            entry = tape.entries[i]
            for place in (entry.a, entry.b):
                assert place < 0 or own.get(place, memory.get(place)) == whole[place]
            whole[entry.place] = own[entry.place] = before + i
            if i in stage.kept:
                memory[entry.place] = before + i
            for place in (place for tile in given.pop(i, ()) for place in tile.places):
                assert own.get(place, memory.get(place)) == whole[place]
                final.add(place)
    assert not given
    assert {place: whole[place] for place in final} == {place: whole[place] for place in tape.results}
    assert all(memory[place] == whole[place] for place in (*tape.positive, *tape.lost))
    assert sum(len(stage.kept) for stage in several) < len(tape.entries) // 2


def test_short_lists_and_those_that_would_take_too_much_memory_have_one() -> None:
    _, tape = forward("arm7")
    assert len(tape.entries) > module.LONG
    assert not stages(tape, 64 * module._ROOM // places(tape), {})  # pyright: ignore[reportPrivateUsage]
    _, short = forward("planar2r")
    assert not stages(short, 64, {})


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_any_number_of_samples(lanes: int) -> None:
    call, tape = forward("arm7")
    sizes = [len(tape.results)]
    arrays = arrays_of(call, 70)
    kernel = code(tape, [array.shape[1] for array in arrays], sizes, lanes, staged=True)
    assert "stage3" in (staged_text(tape, [array.shape[1] for array in arrays], sizes, lanes) or "")
    assert same(tape, kernel, arrays)
    _, good, (whole,) = kernel(arrays, 70)
    for count in (0, 1, 7, 8, 9, 16, 31, 32, 33, 64, 65):
        _, flags, (found,) = kernel([array[:count] for array in arrays], count)
        assert np.array_equal(found, whole[:count])
        assert np.array_equal(flags, good[:count])


@pytest.mark.usefixtures("short")
def test_flags_are_those_of_samples() -> None:
    """What is not finite, or an angle that is far away, is told of its sample alone, wherever it stands."""
    call, tape = forward("arm7")
    arrays = arrays_of(call, 40)
    for k, bad in ((0, np.nan), (13, np.inf), (39, 1e9)):
        arrays[0][k, 2] = bad
    kernel = code(tape, [array.shape[1] for array in arrays], [len(tape.results)], staged=True)
    whole, good, _ = kernel(arrays, 40)
    assert not whole
    assert np.flatnonzero(~good).tolist() == [0, 13, 39]


class Clock:
    """Ticks that are longer for some calls than for others."""

    def __init__(self, *lengths: float) -> None:
        self.lengths, self.now, self.asked = lengths, 0.0, 0

    def __call__(self) -> float:
        if self.asked % 2:
            self.now += self.lengths[self.asked // 2 % len(self.lengths)]
        self.asked += 1
        return self.now


def test_the_faster_form_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    call, tape = forward("arm7")
    arrays = arrays_of(call, 9)
    several = [
        code(tape, [array.shape[1] for array in arrays], [len(tape.results)], staged=staged) for staged in (False, True)
    ]
    for lengths, chosen in (((2.0, 1.0), 1), ((1.0, 2.0), 0), ((1.0, 1.0), 0)):
        monkeypatch.setattr(make, "perf_counter", Clock(*lengths))
        assert fastest(several) is several[chosen]
    assert fastest(several[1:]) is several[1]
    assert fastest([]) is None
    one, other = (kernel(arrays, 9).results[0] for kernel in several)
    assert np.array_equal(one, other)


@pytest.mark.parametrize(("clear", "made"), [(0, 1), (10**6, 2)])
def test_of_very_long_lists_there_is_one_form(clear: int, made: int, monkeypatch: pytest.MonkeyPatch) -> None:
    call, tape = forward("arm7")
    arrays, texts = arrays_of(call, 9), list[str]()
    plain = make.code_of

    def code_of(text: str, *, make: bool) -> Loaded | None:
        texts.append(text)
        return plain(text, make=make)

    monkeypatch.setattr(make, "_CLEAR", clear)
    monkeypatch.setattr(make, "code_of", code_of)
    kernel = native_kernel(tape, [array.shape[1] for array in arrays], [len(tape.results)])
    assert kernel is not None
    assert same(tape, kernel, arrays)
    assert len(texts) == made
    assert "stage3" in texts[-1]


@pytest.mark.usefixtures("short")
@given(expressions(), mechanisms(armature=True, max_bodies=4), st.integers(0, 2**20))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_formulas(e: Expr, model: Model, seed: int) -> None:
    call = Call.of(lower(e), model, *random_arguments(e, model, seed))
    tape, arrays = Tape.of(call.traced_if_it_can_be(), len(call.arguments)), arrays_of(call, 19, seed)
    assume(module.LONG < len(tape.entries) < 3000 and not any(entry.operation == "log" for entry in tape.entries))
    assert same(tape, code(tape, [array.shape[1] for array in arrays], [len(tape.results)], staged=True), arrays)
