"""What is rounded bounded body by body, in code that is written out for all of them: as in loops, see `weights` there.

A sum over all bodies is too much for a long chain, of which no pivot loses more, in the mean, than one body bears.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from operator_algebra.backends.scalar.graph import Graph, Node
from operator_algebra.backends.scalar.known import Known, fixed
from operator_algebra.backends.scalar.resistance import Unknown
from operator_algebra.backends.scalar.thin import Along, Edges, WeakAxes, carried_along, stood
from operator_algebra.lowering.bounds import elimination
from operator_algebra.models.numeric import Numbers as Floats
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.program import Pivot


@np.errstate(all="ignore")
def borne_by_bodies(run: Interpreter, pivot: Pivot, graph: Graph, tried: Floats) -> list[Node] | None:
    """Nodes that are positive where a pivot loses little; None where nothing is known.

    Joints have a single freedom or none. What does not depend on the configuration is found as for `margin`.
    """
    parts = elimination(run.program, pivot)
    if parts is None:
        return None
    try:
        found = Known(run, parts, graph, tried)
        if max(found.freedoms, default=2) > 1:
            return None
        several = _stood(found)
    except (Unknown, np.linalg.LinAlgError):
        return None
    positive: list[Node] = []
    received: dict[int, Node] = {}
    for k in reversed(run.mechanism.bodies):
        by, parent = several[k], found.parent[k]
        P = run.get(parts.P, k)
        b = [graph.zero] * P.height
        if parent >= 0:
            b = [row[0] for row in run.numbers.product(run.hop(parts.hop, k), Matrix([[x] for x in by.a], 1)).rows]
        diagonal = [row[i] for i, row in enumerate(P.rows)]
        left, sent = carried_along(graph, by, diagonal, received.get(k, by.received), b)
        positive.append(left)
        received[parent] = graph.add(received.get(parent, graph.zero), sent)
    return positive


def _stood(found: Known) -> list[Along[Sequence[Node], Node]]:
    """What stands at the bodies, as nodes."""
    n, graph = len(found.parent), found.graph
    parent = np.asarray(found.parent)
    inner, bodies = parent >= 0, np.arange(n)
    above = np.where(inner, parent, bodies)
    children = np.bincount(parent[inner], minlength=n)
    last = np.full(n, -1)
    last[parent[inner]] = bodies[inner]
    h, lever = np.zeros((n, 6)), np.zeros((n, 6))
    for k, block in enumerate(found.H):
        if block.height:
            h[k] = fixed(block)[0]
    for k, passed in found.axes.items():
        lever[k] = passed
    axes = WeakAxes.of(np.stack(found.inertia), found.moved, h[:, :3])
    edges = Edges(h, lever, np.zeros((n, 6)), children[above], inner, last[above] == bodies)
    several = stood(axes, axes.at(above), edges, 1, single=True)

    def number(x: float) -> Node:
        if not np.isfinite(x):
            raise Unknown
        return graph.of(x)

    def at(k: int) -> Along[Sequence[Node], Node]:
        return several.each(lambda rows: [number(x) for x in rows[k].tolist()], lambda column: number(float(column[k])))

    return [at(k) for k in range(n)]
