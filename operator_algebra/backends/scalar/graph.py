"""Scalar operations as nodes of one graph: equal ones are one node, and what is known is folded when it is made.

Every rule is an identity of the real numbers. Those that cancel, as x + (z − x) = z, hold for finite numbers and leave
out rounding; sines and roots are operations of their own, so that nothing inside them is rearranged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, SupportsFloat, TypeGuard

import numpy as np

Operation = Literal[
    "constant",
    "input",
    "add",
    "subtract",
    "multiply",
    "negative",
    "reciprocal",
    "sqrt",
    "abs",
    "max",
    "sin",
    "cos",
    "log",
]


class Untraceable(Exception):
    """What is traced asks a node for its value: a comparison, or a function that nodes have not."""


class Node:
    """One operation of a graph; arithmetic with nodes and numbers makes new ones.

    `value` is the number of a constant, or the place of an input among the arguments of a kernel. Operands that there
    are not, `a` and `b`, are the node itself.
    """

    __slots__ = ("a", "b", "graph", "number", "operation", "value")

    def __init__(
        self, graph: Graph, number: int, operation: Operation, a: Node | None, b: Node | None, value: float
    ) -> None:
        self.graph = graph
        self.number = number
        self.operation: Operation = operation
        self.a = self if a is None else a
        self.b = self if b is None else b
        self.value = value

    def __repr__(self) -> str:
        """Operands by their numbers: what they are made of has no end."""
        if self.operation == "constant":
            return repr(self.value)
        if self.operation == "input":
            return f"x{int(self.value)}"
        named = (repr(one) if one.a is one else f"#{one.number}" for one in self.arguments)
        return f"{self.operation}({', '.join(named)})"

    @property
    def arguments(self) -> tuple[Node, ...]:
        """What the operation reads."""
        if self.a is self:
            return ()
        return (self.a,) if self.b is self else (self.a, self.b)

    @property
    def known(self) -> bool:
        """Whether it is a number."""
        return self.operation == "constant"

    def __bool__(self) -> bool:
        raise Untraceable("whether a node is zero is not known")

    def __lt__(self, other: object) -> bool:
        raise Untraceable("nodes are not compared")

    __le__ = __gt__ = __ge__ = __lt__

    def __add__(self, other: object) -> Node:
        return self.graph.add(self, self.graph.of(other)) if _is_number(other) else NotImplemented

    def __radd__(self, other: object) -> Node:
        return self.graph.add(self, self.graph.of(other)) if _is_number(other) else NotImplemented

    def __sub__(self, other: object) -> Node:
        return self.graph.subtract(self, self.graph.of(other)) if _is_number(other) else NotImplemented

    def __rsub__(self, other: object) -> Node:
        return self.graph.subtract(self.graph.of(other), self) if _is_number(other) else NotImplemented

    def __mul__(self, other: object) -> Node:
        return self.graph.multiply(self, self.graph.of(other)) if _is_number(other) else NotImplemented

    def __rmul__(self, other: object) -> Node:
        return self.graph.multiply(self, self.graph.of(other)) if _is_number(other) else NotImplemented

    def __truediv__(self, other: object) -> Node:
        return self.graph.divide(self, self.graph.of(other)) if _is_number(other) else NotImplemented

    def __rtruediv__(self, other: object) -> Node:
        return self.graph.divide(self.graph.of(other), self) if _is_number(other) else NotImplemented

    def __neg__(self) -> Node:
        return self.graph.negative(self)

    def __abs__(self) -> Node:
        return self.graph.absolute(self)

    def sin(self) -> Node:
        """The name that NumPy calls on arrays of objects."""
        return self.graph.sine(self)

    def cos(self) -> Node:
        """The name that NumPy calls on arrays of objects."""
        return self.graph.cosine(self)

    def sqrt(self) -> Node:
        """The name that NumPy calls on arrays of objects."""
        return self.graph.root(self)


Scalar = Node | SupportsFloat
"""A node, or a number that becomes one."""


def _is_number(x: object) -> TypeGuard[Scalar]:
    return type(x) is Node or isinstance(x, int | float | Fraction | np.number)


class Graph:
    """Nodes by what they are.

    >>> graph = Graph()
    >>> x, y = graph.input(0), graph.input(1)
    >>> (x + y) is (y + x), x + (y - x), 2 * x - x * 2, x * y
    (True, x1, 0.0, multiply(x0, x1))
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._made: dict[tuple[Operation, int, int], Node] = {}
        self._constants: dict[float, Node] = {}
        self._inputs: dict[int, Node] = {}
        self.zero = self.of(0.0)
        self.one = self.of(1.0)

    # -- what is given ---------------------------------------------------------------------------------------------

    def of(self, x: Scalar) -> Node:
        """A node as it is, a number as a constant; there is one zero."""
        if isinstance(x, Node):
            return x
        value = float(x) + 0.0
        found = self._constants.get(value)
        if found is None:
            if not math.isfinite(value):
                raise Untraceable("a number of the model leaves the range of floats")
            found = self._constants[value] = self._new("constant", None, None, value)
        return found

    def input(self, place: int) -> Node:
        """An argument of the kernel."""
        found = self._inputs.get(place)
        if found is None:
            found = self._inputs[place] = self._new("input", None, None, place)
        return found

    def _new(self, operation: Operation, a: Node | None, b: Node | None, value: float = 0.0) -> Node:
        node = Node(self, len(self.nodes), operation, a, b, value)
        self.nodes.append(node)
        return node

    def _node(self, operation: Operation, a: Node, b: Node | None = None) -> Node:
        key = (operation, a.number, -1 if b is None else b.number)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._new(operation, a, b)
        return found

    # -- arithmetic ------------------------------------------------------------------------------------------------

    def add(self, a: Node, b: Node) -> Node:
        """a + b; x + (z − x) = z."""
        if a is self.zero:
            return b
        if b is self.zero:
            return a
        if a.operation == "constant" and b.operation == "constant":
            return self.of(a.value + b.value)
        if b.operation == "negative":
            return self.subtract(a, b.a)
        if a.operation == "negative":
            return self.subtract(b, a.a)
        if b.operation == "subtract" and b.b is a:
            return b.a
        if a.operation == "subtract" and a.b is b:
            return a.a
        return self._node("add", a, b) if a.number <= b.number else self._node("add", b, a)

    def subtract(self, a: Node, b: Node) -> Node:
        """a − b; x − (x − z) = z, (x + y) − y = x; there is one node for a difference and its opposite."""
        if a is b:
            return self.zero
        if b is self.zero:
            return a
        if a is self.zero:
            return self.negative(b)
        if a.operation == "constant" and b.operation == "constant":
            return self.of(a.value - b.value)
        if b.operation == "negative":
            return self.add(a, b.a)
        if a.operation == "negative":
            return self.negative(self.add(a.a, b))
        if b.operation == "subtract" and b.a is a:
            return b.b
        if a.operation == "add" and (a.b is b or a.a is b):
            return a.a if a.b is b else a.b
        opposite = self._made.get(("subtract", b.number, a.number))
        return self._node("subtract", a, b) if opposite is None else self.negative(opposite)

    def multiply(self, a: Node, b: Node) -> Node:
        """a b; signs come first."""
        if a is self.zero or b is self.zero:
            return self.zero
        if a is self.one:
            return b
        if b is self.one:
            return a
        if a.operation == "constant" and b.operation == "constant":
            return self.of(a.value * b.value)
        if a.operation == "negative":
            return self.negative(self.multiply(a.a, b))
        if b.operation == "negative":
            return self.negative(self.multiply(a, b.a))
        if a.operation == "constant" and a.value < 0.0:
            return self.negative(self.multiply(self.of(-a.value), b))
        if b.operation == "constant" and b.value < 0.0:
            return self.negative(self.multiply(self.of(-b.value), a))
        return self._node("multiply", a, b) if a.number <= b.number else self._node("multiply", b, a)

    def negative(self, a: Node) -> Node:
        """−a; −(y − z) is z − y where that is there already."""
        if a.operation == "constant":
            return self.of(-a.value)
        if a.operation == "negative":
            return a.a
        if a.operation == "subtract":
            opposite = self._made.get(("subtract", a.b.number, a.a.number))
            if opposite is not None:
                return opposite
        return self._node("negative", a)

    def reciprocal(self, a: Node) -> Node:
        """1 / a."""
        if a.operation == "constant":
            return self.of(1.0 / a.value)
        if a.operation == "reciprocal":
            return a.a
        if a.operation == "negative":
            return self.negative(self.reciprocal(a.a))
        return self._node("reciprocal", a)

    def divide(self, a: Node, b: Node) -> Node:
        """a / b, by the reciprocal."""
        return self.one if a is b else self.multiply(a, self.reciprocal(b))

    # -- functions -------------------------------------------------------------------------------------------------

    def absolute(self, a: Node) -> Node:
        """|a|."""
        if a.operation == "constant":
            return self.of(abs(a.value))
        if a.operation == "negative":
            return self.absolute(a.a)
        return a if a.operation in ("abs", "sqrt") else self._node("abs", a)

    def root(self, a: Node) -> Node:
        """√a."""
        return self.of(math.sqrt(a.value)) if a.operation == "constant" else self._node("sqrt", a)

    def logarithm(self, a: Node) -> Node:
        """log a."""
        return self.of(math.log(a.value)) if a.operation == "constant" else self._node("log", a)

    def largest(self, several: Iterable[Node]) -> Node:
        """The largest of some numbers; 0 of none."""
        found: Node | None = None
        for a in several:
            if found is None or found is a:
                found = a
            elif found.operation == "constant" and a.operation == "constant":
                found = self.of(max(found.value, a.value))
            else:
                found = self._node("max", found, a) if found.number < a.number else self._node("max", a, found)
        return self.zero if found is None else found

    def sine(self, a: Node) -> Node:
        """sin a, odd; sin(x + g) = sin x cos g + cos x sin g for an argument x and a number g."""
        if a.operation == "constant":
            return self.of(math.sin(a.value))
        if a.operation == "negative":
            return self.negative(self.sine(a.a))
        if _further(a):
            x, g = a.a, a.b
            return self.add(
                self.multiply(self.sine(x), self.cosine(g)),
                self.multiply(self.cosine(x), self.sine(g)),
            )
        return self._node("sin", a)

    def cosine(self, a: Node) -> Node:
        """cos a, even; cos(x + g) = cos x cos g − sin x sin g."""
        if a.operation == "constant":
            return self.of(math.cos(a.value))
        if a.operation == "negative":
            return self.cosine(a.a)
        if _further(a):
            x, g = a.a, a.b
            return self.subtract(
                self.multiply(self.cosine(x), self.cosine(g)),
                self.multiply(self.sine(x), self.sine(g)),
            )
        return self._node("cos", a)


def _further(a: Node) -> bool:
    """Whether it is an argument and a number: the sine and cosine of the argument alone are known soonest."""
    return a.operation == "add" and {a.a.operation, a.b.operation} == {"input", "constant"}


def needed(wanted: Iterable[Node]) -> list[Node]:
    """The nodes that some follow from, each after what it reads."""
    ends = list(wanted)
    if not ends:
        return []
    made = ends[0].graph.nodes  # in which operands stand before what reads them
    read = bytearray(len(made))
    for node in ends:
        read[node.number] = 1
    for node in reversed(made):
        if read[node.number]:
            read[node.a.number] = read[node.b.number] = 1
    return [node for node in made if read[node.number]]


def operations(wanted: Iterable[Node]) -> dict[str, int]:
    """How many operations of each kind some nodes take."""
    counted: dict[str, int] = {}
    for node in needed(wanted):
        if node.operation not in ("constant", "input"):
            counted[node.operation] = counted.get(node.operation, 0) + 1
    return counted
