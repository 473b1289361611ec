"""A certificate as Lean 4: a theorem about elements of a ring with star, proved line by line as the kernel reads it.

Letters are elements of one ring, and what they are by definition are hypotheses. What follows by a rule of the kernel
that is more than a sum is a hypothesis too, named as one: these rules have no text in Lean yet.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from operator_algebra.errors import InputError
from operator_algebra.proofs.kernel import FACTS, FUNCTIONS, GIVEN, NUMBER, Book, Data

_WIDTH = 110

_STARS = "star_add, star_sub, star_neg, star_mul, star_one, star_zero, star_star, star_ofNat, star_rat_smul"
_PRODUCTS = (
    "add_mul, mul_add, sub_mul, mul_sub, neg_mul, mul_neg, mul_assoc, one_mul, mul_one, zero_mul, mul_zero, "
    "mul_smul_comm, smul_mul_assoc"
)

HEAD = f"""\
import Mathlib

set_option maxRecDepth 65536

namespace OperatorAlgebra

open Lean.Parser.Tactic in
/-- Both sides are the same when stars and products are multiplied out. -/
syntax "expand" " [" ((simpStar <|> simpErase <|> simpLemma),*,?) "]" : tactic

macro_rules
  | `(tactic| expand [$rules,*]) => `(tactic|
      (try simp only [{_STARS},
        $rules,*]) <;>
      first
        | rfl
        | (noncomm_ring; done)
        | (simp only [{_PRODUCTS}]; module)
        | abel)

/-- A multiple of zero is zero. -/
theorem multiple {{R : Type*}} [Ring R] {{a : R}} (l r : R) (h : a = 0) : l * a * r = 0 := by
  rw [h, mul_zero, zero_mul]

/-- A sum of zeros is zero. -/
theorem plus {{R : Type*}} [Ring R] {{a b : R}} (h : a = 0) (k : b = 0) : a + b = 0 := by
  rw [h, k, add_zero]

/-- The star of zero is zero. -/
theorem turned {{R : Type*}} [Ring R] [StarRing R] {{a : R}} (h : a = 0) : star a = 0 := by
  rw [h, star_zero]

/-- The inverse of what is its own star is its own star. -/
theorem own_star {{R : Type*}} [Ring R] [StarRing R] {{a x : R}} (h : star a = a) (left : x * a = 1)
    (right : a * x = 1) : star x = x := by
  have k : star x * a = 1 := by
    have e := congrArg star right
    rwa [star_mul, star_one, h] at e
  calc star x = star x * (a * x) := by rw [right, mul_one]
    _ = star x * a * x := by rw [mul_assoc]
    _ = x := by rw [k, one_mul]
