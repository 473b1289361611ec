"""The work that is timed, group by group: robots, formulas, states, and what each figure must reach."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import numpy as np

from operator_algebra.applications import dynamics, task_space
from operator_algebra.backends.native.machine import machine
from operator_algebra.bench.batches import TASKS, batch, states
from operator_algebra.bench.forms import anew, counted
from operator_algebra.bench.fresh import output_of
from operator_algebra.bench.goals import Figure, faster, share
from operator_algebra.bench.long_chains import long_chains, seconds_of
from operator_algebra.bench.measure import Floats, Row, agreeing, measure
from operator_algebra.bench.peers import FORWARD_DYNAMICS, INVERSE, Called, States, pinocchio
from operator_algebra.bench.variants import single_precision, two_threads
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraWarning
from operator_algebra.expressions.build import diag, inv
from operator_algebra.expressions.query import dense
from operator_algebra.models.changes import remade
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model

_ROUNDS = 3
_BATCH = 1024
_ROBOTS = {"7 joints": "arm7", "18 freedoms": "quadruped", "37 freedoms": "humanoid"}

# Work, robot, and the floor and goal of its ratio; behind them, those of processors with full registers of 512 bits.
_DYNAMICS = (
    ("inverse dynamics", "7 joints", (34, 40), (40, 48)),
    ("forward dynamics", "7 joints", (34, 43), (38, 46)),
    ("inverse dynamics", "37 freedoms", (26, 31), (30, 38)),
    ("forward dynamics", "37 freedoms", (25, 31), (28, 37)),
    ("inverse dynamics", "100-body chain", (30, 34), (30, 37)),
    ("forward dynamics", "100-body chain", (20, 27), (28, 34)),
    ("inverse dynamics", "100-body tree", (15, 20), (15, 20)),
    ("forward dynamics", "100-body tree", (12, 16), (12, 16)),
)
_MATRICES = (
    ("mass matrix", "7 joints", 35, 42),
    ("mass matrix", "18 freedoms", 25, 31),
    ("mass matrix", "37 freedoms", 15, 20),
    ("inverse mass matrix", "7 joints", 35, 46),
    ("inverse mass matrix", "18 freedoms", 17, 23),
    ("inverse mass matrix", "37 freedoms", 8, 10.5),
)
_DIAGONAL = (("7 joints", 30, 38), ("37 freedoms", 22, 28))

_FILES = {"panda": "panda_description/urdf/panda.urdf", "talos": "talos_data/robots/talos_reduced.urdf"}
_COUNTS: Mapping[str, tuple[tuple[str, float, float], ...]] = {
    "panda": (
        ("inverse dynamics", 1085, 1033),
        ("forward dynamics", 1870, 1756),
        ("mass matrix", 840, 801),
        ("diagonal", 1670, 1526),
        ("inverse mass matrix", 1200, 1143),
    ),
    "talos": (
        ("inverse dynamics", 6350, 6026),
        ("forward dynamics", 11400, 10665),
        ("mass matrix", 6600, 5892),
        ("diagonal", 11700, 10549),
        ("inverse mass matrix", 22800, 21700),
    ),
}


def _robot(name: str) -> Model:
    match name:
        case "100-body chain":
            return chain(100, seed=0)
        case "100-body tree":  # of joints that Pinocchio has; of many trees one on which its digits agree
            return random_tree(100, joints=("revolute", "prismatic", "spherical"), seed=3)
        case _:
            return load(_ROBOTS[name])


def _ratios(group: str, rows: tuple[tuple[str, str, float, float], ...]) -> list[Figure]:
    found: list[Figure] = []
    for task, robot, floor, goal in rows:
        rounds = [batch(_robot(robot), task, _BATCH, plain=False) for _ in range(_ROUNDS)]
        if "Pinocchio" in rounds[0].seconds:
            found.append(faster(group, f"{task}, {robot}", rounds, "machine code", "Pinocchio", floor, goal))
    return found


def dynamics_in_batches() -> list[Figure]:
    """Inverse and forward dynamics of 1,024 states by keywords, over Pinocchio's own call for many."""
    here = machine()
    wide = here is not None and here.lanes == 8 and here.processor != "znver4"  # whose registers are halves
    rows = tuple((task, robot, *(full if wide else half)) for task, robot, half, full in _DYNAMICS)
    return _ratios("Dynamics, 1,024 states in a call", rows)


