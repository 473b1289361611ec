"""A program as a page of a textbook: one line per value, blocks at k, its children c and its parent p."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from operator_algebra.expressions.names import Style, written
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.program import Output, Program, Step
from operator_algebra.lowering.reasons import reasons
from operator_algebra.lowering.values import (
    Call,
    Given,
    Hop,
    Invert,
    Linear,
    Part,
    Reduce,
    Ref,
    Relate,
    Resolve,
    RootOf,
    Shift,
    Stack,
    Term,
    Total,
    Update,
    references,
)
from operator_algebra.lowering.walktext import walk_lines
from operator_algebra.markup import width

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

_LOOPS: dict[str, tuple[str, str]] = {
    "inward": ("for k from the tips to the base", "for k = 1 … N, from the tips to the base"),
    "outward": ("for k from the base to the tips", "for k = N … 1, from the base to the tips"),
    "local": ("for every k", "for every k"),
    "once": ("once", "once"),
}

_NOTES = {"inward": "over children c of k", "outward": "p is the parent of k"}


_RELATION_NOTES: dict[type, str] = {Relate: "over children c of k", Resolve: "p is the parent of k"}


@dataclass(frozen=True, slots=True)
class Line:
    """name = formula, with the note that is printed beside it the first time."""

    name: str
    formula: str
    note: str = ""


class Writer:
    """Writes the steps of one program in one style."""

    def __init__(self, program: Program, style: Style) -> None:
        self.program = program
        self.style: Style = style
        self.words = _WORDS[style]
        self._graph = Graph({number: step.value for number, step in program.steps.items()})

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
        if not step.value.attached:
            return self.name(number) + (self.words.star if star else "")
        if place == "k" and step.inline:
            return self.inside(step, star)
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
                return f"{definition.name}({arguments}){mark}"
            case Stack():
                rows = "; ".join(
                    ", ".join("0" if ref is None else self.at(ref.value, "k", ref.star) for ref in row)
                    for row in definition.rows
                )
                return f"[{rows}]{mark}"
            case Part():
                return f"{self.grouped(definition.source)}[{definition.index + 1}]"
            case Linear():
                term = definition.terms[0]
                if star:
                    term = Term(term.coefficient, tuple(ref.T for ref in reversed(term.factors)), term.scalars)
                return self.term(term)
            case _:
                text = self.formula(step)
                return f"({text}){mark}" if star else text

    def grouped(self, ref: Ref) -> str:
        """A block to be inverted, in parentheses if it is a formula."""
        text = self.at(ref.value, "k", ref.star)
        return f"({text})" if " " in text and not text.startswith("[") else text

    def block_of_hop(self, hop: Hop, inward: bool) -> str:
        """The block of a hop: φ(k,c) where a child c is read, φ(p,k)* where the parent p is."""
        name = hop.symbol.name
        letter = written(name[2:] if name.startswith("E_") and len(name) > 2 else name, self.style)
        natural = hop.symbol.structure.flow == "inward"
        parent, child = ("k", "c") if inward else ("p", "k")
        places = f"{parent},{child}" if natural else f"{child},{parent}"
        return f"{letter}({places})" + (self.words.star if hop.star else "")

    def term(self, term: Term) -> str:
        """The product of a term, without its sign."""
        parts = [self.name(scalar) for scalar in term.scalars]
        coefficient = abs(term.coefficient)
        if coefficient != 1:
            parts.insert(0, str(coefficient))
        factors = _unstarred(self._graph, term.factors)
        for position, ref in enumerate(factors):
            step = self.program.steps[ref.value]
            text = self.at(ref.value, "k", ref.star)
            product = isinstance(step.definition, Linear) and len(step.definition.terms) == 1
            shift = isinstance(step.definition, Shift)
            alone = len(factors) == 1 and not parts
            if step.inline and not product and not alone and (shift or "+" in text):
                text = f"({text})" if position or shift else text
            parts.append(text)
        return self.words.blank.join(parts) if parts else "I"

    def sum(self, terms: Iterable[Term]) -> str:
        """Terms with their signs, positive ones first."""
        ordered = sorted(terms, key=lambda t: (t.coefficient < 0, len(t.factors) > 1, 0))
        text = ""
        for term in ordered:
            sign = f"{self.words.minus}" if term.coefficient < 0 else "+"
            body = self.term(term)
            if text:
                text += f" {sign} {body}"
            else:
                text = f"{sign}{body}" if term.coefficient < 0 else body
        return text or "0"

    def formula(self, step: Step) -> str:
        """The right-hand side of a step."""
        definition = step.definition
        match definition:
            case Linear():
                return self.sum(definition.terms)
            case Reduce():
                body = self.sum(definition.terms)
                return self.words.over_all + (body if len(definition.terms) == 1 else f"({body})")
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
                word = {"trace": "tr", "logdet": "log det"}[definition.kind]
                return f"{self.words.over_all}{word} {self.grouped(definition.source)}"
            case Relate():
                return f"triangularise {len(definition.equations)} equations at k and relation(c)"
            case Resolve():
                return f"back-substitute {self.name(definition.relation.value)}(k), solution(p)"
            case Given():
                return "given"
            case _:
                return self.inside(step, star=False)

    def update(self, definition: Update) -> str:
        """P − G H P, or Joseph's form where the method asks for it."""
        A_star = tuple(ref.T for ref in reversed(definition.A))
        plain = Term(Fraction(-1), (definition.gain, *A_star, definition.P))
        if self.program.method != "joseph":
            return self.sum((Term(Fraction(1), (definition.P,)), plain))
        gain = self.term(Term(Fraction(1), (definition.gain, *A_star)))
        star, blank = self.words.star, self.words.blank
        factor = f"(I {self.words.minus} {gain})"
        text = blank.join([factor, self.at(definition.P.value, "k", star=False), factor + star])
        if definition.J is not None:
            text += " + " + self.term(Term(Fraction(1), (definition.gain, definition.J, definition.gain.T)))
        return text

    def lines(self, steps: Iterable[Step]) -> list[Line]:
        """The lines of a sweep."""
        found: list[Line] = []
        for step in steps:
            if step.inline:
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
            if isinstance(step.definition, Relate | Resolve):
                found.append(Line(f"{self.name(step.number)}{suffix}", formula, _RELATION_NOTES[type(step.definition)]))
                continue
            note = _NOTES["inward" if shift.hop.inward else "outward"] if shift is not None else ""
            found.append(Line(self.name(step.number) + suffix, formula, note))
        return found


