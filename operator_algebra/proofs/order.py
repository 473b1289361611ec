"""Orders of words: which of two equal things is the simpler one.

They change how fast a proof is found, never whether it is one.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from operator_algebra.expressions.words import degree_lexicographic
from operator_algebra.proofs.letters import Letter, Word
from operator_algebra.proofs.theory import Theory

Place: TypeAlias = tuple[int, int, tuple[int, ...], int, tuple[Letter, ...]]
"""What sorts a word."""
Key = Callable[[Word], Place]


@dataclass(slots=True)
class Order:
    """Weights and places of letters; an adjoint stands right behind its letter, a new letter behind its like."""

    theory: Theory
    seed: int | None = None
    _weights: dict[Letter, int] = field(default_factory=dict[Letter, int])
    _places: dict[Letter, int] = field(default_factory=dict[Letter, int])

    def copy(self, theory: Theory) -> Order:
        """The same order for a copy of the theory, where new letters find other places."""
        return Order(theory, self.seed, dict(self._weights), dict(self._places))

    @property
    def key(self) -> Key:
        """What sorts words: by weight, by length, letter by letter."""
        first = cast("Key", degree_lexicographic(self._place, self._weight))
        known = cast("Key", degree_lexicographic(self._places.__getitem__, self._weights.__getitem__))

        def place(word: Word) -> Place:
            try:
                return known(word)
            except KeyError:  # a letter that has no place yet
                return first(word)

        return place

    def _place(self, x: Letter) -> int:
        found = self._places.get(x)
        if found is None:
            base = self.theory.base(x)
            group = 9 * _heavy(base, self.theory) + _group(base) if self.seed is None else self._random(base, 32)
            found = self._places[base] = (group * _MANY + len(self._places)) * 2
            self._places[base.star] = found if base.star is base else found + 1
            found = self._places[x]
        return found

    def _weight(self, x: Letter) -> int:
        found = self._weights.get(x)
        if found is None:
            found = (
                _usual_weight(self.theory.base(x), self.theory)
                if self.seed is None
                else _WEIGHTS[self._random(self.theory.base(x), 6)]
            )
            self._weights[x] = found
        return found

    def _random(self, x: Letter, below: int) -> int:
        return random.Random(f"{self.seed} {list(self.theory.letters).index(x)}").randrange(below)


_MANY = 1 << 20
_WEIGHTS = (1, 1, 1, 2, 4, 9)


def _heavy(x: Letter, theory: Theory) -> bool:
    """Whether an equation gives it, such as M in P = M + …: it is written by the solution."""
    return x.kind == "leaf" and any(((), (x,)) in equation for equation in theory.equations.values())


def _usual_weight(x: Letter, theory: Theory) -> int:
    if x.kind == "inverse" and x.structure.flow == "full":
        return 40
    if x.kind == "diag" and x.body is not None:
        return 2 + 12 * sum(y.kind == "inverse" and y.structure.unit for _, letters in x.body for y in letters)
    return 9 if _heavy(x, theory) else 1


def _group(x: Letter) -> int:
    """Local inverses, then leaves, solutions, resolvents, hops, and what is inverted as a whole."""
    if x.kind == "inverse":
        return 0 if x.structure.flow == "diagonal" else 3 if x.structure.unit else 6
    if x.structure.hop:
        return 4
    return {"number": 0, "leaf": 1, "unknown": 2, "root": 5, "diag": 6}.get(x.kind, 7)
