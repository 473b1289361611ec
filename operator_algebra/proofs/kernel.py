"""The checker of proofs: it believes declarations and the facts listed here, and computes every line anew.

`python operator_algebra/proofs/kernel.py FILE` shares nothing with the package that wrote the file. A formula is a
word, "H phi M phi' H'", where ' is the adjoint, or a sum of terms [c, formula, …]: a number times a product. A line of
a proof is a sum of words that is zero. docs/explain/proofs.md has the argument.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import reduce
from hashlib import sha256
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

FORMAT = "operator-algebra proof 3"
Data = Any  # what JSON holds
Word = tuple[str, ...]
Poly = dict[Word, int | Fraction]
Shape = tuple[float, float, float, float]  # (a, b, c, d) of blocks (i, j): i climbs a to b edges, j c to d, to one body

# Letters a, b, … are the inverse, value, … of A, B, …: of what kinds they are, what must be the same, what is zero.
FACTS: dict[str, tuple[str, dict[str, Data], Data]] = {
    "left": ("inverse", {}, [(1, "a A"), (-1, "")]),
    "right": ("inverse", {}, [(1, "A a"), (-1, "")]),
    "root": ("root", {}, [(1, "a a'"), (-1, "A")]),
    "equation": ("unknown", {}, [(1, "a"), (-1, "A")]),
    "scalar": ("formula", {}, [(1, "A"), (-1, "A'")]),
    "skew": ("cross cross", {}, [(1, "a B"), (1, "b A")]),
    "known": ("cross crossbar", {}, [(1, "a' B"), (-1, "b A")]),
    "jacobi": ("cross cross cross", {"C": "a B"}, [(1, "c"), (-1, "a b"), (1, "b a")]),
    "rigid": ("rigid cross cross", {"C": "a' B"}, [(1, "c a'"), (-1, "a' b")]),
    "alone": ("joint cross formula", {"B": "a' C"}, [(1, "b a'")]),
    "turning": ("joint cross spin formula", {"B": "a' D", "C": "a' D"}, [(1, "b"), (-1, "c")]),
    "closed": ("joint cross own formula", {"B": "a' D", "C": "b"}, [(1, "b a'"), (-1, "a' c")]),
    "still": ("joint-rate", {}, [(1, "a")]),
}
TRAITS = {  # what each says, and the facts that need it
    "serial": ("no body carries two others", ()),
    "1-DOF": ("joints have one degree of freedom", ("alone",)),
    "constant joint maps": ("joint maps are constant in the axes of the body", ("still",)),
    "closed joints": ("brackets of motions of a joint are motions of the joint", ("closed",)),
    "revolute": ("joints turn about an axis through the origin of the body", ("alone", "turning", "still")),
}
GIVEN = ("leaf", "rigid", "joint", "joint-rate", "number", "unknown")
FUNCTIONS = ("cross", "spin", "crossbar")
BLOCKS, HOP, FULL = (0, 0, 0, 0), (0, 0, 1, 1), (0, inf, 0, inf)
SHAPES: dict[str, Shape] = {"diagonal": BLOCKS, "inward hop": HOP, "outward hop": (1, 1, 0, 0), "full": FULL}
SHAPES |= {"inward": (0, 0, 0, inf), "outward": (0, inf, 0, 0)}
SHAPES |= {"inward strict": (0, 0, 1, inf), "outward strict": (1, inf, 0, 0)}


class Refused(Exception):
    """What is wrong with a certificate."""


class Letter(NamedTuple):
    """A letter: `body` is what it is the inverse, value … of, `inside` all letters there, `rest` its shape less I."""

    kind: str
    to: str
    of: str
    star: str
    shape: Shape
    rest: Shape
    body: Poly
    inside: frozenset[str]


def need(good: object, what: object) -> None:
    """Refuse the certificate unless something holds."""
    if not good:
        raise Refused(what)


def total(terms: Iterable[tuple[Word, int | Fraction]]) -> Poly:
    """The sum of terms."""
    found: Poly = {}
    for word, c in terms:
        found[word] = found.get(word, 0) + c
    return {word: c for word, c in found.items() if c}


def linear(p: Poly, of: Callable[[Word], Poly]) -> Poly:
    """A polynomial with every word replaced."""
    return total((w, c * d) for word, c in p.items() for w, d in of(word).items())


def apart(shape: Shape) -> bool:
    """Whether no body is joined with one of its own depth: the diagonal is zero."""
    return shape[1] < shape[2] or shape[3] < shape[0]


class Book:
    """What a certificate has declared, and what it has proved so far."""

    def __init__(self, dual: dict[str, str], traits: list[str]) -> None:
        need(all(dual.get(other) == space for space, other in dual.items()), "a space is not the dual of its dual")
        self.dual, self.serial, self.assumed = dual, "serial" in traits, [TRAITS[x][0] for x in traits]
        special = {fact for _, facts in TRAITS.values() for fact in facts}
        self.facts = (FACTS.keys() - special).union(*(TRAITS[x][1] for x in traits))
        self.letters, self.value = dict[str, Letter](), dict[str, Poly]()
        self.open, self.used, self.lines = set[str](), set[str](), list[Poly]()

    def row(self, letters: Iterable[str]) -> Poly:
        """The polynomial of one word; numbers stand in front."""
        word = tuple(letters)
        numbers = [x for x in word if self.letters[x].kind == "number"]
        return {(*sorted(numbers), *(x for x in word if x not in numbers)) if numbers else word: 1}

    def times(self, *factors: Poly) -> Poly:
        """The product."""
        found: Poly = {(): 1}
        for p in factors:
            found = total((u, c * d) for v, c in found.items() for w, d in p.items() for u in self.row(v + w))
        return found

    def adjoint(self, p: Poly) -> Poly:
        """The adjoint: words backwards, letters starred."""
        return linear(p, lambda word: self.row(self.letters[x].star for x in reversed(word)))

    def read(self, formula: Data, value: dict[str, Poly] | None = None) -> Poly:
        """The polynomial of a formula, with values of its names, or what they were declared as."""
        if isinstance(formula, str):
            self.used.update(x.rstrip("'") for x in formula.split())
            return self.times(*((self.value if value is None else value)[x] for x in formula.split()))
        terms = ((Fraction(c) if "/" in str(c) else int(c), factors) for c, *factors in formula)
        parts = ((c, self.times(*(self.read(x, value) for x in factors))) for c, factors in terms)
        return total((word, c * d) for c, p in parts for word, d in p.items())

    def typed(self, p: Poly) -> tuple[str, str]:
        """The spaces that a polynomial joins: those of each of its words; I stands in a square place alone."""
        rows = [[one for x in word if (one := self.letters[x]).kind != "number"] for word in p]
        need(all(x.of == y.to for row in rows for x, y in pairwise(row)), f"ill-typed: {[*p]}")
        found = {(row[0].to, row[-1].of) for row in rows if row}
        need(len(found) == 1 and (all(rows) or all(to == of for to, of in found)), f"terms of types {found}")
        return found.pop()

    def then(self, first: Shape, second: Shape) -> Shape:
        """The shape of a product: of two ways up from one body the shorter is a part of the longer."""
        (a, b, c, d), (e, f, g, h) = first, second
        a, b, c, d = a + max(0, e - d), b + max(0, f - c), g + max(0, c - f), h + max(0, d - e)
        return (max(0, a - d), max(0, b - c), max(0, c - b), max(0, d - a)) if self.serial else (a, b, c, d)

    def shape(self, *words: Word) -> Shape:
        """The shape of a sum of words."""
        a, b, c, d = zip(*(reduce(self.then, (self.letters[x].shape for x in w), BLOCKS) for w in words), strict=True)
        return min(a), max(b), min(c), max(d)

    def within(self, p: Poly, shape: Shape) -> bool:
        """Whether a polynomial has blocks only where a shape has some."""
        (a, b, c, d), (e, f, g, h) = self.shape(*p), shape
        return e <= a and b <= f and g <= c and d <= h

    def diagonal(self, word: Word) -> Poly:
        """What has the same diagonal: a letter is I if its rest is apart, and diag(X) is X on a way and back again."""
        for k, x in enumerate(word):
            letter, before, behind = self.letters[x], word[:k], word[k + 1 :]
            (a, b, c, d), back = self.shape(before), self.shape(behind)
            if apart(self.then(self.then((a, b, c, d), letter.rest), back)):
                return self.diagonal(before + behind)
            if letter.kind == "diag" and (a, c) == (b, d) and back == (c, d, a, b) and (c == 0 or self.serial):
                return linear(self.times(self.row(before), letter.body, self.row(behind)), self.diagonal)
        return {} if apart(self.shape(word)) else self.row(word)

    def declare(self, name: str, kind: str, *given: Data) -> None:
        """One declaration: of a letter, of the equation of one, or of an abbreviation."""
        need(name.strip("'") == name and len(name.split()) == 1, f"{name!r} cannot be a name")
        need(kind == "equals" or name not in self.value, f"{name} is declared twice")
        if kind in GIVEN:
            to, of, blocks, *flags = given
            good = {"number": given == ("one", "one", "diagonal", "symmetric"), "rigid": blocks == "inward hop"}
            need(flags in ([], ["symmetric"]) and good.get(kind, True), f"{name} cannot be {kind} {given}")
            self.open |= {name} if kind == "unknown" else set()
            self.enter(name, kind, to, of, {}, SHAPES[blocks], own=bool(flags))
            return
        body = self.read(given[0])
        (to, of), (_, up, _, down), turned = self.typed(body), self.shape(*body), self.adjoint(body)
        if kind == "define":
            self.value |= {name: body, f"{name}'": turned}
        elif kind == "equals":
            self.close(name, body, turned)
        elif kind == "inverse":
            unit = 0 in (up, down) and linear(body, self.diagonal) == self.row(())
            of_root = [self.letters[x].kind for word in body for x in word] == ["root"]
            self.assumed += [] if unit or of_root else [f"{name} exists"]
            shape, rest = (0, up and inf, 0, down and inf), (up and 1, up and inf, down and 1, down and inf)
            self.enter(name, kind, of, to, body, shape, rest if unit else FULL, own=turned == body)
        elif kind == "diag":
            self.enter(name, kind, to, of, body, own=turned == body)
        else:
            self.assumed += [f"{name} exists"] if kind == "root" else []
            good = {"root": up == down == 0 and turned == body, "own": True}
            need(good.get(kind, kind in FUNCTIONS and of == "one"), f"{name} cannot be {kind}")
            self.enter(name, kind, given[1], given[2], body)

    def enter(self, name: str, kind: str, to: str, of: str, body: Poly, shape: Shape = BLOCKS, rest: Shape = FULL,
              *, own: bool = False) -> None:  # fmt: skip
        """A new letter, and its adjoint unless it is its own."""
        need({to, of} <= self.dual.keys() and (not own or to == self.dual[of]), f"the spaces of {name}")
        star, turned, less = name if own else f"{name}'", shape[2:] + shape[:2], rest[2:] + rest[:2]
        inside = frozenset({name, star}).union(*(self.letters[x].inside for word in body for x in word))
        adjoint = Letter(kind, self.dual[of], self.dual[to], name, turned, less, self.adjoint(body), inside)
        self.letters |= {star: adjoint, name: Letter(kind, to, of, star, shape, rest, body, inside)}
        self.value |= {star: self.row([star]), name: self.row([name])}

    def close(self, name: str, body: Poly, turned: Poly) -> None:
        """The equation of an unknown: it has one solution if every row asks for rows of one side alone."""
        own = self.letters[name]
        inside = own.inside.union(*(self.letters[x].inside for word in body for x in word))
        same = self.typed(body) == (own.to, own.of) and self.within(body, own.shape)
        need(name in self.open and same, f"{name} is no unknown like its equation, which is {self.shape(*body)}")
        need(own.star != name or turned == body, f"the equation of {name} is not symmetric")
        need(not inside & self.open - {name}, f"the equation of {name} speaks of {inside & self.open}")
        asked = [*self.asks(body, name)]
        causal = all(b == 0 < c for _, b, c, _ in asked) or all(d == 0 < a for a, _, _, d in asked)
        need(causal, f"the equation of {name} is not causal")
        self.open.remove(name)
        for x, p in ((own.star, turned), (name, body)):
            self.letters[x] = self.letters[x]._replace(body=p, inside=inside)

    def asks(self, p: Poly, name: str) -> Iterator[Shape]:
        """How far the rows of an unknown are that a row of a polynomial asks for."""
        for word in p:
            for k, x in enumerate(word):
                letter, way = self.letters[x], self.shape(word[:k])
                if x == name or (letter.star == name and letter.shape == BLOCKS):
                    yield way
                elif name in letter.inside:
                    further = [FULL] if letter.kind == "unknown" else self.asks(letter.body, name)
                    yield from (self.then(self.then(way, letter.shape), other) for other in further)

    def fact(self, ref: Data) -> Poly:
        """A line by its number, the adjoint of a fact, or a fact of FACTS with its letters and formulas."""
        if isinstance(ref, int):
            need(0 <= ref < len(self.lines) and self.lines[ref], f"line {ref} is not there yet, or says nothing")
            return self.lines[ref]
        if ref[0] == "'":
            return self.adjoint(self.fact(ref[1]))
        kinds, same, zero = FACTS[ref[0]]
        need(ref[0] in self.facts and len(kinds.split()) == len(ref) - 1, f"{ref} is no fact here")
        value: dict[str, Poly] = {}
        for place, kind, name in zip("abcd", kinds.split(), ref[1:], strict=False):
            letter = None if kind == "formula" else self.letters[name]
            need(letter is None or (letter.kind == kind and not name.endswith("'")), f"{name} is no {kind}")
            bound = {place.upper(): letter.body if letter else self.read(name)}
            bound |= {place: self.read(name)} if letter else {}
            value |= bound | {f"{x}'": self.adjoint(p) for x, p in bound.items()}
        need(ref[0] != "scalar" or self.typed(value["A"]) == ("one", "one"), f"{ref} is no number")
        need(all(value[x] == self.read(formula, value) for x, formula in same.items()), f"{ref} does not fit")
        return self.read(zero, value)

    def follows(self, line: Poly, rule: str, *given: Data) -> bool:
        """Whether a line is a sum of multiples of facts, the value of a function at one, or what an unknown is."""
        if rule == "sum":
            parts = [self.times(self.read([[c, x]]), self.fact(ref), self.read(y)) for c, x, ref, y in given]
            return all(map(self.typed, parts)) and line == total(term for p in parts for term in p.items())
        if rule == "unique":
            return line == self.unique(*given)
        need(line and rule in ("diag", *FUNCTIONS), f"{rule} says nothing")
        fact = self.fact(*given) if given else {}
        if rule == "diag":
            return self.within(line, BLOCKS) and linear(line, self.diagonal) == linear(fact, self.diagonal)
        values = all([self.letters[x].kind for x in w if self.letters[x].kind != "number"] == [rule] for w in line)
        return values and fact == linear(line, lambda w: self.times(self.row(w[:-1]), self.letters[w[-1]].body))

    def unique(self, name: str, formula: Data, ref: Data, renamed: dict[str, str]) -> Poly:
        """What satisfies the equation of an unknown is the unknown; letters made of it become those of its image."""
        own, image = self.letters[name], self.read(formula)
        value = {own.star: self.adjoint(image), name: image}

        def put(p: Poly) -> Poly:
            return linear(p, lambda word: self.times(*(value.get(x) or self.row([x]) for x in word)))

        for x, y in renamed.items():
            old, new = self.letters[x], self.letters[y]
            same = old.body and old.kind != "unknown" and (*old[:3], put(old.body)) == (*new[:3], new.body)
            need(same, f"{y} for {x}")
            value |= {old.star: self.row([new.star]), x: self.row([y])}
        need(
            all(x in value or name not in self.letters[x].inside for word in own.body for x in word),
            "more is made of it",
        )
        need(self.typed(image) == (own.to, own.of) and self.within(image, own.shape), f"{name} is not {formula}")
        need(self.fact(ref) == put(self.fact(["equation", name])), f"{formula} does not satisfy the equation of {name}")
        return self.read([[1, name], [-1, formula]])


def check(certificate: Data) -> dict[str, Data]:
    """What a certificate proves, and what that rests on; `Refused` says why it proves nothing."""
    try:
        told = {key: certificate[key] for key in ("spaces", "traits", "declare", "claim")}
        book, claim = Book(told["spaces"], told["traits"]), told["claim"]
        for declaration in told["declare"]:
            book.declare(*declaration)
        need(not book.open, f"without an equation: {book.open}")
        for stated, *reason in certificate["lines"]:
            line = book.read([[c, word] for word, c in stated.items()])
            need(book.follows(line, *reason) and (not line or book.typed(line)), f"{stated} does not follow")
            book.lines.append(line)
        if claim[0] == "is":
            p, blocks, unit = book.read(claim[1]), *claim[2].partition(" unit")[:2]
            good = book.within(p, SHAPES[blocks]) and (not unit or linear(p, book.diagonal) == book.row(()))
            need(good and not book.lines, f"{claim[1]} is {book.shape(*p)}, not {claim[2]}")
        else:
            lhs, rhs = claim
            need(book.lines and book.lines[-1] == book.read([[1, lhs], [-1, rhs]]), "the last line is not the claim")
        spare = {x.rstrip("'") for x in book.value} - book.used
        need(not spare, f"declared and never used: {spare}")
        digest = sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
        return {"claim": claim, "sha256": digest, "assumed": book.assumed, "lines": len(book.lines)}
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise Refused(f"not a certificate: {type(error).__name__}: {error}") from None


def main(path: str) -> int:
    """Check one file: say what is proved, or why nothing is."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        need(found["format"] == FORMAT and found["proofs"], "unknown format")
        code, told = 0, [f"PROVED  {json.dumps(check(one), ensure_ascii=False)}\n" for one in found["proofs"]]
    except (Refused, KeyError, ValueError, TypeError) as error:
        code, told = 1, [f"REFUSED  {error}\n"]
    sys.stdout.write("".join(told))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
