"""One chain of very many bodies: time for each of them, what it takes to build and to compile, and memory."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from itertools import product

import numpy as np

from operator_algebra.applications import dynamics
from operator_algebra.bench.fresh import output_of
from operator_algebra.bench.goals import Figure
from operator_algebra.compiler import compile as compile_program
from operator_algebra.models.families import chain
from operator_algebra.symbols import H, M, phi, qdd

_MILLION = """
import json, time
import numpy as np
import operator_algebra as oa

def timed(call):
    start = time.perf_counter()
    made = call()
    return time.perf_counter() - start, made

def memory():
    try:
        # What the process that started this one had is in ru_maxrss here.
        with open("/proc/self/status") as told:
            return next(int(line.split()[1]) for line in told if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ModuleNotFoundError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

formula, before = oa.dynamics.forward_dynamics, memory()
built, model = timed(lambda: oa.chain(1_000_000, seed=0))
compiled, program = timed(lambda: oa.compile(formula, model))
q, v = model.random(0)
forces = np.ones(model.nv)
again = min(timed(lambda: program(q=q, v=v, T=forces))[0] for _ in range(5))
print(json.dumps([built, compiled, again, memory() - before]))
"""
_AXES = (("hinges along axes", None, 45, 34), ("hinges about any axes", 0, 70, 52))
_UNITS = 1 if sys.platform == "darwin" else 1024
"""Bytes in which the system counts memory."""


def long_chains() -> list[Figure]:
    """One chain: time for each body, what it takes to build and to compile it, and the memory of all of that."""
    group = "Long chains"
    found: list[Figure] = []
    for bodies, (name, seed, floor, goal) in product((10_000, 100_000), _AXES):
        work = f"forward dynamics of {bodies:,} bodies, {name}, for each"
        found.append(Figure(group, work, "ns", 1e9 * _chain(bodies, seed) / bodies, floor, goal, "less"))
    built, compiled, again, memory = (float(x) for x in json.loads(output_of(_MILLION)))
    found.append(Figure(group, "forward dynamics of a million bodies, for each", "ns", 1e3 * again, 75, 55, "less"))
    probe = compile_program(H @ phi @ M @ phi.T @ H.T @ qdd, model := chain(100_000, seed=0))
    x, q = np.ones(model.nv), model.random(0)[0]
    probe(q=q, qdd=x)
    best = min(seconds_of(lambda: probe(q=q, qdd=x)) for _ in range(3))
    found.append(Figure(group, "H φ M φ* H* x, 100,000 bodies", "ms", 1e3 * best, 4, 1.7, "less"))
    found.append(Figure(group, "building a chain of a million bodies", "s", built, 8, 1, "less"))
    found.append(Figure(group, "first compile of it", "s", compiled, 5, 1, "less"))
    if memory:
        each = memory * _UNITS / 1e9
        found.append(Figure(group, "memory of it for each body, calls included", "kB", each, 4, 1.2, "less"))
    return found


def _chain(bodies: int, seed: int | None) -> float:
    model = chain(bodies, seed=seed)
    q, v = model.random(0)
    compiled, torque = compile_program(dynamics.forward_dynamics, model), np.ones(model.nv)
    qdd = compiled(q=q, v=v, T=torque)
    # Of long chains no two ways give the same digits: what is found asks for the forces as far as its rounding lets it.
    asked = compile_program(dynamics.inverse_dynamics, model)
    rounded = qdd * (1.0 + np.finfo(float).eps * np.random.default_rng(0).choice([-1.0, 1.0], model.nv))
    forces, beside = asked(q=q, v=v, qdd=qdd), asked(q=q, v=v, qdd=rounded)
    if not np.abs(forces - torque).max() <= 16 * np.abs(forces - beside).max():
        raise AssertionError(f"a chain of {bodies} bodies: the accelerations do not ask for the forces")
    return min(seconds_of(lambda: compiled(q=q, v=v, T=torque)) for _ in range(3))


def seconds_of(call: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
