"""An interpreter of printed pages: reads the ASCII page of a program like a person would, and does what it says.

It shares nothing with the package: text in, numbers out. Pages that write I or 0 inside a block matrix, whose sizes a
reader infers from the context, are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

NOBODY = -2

_TOKEN = re.compile(r"\s*(sum_k|sum|log det|tr|\d+/\d+|\d+|[A-Za-z_]\w*|[()\[\],;'+\-])")


@dataclass
class Machine:
    """A tree, and the values so far: `hops["phi"][k]` is φ(p,k), `values[name][k]` the block of a name at body k."""

    parent: Sequence[int]
    hops: Mapping[str, Mapping[int, Any]]
    values: dict[str, dict[int, Any]]
    walked: dict[tuple[int, int], Any] = field(default_factory=dict[tuple[int, int], Any])

    def children(self, k: int) -> list[int]:
        """The bodies whose parent is k."""
        return [c for c, p in enumerate(self.parent) if p == k]

    def run(self, page: str) -> None:
        """Every loop of the page, one after the other."""
        lines = page.splitlines()
        blocks: list[tuple[str, list[str]]] = []
        for line in lines:
            if line.startswith(("for ", "once")):
                blocks.append((line, []))
            elif line.startswith("    ") and " = " in line and blocks:
                blocks[-1][1].append(re.split(r"    (?:over|p is)", line.strip())[0].strip())
            elif line.startswith(("because", "cost")):
                break
        walk = next(
            (i for i, (head, _) in enumerate(blocks) if head.startswith(("for every body j", "for body j"))), None
        )
        for head, assignments in blocks[:walk]:
            self.loop(head, assignments)
        if walk is not None:
            self.walk(blocks[walk:])

    def loop(self, head: str, assignments: list[str]) -> None:
        """One sweep: children before parents, or parents before children."""
        bodies: Sequence[int] = range(len(self.parent))
        if "tips to the base" in head:
            bodies = list(reversed(bodies))
        for k in [-1] if head == "once" else bodies:
            for line in assignments:
                name, formula = (part.strip() for part in line.split(" = ", 1))
                value = Reader(self, {"k": k, "p": self.parent[k]}).read(formula)
                self.values.setdefault(name.split("(")[0], {})[k] = value

    def walk(self, blocks: list[tuple[str, list[str]]]) -> None:
        """Column by column: body j, its ancestors, the bodies beside them."""
        head = blocks[0][0]
        chosen = re.match(r"for body j = (\d+)", head)
        for j in [int(chosen[1])] if chosen else range(len(self.parent)):
            above = [j]
            while self.parent[above[-1]] >= 0:
                above.append(self.parent[above[-1]])
            for line in (line for _, assignments in blocks for line in assignments):
                self.values.pop(re.split(r"\W", line)[0], None)
            self.assign(blocks[0][1], {"j": j})
            for head, assignments in blocks[1:]:
                if head.startswith("for its ancestors"):
                    for c, i in pairwise(above):
                        self.assign(assignments, {"i": i, "c": c, "j": j})
                else:
                    seen = {j} if head.startswith("for the bodies i below j") else set(above)
                    for i, p in enumerate(self.parent):
                        if i not in seen and p in seen:
                            self.assign(assignments, {"i": i, "p": p, "j": j})
                            seen.add(i)

    def assign(self, assignments: list[str], places: Mapping[str, int]) -> None:
        """The assignments of a walk at one body."""
        for line in assignments:
            left, formula = (part.strip() for part in line.split(" = ", 1))
            value = Reader(self, places).read(formula)
            match = re.fullmatch(r"(\w+)(?:\((\w)(?:,(\w))?\))?", left)
            assert match is not None, left
            if match[3]:
                self.walked[places[match[2]], places[match[3]]] = value
            else:
                self.values.setdefault(match[1], {})[places[match[2]] if match[2] else -1] = value


@dataclass
class Reader:
    """Evaluates one formula at given places."""

    machine: Machine
    places: Mapping[str, int]
    tokens: list[str] = field(default_factory=list[str])

    def read(self, formula: str) -> Any:
        """The value of a whole formula."""
        self.tokens = _TOKEN.findall(formula)
        assert "".join(self.tokens).replace(" ", "") == formula.replace(" ", ""), formula
        value = self.sum()
        assert not self.tokens, (formula, self.tokens)
        return value

    def take(self, expected: str = "") -> str:
        """The next token."""
        token = self.tokens.pop(0)
        assert not expected or token == expected, (token, expected)
        return token

    def ahead(self) -> str:
        """The token that comes next."""
        return self.tokens[0] if self.tokens else ""

    def sum(self) -> Any:
        """Terms with their signs."""
        negative = self.ahead() == "-" and bool(self.take())
        value = self.term()
        value = -value if negative else value
        while self.ahead() in ("+", "-"):
            sign = self.take()
            other = self.term()
            value = _added(value, other if sign == "+" else -other)
        return value

    def term(self) -> Any:
        """A product; `sum` and `sum_k` stand in front of one."""
        word = self.ahead()
        if word in ("tr", "log det"):
            self.take()
            value = self.product()
            return np.trace(value) if word == "tr" else np.linalg.slogdet(value)[1]
        if word not in ("sum", "sum_k"):
            return self.product()
        self.take()
        bodies: Sequence[int] = range(len(self.machine.parent))
        letter = "k"
        if word == "sum":
            bodies, letter = self.machine.children(self.places["k"]), "c"
        reduce: Callable[[Any], Any] | None = None
        if self.ahead() in ("tr", "log det"):
            reduce = np.trace if self.take() == "tr" else lambda block: np.linalg.slogdet(block)[1]
        start = list(self.tokens)
        total: Any = 0.0
        for body in bodies or [NOBODY]:
            inner = Reader(self.machine, {**self.places, letter: body}, list(start))
            value = inner.product()
            self.tokens = inner.tokens
            total = _added(total, value if reduce is None else reduce(value))
        return total

    def product(self) -> Any:
        """Factors side by side."""
        value: Any = None
        while self.ahead() and self.ahead() not in ("+", "-", ")", "]", ",", ";"):
            factor = self.factor()
            if value is None or _nothing(factor):
                value = factor
            elif _nothing(value):
                continue
            else:
                value = value @ factor if np.ndim(value) and np.ndim(factor) else value * factor
        return value

    def factor(self) -> Any:
        """An atom with its stars."""
        value = self.atom()
        while self.ahead() == "'":
            self.take()
            value = np.swapaxes(value, -1, -2) if np.ndim(value) else value
        return value

    def atom(self) -> Any:
        """A name at its place, a number, an inverse, a root, a block matrix, or a sum in parentheses."""
        token = self.take()
        if token == "I":
            return 1.0
        if token[0].isdigit():
            top, _, below = token.partition("/")
            return float(top) / float(below or 1)
        if token == "(":
            return self.closed(")")
        if token == "inv":
            self.take("(")
            return np.linalg.inv(np.asarray(self.closed(")"), dtype=np.float64))
        if token == "root":
            self.take("(")
            return np.linalg.cholesky(np.asarray(self.closed(")"), dtype=np.float64))
        if token == "crossbar":
            self.take("(")
            return _crossbar(self.closed(")"))
        if token == "cross":
            self.take("(")
            return _cross(self.closed(")"))
        if self.ahead() != "(":
            value = self.machine.values[token][-1]
            return float(value[0, 0]) if np.shape(value) == (1, 1) else value
        self.take("(")
        place = [self.take()]
        while self.ahead() == ",":
            self.take()
            place.append(self.take())
        self.take(")")
        return self.at(token, [self.places[letter] for letter in place])

    def at(self, name: str, bodies: list[int]) -> Any:
        """A block: of a hop between two bodies, or of a value at one; nobody and the ground answer with nothing.

        A value that no line above gave to a body is an error of the page.
        """
        machine = self.machine
        if len(bodies) == 1:
            return machine.values[name][bodies[0]] if bodies[0] >= 0 else 0.0
        child = next((b for b, p in (bodies, bodies[::-1]) if b >= 0 and machine.parent[b] == p), NOBODY)
        return machine.hops[name].get(child, 0.0)

    def closed(self, end: str) -> Any:
        """A sum and the bracket behind it."""
        value = self.sum()
        self.take(end)
        return value


def _nothing(value: Any) -> bool:
    return np.ndim(value) == 0 and value == 0


def _added(one: Any, other: Any) -> Any:
    """A sum in which a number beside a square block stands for a multiple of the identity."""
    if _nothing(one) or _nothing(other):
        return other if _nothing(one) else one
    if np.ndim(one) == 0 and np.ndim(other) == 2:
        one = one * np.eye(other.shape[0])
    elif np.ndim(other) == 0 and np.ndim(one) == 2:
        other = other * np.eye(one.shape[0])
    return one + other


def _crossbar(force: Any) -> Any:
    """The block that takes V to cross(V)* F."""
    if np.ndim(force) == 0:
        assert force == 0  # of a body that nothing reaches
        return np.zeros((6, 6))
    turning, pushing = (_skew(force[rows, 0]) for rows in (slice(0, 3), slice(3, 6)))
    return np.block([[turning, pushing], [pushing, np.zeros((3, 3))]])


def _cross(velocity: Any) -> Any:
    """V × on motions, [angular; linear]."""
    if np.ndim(velocity) == 0:
        assert velocity == 0  # what comes from the parent of a root
        return np.zeros((6, 6))
    turning, moving = (_skew(velocity[rows, 0]) for rows in (slice(0, 3), slice(3, 6)))
    return np.block([[turning, np.zeros((3, 3))], [moving, turning]])


def _skew(x: Any) -> Any:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
