"""Values of a program that are operators of the vocabulary, known by what defines them and not by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from operator_algebra.programs.program import Program, Step
from operator_algebra.programs.roles import COMPLEMENT, COMPOSITE, COSTATE, DIAGONAL, GAIN, RICCATI
from operator_algebra.programs.schemes import Binding, Reading, Written

_MEANINGS: dict[str, tuple[str, str]] = {
    "P": ("inertia felt at {k}, joints beyond it free", "Riccati equation, updated inertia"),
    "P_plus": ("inertia felt across joint {k}, now free", "update, short form"),
    "G": ("gain: force handed inward per joint force", "gain equation"),
    "tau_bar": ("share of a force that crosses joint {k}, now free", ""),
    "Upsilon": ("mobility: motion of {k} per force on it", "costate Lyapunov equation"),
    "Upsilon_plus": ("mobility of the parent, carried to {k}", ""),
    "minus Upsilon": ("less the mobility: motion of {k} per force on it", "costate Lyapunov equation"),
    "minus Upsilon_plus": ("less the mobility of the parent, carried to {k}", ""),
    "R": ("inertia of {k} and all it carries, joints locked", "composite inertia"),
    "diagonal": ("own block and its parent's share", "diagonal of the inverse mass matrix"),
}


def meaning(role: str) -> tuple[str, str] | None:
    """Words and law for a role; D is told with what is added to it."""
    return _MEANINGS.get(role)


class Roles:
    """What of the vocabulary a program computes: `of` by the number of a value, and one Riccati equation or more."""

    def __init__(self, program: Program) -> None:
        self.steps = program.steps
        self.reading = Reading({number: step.value for number, step in program.steps.items()}, "taken apart")
        self.riccati = tuple(self.reading.solutions(RICCATI))
        self.of: Mapping[int, str] = dict(self._found())

    def sum(self, step: Step) -> tuple[Written, ...]:
        """All terms of a value, written out."""
        return self.reading.sum(step.number)

    def _found(self) -> Iterator[tuple[int, str]]:
        for found in self.reading.solutions(COMPOSITE):
            yield found["R"].value, "R"
        for one in self.riccati:
            for role in ("P", "P_plus", "D"):
                yield one[role].value, role
            for found in self.reading.solutions(GAIN, one):
                yield found["G"].value, "G"
            for found in self.reading.solutions(COMPLEMENT, one):
                yield found["tau_bar"].value, "tau_bar"
                yield from self._costate(found)

    def _costate(self, one: Binding) -> Iterator[tuple[int, str]]:
        for found in self.reading.solutions(COSTATE, one):
            for role in ("Upsilon", "Upsilon_plus"):
                yield found[role].value, role if found.sign > 0 else f"minus {role}"
            for own in self.reading.solutions(DIAGONAL, found):
                yield own["diagonal"].value, "diagonal"
