"""The text of a program read back: see `text`. What it says is verified before it is a program."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from fractions import Fraction
from typing import Any, Literal, NoReturn, cast, get_args

from operator_algebra.arguments import word
from operator_algebra.errors import OperatorAlgebraError, ParseError
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.traverse import from_fields
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.local import LocalFunction
from operator_algebra.operators.spaces import Counted, Space, Type
from operator_algebra.operators.structure import Structure
from operator_algebra.programs.hints import fit, is_of
from operator_algebra.programs.instructions import WORDS, Hop
from operator_algebra.programs.program import (
    Block,
    Direction,
    Output,
    Pivot,
    Program,
    Report,
    Step,
    Sweep,
)
from operator_algebra.programs.records import Ref, Term
from operator_algebra.programs.text import HEAD, KNOWN, NAMED, RECORDS
from operator_algebra.programs.verify import IllFormed, check_program

_TOKEN = re.compile(
    r'\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<comment>#)|(?P<value>%[0-9]+\'?)|(?P<hop>(?:in|out):)'
    r"|(?P<number>[0-9]+(?:/[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<mark>[-+·.()\[\]{}<>:=']))"
)
NODES: dict[str, tuple[str, Any]] = {
    "symbol": (
        "Symbol",
        tuple[str, Literal["model", "input", "bound"], Structure | Leaf | None, Literal[None], str]
        | tuple[str, Literal["definition"], Literal[None], Expr, str, tuple[str, ...]],
    ),
    "one": ("One", tuple[()]),
    "zero": ("Zero", tuple[()]),
    "sum": ("Sum", tuple[Expr, ...]),
    "product": ("Product", tuple[Expr, ...]),
    "scale": ("Scale", tuple[Fraction | Expr, Expr]),
    "transpose": ("Transpose", tuple[Expr]),
    "inverse": ("Inverse", tuple[Expr]),
    "root": ("Root", tuple[Expr]),
    "diag": ("Diag", tuple[Expr]),
    "fixpoint": ("Fixpoint", tuple[str, Symbol, Expr, str]),
    "local": ("Local", tuple[LocalFunction, tuple[Expr, ...]]),
}
"""The kinds of formulas, and what their fields hold."""
MOST = 10_000_000
"""Characters of a text."""
_DEPTH = 20


def read(text: str) -> Program:
    """The program of a text."""
    word(text, "the text of a program")
    if len(text) > MOST:
        raise ParseError(f"the text of a program has {len(text):.1e} characters; up to {MOST:.0e} are read.")
    return _Reader(text.splitlines()).program()


class _Reader:
    """Reads line by line; every complaint names the line."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.expressions: dict[str, Expr] = {}
        self.spaces: dict[str, Space] = dict(KNOWN)

    def fail(self, why: str) -> NoReturn:
        raise ParseError(f"line {self.at} of the program: {why}. Write programs by Program.text.")

    # -- sections --------------------------------------------------------------------------------------------------

    def program(self) -> Program:
        """The whole of it, verified."""
        if self.next() != HEAD:
            self.fail(f"the first line is not {HEAD!r}")
        method = self.after("method ")
        keyed = self.after("results ") == "by name"
        self.section("spaces", self.space_line)
        self.section("formulas", self.formula_line)
        accepts = self.whole(_Line(self, self.after("accepts ")).value, tuple)
        if not is_of(accepts, tuple[Symbol, ...]):
            self.fail("what is accepted are symbols")
        absent = self.whole(_Line(self, self.after("absent ")).value, tuple)
        given = tuple(self.section("given", self.step))
        stages = tuple(self.sweeps("sweep "))
        outputs = tuple(self.section("outputs", lambda line: self.made(line, Output)))
        pivots = tuple(self.section("pivots", lambda line: self.made(line, Pivot)))
        bounds = tuple(self.sweeps("bounds "))
        report = self.report()
        if self.at < len(self.lines) and any(line.strip() for line in self.lines[self.at :]):
            self.fail("there is more behind the report")
        program = Program(
            stages, outputs, given, cast("tuple[Symbol, ...]", accepts), pivots, bounds, report, method, keyed, absent
        )
        try:
            check_program(program)
        except IllFormed as wrong:
            raise ParseError(f"the program does not fit together: {wrong}.") from None
        except (AttributeError, TypeError, KeyError, IndexError, ValueError):
            raise ParseError("the program does not fit together: a field holds another kind of thing.") from None
        return program

    def next(self) -> str:
        """The next line that is not empty."""
        while self.at < len(self.lines):
            self.at += 1
            if self.lines[self.at - 1].strip():
                return self.lines[self.at - 1]
        self.at += 1
        return self.fail("the text ends too early")

    def after(self, start: str) -> str:
        line = self.next()
        if not line.startswith(start):
            self.fail(f"expected {start.strip()!r}")
        return line[len(start) :].strip()

    def indented(self) -> Iterator[str]:
        while self.at < len(self.lines) and self.lines[self.at].startswith(" "):
            yield self.next()

    def section(self, title: str, make: Callable[[_Line], Any]) -> list[Any]:
        """The lines under a title."""
        if self.next() != title:
            self.fail(f"expected the section {title!r}")
        found: list[Any] = []
        for text in self.indented():
            line = _Line(self, text)
            found.append(make(line))
            line.end()
        return found

    def sweeps(self, start: str) -> Iterator[Sweep]:
        """The sections that begin with a word and a direction."""
        while self.at < len(self.lines) and self.lines[self.at].startswith(start):
            direction = self.lines[self.at][len(start) :].strip()
            if direction not in get_args(Direction):
                self.at += 1
                self.fail(f"{direction!r} is no direction")
            yield Sweep(cast("Direction", direction), tuple(self.section(start + direction, self.step)))

    def report(self) -> Report:
        names = [one.name for one in fields(Report)]
        values: dict[str, Any] = dict(self.section("report", lambda line: (line.name(), line.value())))
        if list(values) != names or not fit(Report, list(values.values())):
            self.fail(f"a report has {', '.join(names)}")
        return Report(**values)

    # -- lines -----------------------------------------------------------------------------------------------------

    def space_line(self, line: _Line) -> None:
        """LABEL = name dual sizes attached (parts) counted."""
        label = line.name()
        line.mark("=")
        name, dual, sizes, attached, parts, counted = (line.value() for _ in range(6))
        counts = None if counted is None else Counted(*counted)
        self.spaces[label] = self.make(lambda: Space(name, dual, sizes, attached, parts, counts))

    def formula_line(self, line: _Line) -> None:
        """LABEL = kind fields : type."""
        label = line.name()
        line.mark("=")
        kind = line.name()
        if kind not in NODES:
            self.fail(f"{kind!r} is no kind of formula")
        content = [one.coefficient if isinstance(one, Term) else one for one in line.until(":")]
        line.mark(":")
        type_ = line.type()
        if kind == "symbol" and len(content) > 2 and isinstance(content[2], str):
            content[2] = self.make(lambda: Structure.of(str(content[2])))
        name, hint = NODES[kind]
        if not is_of(tuple(content), hint):
            self.fail(f"a {kind} holds something else")
        self.expressions[label] = self.make(lambda: from_fields(name, type_, tuple(content)))

    def step(self, line: _Line) -> Step:
        """%n = word fields : type sym  # name inline of names."""
        ref = self.whole(line.value, Ref)
        line.mark("=")
        kind = WORDS.get(line.name())
        if kind is None:
            self.fail("no such instruction")
        content = line.until(":")
        line.mark(":")
        type_ = line.type()
        symmetric = line.skip("name", "sym")
        name, inline, names = f"v{ref.value}", False, ()
        if line.skip("comment", "#"):
            name = line.word()
            inline = line.skip("name", "inline")
            names = tuple(line.words()) if line.skip("name", "of") else ()
        if not fit(kind, content):
            self.fail(f"{kind.word} takes {', '.join(one.name for one in fields(kind))}")
        definition = self.make(lambda: kind(*content))
        return Step(ref.value, name, Block(type_, definition, names, symmetric), inline)

    def made(self, line: _Line, kind: type[Any]) -> Any:
        """A record from the fields on a line."""
        content = line.until("")
        if not fit(kind, content):
            self.fail(f"expected {', '.join(one.name for one in fields(kind))}")
        return self.make(lambda: kind(*content))

    def whole(self, value: Callable[[], Any], kind: type[Any]) -> Any:
        found = value()
        if not isinstance(found, kind):
            self.fail(f"expected another kind of thing than {found!r:.40}")
        return found

    def make(self, make: Callable[[], Any]) -> Any:
        """What is made of fields that somebody may have changed by hand."""
        try:
            return make()
        except (OperatorAlgebraError, TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as wrong:
            return self.fail(str(wrong).rstrip("."))


class _Line:
    """The tokens of one line."""

    def __init__(self, reader: _Reader, text: str) -> None:
        self.reader = reader
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        self.depth = 0
        place = 0
        text = text.rstrip()
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None or found.lastgroup is None:
                reader.fail(f"cannot read {text[place:].strip()[:30]!r}")
            self.tokens.append((found.lastgroup, found.group(found.lastgroup)))
            place = found.end()

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self) -> tuple[str, str]:
        found = self.peek()
        self.at += 1
        return found

    def skip(self, kind: str, text: str) -> bool:
        """Step over a token if it is this one."""
        fits = self.peek() == (kind, text)
        self.at += fits
        return fits

    def mark(self, text: str) -> None:
        if not self.skip("mark", text):
            self.reader.fail(f"expected {text!r} before {self.peek()[1]!r}")

    def end(self) -> None:
        if self.peek()[0] != "end":
            self.reader.fail(f"there is more than expected: {self.peek()[1]!r}")

    def name(self) -> str:
        kind, text = self.take()
        if kind != "name":
            self.reader.fail(f"expected a name before {text!r}")
        return text

    def word(self) -> str:
        kind, text = self.take()
        if kind not in ("name", "string"):
            self.reader.fail(f"expected a name before {text!r}")
        return text if kind == "name" else json.loads(text)

    def words(self) -> Iterator[str]:
        while self.peek()[0] in ("name", "string"):
            yield self.word()

    def until(self, stop: str) -> list[Any]:
        """The values before a mark, or before the end."""
        self.depth += 1
        if self.depth > _DEPTH:
            self.reader.fail("brackets are nested too deep")
        found: list[Any] = []
        while self.peek() != ("mark", stop) and self.peek()[0] != "end":
            found.append(self.value())
        self.depth -= 1
        return found

    def type(self) -> Type:
        domain = self.space()
        self.mark(">")
        return self.reader.make(lambda: Type(domain, self.space()))

    def space(self) -> Space:
        label = self.name()
        if label not in self.reader.spaces:
            self.reader.fail(f"the space {label} has no line")
        return self.reader.spaces[label]

    def expression(self) -> Expr:
        label = self.name()
        if label not in self.reader.expressions:
            self.reader.fail(f"the formula {label} has no line")
        return self.reader.expressions[label]

    def value(self) -> Any:
        """One thing, known by how it begins."""
        kind, text = self.peek()
        match kind, text:
            case "string", _:
                self.at += 1
                return self.reader.make(lambda: json.loads(text))
            case "value", _:
                self.at += 1
                return Ref(int(text.strip("%'")), text.endswith("'"))
            case "number", _:
                self.at += 1
                return self.reader.make(lambda: Fraction(text)) if "/" in text else int(text)
            case "hop", _:
                return self.hop()
            case "name", "yes" | "no":
                self.at += 1
                return text == "yes"
            case "name", _:
                return self.expression()
            case "mark", "(":
                return self.sequence()
            case "mark", "<":
                return self.bracketed()
            case "mark", "{":
                return self.record()
            case "mark", ".":
                self.at += 1
                return None
            case "mark", "+" | "-":
                return self.term()
            case _:
                return self.reader.fail(f"cannot read {text!r}" if text else "the line ends too early")

    def hop(self) -> Hop:
        inward = self.take()[1] == "in:"
        symbol = self.expression()
        if not isinstance(symbol, Symbol):
            self.reader.fail("a hop is no symbol")
        return Hop(symbol, self.skip("mark", "'"), inward)

    def sequence(self) -> tuple[Any, ...]:
        self.mark("(")
        found = self.until(")")
        self.mark(")")
        return tuple(found)

    def bracketed(self) -> Space:
        self.mark("<")
        found = self.space()
        self.mark(">")
        return found

    def record(self) -> Any:
        self.mark("{")
        label = self.name()
        content = self.until("}")
        self.mark("}")
        if label in NAMED:
            return self.reader.make(lambda: NAMED[label](*content))
        kind = RECORDS.get(label)
        if kind is None or not fit(kind, content):
            self.reader.fail("no such record")
        return self.reader.make(lambda: kind(*content))

    def term(self) -> Term:
        """A signed product: coefficient, scalars, factors, with dots between."""
        _, sign = self.take()
        kind, text = self.peek()
        size = Fraction(1)
        if kind == "number":
            self.at += 1
            size = self.reader.make(lambda: Fraction(text))
            if not self.skip("mark", "·"):
                return Term(size if sign == "+" else -size, ())
        scalars: tuple[int, ...] = ()
        more = True
        if self.skip("mark", "["):
            while not self.skip("mark", "]"):
                scalars += (self.reader.whole(self.value, Ref).value,)
            more = self.skip("mark", "·")
        factors: list[Ref] = []
        while more:
            factors.append(self.reader.whole(self.value, Ref))
            more = self.skip("mark", "·")
        return Term(size if sign == "+" else -size, tuple(factors), scalars)
