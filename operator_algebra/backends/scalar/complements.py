"""Products beside complements: with τ̄ = 1 − G H and H H* = 1, what G selects is what H does of what τ̄ leaves.

G = (1 − τ̄) H*, so that for any X that is its own adjoint

    G* X G = H (X − X τ̄ − (X τ̄)* + τ̄* X τ̄) H*,

and where τ̄* X τ̄ is computed anyway, as in the diagonal of an inverse, G* X G costs three additions for each freedom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from operator_algebra.backends.scalar.algebra import NodeNumbers
from operator_algebra.backends.scalar.rigid import Law
from operator_algebra.programs.instructions import summed
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.program import Program
from operator_algebra.programs.records import Ref, Term


@dataclass(frozen=True)
class Selected:
    """… + G* X G."""

    step: int
    term: Term
    others: tuple[Term, ...]
    H: tuple[Ref, ...]
    complement: Ref

    def block(self, run: Interpreter, numbers: NodeNumbers, k: int) -> Matrix:
        """By the complement where H H* is the identity, else as it stands."""
        height = run.mechanism.size(run.program.steps[self.step].type.codomain, k)
        blocks = [run.term(term, height, k) for term in self.others]
        H = numbers.product(*(run.get(ref, k) for ref in self.H))
        if not _is_identity(numbers, numbers.product(H, H.T)):
            return numbers.sum([*blocks, run.term(self.term, height, k)], height, height)
        X, tau_bar = run.get(self.term.factors[1], k), run.get(self.complement, k)
        once = numbers.product(X, tau_bar)
        left = numbers.product(H, tau_bar.T, once, H.T)
        found = numbers.sum([*blocks, left, numbers.product(H, X, H.T)], height, height)
        crossed = numbers.product(H, once, H.T)
        return numbers.less(numbers.less(found, crossed, numbers.identity(height)), crossed.T, numbers.identity(height))


def selected(program: Program) -> Mapping[int, Law]:
    """The steps that such a product is added in, by number, where its complement is there."""
    complements = {G: (ref, H) for ref, G, H in _complements(program)}
    beside = {(term.factors[2], term.factors[1]) for term in _triples(program) if term.factors[0] == term.factors[2].T}
    found: dict[int, Law] = {}
    for number, step in program.steps.items():
        terms = summed(step.definition) or ()
        for term in terms:
            known = complements.get(term.factors[2]) if len(term.factors) == 3 else None
            plain = term.coefficient == 1 and not term.scalars
            if known is not None and plain and _is_square(program, term) and (known[0], term.factors[1]) in beside:
                others = tuple(other for other in terms if other is not term)
                found[number] = Selected(number, term, others, known[1], known[0])
    return found


def _triples(program: Program) -> Iterator[Term]:
    """The terms of three factors."""
    for step in program.steps.values():
        yield from (term for term in summed(step.definition) or () if len(term.factors) == 3)


def _complements(program: Program) -> Iterator[tuple[Ref, Ref, tuple[Ref, ...]]]:
    """The values 1 − G H: themselves, G and H."""
    for number, step in program.steps.items():
        words = {term.factors: term.coefficient for term in summed(step.definition) or () if not term.scalars}
        factors = next(iter(words.keys() - {()}), ())
        if len(factors) > 1 and words == {(): 1, factors: -1}:
            yield Ref(number), factors[0], factors[1:]


def _is_square(program: Program, term: Term) -> bool:
    """Whether it is G* X G with X its own adjoint."""
    first, X, last = term.factors
    return first == last.T and program.computed[X.value].value.symmetric


def _is_identity(numbers: NodeNumbers, block: Matrix) -> bool:
    unit = numbers.identity(block.height)
    return all(x is y for row, own in zip(block.rows, unit.rows, strict=True) for x, y in zip(row, own, strict=True))
