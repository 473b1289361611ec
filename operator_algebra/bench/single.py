"""What is asked of a mechanism at one state: the derived programs, dense algebra, Pinocchio, MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from operator_algebra.applications import dynamics
from operator_algebra.bench.batches import TASKS, states
from operator_algebra.bench.forms import anew
from operator_algebra.bench.measure import Row, agreeing, measure, text
from operator_algebra.bench.peers import INVERSE, States, pinocchio
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import ModelError
from operator_algebra.expressions.query import dense
from operator_algebra.interop import mujoco
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model

MECHANISMS = ("pendulum", "arm7", "quadruped", "humanoid", "snake40")
_WARM = 200  # calls, after which single states are computed by a Python function


def _row(model: Model, task: str) -> Row:
    formula, called = TASKS[task]
    case = f"{model.name}, {task}"
    many, several = states(model, 1, *called.rates)
    q, values = many[0], {name: value[0] for name, value in several.items()}
    compiled = compile_program(formula, model)
    native, python = anew(compiled), anew(compiled, "never")
    found = np.asarray(native(q=q, **values)).reshape(1, -1)
    bound, out = None, np.empty_like(native(q=q, **values))
    bound = native.bind(q=q, out=out, **values)
    bound()
    bound()
    candidates: dict[str, Callable[[], object]] = {
        "machine code": lambda: native(q=q, **values),
        "bound": bound,
        "Python function": lambda: python(q=q, **values),
    }
    for _ in range(_WARM):
        python(q=q, **values)
    agreeing(case, np.asarray(python(q=q, **values)).reshape(1, -1), found, inverse=called is INVERSE)
    if task == "forward dynamics":
        candidates["dense solve"] = _dense(model, q, values)
    peer = pinocchio(model)
    if peer is not None:
        other = States.of(peer, called, many, several)
        agreeing(case, found, other.results(), inverse=called is INVERSE)
        candidates["Pinocchio"] = other.one()
    engine = _mujoco(model, task)
    if engine is not None:
        candidates["MuJoCo"] = engine
    return measure(case, candidates, seconds=0.2)


def _dense(model: Model, q: np.ndarray, values: dict[str, np.ndarray]) -> Callable[[], object]:
    mass = anew(compile_program(dense(dynamics.mass_matrix), model), "never")
    bias = anew(compile_program(dynamics.bias, model), "never")
    for _ in range(_WARM):
        mass(q=q)
        bias(q=q, v=values["v"])
    return lambda: np.linalg.solve(np.asarray(mass(q=q)), values["T"] - np.asarray(bias(q=q, v=values["v"])))


def _mujoco(model: Model, task: str) -> Callable[[], object] | None:
    """MuJoCo's inverse and forward dynamics at a state of its own: it does more, such as looking for contacts."""
    calls = {"inverse dynamics": "mj_inverse", "forward dynamics": "mj_forward"}
    if task not in calls or find_spec("mujoco") is None:
        return None
    try:
        made = mujoco.to_mujoco(model)
    except ModelError:
        return None
    engine = mujoco.engine()
    data, function = engine.MjData(made), getattr(engine, calls[task])
    return lambda: function(made, data)


def report() -> str:
    """Each task on each mechanism."""
    rows = [_row(load(name), task) for name in MECHANISMS for task in TASKS]
    return text("One state a call", rows)
