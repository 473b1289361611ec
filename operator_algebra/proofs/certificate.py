"""Certificates: the declarations behind a claim and the lines of its proof, as data that `kernel` reads.

Declarations are those of the claim, one for each name and each opaque part in it, and those of the letters that the
proof needs besides. The kernel derives the axioms from them, so that no axiom can be invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import assert_never, cast

from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Fixpoint,
    Inverse,
    Local,
    One,
    Product,
    Root,
    Scale,
    Sum,
    Symbol,
    Transpose,
    Zero,
    of_a_kind,
)
from operator_algebra.expressions.traverse import all_below, postorder
from operator_algebra.operators.leaf import JointMap, JointMapRate, RigidShift
from operator_algebra.operators.spaces import Space
from operator_algebra.proofs.facts import BracketOf, DiagonalOf, Fact, Real, Turned, Unique, resting_on
from operator_algebra.proofs.kernel import Data
from operator_algebra.proofs.letters import Form, Letter, Word, times, word
from operator_algebra.proofs.theory import Axiom, Theory

_KINDS: dict[object, str] = {RigidShift("parent"): "rigid", JointMap(): "joint", JointMapRate(): "joint-rate"}
"""Leaves of which the kernel knows facts."""


class Writer:
    """Gives letters their names, and writes what has to be declared before it is used."""

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self.declared: list[list[Data]] = []
        self.spaces: dict[str, str] = {}
        self.names: dict[Letter, str] = {}
        self.closed: set[Letter] = set()
        self.taken: set[str] = set()
        self.defined: dict[Symbol, str] = {}
        self.wanted: dict[Letter, str] = {}

    def prefer(self, sides: Sequence[Expr]) -> None:
        """Letters are called as the claim calls them: phi for (I − E_phi)⁻¹, inverse(D) for the inverse of D."""
        bodies: dict[frozenset[Data], str] = {}
        for node in (one for side in sides for one in postorder(side, all_below)):
            if isinstance(node, Symbol) and node.definition is not None:
                form = self.theory.read(node.definition)
                if len(form) == 1 and (letter := _alone(form)) is not None and letter.kind not in ("leaf", "unknown"):
                    self.wanted.setdefault(letter, node.name)
                else:
                    bodies.setdefault(frozenset(form.items()), node.name)
        for letter in self.theory.letters:
            content = None if letter.body is None else frozenset(letter.body.items())
            if content in bodies:
                self.wanted.setdefault(letter, f"{kernel_word(letter)}({bodies[content]})")

    # -- formulas as they are written

    def formula(self, e: Expr) -> Data:
        """A formula, with all that it mentions declared."""
        done: dict[Expr, Data] = {}
        stack: list[tuple[Expr, bool]] = [(e, False)]
        while stack:
            node, ready = stack.pop()
            if node in done:
                continue
            parts = self._parts(node)
            if ready or not parts:
                done[node] = self._formula(node, [done[part] for part in parts])
            else:
                stack.append((node, True))
                stack.extend((part, False) for part in reversed(parts))
        return done[e]

    def _parts(self, node: Expr) -> tuple[Expr, ...]:
        """What is written before a node: nothing of what has a name already."""
        if isinstance(node, Fixpoint | Inverse | Root | Diag | Local):
            letter = _alone(self.theory.read(node))
            named = letter is None or self.theory.base(letter) in self.names
            return () if named or isinstance(node, Fixpoint) else node.children
        if isinstance(node, Symbol):
            return () if node.definition is None or node in self.defined else (node.definition,)
        return (node.body,) if isinstance(node, Scale) else node.children

    def _formula(self, node: Expr, parts: Sequence[Data]) -> Data:
        node = of_a_kind(node)
        match node:
            case Zero():
                return []
            case One():
                return ""
            case Sum():
                return [term for part in parts for term in _terms(part)]
            case Product():
                return _product(parts)
            case Scale():
                if isinstance(node.factor, Fraction):
                    return [[str(node.factor), parts[0]]]
                return _product([self._polynomial(self.theory.number(node.factor)), parts[0]])
            case Transpose():
                return self._starred(node.body, parts[0])
            case Symbol():
                return self._symbol(node, parts)
            case Fixpoint() | Inverse() | Root() | Diag() | Local():
                letter = _alone(self.theory.read(node))
                if letter is None:  # the inverse of an inverse
                    return self._polynomial(self.theory.read(node))
                if self.theory.base(letter) not in self.names:
                    self._declare(letter, node, parts)
                return self.name(letter)
            case _:
                assert_never(node)

    def _symbol(self, node: Symbol, parts: Sequence[Data]) -> Data:
        if node.definition is not None:
            if node not in self.defined and parts and parts[0] == node.name and self._is_letter(node):
                return node.name
            if node not in self.defined:
                self.defined[node] = self._fresh(node.name)
                self.declared.append([self.defined[node], "define", parts[0]])
            return self.defined[node]
        ((numbers, letters),) = self.theory.read(node)
        (letter,) = numbers or letters
        self._letter(letter)
        return self.name(letter)

    def _is_letter(self, node: Symbol) -> bool:
        letter = _alone(self.theory.read(node))
        return letter is not None and self.names.get(letter) == node.name

    def _starred(self, body: Expr, part: Data) -> Data:
        if isinstance(body, Symbol) and body.definition is not None and not self._is_letter(body):
            return f"{part}'"
        ((_, (letter,)),) = self.theory.read(body)
        return self.name(letter.star)

    # -- letters

    def _letter(self, letter: Letter) -> None:
        """Declare a letter by its polynomial, after those that it is made of."""
        letter = self.theory.base(letter)
        if letter in self.names:
            return
        if letter.kind == "unknown" and isinstance(letter.source, Fixpoint):
            self.formula(letter.source)
        else:
            parts = [self._polynomial(letter.body)] if letter.body is not None else []
            if letter not in self.names:  # an equation on the way may have declared it
                self._declare(letter, letter.source, parts)

    def _declare(self, letter: Letter, source: Expr | None, parts: Sequence[Data]) -> None:
        if letter is not self.theory.base(letter):
            letter = letter.star
            parts = [] if letter.body is None else [self._polynomial(letter.body)]
        own = self.names[letter] = self._fresh(self.wanted.get(letter) or _suggested(letter, source))
        if letter.kind in ("leaf", "unknown", "number"):
            leaf = letter.source.leaf if isinstance(letter.source, Symbol) else None
            kind = letter.kind if leaf is None else _KINDS.get(leaf.form, letter.kind)
            self._give(letter, own, kind)
            if letter.kind == "unknown":
                assert isinstance(source, Fixpoint)
                self.declared.append([own, "equals", self.formula(source.body)])
        else:
            extra = self._type(letter) if letter.kind in ("root", "own", "local") else ()
            self.declared.append([own, kernel_word(letter), *parts, *extra])

    def _give(self, letter: Letter, own: str, kind: str) -> None:
        """What is made of no others: the way it goes, and whether it has a star; of I and a strict rest, that rest."""
        structure, number = letter.structure, letter.kind == "number"
        flow = structure.flow if structure.flow in ("diagonal", "inward", "outward") else "full"
        flags = [one for one in ("hop", "strict", "unit") if one in structure.flags and letter.kind == "leaf"]
        blocks = "diagonal" if number else " ".join([flow, *flags[:1]]) if flow != "full" else flow
        symmetric = ["symmetric"] if number or structure.symmetric else []
        if blocks.endswith(" unit"):
            rest = self._fresh(f"{own}_less_I")
            self.declared.append([rest, kind, *self._type(letter), f"{flow} strict", *symmetric])
            self.declared.append([own, "define", [["1", ""], ["1", rest]]])
        else:
            self.declared.append([own, kind, *self._type(letter), blocks, *symmetric])

    def name(self, letter: Letter) -> str:
        """The name of a letter, declared where it is new."""
        self._letter(letter)
        base = self.theory.base(letter)
        return self.names[base] + ("" if base is letter else "'")

    def _type(self, letter: Letter) -> tuple[str, str]:
        return self._space(letter.type.codomain), self._space(letter.type.domain)

    def _space(self, space: Space) -> str:
        self.spaces[space.name] = space.dual.name
        self.spaces[space.dual.name] = space.name
        return space.name

    def _fresh(self, wanted: str) -> str:
        name, k = wanted, 1
        while name in self.taken:
            k += 1
            name = f"{wanted}_{k}"
        self.taken.add(name)
        return name

    # -- polynomials

    def word(self, word: Word) -> str:
        """A word by the names of its letters."""
        numbers, letters = word
        return " ".join([*sorted(map(self.name, numbers)), *map(self.name, letters)])

    def polynomial(self, p: Form) -> dict[str, str]:
        """A polynomial as coefficients of words."""
        return {self.word(word): str(c) for word, c in p.items()}

    def _polynomial(self, p: Form) -> Data:
        terms = [[str(c), self.word(word)] for word, c in p.items()]
        return terms[0][1] if len(terms) == 1 and terms[0][0] == "1" else terms

    # -- lines

    def reference(self, fact: Fact, places: Mapping[Fact, int]) -> Data:
        """How a line refers to a fact."""
        if fact in places:
            return places[fact]
        if isinstance(fact.why, Turned):
            return ["'", self.reference(fact.why.of, places)]
        if isinstance(fact.why, Real):
            return ["scalar", self.word(fact.why.word)]
        assert isinstance(fact.why, Axiom)
        return [*self._axiom(fact.why)]

    def _axiom(self, why: Axiom) -> Iterator[str]:
        """An axiom as the kernel calls it, and of which letters or formulas it holds."""
        letter, other, theory = why.letter, why.other, self.theory
        match why.side:
            case "left" | "right":
                yield from (why.side, self.name(letter))
            case "skew" | "known":
                assert other is not None
                yield from (why.side, self.name(letter), self.name(other))
            case "jacobi":
                assert other is not None and other.body is not None
                outer = theory.value(other, times(word(letter), other.body))
                yield from (why.side, self.name(letter), self.name(other), self.name(outer))
            case "rigid":
                assert other is not None and letter.body is not None
                outer = theory.value(letter, times(word(other.star), letter.body))
                yield from (why.side, self.name(other), self.name(letter), self.name(outer))
            case "alone" | "turning":
                joint, rates = self._of_joint(letter)
                made = [theory.turning(letter)] if why.side == "turning" else []
                yield from (why.side, joint, self.name(letter), *map(self.name, made), rates)
            case "":
                if letter.kind == "own":
                    bracket, _ = theory.acting(letter)
                    joint, rates = self._of_joint(bracket)
                    yield from ("closed", joint, self.name(bracket), self.name(letter), rates)
                else:
                    told = {"root": "root", "unknown": "equation", "leaf": "still"}
                    yield from (told[letter.kind], self.name(letter))
            case _:
                assert_never(why.side)

    def _of_joint(self, bracket: Letter) -> tuple[str, str]:
        """The joint map and the rates of a bracket with H* w."""
        assert bracket.body is not None
        (((numbers, letters), _),) = bracket.body.items()
        return self.name(letters[0].star), self.word((numbers, letters[1:]))

    def line(self, fact: Fact, places: Mapping[Fact, int]) -> list[Data]:
        """A fact as a line: what is zero, by which rule, from what."""
        why = fact.why
        if isinstance(why, tuple):
            terms = [
                [str(c), self.word(left), self.reference(one, places), self.word(right)] for c, left, one, right in why
            ]
            rule: list[Data] = ["sum", *terms]
        elif isinstance(why, Axiom):
            rule = [kernel_word(why.letter)]
        elif isinstance(why, DiagonalOf):
            rule = ["diag", self.reference(why.of, places)]
        elif isinstance(why, BracketOf):
            rule = [kernel_word(why.letter), self.reference(why.of, places)]
        else:
            assert isinstance(why, Unique)
            renamed = {self.name(old): self.name(new) for old, new in why.renamed}
            image = self._polynomial(why.image)
            rule = ["unique", self.name(why.unknown), image, self.reference(why.of, places), renamed]
        return [self.polynomial(fact.form), *rule]


def certificate(theory: Theory, lhs: Expr, rhs: Expr, proved: Fact) -> dict[str, Data]:
    """The certificate of lhs = rhs from the fact that their difference is zero."""
    writer = Writer(theory)
    writer.prefer((lhs, rhs))
    claim = [writer.formula(lhs), writer.formula(rhs)]
    lines: list[list[Data]] = []
    places: dict[Fact, int] = {}
    for fact in resting_on(proved):
        if not _is_reference(fact):
            lines.append(writer.line(fact, places))
            places[fact] = len(lines) - 1
    if _is_reference(proved):
        lines.append([writer.polynomial(proved.form), "sum", ["1", "", writer.reference(proved, places), ""]])
    return _written(writer, claim, lines)


def _is_reference(fact: Fact) -> bool:
    """Whether a line names a fact; what a value is in letters is a line of its own."""
    return isinstance(fact.why, Real | Turned) or (isinstance(fact.why, Axiom) and not _of_a_value(fact.why))


def _of_a_value(why: Axiom) -> bool:
    return why.side == "" and why.letter.kind in ("diag", "local")


def of_blocks(theory: Theory, e: Expr, words: str) -> dict[str, Data]:
    """The certificate that an operator has blocks of a kind, such as "inward unit": its declarations say so."""
    writer = Writer(theory)
    writer.prefer((e,))
    return _written(writer, ["is", writer.formula(e), words], [])


def _written(writer: Writer, claim: list[Data], lines: list[list[Data]]) -> dict[str, Data]:
    return {
        "spaces": writer.spaces,
        "traits": sorted(writer.theory.traits),
        "declare": _needed(writer.declared, [claim, lines]),
        "claim": claim,
        "lines": lines,
    }


def kernel_word(letter: Letter) -> str:
    """The word of the kernel for what a letter is."""
    return letter.kind if letter.function is None else letter.function.name


def _alone(p: Form) -> Letter | None:
    """The letter that a polynomial is, if it is one."""
    if len(p) != 1:
        return None
    (((numbers, letters), c),) = p.items()
    return letters[0] if c == 1 and not numbers and len(letters) == 1 else None


def _needed(declared: list[list[Data]], told: Data) -> list[list[Data]]:
    """The declarations without abbreviations that nothing mentions."""
    used = _names(told)
    kept: list[list[Data]] = []
    for name, kind, *given in reversed(declared):
        if kind != "define" or name in used:
            used |= _names(given)
            kept.append([name, kind, *given])
    return kept[::-1]


def _names(told: Data) -> set[str]:
    if isinstance(told, str):
        return {word.rstrip("'") for word in told.split()}
    if isinstance(told, dict):
        return _names(list(cast("dict[str, Data]", told)))
    return {name for part in cast("list[Data]", told) for name in _names(part)} if isinstance(told, list) else set()


def _terms(part: Data) -> list[Data]:
    """A formula as terms of a sum."""
    return [["1", part]] if isinstance(part, str) else part


def _product(parts: Sequence[Data]) -> Data:
    """Words in a row are one word."""
    if all(isinstance(part, str) for part in parts):
        return " ".join(part for part in parts if part)
    return [["1", *parts]]


def _suggested(letter: Letter, source: Expr | None) -> str:
    if letter.kind in ("leaf", "unknown"):
        assert isinstance(source, Symbol | Fixpoint)
        return source.name
    if letter.kind == "number" and isinstance(source, Symbol):
        return source.name
    body = source.children[0] if source is not None and source.children else None
    text = body.render("ascii") if isinstance(body, Symbol | Fixpoint) else ""
    return f"{kernel_word(letter)}({text})" if re.fullmatch(r"\w+", text) else kernel_word(letter)
