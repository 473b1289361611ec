"""Graphs evaluated in exact fractions: a rule of the graph may change how they are rounded, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from operator_algebra.backends.scalar.graph import Node, needed
from operator_algebra.programs.matrices import Matrix


def value(node: Node, arguments: Sequence[Fraction]) -> Fraction:
    """The value of a node."""
    return values([node], arguments)[0]


def values(wanted: Iterable[Node], arguments: Sequence[Fraction]) -> list[Fraction]:
    """The values of nodes without roots and transcendental functions."""
    several = list(wanted)
    known: dict[int, Fraction] = {}
    for node in needed(several):
        read = [known[argument.number] for argument in node.arguments]
        known[node.number] = _computed(node, read, arguments)
    return [known[node.number] for node in several]


def matrix(block: Matrix, arguments: Sequence[Fraction]) -> list[list[Fraction]]:
    """The values of a block."""
    return [values(row, arguments) for row in block.rows]


def _computed(node: Node, read: Sequence[Fraction], arguments: Sequence[Fraction]) -> Fraction:
    match node.operation:
        case "constant":
            return Fraction(node.value)
        case "input":
            return arguments[int(node.value)]
        case "add":
            return read[0] + read[1]
        case "subtract":
            return read[0] - read[1]
        case "multiply":
            return read[0] * read[1]
        case "negative":
            return -read[0]
        case "reciprocal":
            return 1 / read[0]
        case "abs":
            return abs(read[0])
        case "max":
            return max(read)
        case _:
            raise AssertionError(node.operation)
