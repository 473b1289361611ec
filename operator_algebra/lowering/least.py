"""What no form of a program can beat: how many sweeps its results take, whatever is transposed or superposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.transpose import Directions
from operator_algebra.programs.instructions import Call, Given, Invert
from operator_algebra.programs.program import Output
from operator_algebra.programs.records import references


def least_sweeps(graph: Graph) -> int:
    """The bound: a sweep for a number, two where what is known at tips and base is needed at both.

    Functions of velocities are known at no tip before a sweep outward: what comes inward from them takes a second, and
    what goes out again a third. A number that meets them in an elimination takes two, since that runs inward and is no
    linear function of anything. What a body makes of a number waits for it.
    """
    reach = _Reach(graph)
    return max((reach.least(one) for one in graph.wanted if isinstance(one, Output)), default=0)


class _Reach:
    """What results depend on."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.directions = Directions(graph)
        recurring = [c for c in components(graph) if c.labels & {"U", "D"}]
        eliminating = [
            c for c in recurring if "U" in c.labels and any(isinstance(graph[n].definition, Invert) for n in c.members)
        ]
        self.recurrences = frozenset(number for c in recurring for number in c.members)
        self.eliminations = frozenset(number for c in eliminating for number in c.members)

    def least(self, output: Output) -> int:
        """The sweeps that one result takes at least."""
        if output.ref is None:
            return int(output.rows.attached)
        if isinstance(self.graph[output.ref.value].definition, Given):
            return 0
        if not output.rows.attached:
            return self._number(output.ref.value)
        seen, _, numbers = self._read([output.ref.value], attached=True)
        ways = {way for number in seen for way in self.directions.of.get(number, "")}
        behind = max((self._number(number) for number in numbers), default=0)
        return max(1, len(ways), self._moved(seen), behind + 1)

    def _moved(self, seen: set[int]) -> int:
        """The sweeps that functions of velocities take on their way: outward, inward, outward again."""
        readers: dict[int, list[int]] = {}
        for number in seen:
            definition = self.graph[number].definition
            for ref, _ in () if isinstance(definition, Call) else references(definition):
                readers.setdefault(ref.value, []).append(number)
        inward = self._along("U", _reached(readers, {number for number in seen if self._of_velocities(number)}))
        again = self._along("D", _reached(readers, inward))
        return 3 if again else 2 if inward else 0

    def _along(self, way: str, numbers: set[int]) -> set[int]:
        """The recurrences of a direction."""
        return {number for number in numbers if self.directions.of.get(number) == way}

    def _of_velocities(self, number: int) -> bool:
        """Whether a value is a function of what is known after a sweep outward, and no linear one."""
        definition = self.graph[number].definition
        if not isinstance(definition, Call):
            return False
        return any(self.directions.cone(ref.value)[0] == "D" for ref in definition.arguments)

    def _number(self, number: int) -> int:
        """The sweeps before a number that is none of a body is known: none if bodies have their say one by one."""
        seen, moving, _ = self._read([number], attached=False)
        if not moving and seen.isdisjoint(self.recurrences):
            return 0
        return 1 + (moving and not seen.isdisjoint(self.eliminations))

    def _read(self, pending: list[int], *, attached: bool) -> tuple[set[int], bool, set[int]]:
        """What values read, and whether velocities are among it; with `attached` not through numbers, which are told.

        What reads a recurrence through a number may be summed where that begins: no way is taken for it.
        """
        seen, numbers = set(pending), set[int]()
        moving = False
        while pending:
            number = pending.pop()
            definition = self.graph[number].definition
            if isinstance(definition, Call):
                moving |= self._of_velocities(number)
                continue
            for ref, _ in references(definition):
                if attached and not self.graph[ref.value].attached:
                    numbers.add(ref.value)
                elif ref.value not in seen:
                    seen.add(ref.value)
                    pending.append(ref.value)
        return seen, moving, numbers


def _reached(readers: Mapping[int, Sequence[int]], start: set[int]) -> set[int]:
    """What depends on some values, with them."""
    seen, pending = set(start), list(start)
    while pending:
        fresh = [n for n in readers.get(pending.pop(), ()) if n not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return seen
