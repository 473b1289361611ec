"""The verifier accepts what the compiler makes, also between its passes, and refuses one planted wrong operand."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.programs.program import Program
from operator_algebra.programs.verify import IllFormed, check_program
from tests.expression_strategies import expressions
from tests.golden.pages import pages
from tests.programs.planted import KINDS, planted

PROGRAMS = [lower(e) for e in pages().values()]
EACH = 400


def refused(program: Program) -> bool:
    try:
        check_program(program)
    except IllFormed:
        return True
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_one_planted_wrong_operand_is_refused(kind: str) -> None:
    """Of each kind at least 98 in 100; those that pass are listed."""
    rng = random.Random(kind)
    passed: Counter[str] = Counter()
    count = 0
    while count < EACH:
        found = planted(rng.choice(PROGRAMS), kind, rng)
        if found is None:
            continue
        count += 1
        if not refused(found.program):
            passed[f"{found.program.formula}: {found.what}"] += 1
    assert sum(passed.values()) <= 0.02 * EACH, passed


@given(expressions())
@settings(max_examples=60)
def test_random_programs_are_accepted(e: Expr) -> None:
    try:
        program = lower(e)
    except NotLowerable:
        return
    check_program(program)
