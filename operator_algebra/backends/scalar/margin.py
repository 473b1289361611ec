"""What the pivots of a definite mechanism can lose at most, in a few operations, some of them or all known beforehand.

No sign of rounding depends on another, and what is rounded is the root of an entry P(i, i), so in the mean

    r* D⁻¹ r = the most that Σ P(i, i) (a* V)² can be for rates with y* D y = 1

over all that is rounded, each times a part of a velocity. Each is no more than its own largest, for which all bodies
bear it; several at one body are no more than it bears alone, and then only the largest of all bodies counts. Which of
them are counted so is chosen by what they usually are. A pivot of n freedoms has n such rates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar.graph import Graph, Node
from operator_algebra.backends.scalar.known import Key, Known, Source, values
from operator_algebra.backends.scalar.resistance import Unknown
from operator_algebra.lowering.bounds import elimination
from operator_algebra.models.numeric import Numbers as Floats
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.program import Pivot

ROOM = 1.5
"""So many times what is usual may be lost."""
_SPARE = 0.7
"""Such a part of what is left beside may be known at the most in the place of being computed."""
_BORNE = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
"""What a body may bear alone, of what may be lost."""
_LARGE = 0.05
"""What usually is a larger part of what may be lost is looked at in the pose."""
_LARGEST_SIGN = 1.25
_BESIDE = 1 / 8
"""(a + b)² ≤ (1 + c) a² + (1 + 1/c) b², for what D rounds beside what reaches it."""


def margin(run: Interpreter, pivot: Pivot, graph: Graph, tried: Floats, part: float = 1.0) -> tuple[Node, ...] | None:
    """Nodes whose sum is no less than what a pivot loses, over 1 / `SMALL`; None where nothing is known, or too much.

    What does not depend on the configuration is found at those of `tried`, (coordinates, samples). More than a part of
    what may be lost is too much, with room for other configurations.
    """
    parts = elimination(run.program, pivot)
    if parts is None:
        return None
    try:
        return _Margin(Known(run, parts, graph, tried), part).nodes(pivot)
    except Unknown:
        return None


@dataclass(frozen=True)
class _Form:
    """What counts for each entry of P whatever bears it, and what at bodies that bear it alone."""

    summed: Mapping[Key, float]
    borne: Mapping[int, Mapping[Key, float]]

    def usual(self, squares: Mapping[Key, Floats]) -> float:
        """What it is at the most where entries of P are known."""
        total, nothing = _weighed(self.summed, squares), dict[Key, float]()
        each: Floats = np.stack([_weighed(one, squares) for one in (nothing, *self.borne.values())])
        return float(np.max(total + each.max(axis=0)))


class _Parts(NamedTuple):
    """What is left to compute: weights of entries of P that are added, and of those of which the largest sum counts."""

    spared: float
    """The largest that the rest can be."""
    summed: Mapping[Key, float]
    borne: Sequence[Mapping[Key, float]]

    def length(self) -> int:
        """How many operations that takes, about."""
        return len(self.summed) + 2 * sum(map(len, self.borne))


class _Margin:
    """What one pivot loses."""

    def __init__(self, known: Known, part: float) -> None:
        self.known = known
        self.part = part
        self.freedoms = max(known.freedoms, default=0)
        self.factor = SMALL * _LARGEST_SIGN**2 * (1.0 + _BESIDE if known.parts.sums else 1.0)
        self.largest = known.reach()

    def nodes(self, pivot: Pivot) -> tuple[Node, ...]:
        """The weighted entries of P; numbers stand for those that need not be computed."""
        known = self.known
        sums = self._rounded_again(pivot)
        sources, posed = self._passed(list(known.sources()))
        room = self.part - sum(node.value for node in sums if node.known)
        if posed:
            room -= ROOM * float(values(tuple(posed), known.tried).sum(axis=0).max())
        forms = self._forms(sources, room)
        least = min((self._parted(form, _SPARE * (room - ROOM * usual)) for form, usual in forms), key=_Parts.length)
        several = [*self._added(least.summed), *self._largest(least.borne), *posed, *sums, *known.far()]
        spared = least.spared + sum(one.value for one in several if one.known)
        return known.graph.of(spared), *(one for one in several if not one.known)

    def _passed(self, sources: Sequence[Source]) -> tuple[list[Source], list[Node]]:
        """Large torques that pass a joint, as they do in a pose, where that is usually less than half."""
        graph, squares = self.known.graph, self._squares(sources)
        found, posed = list[Source](), list[Node]()
        for source in sources:
            usual = self.factor * source.most * float(squares[source.key].max())
            passed = self.known.passed(source) if usual > _LARGE * self.part else None
            if passed is not None:
                left, square = passed
                node = graph.multiply(graph.of(self.factor), graph.multiply(square, self._entry(source.key)))
                most = float(values((node,), self.known.tried).max())
                if most + self.factor * left.most * float(squares[source.key].max()) < usual / 2.0:
                    posed.append(node)
                    source = left
            if source.most:
                found.append(source)
        return found, posed

    def _squares(self, sources: Sequence[Source]) -> dict[Key, Floats]:
        """The entries of P, at the configurations tried."""
        keys = sorted({source.key for source in sources})
        found = values(tuple(map(self._entry, keys)), self.known.tried)
        if not np.isfinite(found).all():  # where they were tried D has no inverse
            raise Unknown
        return dict(zip(keys, found, strict=True))

    def _forms(self, sources: Sequence[Source], room: float) -> list[tuple[_Form, float]]:
        """Forms that are usually small enough, and what they usually are."""
        squares = self._squares(sources)
        forms = [self._form(sources, squares, share) for share in _BORNE]
        found = [(form, usual) for form in forms if ROOM * (usual := form.usual(squares)) < room]
        if not found:
            raise Unknown
        return found

    def _form(self, sources: Sequence[Source], squares: Mapping[Key, Floats], share: float) -> _Form:
        """Bodies bear that part of what may be lost, first where it saves most."""
        summed, borne = defaultdict[Key, float](float), defaultdict[int, dict[Key, float]](dict)
        left: dict[int, Floats | float] = {}
        for source in sorted(sources, key=lambda one: one.alone / one.most):
            k, key, weight = source.at, source.key, self.factor * self.freedoms * source.alone
            rest = left.get(k, share) - weight * squares[key] if np.isfinite(weight) else -1.0
            if np.min(rest) >= 0.0:
                left[k] = rest
                borne[k][key] = borne[k].get(key, 0.0) + weight
            else:
                summed[key] += self.factor * source.most
        return _Form(summed, borne)

    def _parted(self, form: _Form, spare: float) -> _Parts:
        """What is computed, and the largest that there can be of the rest, which is little."""
        share = spare / 2.0 if form.borne else spare
        summed, left = self._spared(form.summed, share)
        several = [self._spared(form.borne[k], share) for k in sorted(form.borne, reverse=True)]
        spared = share - left + max((share - rest for _, rest in several), default=0.0)
        return _Parts(spared, summed, [one for one, _ in several if one])

    def _spared(self, weights: Mapping[Key, float], spare: float) -> tuple[dict[Key, float], float]:
        """What is not spared, and what is left to spare."""
        found: dict[Key, float] = {}
        for key, weight in sorted(weights.items(), key=lambda one: one[1] * self.largest[one[0]]):
            most = weight * self.largest[key]
            if most <= spare:
                spare -= most
            else:
                found[key] = _rounded_up(weight)
        return found, spare

    def _entry(self, key: Key) -> Node:
        return self.known.run.get(self.known.parts.P, key[0]).rows[key[1]][key[1]]

    def _added(self, weights: Mapping[Key, float]) -> list[Node]:
        """Entries times weights, from the tips as they are known; what has the same weight is added first."""
        graph, alike = self.known.graph, defaultdict[float, list[Node]](list)
        for key in sorted(weights, reverse=True):
            alike[weights[key]].append(self._entry(key))
        return [graph.multiply(graph.of(weight), reduce(graph.add, nodes)) for weight, nodes in alike.items()]

    def _largest(self, several: Iterable[Mapping[Key, float]]) -> list[Node]:
        """The largest of such sums; those with the same largest weight are multiplied once."""
        graph, alike = self.known.graph, defaultdict[float, list[Node]](list)
        for weights in several:
            most = max(weights.values())
            parts = [graph.multiply(graph.of(weight / most), self._entry(key)) for key, weight in weights.items()]
            alike[most].append(reduce(graph.add, parts))
        return [graph.largest(graph.multiply(graph.of(most), graph.largest(nodes)) for most, nodes in alike.items())]

    def _rounded_again(self, pivot: Pivot) -> list[Node]:
        """What D and its rest, which is no larger, round themselves: w* D⁻¹ w ≤ n Σ w(i)² D⁻¹(i, i)."""
        run, graph, sums = self.known.run, self.known.graph, self.known.parts.sums
        found: list[Node] = []
        for k in run.mechanism.bodies if sums else ():
            block = run.blocks[pivot.value][k]
            factor = graph.of(SMALL * (1.0 + 1.0 / _BESIDE) * (_LARGEST_SIGN * sums) ** 2 * block.height)
            if block.height == 1:
                found.append(factor)
            elif block.height:
                inverse = run.numbers.inverse(block)
                each = [graph.multiply(block.rows[i][i], inverse.rows[i][i]) for i in range(block.height)]
                found.append(graph.multiply(factor, reduce(graph.add, each)))
        return [graph.largest(found)] if found else []


def _weighed(weights: Mapping[Key, float], squares: Mapping[Key, Floats]) -> Floats:
    total: Floats = np.zeros_like(next(iter(squares.values()), np.zeros(1)))
    for key, weight in weights.items():
        total = total + weight * squares[key]
    return total


def _rounded_up(weight: float) -> float:
    """To some digits, so that weights of bodies that are alike are the same."""
    unit = 10.0 ** (np.floor(np.log10(weight)) - 2.0)
    return float(np.ceil(weight / unit) * unit)
