"""Between any two passes the graph is sound: every value fits what it reads, and what is wanted is there."""

from collections.abc import Iterator
from typing import cast, get_args

import pytest
from hypothesis import given, settings

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering import lower as door
from operator_algebra.lowering.graph import Graph, Method
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.lower import Lowerable
from operator_algebra.lowering.passes import PASSES
from operator_algebra.lowering.values import Unknown
from operator_algebra.operators.spaces import Type
from operator_algebra.programs.program import Block
from operator_algebra.programs.records import references
from operator_algebra.programs.types import TypeCheck
from tests.expression_strategies import expressions
from tests.golden.pages import pages


def complaints(graph: Graph) -> Iterator[str]:
    """What is wrong with a graph."""
    values = graph.values
    for number in graph.roots - values.keys():
        yield f"value {number} is wanted and gone"
    types = TypeCheck(cast("dict[int, Block]", values))
    for number, value in values.items():
        for ref, _ in references(value.definition):
            if ref.value not in values:
                yield f"value {number} reads {ref.value}, which is gone"
                return
        if isinstance(value.definition, Unknown):
            yield from types.terms(value.definition.terms, Type(value.type.domain, value.definition.rows))
        else:
            yield from (f"value {number}: {why}" for why in types.value(cast("Block", value)))


def follow(formula: Lowerable, method: Method) -> None:
    """Lower a formula pass by pass."""
    graph = Graph(method=method)
    graph.wanted = door.lifted(Lift(graph), door.named_formulas(formula))
    assert list(complaints(graph)) == [], "after the lift"
    for one in PASSES:
        one(graph)
        assert list(complaints(graph)) == [], f"after {one.__name__}"


@pytest.mark.parametrize("method", get_args(Method))
def test_the_formulas_of_the_pages(method: Method) -> None:
    for e in pages().values():
        try:
            follow(e, method)
        except NotLowerable:
            continue


@given(expressions())
@settings(max_examples=60)
def test_random_formulas(e: Expr) -> None:
    for method in ("auto", "orthogonal", "refined"):
        try:
            follow(e, method)
        except NotLowerable:
            return
