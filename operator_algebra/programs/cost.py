"""Operation counts of a program: dense block algebra, as a function of the topology and the degrees of freedom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, assert_never

from operator_algebra.arguments import told
from operator_algebra.errors import InputError
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.instructions import (
    Answer,
    Call,
    Given,
    Hop,
    Invert,
    Linear,
    Part,
    Reduce,
    Relate,
    Resolve,
    RootOf,
    Rounding,
    Shift,
    Stack,
    Surround,
    Total,
    Update,
)
from operator_algebra.programs.program import Output, Program, Step
from operator_algebra.programs.records import Ref, Term
from operator_algebra.programs.walk import Walk


class Topology(Protocol):
    """All that a count needs of a mechanism."""

    @property
    def n(self) -> int: ...
    @property
    def parent(self) -> Sequence[int]: ...
    @property
    def freedoms(self) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class Share:
    """What one stage costs at every body."""

    direction: str
    flops: tuple[int, ...]

    @property
    def total(self) -> int:
        """Of all bodies."""
        return sum(self.flops)


@dataclass(frozen=True, slots=True)
class Cost:
    """Multiplications and additions, body by body and sweep by sweep; walks that read out blocks come last."""

    per_body: tuple[int, ...]
    shares: tuple[Share, ...]
    order: str

    @property
    def total(self) -> int:
        return sum(self.per_body)

    def __repr__(self) -> str:
        mean = self.total / max(1, len(self.per_body))
        return f"Cost  {self.order}   {mean:.0f} flops per body   {self.total} in total"


NO_SIZES: Mapping[str, int] = MappingProxyType({})


def cost(program: Program, model: Topology, sizes: Mapping[str, int] = NO_SIZES) -> Cost:
    """Count a program for a mechanism.

    `sizes` are those of a user's spaces by name, six where they are not told; "joint" stands for every joint.
    """
    from operator_algebra.programs.growth import order

    if not isinstance(getattr(model, "parent", None), tuple):
        raise InputError(f"a program is counted for a model, not for {told(model)}. Load one with load(name).")
    counter = _Counter(program, model, sizes)
    shares: list[Share] = []
    for stage in program.stages:
        once = stage.direction == "once"
        counted = [step for step in stage.steps if not once or isinstance(step.definition, Reduce | Total)]
        shares.append(Share(stage.direction, counter.bodies(counted)))
    walks = [counter.walk(output, output.walk) for output in program.outputs if output.walk is not None]
    if walks:
        shares.append(Share("walk", _added(walks)))
    return Cost(_added([[0] * model.n, *(share.flops for share in shares)]), tuple(shares), order(program))


def _added(bodies: Iterable[Sequence[int]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*bodies, strict=True)))


class _Counter:
    def __init__(self, program: Program, model: Topology, sizes: Mapping[str, int]) -> None:
        self._program = program
        self._sizes = sizes
        self._nv = [sizes["joint"]] * model.n if "joint" in sizes else list(model.freedoms)
        self._total = {"joint": sum(self._nv), "spatial": 6 * model.n}
        self._parent = tuple(model.parent)
        self._children = [0] * model.n
        for parent in model.parent:
            if parent >= 0:
                self._children[parent] += 1
        self._roots = [parent < 0 for parent in model.parent]
        # All that a count asks of a body: of a long chain few bodies differ in that.
        own = list(zip(self._nv, self._children, strict=True))
        told = [(own[k], own[parent], parent < 0) for k, parent in enumerate(self._parent)]
        examples = dict(zip(reversed(told), reversed(range(model.n)), strict=True))
        place = {key: i for i, key in enumerate(examples)}
        self._like = [place[key] for key in told]
        self._examples = list(examples.values())

    def size(self, space: Space, body: int) -> int:
        """The block size of a space at a body; a user's own spaces count as six, if nobody tells."""
        if space.parts:
            return sum(self.size(part, body) for part in space.parts)
        if space.counted is None:
            return {**self._sizes, "joint": self._nv[body], "one": 1, "spatial": 6}.get(space.sizes, 6)
        if space.counted.place is None:
            return self._total.get(space.counted.family, 6)
        # Columns at one body count as those of the widest: a topology has no names.
        return max(self._nv, default=0) if space.counted.family == "joint" else 6

    def bodies(self, steps: Sequence[Step]) -> tuple[int, ...]:
        """What steps cost at every body."""
        costs = [sum(self._count(step, body) for step in steps) for body in self._examples]
        return tuple([costs[place] for place in self._like])

    def _relation(self, definition: Relate, body: int) -> int:
        """Triangularise the local equations with the sums over the children; then the parent takes the body in."""
        own, gathered, sent, received = self._widths(definition, body)
        return _triangle(own + gathered, sent, sent + received) + self._take_in(definition, body)

    def _take_in(self, definition: Relate, body: int) -> int:
        """What a body sends, eliminated from its relation and from the sums of its parent."""
        if self._roots[body]:
            return 0
        _, gathered, _, _ = self._widths(definition, self._parent[body])
        _, _, sent, received = self._widths(definition, body)
        return _triangle(sent, gathered, gathered + received)

    def _surroundings(self, definition: Relate, body: int) -> int:
        """The equations of the parent, with the children before and after, seen from one child."""
        if self._roots[body]:
            return 0
        own, gathered, sent, received = self._widths(definition, self._parent[body])
        around = _triangle(own + 2 * gathered + sent + received, received, sent + received)
        return around + self._take_in(definition, body)

    def _answer(self, definition: Relate, body: int, columns: int) -> int:
        return _triangle(sum(self._widths(definition, body)), 0, columns)

    def _widths(self, definition: Relate, body: int) -> tuple[int, int, int, int]:
        """At one body: the members of a component, what it gathers, what it sends, what it receives."""
        return (
            sum(self.size(space, body) for space in definition.spaces),
            sum(self.size(hop.type.codomain, body) for hop, _ in definition.gathers),
            sum(self.size(definition.spaces[i], body) for _, i in definition.gathers),
            sum(self.size(hop.type.codomain, body) for hop, _ in definition.pulls),
        )

    def _relation_of(self, ref: Ref) -> Relate:
        definition = self._program.steps[ref.value].definition
        assert isinstance(definition, Relate)
        return definition

    def walk(self, output: Output, walk: Walk) -> list[int]:
        """For every body: columns of its subtree on the way in, columns of all that can answer on the way out."""
        sizes = [self.size(output.columns, k) for k in range(len(self._nv))]
        inside = list(sizes)
        for k in range(len(sizes) - 1, -1, -1):
            if self._parent[k] >= 0:
                inside[self._parent[k]] += inside[k]
        returns = any(ref is not None for row in (*walk.theta, *walk.d_z) for ref in row)
        outside = [0] * len(sizes)
        for k, parent in enumerate(self._parent):
            if parent >= 0:
                outside[k] = sum(sizes) - inside[k] if returns else outside[parent] + sizes[parent]
        if output.kind == "block":
            inside, outside = [sizes[0]] * len(sizes), [0] * len(sizes)
        return [self._walk_at(walk, k, inside[k], outside[k]) for k in range(len(sizes))]

    def _walk_at(self, walk: Walk, k: int, inside: int, outside: int) -> int:
        def flops(refs: Iterable[Ref | None]) -> int:
            shapes = [self._shape(ref, k) for ref in refs if ref is not None]
            return sum(2 * rows * columns for rows, columns in shapes)

        def hops(found: Sequence[Hop]) -> int:
            return sum(2 * self.size(h.type.codomain, k) * self.size(h.type.domain, k) for h in found)

        through = flops(walk.out_beta) + sum(flops(row) for row in walk.d_beta)
        inward = hops(walk.inward) + flops(walk.out_z) + sum(flops(r) for r in (*walk.s_z, *walk.d_z, *walk.theta))
        return inside * (inward + through) + outside * (hops(walk.outward) + through)

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
            case Total():
                size = self._shape(definition.source, body)[0]
                return size if definition.kind == "trace" else 2 * size**3 // 3
            case Invert():
                return 2 * rows**3
            case RootOf():
                return rows**3 // 3
            case Update():
                inner = self._shape(definition.gain, body)[1]
                return 2 * rows * inner * rows * 2 + rows * rows
            case Relate():
                return self._relation(definition, body)
            case Resolve():
                return 2 * rows * rows * columns
            case Surround():
                return self._surroundings(self._relation_of(definition.relation), body)
            case Answer():
                return self._answer(self._relation_of(definition.relation), body, columns)
            case Call():
                return rows
            case Given() | Part() | Rounding() | Stack():
                return 0
            case _:
                assert_never(definition)


def _triangle(columns: int, left: int, others: int) -> int:
    """Householder reflections that clear `columns` of `columns + left` rows, applied to `others` columns beside."""
    rows = columns + left
    return 2 * columns * columns * (rows - columns // 3) + 4 * rows * columns * others
