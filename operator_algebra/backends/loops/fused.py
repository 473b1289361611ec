"""Products that nothing reads but sums: one operation with each of these, and one rounding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from operator_algebra.backends.scalar import graph
from operator_algebra.backends.scalar.graph import Node


class Fused(NamedTuple):
    """± a b ± c."""

    a: Node
    b: Node
    c: Node
    product: int
    """The sign of a b."""
    rest: int
    """The sign of c."""


def fused(ends: Sequence[Node], there: Container[int] = ()) -> dict[int, Fused]:
    """The sums on the way to some nodes, by number, that take a product with them, if it is not there already.

    >>> from operator_algebra.backends.scalar.graph import Graph
    >>> x, y, z = map(Graph().input, range(3))
    >>> fused([x * y - z])[(x * y - z).number][3:], fused([x * y - z, x * y])
    ((1, -1), {})
    """
    several = graph.needed(ends)
    uses = Counter(one.number for node in several for one in node.arguments)
    uses.update(node.number for node in ends)
    found: dict[int, Fused] = {}
    taken: Counter[int] = Counter()
    for node in several:
        if node.operation in ("add", "subtract") and node.a is not node.b:
            products = [one for one in (node.a, node.b) if one.operation == "multiply" and one.number not in there]
            if products:
                # Of two the later one: the other is there by then.
                one = min(products, key=lambda product: (uses[product.number], -product.number))
                sign = 1 if node.operation == "add" else -1
                first = one is node.a
                rest = node.b if first else node.a
                found[node.number] = Fused(one.a, one.b, rest, 1 if first else sign, sign if first else 1)
                taken[one.number] += 1
    parts = {node.number: node for node in several}
    whole = {number for number, count in taken.items() if count == uses[number]}
    return {n: one for n, one in found.items() if _product_of(parts[n], one).number in whole}


def _product_of(node: Node, one: Fused) -> Node:
    return node.b if one.c is node.a else node.a


def needed(ends: Sequence[Node], joined: Mapping[int, Fused], there: Container[int] = ()) -> list[Node]:
    """The nodes that some follow from, each after what it reads, without products that are parts of sums.

    Those that are there already, by number, are left out, and what they follow from.
    """
    read = {node.number for node in ends}
    found: list[Node] = []
    for node in reversed(graph.needed(ends)):
        if node.number in read and node.number not in there:
            found.append(node)
            one = joined.get(node.number)
            read |= {part.number for part in (one[:3] if one is not None else node.arguments)}
    return found[::-1]
