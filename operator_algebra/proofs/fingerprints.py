"""Relations between words of operators, found by numbers: each word has a fingerprint on one deep exact tree.

A word is a product of operators and their adjoints; a relation makes it zero, another word, or the sum or difference of
two. Words with a part that is known to be reducible are left out, so no relation follows from shorter ones by being
multiplied. What is found is true on the tree that was drawn, and a conjecture on all others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from operator_algebra.errors import InputError
from operator_algebra.expressions.build import diag, matmul, one, zero
from operator_algebra.expressions.nodes import Expr, Root
from operator_algebra.expressions.normalize import equal
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.spaces import Space, Type
from operator_algebra.proofs.fields import LARGE, Array, Residues
from operator_algebra.proofs.models import Domain, Parents, Shape
from operator_algebra.proofs.samples import Plan, plan_of
from operator_algebra.proofs.theory import Theory
from operator_algebra.proofs.values import Values

DEEP: Parents = (-1, 0, 1, 2, 3, 4, 5, 2, 0, 8)
"""Seven bodies in a row, with branches near the base and in the middle."""

Word = tuple[Expr, ...]
_PROBES = 3


@dataclass
class _Words:
    """The words of one type that follow from no others, by their first fingerprint."""

    listed: list[tuple[Expr, tuple[int, ...]]] = field(default_factory=list[tuple[Expr, tuple[int, ...]]])
    known: dict[int, list[int]] = field(default_factory=dict[int, list[int]])

    def add(self, e: Expr, prints: tuple[int, ...]) -> None:
        self.known.setdefault(prints[0], []).append(len(self.listed))
        self.listed.append((e, prints))

    def find(self, prints: tuple[int, ...]) -> Expr | None:
        """A word with this fingerprint."""
        found = (self.listed[k] for k in self.known.get(prints[0], ()))
        return next((e for e, known in found if known == prints), None)


def relations(operators: Sequence[Expr], *, length: int = 3, diagonals: bool = True) -> tuple[Identity, ...]:
    """Every relation of up to three terms between words of some operators, the shortest first.

    What an operator is by definition is left out, and of a relation and its adjoint the second. With `diagonals` the
    block-diagonal part of each word is one more word.

    >>> from operator_algebra.symbols import E_phi, phi
    >>> [law.formula() for law in relations([E_phi, phi], length=2, diagonals=False)]
    ['E_φ φ = φ − I', 'φ E_φ = φ − I']
    """
    search, meant = _Search(operators), Theory()
    sides = (pair for pair in search.run(length, diagonals=diagonals) if not equal(*pair))
    found = (pair for pair in sides if not (search.letters_in(pair) and meant.read(pair[0]) == meant.read(pair[1])))
    return tuple(Identity(f"relation {k}", lhs, rhs) for k, (lhs, rhs) in enumerate(found, 1))


class _Search:
    """Words in order of length, those that reduce to others and those that don't."""

    def __init__(self, operators: Sequence[Expr]) -> None:
        given = dict.fromkeys(operators)
        self.letters = list(dict.fromkeys((*given, *(e.T for e in given))))
        self.values = _deep_values(tuple(given))
        self.words: dict[Type, _Words] = {}
        self.adjoints: set[Expr] = set()
        self._probes: dict[Space, tuple[Array, Array]] = {}

    def run(self, length: int, *, diagonals: bool) -> Iterator[tuple[Expr, Expr]]:
        """The relations, each with its longest word on the left."""
        for type_ in dict.fromkeys(letter.type for letter in self.letters):
            for space in (type_.codomain, type_.domain):
                self._normal(one(space >> space), self.values.field.identity(1, self.values.size(space)))
        layer: dict[Word, Array] = {(): self.values.field.identity(1, 0)}
        last: set[Word] = {()}
        for _ in range(length):
            longer: dict[Word, Array] = {}
            for word, array in self._extended(layer, last):
                e = matmul(*word)
                rhs = self._reduced(e, array)
                if rhs is None:
                    longer[word] = array
                    self._normal(e, array)
                else:
                    yield from self._told(e, rhs)
            if diagonals:
                yield from self._diagonals(longer)
            layer, last = longer, set(longer)

    def letters_in(self, sides: tuple[Expr, Expr]) -> bool:
        """Whether one of two sides is an operator, or its negative."""
        return any(one in self.letters or -one in self.letters for one in sides)

    def _extended(self, layer: dict[Word, Array], last: set[Word]) -> Iterator[tuple[Word, Array]]:
        """Words one letter longer, all shorter parts of which reduce to nothing."""
        for word, array in layer.items():
            for letter in self.letters:
                longer = (*word, letter)
                if word and word[-1].type.domain != letter.type.codomain:
                    continue
                if longer[1:] in last:
                    right = self.values.value(letter).array
                    yield longer, self.values.field.product(array, right) if word else right

    def _diagonals(self, words: dict[Word, Array]) -> Iterator[tuple[Expr, Expr]]:
        """The block-diagonal parts of words, where they are more than products of those of their letters."""
        for word, array in words.items():
            e = matmul(*word)
            if e.type.domain.attached and e.type.codomain.attached and _both_ways(word):
                part = array * self.values.same_body(e.type)
                rhs = self._reduced(diag(e), part)
                if rhs is None:
                    self._normal(diag(e), part)
                else:
                    yield from self._told(diag(e), rhs)

    def _told(self, lhs: Expr, rhs: Expr) -> Iterator[tuple[Expr, Expr]]:
        """A relation, unless its adjoint was told."""
        if lhs.T not in self.adjoints:
            self.adjoints.add(lhs)
            yield lhs, rhs

    # -- fingerprints --------------------------------------------------------------------------------------------------

    def _normal(self, e: Expr, array: Array) -> None:
        words = self.words.setdefault(e.type, _Words())
        prints = self._prints(e.type, array)
        if words.find(prints) is None:
            words.add(e, prints)

    def _reduced(self, e: Expr, array: Array) -> Expr | None:
        """What a word is equal to: 0, ± another, or ± another ± a third."""
        prints = self._prints(e.type, array)
        if not any(prints):
            return zero(e.type)
        words = self.words.setdefault(e.type, _Words())
        for sign in (1, -1):
            found = words.find(_times(sign, prints))
            if found is not None:
                return sign * found
        return _sum_of_two(words, prints)

    def _prints(self, type_: Type, array: Array) -> tuple[int, ...]:
        """Some numbers that are linear in an operator, the same functions for all operators of a type."""
        left, right = self._probe(type_.codomain)[0], self._probe(type_.domain)[1]
        product = self.values.field.product(self.values.field.product(left, array), right)
        return tuple(product[0].ravel().tolist())

    def _probe(self, space: Space) -> tuple[Array, Array]:
        """Random rows and a random column."""
        if space not in self._probes:
            rng, size = random.Random(space.name), self.values.size(space)
            rows = [[[rng.randrange(LARGE) for _ in range(size)] for _ in range(_PROBES)]]
            column = [[[rng.randrange(LARGE)] for _ in range(size)]]
            self._probes[space] = self.values.field.array(rows), self.values.field.array(column)
        return self._probes[space]


