"""The walk of a dense result or of one block as text: from the column's body inward, then outward to the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from operator_algebra.expressions.names import written
from operator_algebra.expressions.query import Query
from operator_algebra.programs.program import Output
from operator_algebra.programs.records import Ref, terms_of
from operator_algebra.programs.walk import Walk

if TYPE_CHECKING:
    from operator_algebra.pages.writer import Writer


@dataclass(frozen=True, slots=True)
class WalkLine:
    """One line of a walk, and why it is there; a line that only says where the walk is has no reason."""

    text: str
    reason: str = ""


def walk_lines(writer: Writer, output: Output) -> list[WalkLine]:
    """What is sent inward from body j, what its ancestors answer, what reaches the bodies below them."""
    walk = output.walk
    assert walk is not None
    return _Text(writer, walk, output).lines()


class _Text:
    def __init__(self, writer: Writer, walk: Walk, output: Output) -> None:
        self.writer = writer
        self.walk = walk
        self.output = output
        self.text: list[WalkLine] = []
        self.name = written(output.name, writer.style)
        read = self._read()
        self.sent = _free(("s", "t", "y"), len(walk.inward), read)
        self.arrived = _free(("w", "u", "z"), len(walk.inward), read)
        self.down = _free(("d", "e", "b"), len(walk.outward), read)
        self.turns = any(ref is not None for row in (*walk.d_z, *walk.theta) for ref in row)
        self.beta = [written(name, writer.style) for name in _indexed("beta", len(walk.outward))]

    def _read(self) -> set[str]:
        """The names of values that the lines of the walk read."""
        refs: list[Ref] = []

        def noted(ref: Ref) -> Ref:
            refs.append(ref)
            return ref

        self.walk.map(noted)
        return set(re.findall(r"\w+", " ".join(self.product(ref, "k") for ref in refs)))

    def product(self, ref: Ref, place: str, vector: str = "") -> str:
        """The block of a value at a body, times a vector."""
        step = self.writer.program.steps[ref.value]
        text = self.writer.at(ref.value, "k", ref.star).replace("(k)", f"({place})").replace("(k,", f"({place},")
        if step.inline and len(terms_of(step.definition)) > 1:
            text = f"({text})"
        if text == "I" and vector:
            return vector
        return f"{text} {vector}".strip()

    def sum(self, refs: Sequence[Ref | None], place: str, vectors: Sequence[str]) -> list[str]:
        return [self.product(ref, place, v) for ref, v in zip(refs, vectors, strict=True) if ref is not None]

    def head(self) -> list[str]:
        """Whose column it is, and what the letters say."""
        formula = self.output.formula
        whose = "every body j"
        if isinstance(formula, Query) and formula.kind == "block":
            whose = f"body j = {formula.places[1]}, as far as body i = {formula.places[0]}"
        says = [
            (self.sent, "sends to its parent"),
            (self.beta, "gets from its parent"),
            (self.down, "shows its children"),
        ]
        told = "; ".join(f"{names[0].split('_')[0]}: what a body {does}" for names, does in says if names)
        return [f"for {whose}", *([f"    ({told})"] if told else [])]

    def add(self, left: str, parts: list[str], words: str, *, read: bool = False) -> None:
        """An assignment with its reason; nothing is 0, which is written where the next body reads it."""
        if parts:
            self.text.append(WalkLine(f"    {left} = {self.writer.joined(parts)}", self.worded(words)))
        elif read:
            self.text.append(WalkLine(f"    {left} = 0", self.worded(words)))

    def worded(self, words: str) -> str:
        """Words with the bodies that they name."""
        name = "${}$" if self.writer.style == "latex" else "{}"
        return words.format(**{letter: name.format(letter) for letter in "ijcp"})

    def returned(self, place: str) -> None:
        """What comes back to a body of what it sent."""
        for beta, row in zip(self.beta, self.walk.theta, strict=True):
            parts = self.sum(row, place, [f"{s}({place})" for s in self.sent])
            self.add(f"{beta}({place})", parts, f"comes back from beyond the parent of {{{place}}}")

    def through(self, refs: Sequence[Ref | None], place: str) -> list[str]:
        """What a body makes of what came back."""
        here = [(f"{beta}({place})" if any(row) else "") for beta, row in zip(self.beta, self.walk.theta, strict=True)]
        return [self.product(ref, place, v) for ref, v in zip(refs, here, strict=True) if ref is not None and v]

    def lines(self) -> list[WalkLine]:
        """The whole walk."""
        self.text = [WalkLine(line) for line in self.head()]
        if not any((self.walk.out_x, self.walk.inward, self.walk.outward)):
            self.add(f"{self.name}(i,j)", [], "all of it cancels", read=True)
            return self.text
        self.at_the_column()
        if self.walk.inward:
            self.at_ancestors()
        if self.walk.outward:
            self.at_others()
        return self.text

    def at_the_column(self) -> None:
        """Body j, where the unit is."""
        walk, x = self.walk, self.name
        for s, ref in zip(self.sent, walk.s_x, strict=True):
            sent = [self.product(ref, "j")] if ref is not None else []
            self.add(f"{s}(j)", sent, "sent inward for a unit at {j}", read=True)
        self.returned("j")
        own = [self.product(walk.out_x, "j")] if walk.out_x is not None else []
        self.add(f"{x}(j,j)", own + self.through(walk.out_beta, "j"), "the block of {j} with itself")
        for d, ref, row in zip(self.down, walk.d_x, walk.d_beta, strict=True):
            parts = ([self.product(ref, "j")] if ref is not None else []) + self.through(row, "j")
            self.add(f"{d}(j)", parts, "what the children of {j} see of it", read=True)

    def at_ancestors(self) -> None:
        """The bodies on the path from j to the root."""
        walk, x = self.walk, self.name
        self.text.append(WalkLine("for its ancestors i, from the parent to the root; c is the child towards j"))
        for w, hop, s in zip(self.arrived, walk.inward, self.sent, strict=True):
            self.add(w, [f"{self.writer.block_of_hop(hop, hop.inward, 'i')} {s}(c)"], "arrives at {i} from {c}")
        for s, row in zip(self.sent, walk.s_z, strict=True):
            self.add(f"{s}(i)", self.sum(row, "i", self.arrived), "what {i} lets through to its parent", read=True)
        self.returned("i")
        rows = self.sum(walk.out_z, "i", self.arrived) + self.through(walk.out_beta, "i")
        self.add(f"{x}(i,j)", rows, "the block in row {i} of this column")
        for d, row, beta in zip(self.down, walk.d_z, walk.d_beta, strict=True):
            parts = self.sum(row, "i", self.arrived) + self.through(beta, "i")
            self.add(f"{d}(i)", parts, "what the other children of {i} see of it", read=self.turns)

    def at_others(self) -> None:
        """The bodies that hang below j and its ancestors."""
        walk, x = self.walk, self.name
        where = "below these, away from j" if self.turns else "below j"
        self.text.append(WalkLine(f"for the bodies i {where}; p is the parent of i"))
        for b, hop, d in zip(self.beta, walk.outward, self.down, strict=True):
            self.add(f"{b}(i)", [f"{self.writer.block_of_hop(hop, hop.inward, 'i')} {d}(p)"], "arrives at {i} from {p}")
        arriving = [f"{beta}(i)" for beta in self.beta]
        self.add(f"{x}(i,j)", self.sum(walk.out_beta, "i", arriving), "the block in row {i} of this column")
        for d, row in zip(self.down, walk.d_beta, strict=True):
            self.add(f"{d}(i)", self.sum(row, "i", arriving), "what {i} lets through to its children", read=True)


def _free(letters: Sequence[str], count: int, taken: set[str]) -> list[str]:
    """Names by the first letter that means nothing else in the walk."""
    choices = [_indexed(letter, count) for letter in letters]
    return next((names for names in choices if taken.isdisjoint(names)), choices[0])


def _indexed(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}_{i + 1}" for i in range(count)]
