"""A reader of the part of Lean that proofs are written in: it computes what each line says in random matrices.

It shares no code with the writer. Letters become matrices of random whole numbers, symmetric where a hypothesis says
so; what a hypothesis says of other letters is not assumed, since lines have to follow for any letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

SIZE = 2
Value = Any
_TOKEN = re.compile(r"\s*(<\||\w+(?:\.\w+)*|[()+\-*/•:=\[\],])")


def tokens(text: str) -> list[str]:
    """The words and signs of a text; what is neither is an error."""
    found, place = list[str](), 0
    text = text.strip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match is not None, f"no Lean: {text[place : place + 40]!r}"
        found.append(match[1])
        place = match.end()
    return found


def unit() -> Value:
    return np.array([[Fraction(int(i == j)) for j in range(SIZE)] for i in range(SIZE)], dtype=object)


def star(x: Value) -> Value:
    return x.T


def same(x: Value, y: Value) -> bool:
    return bool((x == y).all())


@dataclass
class Reader:
    """Reads formulas and terms: sums, products and scalars bind as in Lean; functions bind closest."""

    values: Mapping[str, Value]
    left: list[str] = field(default_factory=list[str])

    def read(self, text: str) -> Value:
        self.left = tokens(text)
        value = self.sum()
        assert not self.left, f"left over: {self.left[:8]}"
        return self.matrix(value)

    def matrix(self, value: Value) -> Value:
        return value * unit() if isinstance(value, Fraction) else value

    def next(self, wanted: str | None = None) -> str:
        found = self.left.pop(0)
        assert wanted in (None, found), f"{found} for {wanted}"
        return found

    def peek(self) -> str:
        return self.left[0] if self.left else ""

    def sum(self) -> Value:
        minus = self.peek() == "-" and self.next()
        value = self.product()
        value = -self.matrix(value) if minus else value
        while self.peek() in ("+", "-"):
            sign, other = self.next(), self.matrix(self.product())
            value = self.matrix(value) + other if sign == "+" else self.matrix(value) - other
        return value

    def product(self) -> Value:
        value = self.scaled()
        while self.peek() in ("*", "/"):
            sign, other = self.next(), self.scaled()
            value = value / other if sign == "/" else times(value, other)
        return value

    def scaled(self) -> Value:
        value = self.application()
        if self.peek() == "•":
            self.next()
            assert isinstance(value, Fraction), "only a rational number is a scalar"
            value = value * self.matrix(self.scaled())
        return value

    def application(self) -> Value:
        if self.peek() in FUNCTIONS:
            count, function = FUNCTIONS[self.next()]
            return function(*(self.matrix(self.atom()) for _ in range(count)))
        return self.atom()

    def atom(self) -> Value:
        word = self.next()
        if word == "(":
            value = self.sum()
            if self.peek() == ":":
                self.next()
                assert self.next() in ("R", "ℚ")
            self.next(")")
            return value
        return Fraction(int(word)) if word.isdigit() else self.values[word]


def times(x: Value, y: Value) -> Value:
    """The product of matrices, or a multiple."""
    return x * y if isinstance(x, Fraction) or isinstance(y, Fraction) else x @ y


def multiple(left: Value, right: Value, zero: Value) -> Value:
    return left @ zero @ right


def plus(x: Value, y: Value) -> Value:
    return x + y


def itself(x: Value) -> Value:
    return x


FUNCTIONS: dict[str, tuple[int, Callable[..., Value]]] = {
    "star": (1, star),
    "turned": (1, star),
    "multiple": (3, multiple),
    "plus": (2, plus),
    "sub_eq_zero.mpr": (1, itself),
}


@dataclass
class Read:
    """A theorem: its letters, its hypotheses, its claim, the lines and what stands for them."""

    name: str
    letters: list[str]
    hypotheses: dict[str, str]
    claim: str
    proof: list[str]


def theorems(file: str) -> Iterator[Read]:
    """The theorems of a file about letters of a ring, after what it says of rings."""
    _, _, below = file.partition("/-!")
    for text in re.split(r"^theorem ", below, flags=re.MULTILINE)[1:]:
        head, _, proof = text.partition(" := by\n")
        head = re.sub(r"\n {5,}", " ", head)
        proof = re.split(r"^(?:/--|--|end )", proof, flags=re.MULTILINE)[0]
        found = re.match(r"(\w+) \{R : Type\*\} \[Ring R\] \[StarRing R\](?: \[Algebra ℚ R\])? \(([\w\s]+) : R\)", head)
        assert found is not None, head[:200]
        hypotheses, _, claim = head[found.end() :].rpartition("\n    : ")
        told = dict(
            part.split(" : ", 1) for part in re.findall(r"^    \((.*?)\)$", hypotheses, re.MULTILINE | re.DOTALL)
        )
        joined = re.sub(r"\n {4,}", " ", proof)
        yield Read(
            found[1],
            found[2].split(),
            told,
            " ".join(claim.split()),
            [line.strip() for line in joined.splitlines() if line.strip()],
        )


def known(names: str, rewriting: list[str]) -> None:
    """What lines rewrite with has been said before."""
    assert set(names.split(", ")) - {""} <= {*rewriting}


def check(told: Read, rng: np.random.Generator) -> int:
    """Compute each line of a proof; how many there were."""
    values: dict[str, Value] = {}
    stars = {text.split()[1] for text in told.hypotheses.values() if re.fullmatch(r"star (\w+) = \1", text)}
    stars |= {found[1] for line in told.proof if (found := re.match(r"have \w+ : star (\w+) = \1 := own_star", line))}
    for name in told.letters:
        drawn = rng.integers(-3, 4, (SIZE, SIZE)).astype(object)
        values[name] = (drawn + drawn.T if name in stars else drawn) * Fraction(1)
    reader = Reader(values)
    zero: dict[str, Value] = {"zero": 0 * unit()}
    rewriting: list[str] = []
    for name, text in told.hypotheses.items():
        lhs, rhs = text.split(" = ")
        if name.endswith("_is"):
            values[lhs] = reader.read(rhs)
        rewriting += [name] if name.endswith("_is") or re.fullmatch(r"star (\w+) = \1", text) else []
    for name, text in told.hypotheses.items():
        lhs, rhs = text.split(" = ")
        zero[name] = reader.read(lhs) - reader.read(rhs)
    for k, line in enumerate(told.proof):
        if k == len(told.proof) - 1:
            found = re.fullmatch(r"exact sub_eq_zero\.mp \(Eq\.trans \(by expand \[(.*?)\]\) (\w+)\)", line)
            assert found is not None, line
            known(found[1], rewriting)
            sides = [reader.read(side) for side in told.claim.split(" = ")]
            assert same(sides[0] - sides[1], zero[found[2]]), "the last line is not the claim"
        elif found := re.fullmatch(
            r"have (\w+) : star (\w+) = \2 := own_star \(by expand \[(.*?)\]\) (\w+) (\w+)", line
        ):
            name, letter, names, left, right = found.groups()
            known(names, rewriting)
            for side, other in ((left, f"{letter} * "), (right, f" * {letter}")):
                assert other in told.hypotheses[side]
                assert told.hypotheses[side].endswith(" = 1")
            inner = told.hypotheses[left].removeprefix(f"{letter} * ").removesuffix(" = 1")
            body = reader.read(inner)
            assert same(body, star(body)), f"{letter} is not the inverse of what is its own star"
            rewriting.append(name)
        elif found := re.fullmatch(r"have (\w+) : \(0 : R\) = 0 := rfl", line):
            zero[found[1]] = 0 * unit()
        else:
            found = re.fullmatch(r"have (\w+) : (.*?) = 0 := Eq\.trans \(by expand \[(.*?)\]\) <\| (.*)", line)
            assert found is not None, line[:200]
            known(found[3], rewriting)
            value = reader.read(found[2])
            facts = Reader({**values, **zero})
            first, *rest = reversed(found[4].split(" <| "))
            total = facts.read(first)
            for part in rest:
                total = facts.read(f"{part} zero") + total
            assert same(value, total), f"{found[1]} does not follow"
            zero[found[1]] = value
    return len(told.proof)