def _unstarred(graph: Graph, factors: tuple[Ref, ...]) -> tuple[Ref, ...]:
    return tuple(Ref(ref.value) if ref.star and graph[ref.value].symmetric else ref for ref in factors)


def pseudocode(program: Program, style: Style, numbering: Numbering) -> str:
    """The whole page: what is given, the sweeps, the reasons, the cost."""
    writer = Writer(program, style)
    if style == "latex":
        from operator_algebra.lowering.typeset import typeset

        return typeset(program, writer, numbering)
    sections = [(stage.direction, writer.lines(stage.steps)) for stage in program.stages]
    left = max((width(line.name) for _, lines in sections for line in lines), default=0)
    right = max((width(line.formula) for _, lines in sections for line in lines if line.note), default=0)
    text = [_head(program, writer), ""]
    for direction, lines in sections:
        if not lines:
            continue
        text.append(_LOOPS[direction][numbering == "paper"].replace("…", "..." if style == "ascii" else "…"))
        noted: set[str] = set()
        for line in lines:
            shown = f"    {_pad(line.name, left)} = {line.formula}"
            if line.note and not (direction == "outward" and line.note in noted):
                shown = f"    {_pad(line.name, left)} = {_pad(line.formula, right)}    {line.note}"
                noted.add(line.note)
            text.append(shown.rstrip())
    for output in program.outputs:
        if output.walk is not None:
            text += walk_lines(writer, output)
    text += ["", *_foot(program, style)]
    return "\n".join(text)


def _pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _head(program: Program, writer: Writer) -> str:
    hops = {s.name[2:] if s.name.startswith("E_") else s.name for s in program.symbols if s.structure.hop}
    leaves = [s.name for s in program.symbols if s.origin == "model" and not s.structure.hop]
    names = [written(name, writer.style) for name in [*leaves, *sorted(hops)]]
    inputs = [written(name, writer.style) for name in program.inputs if name not in hops]
    given = ", ".join(names) + " of the mechanism" if names else ""
    if inputs:
        given += (" and " if given else "") + ", ".join(inputs)
    results = "; ".join(_result(program, writer, output) for output in program.outputs)
    return f"given {given or 'nothing'}          result {results}"


def _result(program: Program, writer: Writer, output: Output) -> str:
    """What a result is called and what it is: of a symbol the definition, of a leaf where it comes from."""
    name, formula = writer.result(output), output.formula
    if program.keyed and output.name != (program.steps[output.ref.value].name if output.ref else output.name):
        name = f"{written(output.name, writer.style)} = {name}"
    if isinstance(formula, Symbol):
        if formula.definition is None:
            return f"{name}, given by the mechanism" if formula.origin == "model" else f"{name}, an input"
        return f"{name} = {_text(formula.definition, writer.style)}"
    return f"{name} = {_text(formula, writer.style)}"


def _text(formula: object, style: Style) -> str:
    from operator_algebra.expressions.nodes import Expr

    if isinstance(formula, Query):
        places = "".join(f", {place}" for place in formula.places)
        return f"{formula.kind}({formula.body.render(style)}{places})"
    assert isinstance(formula, Expr)
    return formula.render(style)


def _foot(program: Program, style: Style) -> list[str]:
    text: list[str] = []
    for index, line in enumerate(reasons(program, style)):
        text.append(("because  " if index == 0 else "         ") + line)
    count = len(program.sweeps)
    words = {0: "no sweep", 1: "one sweep", 2: "two sweeps", 3: "three sweeps", 4: "four sweeps"}
    text.append(f"cost     {order(program)}: {words.get(count, f'{count} sweeps')}")
    return text


def order(program: Program) -> str:
    """How the work grows with the number of bodies."""
    return max((_order_of(program, output) for output in program.outputs), key=_ORDERS.index, default="O(N)")


_ORDERS = ("O(N)", "O(N depth)", "O(N²)")


def _order_of(program: Program, output: Output) -> str:
    if output.walk is not None and output.kind == "dense":
        returns = any(ref is not None for row in (*output.walk.theta, *output.walk.d_z) for ref in row)
        return "O(N²)" if returns else "O(N depth)"
    per_column = output.ref is not None and _per_column(program, output.ref.value)
    return "O(N²)" if output.kind == "matrix" and per_column else "O(N)"


def _per_column(program: Program, number: int) -> bool:
    return program.steps[number].type.domain.sizes.startswith("total:")
