"""What a proof is worked out on: the theory of a claim, its rules, and what has been tried."""

from __future__ import annotations

from dataclasses import dataclass, field

from operator_algebra.proofs.completion import Completion
from operator_algebra.proofs.facts import Fact, total
from operator_algebra.proofs.letters import RING, Form, Letter
from operator_algebra.proofs.theory import Axiom, Theory


@dataclass(slots=True)
class Workbench:
    """A theory, the rules found for it, and what tactics have said already."""

    theory: Theory
    core: Completion
    full: Completion
    axioms: dict[Axiom, Fact] = field(default_factory=dict[Axiom, Fact])
    said: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]])
    same: dict[Letter, Fact] = field(default_factory=dict[Letter, Fact])
    solved: dict[Letter, Fact] = field(default_factory=dict[Letter, Fact])
    ages: dict[Letter, int] = field(default_factory=dict[Letter, int])
    rounds: int = 0

    def age(self, x: Letter) -> int:
        """The round in which a letter came."""
        return self.ages.setdefault(x.base, self.rounds)

    def once(self, *what: object) -> bool:
        """Whether something is tried for the first time."""
        new = what not in self.said
        self.said.add(what)
        return new

    def axiom(self, why: Axiom, form: Form) -> Fact:
        """The fact of an axiom."""
        return self.axioms.setdefault(why, Fact(form, why))

    def new_axioms(self) -> list[Fact]:
        """The axioms of letters that have come since the last time."""
        return [self.axiom(why, form) for why, form in self.theory.axioms() if why not in self.axioms]

    def equal(self, p: Form, q: Form) -> Fact | None:
        """The fact p − q = 0, if rewriting shows it."""
        for rules in (self.core, self.full):
            rest, trace = rules.reduce(RING.minus(p, q))
            if not rest:
                return total(trace)
        return None
