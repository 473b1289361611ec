"""The checker of proofs: it believes declarations and the facts listed here, and computes every line anew.

`python operator_algebra/proofs/kernel.py FILE` shares nothing with the package that wrote the file. A formula is a sum
of words, {"H phi M phi' H'": "1", …}, where ' is the adjoint and what stands behind a word its coefficient. A line of a
proof is a formula that is zero, and why: [formula, rule, [coefficient, word, fact, word], …] is a sum of multiples of
facts, or has the same value under a rule. docs/explain/proofs.md has the argument.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from hashlib import sha256
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

FORMAT = "operator-algebra proof 4"
Data = Any  # what JSON holds
Word = tuple[str, ...]
Poly = dict[Word, int | Fraction]
Shape = tuple[float, float, float, float]  # (a, b, c, d) of blocks (i, j): i climbs a to b edges, j c to d, to one body
SHAPES: dict[str, Shape] = {"diagonal": (0, 0, 0, 0), "full": (0, inf, 0, inf)}
SHAPES |= {"inward": (0, 0, 0, inf), "inward strict": (0, 0, 1, inf), "inward hop": (0, 0, 1, 1)}
SHAPES |= {"outward": (0, inf, 0, 0), "outward strict": (1, inf, 0, 0), "outward hop": (1, 1, 0, 0)}
BLOCKS = SHAPES["diagonal"]
FIXED = {"rigid": "inward hop", "joint": "diagonal", "joint-rate": "diagonal", "number": "diagonal"}
GIVEN = ("leaf", "unknown", *FIXED)
FUNCTIONS = ("cross", "spin", "crossbar")
TRAITS = ("serial", "1-DOF", "constant joint maps", "closed joints", "revolute")
# Letters a, b, … of these kinds are made of °a, °b, …: what must be the same, what is zero then, and with which traits.
FACTS: dict[str, tuple[str, dict[str, str], dict[str, str], tuple[str, ...]]] = {
    "left": ("inverse", {}, {"a °a": "1", "": "-1"}, ()),
    "right": ("inverse", {}, {"°a a": "1", "": "-1"}, ()),
    "root": ("root", {}, {"a a'": "1", "°a": "-1"}, ()),
    "equation": ("unknown", {}, {"a": "1", "°a": "-1"}, ()),
    "scalar": ("any", {}, {"a": "1", "a'": "-1"}, ()),
    "skew": ("cross cross", {}, {"a °b": "1", "b °a": "1"}, ()),
    "known": ("cross crossbar", {}, {"a' °b": "1", "b °a": "-1"}, ()),
    "jacobi": ("cross cross cross", {"°c": "a °b"}, {"c": "1", "a b": "-1", "b a": "1"}, ()),
    "rigid": ("rigid cross cross", {"°c": "a' °b"}, {"c a'": "1", "a' b": "-1"}, ()),
    "alone": ("joint cross any", {"°b": "a' c"}, {"b a'": "1"}, ("1-DOF", "revolute")),
    "turning": ("joint cross spin any", {"°b": "a' d", "°c": "a' d"}, {"b": "1", "c": "-1"}, ("revolute",)),
    "closed": ("joint cross own any", {"°b": "a' d", "°c": "b"}, {"b a'": "1", "a' c": "-1"}, ("closed joints",)),
    "still": ("joint-rate", {}, {"a": "1"}, ("constant joint maps", "revolute")),
}


class Refused(Exception):
    """What is wrong with a certificate."""


class Letter(NamedTuple):
    """A letter: what it is, the spaces that it joins, its adjoint, and where it has blocks."""

    kind: str
    to: str
    of: str
    star: str
    shape: Shape


def need(good: object, what: object) -> None:
    """Refuse the certificate unless something holds."""
    if not good:
        raise Refused(what)


def one_way(ways: list[Shape]) -> bool:
    """Whether all rows asked for are of bodies further out, or all of bodies further in."""
    return all(b == 0 < c for _, b, c, _ in ways) or all(d == 0 < a for a, _, _, d in ways)


class Book:
    """What a certificate has declared, and what it has proved so far."""

    def __init__(self, dual: dict[str, str], traits: list[str]) -> None:
        need(all(dual.get(other) == space for space, other in dual.items()), "a space is not the dual of its dual")
        need({*traits} <= {*TRAITS}, f"nothing is known of {traits}")
        self.dual, self.traits, self.assumed = dual, {*traits}, [*traits]
        self.letters, self.value, self.lines = dict[str, Letter](), dict[str, Poly](), dict[int, Poly]()

    def collect(self, terms: Iterable[tuple[Word, int | Fraction]]) -> Poly:
        """The sum of terms; numbers stand in front."""
        found: Poly = {}
        for word, c in terms:
            numbers = sorted(x for x in word if self.letters[x].kind == "number")
            key = (*numbers, *(x for x in word if x not in numbers)) if numbers else word
            found[key] = found.get(key, 0) + c
        return {word: c for word, c in found.items() if c}

    def minus(self, p: Poly, *parts: Poly) -> Poly:
        """The difference."""
        return self.collect((w, sign * c) for sign, q in ((1, p), *((-1, q) for q in parts)) for w, c in q.items())

    def times(self, *factors: Poly) -> Poly:
        """The product."""
        found: Poly = {(): 1}
        for p in factors:
            found = self.collect((v + w, c * d) for v, c in found.items() for w, d in p.items())
        return found

    def adjoint(self, p: Poly) -> Poly:
        """The adjoint: words backwards, letters starred."""
        return self.collect((tuple(self.letters[x].star for x in reversed(word)), c) for word, c in p.items())

    def read(self, formula: Data) -> Poly:
        """The polynomial of a formula: names stand for what they were declared as."""
        listed = {formula: "1"} if isinstance(formula, str) else formula
        terms = ((self.times(*map(self.value.__getitem__, word.split())), c) for word, c in listed.items())
        return self.collect((w, d * (Fraction(c) if "/" in c else int(c))) for p, c in terms for w, d in p.items())

    def typed(self, p: Poly) -> tuple[str, str]:
        """The spaces that a polynomial joins: those of each of its words; I stands in a square place alone."""
        rows = [[one for x in word if (one := self.letters[x]).kind != "number"] for word in p]
        need(all(x.of == y.to for row in rows for x, y in pairwise(row)), f"ill-typed: {[*p]}")
        found = {(row[0].to, row[-1].of) for row in rows if row} or {("one", "one")}
        need(p and len(found) == 1 and (all(rows) or all(to == of for to, of in found)), f"terms of types {found}")
        return found.pop()

    def then(self, first: Shape, second: Shape) -> Shape:
        """The shape of a product: of two ways up from one body the shorter is a part of the longer."""
        (a, b, c, d), (e, f, g, h) = first, second
        a, b, c, d = a + max(0, e - d), b + max(0, f - c), g + max(0, c - f), h + max(0, d - e)
        return (max(0, a - d), max(0, b - c), max(0, c - b), max(0, d - a)) if "serial" in self.traits else (a, b, c, d)

    def shape(self, *words: Word) -> Shape:
        """The shape of a sum of words."""
        a, b, c, d = zip(*(reduce(self.then, (self.letters[x].shape for x in w), BLOCKS) for w in words), strict=True)
        return min(a), max(b), min(c), max(d)

    def within(self, p: Poly, blocks: Shape) -> bool:
        """Whether a polynomial has blocks only where a shape has some."""
        (a, b, c, d), (e, f, g, h) = self.shape(*p), blocks
        return e <= a and b <= f and g <= c and d <= h

    def returns(self, before: Poly, behind: Poly) -> bool:
        """Whether what stands before leads from each body to one, and what stands behind back to it."""
        (a, b, c, d), back = self.shape(*before), self.shape(*behind)
        return (a, c) == (b, d) and back == (c, d, a, b) and (c == 0 or "serial" in self.traits)

    def asks(self, p: Poly) -> Iterator[tuple[str, Shape]]:
        """Rows of which unknowns a row of a polynomial asks for, and how far away they are."""
        for word in p:
            for k, x in enumerate(word):
                letter, way = self.letters[x], self.shape(word[:k])
                if letter.kind.startswith("unknown"):
                    yield x.rstrip("'"), way if x == x.rstrip("'") or letter.shape == BLOCKS else SHAPES["full"]
                else:
                    inner = self.asks(self.value.get(f"°{x}", {}))
                    yield from ((unknown, self.then(self.then(way, letter.shape), other)) for unknown, other in inner)

    def declare(self, name: str, kind: str, *given: Data) -> None:
        """One declaration: of a letter, of what an unknown equals, or of what a name stands for."""
        need(name.strip("'°").split() == [name], f"{name!r} cannot be a name")
        need(kind == "equals" or name not in self.value, f"{name} is declared twice")
        if kind in GIVEN:
            to, of, blocks, *flags = given
            need(flags in ([], ["symmetric"]) and blocks == FIXED.get(kind, blocks), f"{name} cannot be {kind} {given}")
            need(kind != "number" or (to == of == "one" and flags), f"{name} cannot be {kind} {given}")
            self.enter(name, Letter(kind, to, of, name if flags else f"{name}'", SHAPES[blocks]), {})
            return
        body = self.read(given[0])
        (to, of), (_, up, _, down), turned = self.typed(body), self.shape(*body), self.adjoint(body)
        star = name if turned == body else f"{name}'"
        if kind == "define":
            self.value |= {name: body, f"{name}'": turned}
        elif kind == "equals":
            own, asked = self.letters[name], {*self.asks(body)}
            need(own.kind == "unknown" and f"°{name}" not in self.value, f"{name} is no unknown without an equation")
            same = (to, of) == (own.to, own.of) and own.star in (star, f"{name}'") and self.within(body, own.shape)
            need(same, f"{name} is not like its equation")
            need(all(x == name or f"°{x}" in self.value for x, _ in asked), f"the equation of {name} speaks of {asked}")
            need(one_way([way for x, way in asked if x == name]), f"the equation of {name} is not causal")
            self.value |= {f"°{own.star}": turned, f"°{name}": body}
        elif kind == "inverse":
            rest = self.minus(body, {(): 1}, self.total(given[1:], {}, "sum"))
            self.assumed += [] if one_way([self.shape(word) for word in rest]) else [f"{name} exists"]
            self.enter(name, Letter(kind, of, to, star, (0, up and inf, 0, down and inf)), body)
        elif kind == "diag":
            self.enter(name, Letter(kind, to, of, star, BLOCKS), body)
        else:
            fits = {"own": True, "root": up == down == 0 and turned == body, **dict.fromkeys(FUNCTIONS, of == "one")}
            need(fits.get(kind), f"{name} cannot be {kind}")
            self.assumed += [f"{name} exists"] if kind == "root" else []
            self.enter(name, Letter(kind, given[1], given[2], f"{name}'", BLOCKS), body)

    def enter(self, name: str, letter: Letter, body: Poly) -> None:
        """A new letter, and its adjoint unless it is its own."""
        kind, to, of, star, shape = letter
        need({to, of} <= self.dual.keys() and (star != name or to == self.dual[of]), f"the spaces of {name}")
        self.letters[star] = Letter(f"{kind}'", self.dual[of], self.dual[to], name, shape[2:] + shape[:2])
        self.letters[name] = letter
        self.value |= {x: {(x,): 1} for x in (star, name)}
        self.value |= {f"°{star}": self.adjoint(body), f"°{name}": body} if body else {}

    def fact(self, ref: Data) -> Poly:
        """A line by its number, the adjoint of a fact, or one of FACTS for the names that are given."""
        if isinstance(ref, int):
            return self.lines[ref]
        if ref[0] == "'":
            return self.adjoint(self.fact(ref[1]))
        kinds, like, zero, traits = FACTS[ref[0]]
        need(not traits or self.traits.intersection(traits), f"{ref} is no fact here")
        for kind, name in zip(kinds.split(), ref[1:], strict=True):
            need(self.value[name] if kind == "any" else self.letters[name].kind == kind, f"{name} is no {kind}")
        names = str.maketrans(dict(zip("abcd", ref[1:], strict=False)))
        same = ((self.read(x.translate(names)), self.read(y.translate(names))) for x, y in like.items())
        need(all(x == y for x, y in same), f"{ref} does not fit")
        need(ref[0] != "scalar" or self.typed(self.read(ref[1])) == ("one", "one"), f"{ref} is no number")
        return self.collect(term for word, c in zero.items() for term in self.read({word.translate(names): c}).items())

    def total(self, terms: Data, line: Poly, rule: str) -> Poly:
        """The sum of multiples of facts, where that is causal of the line itself, and in diagonals of diag(X) − X."""
        found, again = list[tuple[Word, int | Fraction]](), list[Shape]()
        for c, left, ref, right in terms:
            before, behind, fact = self.read({left: c}), self.read(right), line
            if ref == "itself":
                again.append(self.shape(*before))
            elif isinstance(ref, str):  # diag(X) is X on a way to one body and back
                need(rule == "diag" == self.letters[ref].kind.strip("'"), f"{ref} is no diagonal in another")
                need(self.returns(before, behind), f"{ref} stands on no way to a body and back")
                fact = self.minus(self.read(ref), self.value[f"°{ref}"])
            else:
                fact = self.fact(ref)
            part = self.times(before, fact, behind)
            found += part.items() if self.typed(part) else ()
        need(one_way(again), f"{again} is not causal")
        return self.collect(found)

    def follows(self, line: Poly, rule: str, terms: Data) -> bool:
        """Whether a line, its block diagonal, or what it is the value of a function at, is such a sum."""
        total = self.total(terms, line, rule)
        if rule == "sum" or not self.typed(line):
            return line == total
        if rule == "diag":
            rest = [self.shape(word) for word in self.minus(line, total)]
            more = rest or any(isinstance(ref, str) and ref != "itself" for _, _, ref, _ in terms)
            return bool(more) and self.within(line, BLOCKS) and all(b < c or d < a for a, b, c, d in rest)
        kinds = [[x.kind for x in map(self.letters.__getitem__, word) if x.kind != "number"] for word in line]
        values = (self.times({word[:-1]: c}, self.value[f"°{word[-1]}"]) for word, c in line.items())
        value = self.collect(term for p in values for term in p.items())
        return rule in FUNCTIONS and all(found == [rule] for found in kinds) and value == total


def check(certificate: Data) -> dict[str, Data]:
    """What a certificate proves, and what that rests on; `Refused` says why it proves nothing."""
    try:
        told = {key: certificate[key] for key in ("spaces", "traits", "declare", "claim")}
        book, line = Book(told["spaces"], told["traits"]), dict[Word, int | Fraction]()
        for declaration in told["declare"]:
            book.declare(*declaration)
        for number, (stated, rule, *terms) in enumerate(certificate["lines"]):
            line = book.read(stated)
            need(book.follows(line, rule, terms), f"{stated} does not follow")
            book.lines[number] = line
        lhs, rhs, *blocks = told["claim"]
        left = book.minus(book.read(lhs), book.read(rhs), line)
        good = not left or (blocks and book.typed(left) and book.within(left, SHAPES[blocks[0]]))
        need(good, f"the last line is not the claim, without {left}")
        digest = sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
        return {"claim": told["claim"], "sha256": digest, "assumed": book.assumed, "lines": len(book.lines)}
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise Refused(f"not a certificate: {type(error).__name__}: {error}") from None


def main(path: str) -> int:
    """Check one file: say what is proved, or why nothing is."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        need(found["format"] == FORMAT and found["proofs"], "unknown format")
        sys.stdout.writelines([f"PROVED  {json.dumps(check(one), ensure_ascii=False)}\n" for one in found["proofs"]])
    except (Refused, KeyError, ValueError, TypeError) as error:
        sys.stdout.write(f"REFUSED  {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
