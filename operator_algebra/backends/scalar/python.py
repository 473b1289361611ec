"""A graph as a function of plain Python floats, for one configuration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast

from operator_algebra.backends.scalar.emit import placed, uses
from operator_algebra.backends.scalar.graph import Node, needed
from operator_algebra.backends.scalar.sine import turned
from operator_algebra.backends.scalar.tape import logarithm, of_argument
from operator_algebra.backends.scalar.traced import Traced

PythonKernel = Callable[[Sequence[float]], tuple[bool, list[float]]]
"""From the arguments to whether all numbers may be trusted, and the entries of the results."""

_DEEPEST = 30
"""So many operations may stand within one another on a line."""
_WRITTEN = {
    "add": "({} + {})",
    "subtract": "({} - {})",
    "multiply": "({} * {})",
    "negative": "(-{})",
    "reciprocal": "(1.0 / {})",
    "sqrt": "sqrt({})",
    "abs": "abs({})",
    "max": "max({}, {})",
    "sin": "turned({})[0]",
    "cos": "turned({})[1]",
    "log": "log({})",
}


def python_kernel(traced: Traced, arguments: int) -> PythonKernel:
    """The compiled function of so many arguments."""
    names: dict[str, object] = {
        "sqrt": math.sqrt,
        "turned": turned,
        "log": logarithm,
    }
    exec(compile(python_source(traced, arguments), "<kernel>", "exec"), names)
    return cast("PythonKernel", names["kernel"])


def python_source(traced: Traced, arguments: int) -> str:
    """The source of the function `kernel`.

    >>> from operator_algebra.backends.scalar.graph import Graph
    >>> from operator_algebra.backends.scalar.traced import Traced
    >>> graph = Graph()
    >>> x, y = graph.input(0), graph.input(1)
    >>> print(python_source(Traced((), ((x + y) * x.cos(),), (), (y,)), 2))
    def kernel(arguments):
        x0, x1, = arguments
        total = x0 + x1
        if total - total != 0.0:
            return False, []
        s0, c0 = turned(x0)
        a0 = ((x0 + x1) * c0)
        total = a0
        return total - total == 0.0 and x1 < 1.0, [a0]
    """
    nodes = needed(traced.wanted)
    lines = ["def kernel(arguments):"]
    if arguments:
        given = [f"x{place}" for place in range(arguments)]
        lines += [f"    {', '.join(given)}, = arguments", f"    total = {' + '.join(given)}"]
        lines += ["    if total - total != 0.0:", "        return False, []"]
    turning = dict.fromkeys(int(node.a.value) for node in nodes if of_argument(node))
    lines += [f"    s{place}, c{place} = turned(x{place})" for place in turning]
    text = _Text(traced, nodes)
    lines += [f"    {line}" for line in text.lines()]
    entries = [text.of(node) for node in traced.entries]
    lines.append(f"    total = {' + '.join(entries) or 0.0}")
    conditions = ["total - total == 0.0", *(f"{text.of(node)} > 0.0" for node in traced.positive)]
    if traced.lost:
        conditions.append(f"{' + '.join(map(text.of, traced.lost))} < 1.0")
    lines.append(f"    return {' and '.join(conditions)}, [{', '.join(entries)}]")
    return "\n".join(lines)


class _Text:
    """Lines of assignments; what is read once stands where it is read."""

    def __init__(self, traced: Traced, nodes: Sequence[Node]) -> None:
        counted = uses(nodes, (*traced.wanted, *traced.entries))
        depth: dict[int, int] = {}
        self.known: dict[int, str] = {}
        self.within: dict[int, Node] = {}
        self.stored: list[Node] = []
        for node in nodes:
            if node.operation == "constant":
                self.known[node.number] = f"({node.value!r})" if node.value < 0.0 else repr(node.value)
            elif node.operation == "input":
                self.known[node.number] = f"x{int(node.value)}"
            elif of_argument(node):
                self.known[node.number] = f"{node.operation[0]}{int(node.arguments[0].value)}"
            else:
                deep = depth[node.number] = 1 + max(depth.get(read.number, 0) for read in node.arguments)
                if counted[node.number] == 1 and deep < _DEEPEST:
                    self.within[node.number] = node
                else:
                    depth[node.number] = 0
                    self.stored.append(node)
        self.kept = self.reads(traced.wanted)

    def reads(self, nodes: Iterable[Node]) -> list[Node]:
        """The stored nodes that some are written with, themselves among them."""
        found: list[Node] = []
        pending = list(nodes)
        while pending:
            node = pending.pop()
            if node.number in self.within:
                pending.extend(node.arguments)
            elif node.operation != "constant" and not of_argument(node) and node.operation != "input":
                found.append(node)
        return found

    def lines(self) -> Iterator[str]:
        """One for each stored node."""
        reads = [[read.number for read in self.reads(node.arguments)] for node in self.stored]
        for node, place in placed(self.stored, reads, self.kept):
            line = self.written(node)
            self.known[node.number] = f"a{place}"
            yield f"a{place} = {line}"

    def of(self, node: Node) -> str:
        """A node where it is read."""
        known = self.known.get(node.number)
        return self.written(node) if known is None else known

    def written(self, node: Node) -> str:
        """The operation itself."""
        return _WRITTEN[node.operation].format(*map(self.of, node.arguments))
