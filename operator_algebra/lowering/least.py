"""What no form of a program can beat: how many sweeps its results take, whatever is transposed or superposed."""

from __future__ import annotations

from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.transpose import Directions
from operator_algebra.programs.instructions import Call, Invert
from operator_algebra.programs.program import Output
from operator_algebra.programs.records import references


def least_sweeps(graph: Graph) -> int:
    """The bound: a sweep for a number, two where what is known at tips and base is needed at both.

    Functions of velocities are known at no tip before a sweep outward. A sweep more is needed by what is known at both
    ends, and by a number that meets them in an elimination, which runs inward and is no linear function of anything.
    """
    reach = _Reach(graph)
    return max((reach.least(one) for one in graph.wanted if isinstance(one, Output)), default=0)


class _Reach:
    """What results depend on."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.directions = Directions(graph)
        self.eliminations = [
            frozenset(c.members)
            for c in components(graph)
            if "U" in c.labels and any(isinstance(graph[n].definition, Invert) for n in c.members)
        ]

    def least(self, output: Output) -> int:
        """The sweeps that one result takes at least."""
        if output.ref is None:
            return 1
        ways: set[str] = set()
        moving = False
        pending, seen = [output.ref.value], {output.ref.value}
        while pending:
            number = pending.pop()
            ways.update(self.directions.of.get(number, ""))
            definition = self.graph[number].definition
            if isinstance(definition, Call):
                moving |= any(self.directions.cone(ref.value)[0] == "D" for ref in definition.arguments)
                continue
            fresh = {ref.value for ref, _ in references(definition)} - seen
            seen |= fresh
            pending.extend(fresh)
        if not output.rows.attached:
            return 1 + (moving and any(not seen.isdisjoint(members) for members in self.eliminations))
        return max(1, len(ways)) + (moving and len(ways) == 2)
