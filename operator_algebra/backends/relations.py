"""Orthogonal elimination, body by body: triangularise what a body and its children say, hand the rest to the parent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from operator_algebra.backends.triangles import Equations, Triangle, stacked
from operator_algebra.lowering.values import Hop, Relate, Term
from operator_algebra.operators.spaces import Space

Kernel = Callable[[int], Any]
Drives = Sequence[Kernel | None]


@dataclass(frozen=True)
class _Equation:
    rows: Space
    members: list[tuple[int, Kernel]]
    gathers: list[tuple[int, Kernel]]
    pulls: list[tuple[int, Kernel]]


@dataclass(frozen=True)
class _Places:
    """Columns of the unknowns of one body: its members, the sums it gathers, what it sends, what arrives."""

    own: list[slice]
    gathered: list[slice]
    sent: list[slice]
    received: list[slice]


@dataclass(frozen=True)
class _Gathered:
    """What some children say of the sums g of what they send and of the members d that they see: Ag g + Ad d = a."""

    sums: Any
    shown: Any
    constant: Any


class RelationKernels:
    """The kernels of one relation on one model, and of what is solved with it.

    A subtree says Ru u + Rβ β = r of what it sends (u) and receives (β), the rest of the tree Ou u + Oβ β = 0. Children
    are taken in one after the other, so that the work is linear in their number.
    """

    def __init__(
        self,
        definition: Relate,
        parent: Sequence[int],
        children: Sequence[Sequence[int]],
        size: Callable[[Space, int], int],
        term: Callable[[Term, Space], Kernel],
        constant: Callable[[Any], Kernel],
        hop: Callable[[Hop], Sequence[Any]],
    ) -> None:
        self.definition = definition
        self.parent = parent
        self.children = children
        self.size = size
        self.inward = [hop(h) for h, _ in definition.gathers]
        self.outward = [hop(h) for h, _ in definition.pulls]
        self.equations = [
            _Equation(
                equation.rows,
                [(i, term(t, equation.rows)) for i, t in equation.members],
                [(i, term(t, equation.rows)) for i, t in equation.gathers],
                [(i, term(t, equation.rows)) for i, t in equation.pulls],
            )
            for equation in definition.equations
        ]
        self._constants = [None if e.constant is None else constant(e.constant) for e in definition.equations]
        self._undriven: Drives = [None] * len(self.equations)
        self._spaces = definition.spaces
        self._gathered_spaces = [hop.type.codomain for hop, _ in definition.gathers]
        self._sent_spaces = [definition.spaces[i] for _, i in definition.gathers]
        self._shown_spaces = [definition.spaces[i] for _, i in definition.pulls]
        self._received_spaces = [hop.type.codomain for hop, _ in definition.pulls]
        n = len(parent)
        self._triangles: list[Any] = [None] * n
        """Of the equations of each body."""
        self._taken_in: list[Any] = [None] * n
        """Of what each body says to its parent, together with the children before it."""
        self._before: list[Any] = [None] * n
        self._all: list[Any] = [None] * n
        self._surroundings: list[Any] = [None] * n
        self._sent: list[Any] = [None] * n
        self._solutions: list[Any] = [None] * n

    def _sizes(self, spaces: Iterable[Space], k: int) -> list[int]:
        return [self.size(space, k) for space in spaces]

    def _places(self, equations: Equations, k: int) -> _Places:
        return _Places(
            equations.columns(self._sizes(self._spaces, k)),
            equations.columns(self._sizes(self._gathered_spaces, k)),
            equations.columns(self._sizes(self._sent_spaces, k)),
            equations.columns(self._sizes(self._received_spaces, k)),
        )

    # -- inward ----------------------------------------------------------------------------------------------------

    def inward_step(self, k: int) -> Triangle:
        """Take in the children, triangularise the local equations with them, keep what is left."""
        gathered = self._nothing(k)
        for c in self.children[k]:
            self._before[c] = gathered
            self._taken_in[c], gathered = self._take_in(gathered, c)
        self._all[k] = gathered
        equations = Equations()
        places = self._places(equations, k)
        self._add_body(equations, k, places, self._constants)
        self._add_gathered(equations, gathered, places.gathered, places.own)
        self._add_sent(equations, places)
        # At a root all is eliminated, so that what a singular system leaves undetermined shows in its triangle.
        kept = _width(places.received) + (_width(places.sent) if self.parent[k] >= 0 else 0)
        self._triangles[k] = equations.triangularised(equations.width - kept)
        return self._triangles[k]

    def _nothing(self, k: int) -> _Gathered:
        """The sums over no children: g = 0."""
        sums, shown = sum(self._sizes(self._gathered_spaces, k)), sum(self._sizes(self._shown_spaces, k))
        return _Gathered(np.eye(sums), np.zeros((sums, shown)), np.zeros((sums, 1)))

    def _take_in(self, gathered: _Gathered, c: int) -> tuple[Triangle, _Gathered]:
        """One more child: eliminate what it sends from its relation and from g − U u, the sums without it."""
        k = self.parent[c]
        equations = Equations()
        sent = equations.columns(self._sizes(self._sent_spaces, c))
        sums = equations.columns(self._sizes(self._gathered_spaces, k))
        shown = equations.columns(self._sizes(self._shown_spaces, k))
        triangle: Triangle = self._triangles[c]
        terms = _split(triangle.rest, sent)
        start = _width(sent)
        for hop, column, size in zip(self.outward, shown, self._sizes(self._received_spaces, c), strict=True):
            terms.append((column, triangle.rest[..., start : start + size] @ hop[c]))
            start += size
        equations.add(triangle.rest.shape[-2], terms, triangle.rest_constant)
        terms = [*_split(gathered.sums, sums), *_split(gathered.shown, shown)]
        for (_, block), hop, column in zip(_split(gathered.sums, sums), self.inward, sent, strict=True):
            terms.append((column, -block @ hop[c]))
        equations.add(gathered.sums.shape[-2], terms, gathered.constant)
        taken = equations.triangularised(_width(sent))
        size = _width(sums)
        return taken, _Gathered(taken.rest[..., :size], taken.rest[..., size:], taken.rest_constant)

    def measure(self, k: int) -> Any:
        """How far from singular the equations of a subtree are."""
        measure = self._triangles[k].measure
        return measure if self.parent[k] < 0 else np.minimum(measure, self._taken_in[k].measure)

    def logdet(self) -> Any:
        """The log det of the whole system, its definitions v = … counted as v − … = 0; complex where it is negative."""
        total: Any = 0.0
        negative: Any = False
        for k, triangle in enumerate(self._triangles):
            taken = [self._taken_in[k]] if self.parent[k] >= 0 else []
            for one in (triangle, *taken):
                total = total + one.logdet
                negative = negative ^ one.negative
            defined = sum(self.size(e.rows, k) for e in self.definition.equations if e.explicit)
            negative = negative ^ (defined % 2 == 1)
        whole = total + 1j * np.pi * negative if np.any(negative) else total
        return np.asarray(whole)[..., None, None]

    # -- the equations of one body ---------------------------------------------------------------------------------

    def _add_body(self, equations: Equations, k: int, places: _Places, constants: Drives) -> None:
        for equation, constant in zip(self.equations, constants, strict=True):
            known = None if constant is None else -constant(k)
            equations.add(self.size(equation.rows, k), _local(equation, k, places), known)

    def _add_gathered(
        self, equations: Equations, gathered: _Gathered, sums: list[slice], own: list[slice], driven: bool = True
    ) -> None:
        """What children say; without their constants if they are not `driven`."""
        shown = [own[carried] for _, carried in self.definition.pulls]
        terms = [*_split(gathered.sums, sums), *_split(gathered.shown, shown)]
        equations.add(gathered.sums.shape[-2], terms, gathered.constant if driven else None)

    def _add_sent(self, equations: Equations, places: _Places) -> None:
        for (_, carried), column in zip(self.definition.gathers, places.sent, strict=True):
            unit = np.eye(column.stop - column.start)
            equations.add(len(unit), [(column, unit), (places.own[carried], -unit)])

    def _add_surroundings(self, equations: Equations, k: int, places: _Places) -> None:
        around = self._surroundings[k]
        equations.add(around.shape[-2], _split(around, [*places.sent, *places.received]))

    # -- outward ---------------------------------------------------------------------------------------------------

    def outward_step(self, k: int) -> Any:
        """The members of the component at a body, stacked; also what its children sent."""
        triangle: Triangle = self._triangles[k]
        if self.parent[k] < 0:
            # Nothing arrives.
            given = [np.zeros((triangle.top.shape[-1], triangle.top_constant.shape[-1]))]
        else:
            given = [self._sent[k], *self._arriving(k)]
        unknowns = triangle.solved(stacked(given))
        own, sums = (sum(self._sizes(spaces, k)) for spaces in (self._spaces, self._gathered_spaces))
        self._solutions[k] = unknowns[..., :own, :]
        self._hand_back(k, unknowns[..., own : own + sums, :])
        return self._solutions[k]

    def _arriving(self, k: int) -> list[Any]:
        above = Equations().columns(self._sizes(self._spaces, self.parent[k]))
        solution = self._solutions[self.parent[k]]
        pulls = zip(self.definition.pulls, self.outward, strict=True)
        return [hop[k] @ solution[..., above[carried], :] for (_, carried), hop in pulls]

    def _hand_back(self, k: int, sums: Any) -> None:
        """From the sums over all children what each of them sent, the last one first."""
        own = Equations().columns(self._sizes(self._spaces, k))
        shown = [self._solutions[k][..., own[carried], :] for _, carried in self.definition.pulls]
        for c in reversed(self.children[k]):
            sent = self._taken_in[c].solved(stacked([sums, *shown]))
            self._sent[c] = sent
            places = Equations().columns(self._sizes(self._sent_spaces, c))
            parts = [hop[c] @ sent[..., place, :] for hop, place in zip(self.inward, places, strict=True)]
            sums = sums - stacked(parts) if parts else sums

    def surround_step(self, k: int) -> None:
        """The relations of the rest of the tree to every child of body k, and at a root to itself."""
        if self.parent[k] < 0:
            # Nothing arrives at a root, and what it sends is free.
            sent, received = sum(self._sizes(self._sent_spaces, k)), sum(self._sizes(self._received_spaces, k))
            self._surroundings[k] = np.hstack([np.zeros((received, sent)), np.eye(received)])
        after = self._nothing(k)
        for c in reversed(self.children[k]):
            self._surroundings[c] = self._around(c, after)
            _, after = self._take_in(after, c)

    def _around(self, c: int, after: _Gathered) -> Any:
        """What the parent, the children before and after, and the rest of the tree say of the edge to child c."""
        k = self.parent[c]
        equations = Equations()
        places = self._places(equations, k)
        later = equations.columns(self._sizes(self._gathered_spaces, k))
        width = equations.width
        sent = equations.columns(self._sizes(self._sent_spaces, c))
        arriving = equations.columns(self._sizes(self._received_spaces, c))
        for equation in self.equations:
            terms = list(_local(equation, k, places))
            for i, coefficient in equation.gathers:
                terms.append((later[i], coefficient(k)))
                terms.append((sent[i], coefficient(k) @ self.inward[i][c]))
            equations.add(self.size(equation.rows, k), terms)
        self._add_gathered(equations, self._before[c], places.gathered, places.own, driven=False)
        self._add_gathered(equations, after, later, places.own, driven=False)
        self._add_sent(equations, places)
        self._add_surroundings(equations, k, places)
        for (_, carried), hop, column in zip(self.definition.pulls, self.outward, arriving, strict=True):
            unit = np.eye(column.stop - column.start)
            equations.add(len(unit), [(column, unit), (places.own[carried], -hop[c])])
        return equations.triangularised(width).rest

    def answer(self, k: int, drives: Drives) -> Any:
        """The members of body k, stacked, one column for each unit that drives its equations."""
        equations = Equations()
        places = self._places(equations, k)
        self._add_body(equations, k, places, drives)
        self._add_gathered(equations, self._all[k], places.gathered, places.own, driven=False)
        self._add_sent(equations, places)
        self._add_surroundings(equations, k, places)
        unknowns = equations.triangularised(equations.width).solved(np.zeros((0, 1)))
        return unknowns[..., : _width(places.own), :]


def _local(equation: _Equation, k: int, places: _Places) -> Iterator[tuple[slice, Any]]:
    for i, coefficient in equation.members:
        yield places.own[i], coefficient(k)
    for i, coefficient in equation.gathers:
        yield places.gathered[i], coefficient(k)
    for j, coefficient in equation.pulls:
        yield places.received[j], coefficient(k)


def _width(places: Sequence[slice]) -> int:
    return places[-1].stop - places[0].start if places else 0


def _split(block: Any, places: Iterable[slice]) -> list[tuple[slice, Any]]:
    """The columns of a block, one part for each place."""
    parts: list[tuple[slice, Any]] = []
    start = 0
    for place in places:
        stop = start + place.stop - place.start
        parts.append((place, block[..., start:stop]))
        start = stop
    return parts
