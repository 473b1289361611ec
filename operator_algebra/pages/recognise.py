"""Values of a program that are operators of the vocabulary, known by what defines them and not by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from operator_algebra.programs.instructions import Given, Invert, Linear, Shift, Update
from operator_algebra.programs.program import Program, Step
from operator_algebra.programs.records import Ref, Term, terms_of

Written = tuple[Fraction, tuple[Ref, ...]]
"""A coefficient and the factors behind it."""

UNIT = Fraction(1)


@dataclass(frozen=True, slots=True)
class Riccati:
    """P = M + E_φ P⁺ E_φ*, D = H P H* + J, P⁺ = P − G H P by their numbers; `noise` are the terms of J."""

    P: int
    H: int
    P_plus: int
    pivot: int
    inverse: int
    noise: tuple[Term, ...]


class Recognised:
    """What of the vocabulary a program computes: `roles` by the number of a value, and one Riccati equation or more.

    Unique solvability makes the match an equality: a value that obeys the equations of P is P.
    """

    def __init__(self, program: Program) -> None:
        self.steps = program.steps
        self.graph = {number: step.value for number, step in program.steps.items()}
        self.riccati = tuple(self._riccati())
        self.roles: Mapping[int, str] = dict(self._roles())

    def symbol(self, ref: Ref, name: str, *, star: bool = False) -> bool:
        """Whether a reference is this leaf of the model, or its adjoint."""
        definition = self.steps[ref.value].definition
        if not isinstance(definition, Given) or definition.symbol is None:
            return False
        return definition.symbol.name == name and definition.symbol.origin == "model" and ref.star == star

    def inverts(self, ref: Ref) -> int | None:
        """What a reference is the inverse of."""
        definition = self.steps[ref.value].definition
        return definition.source.value if isinstance(definition, Invert) else None

    def written_out(self, term: Term) -> Written:
        """A term over values that are no single products; self-adjoint values without stars."""
        coefficient = term.coefficient
        factors: list[Ref] = []
        pending = list(reversed(term.factors))
        while pending:
            ref = pending.pop()
            value = self.graph[ref.value]
            definition = value.definition
            single = isinstance(definition, Linear) and len(definition.terms) == 1 and not value.is_vector
            if not single or not isinstance(definition, Linear) or definition.terms[0].scalars:
                factors.append(Ref(ref.value) if ref.star and value.symmetric else ref)
                continue
            inner = definition.terms[0]
            coefficient *= inner.coefficient
            pending.extend([f.T for f in inner.factors] if ref.star else reversed(inner.factors))
        return coefficient, tuple(factors)

    def sum(self, step: Step) -> list[Written]:
        """All terms of a value, written out."""
        return [self.written_out(term) for term in terms_of(step.definition)]

    def carries_inertia(self, step: Step, source: int) -> bool:
        """M + Σ φ source φ*."""
        parts = [term.bare for term in terms_of(step.definition)]
        if len(parts) != 2 or any(part is None for part in parts):
            return False
        shifts = [self.steps[part.value].definition for part in parts if part is not None]
        carried = any(
            isinstance(d, Shift) and d.closing is not None and d.hop.symbol.name == "E_phi" and d.source.value == source
            for d in shifts
        )
        return carried and any(part is not None and self.symbol(part, "M") for part in parts)

    def _adjoint(self, ref: Ref) -> Ref:
        return Ref(ref.value) if self.graph[ref.value].symmetric else ref.T

    def _riccati(self) -> Iterator[Riccati]:
        for step in self.steps.values():
            factors = self._updated(step)
            if len(factors) != 5 or not self.carries_inertia(self.steps[factors[0].value], step.number):
                continue
            P, H_star, inverse, H, last = factors
            pivot = self.inverts(inverse)
            if pivot is None or not self.symbol(H_star, "H", star=True) or not self.symbol(H, "H") or last != P:
                continue
            terms = self._flat(pivot)
            noise = tuple(term for term in terms if not self._sandwich(term, P.value))
            if len(noise) == len(terms) - 1:
                yield Riccati(P.value, H.value, step.number, pivot, inverse.value, noise)

    def _updated(self, step: Step) -> tuple[Ref, ...]:
        """P H* D⁻¹ H P of P⁺ = P − P H* D⁻¹ H P, as it was recognised or written out."""
        if isinstance(step.definition, Update):
            update = step.definition
            product = (update.gain, *(ref.T for ref in reversed(update.A)), update.P)
            return self.written_out(Term(UNIT, product))[1]
        terms = sorted(self.sum(step), key=lambda term: len(term[1]))
        if len(terms) != 2 or terms[0][0] != 1 or terms[1][0] != -1 or terms[0][1] != terms[1][1][:1]:
            return ()
        return terms[1][1]

    def _flat(self, number: int) -> list[Term]:
        """The terms of a block, sums that have a line of their own taken apart."""
        found: list[Term] = []
        for term in terms_of(self.graph[number].definition):
            inner = self.graph[term.bare.value].definition if term.bare is not None and not term.bare.star else None
            found += inner.terms if isinstance(inner, Linear) and len(inner.terms) > 1 else [term]
        return found

    def _sandwich(self, term: Term, P: int) -> bool:
        """H P H*."""
        coefficient, factors = self.written_out(term)
        return (
            coefficient == 1
            and len(factors) == 3
            and self.symbol(factors[0], "H")
            and factors[1] == Ref(P)
            and self.symbol(factors[2], "H", star=True)
        )

    def _roles(self) -> Iterator[tuple[int, str]]:
        for step in self.steps.values():
            if self.carries_inertia(step, step.number):
                yield step.number, "R"
        for one in self.riccati:
            yield from ((one.P, "P"), (one.P_plus, "P_plus"), (one.pivot, "D"))
            complement = None
            for step in self.steps.values():
                terms = self.sum(step) if isinstance(step.definition, Linear) else []
                if len(terms) == 1 and terms[0][0] == 1 and self._is_gain(terms[0][1], one):
                    yield step.number, "G"
                elif self._is_complement(terms, one):
                    complement = step.number
                    yield step.number, "tau_bar"
            yield from self._costate(one, complement)

    def _is_gain(self, factors: tuple[Ref, ...], one: Riccati) -> bool:
        return (
            len(factors) == 3
            and factors[0] == Ref(one.P)
            and self.symbol(factors[1], "H", star=True)
            and factors[2] == Ref(one.inverse)
        )

    def _is_complement(self, terms: list[Written], one: Riccati) -> bool:
        """I − G H."""
        if len(terms) != 2:
            return False
        (first, none), (second, factors) = sorted(terms, key=lambda term: len(term[1]))
        return (first, none) == (1, ()) and second == -1 and self._is_gain(factors[:-1], one) and self._leaf_H(factors)

    def _leaf_H(self, factors: tuple[Ref, ...]) -> bool:
        return self.symbol(factors[-1], "H")

    def _costate(self, one: Riccati, complement: int | None) -> Iterator[tuple[int, str]]:
        """Υ = H* D⁻¹ H + τ̄* Υ⁺ τ̄, Υ⁺ = φ* Υ φ, and the diagonal of the inverse, D⁻¹ + G* Υ⁺ G; also −Υ."""
        for step in self.steps.values():
            shift = step.definition
            if not isinstance(shift, Shift) or shift.closing is None or shift.hop.inward or complement is None:
                continue
            terms = {factors: c for c, factors in self.sum(self.steps[shift.source.value])}
            around = (Ref(complement, star=True), Ref(step.number), Ref(complement))
            own: tuple[Ref, ...] = next((f for f in terms if f != around), ())
            if len(terms) != 2 or terms.get(around) != 1 or len(own) != 3 or abs(terms[own]) != 1:
                continue
            first, middle, last = own
            square = self.symbol(first, "H", star=True) and self.symbol(last, "H")
            if not square or middle != Ref(one.inverse):
                continue
            sign = "" if terms[own] == 1 else "minus "
            yield shift.source.value, f"{sign}Upsilon"
            yield step.number, f"{sign}Upsilon_plus"
            yield from self._diagonals(one, Ref(step.number), terms[own])

    def _diagonals(self, one: Riccati, around: Ref, sign: Fraction) -> Iterator[tuple[int, str]]:
        for step in self.steps.values():
            terms = {factors: c for c, factors in self.sum(step)} if isinstance(step.definition, Linear) else {}
            second: tuple[Ref, ...] = next((factors for factors in terms if len(factors) == 7), ())
            if (
                len(terms) == 2
                and terms.get((Ref(one.inverse),)) == 1
                and second
                and terms[second] == sign
                and second[3] == around
                and self._is_gain(second[4:], one)
                and tuple(self._adjoint(ref) for ref in second[2::-1]) == second[4:]
            ):
                yield step.number, "diagonal"
