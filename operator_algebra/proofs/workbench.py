"""What a proof is worked out on: the theory of a claim, its rules, and what has been tried."""

from __future__ import annotations

from dataclasses import dataclass, field

from operator_algebra.proofs.completion import Completion
from operator_algebra.proofs.facts import Fact, Real, Term, total
from operator_algebra.proofs.letters import ONE, RING, Form, Letter, Rational, Word, adjoint
from operator_algebra.proofs.theory import Axiom, Theory


@dataclass(slots=True)
class Workbench:
    """A theory, the rules found for it, and what tactics have said already."""

    theory: Theory
    core: Completion
    full: Completion
    goal: Form = field(default_factory=dict[Word, Rational])
    axioms: dict[Axiom, Fact] = field(default_factory=dict[Axiom, Fact])
    said: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]])
    same: dict[Letter, Fact] = field(default_factory=dict[Letter, Fact])
    solved: dict[Letter, Fact] = field(default_factory=dict[Letter, Fact])
    ages: dict[Letter, int] = field(default_factory=dict[Letter, int])
    waiting: list[Fact] = field(default_factory=list[Fact])
    rounds: int = 0

    def copy(self) -> Workbench:
        """The same rules with the same history, for another goal; nothing that is found there comes back."""
        theory = self.theory.copy()
        core = self.core.copy(self.core.order.copy(theory))
        full = core if self.full is self.core else self.full.copy(core.order)
        made = Workbench(theory, core, full, {}, dict(self.axioms), set(self.said), dict(self.same), dict(self.solved))
        made.ages, made.waiting, made.rounds = dict(self.ages), list(self.waiting), self.rounds
        return made

    def next_round(self) -> None:
        """Letters that come from now on are younger than those that are there."""
        for x in self.theory.letters:
            self.age(x)
        self.rounds += 1

    def age(self, x: Letter) -> int:
        """The round in which a letter came."""
        return self.ages.setdefault(self.theory.base(x), self.rounds)

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
            if rest and (turns := _numbers(rules, rest)):
                rest, more = rules.reduce(RING.minus(rest, total(turns).form))
                trace += [*turns, *more]
            if not rest:
                return total(trace)
        return None


def _numbers(rules: Completion, rest: Form) -> list[Term]:
    """Words one → one that stand behind their adjoints in the order, and so are written as these."""
    found: list[Term] = []
    for word, c in rest.items():
        _, letters = word
        if letters and letters[0].type.codomain.name == letters[-1].type.domain.name == "one":
            ((other, _),) = adjoint({word: c}).items()
            if rules.order.key(other) < rules.order.key(word):
                found.append(Term(c, ONE, Fact(RING.minus({word: 1}, {other: 1}), Real(word)), ONE))
    return found
