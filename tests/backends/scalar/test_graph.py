"""The scalar graph: equal operations are one node, and every rule is an identity of the real numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.backends.scalar.graph import Graph, Node, Untraceable, needed, operations
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from tests.backends.scalar.exact_nodes import value
from tests.rounding import apart, rounding, size

ARGUMENTS = [Fraction(3, 7), Fraction(-5, 2), Fraction(11, 3)]
LEAVES = ["x", "y", "z", "0", "1", "-1", "2", "-3/4"]
Terms = Any
"""A leaf, or an operation on one or two terms."""

TERMS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(st.tuples(st.sampled_from("+-*"), inner, inner), st.tuples(st.just("n"), inner)),
    max_leaves=40,
)


def built(term: Terms, leaf: Callable[[str], Any]) -> Any:
    """The term over numbers of any kind, by their operators."""
    if isinstance(term, str):
        return leaf(term)
    if term[0] == "n":
        return -built(term[1], leaf)
    a, b = (built(part, leaf) for part in term[1:])
    return a + b if term[0] == "+" else a - b if term[0] == "-" else a * b


def exact(leaf: str) -> Fraction:
    return ARGUMENTS["xyz".index(leaf)] if leaf in "xyz" else Fraction(leaf)


@given(TERMS)
@settings(max_examples=500)
def test_a_term_has_the_value_that_it_has_in_fractions(term: Terms) -> None:
    graph = Graph()
    node = built(term, lambda leaf: graph.input("xyz".index(leaf)) if leaf in "xyz" else graph.of(Fraction(leaf)))
    assert value(node, ARGUMENTS) == built(term, exact)


@given(TERMS)
@settings(max_examples=200)
def test_what_is_folded_leaves_no_trace(term: Terms) -> None:
    graph = Graph()
    node = built(term, lambda leaf: graph.input("xyz".index(leaf)) if leaf in "xyz" else graph.of(Fraction(leaf)))
    for each in needed([node]):
        assert graph.zero not in each.arguments
        assert not each.arguments or not all(argument.known for argument in each.arguments)
        if each.operation in ("add", "subtract", "multiply"):
            assert not any(argument.operation == "negative" for argument in each.arguments)
            assert each.operation != "multiply" or graph.one not in each.arguments


def nodes() -> tuple[Graph, Node, Node, Node]:
    graph = Graph()
    return graph, graph.input(0), graph.input(1), graph.input(2)


def test_equal_operations_are_one_node() -> None:
    _, x, y, z = nodes()
    assert x + y is y + x
    assert x * y is y * x
    assert (x + y) * z is z * (y + x)
    assert x - y is -(y - x)
    assert x / y is x * (1 / y)


def test_cancellations() -> None:
    graph, x, _, z = nodes()
    assert x + (z - x) is z
    assert (z - x) + x is z
    assert x - (x - z) is z
    assert (x + z) - z is x
    assert x - x is graph.zero
    assert x / x is graph.one
    assert graph.negative(-x) is x
    assert 1 / (1 / x) is x


def test_signs_of_functions() -> None:
    _, x, _, _ = nodes()
    assert (-x).sin() is -(x.sin())
    assert (-x).cos() is x.cos()
    assert abs(-x) is abs(x)
    assert abs(abs(x)) is abs(x)


def test_an_angle_measured_from_elsewhere_takes_the_sine_and_cosine_of_the_argument() -> None:
    graph, arguments = Graph(), np.linspace(-7.0, 7.0, 29)
    x = graph.input(0)
    for g in (0.3, -2.0, np.pi / 2):
        nodes = (x + g).sin(), (x + g).cos(), (-(x + g)).sin()
        turns = [node for node in needed(nodes) if node.operation in ("sin", "cos")]
        assert set(turns) == {x.sin(), x.cos()}
        _, found = Tape.of(Traced((), nodes, (), ()), 1).batch(arguments[None, :])
        expected = np.sin(arguments + g), np.cos(arguments + g), -np.sin(arguments + g)
        assert apart(found, np.stack(expected)) <= rounding(size(arguments + g), terms=4)


def test_sines_are_opaque() -> None:
    graph, x, y, _ = nodes()
    assert graph.sine(x).arguments == (x,)
    assert operations([(x + y).sin()]) == {"add": 1, "sin": 1}


def test_arrays_of_nodes_call_the_functions_of_numpy() -> None:
    _, x, y, _ = nodes()
    q = np.array([x, y], dtype=object)
    assert np.sin(q).tolist() == [x.sin(), y.sin()]
    assert (q @ np.eye(2)).tolist() == [x, y]
    assert (2.0 / q[:1]).tolist() == [2 / x]
    assert (np.float64(2.0) * x) is 2 * x
    assert np.sqrt(q)[0] is x.sqrt()


def test_values_are_not_asked_for() -> None:
    _, x, y, _ = nodes()
    with pytest.raises(Untraceable):
        bool(x)
    with pytest.raises(Untraceable):
        _ = x < y
    assert x.__add__("1") is NotImplemented


def test_what_no_float_holds_is_not_traced() -> None:
    graph = Graph()
    with pytest.raises(Untraceable):
        graph.multiply(graph.of(1e300), graph.of(1e300))
    with pytest.raises(ZeroDivisionError):
        graph.reciprocal(graph.zero)


def test_only_what_is_needed_is_counted() -> None:
    graph, x, y, z = nodes()
    _ = x * y + z
    assert operations([x + z]) == {"add": 1}
    assert [node.operation for node in needed([x * y + z])] == ["input", "input", "input", "multiply", "add"]
    assert needed([graph.one]) == [graph.one]
