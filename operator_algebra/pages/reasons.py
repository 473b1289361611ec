"""The reason beside each line of a program, found from what defines the value and from who reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from operator_algebra.expressions.names import Style
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.markup import width
from operator_algebra.pages import meanings
from operator_algebra.pages.leftovers import Leftovers
from operator_algebra.pages.roles import Roles, meaning
from operator_algebra.pages.writer import Place, Writer
from operator_algebra.programs.instructions import Answer, Hop, Part, Reduce, Relate, Resolve, Shift, Surround, Total
from operator_algebra.programs.program import Output, Program, Step
from operator_algebra.programs.records import Ref

LONGEST = 60
"""Columns that words beside a line may take, the name of a law not counted."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a line is there, and the law of the catalogue that says the same of it."""

    words: str
    law: str = ""

    def text(self) -> str:
        """Words and law as printed."""
        return f"{self.words} [{self.law}]" if self.law else self.words


class Bare(Writer):
    """Writes formulas of operators: names without bodies, E_φ x where a line sums over children."""

    def at(self, number: int, place: Place, star: bool) -> str:
        """A value without its body."""
        step = self.program.steps[number]
        if place == "k" and step.inline:
            return self.inside(step, star)
        return self.name(number) + (self.words.star if star else "")

    def block_of_hop(self, hop: Hop, inward: bool, here: str = "k") -> str:
        """The hop itself."""
        del inward, here
        return (hop.symbol.T if hop.star else hop.symbol).render(self.style)

    def formula(self, step: Step) -> str:
        """The right-hand side as an operator formula."""
        definition = step.definition
        if not isinstance(definition, Shift):
            return super().formula(step)
        inward = definition.hop.inward
        parts = [self.block_of_hop(definition.hop, inward), self.at(definition.source.value, "c", star=False)]
        if definition.closing is not None:
            parts.append(self.block_of_hop(definition.closing, inward))
        return self.words.blank.join(parts)


class Explainer:
    """Finds the reasons of one program in one style."""

    def __init__(self, program: Program, writer: Writer) -> None:
        self.program = program
        self.style: Style = writer.style
        self.bare = Bare(program, writer.style)
        self.roles = Roles(program)
        self.outputs: Mapping[int, Output] = {o.ref.value: o for o in program.outputs if o.ref is not None}
        self.symbols = {symbol.name: symbol for output in program.outputs for symbol in _symbols(output.formula)}
        self.leftovers = Leftovers(program, self.roles, self.bare)

    def reason(self, step: Step) -> Reason:
        """Why a line is there."""
        words, law = (
            self._role(step)
            or self._name(step)
            or self._kind(step)
            or self.leftovers.inverted(step)
            or self.leftovers.reason(step)
            or self._result(step)
            or self._read_by(step)
        )
        return self.worded(words, law)

    def worded(self, words: str, law: str = "") -> Reason:
        """A reason in the style at hand; a law that the catalogue does not hold is left out."""
        from operator_algebra.identities.catalogue import catalogue

        return Reason(words.replace("{k}", self.math("k")), law if law in catalogue() else "")

    def math(self, text: str) -> str:
        """A formula among words."""
        return math(text, self.bare)

    def _role(self, step: Step) -> tuple[str, str] | None:
        role = self.roles.of.get(step.number, "")
        one = next((r for r in self.roles.riccati if step.number in (r["D"].value, r["P_plus"].value)), None)
        if role == "D" and one is not None:
            if one.further("D"):
                extra = self.math(self.bare.sum(one.further("D")))
                words = "pivot: inertia felt along joint {k}, and "
                return self._fit(words + extra, words + "what is added")
            return "pivot: inertia felt along joint {k}", "innovations factorization"
        found = meaning(role)
        if role == "P_plus" and one is not None and found is not None and self.program.method == "joseph":
            return found[0], "update, Joseph form" if one.further("D") else "update, two-sided"
        return found

    def _name(self, step: Step) -> tuple[str, str] | None:
        for name in step.value.names:
            symbol = self.symbols.get(name)
            known = meanings.of_name(symbol) if symbol is not None else None
            if symbol is not None and known is not None:
                words, law = known
                return (words, law) if law or not symbol.cites else (f"{words}, {symbol.cites}", "")
            if symbol is not None and symbol.definition is not None and step.number not in self.outputs:
                return f"definition of {self.math(symbol.render(self.style))}", ""
        return None

    def _kind(self, step: Step) -> tuple[str, str] | None:
        match step.definition:
            case Reduce(terms=terms):
                gram = self.leftovers.gram(step)
                if gram is not None:
                    return gram
                return self._fit(f"{self.math(self.bare.sum(terms))}, summed over all bodies", "sum over all bodies")
            case Total(kind="trace"):
                return "the trace is the sum of the traces of the diagonal blocks", ""
            case Total(source=source):
                return self.leftovers.determinant(source.value)
            case Relate():
                return "what the subtree says: orthogonal steps, no pivot", ""
            case Resolve():
                return "back substitution, from the base outward", ""
            case Surround():
                return "what the rest of the tree says to {k}, nothing driving it", ""
            case Answer():
                return "answers to a unit at {k} when both sides are heard", ""
            case Part(source=source):
                return f"one block of {self.math(self.bare.name(source.value))}", ""
            case _:
                return None

    def _result(self, step: Step) -> tuple[str, str] | None:
        output = self.outputs.get(step.number)
        if output is None:
            return None
        gathered = "the result, its terms gathered" + (" at {k}" if step.value.attached else "")
        formula = output.formula
        body = body_of(formula)
        if isinstance(formula, Query) or (isinstance(body, Symbol) and body.definition is not None):
            return gathered, ""
        return self._fit(f"the result: {self.math(body.render(self.style))}", gathered)

    def _read_by(self, step: Step) -> tuple[str, str]:
        readers = self.leftovers.named_readers(step.number)
        if not readers:
            return self._read_by_walk(step.number), ""
        shown = [self.math(name) for name in readers[:3]]
        if len(readers) == 1:
            return f"part of {shown[0]}", ""
        names = ", ".join(shown[:-1]) + " and " + shown[-1] if len(readers) <= 3 else ", ".join(shown) + " and others"
        return f"computed once, read by {names}", ""

    def _read_by_walk(self, number: int) -> str:
        walks = [output.walk for output in self.program.outputs if output.walk is not None]
        if any(walk.out_x is not None and walk.out_x.value == number for walk in walks):
            return "block of {k} with itself"
        sent = any(Ref(number) in walk.s_x for walk in walks)
        return "sent inward for a unit at {k}" if sent else "coefficient in the walk below"

    def _fit(self, words: str, shorter: str) -> tuple[str, str]:
        return (words if width(words) <= LONGEST else shorter), ""


def math(text: str, writer: Writer) -> str:
    """A formula among words."""
    return f"${text}$" if writer.style == "latex" else text


def _symbols(formula: Expr | Query) -> list[Symbol]:
    body = body_of(formula)
    return [node for node in postorder(body, children_and_definition) if isinstance(node, Symbol)]
