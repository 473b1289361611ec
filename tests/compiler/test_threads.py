"""The same bits from any number of threads, of ours and of the linear algebra below."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.build import diag, inv
from operator_algebra.expressions.query import dense
from operator_algebra.lowering.lower import Lowerable
from operator_algebra.models.families import chain, random_tree
from tests.house.tree import ROOT

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
TREE = random_tree(9, joints=("revolute", "spherical", "universal", "floating"), seed=7)


@pytest.mark.parametrize(
    "e", [dynamics.forward_dynamics, dynamics.inverse_dynamics, diag(inv(MASS)), dense(inv(MASS))], ids=str
)
def test_compiled_programs_are_reentrant(e: Lowerable) -> None:
    compiled = compile_program(e, TREE)
    mentioned = {symbol.name for symbol in compiled.program.accepts}

    def run(seed: int) -> Any:
        rng = np.random.default_rng(seed)
        q, v = TREE.random(seed)
        values: dict[str, Any] = {
            "q": q,
            "v": v,
            "T": rng.standard_normal(TREE.nv),
            "qdd": rng.standard_normal(TREE.nv),
        }
        return compiled(**{name: value for name, value in values.items() if name in mentioned or name == "q"})

    alone = [run(seed) for seed in range(40)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(run, range(40)))
    for one, other in zip(alone, together, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_compiling_at_once_gives_working_programs() -> None:
    models = [chain(n, seed=n) for n in range(2, 6)]

    def run(index: int) -> Any:
        model = models[index % 4]
        q, v = model.random(index % 4)
        return compile_program(inv(MASS) @ (s.T + (1 + index % 3) * s.T), model)(q=q, T=v)

    alone = [run(index) for index in range(24)]
    compile_program.__globals__["_compiled"].cache_clear()
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(run, range(24)))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


PROGRAM = """
import hashlib
import numpy as np
import operator_algebra as oa
from operator_algebra.symbols import H, M, T, inv, phi

mass = H @ phi @ M @ phi.T @ H.T
formulas = [oa.dynamics.forward_dynamics, oa.dynamics.inverse_dynamics, inv(mass) @ T, oa.diag(inv(mass)),
            oa.dense(inv(mass)), oa.logdet(mass), oa.dynamics.kinetic_energy]
models = {oa.chain(60, seed=0): "interpreter", oa.load("humanoid"): "interpreter", oa.load("arm7"): "auto",
          oa.random_tree(40, joints=("spherical", "floating"), seed=3): "interpreter"}
total = hashlib.sha256()
for model, backend in models.items():
    for batch in ((), (64,)):
        rng = np.random.default_rng(0)
        q = model.integrate(model.neutral(), rng.standard_normal((*batch, model.nv)))
        values = {name: rng.standard_normal((*batch, model.nv)) for name in ("v", "T", "qdd")}
        for e in formulas:
            for method in ("auto", "orthogonal"):
                if method == "orthogonal" and batch:
                    continue
                program = oa.compile(e, model, method=method, backend=backend)
                mentioned = {symbol.name for symbol in program.program.accepts}
                result = program(q=q, **{name: x for name, x in values.items() if name in mentioned})
                for piece in result if isinstance(result, list) else [result]:
                    total.update(np.ascontiguousarray(piece).tobytes())
print(total.hexdigest())
"""


def test_threads_of_the_linear_algebra_do_not_change_a_bit() -> None:
    def digest(threads: int) -> str:
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **dict.fromkeys(names, str(threads))}
        command = [sys.executable, "-c", PROGRAM]
        run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
        return run.stdout.strip()

    first = digest(1)
    assert len(first) == 64
    assert digest(2) == first
