"""Which steps of a sweep have to follow the bodies one level after the other, and which can be done for all at once."""

from __future__ import annotations

from dataclasses import dataclass

from operator_algebra.lowering.components import strongly_connected
from operator_algebra.programs.instructions import Invert
from operator_algebra.programs.program import Step, Sweep
from operator_algebra.programs.records import references


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps before, in and after the loop over the levels."""

    before: tuple[Step, ...]
    loop: tuple[Step, ...]
    after: tuple[Step, ...]


def plan(sweep: Sweep) -> Plan:
    """Split a sweep: what recurs and what stands between recurrences is in the loop, the rest outside."""
    steps = {step.number: step for step in sweep.steps}
    reads = {
        number: [ref.value for ref, _ in references(step.definition) if ref.value in steps]
        for number, step in steps.items()
    }
    core: set[int] = set()
    for members in strongly_connected(sorted(steps), lambda n: reads[n]):
        if len(members) > 1 or members[0] in reads[members[0]]:
            core.update(members)
    needed = _closure(core, reads)
    readers: dict[int, list[int]] = {number: [] for number in steps}
    for number, sources in reads.items():
        for source in sources:
            readers[source].append(number)
    moved = _closure(core, readers)
    stored = [step for step in sweep.steps if not isinstance(step.definition, Invert)]
    return Plan(
        tuple(step for step in stored if step.number in needed - moved),
        tuple(step for step in stored if step.number in needed & moved),
        tuple(step for step in stored if step.number not in needed),
    )


def _closure(start: set[int], edges: dict[int, list[int]]) -> set[int]:
    found = set(start)
    pending = list(start)
    while pending:
        for other in edges[pending.pop()]:
            if other not in found:
                found.add(other)
                pending.append(other)
    return found
