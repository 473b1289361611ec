"""Samples of a claim: its models in a stack, drawn by a plan and evaluated together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import TypeAlias

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.proofs.fields import Array, Field, Mask
from operator_algebra.proofs.freed import Freed, Pivot, pivots
from operator_algebra.proofs.models import (
    Domain,
    Parents,
    Part,
    Shape,
    Sign,
    draw,
    followed,
    needed,
    part_of,
    sized,
    vanishes,
)
from operator_algebra.proofs.rigid import Number, Rows
from operator_algebra.proofs.values import Values
from operator_algebra.symbols import X_cm

_Drawn: TypeAlias = tuple[Expr, Parents, tuple[Number, ...]]
"""What a whole operator is made of: its key, the tree, and its parameters."""


@dataclass(frozen=True)
class Sample:
    """A tree and the numbers that its blocks are made of."""

    parent: Parents
    numbers: tuple[Number, ...]


@dataclass(frozen=True)
class Plan:
    """What is drawn for a claim at one size: its leaves, or the solution of a recursion and a root instead of one."""

    domain: Domain
    shape: Shape
    leaves: tuple[Symbol, ...]
    pivots: tuple[Pivot, ...]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What has parameters, in order."""
        driven = {pivot.of.driver for pivot in self.pivots}
        drawn = [leaf for leaf in self.leaves if leaf not in driven and not vanishes(leaf, self.domain)]
        inside = [Part(pivot.of.solution, "square", "same", positive=True) for pivot in self.pivots]
        roots = [Part(pivot.root, "lower", "same", positive=True) for pivot in self.pivots]
        return (*(part_of(leaf, self.domain) for leaf in drawn), *inside, *roots)

    @cached_property
    def tree(self) -> Mechanism:
        """The block sizes, on a tree without edges."""
        return sized(self.shape, (-1,) * self.shape.bodies, self.leaves)

    @cached_property
    def signs(self) -> tuple[Sign, ...]:
        """The parameters in order: which of them must be positive."""
        return tuple(sign for part in self.parts for sign in part.signs(self.tree))

    def draws(self, parent: Parents, count: int) -> list[Sample]:
        """The first samples on one tree."""
        return [Sample(parent, tuple(draw(self.signs, self.shape.block, k))) for k in range(count)]

    def dense(self, sample: Sample, known: dict[_Drawn, Rows] | None = None) -> dict[Expr, Rows]:
        """What is drawn, as whole operators; samples that differ in a few numbers share what is `known`."""
        shared = {} if known is None else known
        tree = Mechanism(sample.parent, self.tree.sizes)
        made: dict[Expr, Rows] = {}
        for part, (start, stop) in zip(self.parts, self._spans, strict=True):
            key = part.key, sample.parent, sample.numbers[start:stop]
            if key not in shared:
                shared[key] = part.dense(tree, key[2])
            made[part.key] = shared[key]
        for leaf in self.leaves:
            if vanishes(leaf, self.domain):
                made[leaf] = [[0] * tree.whole(leaf.type.domain) for _ in range(tree.whole(leaf.type.codomain))]
        return followed(made, tree)

    @cached_property
    def _spans(self) -> tuple[tuple[int, int], ...]:
        """Which of the parameters are those of each part."""
        return tuple(pairwise(accumulate((len(part.signs(self.tree)) for part in self.parts), initial=0)))

    def values(self, field: Field, samples: Sequence[Sample]) -> Values:
        """The samples in a field, ready for formulas; sound where they are all that is declared."""
        known: dict[_Drawn, Rows] = {}
        listed = [self.dense(sample, known) for sample in samples]
        stacked = {key: _stacked(field, [one[key] for one in listed]) for key in listed[0]} if listed else {}
        given: dict[Expr, Array] = {key: array for key, array in stacked.items() if isinstance(key, Symbol)}
        sound: Mask | None = None
        for pivot in self.pivots:
            start, root = stacked[pivot.of.solution], stacked[pivot.root]
            solution, fine = squared(field, self.tree, given, pivot, start, root, sound)
            given[pivot.of.driver], sound = driving(field, self.tree, given, pivot.of, solution, sound=fine)
        made = Values(field, self.tree, given, len(samples), sound=sound)
        for leaf in self.leaves:
            sound = self._meant(made, leaf)
            if sound is not None:
                made = Values(field, self.tree, given, len(samples), sound=sound)
        return made

    def _meant(self, made: Values, leaf: Symbol) -> Mask | None:
        """Where a leaf is onto, or has an inverse, if that is declared and not so by the way it is drawn."""
        structure = leaf.structure
        if not structure.has("onto") or (structure.definite and structure.flow == "diagonal") or structure.unit:
            return None
        if structure.flow == "diagonal":
            return made.right_inverse(leaf).sound
        return made.field.inverses(made.value(leaf).array)[1] if structure.invertible else None


def _stacked(field: Field, listed: Sequence[Rows]) -> Array:
    """Matrices as a stack; those that samples share are converted once."""
    different = {id(rows): rows for rows in listed}
    places = {one: place for place, one in enumerate(different)}
    return field.array([*different.values()])[[places[id(rows)] for rows in listed]]


def driving(
    field: Field,
    tree: Mechanism,
    given: Mapping[Expr, Array],
    freed: Freed,
    solution: Array,
    *,
    sound: Mask | None = None,
    generic: bool = False,
) -> tuple[Array, Mask]:
    """The leaf L := X − g(X) that drives a recursion X = L + g(X)."""
    nothing = field.zeros(*solution.shape)
    known = {**given, freed.solution.variable: solution, freed.driver: nothing}
    rest = Values(field, tree, known, len(solution), sound=sound, generic=generic).value(freed.solution.body)
    return field.settled(solution - rest.array), rest.sound


def squared(
    field: Field,
    tree: Mechanism,
    given: Mapping[Expr, Array],
    pivot: Pivot,
    start: Array,
    root: Array,
    sound: Mask | None,
    *,
    generic: bool = False,
) -> tuple[Array, Mask]:
    """The solution X + A⁺ (L L* − D) A⁺* of a recursion, for which D = A X A* + the rest has the root L."""
    inside = Values(field, tree, {**given, pivot.of.solution: start}, len(start), sound=sound, generic=generic)
    under, back = inside.value(pivot.root.body), inside.right_inverse(pivot.outer)
    gap = field.settled(field.product(root, root.transpose(0, 2, 1)) - under.array)
    change = field.product(field.product(back.array, gap), back.array.transpose(0, 2, 1))
    return field.settled(start + change), under.sound & back.sound


@lru_cache(maxsize=512)
def plan_of(domain: Domain, shape: Shape, sides: tuple[Expr, ...]) -> Plan:
    """What is drawn for some expressions at one size."""
    found = frozenset[Symbol]().union(*(free_symbols(side) for side in sides))
    turned = () if X_cm in found else pivots(sides)  # a mass centre is read off an inertia that is drawn
    return Plan(domain, shape, needed([*found, *(pivot.of.driver for pivot in turned)]), turned)
