"""The checker of proofs: it believes declarations and the facts listed here, and computes every line anew.

`python operator_algebra/proofs/kernel.py FILE` shares nothing with the package that wrote the file. A formula is
a word, "H phi M phi' H'", where ' is the adjoint, or ["+", …], ["*", …], ["'", x] or [number, x]; a polynomial gives
words rational coefficients; each line of a proof is a polynomial that is zero. docs/explain/proofs.md has the argument.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

FORMAT = "operator-algebra proof 2"
Data = Any  # what JSON holds
Number = int | Fraction

# Letters a, b, … are the inverse, value, … of A, B, …: of what kinds they are, what must be the same, what is equal.
FACTS: dict[str, tuple[str, dict[str, Data], Data, Data]] = {
    "left": ("inverse", {}, "a A", ""),
    "right": ("inverse", {}, "A a", ""),
    "root": ("root", {}, "a a'", "A"),
    "equation": ("unknown", {}, "a", "A"),
    "scalar": ("formula", {}, "A", "A'"),
    "skew": ("cross cross", {}, "a B", ["-1", "b A"]),
    "known": ("cross crossbar", {}, "a' B", "b A"),
    "jacobi": ("cross cross cross", {"C": "a B"}, "c", ["+", "a b", ["-1", "b a"]]),
    "rigid": ("rigid cross cross", {"C": "a' B"}, "c a'", "a' b"),
    "alone": ("joint cross formula", {"B": "a' C"}, "b a'", ["+"]),
    "turning": ("joint cross spin formula", {"B": "a' D", "C": "a' D"}, "b", "c"),
    "closed": ("joint cross own formula", {"B": "a' D", "C": "b"}, "b a'", "a' c"),
    "still": ("joint-rate", {}, "a", ["+"]),
}
CONSTANT = "joint maps are constant in the axes of the body, and joint motions closed under brackets"
TRAITS = {  # what each says, and the facts that need it
    "serial": ("no body carries two others", ()),
    "1-DOF": ("joints have one degree of freedom", ("alone",)),
    "constant joint maps": (CONSTANT, ("closed", "still")),
    "revolute": ("joints turn about an axis through the origin of the body", ("alone", "turning", "still")),
}
GIVEN = ("leaf", "rigid", "joint", "joint-rate", "number", "unknown")
FUNCTIONS = {"cross": "motion motion motion", "spin": "motion motion motion", "crossbar": "force force motion"}
TURNED = {"inward": "outward", "outward": "inward", "diagonal": "diagonal", "full": "full"}


class Refused(Exception):
    """What is wrong with a certificate."""


class Shape(NamedTuple):
    """Which bodies blocks join; which multiple of I their diagonal is, if known; whether they join neighbours only."""

    flow: str
    on: Number | None = None
    hop: bool = False


BLOCKS = Shape("diagonal")
SHAPES = {"full": Shape("full"), "inward hop": Shape("inward", 0, True), "outward hop": Shape("outward", 0, True)}
for flow in ("diagonal", "inward", "outward"):
    SHAPES |= {flow: Shape(flow), f"{flow} strict": Shape(flow, 0), f"{flow} unit": Shape(flow, 1)}


@dataclass(eq=False)
class Letter:
    """A letter; `body` is what it is the inverse, root, value … of, `inside` it and all letters that it is made of."""

    name: str
    kind: str
    to: str
    of: str
    shape: Shape
    body: Poly
    inside: set[Letter] = field(default_factory=set["Letter"])
    star: Letter = field(init=False)

    def __repr__(self) -> str:
        return self.name


Word = tuple[Letter, ...]
Poly = dict[Word, Number]


def need(good: object, what: object) -> None:
    """Refuse the certificate unless something holds."""
    if not good:
        raise Refused(what)


def total(terms: Iterable[tuple[Word, Number]]) -> Poly:
    """The sum of terms."""
    found: Poly = {}
    for word, c in terms:
        found[word] = found.get(word, 0) + c
    return {word: c for word, c in found.items() if c}


def linear(p: Poly, of: Callable[[Word], Poly]) -> Poly:
    """A polynomial with every word replaced."""
    return total((w, c * d) for word, c in p.items() for w, d in of(word).items())


def less(p: Poly, q: Poly) -> Poly:
    """The difference p − q."""
    return total([*p.items(), *((word, -c) for word, c in q.items())])


def power(*letters: Letter) -> Poly:
    """The polynomial of one word; numbers stand in front."""
    numbers = [x for x in letters if x.kind == "number"]
    return {(*sorted(numbers, key=repr), *(x for x in letters if x.kind != "number")) if numbers else letters: 1}


def times(*factors: Poly) -> Poly:
    """The product."""
    found, *rest = factors or (power(),)
    for p in rest:
        found = total((u, c * d) for v, c in found.items() for w, d in p.items() for u in power(*v, *w))
    return found


def adjoint(p: Poly) -> Poly:
    """The adjoint: words backwards, letters starred."""
    return linear(p, lambda word: power(*(x.star for x in reversed(word))))


def typed(p: Poly) -> tuple[str, str]:
    """The spaces that a polynomial joins: those of each of its words; I stands in a square place alone."""
    rows = [[x for x in word if x.kind != "number"] for word in p]
    need(all(x.of == y.to for row in rows for x, y in pairwise(row)), f"ill-typed: {p}")
    found = {(row[0].to, row[-1].of) for row in rows if row}
    need(len(found) == 1 and (all(rows) or all(to == of for to, of in found)), f"terms of types {found}")
    return found.pop()


class Book:
    """What a certificate has declared, and what it has proved so far."""

    def __init__(self, dual: dict[str, str], traits: list[str]) -> None:
        need(all(dual.get(other) == space for space, other in dual.items()), "a space is not the dual of its dual")
        self.dual, self.assumed = dual, [TRAITS[x][0] for x in traits]
        special = {fact for _, facts in TRAITS.values() for fact in facts}
        self.facts = (FACTS.keys() - special).union(*(TRAITS[x][1] for x in traits))
        self.back = TURNED if "serial" in traits else {"inward": "outward"}
        self.letters, self.value = dict[str, Letter](), dict[str, Poly]()
        self.used, self.lines = set[Letter](), list[Poly]()

    def read(self, formula: Data, value: dict[str, Poly] | None = None) -> Poly:
        """The polynomial of a formula, with values of its names, or what they were declared as."""
        if isinstance(formula, str):
            found: list[Poly] = []
            for x in formula.split():
                need(x in (value or self.value), f"unknown letter {x}")
                found.append((value or self.value)[x])
                self.used |= {z for word in found[-1] for y in word for z in (y, y.star)}
            return times(*found)
        head, parts = formula[0], [self.read(part, value) for part in formula[1:]]
        if head == "+":
            return total(term for p in parts for term in p.items())
        if head in ("*", "'"):
            return times(*parts) if head == "*" else adjoint(*parts)
        c = Fraction(head)
        return times({(): c.numerator if c.denominator == 1 else c}, *parts)

    # -- which bodies blocks join

    def hops(self, word: Word) -> list[Shape]:
        """The shapes of the letters that join bodies; a hop and a hop back do not: a body has one parent."""
        found: list[Shape] = []
        for part in (x.shape for x in word if x.shape.flow != "diagonal"):
            if found and part.hop and found[-1].hop and self.back.get(found[-1].flow) == part.flow:
                found.pop()
            else:
                found.append(part)
        return found

    def shape(self, p: Poly) -> Shape:
        """The shape of a polynomial: where all letters go one way, the diagonal is the product of theirs."""
        flows, on, hop = set[str](), 0, bool(p)
        for word, c in p.items():
            parts = self.hops(word)
            flows |= {part.flow for part in parts}
            hop = hop and len(parts) == 1 and parts[0].hop
            if all(part.on != 0 for part in parts):
                on = on + c if on is not None and all(x.shape.on == 1 for x in word) else None
        return Shape("full") if len(flows) > 1 or "full" in flows else Shape("".join(flows) or "diagonal", on, hop)

    # -- declarations

    def declare(self, name: str, kind: str, *given: Data) -> None:
        """One declaration: of a letter, of the equation of one, or of an abbreviation."""
        need(name.strip("'") == name and len(name.split()) == 1, f"{name!r} cannot be a name")
        need(kind == "equals" or name not in self.value, f"{name} is declared twice")
        if kind in GIVEN:
            to, of, blocks, *flags = given
            need(blocks in SHAPES and flags in ([], ["symmetric"]), f"{name} is {blocks} {flags}")
            number, shape = (to, of, blocks, flags) == ("one", "one", "diagonal", ["symmetric"]), SHAPES[blocks]
            need(number or kind != "number", f"{name} is no number")
            need(shape.on is None or kind != "unknown", f"{name} would have to be proved {blocks}")
            need((to == of or shape.on != 1) and (shape.hop or kind != "rigid"), f"{name} cannot be {kind} {blocks}")
            self.enter(name, kind, to, of, shape, {}, bool(flags))
            return
        body = self.read(given[0])
        (to, of), shape, symmetric = typed(body), self.shape(body), adjoint(body) == body
        if kind == "define":
            self.value |= {name: body, f"{name}'": adjoint(body)}
        elif kind == "equals":
            self.close(self.letters[name], body, shape.flow)
        elif kind in FUNCTIONS:
            vector, *spaces = FUNCTIONS[kind].split()
            need((to, of) == (vector, "one"), f"{kind} of {to}")
            self.enter(name, kind, spaces[0], spaces[1], BLOCKS, body, False)
        elif kind == "diag":
            self.enter(name, kind, to, of, BLOCKS, body, symmetric)
        elif kind == "inverse":
            unit, of_root = shape.on == 1, [x.kind for word in body for x in word] == ["root"]
            self.enter(name, kind, of, to, Shape(shape.flow, 1 if unit else None), body, symmetric)
            self.assumed += [] if unit or of_root else [f"{name} exists"]
        elif kind == "root":
            need(shape.flow == "diagonal" and symmetric and self.dual[given[1]] == given[1], f"{name} is no root")
            self.enter(name, kind, to, given[1], BLOCKS, body, False)
            self.assumed.append(f"{name} exists")
        else:
            need(kind == "own", f"{name} is {kind}")
            self.enter(name, kind, given[1], given[1], BLOCKS, body, False)

    def enter(self, name: str, kind: str, to: str, of: str, shape: Shape, body: Poly, symmetric: bool) -> None:
        """A new letter, and its adjoint unless it is its own."""
        need({to, of} <= self.dual.keys() and (not symmetric or to == self.dual[of]), f"the spaces of {name}")
        own = star = Letter(name, kind, to, of, shape, body)
        if not symmetric:
            turned = shape._replace(flow=TURNED[shape.flow])
            star = Letter(f"{name}'", kind, self.dual[of], self.dual[to], turned, adjoint(body))
        own.star, star.star = star, own
        for x in (own, star):
            self.letters[x.name], self.value[x.name] = x, power(x)
            x.inside |= {own, star}.union(*(y.inside for word in body for y in word))

    def close(self, own: Letter, body: Poly, flow: str) -> None:
        """The equation of an unknown: it has one solution if every row asks for rows of one side alone."""
        need(own.kind == "unknown" and not own.body and (own.to, own.of) == typed(body), f"{own} is no unknown")
        need(own.shape.flow in ("full", flow) or flow == "diagonal", f"the equation of {own} is {flow}")
        need(own.star is not own or adjoint(body) == body, f"the equation of {own} is not symmetric")
        inside = own.inside.union(*(x.inside for word in body for x in word))
        open_ones = {x for x in inside if x.kind == "unknown" and not x.body} - {own, own.star}
        need(not open_ones, f"the equation of {own} speaks of {open_ones}, which have none yet")
        causal = any(self.asks(body, own, side, strictly=True) for side in ("inward", "outward"))
        need(causal, f"the equation of {own} is not causal")
        own.body, own.star.body = body, adjoint(body)
        own.inside = own.star.inside = inside

    def asks(self, p: Poly, own: Letter, side: str, *, strictly: bool) -> bool:
        """Whether rows of p ask for rows of an unknown on one side alone, and for the same row only if not strictly."""
        for word in p:
            for k, x in enumerate(word):
                if own in x.inside:
                    before = self.shape(power(*word[:k]))
                    still = strictly and before.on != 0
                    if x.kind == "unknown":
                        good = not still and (x is own or (x is own.star and x.shape.flow == "diagonal"))
                    else:
                        good = x.shape.flow in ("diagonal", side) and self.asks(x.body, own, side, strictly=still)
                    if not good or before.flow not in ("diagonal", side):
                        return False
        return True

    # -- what follows

    def fact(self, ref: Data) -> Poly:
        """A line by its number, the adjoint of a fact, or a fact of FACTS with its letters and formulas."""
        if isinstance(ref, int):
            need(0 <= ref < len(self.lines) and self.lines[ref], f"line {ref} is not there yet, or says nothing")
            return self.lines[ref]
        if ref[0] == "'":
            return adjoint(self.fact(ref[1]))
        kinds, same, lhs, rhs = FACTS[ref[0]]
        need(ref[0] in self.facts and len(kinds.split()) == len(ref) - 1, f"{ref} is no fact here")
        value: dict[str, Poly] = {}
        for place, kind, name in zip("abcd", kinds.split(), ref[1:], strict=False):
            if kind == "formula":
                bound = {place.upper(): self.read(name)}
            else:
                need(self.letters[name].kind == kind and not name.endswith("'"), f"{name} is no {kind}")
                bound = {place: power(self.letters[name]), place.upper(): self.letters[name].body}
            value |= bound | {f"{x}'": adjoint(p) for x, p in bound.items()}
        need(ref[0] != "scalar" or typed(value["A"]) == ("one", "one"), f"{ref} is no number")
        need(all(value[x] == self.read(formula, value) for x, formula in same.items()), f"{ref} does not fit")
        return less(self.read(lhs, value), self.read(rhs, value))

    def follows(self, line: Poly, rule: str, *given: Data) -> bool:
        """Whether a line is a sum of multiples of facts, says what an unknown is, or is a function of a fact."""
        if rule == "sum":
            parts = [times(self.read([c, left]), self.fact(ref), self.read(right)) for c, left, ref, right in given]
            return all(map(typed, parts)) and line == total(term for p in parts for term in p.items())
        if rule == "unique":
            return line == self.unique(*given)
        need(line and rule in ("diag", *FUNCTIONS), f"{rule} says nothing")
        values = self.shape(line).flow == "diagonal"
        if rule != "diag":
            values = all(word[-1].kind == rule and self.outside(rule, word[:-1], ()) for word in line)
        fact = self.fact(*given) if given else {}
        return values and linear(line, lambda w: self.opened(rule, w)) == linear(fact, lambda w: self.opened(rule, w))

    def opened(self, kind: str, word: Word) -> Poly:
        """A word with values of a function replaced by what they are values of, where that does not change its value.

        What goes one way has the diagonal of its letters: strict ones leave nothing, unit ones can be left out.
        """
        places = [(k, n) for k in range(len(word) + 1) for n in range(len(word), k, -1)]
        for k, n in places if kind == "diag" else []:
            shape = self.shape(power(*word[k:n]))
            if shape.flow != "full" and self.outside(kind, word[:k], word[n:], one_way=True):
                if shape.on == 0:
                    return {}
                word = (*word[:k], *(x for x in word[k:n] if x.shape.on != 1), *word[n:])
                break
        for k, x in enumerate(word):
            if x.kind == kind and self.outside(kind, word[:k], word[k + 1 :]):
                inner = times(power(*word[:k]), x.body, power(*word[k + 1 :]))
                return linear(inner, lambda w: self.opened(kind, w))
        return power(*word)

    def outside(self, kind: str, left: Word, right: Word, *, one_way: bool = False) -> bool:
        """Whether it does not: after numbers; for a diagonal between blocks, from hops to the parent to hops back.

        Of what goes one way the diagonal may stand between hops to children and back, too.
        """
        if kind != "diag":
            return not right and all(x.kind == "number" for x in left)
        hops = [[part.hop and part.flow for part in self.hops(word)] for word in (left, right)]
        out, back = ["outward"] * len(hops[0]), ["inward"] * len(hops[0])
        return hops == [out, back] or (one_way and hops == [back, out])

    def unique(self, name: str, formula: Data, ref: Data, renamed: dict[str, str]) -> Poly:
        """What satisfies the equation of an unknown is the unknown; letters made of it become those of its image."""
        own, image = self.letters[name], self.read(formula)
        value = {own.star: adjoint(image), own: image}

        def put(p: Poly) -> Poly:
            return linear(p, lambda word: times(*(value.get(x, power(x)) for x in word)))

        for x, y in ((self.letters[old], self.letters[new]) for old, new in renamed.items()):
            need(x.kind == y.kind and x.body and x.kind != "unknown" and put(x.body) == y.body, f"{y} for {x}")
            value |= {x.star: power(y.star), x: power(y)}
        need(all(x in value or own not in x.inside for word in own.body for x in word), f"more is made of {name}")
        need(own.kind == "unknown" and typed(image) == (own.to, own.of), f"{name} is not {image}")
        need(own.shape.flow in ("full", self.shape(image).flow), f"{image} has other blocks than {name}")
        need(self.fact(ref) == less(image, put(own.body)), f"{image} does not satisfy the equation of {name}")
        return less(power(own), image)


def check(certificate: Data) -> dict[str, Data]:
    """What a certificate proves, and what that rests on; `Refused` says why it proves nothing."""
    try:
        told = {key: certificate[key] for key in ("spaces", "traits", "declare", "claim")}
        book, claim = Book(told["spaces"], told["traits"]), told["claim"]
        for declaration in told["declare"]:
            book.declare(*declaration)
        need(all(x.body for x in book.letters.values() if x.kind == "unknown"), "an unknown has no equation")
        for stated, *reason in certificate["lines"]:
            line = total(term for word, c in stated.items() for term in book.read([c, word]).items())
            need(book.follows(line, *reason) and (not line or typed(line)), f"line {len(book.lines)} does not follow")
            book.lines.append(line)
        if claim[0] == "is":
            shape, wanted = book.shape(book.read(claim[1])), SHAPES[claim[2]]
            good = shape.flow == wanted.flow and wanted.on in (None, shape.on) and shape.hop >= wanted.hop
            need(good and not book.lines, f"{claim[1]} is {shape}, not {claim[2]}")
        else:
            need(book.lines and book.lines[-1] == less(*map(book.read, claim)), "the last line is not the claim")
        spare = [x for x in book.letters.values() if x not in book.used]
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
