"""Classical accelerations: a recurrence in which no linear velocity appears, where forces alone are made of it.

With V = φ* V(parent) + s and w = spin(V) V, which is [0; ω × v], any α = φ* α(parent) + Ṽ s + … is α' − w with

    α' = φ* α'(parent) + (Ṽ s + w − φ* w(parent)) + …,

and M α − Ṽ* M V is M α' + (−Ṽ* M V − M w). In both brackets the linear velocity cancels; what evaluates them may know
that. Every reader of α reads α' − w afterwards, so nothing has to be known of the readers: this is a change of
variables, not of values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from operator_algebra.lowering.graph import RING, Form, Graph, as_form, as_terms
from operator_algebra.lowering.values import Value
from operator_algebra.operators.local import CROSS, SPIN
from operator_algebra.programs.instructions import Call, Linear, Shift, summed
from operator_algebra.programs.motions import Carried, carried, function_of, is_inertia
from operator_algebra.programs.records import Ref, Term, terms_of

UNIT = Fraction(1)


def classical_accelerations(graph: Graph) -> bool:
    """Change to α' where momentum rates meet it and are not wanted for themselves; whether there was any."""
    found = carried(graph.values)
    arguments = {number: function_of(graph.values, number, CROSS) for number in graph.values}
    crossed = [
        (number, found[ref.value])
        for number, ref in arguments.items()
        if ref is not None and not ref.star and ref.value in found
    ]
    done = False
    for cross, motion in crossed:
        for one in found.values():
            if one.hop == motion.hop and one is not motion:
                trial = graph.copy()
                if _Change(trial, motion, cross, one).made():
                    graph.become(trial)
                    done = True
    return done


@dataclass
class _Change:
    """α of one recurrence by the velocities of another."""

    graph: Graph
    motion: Carried
    cross: int
    of: Carried
    joined: set[int] = field(default_factory=set[int])

    def made(self) -> bool:
        """Change to α' if it is driven by Ṽ s and all momentum rates meet it; whether that is so."""
        graph, V = self.graph, self.motion.number
        if self.of.number not in graph.values or V not in graph.values:
            return False
        rest = self._opened(self.of.driven)
        own = {
            (scalars, (Ref(self.cross), *factors)): c for (scalars, factors), c in as_form(self.motion.driven).items()
        }
        scales = {rest.get(word, Fraction(0)) / c for word, c in own.items()}
        scale = scales.pop() if len(scales) == 1 else Fraction(0)
        meeting = [number for number in graph.values if self._inertias(number, scale)] if scale else []
        if not meeting:
            return False
        type_ = graph[V].type
        spin = graph.new(graph[self.cross].type, Call(SPIN.name, (Ref(V),)))
        w = graph.new(type_, Linear((Term(UNIT, (Ref(spin), Ref(V))),)))
        passed = graph.new(type_, Shift(self.motion.hop, Ref(w)))
        drift = graph.new(type_, Linear((*as_terms(own), Term(UNIT, (Ref(w),)), Term(-UNIT, (Ref(passed),)))))
        changed, shift = graph.reserve(), graph.reserve()
        left = as_terms({word: c for word, c in rest.items() if word not in own})
        driven = (Term(UNIT, (Ref(shift),)), *left, Term(scale, (Ref(drift),)))
        value = graph[self.of.number]
        graph.put(changed, replace(value, definition=Linear(driven), names=()))
        graph.put(shift, Value(type_, Shift(self.of.hop, Ref(changed))))
        actual = (Term(UNIT, (Ref(changed),)), Term(-scale, (Ref(w),)))
        for number in [n for n in graph.values if n not in (self.of.number, changed)]:
            inertias = self._inertias(number, scale)
            graph.reread(number, self.of.number, actual)
            for M in inertias:
                self._join(number, M, w)
        graph.put(self.of.number, replace(value, definition=Linear(actual)))
        graph.prune()
        return not any(
            self._is_rate(term)
            for n, v in graph.values.items()
            for term in terms_of(v.definition)
            if n not in self.joined
        )

    def _opened(self, terms: Iterable[Term]) -> Form:
        """Sums that read Ṽ written out."""
        parts: list[Form] = []
        for term in terms:
            plain = len(term.factors) == 1 and not term.factors[0].star
            inner = (summed(self.graph[term.factors[0].value].definition) or ()) if plain else ()
            if any(ref.value == self.cross for one in inner for ref in one.factors[:1]):
                scaled = as_form((Term(term.coefficient, (), term.scalars),))
                parts.append(RING.product((scaled, as_form(inner))))
            else:
                parts.append(as_form((term,)))
        return RING.sum(parts)

    def _inertias(self, number: int, scale: Fraction) -> list[Ref]:
        """The M for which a sum reads scale · Ṽ* M V and, with the other sign, M α."""
        terms = summed(self.graph[number].definition) or ()
        found: list[Ref] = []
        heads = [term for term in terms if term.factors[1:] == (Ref(self.of.number),) and not term.scalars]
        form = self._opened(terms) if heads else as_form(())
        for term in heads:
            M, rate = term.factors[0], ((), self._rate(term.factors[0]))
            if is_inertia(self.graph.values, M) and form.get(rate) == -scale * term.coefficient:
                found.append(M)
        return found

    def _rate(self, M: Ref) -> tuple[Ref, ...]:
        return (Ref(self.cross, star=True), M, Ref(self.motion.number))

    def _is_rate(self, term: Term) -> bool:
        """Whether momentum rates are still computed."""
        pairs = zip(term.factors, term.factors[1:], strict=False)
        return any(
            first == Ref(self.cross, star=True) and is_inertia(self.graph.values, second) for first, second in pairs
        )

    def _join(self, number: int, M: Ref, w: int) -> None:
        """−Ṽ* M V − M w as one value."""
        graph, value = self.graph, self.graph[number]
        form = self._opened(terms_of(value.definition))
        apart = RING.sum((RING.of(*self._rate(M)), RING.of(M, Ref(w))))
        joined = graph.new(graph[number].type, Linear(as_terms(RING.scaled(-UNIT, apart))))
        self.joined.add(joined)
        nothing = RING.sum((apart, RING.of(Ref(joined))))
        form = RING.sum((form, RING.scaled(-form[(), self._rate(M)], nothing)))
        graph.put(number, replace(value, definition=Linear(as_terms(form))))
