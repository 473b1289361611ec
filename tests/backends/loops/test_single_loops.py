"""Loops in single precision: double precision with more rounding, to the bit in any batch, twice as many lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends.loops.limits import EVERYWHERE
from operator_algebra.backends.loops.pairs import PairKernel
from operator_algebra.backends.loops.run import LoopKernel
from operator_algebra.backends.scalar.precision import SINGLE
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.query import dense
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from tests.backends.loops.called import executable, swinging, told
from tests.backends.loops.test_weights import call_of
from tests.backends.loops.trees import LONG, several
from tests.backends.native.test_single import WIDER, bits, single, state
from tests.fences import CAN, fenced
from tests.oracles.recursive_dynamics import mass_matrix
from tests.rounding import condition, rounding, size

pytest.importorskip("llvmlite")
FORWARD, INVERSE, MASS = dynamics.forward_dynamics, dynamics.inverse_dynamics, dense(dynamics.mass_matrix)
MODELS = {"chain": chain(LONG), "oblique": chain(70, seed=1), "trees": several(5, LONG + 40, ["revolute"])}


def run_in(compiled: Any) -> set[tuple[type, str]]:
    return {(type(kernel), kernel.kind.name) for kernel in executable(compiled).kernels}


@pytest.mark.parametrize("where", MODELS)
def test_they_are_double_precision_with_more_rounding(where: str) -> None:
    model = MODELS[where]
    given = state(model, (5,), "v", "qdd")
    T = {"q": given["q"], "v": given["v"], "T": given["qdd"]}
    inertia = [mass_matrix(model, q.astype(float)) for q in given["q"]]
    worst, weight = max(map(condition, inertia)), size(*inertia)
    reach = model.depth * weight * size(*given.values()) ** 2
    for e, values, terms, cond, kind in (
        (INVERSE, given, reach, 1.0, LoopKernel),
        (FORWARD, T, reach / weight, worst, LoopKernel),
        (MASS, {"q": given["q"]}, weight, 1.0, PairKernel),
    ):
        compiled = single(e, model)
        found, wanted = compiled(**values), compile_program(e, model, backend="interpreter")(**values)
        assert run_in(compiled) == {(kind, "float32")}
        assert found.dtype == np.float32
        allowed = WIDER * rounding(size(wanted) + terms, terms=model.n, condition=cond)
        assert size(found - wanted) <= allowed


def test_digits_are_those_of_single_precision() -> None:
    """Whatever the length, rounding of a chain of hinges leaves six digits of the largest entries."""
    for n in (64, 300):
        model = chain(n, seed=1)
        given = state(model, (40,), "v", "qdd")
        for e, values in ((INVERSE, given), (FORWARD, {**given, "T": given["qdd"]})):
            own = {name: x for name, x in values.items() if name != ("T" if e is INVERSE else "qdd")}
            found, wanted = single(e, model)(**own), compile_program(e, model)(**own)
            each = np.abs(found - wanted).max(axis=1) / np.abs(wanted).max(axis=1)
            assert np.median(each) < 16 * np.finfo(np.float32).eps


def rows(model: Model, count: int) -> tuple[LoopKernel, list[Any]]:
    call = call_of(model, count)
    made = LoopKernel(call.program, model, Signature.of(call.inputs), EVERYWHERE, SINGLE)
    return made, [array.astype(np.float32) for array in (call.q, call.inputs.values["T"].entries)]


def test_any_number_of_samples_has_the_same_bits() -> None:
    """With columns of rounding in some lanes, of which there are more than bits in a byte."""
    for model in (random_tree(12, joints=["revolute", "fixed"], mass_spread=3.0, seed=3), chain(24, seed=1)):
        made, given = rows(model, 37)
        _, good, (whole,) = made.batch(given, 37)
        assert good.sum() > 0
        for count in range(38):
            own = [fenced(array[:count], before=bool(count % 2)) if CAN and count else array[:count] for array in given]
            _, flags, (found,) = made.batch(own, count)
            assert np.array_equal(flags, good[:count])
            assert np.array_equal(bits(found[flags]), bits(whole[:count][flags]))
        for k in range(37):
            _, flags, (alone,) = made.batch([array[k : k + 1] for array in given], 1)
            assert flags[0] == good[k]
            assert not flags[0] or np.array_equal(bits(alone[0]), bits(whole[k]))
        assert made.single([x for array in given for x in array[0].tolist()]) is not None or not good[0]


def test_what_is_doubtful_is_computed_in_double_precision() -> None:
    model = swinging(150)
    given = state(model, (4,), "v", "T")
    given["q"][1, 1] = 0.0  # on the axis
    given["q"][2, 5] = 2e4  # further than its sines reach
    found, message = told(lambda: single(FORWARD, model)(**given))
    expected, said = told(lambda: compile_program(FORWARD, model, backend="interpreter")(**given))
    assert message == said
    assert np.isnan(found[1]).all()
    assert np.array_equal(bits(found[2]), bits(expected[2].astype(np.float32)))
