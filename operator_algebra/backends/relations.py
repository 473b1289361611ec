"""Orthogonal elimination, body by body: triangularise what a body and its children say, hand the rest to the parent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from operator_algebra.backends.kernels import solve
from operator_algebra.lowering.values import Hop, Relate, Term
from operator_algebra.operators.spaces import Space

Kernel = Callable[[int], Any]


@dataclass(frozen=True)
class Relation:
    """Ru u + Rd β = r of a subtree, and what gives its unknowns once u and β are known."""

    sent: Any
    received: Any
    constant: Any
    triangle: Any
    top: Any
    top_constant: Any
    measure: Any
    scales: Any
    logdet: Any


class RelationKernels:
    """The kernels of one relation and of its back substitution on one model."""

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
            (
                equation.rows,
                [(i, term(t, equation.rows)) for i, t in equation.members],
                [(i, term(t, equation.rows)) for i, t in equation.gathers],
                [(i, term(t, equation.rows)) for i, t in equation.pulls],
                None if equation.constant is None else constant(equation.constant),
            )
            for equation in definition.equations
        ]
        self.relations: list[Any] = [None] * len(parent)
        self.sent: list[Any] = [None] * len(parent)
        self.solutions: list[Any] = [None] * len(parent)

    def _places(self, spaces: Sequence[Space], k: int, start: int = 0) -> list[slice]:
        found: list[slice] = []
        for space in spaces:
            stop = start + self.size(space, k)
            found.append(slice(start, stop))
            start = stop
        return found

    def _sent_spaces(self) -> list[Space]:
        return [self.definition.spaces[i] for _, i in self.definition.gathers]

    def _received_spaces(self) -> list[Space]:
        return [hop.type.codomain for hop, _ in self.definition.pulls]

    def inward_step(self, k: int) -> Relation:
        """Stack the local equations and the children's relations, triangularise, keep what is left."""
        x = self._places(self.definition.spaces, k)
        width = x[-1].stop
        from_children: dict[int, list[slice]] = {}
        for c in self.children[k]:
            from_children[c] = self._places(self._sent_spaces(), c, width)
            width = from_children[c][-1].stop if from_children[c] else width
        sent = self._places(self._sent_spaces(), k, width)
        received = self._places(self._received_spaces(), k, sent[-1].stop if sent else width)
        total = received[-1].stop if received else (sent[-1].stop if sent else width)
        pieces = list(self._pieces(k, x, from_children, sent, received))
        rows = max((r.stop for r, _, _ in pieces), default=0)
        constants = list(self._constants(k))
        columns = max((block.shape[-1] for _, block in constants), default=1)
        lead = np.broadcast_shapes(*(block.shape[:-2] for _, _, block in pieces), *(b.shape[:-2] for _, b in constants))
        system = np.zeros((*lead, rows, total))
        for where, column, block in pieces:
            system[..., where, column] += block
        right = np.zeros((*lead, rows, columns))
        for where, block in constants:
            right[..., where, :] += block
        return self._triangularised(k, system, right, width, sent)

    def _triangularised(self, k: int, system: Any, right: Any, width: int, sent: list[slice]) -> Relation:
        rows, scales = _balanced(system)
        system = rows[..., :, None] * system * scales[..., None, :]
        known = system[..., :width]
        q, r = np.linalg.qr(known, mode="complete")
        # Only the eliminated unknowns keep their own units; what is handed on is in the units of the caller.
        outer = system[..., width:] / scales[..., None, width:]
        turned = np.swapaxes(q, -1, -2) @ np.concatenate([outer, rows[..., :, None] * right], axis=-1)
        parameters = system.shape[-1] - width
        own = sum(s.stop - s.start for s in sent)
        # The diagonal of the triangle does not show how near to singular it is; its singular values do.
        values = np.linalg.svd(r[..., :width, :], compute_uv=False)
        measure: Any = values[..., -1] / values[..., 0] if width else np.ones(values.shape[:-1])
        if self.parent[k] < 0 and own:
            # What a singular system leaves undetermined is handed inward and ends at the root.
            left = np.linalg.svd(turned[..., width:, :own], compute_uv=False)[..., -1]
            measure = np.minimum(measure, left)
        relation = Relation(
            sent=turned[..., width:, :own],
            received=turned[..., width:, own:parameters],
            constant=turned[..., width:, parameters:],
            triangle=r[..., :width, :],
            top=turned[..., :width, :parameters],
            top_constant=turned[..., :width, parameters:],
            measure=measure,
            scales=scales[..., :width],
            logdet=-np.log(rows).sum(axis=-1) - np.log(scales[..., :width]).sum(axis=-1),
        )
        self.relations[k] = relation
        return relation

    def _rows(self, k: int) -> Iterator[slice]:
        start = 0
        for rows, *_ in self.equations:
            stop = start + self.size(rows, k)
            yield slice(start, stop)
            start = stop
        for c in self.children[k]:
            stop = start + self.relations[c].sent.shape[-2]
            yield slice(start, stop)
            start = stop
        for space in self._sent_spaces():
            stop = start + self.size(space, k)
            yield slice(start, stop)
            start = stop

    def _pieces(
        self,
        k: int,
        x: list[slice],
        from_children: dict[int, list[slice]],
        sent: list[slice],
        received: list[slice],
    ) -> Iterator[tuple[slice, slice, Any]]:
        rows = self._rows(k)
        for _, members, gathers, pulls, _ in self.equations:
            where = next(rows)
            for i, coefficient in members:
                yield where, x[i], coefficient(k)
            for i, coefficient in gathers:
                for c in self.children[k]:
                    yield where, from_children[c][i], coefficient(k) @ self.inward[i][c]
            for j, coefficient in pulls:
                yield where, received[j], coefficient(k)
        for c in self.children[k]:
            where, relation = next(rows), self.relations[c]
            for column in from_children[c]:
                start = column.start - from_children[c][0].start
                yield where, column, relation.sent[..., start : start + column.stop - column.start]
            for (_, carried), D, part in zip(
                self.definition.pulls, self.outward, self._places(self._received_spaces(), c), strict=True
            ):
                yield where, x[carried], relation.received[..., part] @ D[c]
        for (_, carried), column in zip(self.definition.gathers, sent, strict=True):
            where = next(rows)
            unit = np.eye(column.stop - column.start)
            yield where, column, unit
            yield where, x[carried], -unit

    def _constants(self, k: int) -> Iterator[tuple[slice, Any]]:
        rows = self._rows(k)
        for *_, constant in self.equations:
            where = next(rows)
            if constant is not None:
                yield where, -constant(k)
        for c in self.children[k]:
            yield next(rows), self.relations[c].constant

    def logdet(self) -> Any:
        """The log |det| of the whole system: the triangles of all bodies, and what is left at the roots."""
        total: Any = 0.0
        for k, relation in enumerate(self.relations):
            total = total + relation.logdet
            total = total + np.log(np.abs(np.diagonal(relation.triangle, axis1=-2, axis2=-1))).sum(axis=-1)
            if self.parent[k] < 0 and relation.sent.shape[-1]:
                total = total + np.linalg.slogdet(relation.sent)[1]
        return np.asarray(total)[..., None, None]

    def outward_step(self, k: int) -> Any:
        """The members of the component at a body, stacked; also what its children sent."""
        relation: Relation = self.relations[k]
        x = self._places(self.definition.spaces, k)
        p = self.parent[k]
        if p < 0:
            sent = solve(relation.sent, relation.constant)
            given = [sent, np.zeros((relation.received.shape[-1], relation.constant.shape[-1]))]
        else:
            above = self._places(self.definition.spaces, p)
            arriving = [
                D[k] @ self.solutions[p][..., above[i], :]
                for (_, i), D in zip(self.definition.pulls, self.outward, strict=True)
            ]
            given = [self.sent[k], *arriving]
        lead = np.broadcast_shapes(*(part.shape[:-2] for part in given))
        stacked = np.concatenate([np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in given], axis=-2)
        unknowns = solve(relation.triangle, relation.top_constant - relation.top @ stacked)
        unknowns = relation.scales[..., :, None] * unknowns
        start = x[-1].stop
        for c in self.children[k]:
            stop = start + sum(self.size(space, c) for space in self._sent_spaces())
            self.sent[c] = unknowns[..., start:stop, :]
            start = stop
        self.solutions[k] = unknowns[..., : x[-1].stop, :]
        return self.solutions[k]


def _balanced(system: Any) -> tuple[Any, Any]:
    """Powers of two for rows and columns that bring all entries near one.

    Bodies of very different masses meet in one system; without this the orthogonal transformations would round the
    equations of the light ones by the size of the heavy ones.
    """
    rows, columns = np.ones(system.shape[:-1]), np.ones((*system.shape[:-2], system.shape[-1]))
    size = np.abs(system)
    for _ in range(4):
        scaled = rows[..., :, None] * size * columns[..., None, :]
        largest_in_row, largest_in_column = scaled.max(axis=-1, initial=0.0), scaled.max(axis=-2, initial=0.0)
        rows = rows / _root_of(largest_in_row)
        columns = columns / _root_of(largest_in_column)
    return _power_of_two(rows), _power_of_two(columns)


def _root_of(size: Any) -> Any:
    positive: Any = (size > 0) & np.isfinite(size)
    return np.sqrt(np.asarray(np.where(positive, size, 1.0), dtype=np.float64))


def _power_of_two(scale: Any) -> Any:
    return np.exp2(np.round(np.log2(np.asarray(scale, dtype=np.float64))))
