"""A graph as a list of calls, read one after the other: of NumPy on rows of samples, or of Python on single floats."""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from operator_algebra.backends.scalar.emit import placed
from operator_algebra.backends.scalar.graph import Node, Operation, needed
from operator_algebra.backends.scalar.sine import turned, turned_rows
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.models.numeric import AT_ONCE, Flags, Numbers, in_parts


class Entry(NamedTuple):
    """One call: the operation, where its operands stand, the second −1 if there is none, and where the result goes."""

    operation: Operation
    a: int
    b: int
    place: int


def of_argument(node: Node) -> bool:
    """Whether it is the sine or cosine of an argument."""
    return node.operation in ("sin", "cos") and node.a.operation == "input"


@dataclass(frozen=True)
class Tape:
    """The calls of a graph.

    First stand the constants, then the arguments, then the sine and the cosine of each argument of which either is
    read, then the rows that calls write.
    """

    constants: tuple[float, ...]
    arguments: int
    turned: tuple[int, ...]
    """The arguments that are angles."""
    entries: tuple[Entry, ...]
    rows: int
    results: tuple[int, ...]
    positive: tuple[int, ...]
    lost: tuple[int, ...]

    @classmethod
    def of(cls, traced: Traced, arguments: int) -> Tape:
        """The calls of a graph with so many arguments."""
        nodes = in_order(traced)
        constants = [node for node in nodes if node.operation == "constant"]
        place = {node.number: i for i, node in enumerate(constants)}
        place |= {node.number: len(constants) + int(node.value) for node in nodes if node.operation == "input"}
        angles = list(dict.fromkeys(int(node.a.value) for node in nodes if of_argument(node)))
        for node in filter(of_argument, nodes):
            turn = len(constants) + arguments + 2 * angles.index(int(node.a.value))
            place[node.number] = turn + (node.operation == "cos")
        start = len(constants) + arguments + 2 * len(angles)
        computed = [node for node in nodes if node.number not in place]
        reads = [(node.a.number,) if node.b is node else (node.a.number, node.b.number) for node in computed]
        entries: list[Entry] = []
        for (node, row), (a, *b) in zip(placed(computed, reads, traced.wanted), reads, strict=True):
            entries.append(Entry(node.operation, place[a], place[b[0]] if b else -1, start + row))
            place[node.number] = start + row

        def places(some: Sequence[Node]) -> tuple[int, ...]:
            return tuple(place[node.number] for node in some)

        rows = max((entry.place + 1 for entry in entries), default=start) - start
        values = tuple(node.value for node in constants)
        chosen = map(places, (traced.entries, traced.positive, traced.lost))
        return cls(values, arguments, tuple(angles), tuple(entries), rows, *chosen)

    @cached_property
    def _on_floats(self) -> list[tuple[Callable[[float, float], float], int, int, int]]:
        return [(_ON_FLOATS[one.operation], one.a, one.b, one.place) for one in self.entries]

    @cached_property
    def _on_rows(self) -> list[tuple[Callable[..., object], int, int, int]]:
        return [(_ON_ROWS[one.operation], one.a, one.b, one.place) for one in self.entries]

    # -- one configuration -----------------------------------------------------------------------------------------

    def single(self, arguments: Sequence[float]) -> tuple[bool, list[float]]:
        """The entries of the results, and whether all these numbers may be trusted."""
        if not _finite(arguments):
            return False, []
        turns = [part for place in self.turned for part in turned(arguments[place])]
        values: list[float] = [*self.constants, *arguments, *turns, *[0.0] * self.rows]
        for function, a, b, place in self._on_floats:
            values[place] = function(values[a], values[b])
        results = [values[place] for place in self.results]
        good = _finite(results) and all(values[place] > 0.0 for place in self.positive)
        return good and sum(values[place] for place in self.lost) < 1.0, results

    # -- many ------------------------------------------------------------------------------------------------------

    def batch(self, arguments: Numbers) -> tuple[Flags, Numbers]:
        """The same for columns of arguments, one for each sample: flags, and entries as rows."""
        count = arguments.shape[1]
        good, results = np.empty(count, dtype=bool), np.empty((len(self.results), count))
        scratch = _scratch(self.rows)
        with np.errstate(all="ignore"):
            for piece in in_parts(count):
                own = scratch[:, : piece.stop - piece.start]
                good[piece] = self._piece(arguments[:, piece], own, results[:, piece])
        return good, results

    def _piece(self, arguments: Numbers, scratch: Numbers, results: Numbers) -> Flags:
        turns = [part for place in self.turned for part in turned_rows(arguments[place])]
        values: list[Numbers] = [*map(np.asarray, self.constants), *arguments, *turns, *scratch]
        for function, a, b, place in self._on_rows:
            if b < 0:
                function(values[a], values[place])
            else:
                function(values[a], values[b], values[place])
        total, lost = np.zeros(arguments.shape[1]), np.zeros(arguments.shape[1])
        for row in arguments:
            total += row
        for i, place in enumerate(self.results):
            results[i] = values[place]
            total += values[place]
        for place in self.lost:
            lost += values[place]
        good: Flags = (total - total == 0.0) & (lost < 1.0)
        for place in self.positive:
            good &= values[place] > 0.0
        return good


def _finite(several: Sequence[float]) -> bool:
    total = sum(several)
    return total - total == 0.0


_local = threading.local()


def _scratch(rows: int) -> Numbers:
    """Memory of this thread, kept for the next call."""
    found: Numbers | None = getattr(_local, "scratch", None)
    if found is None or len(found) < rows:
        found = _local.scratch = np.empty((rows, AT_ONCE))
    return found[:rows]


def logarithm(x: float) -> float:
    """As NumPy has it, of what is positive."""
    return float(np.log(x)) if x > 0.0 else math.nan


def _largest(a: Numbers, b: Numbers, out: Numbers) -> None:
    np.maximum(a, b, out=out)  # only by name


def _sine(x: Numbers, out: Numbers) -> None:
    out[...] = turned_rows(x)[0]


def _cosine(x: Numbers, out: Numbers) -> None:
    out[...] = turned_rows(x)[1]


_ON_FLOATS: dict[Operation, Callable[[float, float], float]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "negative": lambda x, _: -x,
    "reciprocal": lambda x, _: 1.0 / x,
    "sqrt": lambda x, _: math.sqrt(x),
    "abs": lambda x, _: abs(x),
    "max": max,
    "sin": lambda x, _: turned(x)[0],
    "cos": lambda x, _: turned(x)[1],
    "log": lambda x, _: logarithm(x),
}

_ON_ROWS: dict[Operation, Callable[..., object]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "negative": np.negative,
    "reciprocal": np.reciprocal,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "max": _largest,
    "sin": _sine,
    "cos": _cosine,
    "log": np.log,
}


def in_order(traced: Traced) -> list[Node]:
    """The nodes of a graph, each after what it reads; what only tells whether numbers are right, as soon as it can be.

    So nothing has to be kept for it until all results are there.
    """
    first = {node.number: place for place, node in enumerate(needed(traced.entries))}
    nodes = needed(traced.wanted)
    for node in nodes:
        if node.number not in first:
            first[node.number] = max(first.get(node.a.number, -1), first.get(node.b.number, -1))
    return sorted(nodes, key=lambda node: first[node.number])
