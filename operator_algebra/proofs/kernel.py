"""The checker of proofs: it derives every axiom from what a certificate declares, and computes every line anew.

`python operator_algebra/proofs/kernel.py FILE` shares nothing with the package that wrote the file. A word is a row of
letters, "H phi M phi' H'", where ' is the adjoint; a polynomial gives words rational coefficients; every axiom and line
is a polynomial that is zero.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

FORMAT = "operator-algebra proof 1"
Word = tuple[str, ...]
Poly = dict[Word, Fraction]
Data = Any  # what JSON holds; a formula is a word, ["+", …], ["*", …], ["'", x] or [number, x]
I: Poly = {(): Fraction(1)}
ONE_WAY = ("diagonal", "inward", "outward")
TURNED = {"inward": "outward", "outward": "inward", "column": "row", "row": "column"}
FLOWS = {*ONE_WAY, "related", "full", "column", "row", "small"}
DECLARED = {"hop", "strict", "unit", "symmetric", "semidefinite", "definite", "onto", "invertible"}
FLAGS = {*DECLARED, "rigid", "joint", "joint-rate"}
TRAITS = {
    "serial": "no body carries two others",
    "1-DOF": "joints have one degree of freedom",
    "constant joint maps": "joint maps are constant in the axes of the body, and joint motions closed under brackets",
    "revolute": "joints turn about an axis through the origin of the body",
}


class Refused(Exception):
    """What is wrong with a certificate."""


class Shape(NamedTuple):
    """Which bodies a matrix of blocks joins, and whether its diagonal is zero or the identity."""

    flow: str
    strict: bool = False
    unit: bool = False
    hop: bool = False


class Letter(NamedTuple):
    """A letter; `body` is what it is the inverse, root, diagonal … of, `inside` all that this is made of."""

    kind: str
    to: str
    of: str
    shape: Shape
    body: Poly
    inside: frozenset[str]


def need(good: object, what: str) -> None:
    """Refuse the certificate unless something holds."""
    if not good:
        raise Refused(what)


def added(terms: Iterable[tuple[Word, Fraction]]) -> Poly:
    """The sum of terms."""
    total: Poly = {}
    for word, c in terms:
        total[word] = total.get(word, Fraction(0)) + c
    return {word: c for word, c in total.items() if c}


def less(p: Poly, q: Poly) -> Poly:
    """The difference p − q."""
    return added([*p.items(), *((word, -c) for word, c in q.items())])


def power(*letters: str) -> Poly:
    """The polynomial of one word."""
    return {letters: Fraction(1)}


class Book:
    """What a certificate has declared so far: letters, abbreviations, axioms."""

    def __init__(self, dual: dict[str, str], traits: list[str]) -> None:
        need(all(dual.get(other) == space for space, other in dual.items()), "a space is not the dual of its dual")
        need(set(traits) <= TRAITS.keys(), f"unknown traits {traits}")
        self.dual, self.letters, self.star, self.used = dual, dict[str, Letter](), dict[str, str](), set[str]()
        self.defined, self.axioms, self.made = dict[str, Poly](), dict[str, Poly](), dict[Data, str]()
        self.closing = {("inward", "outward"), *([("outward", "inward")] if "serial" in traits else [])}
        self.assumed, self.traits, self.rigid, self.joints = [TRAITS[x] for x in traits], traits, set[str](), set[str]()

    def number(self, x: str) -> bool:
        """Whether a letter commutes with everything."""
        return self.letters[x].kind == "number"

    def word(self, *letters: str) -> Word:
        """Letters in a row, numbers in front."""
        return tuple(sorted(letters, key=lambda x: (not self.number(x), self.number(x) and x)))

    def times(self, *factors: Poly) -> Poly:
        """The product."""
        total = I
        for p in factors:
            total = added((self.word(*v, *w), c * d) for v, c in total.items() for w, d in p.items())
        return total

    def adjoint(self, p: Poly) -> Poly:
        """The adjoint: words backwards, letters starred."""
        return {self.word(*(self.star[x] for x in reversed(w))): c for w, c in p.items()}

    def read(self, formula: Data) -> Poly:
        """The polynomial of a word, ["+", …], ["*", …], ["'", x] or [number, x]; abbreviations are written out."""
        if isinstance(formula, str):
            return self.times(*map(self.value, formula.split()))
        head, parts = formula[0], [self.read(part) for part in formula[1:]]
        if head in ("+", "*"):
            return self.times(*parts) if head == "*" else added(term for p in parts for term in p.items())
        (part,) = parts
        return self.adjoint(part) if head == "'" else self.times({(): Fraction(head)}, part)

    def value(self, x: str) -> Poly:
        """What one name stands for."""
        self.used.add(x.rstrip("'"))
        need(x in self.star or x.removesuffix("'") in self.defined, f"unknown letter {x}")
        found = power(x) if x in self.star else self.defined.get(x)
        return self.adjoint(self.defined[x[:-1]]) if found is None else found

    def typed(self, p: Poly) -> tuple[str, str]:
        """The spaces that a polynomial joins: those of each of its words; I stands in a square place alone."""
        rows = [[self.letters[x] for x in w if not self.number(x)] for w in p]
        need(all(a.of == b.to for row in rows for a, b in pairwise(row)), f"ill-typed: {p}")
        found = {(row[0].to, row[-1].of) for row in rows if row}
        need(len(found) == 1 and (all(rows) or all(to == of for to, of in found)), f"terms of types {found}")
        return found.pop()

    def shape(self, word: Word) -> Shape:
        """The shape of a word: a hop, blocks, and a hop back are block-diagonal, for every body has one parent."""
        parts: list[Shape] = []
        for part in (self.letters[x].shape for x in word if not self.number(x)):
            start = next((k for k in range(len(parts), 0, -1) if parts[k - 1].flow != "diagonal"), 0)
            closed = start and part.hop and parts[start - 1].hop and (parts[start - 1].flow, part.flow) in self.closing
            parts[start - 1 if closed else len(parts) :] = [Shape("diagonal") if closed else part]
        flows = {part.flow for part in parts} - {"diagonal"} or {"diagonal"}
        if len(flows) > 1 or not flows.issubset(ONE_WAY):
            return Shape("full")
        moving = [part for part in parts if part.flow != "diagonal"]
        hop = len(moving) == 1 and moving[0].hop
        return Shape(flows.pop(), any(part.strict for part in parts), all(part.unit for part in parts), hop)

    def whole(self, p: Poly) -> Shape:
        """The shape of a polynomial."""
        shapes = [(c, self.shape(word)) for word, c in p.items()]
        flows = {shape.flow for _, shape in shapes} - {"diagonal"} or {"diagonal"}
        known = len(flows) == 1 and all(shape.strict or shape.unit for _, shape in shapes)
        diagonal = sum(c for c, shape in shapes if shape.unit) if known else None
        hop = diagonal == 0 and all(shape.hop for _, shape in shapes)
        return Shape(flows.pop() if len(flows) == 1 else "full", diagonal == 0, diagonal == 1, hop)

    def blocks(self, formula: Data, words: str) -> None:
        """The claim that a formula has blocks of a kind, "inward unit", which its letters say without any line."""
        flow, *flags = words.split()
        shape = self.whole(self.read(formula))
        known = {"strict": shape.strict, "unit": shape.unit, "hop": shape.hop}
        need(shape.flow == flow and all(known[flag] for flag in flags), f"{formula} is {shape}, not {words}")

    def asks(self, p: Poly, name: str) -> set[str]:
        """Where rows of p ask for rows of an unknown: at their own body, "diagonal", strictly on one side, anywhere."""
        found: set[str] = set()
        for word in p:
            for k, x in enumerate(word):
                own, before = self.letters[x], self.shape(word[:k])
                inner = {"full"} if own.kind == "unknown" else self.asks(own.body, name)
                inner = inner if name in own.inside else set[str]()
                if own.shape.flow != "diagonal" and inner - {own.shape.flow}:
                    inner = {"full"}
                if x.rstrip("'") == name:
                    inner = {"diagonal" if x == name or own.shape.flow == "diagonal" else "full"}
                passed = {before.flow} if before.strict and inner <= {"diagonal", before.flow} else {"full"}
                found |= inner if before.flow == "diagonal" or inner <= {before.flow} else passed
        return found

    def enter(self, kind: str, name: str, to: str, of: str, shape: Shape, body: Poly, symmetric: object) -> None:
        """A new letter, and its adjoint unless it is its own."""
        need(to in self.dual and of in self.dual and (not symmetric or to == self.dual[of]), f"the spaces of {name}")
        inside = frozenset(y for w in body for x in w for y in (x.rstrip("'"), *self.letters[x].inside))
        star = self.star[name] = name if symmetric else f"{name}'"
        turned, other = shape._replace(flow=TURNED.get(shape.flow, shape.flow)), self.adjoint(body)
        self.star[star] = name
        self.letters[star] = Letter(kind, self.dual[of], self.dual[to], turned, other, inside)
        self.letters[name] = Letter(kind, to, of, shape, body, inside)
        self.made |= {(kind, frozenset(other.items())): star, (kind, frozenset(body.items())): name}

    def declare(self, name: str, kind: str, *given: Data) -> None:
        """One declaration: what it names, and what follows from it."""
        need(name.strip("'") == name and len(name.split()) == 1, f"{name!r} cannot be a name")
        need(kind == "equals" or (name not in self.star and name not in self.defined), f"{name} is declared twice")
        if kind in ("leaf", "unknown", "number", "own"):
            (self.own if kind == "own" else self.given)(name, kind, *given)
            return
        body, own = self.read(given[0]), power(name)
        (to, of), shape, symmetric = self.typed(body), self.whole(body), self.adjoint(body) == body
        if kind == "define":
            self.defined[name] = body
        elif kind == "equals":
            self.close(name, body, shape.flow)
        elif kind == "inverse":
            kept = Shape(shape.flow if shape.flow in ONE_WAY else "full", unit=shape.unit)
            self.enter(kind, name, of, to, kept, body, symmetric)
            for side, product in (("left", self.times(own, body)), ("right", self.times(body, own))):
                self.axioms[f"{name} {side}"] = less(product, I)
            rooted = [self.letters[x].kind for w in body for x in w] == ["root"]
            self.assumed += [] if shape.unit or rooted else [f"{name} exists"]
        elif kind == "root":
            need(shape.flow == "diagonal" and symmetric and self.dual.get(given[1]) == given[1], f"{name} is no root")
            self.enter(kind, name, to, given[1], Shape("diagonal"), body, symmetric=False)
            self.axioms[name] = less(power(name, f"{name}'"), body)
            self.assumed += [f"{name} exists"]
        else:
            diag = kind == "diag"
            need(diag or (kind in ("cross", "spin") and (to, of) == ("motion", "one")), f"unknown {kind} of {to}")
            self.enter(kind, name, to, of if diag else to, Shape("diagonal"), body, diag and symmetric)
            self.axioms |= {name: less(own, made)} if (made := self.apply(kind, body)) != own else {}

    def given(self, name: str, kind: str, to: str, of: str, words: str) -> None:
        """A letter that is made of no others: what is known of it is said in words, unless it has to be proved."""
        flow, *flags = words.split()
        shape = Shape(flow, "strict" in flags or "hop" in flags, "unit" in flags, "hop" in flags)
        need(flow in FLOWS and (FLAGS if kind == "leaf" else {"symmetric"}).issuperset(flags), f"{name} is {words}")
        need(not shape.hop or flow in ("inward", "outward"), f"{name}: a hop goes one way")
        need(not shape.unit or (to == of and not shape.strict), f"{name} cannot be unit")
        need(kind != "number" or (to, of, flags) == ("one", "one", ["symmetric"]), f"{name} is no number")
        self.rigid |= {name} if "rigid" in flags and shape.hop else set()
        self.joints |= {name} if "joint" in flags else set()
        self.enter(kind, name, to, of, shape, {}, "symmetric" in flags)
        if "joint-rate" in flags and {"constant joint maps", "revolute"}.intersection(self.traits):
            self.axioms[name] = power(name)

    def own(self, name: str, _kind: str, bracket: str) -> None:
        """The bracket with a motion of the joint, as it acts on motions of the joint: (H* w) H* = H* own."""
        ((v, c),) = self.letters[bracket].body.items()
        fits = "constant joint maps" in self.traits and c == 1 and self.letters[bracket].kind == "cross"
        need(fits and self.star[v[0]] in self.joints, f"{bracket} is no bracket with a motion of joints")
        space, body = self.letters[v[0]].of, power(bracket)
        self.enter("own", name, space, space, Shape("diagonal"), body, symmetric=False)
        self.axioms[name] = less(power(bracket, v[0]), power(v[0], name))
        self.used.add(bracket)

    def close(self, name: str, body: Poly, flow: str) -> None:
        """The equation of an unknown: it has one solution if every row asks for rows of one side alone."""
        own, other, symmetric = self.letters[name], self.adjoint(body), self.star[name] == name
        need(own.kind == "unknown" and not own.body and (own.to, own.of) == self.typed(body), f"{name} is no unknown")
        need(own.shape.flow not in ONE_WAY or flow in ("diagonal", own.shape.flow), f"the equation of {name} is {flow}")
        need(not symmetric or other == body, f"the equation of {name} is not symmetric")
        asked = [self.asks(p, name) for p in (body, other)]
        need(any(at <= {side} for at in asked for side in TURNED), f"the equation of {name} is not causal")
        self.enter(own.kind, name, own.to, own.of, own.shape, body, symmetric)
        self.axioms[name] = less(power(name), body)

    def apply(self, kind: str, p: Poly) -> Poly:
        """The block diagonal of a polynomial, or the bracket with it, word by word, in letters."""
        return added(term for w, c in p.items() for term in self.times({(): c}, self.of_word(kind, w)).items())

    def of_word(self, kind: str, word: Word) -> Poly:
        """The bracket or diagonal of a word: ends that are blocks come out, one-way words have that of their parts."""
        shape = self.shape(word)
        if word and self.number(word[0]):
            return self.times(power(word[0]), self.of_word(kind, word[1:]))
        if kind != "diag" or shape.flow == "diagonal":
            return self.letter(kind, word)
        if shape.strict or shape.unit:
            return {} if shape.strict else I
        for k in range(len(word) - 1, 0, -1):
            for left, right, core in ((word[:k], (), word[k:]), ((), word[-k:], word[:-k])):
                if self.shape(left + right).flow == "diagonal":
                    return self.times(power(*left), self.of_word(kind, core), power(*right))
        first, last = self.letters[word[0]].shape, self.letters[word[-1]].shape
        if shape.flow in ONE_WAY and first.unit:
            return self.of_word(kind, word[1:])
        if (first.flow, last.flow, first.hop, last.hop) == ("outward", "inward", True, True):
            made = self.times(power(word[0]), self.of_word(kind, word[1:-1]), power(word[-1]))
            return added((v, c * d) for w, c in made.items() for v, d in self.letter(kind, w).items())
        return self.letter(kind, word)

    def letter(self, kind: str, word: Word) -> Poly:
        """What was declared as the diagonal or the bracket of a word; what is block-diagonal is its own diagonal."""
        if kind == "diag" and self.shape(word).flow == "diagonal":
            return power(*word)
        name = self.made.get((kind, frozenset({(word, Fraction(1))})), "")
        need(name, f"{kind}({' '.join(word)}) has no letter")
        self.used.add(name.rstrip("'"))
        return power(name)

    def of_bracket(self, fact: str, name: str, other: str) -> Poly:
        """Brackets are skew, x y = −y x; derivations of each other; and kept by rigid shifts, (E* x) E* = E* x."""
        ((v, c),) = self.letters[name].body.items()
        need(self.letters[name].kind == "cross" and c == 1, f"{name} is no bracket of a word")
        if fact in ("alone", "turning"):
            traits = {"revolute", "1-DOF"} if fact == "alone" else {"revolute"}
            need(self.star[v[0]] in self.joints and traits.intersection(self.traits), fact)
            return power(name, v[0]) if fact == "alone" else less(power(name), self.letter("spin", v))
        if fact == "rigid":
            need(other in self.rigid, f"{other} is not rigid")
            shift = self.star[other]
            return less(self.times(self.letter("cross", (shift, *v)), power(shift)), power(shift, name))
        ((w, d),) = self.letters[other].body.items()
        need(self.letters[other].kind == "cross" and d == 1 and fact in ("skew", "jacobi"), f"{fact} of {other}")
        if fact == "skew":
            return added([((name, *w), c), ((other, *v), c)])
        return less(self.letter("cross", (name, *w)), less(power(name, other), power(other, name)))

    def fact(self, ref: Data, lines: list[Poly]) -> Poly:
        """A line by its number, an axiom by its name, what a number or brackets are, or ["'", ref], an adjoint."""
        if isinstance(ref, str):
            self.used.add(ref.partition(" ")[0])
            return self.axioms[ref]
        if isinstance(ref, int):
            need(0 <= ref < len(lines) and lines[ref], f"line {ref} is not there yet, or says nothing")
            return lines[ref]
        if ref[0] == "scalar":
            value = self.read(ref[1])
            need(self.typed(value) == ("one", "one"), f"{ref[1]} is no number")
            return less(value, self.adjoint(value))
        return self.adjoint(self.fact(ref[1], lines)) if ref[0] == "'" else self.of_bracket(*ref)

    def follows(self, rule: str, given: list[Data], lines: list[Poly]) -> Poly:
        """What a rule makes of earlier lines."""
        if rule == "unique":
            return self.unique(given[0], self.read(given[1]), self.fact(given[2], lines))
        if rule != "sum":
            return self.apply(rule, self.fact(given[0], lines))
        parts = [({(): Fraction(c)}, self.read(v), self.fact(ref, lines), self.read(w)) for c, v, ref, w in given]
        need(all(self.typed(self.times(*part)) for part in parts), "")
        return added(term for part in parts for term in self.times(*part).items())

    def unique(self, name: str, image: Poly, fact: Poly) -> Poly:
        """What satisfies the equation of an unknown is the unknown."""
        own = self.letters[name]
        need(own.kind == "unknown" and own.body and self.typed(image) == (own.to, own.of), f"{name} is not {image}")
        need(own.shape.flow in ("full", "column", self.whole(image).flow), f"{image} has other blocks than {name}")
        need(fact == less(image, self.put(own.body, name, image)), f"{image} does not satisfy the equation of {name}")
        return less(power(name), image)

    def put(self, p: Poly, name: str, image: Poly) -> Poly:
        """A polynomial with an unknown replaced, and letters made of it by those that are made of its image."""

        def of(x: str) -> Poly:
            if x.rstrip("'") == name:
                return image if x == name else self.adjoint(image)
            if name not in self.letters[x].inside:
                return power(x)
            content = frozenset(self.put(self.letters[x].body, name, image).items())
            return power(self.made[self.letters[x].kind, content])

        return added(term for w, c in p.items() for term in self.times({(): c}, *map(of, w)).items())


def check(certificate: Data) -> dict[str, Data]:
    """What a certificate proves, and what that rests on; `Refused` says why it proves nothing."""
    try:
        told = {key: certificate[key] for key in ("spaces", "traits", "declare", "claim")}
        book, lines = Book(told["spaces"], told["traits"]), list[Poly]()
        for declaration in told["declare"]:
            book.declare(*declaration)
        need(all(own.body for own in book.letters.values() if own.kind == "unknown"), "an unknown has no equation")
        if told["claim"][0] == "is":
            need(not certificate["lines"], "a claim about blocks has no lines")
            book.blocks(*told["claim"][1:])
        else:
            claim = less(*map(book.read, told["claim"]))
            for stated, rule, *given in certificate["lines"]:
                lines.append({book.word(*word.split()): Fraction(c) for word, c in stated.items()})
                need(book.follows(rule, given, lines[:-1]) == lines[-1], f"line {len(lines) - 1} does not follow")
            need(lines and lines[-1] == claim, "the last line is not the claim")
        book.used |= {x.rstrip("'") for p in lines for word in p for x in word}
        spare = {x.rstrip("'") for x in book.star} | book.defined.keys()
        need(spare <= book.used, f"declared and never used: {sorted(spare - book.used)}")
        digest = sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
        return {"claim": told["claim"], "sha256": digest, "assumed": book.assumed, "lines": len(lines)}
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
