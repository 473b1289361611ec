"""The declarations of a certificate: letters get their names, and what has to be declared comes before it is used.

Declared is what the claim mentions, one declaration for each name and each opaque part in it, and the letters that the
proof needs besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import assert_never

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
from operator_algebra.proofs.facts import Fact, Term, Turned, total
from operator_algebra.proofs.kernel import Data
from operator_algebra.proofs.letters import RING, Form, Letter, Rational, Word, pattern
from operator_algebra.proofs.multiples import opened
from operator_algebra.proofs.theory import Axiom, Theory

_KINDS: dict[object, str] = {RigidShift("parent"): "rigid", JointMap(): "joint", JointMapRate(): "joint-rate"}
"""Leaves of which the kernel knows facts."""
_LONG = 40
"""Characters of the name of a sum that spells it."""


class Writer:
    """Gives letters their names, and writes what has to be declared before it is used."""

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self.declared: list[list[Data]] = []
        self.spaces: dict[str, str] = {}
        self.names: dict[Letter, str] = {}
        self.taken: set[str] = set()
        self.defined: dict[Symbol, str] = {}
        self.wanted: dict[Letter, str] = {}
        self.called: dict[str, str] = {}

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
                return {}
            case One():
                return ""
            case Sum():
                return _sum(term for part in parts for term in _terms(part))
            case Product():
                return self._product(parts)
            case Scale():
                if isinstance(node.factor, Fraction):
                    return _sum((word, c * node.factor) for word, c in _terms(parts[0]))
                return self._product([self._polynomial(self.theory.number(node.factor)), parts[0]])
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

    def _product(self, parts: Sequence[Data]) -> Data:
        """Words in a row are one word; a sum among them gets a name."""
        words, c = list[str](), Fraction(1)
        for terms in map(_terms, parts):
            if len(terms) == 1:
                words.append(terms[0][0])
                c *= terms[0][1]
            else:
                words.append(self.abbreviated(_sum(terms)))
        return _sum([(" ".join(word for word in words if word), c)])

    def abbreviated(self, told: Data) -> str:
        """One name for a formula: its own, or an abbreviation that looks like it, (I+H·phi·K)."""
        if isinstance(told, str) and len(told.split()) == 1:
            return told
        if (known := self.called.get(str(told))) is None:
            text = "".join(f"{_sign(c)}{word.replace(' ', '·') or 'I'}" for word, c in _terms(told)).removeprefix("+")
            known = self._fresh(f"({text})" if len(text) <= _LONG and not re.search(r"(^|[-+·])\(", text) else "(sum)")
            self.called[str(told)] = known
            self.declared.append([known, "define", told])
        return known

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
        shown = self._unit(letter) if letter.kind == "inverse" else []
        if isinstance(source, Fixpoint):  # one equation after the other: first those that this one speaks of
            for node in postorder(source.body, all_below):
                if isinstance(node, Fixpoint) and node is not source:
                    self.formula(node)
        own = self.names[letter] = self._fresh(self.wanted.get(letter) or _suggested(letter, source))
        if letter.kind in ("leaf", "unknown", "number"):
            leaf = letter.source.leaf if isinstance(letter.source, Symbol) else None
            kind = "leaf" if leaf is None else _KINDS.get(leaf.form, "leaf")
            self._give(letter, own, "unknown" if letter.kind == "unknown" else kind)
            if letter.kind == "unknown":
                assert isinstance(source, Fixpoint)
                self.declared.append([own, "equals", self.formula(source.body)])
        else:
            self.declared.append([own, kernel_word(letter), *parts, *self._type(letter), *shown])

    def _unit(self, letter: Letter) -> list[Data]:
        """By which multiples of facts what is inverted is I and words that go one way, if it is."""
        if letter.structure.flow not in ("inward", "outward") or letter.body is None:
            return []
        shown = opened(self.theory, letter.body)
        terms = [Term(c, left, of, right) for c, left, of, right in shown if isinstance(of, Fact)]
        rest: Form = RING.minus(letter.body, RING.sum([RING.of(), total(terms).form])) if terms else {}
        if not all(pattern(letters).strict for _, letters in rest):
            return []
        return [[str(c), self.word(left), self.of_inverse(of), self.word(right)] for c, left, of, right in terms]

    def of_inverse(self, fact: Fact) -> Data:
        """How a line refers to a fact of an inverse."""
        if isinstance(fact.why, Turned):
            return ["'", self.of_inverse(fact.why.of)]
        assert isinstance(fact.why, Axiom)
        return [fact.why.side, self.name(fact.why.letter)]

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
            self.declared.append([own, "define", {"": "1", rest: "1"}])
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
        return _sum((self.word(word), c) for word, c in p.items())


def kernel_word(letter: Letter) -> str:
    """The word of the kernel for what a letter is."""
    return letter.kind if letter.function is None else letter.function.name


def _alone(p: Form) -> Letter | None:
    """The letter that a polynomial is, if it is one."""
    if len(p) != 1:
        return None
    (((numbers, letters), c),) = p.items()
    return letters[0] if c == 1 and not numbers and len(letters) == 1 else None


def _terms(told: Data) -> list[tuple[str, Fraction]]:
    """A formula as words and their coefficients."""
    return [(told, Fraction(1))] if isinstance(told, str) else [(word, Fraction(c)) for word, c in told.items()]


def _sum(terms: Iterable[tuple[str, Rational]]) -> Data:
    """Words and their coefficients as a formula."""
    found: dict[str, Rational] = {}
    for text, c in terms:
        found[text] = found.get(text, 0) + c
    one = len(found) == 1 and [*found.values()] == [1]
    return next(iter(found)) if one else {text: str(c) for text, c in found.items() if c}


def _sign(c: Fraction) -> str:
    return "+" if c == 1 else "-" if c == -1 else f"{'-' if c < 0 else '+'}{abs(c)}·"


def _suggested(letter: Letter, source: Expr | None) -> str:
    if letter.kind in ("leaf", "unknown"):
        assert isinstance(source, Symbol | Fixpoint)
        return source.name
    if letter.kind == "number" and isinstance(source, Symbol):
        return source.name
    body = source.children[0] if source is not None and source.children else None
    text = body.render("ascii") if isinstance(body, Symbol | Fixpoint) else ""
    return f"{kernel_word(letter)}({text})" if re.fullmatch(r"\w+", text) else kernel_word(letter)