"""

_ABOUT = """\
Written from the certificate, not checked by Lean on the way. All spaces are one ring here, so it speaks of square
operators; that spaces fit is what the kernel checks. What is an axiom or a rule there and not a sum is a hypothesis
here, and the comment above a theorem names it."""

_WORDS = """
R Type Prop Sort Ring StarRing Algebra star multiple plus turned own_star expand fun let have show from by at in if
then else do match with where theorem lemma def example axiom instance class structure inductive variable universe open
namespace section end import export macro syntax notation infix infixl infixr prefix postfix local scoped set_option
attribute mutual partial unsafe private protected noncomputable abbrev deriving extends calc return for unless try
catch finally mut forall exists assume suffices obtain nomatch sorry"""
_RESERVED = frozenset(_WORDS.split())
"""Names that mean something in the file."""


class Text(NamedTuple):
    """A formula of Lean, and how it holds together: 0 a sum, 1 a product, 2 a function of something, 3 one name."""

    text: str
    bond: int

    def within(self, bond: int) -> str:
        """The formula as a part of something that holds together so strongly."""
        return self.text if self.bond >= bond else f"({self.text})"


ONE = Text("1", 3)


def sum_of(terms: Sequence[tuple[Fraction, Text]], *, rational: bool = False) -> Text:
    """A sum of multiples; in an algebra over the rational numbers these are scalars.

    >>> sum_of([(Fraction(-2), Text("a * b", 1)), (Fraction(1), ONE)]).text
    '-(2 * (a * b)) + 1'
    >>> sum_of([(Fraction(1, 2), Text("a", 3))], rational=True).text
    '(1/2 : ℚ) • a'
    """
    found = ""
    for c, part in terms:
        if abs(c) == 1:
            size = part.within(1)
        else:
            plain = "(1 : R)" if rational and part == ONE else part.within(2)
            size = f"({abs(c)} : ℚ) • {plain}" if rational else f"{abs(c)} * {plain}"
        if found:
            found += f" {'-' if c < 0 else '+'} {size}"
        else:
            found = size if c > 0 else f"-{size}" if " " not in size else f"-({size})"
    if not terms:
        return Text("0", 3)
    return Text(found, terms[0][1].bond if len(terms) == 1 and terms[0][0] == 1 else 0)


def product_of(factors: Sequence[Text]) -> Text:
    """A product; the unit where there is nothing to multiply."""
    if len(factors) < 2:
        return factors[0] if factors else ONE
    return Text(" * ".join(part.within(2 if k else 1) for k, part in enumerate(factors)), 1)


def starred(part: Text) -> Text:
    """The adjoint.

    >>> product_of([Text("a + b", 0), starred(Text("c", 3))]).text
    '(a + b) * star c'
    """
    return Text(f"star {part.within(3)}", 2)


@dataclass(slots=True)
class Theorem:
    """One certificate on its way into Lean: names in use, hypotheses so far, and what has no text yet."""

    rational: bool
    taken: set[str] = field(default_factory=lambda: set(_RESERVED))
    letters: dict[str, Text] = field(default_factory=dict[str, Text])
    bodies: dict[str, Text] = field(default_factory=dict[str, Text])
    hypotheses: dict[str, str] = field(default_factory=dict[str, str])
    simple: list[str] = field(default_factory=list[str])
    """Hypotheses that rewrite a letter or its star."""
    proved: list[str] = field(default_factory=list[str])
    facts: dict[str, str] = field(default_factory=dict[str, str])
    """References to facts, as text, and what proves that they are zero."""
    told: list[str] = field(default_factory=list[str])
    """What letters stand for of which the theorem does not say it."""
    missing: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Rules without text, and the hypotheses that stand for them."""

    def fresh(self, wanted: str) -> str:
        """A name that Lean takes and nothing else has."""
        plain = re.sub(r"\W+", "_", wanted, flags=re.ASCII).strip("_") or "x"
        base = name = f"x_{plain}" if plain[0].isdigit() else plain
        k = 1
        while name in self.taken:
            k += 1
            name = f"{base}_{k}"
        self.taken.add(name)
        return name

    def suppose(self, wanted: str, lhs: Text, rhs: Text, *, rewrites: bool = False) -> str:
        """A new hypothesis."""
        name = self.fresh(wanted)
        self.hypotheses[name] = f"{lhs.text} = {rhs.text}"
        self.simple += [name] if rewrites else []
        return name

    # -- formulas

    def formula(self, told: Data, names: Mapping[str, Text] | None = None) -> Text:
        """A formula of a certificate."""
        names = self.letters if names is None else names
        if isinstance(told, str):
            return product_of([starred(names[x[:-1]]) if x.endswith("'") else names[x] for x in told.split()])
        return sum_of([(Fraction(c), self.formula(word, names)) for word, c in told.items()], rational=self.rational)

    @property
    def expand(self) -> str:
        """The tactic with all that rewrites letters."""
        return f"by expand [{', '.join(self.simple)}]"

    # -- declarations

    def declare(self, name: str, kind: str, given: Sequence[Data], *, symmetric: bool) -> None:
        """The letter of a declaration, and what it is by definition."""
        if kind == "leaf" and tuple(given[:2]) == NUMBER:
            raise InputError(f"{name} is a number that multiplies operators; these have no text in Lean yet.")
        if kind == "equals":
            self.bodies[name] = self.formula(given[0])
            self._known("equation", name, self.letters[name], self.bodies[name])
            return
        if kind not in GIVEN:
            self.bodies[name] = self.formula(given[0])
        if name.startswith("("):  # a sum that has no name
            self.letters[name] = self.bodies[name]
            return
        own = Text(self.fresh(name), 3)
        self.letters[name] = own
        if kind == "define":
            self.suppose(f"{own.text}_is", own, self.bodies[name], rewrites=True)
        elif kind == "inverse":
            sides = [("left", [own, self.bodies[name]]), ("right", [self.bodies[name], own])]
            left, right = (self._known(side, name, product_of(factors), ONE) for side, factors in sides)
            if symmetric:
                made = self.fresh(f"{own.text}_star")
                reason = f"own_star ({self.expand}) {left} {right}"
                self.proved.append(f"have {made} : star {own.text} = {own.text} := {reason}")
                self.simple.append(made)
        elif kind == "root":
            self._known("root", name, product_of([own, starred(own)]), self.bodies[name])
        elif kind not in GIVEN:
            self.told.append(f"Here {own.text} is {kind} of {self.bodies[name].text}.")
        if symmetric and kind not in ("define", "inverse"):
            self.suppose(f"{own.text}_star", starred(own), own, rewrites=True)

    def _known(self, side: str, name: str, lhs: Text, rhs: Text) -> str:
        made = self.suppose(f"{self.letters[name].text}_{side}", lhs, rhs)
        self.facts[f"{side} {name}"] = f"(sub_eq_zero.mpr {made})"
        return made

    # -- lines

    def fact(self, ref: Data) -> str:
        """What proves that something is zero: an earlier line, a definition, or a fact of the kernel."""
        if isinstance(ref, int):
            return f"line_{ref}"
        if ref[0] == "'":
            return f"(turned {self.fact(ref[1])})"
        key = " ".join(ref)
        if key not in self.facts:
            _, _, zero, _ = FACTS[ref[0]]
            names: dict[str, Text] = {}
            for place, name in zip("abcd", ref[1:], strict=False):
                names |= {place: self.formula(name), f"°{place}": self.bodies.get(name, ONE)}
            self.facts[key] = self.suppose(f"{ref[0]}_fact", self.formula(zero, names), Text("0", 3))
            self.missing.setdefault(f"fact {ref[0]}", []).append(self.facts[key])
        return self.facts[key]

    def line(self, place: int, stated: Mapping[str, str], given: Sequence[Data]) -> None:
        """A line: a sum that Lean multiplies out, or what is taken from another rule."""
        name = f"line_{place}"
        self.taken.add(name)
        text = self.formula(stated)
        rules = [rule for _, _, ref, _ in given if (rule := _more_than_a_sum(ref))]
        if rules:
            self.hypotheses[name] = f"{text.text} = 0"
            self.missing.setdefault(rules[0], []).append(name)
            return
        parts: list[str] = []
        for c, left, ref, right in given:
            front = sum_of([(Fraction(c), self.formula(left))], rational=self.rational)
            parts.append(f"multiple {front.within(3)} {self.formula(right).within(3)} {self.fact(ref)}")
        sums = [*(f"    plus ({part}) <|" for part in parts[:-1]), *(f"    {part}" for part in parts[-1:])]
        zero = f"({text.text} : R) = 0" if text.bond == 3 else f"{text.text} = 0"
        head = f"have {name} : {zero} := " + (f"Eq.trans ({self.expand}) <|" if parts else "rfl")
        self.proved += [head, *sums]


