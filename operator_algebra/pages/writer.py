"""The lines of a program: one for each value, blocks at k, its children c and its parent p."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, assert_never

from operator_algebra.expressions.names import Style, written
from operator_algebra.programs.instructions import (
    Answer,
    Call,
    Given,
    Hop,
    Invert,
    Linear,
    Part,
    Reduce,
    Relate,
    Resolve,
    RootOf,
    Rounding,
    Shift,
    Stack,
    Surround,
    Total,
    Update,
    summed,
)
from operator_algebra.programs.program import Defined, Output, Program, Step
from operator_algebra.programs.records import Ref, Term, references

Numbering = Literal["model", "paper"]
Place = Literal["k", "c", "p"]


@dataclass(frozen=True, slots=True)
class _Words:
    """The signs of a style."""

    star: str
    inverse: tuple[str, str]
    total: str
    over_all: str
    minus: str
    blank: str


_WORDS: dict[Style, _Words] = {
    "unicode": _Words("*", ("", "⁻¹"), "Σ ", "Σ_k ", "−", " "),
    "ascii": _Words("'", ("inv(", ")"), "sum ", "sum_k ", "-", " "),
    "latex": _Words("^{*}", ("", "^{-1}"), r"\sum_{c} ", r"\sum_{k} ", "-", r"\,"),
}

_NOTES = {"inward": "over children c of k", "outward": "p is the parent of k"}


_RELATION_NOTES: dict[type, str] = {
    Relate: "over children c of k",
    Resolve: "p is the parent of k",
    Surround: "p is the parent of k, s its other children",
    Answer: "over children c of k",
}


@dataclass(frozen=True, slots=True)
class Line:
    """name = formula, with the note that is printed beside it the first time, and the reason if it is asked for."""

    name: str
    formula: str
    note: str = ""
    reason: str = ""


class Writer:
    """Writes the steps of one program in one style."""

    def __init__(self, program: Program, style: Style) -> None:
        self.program = program
        self.style: Style = style
        self.words = _WORDS[style]
        self._values = {number: step.value for number, step in program.steps.items()}
        self.unread = frozenset[int]() if program.method == "joseph" else _for_joseph(program)

    def name(self, number: int) -> str:
        """The name of a value in this style."""
        return written(self.program.steps[number].name, self.style)

    def result(self, output: Output) -> str:
        """The name of a result: the value that holds it, or the name that its blocks are given."""
        if output.ref is None:
            return written(output.name, self.style)
        return self.name(output.ref.value) + (self.words.star if output.ref.star else "")

    def at(self, number: int, place: Place, star: bool) -> str:
        """A value at the body k, at a child c or at the parent p."""
        step = self.program.steps[number]
        if step.inline and (place == "k" or not step.value.attached):
            return self.inside(step, star)
        if not step.value.attached:
            return self.name(number) + (self.words.star if star else "")
        return f"{self.name(number)}({place})" + (self.words.star if star else "")

    def inside(self, step: Step, star: bool) -> str:
        """The formula of a value in the place where it is read."""
        definition = step.definition
        opening, closing = self.words.inverse
        mark = self.words.star if star else ""
        match definition:
            case Invert():
                return f"{opening}{self.grouped(definition.source)}{closing}{mark}"
            case RootOf():
                return f"root({self.at(definition.source.value, 'k', definition.source.star)}){mark}"
            case Call():
                arguments = ", ".join(self.at(ref.value, "k", ref.star) for ref in definition.arguments)
                name = definition.name if self.style != "latex" else rf"\operatorname{{{definition.name}}}"
                return f"{name}({arguments}){mark}"
            case Stack():
                rows = "; ".join(
                    ", ".join("0" if ref is None else self.at(ref.value, "k", ref.star) for ref in row)
                    for row in definition.rows
                )
                return f"[{rows}]{mark}"
            case Part():
                return f"{self.grouped(definition.source)}[{definition.index + 1}]"
            case Linear(terms=(term,)):
                return self.sum([_adjoint(term) if star else term])
            case _:
                text = self.formula(step)
                return f"({text}){mark}" if star else text

    def grouped(self, ref: Ref) -> str:
        """A block to be inverted, in parentheses if it is a formula."""
        text = self.at(ref.value, "k", ref.star)
        composed = " " in text or text.startswith(self.words.minus)
        return f"({text})" if composed and not text.startswith("[") else text

    def block_of_hop(self, hop: Hop, inward: bool, here: str = "k") -> str:
        """The block of a hop: φ(k,c) where a child c is read, φ(p,k)* where the parent p is."""
        letter = written(hop.letter, self.style)
        natural = hop.symbol.structure.flow == "inward"
        parent, child = (here, "c") if inward else ("p", here)
        places = f"{parent},{child}" if natural else f"{child},{parent}"
        return f"{letter}({places})" + (self.words.star if hop.star else "")

    def term(self, term: Term) -> str:
        """The product of a term whose products are written out, without its sign."""
        written_scalars = (self.at(scalar, "k", star=False) for scalar in term.scalars)
        parts = [f"({text})" if "+" in text or self.words.minus in text else text for text in written_scalars]
        coefficient = abs(term.coefficient)
        if coefficient != 1:
            parts.insert(0, str(coefficient))
        factors = _unstarred(self._values, term.factors)
        for position, ref in enumerate(factors):
            step = self.program.steps[ref.value]
            text = self.at(ref.value, "k", ref.star)
            shift = isinstance(step.definition, Shift)
            alone = len(factors) == 1 and not parts
            if step.inline and not alone and (shift or "+" in text):
                text = f"({text})" if position or shift else text
            parts.append(text)
        return self.words.blank.join(parts) if parts else "I"

    def sum(self, terms: Iterable[Term]) -> str:
        """Terms with their signs, positive ones first."""
        ordered = sorted(map(self._written_out, terms), key=self._rank)
        text = ""
        for term in ordered:
            sign = f"{self.words.minus}" if term.coefficient < 0 else "+"
            body = self.term(term)
            if text:
                text += f" {sign} {body}"
            else:
                text = f"{sign}{body}" if term.coefficient < 0 else body
        return text or "0"

    def joined(self, parts: Sequence[str]) -> str:
        """Written parts as one sum, the signs in front of them included."""
        minus = self.words.minus
        rest = (f" {minus} {part[len(minus) :]}" if part.startswith(minus) else f" + {part}" for part in parts[1:])
        return parts[0] + "".join(rest)

    def _written_out(self, term: Term) -> Term:
        """The term with the products that have no line of their own in their places, signs and scalars in front."""
        coefficient, scalars = term.coefficient, term.scalars
        factors: list[Ref] = []
        pending = list(reversed(term.factors))
        while pending:
            ref = pending.pop()
            step = self.program.steps[ref.value]
            terms = summed(step.definition) if step.inline else None
            if terms is None or len(terms) != 1:
                factors.append(ref)
                continue
            inner = _adjoint(terms[0]) if ref.star else terms[0]
            coefficient *= inner.coefficient
            scalars += inner.scalars
            pending.extend(reversed(inner.factors))
        return Term(coefficient, tuple(factors), scalars)

    def _rank(self, term: Term) -> tuple[bool, bool, bool]:
        """Positive terms first; of vectors what the tree hands on, of blocks the shorter ones."""
        first = self.program.steps[term.factors[0].value] if term.factors else None
        handed_on = len(term.factors) == 1 and first is not None and isinstance(first.definition, Shift)
        vector = first is not None and self.program.steps[term.factors[-1].value].value.is_vector
        return term.coefficient < 0, vector and not handed_on, len(term.factors) > 1

    def prose(self, text: str) -> str:
        """Words before a formula."""
        return rf"\text{{{text} }}" if self.style == "latex" else f"{text} "

    def formula(self, step: Step) -> str:
        """The right-hand side of a step."""
        definition, own = step.definition, self.name(step.number)
        match definition:
            case Linear():
                return self.sum(definition.terms)
            case Reduce():
                body = self.sum(definition.terms)
                if len(definition.terms) > 1:
                    return f"{self.words.over_all}({body})"
                sign = self.words.minus if body.startswith(self.words.minus) else ""
                return sign + self.words.over_all + body.removeprefix(sign)
            case Shift():
                place: Place = "c" if definition.hop.inward else "p"
                inward = definition.hop.inward
                source = self.at(definition.source.value, place, definition.source.star)
                parts = [self.block_of_hop(definition.hop, inward), source]
                if definition.closing is not None:
                    parts.append(self.block_of_hop(definition.closing, inward))
                total = self.words.total if inward else ""
                return total + self.words.blank.join(parts)
            case Update():
                return self.update(definition)
            case Total():
                words = {"trace": "tr", "logdet": "log det"}
                if self.style == "latex":
                    words = {"trace": r"\operatorname{tr}", "logdet": r"\log\det"}
                word = words[definition.kind]
                summed = self.words.over_all if self.program.steps[definition.source.value].value.attached else ""
                return f"{summed}{word} {self.grouped(definition.source)}"
            case Relate():
                count = len(definition.equations)
                return self.prose(f"triangularise {count} equation{'s' if count > 1 else ''} at k and") + f"{own}(c)"
            case Resolve():
                return self.prose("back-substitute") + f"{self.name(definition.relation.value)}(k), {own}(p)"
            case Surround():
                relation = self.name(definition.relation.value)
                return self.prose("triangularise the equations at p,") + f"{relation}(s), {own}(p)"
            case Answer():
                relation, around = (self.name(ref.value) for ref in (definition.relation, definition.surroundings))
                return self.prose("solve, for every unit at k, the equations at k,") + f"{relation}(c), {around}(k)"
            case Given():
                return "given"
            case Invert() | RootOf() | Call() | Stack() | Part():
                return self.inside(step, star=False)
            case Rounding():
                raise AssertionError(definition)
            case _:
                assert_never(definition)

    def update(self, definition: Update) -> str:
        """P − G H P, or Joseph's form where the method asks for it."""
        A_star = tuple(ref.T for ref in reversed(definition.A))
        plain = Term(Fraction(-1), (definition.gain, *A_star, definition.P))
        if self.program.method != "joseph":
            return self.sum((Term(Fraction(1), (definition.P,)), plain))
        star, blank = self.words.star, self.words.blank
        factor = f"({self.sum((Term(Fraction(1), ()), Term(Fraction(-1), (definition.gain, *A_star))))})"
        text = blank.join([factor, self.at(definition.P.value, "k", star=False), factor + star])
        if definition.J is not None:
            text += " + " + self.sum([Term(Fraction(1), (definition.gain, definition.J, definition.gain.T))])
        return text

    def lines(self, steps: Iterable[Step], reason: Callable[[Step], str] = lambda step: "") -> list[Line]:
        """The lines of a sweep."""
        found: list[Line] = []
        for step in steps:
            if step.inline or step.number in self.unread:
                continue
            formula = self.formula(step)
            suffix = "(k)" if step.value.attached else ""
            reads = [
                step,
                *(self.program.steps[ref.value] for ref, label in references(step.definition) if label == "L"),
            ]
            shift = next(
                (s.definition for s in reads if isinstance(s.definition, Shift) and (s is step or s.inline)),
                None,
            )
            if type(step.definition) in _RELATION_NOTES:
                note = _RELATION_NOTES[type(step.definition)]
                found.append(Line(f"{self.name(step.number)}{suffix}", formula, note, reason(step)))
                continue
            note = _NOTES["inward" if shift.hop.inward else "outward"] if shift is not None else ""
            found.append(Line(self.name(step.number) + suffix, formula, note, reason(step)))
        return found


def _for_joseph(program: Program) -> frozenset[int]:
    """What only Joseph's form of an update reads: the short form does without its line."""
    read = {ref.value for output in program.outputs for ref in output.refs()}
    asked: set[int] = set()
    for step in program.steps.values():
        definition = step.definition
        if isinstance(definition, Update):
            read |= {ref.value for ref in (definition.P, definition.gain, *definition.A)}
            asked |= set() if definition.J is None else {definition.J.value}
        else:
            read |= {ref.value for ref, _ in references(definition)}
    return frozenset(asked - read)


def _adjoint(term: Term) -> Term:
    return Term(term.coefficient, tuple(ref.T for ref in reversed(term.factors)), term.scalars)


def _unstarred(values: Mapping[int, Defined], factors: tuple[Ref, ...]) -> tuple[Ref, ...]:
    return tuple(Ref(ref.value) if ref.star and values[ref.value].symmetric else ref for ref in factors)