def matrices_in_batches() -> list[Figure]:
    """The mass matrix and its inverse, over a call of Pinocchio for each state: it has none for many."""
    group = "Matrices, 1,024 states in a call"
    found = _ratios(group, _MATRICES)
    for robot, floor, goal in _DIAGONAL:
        model = _robot(robot)
        rounds = [_diagonal(model) for _ in range(_ROUNDS)]
        if "Pinocchio" in rounds[0].seconds:
            work = f"diagonal of the inverse, {robot}, over the whole inverse"
            found.append(faster(group, work, rounds, "machine code", "Pinocchio", floor, goal))
    rounds = [_felt_at_hands(load("humanoid")) for _ in range(_ROUNDS)]
    if "Pinocchio" in rounds[0].seconds:
        work = "Λ⁻¹ of two hands, 37 freedoms, over the whole inverse"
        found.append(faster(group, work, rounds, "machine code", "Pinocchio", 8, 15))
    return found


def _diagonal(model: Model) -> Row:
    q, _ = states(model, _BATCH)
    native = anew(compile_program(diag(inv(dynamics.mass_matrix)), model))
    blocks = native(q=q)
    parts = cast("list[Floats]", blocks if isinstance(blocks, list) else list(np.moveaxis(blocks, 1, 0)))
    found = np.concatenate([part.reshape(_BATCH, -1) for part in parts], axis=1)
    candidates: dict[str, Callable[[], object]] = {"machine code": lambda: native(q=q)}
    peer = pinocchio(model)
    if peer is not None:
        other = States.of(peer, INVERSE, q, {})
        whole = other.results().reshape(-1, model.nv, model.nv)
        expected = np.concatenate([whole[:, own, own].reshape(_BATCH, -1) for own in model.v_slices], axis=1)
        agreeing("diagonal", found, expected, allowed=_of_rounding(whole, expected))
        candidates["Pinocchio"] = other.batch()
    return measure("diagonal", candidates)


def _of_rounding(inverse: Floats, part: Floats) -> Floats:
    """Of each sample the share of the largest entry of a part that rounding of the inverse may change."""
    size = np.abs(inverse).max(axis=(1, 2)) / np.abs(part).max(axis=1)
    return 64 * np.finfo(float).eps * np.linalg.cond(inverse) * size


def _felt_at_hands(model: Model) -> Row:
    """What forces at two frames do to their accelerations."""
    q, _ = states(model, _BATCH)
    pick = task_space.picks(model, ["grip_l", "grip_r"])
    native = anew(compile_program(dense(task_space.inverse_inertia), model))
    found = native(q=q, B=pick).reshape(_BATCH, -1)
    candidates: dict[str, Callable[[], object]] = {"machine code": lambda: native(q=q, B=pick)}
    peer = pinocchio(model)
    if peer is not None:
        other = States.of(peer, INVERSE, q, {})
        whole = other.results().reshape(-1, model.nv, model.nv)
        jacobian = compile_program(dense(task_space.jacobian), model)(q=q, B=pick)
        expected = (jacobian @ whole @ jacobian.swapaxes(1, 2)).reshape(_BATCH, -1)
        levers = np.abs(jacobian).sum(axis=2).max(axis=1) ** 2
        agreeing("frames", found, expected, allowed=_of_rounding(whole, expected) * levers)
        candidates["Pinocchio"] = other.batch()
    return measure("frames", candidates)