def file_of(said: str, proofs: Iterable[tuple[str, Mapping[str, Data]]]) -> str:
    """The file of some certificates, each a theorem with the name that stands beside it."""
    names = Theorem(rational=False)
    theorems = [theorem(names.fresh(name), name, certificate) for name, certificate in proofs]
    return "\n".join([HEAD, f"/-!\n{_quoted(said)}\n\n{_ABOUT}\n-/\n", *theorems, "end OperatorAlgebra"]) + "\n"


def theorem(name: str, said: str, certificate: Mapping[str, Data]) -> str:
    """The theorem of one certificate; of blocks of a kind a comment, which says that there is none."""
    lhs, rhs, *blocks = certificate["claim"]
    if blocks:
        return f"-- {said}: what blocks an operator has is read off its letters by the kernel; no text in Lean yet.\n"
    book = Book(certificate["spaces"], certificate["traits"])
    written = Theorem("/" in str([certificate[key] for key in ("declare", "claim", "lines")]))
    for own, kind, *given in certificate["declare"]:
        book.declare(own, kind, *given)
        written.declare(own, kind, given, symmetric=book.star.get(own) == own)
    for place, (stated, *given) in enumerate(certificate["lines"]):
        written.line(place, stated, given)
    last = f"exact sub_eq_zero.mp (Eq.trans ({written.expand}) line_{len(certificate['lines']) - 1})"
    algebra = " [Algebra ℚ R]" if written.rational else ""
    letters = " ".join(text.text for name, text in written.letters.items() if not name.startswith("("))
    head = [f"theorem {name} {{R : Type*}} [Ring R] [StarRing R]{algebra} ({letters} : R)"]
    head += [f"    ({own} : {text})" for own, text in written.hypotheses.items()]
    claim = f"    : {written.formula(lhs).text} = {written.formula(rhs).text} := by"
    missing = [f"Taken from the kernel, {what}: {', '.join(names)}." for what, names in written.missing.items()]
    lines = [*head, claim, *(f"  {text}" for text in (*written.proved, last))]
    return "\n".join([f"/-- {_quoted(chr(10).join([said, *written.told, *missing]))} -/", *map(_folded, lines)]) + "\n"


def _more_than_a_sum(ref: Data) -> str:
    """What a term rests on that has no text: the line itself, block diagonals, values of a function."""
    if isinstance(ref, str):
        return "a multiple of itself" if ref == "itself" else "rule diag"
    return f"rule {ref[0]}" if isinstance(ref, list) and ref[0] in FUNCTIONS else ""


def _quoted(text: str) -> str:
    """A text that ends no comment."""
    return text.replace("-/", "- /")


def _folded(line: str) -> str:
    """A long line on several, those that follow further in."""
    indent = " " * (len(line) - len(line.lstrip()))
    deeper = f"{indent}    " if indent else " " * 8
    return textwrap.fill(line, _WIDTH, subsequent_indent=deeper, break_long_words=False, break_on_hyphens=False)
