"""Random expressions and questions: no wrong number, no foreign exception, no silent infinity; a slip is found."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from operator_algebra.expressions.build import diag
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet, trace
from operator_algebra.expressions.reduced import reduced
from tests.lowering.campaign import BAD, RESULT, fingerprint, run, summary
from tests.lowering.cases import Case, Sample, case, mechanism
from tests.lowering.mutants import COMPILERS, slipped
from tests.lowering.rational_expressions import Rational, rational_inputs
from tests.lowering.verdicts import judge

EACH_TIME = 150
ONCE = 20_000


def test_some_random_expressions() -> None:
    found = summary(run(EACH_TIME, first=1_000_000))
    assert [found[kind] for kind in BAD] == [[], [], []]
    assert found["verdicts"]["agrees"] >= 0.85 * EACH_TIME
    assert set(found["asked"]) == {"diag", "trace", "logdet", "block", "dense", "operator", "column", "row", "small"}
    assert {"diagonal", "inward", "outward", "related", "full"} <= set(found["flow"])
    assert len(found["method"]) == 4
    assert len(found["bodies"]) == 4


def test_the_record_of_twenty_thousand() -> None:
    found = json.loads(RESULT.read_text(encoding="utf-8"))
    assert found["generator"] == fingerprint()
    assert found["expressions"] == ONCE
    assert [found[kind] for kind in BAD] == [[], [], []]
    assert found["verdicts"]["agrees"] >= 0.85 * ONCE


def test_what_grows_when_it_is_multiplied_out_stays_as_it_is() -> None:
    # Determinants of rank-deficient products on six bodies, whose normal forms took programs minutes.
    assert [reduced(case(seed).formula) for seed in (2336, 9254)] == [None, None]


def question(seed: int) -> Case:
    """A question about a product with a pair of hops, an inverse, or terms of low rank, on a small mechanism."""
    rng = random.Random(seed)
    rational, model = Rational(rng), mechanism(rng, seed, most=6)
    space = rational.choose(tuple(rational.words.hops))
    type_ = rational.choose((space >> space, space.dual >> space))
    make = rational.choose((rational.pair_of_hops, rational.inverse, rational.low_ranks))
    e = make(type_, 2)
    choices: list[Callable[[], Expr | Query]] = [
        lambda: diag(e),
        lambda: trace(e),
        lambda: logdet(rational.regular(e)),
    ]
    formula = rational.choose(choices)()
    body = formula.body if isinstance(formula, Query) else formula
    return Case(formula, model, (Sample(model.random(seed)[0], rational_inputs(body, model, seed)),), "body", "auto")


@pytest.mark.parametrize("what", COMPILERS)
def test_a_slip_of_the_compiler_is_found(what: str) -> None:
    with slipped(what):
        assert any(judge(question(seed)).kind == "wrong" for seed in range(400))