def without_machine_code() -> list[Figure]:
    """What is left where llvmlite is missing: calls of NumPy for batches, a Python function for single states."""
    group = "Without llvmlite"
    found: list[Figure] = []
    for robot, floor, goal in (("7 joints", 1.5, 2.8), ("37 freedoms", 1.2, 2.2)):
        for task in ("inverse dynamics", "forward dynamics"):
            rounds = [batch(_robot(robot), task, 4096) for _ in range(_ROUNDS)]
            if "Pinocchio" in rounds[0].seconds:
                work = f"{task}, {robot}, 4,096 states"
                found.append(faster(group, work, rounds, "NumPy calls", "Pinocchio", floor, goal))
    model = load("arm7")
    for task, floor, goal in (("inverse dynamics", 80, 40), ("forward dynamics", 120, 60)):
        microseconds = 1e6 * _python_function(model, task)
        found.append(Figure(group, f"{task}, 7 joints, one call", "µs", microseconds, floor, goal, "less"))
    return found


def _python_function(model: Model, task: str) -> float:
    formula, called = TASKS[task]
    many, several = states(model, 1, *called.rates)
    compiled = anew(compile_program(formula, model), "never")
    arguments = {"q": many[0], **{name: value[0] for name, value in several.items()}}
    for _ in range(300):
        compiled(**arguments)
    agreeing(task, compiled(**arguments)[None, :], anew(compiled)(q=many, **several))
    return measure(task, {"call": lambda: compiled(**arguments)}).seconds["call"]


def operation_counts() -> list[Figure]:
    """Additions, multiplications and reciprocals, those of sines included; on any machine the same."""
    found: list[Figure] = []
    for robot, rows in _COUNTS.items():
        model = _described(robot)
        if model is None:
            continue
        for task, floor, goal in rows:
            formula, called = TASKS.get(task, (diag(inv(dynamics.mass_matrix)), Called("")))
            many, several = states(model, 1, *called.rates)
            count = counted(compile_program(formula, model), q=many, **several)
            found.append(Figure("Operations", f"{task}, {robot}", "", count, floor, goal, "less"))
    return found


def _described(robot: str) -> Model | None:
    """A robot of `example-robot-data`, if that is installed: the arm without its fingers, no joint damped."""
    found = find_spec("cmeel")
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).parents[1] / "cmeel.prefix/share/example-robot-data/robots" / _FILES[robot]
    if not path.exists():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorAlgebraWarning)  # of what is no matter of inertias and axes
        model = load(path, base="floating" if robot == "talos" else "fixed")
    bodies = [
        replace(body, joint=replace(body.joint, damping=(0.0,) * body.joint.nv))
        for body in model.bodies
        if "finger" not in body.name
    ]
    return remade(model, bodies)


def calls() -> list[Figure]:
    """What a call costs beside its work: one state of an arm by keywords, into an array, and bound."""
    group = "One state of the arm in a call"
    found: list[Figure] = []
    model = load("arm7")
    for task in ("inverse dynamics", "forward dynamics"):
        rounds = [_one(model, task) for _ in range(_ROUNDS)]
        if "Pinocchio" in rounds[0].seconds:
            found.append(share(group, f"{task}, with out=", rounds, "checked", "Pinocchio", 0.4, 0.28))
            found.append(share(group, f"{task}, bound", rounds, "bound", "Pinocchio", 0.25, 0.15))
    found.append(_around(model))
    return found


def _one(model: Model, task: str) -> Row:
    formula, called = TASKS[task]
    many, several = states(model, 1, *called.rates)
    arguments = {"q": many[0], **{name: value[0] for name, value in several.items()}}
    compiled = anew(compile_program(formula, model))
    out = np.empty_like(compiled(**arguments))
    bound = compiled.bind(out=out, **arguments)
    for _ in range(3):
        bound()
        compiled(out=out, **arguments)
    q, v, third = arguments.values()
    # As they are written in a program: to spread a mapping of them takes Python half as long again.
    by_name: dict[str, Callable[[], object]] = {
        "inverse dynamics": lambda: compiled(q=q, v=v, qdd=third, out=out),
        "forward dynamics": lambda: compiled(q=q, v=v, T=third, out=out),
    }
    candidates: dict[str, Callable[[], object]] = {"checked": by_name[task], "bound": bound}
    peer = pinocchio(model)
    if peer is not None:
        other = States.of(peer, called, many, several)
        bound()
        agreeing(task, out[None, :], other.results())
        candidates["Pinocchio"] = other.one()
    return measure(task, candidates)


