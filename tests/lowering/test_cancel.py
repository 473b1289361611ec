"""X X⁻¹ = I in sums of products: what cancels is equal by value, and nothing else is."""

from __future__ import annotations

import pytest

from operator_algebra.expressions.formulas import formula
from operator_algebra.lowering.graph import RING, Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.share import share, sum_key


def equal(claim: str, *, cancelling: bool = True) -> bool:
    """Whether two block-diagonal operators have one form."""
    graph = Graph()
    lift = Lift(graph, frozenset())
    graph.hold(*(lift.block(formula(side, "a test")) for side in claim.split(" = ")))
    share(graph)
    left, right = (RING.of(ref) for ref in graph.held)
    return not sum_key(graph, cancelling=cancelling)(RING.minus(left, right))


NEED_IT = [
    "D inv(D) H = H",
    "inv(D) D inv(D) = inv(D)",
    "P H' inv(D) D = P H'",
    "H G H = H",
    "tau tau = tau",
    "tau_bar P tau_bar' = P_plus",
    "G' H' G' = G'",
    "inv(D + D) D inv(D) = 1/2 inv(D)",
]


@pytest.mark.parametrize("claim", NEED_IT)
def test_what_cancels(claim: str) -> None:
    assert equal(claim)
    assert not equal(claim, cancelling=False)


@pytest.mark.parametrize(
    "claim",
    [
        "tau tau_bar = tau",
        "tau_bar P = P",
        "H P H' inv(D) H = H tau_bar",
        "G D = 2 P H'",
        "inv(D) D inv(D) = inv(D + D)",
    ],
)
def test_what_does_not(claim: str) -> None:
    assert not equal(claim)


@pytest.mark.parametrize("claim", ["G D = P H' inv(D) D", "tau tau_bar = tau_bar tau"])
def test_what_is_equal_without_it_stays_so(claim: str) -> None:
    assert equal(claim)
