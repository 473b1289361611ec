"""What G selects by what its complement leaves: exactly the same, and only where H H* is the identity."""

from __future__ import annotations

import random

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.scalar.complements import selected
from operator_algebra.backends.scalar.graph import operations
from operator_algebra.backends.scalar.rigid import Law
from operator_algebra.expressions.build import diag, inv
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from operator_algebra.models.gallery import load
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import Matrix
from tests.backends.scalar.calls import Call, answer
from tests.backends.scalar.exact_nodes import matrix
from tests.backends.scalar.test_rigid import TREE, Exactly
from tests.oracles.dense_dynamics import mass_matrix
from tests.rounding import condition, rounding
from tests.strategies import ALL_JOINTS

DIAGONAL = diag(inv(dynamics.mass_matrix))


class Selecting(Exactly):
    """Joints whose maps select entries."""

    def _made(self, symbol: Symbol, rng: random.Random, to: int, start: int) -> Matrix:
        if symbol == s.armature:
            return self.numbers.zeros(TREE.size(symbol.type.codomain, to), TREE.size(symbol.type.domain, start))
        if symbol != s.H:
            return super()._made(symbol, rng, to, start)
        rows = list(self.numbers.identity(6).rows)
        rng.shuffle(rows)
        return Matrix(rows[: TREE.size(symbol.type.codomain, to)], 6)


@pytest.mark.parametrize("run_of", [Selecting, Exactly])
def test_it_is_an_identity(run_of: type[Exactly]) -> None:
    program = lower(DIAGONAL)
    (number,) = selected(program)
    for seed in range(3):
        run = run_of.of(program, seed)
        for k in TREE.bodies:
            found = selected(program)[number].block(run, run.nodes, k)
            assert matrix(found, run.arguments) == matrix(
                Interpreter.block(run, program.steps[number], k), run.arguments
            )


def test_other_sums_have_none() -> None:
    for e in (inv(dynamics.mass_matrix) @ s.T, s.P_plus, s.Upsilon, s.G.T @ s.Upsilon @ s.G):
        assert not selected(lower(e))


def nothing(*_: object) -> dict[int, Law]:
    """No laws."""
    return {}


def test_it_saves_a_tenth_of_the_diagonal(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load("arm7")
    call = Call.of(lower(DIAGONAL, zeros=vanishing(model)), model, model.random(0)[0], {})
    short = sum(operations(call.traced().entries).values())
    monkeypatch.setattr("operator_algebra.backends.scalar.trace.selected", nothing)
    assert short < 0.95 * sum(operations(call.traced().entries).values())


def test_diagonals_are_those_of_dense_inverses() -> None:
    for seed in range(4):
        model = random_tree(7, joints=ALL_JOINTS, seed=seed)
        q = model.random(seed)[0]
        found = answer(Call.of(lower(DIAGONAL), model, q, {}).traced(), q.tolist())
        mass = mass_matrix(model, q)
        inverse = np.linalg.inv(mass)
        expected = np.concatenate([inverse[part, part].ravel() for part in model.v_slices])
        entries = np.concatenate(list(found.results.values()))
        size = float(np.abs(inverse).max())
        assert np.abs(entries - expected).max() <= rounding(size, terms=model.nv**2, condition=condition(mass))