def _around(model: Model) -> Figure:
    """The time of a call beyond that of the code, from a batch and one that is bound beforehand."""
    q, values = states(model, _BATCH, *FORWARD_DYNAMICS.rates)
    compiled = anew(compile_program(dynamics.forward_dynamics, model))
    out = np.empty_like(compiled(q=q, **values))
    bound = compiled.bind(q=q, out=out, **values)
    bound()
    bound()
    rounds = [measure("call", {"call": lambda: compiled(q=q, **values), "bound": bound}) for _ in range(_ROUNDS)]
    beyond = min(row.seconds["call"] for row in rounds) - min(row.seconds["bound"] for row in rounds)
    return Figure(
        "One state of the arm in a call",
        "1,024 states by keywords, beyond a bound call",
        "µs",
        beyond * 1e6,
        5,
        2,
        "less",
    )


_FIRST = """
import time, operator_algebra as oa, numpy as np
model = {model}
oa.dynamics
q, v = model.random(0)
start = time.perf_counter()
oa.compile(oa.dynamics.forward_dynamics, model, backend="{backend}")(q=q, v=v, T=np.ones(model.nv))
print(time.perf_counter() - start)
"""


def first_calls() -> list[Figure]:
    """Forward dynamics in a new process, from the formula to its first number; importing the package is left out."""
    rows = (
        ("from formula to number, 7 joints", 'oa.load("arm7")', "auto", 0.4, 0.2),
        ("from formula to number, 37 freedoms", 'oa.load("humanoid")', "auto", 1.2, 0.6),
        ("from formula to number, chain of 1,000", "oa.chain(1000, seed=0)", "auto", 0.6, 0.3),
        ("from formula to machine code that was kept, 7 joints", 'oa.load("arm7")', "compiled", 0.03, 0.01),
    )
    found: list[Figure] = []
    for work, model, backend, floor, goal in rows if machine() is not None else rows[:-1]:
        code = _FIRST.format(model=model, backend=backend)
        each = [float(output_of(code)) for _ in range(4)][1:]  # the first may have to make what is kept
        found.append(Figure("First call", work, "s", min(each), floor, goal, "less", (min(each), max(each))))
    return found


def accuracy() -> list[Figure]:
    """The largest difference to Pinocchio in body axes, over the largest entry, among 2,048 states."""
    found: list[Figure] = []
    for robot in ("7 joints", "37 freedoms"):
        model = _robot(robot)
        peer = pinocchio(model)
        for task in ("inverse dynamics", "forward dynamics") if peer is not None else ():
            formula, called = TASKS[task]
            q, values = states(model, 2048, *called.rates)
            ours = np.asarray(anew(compile_program(formula, model))(q=q, **values))
            theirs = States.of(peer, called, q, values).results() if peer is not None else ours
            worst = float((np.abs(ours - theirs).max(axis=1) / np.abs(theirs).max(axis=1)).max())
            found.append(Figure("Accuracy", f"{task}, {robot}, 2,048 states", "", worst, 1e-12, 1e-14, "less"))
    return found


def laws() -> list[Figure]:
    """`operator-algebra check`: every law on every mechanism, in a process of its own."""
    output_of("")  # so that making it ready is not counted
    seconds = seconds_of(lambda: output_of(_CHECK))
    return [Figure("Laws", "operator-algebra check, all cores", "s", seconds, 20, 10, "less")]


_CHECK = "import sys; from operator_algebra.cli.main import main; sys.argv = ['', 'check', '-q', '--no-report']; main()"

GROUPS: Mapping[str, Callable[[], list[Figure]]] = {
    "operations": operation_counts,
    "dynamics": dynamics_in_batches,
    "matrices": matrices_in_batches,
    "precision": single_precision,
    "threads": two_threads,
    "calls": calls,
    "without": without_machine_code,
    "first": first_calls,
    "chains": long_chains,
    "accuracy": accuracy,
    "laws": laws,
}
