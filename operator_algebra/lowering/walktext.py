"""The walk of a dense result or of one block as text: from the column's body inward, then outward to the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from operator_algebra.expressions.names import written
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.program import Output
from operator_algebra.lowering.transfer import Transfer
from operator_algebra.lowering.values import Hop, Linear, Ref

if TYPE_CHECKING:
    from operator_algebra.lowering.writer import Writer


def walk_lines(writer: Writer, output: Output) -> list[str]:
    """What is sent inward from body j, what its ancestors answer, what reaches the bodies below them."""
    walk = output.walk
    assert walk is not None
    return _Text(writer, walk, output).lines()


class _Text:
    def __init__(self, writer: Writer, walk: Transfer, output: Output) -> None:
        self.writer = writer
        self.walk = walk
        self.output = output
        self.name = written(output.name, writer.style)
        self.sent = _indexed("s", len(walk.inward))
        self.arrived = _indexed("w", len(walk.inward))
        self.down = _indexed("d", len(walk.outward))
        self.beta = [written(name, writer.style) for name in _indexed("beta", len(walk.outward))]

    def product(self, ref: Ref, place: str, vector: str = "") -> str:
        """The block of a value at a body, times a vector."""
        step = self.writer.program.steps[ref.value]
        text = self.writer.at(ref.value, "k", ref.star).replace("(k)", f"({place})").replace("(k,", f"({place},")
        definition = step.definition
        if step.inline and isinstance(definition, Linear) and len(definition.terms) > 1:
            text = f"({text})"
        if text == "I" and vector:
            return vector
        return f"{text} {vector}".strip()

    def sum(self, refs: Sequence[Ref | None], place: str, vectors: Sequence[str]) -> list[str]:
        return [self.product(ref, place, v) for ref, v in zip(refs, vectors, strict=True) if ref is not None]

    def hop(self, hop: Hop, place: str) -> str:
        return (
            self.writer.block_of_hop(hop, hop.inward).replace("(k,c)", f"({place},c)").replace("(p,k)", f"(p,{place})")
        )

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

    def lines(self) -> list[str]:
        walk, x = self.walk, self.name
        back = [
            (beta, self.sum(row, "{}", [f"{s}({{}})" for s in self.sent]))
            for beta, row in zip(self.beta, walk.theta, strict=True)
        ]

        def returned(place: str) -> list[str]:
            return [f"    {b}({place}) = {' + '.join(r)}".replace("{}", place) for b, r in back if r]

        def assignment(left: str, parts: list[str]) -> list[str]:
            return [f"    {left} = {' + '.join(parts)}"] if parts else []

        def here(place: str) -> list[str]:
            return [(f"{beta}({place})" if any(row) else "") for beta, row in zip(self.beta, walk.theta, strict=True)]

        def through(refs: Sequence[Ref | None], place: str) -> list[str]:
            pairs = [(ref, v) for ref, v in zip(refs, here(place), strict=True) if ref is not None and v]
            return [self.product(ref, place, v) for ref, v in pairs]

        text = self.head()
        for s, ref in zip(self.sent, walk.s_x, strict=True):
            text += assignment(f"{s}(j)", [self.product(ref, "j")] if ref is not None else [])
        text += returned("j")
        own = [self.product(walk.out_x, "j")] if walk.out_x is not None else []
        text += assignment(f"{x}(j,j)", own + through(walk.out_beta, "j"))
        for d, ref, row in zip(self.down, walk.d_x, walk.d_beta, strict=True):
            text += assignment(f"{d}(j)", ([self.product(ref, "j")] if ref is not None else []) + through(row, "j"))
        if walk.inward:
            text += ["for its ancestors i, from the parent to the root; c is the child towards j"]
            for w, hop, s in zip(self.arrived, walk.inward, self.sent, strict=True):
                text += [f"    {w} = {self.hop(hop, 'i')} {s}(c)"]
            for s, row in zip(self.sent, walk.s_z, strict=True):
                text += assignment(f"{s}(i)", self.sum(row, "i", self.arrived))
            text += returned("i")
            rows = self.sum(walk.out_z, "i", self.arrived) + through(walk.out_beta, "i")
            text += assignment(f"{x}(i,j)", rows)
            for d, row, beta in zip(self.down, walk.d_z, walk.d_beta, strict=True):
                text += assignment(f"{d}(i)", self.sum(row, "i", self.arrived) + through(beta, "i"))
        if walk.outward:
            text += ["for the bodies i below these, away from j; p is the parent of i"]
            for b, hop, d in zip(self.beta, walk.outward, self.down, strict=True):
                text += [f"    {b}(i) = {self.hop(hop, 'i')} {d}(p)"]
            arriving = [f"{beta}(i)" for beta in self.beta]
            text += assignment(f"{x}(i,j)", self.sum(walk.out_beta, "i", arriving))
            for d, row in zip(self.down, walk.d_beta, strict=True):
                text += assignment(f"{d}(i)", self.sum(row, "i", arriving))
        return text


def _indexed(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}_{i + 1}" for i in range(count)]
