"""Operation counts of a program: dense block algebra, as a function of the topology and the degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from operator_algebra.lowering.program import Program, Step
from operator_algebra.lowering.values import Call, Invert, Linear, Reduce, Ref, RootOf, Shift, Term, Update
from operator_algebra.operators.spaces import Space


class _Joint(Protocol):
    nv: ClassVar[int]


class _Body(Protocol):
    @property
    def joint(self) -> _Joint: ...


class Topology(Protocol):
    """All that a count needs of a mechanism."""

    @property
    def n(self) -> int: ...
    @property
    def parent(self) -> Sequence[int]: ...
    @property
    def bodies(self) -> Sequence[_Body]: ...


@dataclass(frozen=True, slots=True)
class Cost:
    """Multiplications and additions, body by body and sweep by sweep."""

    per_body: tuple[int, ...]
    per_stage: tuple[tuple[str, int], ...]
    order: str

    @property
    def total(self) -> int:
        return sum(self.per_body)

    def __repr__(self) -> str:
        mean = self.total / max(1, len(self.per_body))
        return f"Cost  {self.order}   {mean:.0f} flops per body   {self.total} in total"


def cost(program: Program, model: Topology) -> Cost:
    """Count a program for a mechanism."""
    from operator_algebra.lowering.pseudocode import order

    counter = _Counter(program, model)
    bodies = [0] * model.n
    stages: list[tuple[str, int]] = []
    for stage in program.stages:
        total = 0
        for step in stage.steps:
            if stage.direction == "once":
                continue
            for body in range(model.n):
                flops = counter.step(step, body)
                bodies[body] += flops
                total += flops
        stages.append((stage.direction, total))
    return Cost(tuple(bodies), tuple(stages), order(program))


class _Counter:
    def __init__(self, program: Program, model: Topology) -> None:
        self._program = program
        self._nv = [body.joint.nv for body in model.bodies]
        self._total = {"joint": sum(self._nv), "spatial": 6 * model.n}
        self._children = [0] * model.n
        for parent in model.parent:
            if parent >= 0:
                self._children[parent] += 1
        self._roots = [parent < 0 for parent in model.parent]
        self._known: dict[tuple[int, int, int, bool], int] = {}

    def size(self, space: Space, body: int) -> int:
        """The block size of a space at a body; a user's own spaces count as six."""
        if space.sizes.startswith("total:"):
            return self._total.get(space.sizes[6:], 6)
        sizes = {"one": 1, "joint": self._nv[body], "spatial": 6}
        return sum(sizes.get(part, 6) for part in space.sizes.split("+"))

    def step(self, step: Step, body: int) -> int:
        key = (step.number, self._nv[body], self._children[body], self._roots[body])
        if key not in self._known:
            self._known[key] = self._count(step, body)
        return self._known[key]

    def _shape(self, ref: Ref, body: int) -> tuple[int, int]:
        type_ = self._program.steps[ref.value].type
        rows, columns = self.size(type_.codomain, body), self.size(type_.domain, body)
        return (columns, rows) if ref.star else (rows, columns)

    def _term(self, term: Term, body: int) -> int:
        """Multiply a product out from the right."""
        shapes = [self._shape(ref, body) for ref in term.factors]
        if not shapes:
            return 0
        columns = shapes[-1][1]
        return sum(2 * rows * inner * columns for rows, inner in shapes[:-1])

    def _count(self, step: Step, body: int) -> int:
        rows, columns = self.size(step.type.codomain, body), self.size(step.type.domain, body)
        definition = step.definition
        match definition:
            case Linear() | Reduce():
                adds = max(0, len(definition.terms) - 1) * rows * columns
                return adds + sum(self._term(term, body) for term in definition.terms)
            case Shift():
                edges = self._children[body] if definition.hop.inward else int(not self._roots[body])
                inner = self._shape(definition.source, body)
                one = 2 * rows * inner[0] * inner[1]
                two = 2 * rows * inner[1] * columns if definition.closing is not None else 0
                return edges * (one + two + rows * columns)
            case Invert():
                return 2 * rows**3
            case RootOf():
                return rows**3 // 3
            case Update():
                inner = self._shape(definition.gain, body)[1]
                return 2 * rows * inner * rows * 2 + rows * rows
            case Call():
                return rows
            case _:
                return 0
