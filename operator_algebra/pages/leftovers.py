"""Words for the lines that elimination leaves: innovations, what is handed on, gains, answers of subtrees.

Everything is told from the shape of a definition and from its readers, for any formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from operator_algebra.expressions.nodes import Expr, Inverse
from operator_algebra.markup import width
from operator_algebra.pages import meanings
from operator_algebra.pages.roles import Roles
from operator_algebra.pages.writer import Writer
from operator_algebra.programs.instructions import Invert, Shift, Stack, Update
from operator_algebra.programs.program import Program, Step
from operator_algebra.programs.records import Ref, references, terms_of
from operator_algebra.programs.roles import HANDING, INNOVATION, NAMED_FACTOR, NAMED_INNOVATION, PASSING
from operator_algebra.programs.schemes import Binding

Told = tuple[str, str]
"""Words, with {k} for the body, and the name of a law or nothing."""


class Leftovers:
    """Recognises what the lines of one program are for."""

    def __init__(self, program: Program, roles: Roles, bare: Writer) -> None:
        self.program = program
        self.steps = program.steps
        self.roles = roles
        self.reading = roles.reading
        self.bare = bare
        self.readers: dict[int, list[Step]] = {}
        for step in program.steps.values():
            for ref, _ in references(step.definition):
                self.readers.setdefault(ref.value, []).append(step)
        self.innovations = self._innovations()
        """What pivots are applied to where it comes back through the tree, ε in z⁺ = z + G ε; and the pivots."""

    def _innovations(self) -> dict[int, int]:
        sent: dict[int, dict[int, int]] = {}
        for step in self.steps.values():
            if not step.value.is_vector or not step.value.attached:
                continue
            for term in self.roles.sum(step):
                if len(term.factors) < 2:
                    continue
                *_, before, last = term.factors
                pivot = self.reading.inverted(before)
                if pivot is not None:
                    sent.setdefault(last.value, {})[step.number] = pivot
        found: dict[int, int] = {}
        for number, pivots in sent.items():
            sender = self._comes_back(number, pivots)
            if sender is not None:
                stacked = self.steps[number].definition
                rows = stacked.rows if isinstance(stacked, Stack) else ()
                members = [ref.value for row in rows for ref in row if ref is not None]
                found |= dict.fromkeys([number, *members], pivots[sender])
        return found

    def _comes_back(self, number: int, sent: Mapping[int, int]) -> int | None:
        """The value that carries another one to the parent, if that one reads at its body what the children send."""
        pending, seen = [number], {number}
        while pending:
            definition = self.steps[pending.pop()].definition
            if isinstance(definition, Shift) and definition.hop.inward and definition.source.value in sent:
                return definition.source.value
            below = [ref.value for ref, label in references(definition) if label == "L"]
            pending.extend(n for n in below if n not in seen and self.steps[n].value.is_vector)
            seen.update(below)
        return None

    def named_readers(self, number: int) -> list[str]:
        """The names of the lines that read a value, through values without a line of their own."""
        found: dict[str, None] = {}
        # Only Joseph's form writes out what is added to a pivot.
        joseph = self.program.method == "joseph"
        pending = [
            step
            for step in self.readers.get(number, ())
            if joseph or not isinstance(step.definition, Update) or Ref(number) != step.definition.J
        ]
        seen: set[int] = set()
        while pending:
            step = pending.pop(0)
            if step.number in seen or step.number in self.bare.unread:
                continue
            seen.add(step.number)
            if step.inline:
                pending.extend(self.readers.get(step.number, ()))
            else:
                found[self.bare.name(step.number)] = None
        return list(found)

    def determinant(self, source: int) -> Told:
        """Why a sum of logarithms over the bodies is log det."""
        if any(one["D"] == Ref(source) and not one.further("D") for one in self.roles.riccati):
            return "a determinant is the product of its pivots", "determinant of the mass matrix"
        return "a determinant is the product over its pivots", ""

    def inverted(self, step: Step) -> Told | None:
        """A block that is inverted without being D of a Riccati equation."""
        if not any(isinstance(reader.definition, Invert) for reader in self.readers.get(step.number, ())):
            return None
        origin = next((pivot.formula for pivot in self.program.pivots if pivot.value == step.number), None)
        if not step.value.attached:
            return "small matrix of no body, to be inverted", ""
        if isinstance(origin, Inverse) and origin.body.structure.flow != "diagonal":
            words = f"pivot of {self._math(origin.body)} at {{k}}"
            return (words if width(words) <= 60 else "pivot: what is left for the unknowns of {k}"), ""
        return "to be inverted body by body", ""

    def gram(self, step: Step) -> Told | None:
        """Σ ε* ν with ν = D⁻¹ ε': x* A⁻¹ y by the innovations of x and y."""
        pivots: set[int] = set()
        for term in terms_of(step.definition):
            if len(term.factors) != 2:
                return None
            left, right = (ref.value for ref in term.factors)
            pairs = ((own, self._held_still(other)) for own, other in ((left, right), (right, left)))
            found = {one["D"].value for own, one in pairs if one and self.innovations.get(own) == one["D"].value}
            if not found:
                return None
            pivots |= found
        one = self._riccati(pivots.pop()) if len(pivots) == 1 else None
        law = "inverse mass matrix" if one is not None and not one.further("D") else ""
        return "Gram sum: innovations, weighed by the pivots", law

    def reason(self, step: Step) -> Told | None:
        """Words for a value that has a block for each body, and for what a small matrix is solved for."""
        if not step.value.attached:
            return self._solved(step)
        rules = self._vector_rules() if step.value.is_vector else self._block_rules()
        return next((told for rule in rules if (told := rule(step)) is not None), None)

    def _vector_rules(self) -> tuple[Callable[[Step], Told | None], ...]:
        own = (self._innovation, self._alone, self._substituted, self._sent, self._moved, self._recurrence)
        return *own, self._superposed

    def _block_rules(self) -> tuple[Callable[[Step], Told | None], ...]:
        return self._gain, self._complement, self._answer, self._entry

    def _math(self, e: Expr) -> str:
        text = e.render(self.bare.style)
        return f"${text}$" if self.bare.style == "latex" else text

    def _shifts(self, step: Step) -> list[Shift]:
        """The shifts of a value: itself, or those written inside it."""
        found = [step, *(self.steps[ref.value] for ref, label in references(step.definition) if label == "L")]
        return [s.definition for s in found if isinstance(s.definition, Shift) and (s is step or s.inline)]

    # vectors

    def _innovation(self, step: Step) -> Told | None:
        pivot = self.innovations.get(step.number)
        if pivot is None:
            return None
        laws = {True: "factor inverse", False: "left exchange", None: ""}
        return f"innovation: {self._noun(step)} left over at {{k}}", laws[self._driven(step.number)]

    def _noun(self, step: Step) -> str:
        return meanings.noun(step.type.codomain)

    def _driven(self, number: int) -> bool | None:
        """ε = t − H z, z⁺ = z + G ε with the G of a Riccati equation: True; False for t = 0; None for anything else."""
        one = self._riccati(self.innovations.get(number))
        bound = None if one is None else one.with_ref("epsilon", Ref(number))
        for found in () if bound is None else self.reading.solutions(INNOVATION, bound):
            sent = [s.source for s in self._shifts(self.steps[found["z"].value]) if s.hop.inward]
            if found["z_plus"] in sent:
                return bool(found.further("epsilon"))
        return None

    def _riccati(self, pivot: int | None) -> Binding | None:
        return next((one for one in self.roles.riccati if one["D"].value == pivot), None)

    def _alone(self, step: Step) -> Told | None:
        if self._held_still(step.number) is None:
            return None
        return f"{self._noun(step)} at {{k}} if its parent were held still", ""

    def _held_still(self, number: int) -> Binding | None:
        """ν = D⁻¹ ε."""
        for found in self.reading.fits(NAMED_INNOVATION[0], number):
            if self.innovations.get(found["epsilon"].value) == found["D"].value:
                return found
        return None

    def _substituted(self, step: Step) -> Told | None:
        """y = ν − G* β."""
        terms = self.roles.sum(step)
        known = False
        innovation: int | None = None
        law = ""
        for term in terms:
            factors = term.factors
            if len(factors) == 1:
                alone = self._held_still(factors[0].value)
                if alone is None:
                    return None
                factors = (alone["inv(D)"], alone["epsilon"])
            pivot = self.reading.inverted(factors[0]) if factors else None
            if pivot is None:
                return None
            if factors[-1].value in self.innovations:
                innovation = factors[-1].value
            elif self._arrives(factors[-1]):
                known = True
                one = self._riccati(pivot)
                plain = one is not None and not one.further("D")
                adjoint = (one["inv(D)"], one["H"], one["P"], factors[-1]) if one is not None and plain else None
                law = "found" if term.coefficient == -1 and factors == adjoint else ""
        if not known or len(terms) < 2:
            return None
        driven = None if innovation is None else self._driven(innovation)
        laws = {True: "inverse mass matrix", False: "response to body forces", None: ""}
        return f"{self._noun(step)} at {{k}}, now that its parent's is known", laws[driven] if law else ""

    def _arrives(self, ref: Ref) -> bool:
        """Whether a vector is handed on by the parent."""
        definition = self.steps[ref.value].definition
        return isinstance(definition, Shift) and not definition.hop.inward

    def _sent(self, step: Step) -> Told | None:
        """z⁺ = z + G ε: what goes inward once the unknowns are solved for."""
        solved = any(
            len(term.factors) > 2 and term.factors[-1].value in self.innovations for term in self.roles.sum(step)
        )
        return (f"{self._noun(step)} handed to the parent, {{k}} solved for", "") if solved else None

    def _moved(self, step: Step) -> Told | None:
        """A shift of another value, on its own line or with terms of the body."""
        shift = next((s for s in self._shifts(step) if s.source.value != step.number), None)
        noun = self._noun(step)
        if shift is None:
            carried = [r.definition.hop for r in self.readers.get(step.number, ()) if isinstance(r.definition, Shift)]
            if self._shifts(step) or not carried:
                return None
            inward = carried[0].inward
            return (f"{noun} handed to the parent" if inward else f"{noun} of {{k}}: its parent's and its own"), ""
        alone = isinstance(step.definition, Shift)
        if not shift.hop.inward:
            return (
                f"the parent's {noun}, carried to {{k}}" if alone else f"{noun}: the parent's and what {{k}} adds"
            ), ""
        freed = self._source_solves(shift)
        children = "the freed children" if freed else "the children"
        return (
            f"{noun} handed over by {children}" if alone else f"{noun} at {{k}}: its own and that of {children}"
        ), ""

    def _source_solves(self, shift: Shift) -> bool:
        return self._sent(self.steps[shift.source.value]) is not None

    def _recurrence(self, step: Step) -> Told | None:
        """v = L v + s is (I − L)⁻¹ s."""
        own = next((s for s in self._shifts(step) if s.source.value == step.number), None)
        if own is None or own.closing is not None:
            return None
        rest = [t for t in terms_of(step.definition) if t.bare is None or self.steps[t.bare.value].definition != own]
        operator = meanings.resolvent(own.hop.symbol)
        operator = operator.T if own.hop.star else operator
        inner = self.bare.sum(rest)
        inner = f"({inner})" if len(rest) > 1 else inner
        text = operator.render(self.bare.style) + self.bare.words.blank + inner
        text = f"${text}$" if self.bare.style == "latex" else text
        way = "summed inward" if own.hop.inward else "summed outward"
        words = f"{text}, {way}"
        if width(words) <= 60:
            return words, ""
        return f"{self._noun(step)} of {{k}} and all it carries", ""

    def _superposed(self, step: Step) -> Told | None:
        """v₀ + V λ with λ of no body."""
        late = [
            t.factors[-1].value for t in terms_of(step.definition) if not self.steps[t.factors[-1].value].value.attached
        ]
        if not late or len(late) == len(terms_of(step.definition)):
            return None
        names = ", ".join(self.bare.at(number, "k", star=False) for number in dict.fromkeys(late))
        names = f"${names}$" if self.bare.style == "latex" else names
        return f"superposed: what is there without {names}, and the response", ""

    def _solved(self, step: Step) -> Told | None:
        """λ = S⁻¹ s in a space of no body."""
        found = next(self.reading.fits(NAMED_FACTOR[0], step.number), None) if step.value.is_vector else None
        return None if found is None else ("unknowns of no body, solved for all at once", "")

    # blocks

    def _gain(self, step: Step) -> Told | None:
        found = next(self.reading.fits(HANDING[0], step.number), None)
        return None if found is None else ("gain: what the unknowns of {k} hand on, over the pivot", "")

    def _complement(self, step: Step) -> Told | None:
        """I − G H and the like: what passes once the unknowns are solved for."""
        found = next(self.reading.fits(PASSING[0], step.number), None)
        return None if found is None else ("what crosses {k}, its unknowns solved for", "")

    def _answer(self, step: Step) -> Told | None:
        """Blocks that are carried along the tree, and what carries them."""
        for shift in self._shifts(step):
            if shift.closing is None:
                continue
            if shift.source.value == step.number:
                return ("own block and those it carries" if shift.hop.inward else "own block and its parent's"), ""
            if shift.hop.inward:
                answer = f"{meanings.noun(step.type.codomain)} answering {meanings.noun(step.type.domain)} of {{k}}"
                return f"{answer}, {'children' if isinstance(step.definition, Shift) else 'subtree'} freed", ""
            return "answer of all beyond the parent, carried to {k}", ""
        sources = {
            s.definition.hop.inward
            for s in self.readers.get(step.number, ())
            if isinstance(s.definition, Shift) and s.definition.closing is not None
        }
        if True in sources:
            return "answer handed to the parent, {k} solved for", ""
        return ("answer of {k} and all beyond it", "") if False in sources else None

    def _entry(self, step: Step) -> Told | None:
        """An entry of a stacked pivot."""
        stacks = [r for r in self.readers.get(step.number, ()) if isinstance(r.definition, Stack)]
        if any(isinstance(r.definition, Invert) for s in stacks for r in self.readers.get(s.number, ())):
            return "entry of the pivot of {k}", ""
        return None
