"""Every engine that is installed at the same states of an arm, compared, interleaved: Pinocchio, MuJoCo, Drake, CasADi.

Drake and CasADi (through adam) read the arm from URDF, as a user of theirs would. Their calls are of one state each;
CasADi has a map over many.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from operator_algebra.bench.batches import TASKS, states
from operator_algebra.bench.forms import anew
from operator_algebra.bench.measure import Floats, Row, agreeing, measure, text
from operator_algebra.bench.peers import States, pinocchio
from operator_algebra.compiler import compile as compile_program
from operator_algebra.interop import mujoco
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model

_TASKS: tuple[str, ...] = ("inverse dynamics", "forward dynamics", "mass matrix")
_BATCH = 1024


@dataclass(frozen=True)
class Engine:
    """Another engine at some states: a call for all of them, and what it finds, a row each."""

    call: Callable[[], object]
    results: Floats


Made = Callable[[Model, str, Floats, Mapping[str, Floats]], Engine | None]
"""Of a model, a task, coordinates and rates; None where it has no such call."""


def _drake(model: Model, task: str, q: Floats, values: Mapping[str, Floats]) -> Engine:
    """Drake's multibody plant, its context filled state by state."""
    plant = import_module("pydrake.multibody.plant").MultibodyPlant(0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{model.name}.urdf"
        model.save(path)
        import_module("pydrake.multibody.parsing").Parser(plant).AddModels(str(path))
    plant.mutable_gravity_field().set_gravity_vector(np.array(model.gravity))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    forces = import_module("pydrake.multibody.tree").MultibodyForces(plant)
    port = plant.get_applied_generalized_force_input_port()
    port.FixValue(context, np.zeros(model.nv))
    output = plant.get_generalized_acceleration_output_port()

    def inverse_dynamics(k: int) -> Floats:
        plant.SetPositions(context, q[k])
        plant.SetVelocities(context, values["v"][k])
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, values["qdd"][k], forces)

    def forward_dynamics(k: int) -> Floats:
        plant.SetPositions(context, q[k])
        plant.SetVelocities(context, values["v"][k])
        port.FixValue(context, values["T"][k])
        return output.Eval(context)

    def mass_matrix(k: int) -> Floats:
        plant.SetPositions(context, q[k])
        return plant.CalcMassMatrix(context).reshape(-1)

    one = dict(zip(_TASKS, (inverse_dynamics, forward_dynamics, mass_matrix), strict=True))[task]
    return Engine(lambda: [one(k) for k in range(len(q))], np.array([one(k) for k in range(len(q))]))


def _casadi(model: Model, task: str, q: Floats, values: Mapping[str, Floats]) -> Engine | None:
    """CasADi's graph of adam's formulas, mapped over all states. Its base is free, so only the mass matrix is ours."""
    del values
    if task != "mass matrix":
        return None
    casadi = import_module("casadi")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{model.name}.urdf"
        model.save(path)
        gravity = np.array([*model.gravity, 0.0, 0.0, 0.0])
        made = import_module("adam.casadi").KinDynComputations(str(path), list(model.joint_names), gravity=gravity)
    angles = casadi.SX.sym("q", model.nq)
    own = made.mass_matrix(casadi.SX.eye(4), angles)[6:, 6:]
    function = casadi.Function("mass_matrix", [angles], [casadi.reshape(own, -1, 1)]).map(len(q))
    columns = casadi.DM(q.T)
    return Engine(lambda: function(columns), np.array(function(columns)).T)


def _mujoco(model: Model, task: str, q: Floats, values: Mapping[str, Floats]) -> Engine:
    """MuJoCo, its data filled state by state: more than dynamics is computed, such as contacts."""
    engine = mujoco.engine()
    made = mujoco.to_mujoco(model)
    data = engine.MjData(made)

    def inverse_dynamics(k: int) -> Floats:
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], values["v"][k], values["qdd"][k]
        engine.mj_inverse(made, data)
        return data.qfrc_inverse.copy()

    def forward_dynamics(k: int) -> Floats:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[k], values["v"][k], values["T"][k]
        engine.mj_forward(made, data)
        return data.qacc.copy()

    whole = np.zeros((model.nv, model.nv))

    def mass_matrix(k: int) -> Floats:
        data.qpos[:] = q[k]
        engine.mj_fwdPosition(made, data)
        engine.mj_fullM(made, data, whole)
        return whole.reshape(-1).copy()

    one = dict(zip(_TASKS, (inverse_dynamics, forward_dynamics, mass_matrix), strict=True))[task]
    return Engine(lambda: [one(k) for k in range(len(q))], np.array([one(k) for k in range(len(q))]))


def _pinocchio(model: Model, task: str, q: Floats, values: Mapping[str, Floats]) -> Engine | None:
    peer = pinocchio(model)
    if peer is None:
        return None
    other = States.of(peer, TASKS[task][1], q, dict(values))
    return Engine(other.batch(), other.results())


ENGINES: Mapping[str, tuple[tuple[str, ...], Made]] = {
    "Pinocchio": (("pinocchio",), _pinocchio),
    "MuJoCo": (("mujoco",), _mujoco),
    "Drake": (("pydrake",), _drake),
    "CasADi": (("casadi", "adam", "liecasadi"), _casadi),
}
"""Engines by name: what has to be installed, and how they are called."""


def compared(model: Model, task: str, count: int = _BATCH) -> Row:
    """One task at so many states by every engine that is there; a difference is an error."""
    formula, called = TASKS[task]
    q, values = states(model, count, *called.rates)
    native = anew(compile_program(formula, model))
    found = native(q=q, **values).reshape(count, -1)
    candidates: dict[str, Callable[[], object]] = {"machine code": lambda: native(q=q, **values)}
    for name, (packages, made) in ENGINES.items():
        engine = made(model, task, q, values) if all(map(find_spec, packages)) else None
        if engine is not None:
            agreeing(f"{task}, {name}", found, engine.results)
            candidates[name] = engine.call
    return measure(f"{task}, {model.name}", candidates)


def report() -> str:
    """An arm of seven joints, 1,024 states."""
    rows = [compared(load("arm7"), task) for task in _TASKS]
    return text("Engines at 1,024 states of an arm, the time of all on one thread", rows)
