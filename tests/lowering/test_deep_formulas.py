"""Formulas thousands of levels deep end in a program, linear in their size, and never in a recursion error."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.compiler import compile as compile_program
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import define, fixpoint, inv, local, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from operator_algebra.operators.spaces import FORCE, MOTION
from tests.lowering.agreement import bound
from tests.rounding import apart

x = vector("x", FORCE)
HALF = Fraction(1, 2)
h = scalar("h")


def product(n: int) -> Expr:
    e: Expr = x
    for _ in range(n):
        e = inv(s.I - HALF * s.E_phi) @ e
    return e


def nested_inverse(n: int) -> Expr:
    e = s.E_phi
    for _ in range(n):
        e = inv(s.I + HALF * (s.E_phi @ e))
    return e @ x


def nested_sum(n: int) -> Expr:
    e = s.phi
    for _ in range(n):
        e = HALF * s.E_phi @ (e + s.I)
    return e @ x


def nested_definition(n: int) -> Expr:
    e = s.phi
    for k in range(n):
        e = define(f"d{k}", HALF * s.E_phi @ e + s.I)
    return e @ x


def wide_sum(n: int) -> Expr:
    e: Expr = x
    for k in range(n):
        e = e + vector(f"x{k % 100}", FORCE) * (1 + k % 7)
    return e


def nested_multiple(n: int) -> Expr:
    e: Expr = x
    for _ in range(n):
        e = h * e + x
    return e


def nested_fixpoint(n: int) -> Expr:
    e = s.M
    for k in range(n):

        def equation(X: Expr, below: Expr = e) -> Expr:
            return below + Fraction(1, 8) * (s.E_phi @ X @ s.E_phi.T)

        e = fixpoint(f"X{k}", MOTION >> FORCE, equation)
    return e


def nested_function(n: int) -> Expr:
    e = s.V
    for _ in range(n):
        e = Fraction(1, 4) * local("cross", e) @ s.V + s.V
    return e


DEEP: dict[str, tuple[Callable[[int], Expr], int]] = {
    "product": (product, 500),
    "inverses": (nested_inverse, 500),
    "sums": (nested_sum, 500),
    "definitions": (nested_definition, 1000),
    "terms": (wide_sum, 10_000),
    "multiples": (nested_multiple, 60),
    "fixed points": (nested_fixpoint, 60),
    "functions": (nested_function, 500),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_formulas_are_lowered(name: str) -> None:
    make, depth = DEEP[name]
    program = lower(make(depth))
    assert len(program.sweeps) == 1
    assert program.pseudocode().startswith("given")
    assert len(repr(program)) <= 100


@pytest.mark.slow
@pytest.mark.parametrize("name", ["product", "inverses", "sums", "definitions", "terms", "functions"])
def test_ten_thousand_levels(name: str) -> None:
    assert len(lower(DEEP[name][0](10_000)).sweeps) == 1


@pytest.mark.parametrize("name", DEEP)
def test_deep_programs_mean_their_formula(name: str) -> None:
    e = DEEP[name][0](25)
    model = random_tree(4, joints=("revolute", "spherical"), seed=1)
    q, v = model.random(1)
    values: dict[str, np.ndarray | float] = {}
    for symbol in free_symbols(e):
        if symbol.origin == "input":
            values[symbol.name] = v if symbol.name == "v" else 0.9 if symbol is h else np.arange(24.0) / 24
    found = compile_program(e, model)(q=q, **values)  # pyright: ignore[reportArgumentType]
    scaled = evaluate_with_scale(e, model, q=q, **values)  # pyright: ignore[reportArgumentType]
    expected = scaled.value.dense()
    whole = found if found.ndim == 1 else None
    if whole is None:
        expected = np.stack([expected[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] for k in range(model.n)])
    assert apart(found, expected) <= bound(scaled) * scaled.scale


def test_lowering_time_is_linear_in_the_formula() -> None:
    # Counts, not seconds: the number of values grows with the formula and no faster.
    sizes = [len(lower(product(n)).steps) for n in (25, 50, 100)]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
