"""Blocks at all bodies of a kind at once, as arrays: what their numbers tell before any joint stands anywhere."""

from __future__ import annotations

import numpy as np

from operator_algebra.backends.loops.kind_tracer import KindTracer
from operator_algebra.backends.scalar.algebra import Product, Turned
from operator_algebra.backends.scalar.graph import Node, needed
from operator_algebra.backends.scalar.resistance import Edge, Unknown
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.lowering.bounds import Elimination
from operator_algebra.models.arrays import Indices
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.matrices import Matrix

_SIX = 6
_SAME = 1e-9
"""What differs by less of the largest is the same but for rounding."""


class OverBodies:
    """A block at all bodies of a kind, a part of them at a time, with coordinates near a number or without."""

    def __init__(self, tracer: KindTracer, block: Matrix, *, at: float | None = None) -> None:
        self._nodes: tuple[Node, ...] = tuple(x for row in block.rows for x in row)
        self._shape, self._kind, self._near, self._width = (
            (block.height, block.width),
            tracer.kind,
            at,
            len(tracer.loads),
        )
        self._loads = {
            int(node.value): tracer.loads[int(node.value)] for node in needed(self._nodes) if node.operation == "input"
        }
        known = ("number", "coordinate") if at is not None else ("number",)
        if any(load.where not in known for load in self._loads.values()):
            raise Unknown
        self._tape = Tape.of(Traced((), self._nodes, (), ()), self._width)

    def at(self, part: slice) -> Numbers:
        """At a part of the bodies, (bodies, rows, columns)."""
        places = np.arange(len(self._kind.bodies))[part]
        if self.constant:
            values = np.array([node.value for node in self._nodes]).reshape(self._shape)
            return np.broadcast_to(values, (len(places), *self._shape))
        given, rows = self._kind.numbers(part), np.zeros((self._width, len(places)))
        for place, load in self._loads.items():
            if load.where == "number":
                rows[place] = given[:, load.place]
            elif self._near is not None:
                rows[place] = self._near * (1.0 + places % 7)
        _, found = self._tape.batch(rows)
        if not np.isfinite(found).all():
            raise Unknown
        return np.moveaxis(found.reshape(*self._shape, -1), -1, 0)

    @property
    def constant(self) -> bool:
        """Whether it is the same at all bodies."""
        return all(node.known for node in self._nodes)

    def everywhere(self) -> Numbers:
        """At all of them."""
        found = np.empty((len(self._kind.bodies), *self._shape))
        for part in self._kind.parts:
            found[part] = self.at(part)
        return found


def levers(tracer: KindTracer, hop: Matrix) -> Matrix:
    """A hop without its turns, which change no sizes."""
    factors = hop.factors if isinstance(hop, Product) else (hop,)
    plain = [factor for factor in factors if not isinstance(factor, Turned)]
    return tracer.nodes.product(*plain) if plain else tracer.nodes.identity(_SIX)


def sliding(tracer: KindTracer, hop: Matrix) -> list[Node]:
    """The sizes of entries of levers that coordinates change."""
    found: dict[int, Node] = {}
    for x in (x for row in levers(tracer, hop).rows for x in row):
        if any(
            node.operation == "input" and tracer.loads[int(node.value)].where == "coordinate" for node in needed([x])
        ):
            found[abs(x).number] = abs(x)
    return list(found.values())


def edges_of(tracer: KindTracer, parts: Elimination, H: Matrix) -> list[tuple[Indices, Edge]]:
    """What joints of a kind leave where it is, seen at two places; those of which nothing is known are left out."""
    hop, bodies = tracer.hop(parts.hop, tracer.place), tracer.kind.bodies
    turning, known = [row[:3] for row in H.rows if not all(x is tracer.nodes.graph.zero for x in row[:3])], True
    slides = any(x is not tracer.nodes.graph.zero for row in H.rows for x in row[3:]) or bool(sliding(tracer, hop))
    axis = np.zeros((len(bodies), 3))
    if len(turning) == 1:
        try:
            axis = OverBodies(tracer, Matrix(turning, 3)).everywhere()[:, 0]
        except Unknown:
            known = False
    if len(turning) > 1 or not known:
        return [] if slides else [(bodies, Edge(OverBodies(tracer, levers(tracer, hop)).everywhere(), True, 3, axis))]
    places = [OverBodies(tracer, hop, at=at).everywhere() for at in (0.3, -1.1)]
    first, second = (phi[:, :3, :3] @ axis[..., None] if turning else phi[:, :3, :3] for phi in places)
    if np.abs(first - second).max(initial=0.0) > _SAME:
        return []
    return [(bodies, Edge(places[0], not slides, len(turning), axis))]
