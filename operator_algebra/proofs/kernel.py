"""The checker of proofs: it believes declarations and the facts listed here, and computes every line anew.

`python operator_algebra/proofs/kernel.py FILE` shares nothing with the package that wrote the file. A formula is a sum
of words, {"H phi M phi' H'": "1", …}, where ' is the adjoint and what stands behind a word its coefficient. A line of a
proof, [formula, [coefficient, word, fact, word], …], is a formula that is zero, being that sum of multiples of facts.
docs/explain/proofs.md has the argument.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise, product
from math import inf, prod
from typing import Any

FORMAT = "operator-algebra proof 5"
Refused = (ValueError, LookupError, TypeError, ArithmeticError, AttributeError, RecursionError)
Data = Any  # what JSON holds
Word = tuple[str, ...]
Poly = dict[Word, int | Fraction]
Shape = tuple[float, float, float, float]  # (a, b, c, d) of blocks (i, j): i climbs a to b edges, j c to d, to one body
SHAPES: dict[str, Shape] = {"diagonal": (0, 0, 0, 0), "full": (0, inf, 0, inf)}
SHAPES |= {"inward": (0, 0, 0, inf), "inward strict": (0, 0, 1, inf), "inward hop": (0, 0, 1, 1)}
SHAPES |= {"outward": (0, inf, 0, 0), "outward strict": (1, inf, 0, 0), "outward hop": (1, 1, 0, 0)}
DIAGONAL, *STRICT = (SHAPES[name] for name in ("diagonal", "inward strict", "outward strict"))
GIVEN = {"leaf": "", "unknown": "", "rigid": "inward hop", "joint": "diagonal", "joint-rate": "diagonal"}
FUNCTIONS = ("cross", "spin", "crossbar")
NUMBER = ("one", "one")
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
TRAITS = {"serial"}.union(*(traits for *_, traits in FACTS.values()))


def need(good: object, what: object) -> None:
    """Refuse the certificate unless something holds."""
    if not good:
        raise ValueError(what)


class Book:
    """What a certificate has declared, and what it has proved so far."""

    def __init__(self, dual: dict[str, str], traits: list[str]) -> None:
        need(all(dual.get(other) == space for space, other in dual.items()), "a space is not the dual of its dual")
        need(TRAITS.issuperset(traits), f"nothing is known of {traits}")
        self.dual, self.traits, self.assumed, self.lines = dual, {*traits}, [*traits], dict[int, Poly]()
        self.kind, self.star, self.value = dict[str, str](), dict[str, str](), dict[str, Poly]()
        self.spaces, self.blocks, self.asks = dict[str, tuple[str, str]](), dict[str, Shape](), dict[str, list[Word]]()

    def sum(self, *terms: Data) -> Poly:
        """The sum of products [c, p, q, …]; numbers stand in front."""
        found: Poly = {}
        for c, *factors in terms:
            for parts in product(*(p.items() for p in factors)):
                letters = (x for part, _ in parts for x in part)
                word = tuple(sorted(letters, key=lambda x: x if self.spaces[x] == NUMBER else "~"))
                found[word] = found.get(word, 0) + prod((d for _, d in parts), start=c)
        return {word: c for word, c in found.items() if c}

    def adjoint(self, p: Poly) -> Poly:
        """The adjoint: words backwards, letters starred."""
        return self.sum(*((c, {tuple(self.star[x] for x in reversed(word)): 1}) for word, c in p.items()))

    def read(self, formula: Data, names: dict[int, str] | None = None) -> Poly:
        """The polynomial of a formula: names stand for what they were declared as."""
        told = ({formula: "1"} if isinstance(formula, str) else formula).items()
        terms = ((Fraction(c) if "/" in c else int(c), word.translate(names or {}).split()) for word, c in told)
        return self.sum(*((c, *(self.value[x] for x in word)) for c, word in terms))

    def typed(self, p: Poly) -> tuple[str, str]:
        """The spaces that a polynomial joins: those of each of its words; I stands in a square place alone."""
        rows = [[self.spaces[x] for x in word if self.spaces[x] != NUMBER] for word in p]
        found = {(row[0][0], row[-1][1]) for row in rows if row} or {NUMBER}
        fit = all(of == to for row in rows for (_, of), (to, _) in pairwise(row)) and len(found) == 1
        need(p and fit and (all(rows) or all(to == of for to, of in found)), f"ill-typed: {[*p]}")
        return found.pop()

    def shape(self, words: Poly | list[Word]) -> Shape:
        """The shape of a sum of words: of two ways up from one body the shorter is a part of the longer."""
        found = list[Shape]()
        for word in words:
            a, b, c, d = DIAGONAL
            for e, f, g, h in (self.blocks[x] for x in word):
                a, b, c, d = a + max(0, e - d), b + max(0, f - c), g + max(0, c - f), h + max(0, d - e)
                if "serial" in self.traits:
                    a, b, c, d = max(0, a - d), max(0, b - c), max(0, c - b), max(0, d - a)
            found.append((a, b, c, d))
        a, b, c, d = zip(*found, strict=True)
        return min(a), max(b), min(c), max(d)

    def within(self, words: Poly | list[Word], *wholes: Shape) -> bool:
        """Whether words have blocks only where one of some shapes has."""
        found = [self.shape([word]) for word in words]
        return any(all(a <= e and f <= b and c <= g and h <= d for e, f, g, h in found) for a, b, c, d in wholes)

    def asked(self, p: Poly) -> list[Word]:
        """The ways from a row of a polynomial to the rows of the unknown that it asks for."""
        return [word[:k] + way for word in p for k, x in enumerate(word) for way in self.asks.get(x, ())]

    def declare(self, name: str, kind: str, *given: Data) -> None:
        """One declaration: of a letter, of what an unknown equals, or of what a name stands for."""
        new = name.strip("'°").split() == [name] and (name in self.value) == (kind == "equals")
        need(new, f"{name!r} is no new name")
        if kind in GIVEN:
            to, of, blocks, *flags = given
            need(flags in ([], ["symmetric"]) and blocks == (GIVEN[kind] or blocks), f"{name} cannot be {kind} {given}")
            self.enter(name, kind, to, of, name if flags else f"{name}'", SHAPES[blocks])
            if kind == "unknown":
                need(not self.asks, f"{[*self.asks]} has no equation yet")
                self.asks[f"{name}'"], self.asks[name] = [(f"{name}'",)], [()]
            return
        body = self.read(given[0])
        spaces, (_, up, _, down), turned = self.typed(body), self.shape(body), self.adjoint(body)
        if kind == "define":
            self.value |= {name: body, f"{name}'": turned}
        elif kind == "equals":
            like = spaces == self.spaces[name] and (turned == body or self.star[name] != name)
            like = like and self.kind[name] == "unknown" and name in self.asks and self.within(body, self.blocks[name])
            need(like, f"{name} is no unknown like its equation")
            need(self.within(self.asked(body), *STRICT), f"the equation of {name} is not causal")
            self.value |= {f"°{self.star[name]}": turned, f"°{name}": body}
            self.asks = {}
        else:
            to, of, *shown = given[1:]
            fits = {"inverse": spaces == (of, to), "diag": spaces == (to, of), "own": True}
            fits |= {"root": turned == body and up == down == 0, **dict.fromkeys(FUNCTIONS, spaces[1] == "one")}
            need(fits.get(kind), f"{name} cannot be {kind}")
            rest = self.sum((1, body), (-1, {(): 1}), (-1, self.total(shown, {})))
            sure = kind != "root" and (kind != "inverse" or self.within(rest, *STRICT))
            self.assumed += [] if sure else [f"{name} exists"]
            star = name if turned == body and kind in ("inverse", "diag") else f"{name}'"
            shape = (0, up and inf, 0, down and inf) if kind == "inverse" else DIAGONAL
            self.enter(name, kind, to, of, star, shape)
            self.value |= {f"°{star}": turned, f"°{name}": body}
            for x in (star, name) if self.asked(body) else ():
                self.asks[x] = [(x, *way) for way in self.asked(self.value[f"°{x}"])]

    def enter(self, name: str, kind: str, to: str, of: str, star: str, shape: Shape) -> None:
        """A new letter, and its adjoint unless it is its own."""
        need({to, of} <= self.dual.keys() and (star != name or to == self.dual[of]), f"the spaces of {name}")
        self.kind |= {star: kind, name: kind}
        self.star |= {star: name, name: star}
        self.spaces |= {star: (self.dual[of], self.dual[to]), name: (to, of)}
        self.blocks |= {star: shape[2:] + shape[:2], name: shape}
        self.value |= {star: {(star,): 1}, name: {(name,): 1}}

    def fact(self, ref: Data) -> Poly:
        """A line by its number, the adjoint of a fact, values of a function at what is zero, or one of FACTS."""
        if isinstance(ref, int):
            return self.lines[ref]
        rule, *given = ref
        if rule == "'":
            return self.adjoint(self.fact(*given))
        if rule in FUNCTIONS:
            p = self.read(given[0])
            values = all(self.kind[word[-1]] == rule and {*map(self.spaces.get, word[:-1])} <= {NUMBER} for word in p)
            at = self.sum(*((c, {word[:-1]: 1}, self.value[f"°{word[-1]}"]) for word, c in p.items()))
            need(values and at == self.total(given[1:], {}), f"{ref} does not fit")
            return p
        kinds, like, zero, traits = FACTS[rule]
        fits = all(kind in ("any", self.kind.get(name)) for kind, name in zip(kinds.split(), given, strict=True))
        names = str.maketrans(dict(zip("abcd", given, strict=False)))
        fits = fits and all(self.read(x, names) == self.read(y, names) for x, y in like.items())
        fits = fits and (rule != "scalar" or self.typed(self.read(*given)) == NUMBER)
        need(fits and (not traits or self.traits.intersection(traits)), f"{ref} is no fact here")
        return self.read(zero, names)

    def hollow(self, before: Poly, ref: str, behind: Poly) -> bool:
        """Whether u v joins no body with one of its depth; or u leads to one body and v back, around diag(X) − X."""
        (a, b, c, d), back = self.shape(self.sum((1, before, behind)) if ref == "apart" else before), self.shape(behind)
        one = (a, c, *back) == (b, d, c, d, a, b) and (c == 0 or "serial" in self.traits)
        return b < c or d < a if ref == "apart" else one and self.kind[ref] == "diag"

    def total(self, terms: Data, line: Poly) -> Poly:
        """A sum of multiples of facts; of the line itself, if causal; of what has no diagonal, if the line is one."""
        parts, ways = list[Poly](), list[Word]()
        for c, left, ref, right in terms:
            before, behind = self.read({left: c}), self.read(right)
            if ref == "itself":
                fact, ways = line, [*ways, *before]
            elif isinstance(ref, str):
                good = line and self.within(line, DIAGONAL) and self.hollow(before, ref, behind)
                need(good, f"{left} {ref} {right} may have a diagonal")
                fact = {(): 1} if ref == "apart" else self.sum((1, self.value[ref]), (-1, self.value[f"°{ref}"]))
            else:
                fact = self.fact(ref)
            parts.append(self.sum((1, before, fact, behind)))
            self.typed(parts[-1])
        need(self.within(ways, *STRICT), f"{ways} is not causal")
        return self.sum(*((1, part) for part in parts))


def check(certificate: Data) -> dict[str, Data]:
    """What a certificate proves, and what that rests on; `Refused` says why it proves nothing."""
    told = {key: certificate[key] for key in ("spaces", "traits", "declare", "claim")}
    book, line = Book(told["spaces"], told["traits"]), dict[Word, int | Fraction]()
    for declaration in told["declare"]:
        book.declare(*declaration)
    for number, (stated, *terms) in enumerate(certificate["lines"]):
        line = book.read(stated)
        need(line == book.total(terms, line), f"{stated} does not follow")
        book.lines[number] = line
    lhs, rhs, *blocks = told["claim"]
    left = book.sum((1, book.read(lhs)), (-1, book.read(rhs)), (-1, line))
    good = not left or (book.within(left, *map(SHAPES.__getitem__, blocks)) and book.typed(left))
    need(good, f"the last line is not the claim, without {left}")
    digest = sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    return {"claim": told["claim"], "sha256": digest, "assumed": book.assumed, "lines": len(book.lines)}


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as opened:
            told = json.load(opened)
        need(told["format"] == FORMAT and told["proofs"], "unknown format")
        sys.stdout.writelines([f"PROVED  {json.dumps(check(one), ensure_ascii=False)}\n" for one in told["proofs"]])
    except Refused as refused:
        sys.stdout.write(f"REFUSED  {type(refused).__name__}: {refused}\n")
        sys.exit(1)
