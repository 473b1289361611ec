"""The checker of proofs: it derives every axiom from what a certificate declares, and computes every line anew.

    python operator_algebra/proofs/kernel.py FILE

It shares nothing with the package that wrote the file. A word is a row of letters, "H phi M phi' H'", where ' is the
adjoint; a polynomial gives words rational coefficients; every axiom and every line is a polynomial that is zero.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from fractions import Fraction
from hashlib import sha256
from typing import Any, NamedTuple

Word = tuple[str, ...]
Poly = dict[Word, Fraction]
ONE = Fraction(1)


class Refused(Exception):  # noqa: N818
    """What is wrong with a certificate."""


class Shape(NamedTuple):
    """Which bodies a matrix of blocks joins, and what its diagonal is."""

    flow: str
    strict: bool = False
    unit: bool = False
    hop: bool = False


class Letter(NamedTuple):
    """What is known of a letter; `body` is the polynomial that it is the inverse, root, diagonal … of."""

    to: str
    of: str
    star: str
    shape: Shape
    kind: str = "leaf"
    body: Poly | None = None
    reads: frozenset[tuple[str, str]] = frozenset()


DIAGONAL, ONE_WAY = Shape("diagonal"), ("diagonal", "inward", "outward")
TURNED = {"inward": "outward", "outward": "inward", "column": "row", "row": "column"}
FLOWS = (*ONE_WAY, "related", "full", "column", "row", "small")
FLAGS = ("hop", "strict", "unit", "symmetric", "semidefinite", "definite", "onto", "invertible", "rigid")


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


def plus(p: Poly, q: Poly, c: Fraction = ONE) -> Poly:
    """The sum p + c q."""
    return added([*p.items(), *((word, c * d) for word, d in q.items())])


class Book:
    """What a certificate has declared so far: letters, abbreviations, axioms."""

    def __init__(self, spaces: dict[str, str], traits: list[str]) -> None:
        need(all(spaces.get(dual) == space for space, dual in spaces.items()), "a space is not the dual of its dual")
        need(set(traits) <= {"serial"}, f"unknown traits {traits}")
        self.dual, self.letters = spaces, dict[str, Letter]()
        self.defined, self.axioms = dict[str, Poly](), dict[str, Poly]()
        self.diagonals, self.unknown = dict[Word, str](), set[str]()
        self.brackets, self.rigid = dict[tuple[str, Word], str](), set[str]()
        self.assumed, self.used = [f"every body carries at most one other: {t}" for t in traits], set[str]()
        self.closing = {("inward", "outward"), *([("outward", "inward")] if traits else [])}

    # -- polynomials

    def word(self, *letters: str) -> Word:
        """Letters in a row; numbers, which commute with everything, stand in front."""
        numbers = sorted(x for x in letters if self.letters[x].kind == "number")
        return (*numbers, *(x for x in letters if self.letters[x].kind != "number"))

    def times(self, *factors: Poly) -> Poly:
        """The product."""
        total: Poly = {(): ONE}
        for p in factors:
            total = added((self.word(*v, *w), c * d) for v, c in total.items() for w, d in p.items())
        return total

    def adjoint(self, p: Poly) -> Poly:
        """The adjoint: words backwards, letters starred."""
        return {self.word(*(self.letters[x].star for x in reversed(w))): c for w, c in p.items()}

    def read(self, formula: Any) -> Poly:
        """The polynomial of a word, ["+", …], ["*", …], ["'", x] or [number, x]; abbreviations are written out."""
        if isinstance(formula, str):
            return self.times(*map(self.value, formula.split()))
        head, *parts = formula
        polys = [self.read(part) for part in parts]
        if head == "+":
            return added(term for p in polys for term in p.items())
        if head == "*":
            return self.times(*polys)
        need(len(polys) == 1, f"{head} takes one formula")
        return self.adjoint(polys[0]) if head == "'" else self.times({(): Fraction(head)}, polys[0])

    def value(self, name: str) -> Poly:
        """What one name stands for."""
        self.used.add(name.rstrip("'"))
        if name in self.defined:
            return self.defined[name]
        if name.endswith("'") and name[:-1] in self.defined:
            return self.adjoint(self.defined[name[:-1]])
        need(name in self.letters, f"unknown letter {name}")
        return {(name,): ONE}

    def typed(self, p: Poly) -> tuple[str, str]:
        """The spaces that a polynomial joins: those of each of its words; I stands in a square place alone."""
        found: set[tuple[str, str]] = set()
        for word in p:
            ends = [(own.to, own.of) for x in word if (own := self.letters[x]).kind != "number"]
            need(all(a[1] == b[0] for a, b in zip(ends, ends[1:], strict=False)), f"ill-typed: {' '.join(word)}")
            found |= {(ends[0][0], ends[-1][1])} if ends else set()
        need(len(found) == 1, f"the terms have types {sorted(found)}")
        ((to, of),) = found
        plain = all(any(self.letters[x].kind != "number" for x in word) for word in p)
        need(plain or to == of, "the identity between different spaces")
        return to, of

    # -- which blocks there are

    def shape(self, word: Word) -> Shape:
        """The shape of a word: a hop, blocks, and a hop back are block-diagonal, for every body has one parent."""
        parts: list[Shape] = []
        for part in (self.letters[x].shape for x in word if self.letters[x].kind != "number"):
            start = len(parts)
            while start and parts[start - 1].flow == "diagonal":
                start -= 1
            closed = start and part.hop and parts[start - 1].hop and (parts[start - 1].flow, part.flow) in self.closing
            parts[start - 1 if closed else len(parts) :] = [DIAGONAL if closed else part]
        flows = [part.flow for part in parts if part.flow != "diagonal"]
        if len(set(flows)) < 2 and set(flows) <= set(ONE_WAY):
            moving = [part for part in parts if part.flow != "diagonal"]
            hop = len(moving) == 1 and moving[0].hop
            strict, unit = any(part.strict for part in parts), all(part.unit for part in parts)
            return Shape((flows or ["diagonal"])[0], strict, unit, hop)
        return Shape("related" if flows == sorted(flows) and set(flows) <= set(ONE_WAY) else "full")

    def whole(self, p: Poly) -> Shape:
        """The shape of a polynomial."""
        shapes = [(c, self.shape(word)) for word, c in p.items()]
        flows = {shape.flow for _, shape in shapes} - {"diagonal"}
        flow = "diagonal" if not flows else flows.pop() if len(flows) == 1 else "full"
        if flow not in ONE_WAY or not all(shape.strict or shape.unit for _, shape in shapes):
            return Shape(flow)
        diagonal = sum(c for c, shape in shapes if shape.unit)
        return Shape(flow, diagonal == 0, diagonal == 1, diagonal == 0 and all(shape.hop for _, shape in shapes))

    def places(self, p: Poly) -> frozenset[tuple[str, str]]:
        """The unknowns that rows of p depend on, and where: at the row's own body, strictly outboard, inboard, or any."""
        found: set[tuple[str, str]] = set()
        for word in p:
            for k, x in enumerate(word):
                before = self.shape(word[:k])
                side = {"diagonal": "own", "inward": "outboard", "outward": "inboard"}.get(before.flow, "any")
                for unknown, place in self.letters[x].reads:
                    strict = before.strict and place == "own"
                    found.add((unknown, place if side == "own" else side if strict or place == side else "any"))
        return frozenset(found)

    # -- declarations

    def enter(self, name: str, to: str, of: str, shape: Shape, symmetric: bool, kind: str, body: Poly | None) -> None:
        """A new letter, and its adjoint unless it is its own."""
        need(to in self.dual and of in self.dual, f"unknown space of {name}")
        need(not symmetric or to == self.dual[of], f"{name} cannot be symmetric")
        need(not shape.unit or to == of, f"{name} cannot have a unit diagonal")
        star = name if symmetric else f"{name}'"
        for own, other in ((name, star), (star, name)):
            reads = frozenset({(name, "own")} if kind == "unknown" else {})
            if body is not None:
                reads = self.places(body if own == name else self.adjoint(body))
                kept = {"diagonal": "own", "inward": "outboard", "outward": "inboard"}.get(shape.flow)
                if kind == "inverse":
                    reads = frozenset((x, at if shape.flow == "diagonal" or at == kept else "any") for x, at in reads)
            self.letters[own] = Letter(to, of, other, shape, kind, body if own == name else None, reads)
            to, of = self.dual[of], self.dual[to]
            shape = shape._replace(flow=TURNED.get(shape.flow, shape.flow))

    def declare(self, name: str, kind: str, *given: Any) -> None:
        """One declaration: what it names, and what follows from it."""
        need(kind == "equals" or name not in self.letters.keys() | self.defined.keys(), f"{name} is declared twice")
        need(name and "'" not in name and len(name.split()) == 1, f"{name!r} cannot be a name")
        if kind in ("leaf", "unknown", "number"):
            to, of, words = given
            flow, *flags = words.split()
            need(flow in FLOWS and set(flags) <= set(FLAGS), f"{name}: unknown structure {words}")
            need(kind == "leaf" or set(flags) <= {"symmetric"}, f"{name}: {words} has to be proved")
            need(kind != "number" or (to == of == self.dual[of] and flags), f"{name} is no number")
            need("hop" not in flags or flow in ("inward", "outward"), f"{name}: a hop goes one way")
            shape = Shape(flow, "strict" in flags or "hop" in flags, "unit" in flags, "hop" in flags)
            need(not (shape.strict and shape.unit), f"{name} is strict and unit")
            self.enter(name, to, of, shape, "symmetric" in flags, kind, None)
            self.unknown |= {name} if kind == "unknown" else set()
            self.rigid |= {name} if "rigid" in flags and shape.hop else set()
            return
        body = self.read(given[0])
        to, of = self.typed(body)
        shape, symmetric = self.whole(body), self.adjoint(body) == body
        if kind == "define":
            self.defined[name] = body
        elif kind == "equals":
            self.close(name, body, shape, symmetric)
        elif kind == "inverse":
            kept = Shape(shape.flow if shape.flow in ONE_WAY else "full", unit=shape.unit)
            self.enter(name, of, to, kept, symmetric, kind, body)
            self.axioms[f"{name} left"] = plus(self.times({(name,): ONE}, body), {(): ONE}, -ONE)
            self.axioms[f"{name} right"] = plus(self.times(body, {(name,): ONE}), {(): ONE}, -ONE)
            self.assumed += [] if shape.unit else [f"{name} exists"]
        elif kind == "root":
            need(shape.flow == "diagonal" and symmetric and self.dual.get(given[1]) == given[1], f"{name} is no root")
            self.enter(name, to, given[1], DIAGONAL, False, kind, body)
            self.axioms[name] = plus(self.times({(name,): ONE}, {(f"{name}'",): ONE}), body, -ONE)
            self.assumed.append(f"{name} exists")
        elif kind == "diag":
            self.enter(name, to, of, DIAGONAL, symmetric, kind, body)
            if list(body.values()) == [ONE]:
                star = self.letters[name].star
                self.diagonals |= {w: x for x, p in ((name, body), (star, self.adjoint(body))) for w in p}
            own = added((w, c * d) for v, c in body.items() for w, d in self.diagonal(v).items())
            if own != {(name,): ONE}:
                self.diagonals = {w: x for w, x in self.diagonals.items() if x.rstrip("'") != name}
                self.axioms[name] = plus({(name,): ONE}, own, -ONE)
        else:
            need(kind in ("cross", "spin") and (to, of) == ("motion", "one"), f"unknown declaration {kind} of {to}")
            self.enter(name, to, to, DIAGONAL, False, kind, body)
            if list(body.values()) == [ONE]:
                self.brackets |= {(kind, word): name for word in body}
            else:
                self.axioms[name] = plus({(name,): ONE}, self.bracket(kind, body), -ONE)

    def close(self, name: str, body: Poly, shape: Shape, symmetric: bool) -> None:
        """The equation of an unknown: it has one solution if every row asks for rows of one side alone."""
        need(name in self.unknown, f"{name} is not an open unknown")
        own = self.letters[name]
        need(self.typed(body) == (own.to, own.of), f"{name} and its equation have different types")
        need(own.star != name or symmetric, f"the equation of {name} is not symmetric")
        fits = own.shape.flow not in ONE_WAY or shape.flow in ("diagonal", own.shape.flow)
        need(fits, f"the equation of {name} is {shape.flow}")
        asked = [{at for x, at in self.places(p) if x == name} for p in (body, self.adjoint(body))]
        need(any(at <= {side} for at in asked for side in ("outboard", "inboard")), f"the equation of {name} is not causal")
        self.axioms[name] = plus({(name,): ONE}, body, -ONE)
        self.letters[name] = own._replace(body=body)
        self.unknown.remove(name)

    # -- rules

    def diagonal(self, word: Word) -> Poly:
        """The block diagonal of a word, in letters: blocks at its ends come out, what goes one way has that of its parts."""
        shape, ends = self.shape(word), range(len(word) + 1)
        if shape.flow == "diagonal":
            return {word: ONE}
        if shape.strict or shape.unit:
            return {} if shape.strict else {(): ONE}
        start = max(k for k in ends if self.shape(word[:k]).flow == "diagonal")
        stop = min(k for k in ends if k >= start and self.shape(word[k:]).flow == "diagonal")
        if (start, stop) != (0, len(word)):
            return self.times({word[:start]: ONE}, self.diagonal(word[start:stop]), {word[stop:]: ONE})
        first, last = (self.letters[word[k]].shape for k in (0, -1))
        if shape.flow in ONE_WAY and first.unit:
            return self.diagonal(word[1:])
        inner = self.shape(word[1:-1]).flow
        words: Poly = {word: ONE}
        if first.hop and last.hop and (first.flow, last.flow) == ("inward", "outward") and inner in (*ONE_WAY, "related"):
            return self.times({word[:1]: ONE}, self.diagonal(word[1:-1]), {word[-1:]: ONE})
        if first.hop and last.hop and (first.flow, last.flow) == ("outward", "inward"):
            words = self.times({word[:1]: ONE}, self.diagonal(word[1:-1]), {word[-1:]: ONE})
        need(all(self.shape(w).flow == "diagonal" or w in self.diagonals for w in words), f"diag({' '.join(word)}) has no letter")
        named = {w: (w if self.shape(w).flow == "diagonal" else (self.diagonals[w],)) for w in words}
        self.used |= {name.rstrip("'") for w in named.values() for name in w}
        return {named[w]: c for w, c in words.items()}

    def bracket(self, kind: str, p: Poly) -> Poly:
        """The bracket with a motion, which is linear, in letters."""
        total: Poly = {}
        for word, c in p.items():
            numbers = tuple(x for x in word if self.letters[x].kind == "number")
            need((kind, word[len(numbers) :]) in self.brackets, f"{kind} of {' '.join(word)} has no letter")
            total = plus(total, {(*numbers, self.brackets[kind, word[len(numbers) :]]): c})
        self.used |= {word[-1] for word in total}
        return total

    def bracket_fact(self, kind: str, name: str, other: str) -> Poly:
        """What holds of brackets of single bodies: they are skew, derivations of each other, and kept by rigid shifts."""
        x = self.letters[name]
        ((v, c),) = (x.body or {}).items()
        need(x.kind == "cross" and c == ONE, f"{name} is no bracket with one word")
        if kind == "rigid":
            need(other in self.rigid, f"{other} is not rigid")
            shift = self.letters[other].star
            return {(self.brackets["cross", (shift, *v)], shift): ONE, (shift, name): -ONE}
        y = self.letters[other]
        ((w, c),) = (y.body or {}).items()
        need(y.kind == "cross" and c == ONE, f"{other} is no bracket with one word")
        if kind == "skew":
            return plus({(name, *w): ONE}, {(other, *v): ONE})
        need(kind == "jacobi", f"unknown fact {kind}")
        inner = self.brackets["cross", (name, *w)]
        return added([((inner,), ONE), ((name, other), -ONE), ((other, name), ONE)])

    def fact(self, ref: Any, lines: list[Poly]) -> Poly:
        """What a line refers to: an axiom by its name, an earlier line by its number, or ["'", ref], an adjoint."""
        if isinstance(ref, int):
            need(0 <= ref < len(lines) and lines[ref], f"line {ref} is not there yet, or says nothing")
            return lines[ref]
        if isinstance(ref, str):
            need(ref in self.axioms, f"unknown axiom {ref}")
            return self.axioms[ref]
        if ref[0] == "'":
            return self.adjoint(self.fact(ref[1], lines))
        return self.bracket_fact(*ref)

    def follows(self, rule: str, given: list[Any], lines: list[Poly]) -> Poly:
        """What a rule makes of earlier lines."""
        if rule == "sum":
            total: Poly = {}
            for c, left, ref, right in given:
                part = self.times(self.read(left), self.fact(ref, lines), self.read(right))
                self.typed(part)
                total = plus(total, part, Fraction(c))
            return total
        if rule == "diag":
            (ref,) = given
            return added((w, c * d) for v, c in self.fact(ref, lines).items() for w, d in self.diagonal(v).items())
        if rule == "bracket":
            kind, ref = given
            return self.bracket(kind, self.fact(ref, lines))
        need(rule == "unique", f"unknown rule {rule}")
        return self.unique(*given, lines)

    def unique(self, name: str, formula: Any, renamed: dict[str, str], ref: Any, lines: list[Poly]) -> Poly:
        """What satisfies the equation of an unknown is the unknown; letters that depend on it become their images."""
        own, image = self.letters[name], self.read(formula)
        need(own.kind == "unknown" and own.body is not None, f"{name} is no solved unknown")
        fits = self.typed(image) == (own.to, own.of) and own.shape.flow in ("full", "column", self.whole(image).flow)
        need(fits, f"{formula} is not like {name}")
        images = {name: image, own.star: self.adjoint(image)}
        for old, new in renamed.items():
            need(self.letters[old].body is not None and self.letters[old].kind == self.letters[new].kind, f"{old}, {new}")
            images |= {old: {(new,): ONE}, self.letters[old].star: {(self.letters[new].star,): ONE}}

        def put(p: Poly) -> Poly:
            depends = [x for word in p for x in word if x not in images and name in dict(self.letters[x].reads)]
            need(not depends, f"{depends} depend on {name}")
            return added(t for word, c in p.items() for t in self.times({(): c}, *(images.get(x, {(x,): ONE}) for x in word)).items())

        need(all(put(self.letters[x].body or {}) == self.letters[y].body for x, y in renamed.items()), f"wrong image: {renamed}")
        need(self.fact(ref, lines) == plus(image, put(own.body), -ONE), f"{formula} does not satisfy the equation of {name}")
        return plus({(name,): ONE}, image, -ONE)


