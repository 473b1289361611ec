"""Dynamics of many states in one call, as machine code and without it, beside another engine at the same states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operator_algebra.applications import dynamics
from operator_algebra.bench.forms import anew
from operator_algebra.bench.measure import Floats, Row, agreeing, measure, text
from operator_algebra.bench.peers import (
    FORWARD_DYNAMICS,
    INVERSE,
    INVERSE_DYNAMICS,
    MASS_MATRIX,
    Called,
    States,
    pinocchio,
)
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model

SIZES = (1, 1024, 16384)
MECHANISMS = ("arm7", "humanoid")
TASKS: dict[str, tuple[Expr | Query, Called]] = {
    "inverse dynamics": (dynamics.inverse_dynamics, INVERSE_DYNAMICS),
    "forward dynamics": (dynamics.forward_dynamics, FORWARD_DYNAMICS),
    "mass matrix": (dense(dynamics.mass_matrix), MASS_MATRIX),
    "inverse mass matrix": (dense(inv(dynamics.mass_matrix)), INVERSE),
}


def states(model: Model, count: int, *names: str) -> tuple[Floats, dict[str, Any]]:
    """Random coordinates, and random numbers for what is named."""
    rng = np.random.default_rng(0)
    q = model.integrate(model.neutral(), rng.standard_normal((count, model.nv)))
    return np.asarray(q), {name: rng.standard_normal((count, model.nv)) for name in names}


def batch(model: Model, task: str, count: int, *, plain: bool = True) -> Row:
    """One task at so many states: whole calls by keywords, beside Pinocchio's own way to many states."""
    formula, called = TASKS[task]
    case = f"{model.name}, {task}, {count}"
    q, values = states(model, count, *called.rates)
    native = anew(compile_program(formula, model))
    result = native(q=q, **values).reshape(count, -1)
    candidates: dict[str, Callable[[], object]] = {"machine code": lambda: native(q=q, **values)}
    if plain:
        without = anew(native, "never")
        candidates["NumPy calls"] = lambda: without(q=q, **values)
        agreeing(case, result, without(q=q, **values).reshape(count, -1), inverse=called is INVERSE)
    peer = pinocchio(model)
    if peer is not None:
        other = States.of(peer, called, q, values)
        agreeing(case, result, other.results(), inverse=called is INVERSE)
        candidates["Pinocchio"] = other.batch()
    return measure(case, candidates)


def report() -> str:
    """Four tasks on two robots in batches of growing size, on one thread."""
    rows = [batch(load(name), task, count) for name in MECHANISMS for task in TASKS for count in SIZES]
    return text("Batches of states, the time of the whole batch on one thread", rows)
