"""A sample has the same bits in a batch of any shape: alone, among others, in any order and in any piece of it."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends import chunks
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, SingularError
from operator_algebra.expressions.build import diag, inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.lower import Method
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Axes
from tests.expression_strategies import expressions, inputs_for
from tests.strategies import ALL_JOINTS, mechanisms

MODELS = (
    chain(5, seed=1),
    chain(30),
    random_tree(9, joints=ALL_JOINTS, branching=0.5, seed=2),
    random_tree(12, joints=("revolute", "spherical"), branching=0.9, seed=4),
)
FORMULAS: dict[str, Expr | Query] = {
    "forward dynamics": dynamics.forward_dynamics,
    "inverse dynamics": dynamics.inverse_dynamics,
    "mass matrix": dynamics.mass_matrix,
    "articulated inertia": s.P,
    "pivots": s.D,
    "poses": s.X_abs,
    "energy": dynamics.kinetic_energy,
    "momentum": dynamics.momentum,
    "log-determinant": logdet(dynamics.mass_matrix),
    "trace": trace(dynamics.mass_matrix),
    "diagonal": diag(inv(dynamics.mass_matrix)),
    "block": block(inv(dynamics.mass_matrix), 0, 2),
    "matrix": dense(inv(dynamics.mass_matrix)),
}
COUNT = 12


def pieces(result: Any) -> list[Any]:
    return cast("list[Any]", result) if isinstance(result, list) else [result]


def same(found: Any, expected: Any, place: Any) -> bool:
    """Whether results have the bits of the samples at some places of others."""
    pairs = zip(pieces(found), pieces(expected), strict=True)
    return all(np.array_equal(one, all_[place]) for one, all_ in pairs)


def check(run: Any, values: dict[str, Any]) -> None:
    """Compare a batch with its samples, parts, orders and shapes."""
    together = run(**values)
    places: list[Any] = [3, slice(3, 4), slice(0, 2), slice(5, 12), slice(None, None, -1), [7, 7, 1]]
    for place in places:
        assert same(run(**{name: value[place] for name, value in values.items()}), together, place)
    square = run(**{name: value.reshape(3, 4, *value.shape[1:]) for name, value in values.items()})
    for k in range(COUNT):
        assert all(
            np.array_equal(a[k // 4, k % 4], b[k]) for a, b in zip(pieces(square), pieces(together), strict=True)
        )


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("frame", ["body", "world"])
def test_batches_of_any_shape(name: str, frame: Axes) -> None:
    rng = np.random.default_rng(0)
    for model in MODELS:
        run = compile_program(FORMULAS[name], model, frame=frame)
        values = {"q": np.stack([model.random(k)[0] for k in range(COUNT)])}
        values |= {x: rng.standard_normal((COUNT, model.nv)) for x in run.inputs if x != "f_ext"}
        check(run, values)


@pytest.mark.parametrize("method", ["joseph", "refined", "orthogonal"])
def test_every_method(method: Method) -> None:
    model = MODELS[3]
    rng = np.random.default_rng(0)
    values = {name: rng.standard_normal((COUNT, model.nv)) for name in ("v", "T")}
    values["q"] = np.stack([model.random(k)[0] for k in range(COUNT)])
    check(compile_program(dynamics.forward_dynamics, model, method=method), values)


def test_arguments_that_are_the_same_for_all_samples() -> None:
    for model in MODELS:
        run = compile_program(dynamics.forward_dynamics, model)
        q, _ = model.random(0)
        v, T = np.random.default_rng(0).standard_normal((2, COUNT, model.nv))
        wide = run(q=np.broadcast_to(q, (COUNT, model.nq)), v=v, T=T)
        for narrow in (q, q[None]):
            assert np.array_equal(run(q=narrow, v=v, T=T), wide)
        assert np.array_equal(run(q=q, v=v[:, None], T=T)[:, 0], run(q=q, v=v, T=T[0]))
        assert np.array_equal(run(q=q, v=v[0], T=T[0]), wide[0])


def test_pieces_of_a_long_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    model = MODELS[2]
    values: dict[str, Any] = {name: np.random.default_rng(0).standard_normal((COUNT, model.nv)) for name in ("v", "T")}
    values["q"] = np.stack([model.random(k)[0] for k in range(COUNT)])
    run = compile_program(dynamics.forward_dynamics, model)
    whole = run(**values)
    for most in (1, 2 * model.n, 5 * model.n):
        monkeypatch.setattr(chunks, "BODIES_AT_ONCE", most)
        assert np.array_equal(run(**values), whole)


@given(
    expressions(), mechanisms(armature=True, max_bodies=5), st.integers(0, 2**20), st.sampled_from(["body", "world"])
)
@settings(max_examples=60)
def test_random_expressions(e: Expr, model: Model, seed: int, frame: Axes) -> None:
    rows = [dict(inputs_for(e, model, seed + k)) for k in range(COUNT)]
    if any(symbol.name == "H_dot" for symbol in free_symbols(e)):
        rows = [{"v": model.random(seed + k)[1], **row} for k, row in enumerate(rows)]
    values: dict[str, Any] = {name: np.stack([np.asarray(row[name]) for row in rows]) for name in rows[0]}
    values["q"] = np.stack([model.random(seed + k)[0] for k in range(COUNT)])
    try:
        check(compile_program(e, model, frame=frame), values)
    except (SingularError, InputError):  # nothing to compare
        return
