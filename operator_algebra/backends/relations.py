"""Orthogonal elimination, body by body: triangularise what a body and its children say, hand the rest to the parent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from operator_algebra.backends.kernels import solve
from operator_algebra.backends.triangles import Equations, Triangle, stacked
from operator_algebra.lowering.values import Hop, Relate, Term
from operator_algebra.operators.spaces import Space

Kernel = Callable[[int], Any]


@dataclass(frozen=True)
class _Equation:
    rows: Space
    members: list[tuple[int, Kernel]]
    gathers: list[tuple[int, Kernel]]
    pulls: list[tuple[int, Kernel]]


@dataclass(frozen=True)
class _Places:
    """Columns of the unknowns of one body: its members, what its children send, what it sends, what arrives."""

    own: list[slice]
    from_children: dict[int, list[slice]]
    sent: list[slice]
    received: list[slice]


class RelationKernels:
    """The kernels of one relation on one model, and of what is solved with it.

    A subtree says Ru u + Rβ β = r of what it sends (u) and receives (β), the rest of the tree Ou u + Oβ β = 0.
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
        self._sent_spaces = [definition.spaces[i] for _, i in definition.gathers]
        self._received_spaces = [hop.type.codomain for hop, _ in definition.pulls]
        self.triangles: list[Any] = [None] * len(parent)
        self._surroundings: list[Any] = [None] * len(parent)
        self._sent: list[Any] = [None] * len(parent)
        self._solutions: list[Any] = [None] * len(parent)

    def _sizes(self, spaces: Iterable[Space], k: int) -> list[int]:
        return [self.size(space, k) for space in spaces]

    def _sent_size(self, k: int) -> int:
        return sum(self._sizes(self._sent_spaces, k))

    def _places(self, equations: Equations, k: int, without: int = -1) -> _Places:
        return _Places(
            equations.columns(self._sizes(self.definition.spaces, k)),
            {c: equations.columns(self._sizes(self._sent_spaces, c)) for c in self.children[k] if c != without},
            equations.columns(self._sizes(self._sent_spaces, k)),
            equations.columns(self._sizes(self._received_spaces, k)),
        )

    # -- inward ----------------------------------------------------------------------------------------------------

    def inward_step(self, k: int) -> Triangle:
        """Stack the local equations and the children's relations, triangularise, keep what is left."""
        equations = Equations()
        places = self._places(equations, k)
        self._add_body(equations, k, places)
        width = equations.width - _width(places.sent) - _width(places.received)
        triangle = equations.triangularised(width)
        self.triangles[k] = triangle
        return triangle

    def measure(self, k: int) -> Any:
        """How far from singular the equations of a subtree are."""
        triangle: Triangle = self.triangles[k]
        own = self._sent_size(k)
        if self.parent[k] >= 0 or not own:
            return triangle.measure
        # What a singular system leaves undetermined is handed inward and ends at the root.
        left = np.linalg.svd(triangle.rest[..., :own], compute_uv=False)[..., -1]
        return np.minimum(triangle.measure, left)

    def _add_body(
        self,
        equations: Equations,
        k: int,
        places: _Places,
        drives: Sequence[Kernel | None] | None = None,
        without: int = -1,
    ) -> None:
        """The equations of body k, the relations of its children (without one of them), and what it sends.

        `drives` stand in place of all constants, those of the children too.
        """
        for i, equation in enumerate(self.equations):
            constant = self._constants[i] if drives is None else drives[i]
            known = None if constant is None else -constant(k)
            equations.add(self.size(equation.rows, k), self._local(equation, k, places), known)
        for c in self.children[k]:
            if c != without:
                constant = self.triangles[c].rest_constant if drives is None else None
                self._add_relation(equations, c, places, constant)
        for (_, carried), column in zip(self.definition.gathers, places.sent, strict=True):
            unit = np.eye(column.stop - column.start)
            equations.add(len(unit), [(column, unit), (places.own[carried], -unit)])

    def _local(self, equation: _Equation, k: int, places: _Places) -> Iterator[tuple[slice, Any]]:
        for i, coefficient in equation.members:
            yield places.own[i], coefficient(k)
        for i, coefficient in equation.gathers:
            for c in self.children[k]:
                yield places.from_children[c][i], coefficient(k) @ self.inward[i][c]
        for j, coefficient in equation.pulls:
            yield places.received[j], coefficient(k)

    def _add_relation(self, equations: Equations, c: int, places: _Places, constant: Any) -> None:
        """What the subtree of a child says, of what it sends and of the members of its parent that it receives."""
        triangle: Triangle = self.triangles[c]
        terms = _split(triangle.rest, places.from_children[c])
        start = _width(places.from_children[c])
        sizes = self._sizes(self._received_spaces, c)
        for (_, carried), hop, size in zip(self.definition.pulls, self.outward, sizes, strict=True):
            terms.append((places.own[carried], triangle.rest[..., start : start + size] @ hop[c]))
            start += size
        equations.add(triangle.rest.shape[-2], terms, constant)

    def logdet(self) -> Any:
        """The log |det| of the whole system: the triangles of all bodies, and what is left at the roots."""
        total: Any = 0.0
        for k, triangle in enumerate(self.triangles):
            total = total + triangle.logdet
            own = self._sent_size(k)
            if self.parent[k] < 0 and own:
                total = total + np.linalg.slogdet(triangle.rest[..., :own])[1]
        return np.asarray(total)[..., None, None]

    # -- outward ---------------------------------------------------------------------------------------------------

    def outward_step(self, k: int) -> Any:
        """The members of the component at a body, stacked; also what its children sent."""
        triangle: Triangle = self.triangles[k]
        p = self.parent[k]
        if p < 0:
            own = self._sent_size(k)
            received = np.zeros((triangle.rest.shape[-1] - own, triangle.rest_constant.shape[-1]))
            given = [solve(triangle.rest[..., :own], triangle.rest_constant), received]
        else:
            above = Equations().columns(self._sizes(self.definition.spaces, p))
            given = [self._sent[k]]
            for (_, i), hop in zip(self.definition.pulls, self.outward, strict=True):
                given.append(hop[k] @ self._solutions[p][..., above[i], :])
        unknowns = triangle.solved(stacked(given))
        start = sum(self._sizes(self.definition.spaces, k))
        self._solutions[k] = unknowns[..., :start, :]
        for c in self.children[k]:
            stop = start + self._sent_size(c)
            self._sent[c] = unknowns[..., start:stop, :]
            start = stop
        return self._solutions[k]

    def surround_step(self, k: int) -> None:
        """What the parent, the other children and the rest of the tree say of what body k sends and receives."""
        p = self.parent[k]
        if p < 0:
            # Nothing arrives at a root, and what it sends is free.
            sizes = self._sent_size(k), sum(self._sizes(self._received_spaces, k))
            self._surroundings[k] = np.hstack([np.zeros((sizes[1], sizes[0])), np.eye(sizes[1])])
            return
        equations = Equations()
        places = self._places(equations, p, without=k)
        width = equations.width
        places.from_children[k] = equations.columns(self._sizes(self._sent_spaces, k))
        arriving = equations.columns(self._sizes(self._received_spaces, k))
        self._add_body(equations, p, places, [None] * len(self.equations), without=k)
        self._add_surroundings(equations, p, places)
        for (_, carried), hop, column in zip(self.definition.pulls, self.outward, arriving, strict=True):
            unit = np.eye(column.stop - column.start)
            equations.add(len(unit), [(column, unit), (places.own[carried], -hop[k])])
        self._surroundings[k] = equations.triangularised(width).rest

    def _add_surroundings(self, equations: Equations, k: int, places: _Places) -> None:
        around = self._surroundings[k]
        equations.add(around.shape[-2], _split(around, [*places.sent, *places.received]))

    def answer(self, k: int, drives: Sequence[Kernel | None]) -> Any:
        """The members of body k, stacked, one column for each unit that drives its equations."""
        equations = Equations()
        places = self._places(equations, k)
        self._add_body(equations, k, places, drives)
        self._add_surroundings(equations, k, places)
        unknowns = equations.triangularised(equations.width).solved(np.zeros((0, 1)))
        return unknowns[..., : _width(places.own), :]


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
