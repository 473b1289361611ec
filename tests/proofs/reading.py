"""Words and polynomials of tests as texts: "2 H P H'" instead of tuples of letters."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from operator_algebra.expressions.nodes import Expr
from operator_algebra.proofs.completion import Completion
from operator_algebra.proofs.facts import Fact
from operator_algebra.proofs.letters import Form, Letter
from operator_algebra.proofs.order import Order
from operator_algebra.proofs.proof import Proof
from operator_algebra.proofs.prove import prove
from operator_algebra.proofs.theory import Axiom, Theory
from operator_algebra.proofs.workbench import Workbench
from operator_algebra.proofs.writer import Writer


@cache
def proved(name: str) -> Proof:
    """The proof of a law of the catalogue, which several tests look at."""
    return prove(name)


def spelled(theory: Theory, form: Form, *sides: Expr) -> dict[str, int | Fraction]:
    """A polynomial by the names of its letters; formulas give names to what they define."""
    writer = Writer(theory)
    writer.prefer(sides)
    return {
        word: int(c) if (c := Fraction(told)).denominator == 1 else c for word, told in writer.polynomial(form).items()
    }


def letter(theory: Theory, e: Expr) -> Letter:
    """The letter that a formula is."""
    (((_, (found,)), c),) = theory.read(e).items()
    assert c == 1
    return found


def bench_of(*formulas: Expr, traits: frozenset[str] = frozenset()) -> Workbench:
    """A workbench whose rules are complete for what rewriting deals with."""
    theory = Theory(traits)
    for e in formulas:
        theory.read(e)
    core = Completion(Order(theory))
    bench = Workbench(theory, core, core)
    core.add([fact for fact in bench.new_axioms() if plain(theory, fact)])
    assert core.run([], 2_000) == "complete"
    return bench


def plain(theory: Theory, fact: Fact) -> bool:
    """Whether a fact is an axiom that rewriting deals with."""
    return isinstance(fact.why, Axiom) and theory.plain(fact.why.letter)
