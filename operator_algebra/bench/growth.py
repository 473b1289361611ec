"""Forward dynamics of ever longer chains: time, memory and operations for each body."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import dataclass

import numpy as np

from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.models.families import chain

LENGTHS = (100, 1_000, 10_000, 100_000)


@dataclass(frozen=True)
class Growth:
    """One call on a chain, divided by the number of bodies."""

    bodies: int
    microseconds: float
    kilobytes: float
    flops: float


def _growth(n: int) -> Growth:
    model = chain(n, seed=0)
    q, v = model.random(0)
    torque = np.ones(model.nv)
    derived = compile_program(dynamics.forward_dynamics, model)
    derived(q=q, v=v, T=torque)
    start = time.perf_counter()
    derived(q=q, v=v, T=torque)
    seconds = time.perf_counter() - start
    tracemalloc.start()
    derived(q=q, v=v, T=torque)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Growth(n, 1e6 * seconds / n, peak / 1024 / n, derived.program.cost(model).total / n)


def report() -> str:
    """One row for each length; the peak is what one call holds at most, the mechanism itself left out."""
    lines = ["Forward dynamics of chains, for each body", f"{'bodies':>8}   {'time':>10}   {'peak':>9}   {'flops':>6}"]
    for n in LENGTHS:
        g = _growth(n)
        lines.append(f"{g.bodies:>8}   {g.microseconds:>7.1f} µs   {g.kilobytes:>6.2f} kB   {g.flops:>6.0f}")
    return "\n".join(lines)
