"""The central property: what is compiled computes what the formula means."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import SingularError
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.lower import lower
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Axes
from tests.expression_strategies import expressions, inputs_for
from tests.lowering.agreement import agreement, bound, dense, distance, sample
from tests.strategies import mechanisms

frames = st.sampled_from(["body", "world"])
seeds = st.integers(0, 2**20)


def with_rates(e: Expr, model: Model, values: dict[str, Any], seed: int) -> dict[str, Any]:
    """The inputs, and v where the formula differentiates the joint map."""
    if any(symbol.name == "H_dot" for symbol in free_symbols(e)):
        values.setdefault("v", model.random(seed)[1])
    return values


@given(expressions(), mechanisms(armature=True, max_bodies=6), seeds, frames)
@settings(max_examples=300)
def test_compiled_is_evaluated(e: Expr, model: Model, seed: int, frame: Axes) -> None:
    values = with_rates(e, model, dict(inputs_for(e, model, seed)), seed)
    q, _ = model.random(seed)
    try:
        scaled = evaluate_with_scale(e, model, q=q, frame=frame, **values)
    except SingularError:  # beyond rounding: there is no value to compare with
        reject()
    found = agreement(e, model, q=q, frame=frame, scaled=scaled, **values)
    assert found.error <= found.bound


@given(expressions(depth=2), mechanisms(max_bodies=5), st.lists(seeds, min_size=1, max_size=3), frames)
@settings(max_examples=60)
def test_leading_axes_are_a_batch(e: Expr, model: Model, samples: list[int], frame: Axes) -> None:
    values = [with_rates(e, model, dict(inputs_for(e, model, seed)), seed) for seed in samples]
    configurations = [model.random(seed)[0] for seed in samples]
    stacked: dict[str, Any] = {name: np.stack([np.asarray(value[name]) for value in values]) for name in values[0]}
    compiled = compile_program(e, model, frame=frame)
    result = compiled(q=np.stack(configurations), **stacked)
    for index, (q, given_values) in enumerate(zip(configurations, values, strict=True)):
        expected = evaluate_with_scale(e, model, q=q, frame=frame, **given_values)
        one = dense(sample(result, index))
        assert distance(one, expected) <= bound(expected)


@given(expressions())
@settings(max_examples=60)
def test_a_program_depends_on_the_formula_alone(e: Expr) -> None:
    program = lower(e)
    assert lower(e).pseudocode() == program.pseudocode()
    assert set(program.inputs) <= {symbol.name for symbol in program.accepts}