def check(certificate: dict[str, Any]) -> dict[str, Any]:
    """What a certificate proves, and what that rests on; `Refused` says why it proves nothing."""
    told = {key: certificate[key] for key in ("spaces", "traits", "declare", "claim")}
    book = Book(told["spaces"], told["traits"])
    for declaration in told["declare"]:
        book.declare(*declaration)
    need(not book.unknown, f"{book.unknown} have no equations")
    lhs, rhs = map(book.read, told["claim"])
    claim, lines = plus(lhs, rhs, -ONE), list[Poly]()
    for stated, rule, *given in certificate["lines"]:
        value = book.follows(rule, given, lines)
        need(value == {book.word(*w.split()): Fraction(c) for w, c in stated.items()}, f"line {len(lines)} does not follow")
        lines.append(value)
    need(lines and lines[-1] == claim, "the last line is not the claim")
    book.used |= {x.rstrip("'") for p in lines for word in p for x in word}
    spare = {x.rstrip("'") for x in book.letters} | book.defined.keys()
    need(spare <= book.used, f"declared and never used: {sorted(spare - book.used)}")
    digest = sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    return {"claim": told["claim"], "sha256": digest, "assumed": book.assumed, "lines": len(lines)}


def main(path: str) -> int:
    """Check one file: say what is proved, or why nothing is."""
    with open(path, encoding="utf-8") as file:
        certificate = json.load(file)
    try:
        found = check(certificate)
    except (Refused, KeyError, ValueError, TypeError, AttributeError, ZeroDivisionError, RecursionError) as error:
        sys.stdout.write(f"REFUSED  {type(error).__name__}: {error}\n")
        return 1
    sys.stdout.write(f"PROVED  {json.dumps(found, ensure_ascii=False)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
