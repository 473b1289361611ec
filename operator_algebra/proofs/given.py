"""Proofs from chosen laws: what has a name stays a letter, and nothing is known of it but what the laws say.

Rewriting goes on between free operators in place of the named ones. What it finds is carried over to the operators
themselves, letter by letter, and the laws by their own proofs: the certificate is one from the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from operator_algebra.arguments import items
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import operator
from operator_algebra.expressions.fixpoints import renamed
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.expressions.traverse import fold, rebuild
from operator_algebra.identities.claims import claim_names, law_of
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.structure import Structure
from operator_algebra.proofs.chain import Chain, chain
from operator_algebra.proofs.completion import Completion
from operator_algebra.proofs.facts import Assumed, Fact, Term, Turned, resting_on, total, turned
from operator_algebra.proofs.inverses import inverses
from operator_algebra.proofs.letters import RING, Form, Letter, Word, adjoint
from operator_algebra.proofs.order import Order
from operator_algebra.proofs.search import Search, search
from operator_algebra.proofs.spelling import left_over
from operator_algebra.proofs.theory import TRAITS, Axiom, Side, Theory
from operator_algebra.proofs.workbench import Workbench

_JOBS = 4_000
"""Overlaps looked at: what follows from some laws is found after dozens."""
_SHAPE = ("hop", "strict", "unit", "symmetric")


@dataclass(frozen=True)
class FromLaws:
    """What was found with some laws alone: a proof, the laws that it rests on and the chain; or what is left."""

    search: Search
    rest: str
    used: tuple[str, ...] = ()
    chain: Chain | None = None


def laws_used(using: Iterable[Identity | Expr | str]) -> tuple[Identity, ...]:
    """The laws that are meant: records, their names, equations; of an operator its definition or its equation.

    >>> from operator_algebra.symbols import K
    >>> [law.name for law in laws_used(["left exchange", K, "phi"])]
    ['left exchange', 'definition of K', 'definition of φ']
    """
    return tuple(map(_law_used, items(using, "using", "laws")))


def _law_used(one: object) -> Identity:
    meant = claim_names().get(one, one) if isinstance(one, str) else one
    if isinstance(meant, Symbol) and meant.definition is not None:
        return Identity(f"definition of {meant.render()}", meant, meant.definition)
    if isinstance(meant, Fixpoint):
        return Identity(f"equation of {meant.render()}", meant, renamed(meant.body, meant.variable, meant))
    if isinstance(meant, Expr):
        raise InputError(f"{meant.render()} has no definition that a proof could use. Give laws, or defined operators.")
    law = law_of(meant)  # pyright: ignore[reportArgumentType]
    if not isinstance(law, Identity):
        raise InputError(f"{law.name} is no equation. Give laws lhs = rhs.")
    return replace(law, name=law.formula()) if isinstance(meant, str) and "=" in meant else law


def prove_from(claim: Identity, laws: Sequence[Identity], seconds: float) -> FromLaws:
    """A proof of a claim from laws alone; each of those that it rests on is proved in at most so many seconds."""
    free = _Free()
    lhs, rhs = free.form(claim.lhs), free.form(claim.rhs)
    theory = Theory()
    goal = RING.minus(theory.read(lhs), theory.read(rhs))
    facts = [
        Fact(RING.minus(theory.read(free.form(law.lhs)), theory.read(free.form(law.rhs))), Assumed(law)) for law in laws
    ]
    core = Completion(Order(theory))
    bench = Workbench(theory, core, core, goal)
    core.add(fact for fact in facts if fact.form)
    core.add(bench.axiom(why, form) for why, form in theory.axioms() if why.letter.kind in ("inverse", "root"))
    core.run([goal], _JOBS)
    rest, trace = core.reduce(goal)
    if rest:
        core.add(inverses(bench))
        core.run([goal], _JOBS)
        rest, trace = core.reduce(goal)
    if rest:
        return FromLaws(Search(theory, None, rest, core.complete), left_over(theory, rest, lhs, rhs))
    proved = total(trace)
    used = [one.why.law for one in resting_on(proved) if isinstance(one.why, Assumed)]
    told = chain(Search(theory, proved, {}, core.complete, bench), lhs, rhs)
    return FromLaws(_Carried(claim, free, theory, seconds).search(proved), "", tuple(law.name for law in used), told)


@dataclass(slots=True)
class _Free:
    """Free operators in place of defined ones: same name, spaces and blocks."""

    names: dict[Expr, Symbol] = field(default_factory=dict[Expr, Symbol])

    def form(self, e: Expr) -> Expr:
        """A formula with free operators."""
        return _replaced(e, self._like)

    def meant(self, e: Expr) -> Expr:
        """A formula with the operators that the free ones stand for."""
        known = {free: one for one, free in self.names.items()}
        return _replaced(e, lambda node: known.get(node) if isinstance(node, Symbol) else None)

    def _like(self, e: Expr) -> Expr | None:
        if not isinstance(e, Fixpoint) and not (isinstance(e, Symbol) and e.definition is not None):
            return None
        if e not in self.names:
            flags = tuple(flag for flag in _SHAPE if flag in e.structure.flags)
            taken = sum(one.name == e.name for one in self.names if isinstance(one, Symbol | Fixpoint))
            name = f"{e.name}_{taken + 1}" if taken else e.name
            self.names[e] = operator(name, e.type, structure=Structure.make(e.structure.flow, flags))
        return self.names[e]


def _replaced(e: Expr, image: Callable[[Expr], Expr | None]) -> Expr:
    def below(node: Expr) -> tuple[Expr, ...]:
        return () if image(node) is not None else node.children

    def combine(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        found = image(node)
        return rebuild(node, parts) if found is None else found

    return fold(e, combine, below)


class _Carried:
    """A proof between free operators as one of the operators that they stand for."""

    def __init__(self, claim: Identity, free: _Free, theory: Theory, seconds: float) -> None:
        self.claim, self.free, self.source, self.seconds = claim, free, theory, seconds
        self.theory = Theory(frozenset(claim.domain).intersection(TRAITS))
        self.theory.read(claim.lhs)
        self.theory.read(claim.rhs)
        self.facts: dict[Fact, Fact] = {}

    def search(self, proved: Fact) -> Search:
        """The same proof, of the claim itself."""
        for fact in resting_on(proved):
            self.facts[fact] = self._fact(fact)
        return Search(self.theory, self.facts[proved], {}, complete=False)

    def _fact(self, fact: Fact) -> Fact:
        match fact.why:
            case Assumed(law):
                return self._law(law)
            case Turned(of):
                return turned(self.facts[of])
            case Axiom(letter, side):
                return self._axiom(letter, side)
            case tuple(terms):
                return total(made for term in terms for made in self._terms(term))
            case _:
                raise AssertionError(f"rewriting does not make a fact by {fact.why}")

    def _law(self, law: Identity) -> Fact:
        """A law by its own proof, whose letters belong to this theory from now on."""
        found = search(law.lhs, law.rhs, self.claim.domain, seconds=self.seconds)
        if found.proved is None:
            raise InputError(f"{law}: this is not proved, so a proof cannot use it. Ask prove about it alone.")
        for letter in found.theory.letters:
            self.theory.letters.setdefault(self.theory.base(letter))
        self.theory.equations |= found.theory.equations
        return found.proved

    def _axiom(self, letter: Letter, side: Side) -> Fact:
        """That of the letter that stands there; of an inverse that is none any more, nothing."""
        image = self._image(letter)
        own = next(iter(image))[1][0] if len(image) == 1 and next(iter(image.values())) == 1 else None
        if own is None or own.kind != letter.kind or len(next(iter(image))[1]) != 1:
            return Fact({}, ())
        base = self.theory.base(own)
        found = {why.side: Fact(form, why) for why, form in self.theory.axioms_of(base)}
        other: dict[Side, Side] = {"left": "right", "right": "left", "": ""}
        return found[side] if base is own else turned(found[other[side]])

    def _terms(self, term: Term) -> Iterator[Term]:
        if not self.facts[term.fact].form:  # an equation of free operators that the real ones are written by
            return
        left, right = self._word(term.left), self._word(term.right)
        for (before, c), (after, d) in product(left.items(), right.items()):
            yield Term(term.c * c * d, before, self.facts[term.fact], after)

    def _word(self, one: Word) -> Form:
        return RING.substituted({one: 1}, self._image)

    def _image(self, letter: Letter) -> Form:
        """What a letter between free operators is between those that they stand for."""
        base = self.source.base(letter)
        if base.source is None:
            raise AssertionError("rewriting makes no letters")
        form = self.theory.read(self.free.meant(base.source))
        return form if base is letter else adjoint(form)
