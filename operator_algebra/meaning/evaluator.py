"""The plain meaning of an expression: block matrices, multiplied, added and inverted as the formula says.

Requests wait on an explicit stack, so the depth of a formula is not limited by Python's.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from operator_algebra.arguments import Redundant
from operator_algebra.errors import SingularError
from operator_algebra.expressions.nodes import Expr, Fixpoint, Product, Scale, Sum
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.meaning.extent import SPARSE_ENTRY, entries, refuse_beyond
from operator_algebra.meaning.source import Source
from operator_algebra.operators.arrays import Conditions, Sums
from operator_algebra.operators.blockdict import Sparse
from operator_algebra.operators.blocks import BlockMatrix


@dataclass(frozen=True, eq=False)
class Environment:
    """Values of the bound variables of a recursion, and the nodes whose value depends on them."""

    values: Mapping[Expr, BlockMatrix]
    open: frozenset[Expr]


class Request(NamedTuple):
    """What is asked of a node: its value, its value times a column, or its size before cancellation."""

    kind: Literal["value", "apply", "magnitude"]
    node: Expr
    column: BlockMatrix | None = None
    environment: Environment | None = None


_SOUND: Conditions = np.ones(1)


class Worst(NamedTuple):
    """The worst condition number among what a value was made by inverting, and what had it.

    One for each of the mechanisms that stand beside each other, of which the worst names the culprit.
    """

    condition: Conditions = _SOUND
    culprit: Expr | None = None


def worst(*found: Worst) -> Worst:
    """The worst of all, the first among equals."""
    told = [one for one in found if one.culprit is not None]
    if len(told) < 2:
        return told[0] if told else Worst()
    condition = reduce(np.maximum, (one.condition for one in told))
    return Worst(condition, max(told, key=lambda one: one.condition.max()).culprit)


T = TypeVar("T", covariant=True)
Steps = Generator[Request, Any, T]
"""What finds an answer by requests; what is sent back is of the sort that was asked for."""

Answer: TypeAlias = "BlockMatrix | Sparse"
"""A value, or sizes."""

Key = tuple[str, Expr, int, int]
Recursions: TypeAlias = "dict[Key, tuple[Request, Answer, Worst]]"
"""What an evaluation has found of recursions."""


@dataclass
class Evaluation:
    """One evaluation: a source of leaves, a limit of memory, and everything found so far."""

    source: Source
    limit: float
    scaling: bool = False
    """Whether sizes before cancellation are wanted of everything, not only of what is inverted."""
    condition: float = 1.0
    culprit: Expr | None = None
    depth: int = 0
    redundant: Redundant = "raise"
    """What is done where rows of an operator of no body depend on each other."""
    beside: int = 1
    """How many mechanisms of one tree stand beside each other, each with conditions of its own."""
    keep: bool = False
    """Whether every value is kept, also what has one place: to look for the first that is not finite."""
    environments: dict[tuple[Expr, int], Environment] = field(default_factory=dict[tuple[Expr, int], Environment])
    _uses: dict[Expr, int] = field(default_factory=dict[Expr, int])
    _found: Recursions = field(default_factory=dict[Key, tuple[Request, Answer, Worst]])
    _noted: list[Worst] = field(default_factory=list[Worst])

    def __post_init__(self) -> None:
        self.depth = int(self.source.level.max(initial=0)) + 1

    def value(self, e: Expr) -> BlockMatrix:
        """The value of an expression."""
        self.announce(e)
        return self.run(Request("value", e))

    def announce(self, e: Expr) -> None:
        """Count the places where each part of an expression is used: what has one place need not be kept."""
        for node in postorder(e, children_and_definition):
            for child in children_and_definition(node):
                self._uses[child] = self._uses.get(child, 0) + 1

    def magnitude(self, e: Expr) -> Sparse:
        """Sizes of the blocks before cancellation, a sparse array (block rows, block columns)."""
        return self.run(Request("magnitude", e))

    def run(self, request: Request) -> Any:
        """Answer a request and all that it leads to; overflow is told by whoever looks at the value."""
        return self.weighed(request)[0]

    def weighed(self, request: Request) -> tuple[Any, Worst]:
        """The answer, and the worst of what was inverted for it, whoever asked for that first."""
        outside = len(self._noted)
        self._noted.append(Worst())
        try:
            with np.errstate(all="ignore"):
                return self._run(request), self._noted[-1]
        finally:
            del self._noted[outside:]

    def _run(self, request: Request) -> Any:
        stack: list[tuple[Request, Steps[Answer]]] = []
        pending: Request | None = request
        answer: Answer | None = None
        failed: SingularError | None = None
        while True:
            if pending is not None:
                pending = self._closed(pending)
                known = self._found.get(_key(pending))
                if known is None:
                    stack.append((pending, self._steps(pending)))
                    self._noted.append(Worst())
                    answer = None
                else:
                    answer = known[1]
                    self._note(known[2])
            if not stack:
                return answer
            current, steps = stack[-1]
            try:
                # What is singular is told to whoever asked for it: it may know another way.
                pending = steps.send(answer) if failed is None else steps.throw(failed)
                failed = None
            except StopIteration as stop:
                stack.pop()
                found: Answer = stop.value
                answer = found
                pending = failed = None
                noted = self._noted.pop()
                self._note(noted)
                if isinstance(answer, BlockMatrix) and not answer.exact:
                    # Else whoever first needs them in order changes the rounding of others.
                    answer.stored.sort_indices()
                brief = isinstance(current.node, Sum | Product | Scale) and self._uses.get(current.node) == 1
                if self.keep or not brief:
                    self._found[_key(current)] = (current, found, noted)
            except SingularError as error:
                stack.pop()
                self._noted.pop()
                if not stack:
                    raise
                pending, failed = None, error.with_traceback(None)

    def recursions(self) -> Recursions:
        """The recursions solved so far that depend on nothing else."""
        return {
            key: known
            for key, known in self._found.items()
            if isinstance(known[0].node, Fixpoint) and known[0].kind == "value" and known[0].environment is None
        }

    def recall(self, solved: Recursions) -> None:
        """Know recursions that another evaluation has solved for the same source."""
        self._found.update(solved)

    def first_not_finite(self) -> tuple[Request, BlockMatrix] | None:
        """The first value of those kept that is not finite, in the order in which they were found."""
        for request, found, _ in self._found.values():
            if isinstance(found, BlockMatrix) and not found.finite:
                return request, found
        return None

    def _closed(self, request: Request) -> Request:
        """The request without an environment on which it does not depend."""
        here = request.environment
        if here is not None and request.node not in here.open:
            return request._replace(environment=None)
        return request

    def _steps(self, request: Request) -> Steps[Answer]:
        from operator_algebra.meaning.columns import apply_steps
        from operator_algebra.meaning.magnitudes import magnitude_steps
        from operator_algebra.meaning.rules import value_steps

        if request.kind == "value":
            return value_steps(self, request)
        return apply_steps(self, request) if request.kind == "apply" else magnitude_steps(self, request)

    def inverted(self, conditions: Sums, culprit: Expr) -> None:
        """Remember the worst condition number among what is inverted: one is given for each row."""
        condition = np.fmax.reduce(conditions.reshape(self.beside, -1), axis=-1, initial=1.0)
        largest = float(condition.max())
        if largest > self.condition:
            self.condition, self.culprit = largest, culprit
        if largest > 1.0:
            self._note(Worst(condition, culprit))

    def _note(self, found: Worst) -> None:
        if self._noted and found.culprit is not None:
            self._noted[-1] = worst(self._noted[-1], found)

    def afford(self, e: Expr, *, dense: bool = False) -> None:
        """Refuse an expression whose value does not fit into the limit."""
        shape = self.source.layout(e.type.codomain).size, self.source.layout(e.type.domain).size
        needed = 16.0 * shape[0] * shape[1] if dense else SPARSE_ENTRY * entries(e, self.source)
        refuse_beyond(self.limit, needed, e, self.source.binding.name, shape)


def _key(request: Request) -> Key:
    return request.kind, request.node, id(request.column), id(request.environment)
