"""Block products: equal ones are computed once, and the update of a Riccati equation is one instruction."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import operator
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.lowering.graph import Graph, Method
from operator_algebra.lowering.products import (
    name_common_prefixes,
    recognise_grams,
    recognise_updates,
    reuse_products,
)
from operator_algebra.lowering.values import Value
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, space
from operator_algebra.programs.instructions import Invert, Linear, Reduce, Update
from operator_algebra.programs.records import Ref
from tests.lowering.meant import Meant, given, kept_by, leaves_of, same, term


def factors(graph: Graph, number: int) -> list[tuple[Ref, ...]]:
    definition = graph[number].definition
    assert isinstance(definition, Linear)
    return [one.factors for one in definition.terms]


def test_a_product_and_its_adjoint_are_read_where_they_stand_in_a_row() -> None:
    graph = Graph()
    m, h = given(graph, s.M), Ref(given(graph, s.H))
    graph.put(m, replace(graph[m], symmetric=True))
    crossed = graph.linear(RATE >> FORCE, [term(m, h.T)])
    pivot = graph.linear(RATE >> TORQUE, [term(h, m, h.T)])
    turned = graph.linear(MOTION >> TORQUE, [term(h, m, times=2)])
    kept_by(reuse_products, graph, crossed, pivot, turned)
    assert factors(graph, pivot) == [(Ref(crossed).T, h.T)]
    assert factors(graph, turned) == [(Ref(crossed).T,)]
    assert factors(graph, crossed) == [(Ref(m), h.T)]


def test_a_pair_that_two_products_share_gets_a_value() -> None:
    graph = Graph()
    m, h = given(graph, s.M), Ref(given(graph, s.H))
    pivot = graph.linear(RATE >> TORQUE, [term(h, m, h.T)])
    inverse = Ref(graph.new(TORQUE >> RATE, Invert(Ref(pivot))))
    gain = graph.linear(TORQUE >> FORCE, [term(m, h.T, inverse)])

    def both(graph: Graph) -> None:
        name_common_prefixes(graph)
        reuse_products(graph)

    kept_by(both, graph, pivot, gain)
    (first,), (second,) = factors(graph, pivot), factors(graph, gain)
    assert first[-1] == second[0]
    assert factors(graph, first[-1].value) == [(Ref(m), h.T)]


def riccati(method: Method = "auto", *, noise: bool = False, sign: int = -1) -> tuple[Graph, int]:
    """P − P H* D⁻¹ H P at one body, with P = M and D = H P H* + J."""
    graph = Graph(method=method)
    h = Ref(given(graph, s.H))
    m = given(graph, s.M)
    graph.put(m, replace(graph[m], symmetric=True))
    further = [term(given(graph, s.armature))] if noise else []
    pivot = graph.linear(RATE >> TORQUE, [term(h, m, h.T), *further])
    graph.put(pivot, replace(graph[pivot], symmetric=True))
    inverse = graph.new(TORQUE >> RATE, Invert(Ref(pivot)))
    definition = Linear((term(m), term(m, h.T, inverse, h, m, times=sign)))
    number = graph.reserve()
    graph.put(number, Value(MOTION >> FORCE, definition, symmetric=True))
    return graph, number


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("method", ["auto", "joseph"])
def test_an_update_is_recognised_and_computes_the_same(method: Method, noise: bool) -> None:
    graph, number = riccati(method, noise=noise)
    kept_by(recognise_updates, graph, number)
    update = graph[number].definition
    assert isinstance(update, Update)
    assert (update.J is not None) == noise
    assert update.joseph == (method == "joseph")
    (written,) = factors(graph, update.gain.value)
    assert len(written) == 3


def test_another_sign_is_no_update() -> None:
    graph, number = riccati(sign=1)
    recognise_updates(graph)
    assert isinstance(graph[number].definition, Linear)


def test_what_nothing_calls_symmetric_is_no_update() -> None:
    graph, number = riccati()
    graph.put(number, replace(graph[number], symmetric=False))
    recognise_updates(graph)
    assert isinstance(graph[number].definition, Linear)


def test_an_update_without_noise_leaves_nothing_in_the_released_directions() -> None:
    graph, number = riccati()
    recognise_updates(graph)
    meant = Meant.on(leaves_of(graph))
    left, h = meant.computed(graph, number, given(graph, s.H))
    assert same(h @ left, 0 * (h @ left))


def gram(*, sign: int = 1, other: bool = False) -> tuple[Graph, int, int]:
    """Σ C* H* (M_H)⁻¹ H C over a detached space, and its inverse; or with another factor on one side."""
    loop = space("loop", attached=False)
    graph = Graph()
    m, h = given(graph, s.M), Ref(given(graph, s.H))
    graph.put(m, replace(graph[m], symmetric=True))
    pivot = graph.linear(RATE >> TORQUE, [term(h, m, h.T)])
    graph.put(pivot, replace(graph[pivot], symmetric=True))
    inverse = graph.new(TORQUE >> RATE, Invert(Ref(pivot)))
    graph.put(inverse, replace(graph[inverse], symmetric=True))
    c = given(graph, as_symbol(operator("C", loop >> FORCE)))
    epsilon = graph.linear(loop >> TORQUE, [term(h, c, times=sign)])
    nu = graph.linear(loop >> RATE, [term(inverse, epsilon)])
    left = given(graph, as_symbol(operator("B", loop >> TORQUE))) if other else epsilon
    total = graph.new(loop >> loop.dual, Reduce((term(Ref(left, star=True), nu),)))
    return graph, total, graph.new(loop.dual >> loop, Invert(Ref(total)))


def as_symbol(e: Expr) -> Symbol:
    assert isinstance(e, Symbol)
    return e


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gram_sum_and_its_inverse_are_their_own_adjoints(sign: int) -> None:
    graph, total, inverse = gram(sign=sign)
    recognise_grams(graph)
    assert graph[total].symmetric
    assert graph[inverse].symmetric


def test_a_sum_between_different_columns_is_not_its_own_adjoint() -> None:
    graph, total, inverse = gram(other=True)
    recognise_grams(graph)
    assert not graph[total].symmetric
    assert not graph[inverse].symmetric
