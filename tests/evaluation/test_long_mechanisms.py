"""Long mechanisms: vectors cost linear time and memory, fixed points keep their digits."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import fixpoint, inv
from operator_algebra.expressions.query import block
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, ONE
from tests.oracles import recursive_dynamics
from tests.rounding import apart, rounding, size

Floats = NDArray[np.float64]
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T


@pytest.fixture(scope="module")
def long_chain() -> Model:
    return chain(4000, seed=1)


def test_four_thousand_bodies_in_linear_memory(long_chain: Model) -> None:
    q, v = long_chain.random(1)
    x = np.random.default_rng(1).standard_normal(long_chain.nv)
    tracemalloc.start()
    forces = evaluate(MASS @ s.qdd, long_chain, q=q, qdd=x).dense()
    solved = evaluate((s.I - s.H @ s.psi @ s.K) @ s.T, long_chain, q=q, T=x).dense()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # One block of 6 × 6 floats in compressed rows takes 432 bytes: this is what some forty local operators take.
    assert most / long_chain.n < 20_000
    at_rest = recursive_dynamics.inverse_dynamics(long_chain, q, 0 * v, x)
    expected = at_rest - recursive_dynamics.inverse_dynamics(long_chain, q, 0 * v, 0 * x)
    assert apart(forces, expected) <= rounding(size(at_rest), terms=6 * long_chain.n)
    # The factors solve with the mass matrix: put the solution back into it.
    W = s.I - s.H @ s.psi @ s.K
    a = evaluate(W.T @ inv(s.D) @ s.T, long_chain, q=q, T=solved).dense()
    again = evaluate(MASS @ s.qdd, long_chain, q=q, qdd=a).dense()
    felt = evaluate(MASS @ s.qdd, long_chain, q=q, qdd=np.abs(a)).dense()
    assert apart(again, x) <= rounding(size(x) + size(felt), terms=6 * long_chain.n)


def test_one_block_of_a_large_operator(long_chain: Model) -> None:
    q, _ = long_chain.random(1)
    few = evaluate(block(s.phi, 3, 3990), long_chain, q=q).dense()
    assert few.shape == (6, 6)
    tip = block(s.phi, long_chain.joint_names[-1], long_chain.n - 1)
    assert np.array_equal(evaluate(tip, long_chain, q=q).dense(), np.eye(6))


@pytest.mark.parametrize(("joint", "n"), [("revolute", 400), ("universal", 250), ("spherical", 200)])
def test_the_backward_error_of_long_chains(joint: str, n: int) -> None:
    """Symmetry is enforced: without it the recursion for P loses all digits after two hundred such joints."""
    model = chain(n, joint=joint, seed=2)
    q, _ = model.random(2)
    x = np.random.default_rng(2).standard_normal(model.nv)
    W = s.I - s.H @ s.psi @ s.K
    a = evaluate(W.T @ inv(s.D) @ W @ s.T, model, q=q, T=x).dense()
    mass = recursive_dynamics.mass_matrix(model, q)
    backward = np.linalg.norm(mass @ a - x) / (np.linalg.norm(mass, 2) * np.linalg.norm(a) + np.linalg.norm(x))
    assert backward <= rounding(terms=6 * model.n)


def test_vector_recursions_are_linear_too() -> None:
    model = random_tree(3000, branching=0.3, seed=3)
    q, v = model.random(3)
    velocity = fixpoint("X", ONE >> MOTION, lambda X: s.E_phi.T @ X + s.H.T @ s.v)
    found, expected = (evaluate(e, model, q=q, v=v).dense() for e in (velocity, s.V))
    assert apart(found, expected) <= rounding(size(expected), terms=6 * model.depth)
    sums = fixpoint("X", ONE >> FORCE, lambda X: s.E_phi @ X + s.M @ s.a_ground)
    expected = evaluate(s.phi @ s.M @ s.a_ground, model, q=q).dense()
    assert apart(evaluate(sums, model, q=q).dense(), expected) <= rounding(size(expected), terms=6 * model.depth)


def test_a_star_of_many_children() -> None:
    """Siblings couple in E* X E, but its block diagonal costs no more than the bodies."""
    n = 4000
    model = random_tree(n, branching=1.0, seed=4)
    q, _ = model.random(4)
    assert evaluate(s.Upsilon_plus, model, q=q).nnz == n - 1
    assert evaluate(inv(inv(s.P) + s.Upsilon_plus), model, q=q).nnz == n


def test_threads_do_not_change_a_bit() -> None:
    program = (
        "import hashlib, numpy as np\n"
        "from operator_algebra import symbols as s\n"
        "from operator_algebra.evaluation import evaluate\n"
        "from operator_algebra.models.families import chain\n"
        "m = chain(120, joint='universal', seed=1); q, v = m.random(1)\n"
        "e = (s.I - s.H @ s.psi @ s.K) @ s.H @ s.phi @ s.M @ s.phi.T @ s.H.T @ s.U.T\n"
        "print(hashlib.sha256(evaluate(e, m, q=q).dense().tobytes()).hexdigest())"
    )
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    runs: set[str] = set()
    for threads in ("1", "2"):
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
        )
        runs.add(run.stdout)
    assert len(runs) == 1