def _both_ways(word: Word) -> bool:
    """Whether a word leads away from a body and back to it, by its first letter and by its last."""
    flows = {letter.structure.flow for letter in word}
    ends = {word[0].structure.flow, word[-1].structure.flow}
    one_way = flows <= {"inward", "diagonal"} or flows <= {"outward", "diagonal"}
    return "diagonal" not in ends and (len(word) == 1 or not one_way)


def _times(sign: int, prints: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sign * x % LARGE for x in prints)


def _sum_of_two(words: _Words, prints: tuple[int, ...]) -> Expr | None:
    """± a ± b, the first that fits in the order of words."""
    first = prints[0]
    known = words.known
    for a, of_a in words.listed:
        for sign in (1, -1):
            rest = (first - sign * of_a[0]) % LARGE
            if rest in known or (LARGE - rest) in known:
                left = tuple((x - sign * y) % LARGE for x, y in zip(prints, of_a, strict=True))
                for other in (1, -1):
                    b = words.find(_times(other, left))
                    if b is not None:
                        return other * b + sign * a if sign < other else sign * a + other * b
    return None


@lru_cache(maxsize=8)
def _deep_values(operators: tuple[Expr, ...]) -> Values:
    """The operators on the deep tree."""
    plan = _deep_plan(operators)
    known = {pivot.root for pivot in plan.pivots}
    for node in (node for e in operators for node in postorder(e, children_and_definition)):
        if isinstance(node, Root) and node not in known:
            raise InputError(f"{node.render()} has no exact value on a random tree. Leave out what is made of it.")
    residues = Residues(LARGE)
    for k in range(8):
        sample = plan.draws(DEEP, 3 + k)[-1]
        drawn = plan.dense(sample)
        values = plan.values(residues, [sample]).knowing({root: residues.array([drawn[root]]) for root in known})
        if all(values.value(e).sound.all() for e in operators):
            return values
    names = ", ".join(e.render() for e in operators)
    raise InputError(f"no random tree was found on which all of {names} exist. Check what is inverted.")


def _deep_plan(operators: tuple[Expr, ...]) -> Plan:
    domain = Domain.of(operators, ())
    freedoms = tuple(1 + k % 2 for k in range(len(DEEP)))
    return plan_of(domain, Shape(6 if domain.physical else 3, freedoms), operators)
