"""Classical accelerations change variables and no values: exactly so over fractions, for blocks of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import define, inv, local, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense
from operator_algebra.lowering.lower import for_numbers, lower
from operator_algebra.operators.spaces import MOTION
from operator_algebra.programs.interpret import interpret
from operator_algebra.programs.matrices import RATIONALS
from operator_algebra.programs.program import Program
from tests.often import some
from tests.oracles.interpreted import arrays
from tests.programs.rational_blocks import exact
from tests.programs.test_interpreted_programs import GOLDEN, RATIONAL, parts

Formulas = Expr | Query | Mapping[str, Expr | Query]

FORCES = s.M @ dynamics.acceleration + s.b
BESIDE: dict[str, Formulas] = {
    "accelerations": {"T": dynamics.inverse_dynamics, "alpha": dynamics.acceleration},
    "velocity terms": {"T": dynamics.inverse_dynamics, "a": s.a},
    "velocities": {"T": dynamics.inverse_dynamics, "V": s.V},
    "shifted accelerations": {"T": dynamics.forward_dynamics, "alpha_plus": s.E_phi.T @ dynamics.acceleration},
    "functions of accelerations": {"T": FORCES, "crossed": s.cross(dynamics.acceleration) @ s.V},
    "sums over bodies": {"T": FORCES, "power": s.f_ext.T @ dynamics.acceleration},
    "inertias twice": {"T": FORCES, "half": Fraction(1, 2) * (s.M @ dynamics.acceleration + s.b)},
}
"""Forces, and beside them what the change of variables touches."""


def first(program: Program) -> Program:
    """The form with classical accelerations where there is one, nothing else changed."""
    return for_numbers(program)[0]


def same(program: Program, other: Program) -> None:
    """Whether two programs give the same fractions."""
    values = exact(set(program.symbols) | set(other.symbols), 7)
    expected = interpret(program, values.tree, values.given, numbers=RATIONALS)
    found = interpret(other, values.tree, values.given, numbers=RATIONALS)
    assert found.keys() == expected.keys()
    for name, result in expected.items():
        one, two = parts(arrays(found[name])), parts(arrays(result))
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("name", BESIDE)
def test_what_is_wanted_beside_forces_keeps_its_value(name: str) -> None:
    program = lower(BESIDE[name])
    changed = first(program)
    assert changed is not program
    assert len(changed.sweeps) == len(program.sweeps)
    same(program, changed)


@pytest.mark.parametrize("name", some(RATIONAL, each=5))
def test_pages_keep_their_values(name: str) -> None:
    program = lower(GOLDEN[name])
    other = first(program)
    if other is not program:
        same(program, other)


@pytest.mark.parametrize(
    "formula",
    [
        dynamics.mass_matrix,
        dynamics.velocity,
        dynamics.acceleration,
        s.b,
        s.M @ s.phi.T @ s.a,
        s.M @ s.phi.T @ s.a - s.b,
        s.M @ s.phi.T @ (2 * s.a) + s.b,
        {"T": dynamics.inverse_dynamics, "b": s.b},
        dense(inv(dynamics.mass_matrix)),
    ],
    ids=str,
)
def test_without_a_gain_a_program_stays(formula: Formulas) -> None:
    """Where accelerations do not meet momentum rates, with the same factor, or rates are wanted for themselves."""
    program = lower(formula)
    assert first(program) is program


def test_other_methods_keep_their_programs() -> None:
    for method in ("joseph", "refined"):
        program = lower(dynamics.forward_dynamics, method=method)
        assert first(program) is program


def test_names_do_not_matter() -> None:
    V = define("anything", s.phi.T @ s.H.T @ s.v)
    rate = define("something", -s.cross(V).T @ s.M @ V)
    drive = define("driven", s.cross(V) @ s.H.T @ s.v)
    program = lower(s.M @ s.phi.T @ drive + rate)
    assert first(program) is not program
    same(program, first(program))


FACTORS = st.sampled_from([Fraction(0), Fraction(1), Fraction(-1), Fraction(2), Fraction(-3, 4)])


@given(FACTORS, FACTORS, FACTORS, FACTORS, st.booleans())
@settings(max_examples=40)
def test_random_sums(
    inner: Fraction, outer: Fraction, rate: Fraction, other: Fraction, of_other_velocities: bool
) -> None:
    """Sums of accelerations and momentum rates with any factors, of one motion or of two."""
    x = vector("x_motion", MOTION)
    V = s.phi.T @ x if of_other_velocities else s.V
    b = -s.cross(V).T @ s.M @ V
    alpha = s.phi.T @ (inner * s.a + x)
    w = local("spin", V) @ V
    e = s.H @ s.phi @ (outer * s.M @ alpha + rate * b + other * s.M @ w)
    program = lower({"T": e, "alpha": alpha})
    same(program, first(program))
