"""How work grows with the bodies: linear, unless the result itself has a block for each pair of them."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import diag, inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.operators.spaces import RATE, TORQUE, space
from operator_algebra.programs.growth import order

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
Z = space("coordinates", attached=False)
LOW = operator("B_of", Z >> TORQUE) @ operator("A_of", RATE >> Z)

ORDERS: dict[str, tuple[Expr | Query | dict[str, Expr | Query], str]] = {
    "a vector": (inv(MASS) @ s.T, "O(N)"),
    "blocks": (diag(inv(MASS)), "O(N)"),
    "one block": (block(inv(MASS), 0, 1), "O(N)"),
    "one block of a term of low rank": (block(inv(MASS + LOW), 0, 1), "O(N)"),
    "a number": (logdet(MASS), "O(N)"),
    "columns of no body": (inv(MASS) @ operator("B_of", Z >> TORQUE), "O(N)"),
    "blocks of bodies on one way": (dense(MASS), "O(N depth)"),
    "all pairs": (dense(inv(MASS)), "O(N²)"),
    "all pairs, column by column": (dense(inv(MASS + LOW)), "O(N²)"),
    "the worst of several": ({"a": s.V, "b": dense(MASS), "c": dense(inv(MASS))}, "O(N²)"),
}


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_is_that_of_the_largest_result(name: str) -> None:
    e, expected = ORDERS[name]
    assert order(lower(e)) == expected


@pytest.mark.parametrize("name", ORDERS)
def test_the_count_grows_as_the_order_says(name: str) -> None:
    e, expected = ORDERS[name]
    program = lower(e)
    chains = [program.cost(chain(n)).total for n in (50, 100, 200)]
    growth = (chains[2] - chains[1]) / (chains[1] - chains[0])
    assert growth == 2 if expected == "O(N)" else growth > 3
    if expected == "O(N depth)":
        bushes = [
            program.cost(random_tree(n, joints=("revolute",), branching=1.0, seed=0)).total for n in (100, 200, 400)
        ]
        assert (bushes[2] - bushes[1]) / (bushes[1] - bushes[0]) < 3
