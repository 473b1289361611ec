"""A program as text, without loss: a line for each value, one form for each kind of thing, read back by `read`.

`%57` is a value, `%57'` its adjoint, `(+2/3·%4·%9' +%5)` a sum of products (`[%2]` before the factors are scalars),
`in:E_phi` and `out:E_phi'` hops, `<motion>` a space, `motion>force` a type, `(…)` a sequence, `.` nothing, `"…"` a
word, `{…}` a record with its name in front; other names are formulas. Behind `#` stands what a page calls a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from fractions import Fraction
from typing import Any, cast

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query
from operator_algebra.expressions.traverse import all_below, postorder
from operator_algebra.operators import spaces
from operator_algebra.operators.leaf import Leaf, leaf_named
from operator_algebra.operators.local import LocalFunction, local_function
from operator_algebra.operators.spaces import Space, Type
from operator_algebra.operators.structure import Structure
from operator_algebra.programs.instructions import Hop
from operator_algebra.programs.program import Output, Pivot, Program, Step
from operator_algebra.programs.records import Equation, Record, Ref, Term
from operator_algebra.programs.walk import Walk

VERSION = 1
HEAD = f"operator_algebra program {VERSION}"

KNOWN: dict[str, Space] = {
    space.name: space
    for space in (
        *(spaces.MOTION, spaces.FORCE, spaces.RATE, spaces.TORQUE, spaces.WHITE, spaces.ONE),
        *(spaces.ROUNDING, spaces.RELATION, spaces.ANY),
    )
}
"""Spaces that need no line of their own."""

RECORDS: dict[str, type[Any]] = {"equation": Equation, "walk": Walk, "ask": Query}
"""What stands in braces, by its word."""

NAMED: dict[str, Callable[[str], Any]] = {"leaf": leaf_named, "function": local_function}
"""What stands in braces by its name: records of the package."""

_WORDS = {kind: word for word, kind in RECORDS.items()}
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_NUMBERED = re.compile(r"[es][0-9]+$")


def write(program: Program) -> str:
    """The text of a program.

    >>> from operator_algebra.lowering.lower import lower
    >>> print(write(lower("phi.T H' v")).partition("sweep ")[2].partition("outputs")[0])
    outward
      %6 = shift out:E_phi' %5 . : one>motion  # s inline
      %5 = sum (+%3'·%2 +%6) : one>motion  # alpha
    <BLANKLINE>
    """
    return "\n".join(_Text(program).lines()) + "\n"


class _Text:
    """The lines of one program; formulas and spaces get labels before they are used."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.nodes: dict[Expr, str] = {}
        self.taken = {"yes", "no"}
        self.spaces: dict[Space, str] = {space: name for name, space in KNOWN.items()}
        self.table: list[str] = []
        self.places: list[str] = []

    def lines(self) -> Iterator[str]:
        """Head, spaces, formulas, values by sweep, results."""
        program = self.program
        # What is used is found by writing it: labels are made on the way.
        given = [self._step(step) for step in program.given]
        stages = [(stage.direction, [self._step(step) for step in stage.steps]) for stage in program.stages]
        bounds = [(stage.direction, [self._step(step) for step in stage.steps]) for stage in program.bounds]
        results = [f"  {self._fields(output, Output)}" for output in program.outputs]
        pivots = [f"  {self._fields(pivot, Pivot)}" for pivot in program.pivots]
        accepts = f"accepts {self.value(program.accepts)}"
        report = [f"  {one.name} {self.value(getattr(program.report, one.name))}" for one in fields(program.report)]
        yield HEAD
        yield f"method {program.method}"
        yield f"results {'by name' if program.keyed else 'one'}"
        yield from self._section("spaces", self.places)
        yield from self._section("formulas", self.table)
        yield accepts
        yield f"absent {self.value(program.absent)}"
        yield from self._section("given", given)
        for direction, steps in stages:
            yield from self._section(f"sweep {direction}", steps)
        yield from self._section("outputs", results)
        yield from self._section("pivots", pivots)
        for direction, steps in bounds:
            yield from self._section(f"bounds {direction}", steps)
        yield from self._section("report", report)

    def _section(self, title: str, lines: Iterable[str]) -> Iterator[str]:
        yield title
        yield from lines

    def _step(self, step: Step) -> str:
        block = step.value
        flags = " sym" if block.symmetric else ""
        names = "".join(f" {_quoted(name)}" for name in block.names)
        line = f"  %{step.number} = {self.record(block.definition)} : {self.type(block.type)}{flags}"
        return f"{line}  # {_quoted(step.name)}{' inline' if step.inline else ''}{' of' + names if names else ''}"

    def record(self, record: Record) -> str:
        """An instruction: its word and its fields in order."""
        return " ".join([record.word, *(self.value(getattr(record, one.name)) for one in fields(record))])  # pyright: ignore[reportArgumentType, reportUnknownMemberType, reportUnknownVariableType]

    def _fields(self, record: object, kind: type[Any]) -> str:
        return " ".join(self.value(getattr(record, one.name)) for one in fields(kind))

    def value(self, value: object) -> str:
        """One thing, in the form of its kind."""
        match value:
            case None:
                return "."
            case bool():
                return "yes" if value else "no"
            case int():
                return str(value)
            case str():
                return json.dumps(value, ensure_ascii=False)
            case Ref():
                return f"%{value.value}{_prime(value.star)}"
            case Term():
                return self.term(value)
            case Hop():
                direction = "in" if value.inward else "out"
                return f"{direction}:{self.expression(value.symbol)}{_prime(value.star)}"
            case Space():
                return f"<{self.space(value)}>"
            case Expr():
                return self.expression(value)
            case Leaf():
                return f"{{leaf {self.value(value.name)}}}"
            case LocalFunction():
                return f"{{function {self.value(value.name)}}}"
            case tuple():
                return f"({' '.join(map(self.value, cast('tuple[Any, ...]', value)))})"
            case _:
                return f"{{{_WORDS[type(value)]} {self._fields(value, type(value))}}}"

    def term(self, term: Term) -> str:
        """A signed product: coefficient, scalars, factors."""
        size = abs(term.coefficient)
        parts = [str(size)] if size != 1 or not term.factors else []
        if term.scalars:
            parts.append(f"[{' '.join(f'%{number}' for number in term.scalars)}]")
        parts += [f"%{ref.value}{_prime(ref.star)}" for ref in term.factors]
        return f"{'-' if term.coefficient < 0 else '+'}{'·'.join(parts)}"

    def type(self, type_: Type) -> str:
        """What a value takes and delivers."""
        return f"{self.space(type_.domain)}>{self.space(type_.codomain)}"

    def space(self, space: Space) -> str:
        """The label of a space; one that is not known to all gets a line."""
        label = self.spaces.get(space)
        if label is None:
            parts = self.value(space.parts)
            counted = space.counted
            counts = "." if counted is None else f"({self.value(counted.family)} {self.value(counted.place)})"
            label = self.spaces[space] = f"s{len(self.places) + 1}"
            names = " ".join(map(self.value, (space.name, space.dual_name, space.sizes, space.attached)))
            self.places.append(f"  {label} = {names} {parts} {counts}")
        return label

    def expression(self, e: Expr) -> str:
        """The label of a formula: the name of a symbol, or a number; what it is made of has lines before."""
        for node in postorder(e, lambda node: () if node in self.nodes else all_below(node)):
            if node not in self.nodes:
                content = self._node(node)
                self.nodes[node] = label = self._label(node)
                self.table.append(f"  {label} = {content}")
        return self.nodes[e]

    def _label(self, node: Expr) -> str:
        name = node.name if isinstance(node, Symbol) else ""
        if _BARE.match(name) and not _NUMBERED.match(name) and name not in self.taken:
            self.taken.add(name)
            return name
        return f"e{len(self.nodes) + 1}"

    def _node(self, node: Expr) -> str:
        content = [self._field(field) for field in node._fields]  # pyright: ignore[reportPrivateUsage]
        return " ".join([type(node).__name__.lower(), *content, ":", self.type(node.type)])

    def _field(self, field: Any) -> str:
        if isinstance(field, Structure):
            return json.dumps(" ".join([field.flow, *sorted(field.flags)]))
        if isinstance(field, Fraction):
            return self.term(Term(field, ()))
        if isinstance(field, tuple):
            return f"({' '.join(map(self._field, field))})"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return self.value(field)


def _prime(star: bool) -> str:
    return "'" if star else ""


def _quoted(name: str) -> str:
    """A name as it is, in quotes if it could be taken for something else."""
    return name if _BARE.match(name) and name not in ("inline", "of") else json.dumps(name, ensure_ascii=False)
