"""What is known of an operator's block pattern and sign, stated about the tree and not about index order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from operator_algebra.arguments import shown, word
from operator_algebra.errors import InputError

Flow = Literal["zero", "diagonal", "inward", "outward", "related", "full", "column", "row", "small"]

FLOWS: tuple[Flow, ...] = ("zero", "diagonal", "inward", "outward", "related", "full", "column", "row", "small")
FLAGS = ("hop", "strict", "unit", "symmetric", "semidefinite", "definite", "onto", "invertible")

_IMPLIES: dict[str, tuple[str, ...]] = {
    "hop": ("strict",),
    "unit": ("invertible",),
    "definite": ("semidefinite", "invertible"),
    "semidefinite": ("symmetric",),
    "invertible": ("onto",),
}


def _closure(flags: Iterable[str]) -> frozenset[str]:
    known: set[str] = set()
    pending = list(flags)
    while pending:
        flag = pending.pop()
        if flag not in known:
            known.add(flag)
            pending.extend(_IMPLIES.get(flag, ()))
    return frozenset(known)


@dataclass(frozen=True, slots=True)
class Structure:
    """Flow (who sees whom on the tree) and flags (hop, strict, unit, symmetric, definite, …).

    *inward* blocks go from a body to its ancestors, *outward* ones to its descendants; *related* joins both; *column*,
    *row* and *small* start, end, or do both, in a space that belongs to no body.

    >>> Structure.of("diagonal definite")
    block-diagonal, symmetric, definite
    """

    flow: Flow
    flags: frozenset[str] = frozenset()

    @classmethod
    def of(cls, words: str) -> Structure:
        """Read a declaration such as "inward hop" or "diagonal definite"."""
        flow: Flow = "full"
        flags: list[str] = []
        for one in word(words, "the structure of an operator").replace(",", " ").split():
            if one in FLOWS:
                flow = one
            elif one in FLAGS:
                flags.append(one)
            else:
                raise InputError(
                    f"structure {shown(words)}: the word {shown(one)} is not known. Use {', '.join(FLOWS + FLAGS)}."
                )
        return cls.make(flow, flags)

    @classmethod
    def make(cls, flow: Flow, flags: Iterable[str] = ()) -> Structure:
        """A structure with all that its flags imply."""
        closed = _closure(flags)
        if "hop" in closed and flow not in ("inward", "outward"):
            raise InputError(f"a hop joins parent and child only, so it is inward or outward, not {flow}.")
        if {"strict", "invertible"} <= closed and flow != "full":
            raise InputError("a strict operator has zero diagonal blocks, so it is neither unit nor invertible.")
        return cls(flow, closed)

    def __reduce__(self) -> tuple[object, ...]:
        return Structure.make, (self.flow, tuple(sorted(self.flags)))  # the same bytes in every run

    def has(self, *flags: str) -> bool:
        """Whether all these flags are known to hold."""
        return self.flags.issuperset(flags)

    @property
    def T(self) -> Structure:
        """The structure of the adjoint."""
        turned: dict[Flow, Flow] = {"inward": "outward", "outward": "inward", "column": "row", "row": "column"}
        kept = self.flags if "invertible" in self.flags else self.flags - {"onto"}
        return Structure(turned.get(self.flow, self.flow), kept)

    @property
    def symmetric(self) -> bool:
        return "symmetric" in self.flags

    @property
    def definite(self) -> bool:
        return "definite" in self.flags

    @property
    def semidefinite(self) -> bool:
        return "semidefinite" in self.flags

    @property
    def unit(self) -> bool:
        return "unit" in self.flags

    @property
    def strict(self) -> bool:
        return "strict" in self.flags

    @property
    def hop(self) -> bool:
        return "hop" in self.flags

    @property
    def invertible(self) -> bool:
        return "invertible" in self.flags

    def __repr__(self) -> str:
        words: list[str] = ["block-diagonal" if self.flow == "diagonal" else self.flow]
        if self.hop:
            words.append("hop")
        elif self.strict and self.flow != "zero":
            words.append("strict")
        if self.unit and self.flow != "diagonal":
            words.append("unit diagonal")
        if self.symmetric and self.flow != "zero":
            words.append("symmetric")
        if self.definite:
            words.append("definite")
        elif self.semidefinite and self.flow != "zero":
            words.append("semidefinite")
        return ", ".join(words)


_RANK: dict[str, int] = {"zero": 0, "diagonal": 1, "inward": 2, "outward": 2, "related": 3, "full": 4}

_PRODUCT: dict[tuple[str, str], Flow] = {
    ("inward", "inward"): "inward",
    ("inward", "outward"): "related",
    ("inward", "related"): "related",
    ("outward", "outward"): "outward",
    ("outward", "inward"): "full",
    ("outward", "related"): "full",
    ("related", "inward"): "full",
    ("related", "outward"): "related",
    ("related", "related"): "full",
}


def join_flow(a: Flow, b: Flow) -> Flow:
    """The smallest flow that contains both: the flow of a sum."""
    if a == b:
        return a
    if a not in _RANK or b not in _RANK:
        return "full"
    if _RANK[a] == _RANK[b]:
        return "related"
    return a if _RANK[a] > _RANK[b] else b


def multiply_flow(a: Flow, b: Flow) -> Flow:
    """The flow of the product a b; the data pass through b first."""
    if "zero" in (a, b):
        return "zero"
    if a == "diagonal":
        return b
    if b == "diagonal":
        return a
    return _PRODUCT.get((a, b), "full")


def is_within(a: Flow, b: Flow) -> bool:
    """Whether every pattern of flow a is one of flow b."""
    return join_flow(a, b) == b


DIAGONAL_UNIT = Structure.make("diagonal", ("unit", "symmetric", "definite"))
ZERO = Structure("zero", _closure(("strict", "semidefinite")))
