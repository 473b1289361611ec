"""A model that contradicts a claim, in exact numbers, and what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from operator_algebra.expressions.nodes import Symbol
from operator_algebra.identities.identity import Identity, Law
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.proofs.orders import is_positive
from operator_algebra.proofs.rigid import Number, Rows
from operator_algebra.proofs.samples import Plan, Sample
from operator_algebra.proofs.statements import Pair
from operator_algebra.proofs.values import Values

Block = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Counterexample:
    """A tree with exact blocks at which both sides of a claim differ.

    `leaves` are whole operators by name; `left` and `right` both sides; `entry` is the first place at which these
    differ, `block` the bodies that it stands between. `positive` says whether all that is declared definite is so:
    where a root needs a square, an inertia follows, and may be none of a real body.
    """

    claim: Law
    tree: Mechanism
    leaves: Mapping[Symbol, Rows]
    left: Rows
    right: Rows
    entry: tuple[int, int]
    block: Block | None
    elsewhere: int
    positive: bool

    @property
    def parent(self) -> tuple[int, ...]:
        """The parent of each body, −1 for the ground."""
        return self.tree.parent

    def __repr__(self) -> str:
        return f"{self._mechanism()}: {self._difference()}"

    def __str__(self) -> str:
        return self.describe()

    def describe(self) -> str:
        """The mechanism, its blocks, and where the sides differ.

        >>> from operator_algebra.identities.catalogue import law_named
        >>> from operator_algebra.identities.identity import Identity
        >>> from operator_algebra.proofs.refute import refute
        >>> twin = law_named("factor inverse").twins[0]
        >>> print(refute(Identity(twin.slip, twin.lhs, twin.rhs)))
        smallest counter-example: 2 bodies, parents [-1, 0]
        E_φ(0, 1) = 1; H = 1; M = 1
        block (0, 1) is -1 on the left, 1 on the right; equal everywhere else
        """
        more = "1 more entry differs" if self.elsewhere == 1 else f"{self.elsewhere} more entries differ"
        rest = more if self.elsewhere else "equal everywhere else"
        edges = any(above >= 0 for above in self.parent)
        blocks = [self._leaf(leaf) for leaf in self.leaves if edges or not leaf.structure.hop]
        lines = [f"smallest counter-example: {self._mechanism()}", *(["; ".join(blocks)] if blocks else [])]
        lines.append(f"{self._difference()}; {rest}")
        if not self.positive:
            lines.append("(an inertia that is not positive: no real body has it, but the algebra does not see that)")
        return "\n".join(lines)

    def _mechanism(self) -> str:
        count = len(self.parent)
        return "1 body" if count == 1 else f"{count} bodies, parents {list(self.parent)}"

    def _difference(self) -> str:
        i, j = self.entry
        place = f"entry ({i}, {j})"
        if self.block is not None:
            place = f"block ({self.block[0]}, {self.block[1]})"
            if self._many(self.left):
                place = f"entry ({i}, {j}), in {place},"
        return f"{place} is {self.left[i][j]} on the left, {self.right[i][j]} on the right"

    def _many(self, rows: Rows) -> bool:
        """Whether blocks have more entries than one."""
        return len(rows) > len(self.parent) or len(rows[0]) > len(self.parent)

    def blocks(self, leaf: Symbol) -> dict[Block, Rows]:
        """The blocks of a leaf that are not zero."""
        rows, cols = (_parts(self.tree, space) for space in (leaf.type.codomain, leaf.type.domain))
        whole = self.leaves[leaf]
        found = {
            (i, j): [row[here.start : here.stop] for row in whole[there.start : there.stop]]
            for i, there in enumerate(rows)
            for j, here in enumerate(cols)
        }
        return {place: block for place, block in found.items() if any(map(any, block))}

    @property
    def row_ends(self) -> tuple[int, ...]:
        """The rows of an equation at which the next body begins."""
        return self._ends(self.claim.lhs.type.codomain) if isinstance(self.claim, Identity) else ()

    @property
    def column_ends(self) -> tuple[int, ...]:
        """The columns of an equation at which the next body begins."""
        return self._ends(self.claim.lhs.type.domain) if isinstance(self.claim, Identity) else ()

    def _ends(self, space: Space) -> tuple[int, ...]:
        return tuple(part.start for part in _parts(self.tree, space)[1:])

    def _leaf(self, leaf: Symbol) -> str:
        name, found = leaf.render(), self.blocks(leaf)
        if not found:
            return f"{name} = 0"
        texts = {place: _text(block) for place, block in found.items()}
        local = leaf.structure.flow in ("diagonal", "column")
        if local and len(texts) == len(self.parent) and len(set(texts.values())) == 1:
            return f"{name} = {next(iter(texts.values()))}"
        if leaf.structure.flow == "small":
            return f"{name} = {texts[0, 0]}"
        places = {place: str(place[0]) if local else f"{place[0]}, {place[1]}" for place in texts}
        return ", ".join(f"{name}({places[place]}) = {text}" for place, text in texts.items())


def _parts(tree: Mechanism, space: Space) -> list[range]:
    sizes = [tree.size(space, k) for k in tree.bodies] if space.attached else [tree.whole(space)]
    return [range(sum(sizes[:k]), sum(sizes[: k + 1])) for k in range(len(sizes))]


def _text(block: Rows) -> str:
    """[1 2; 3 4], I, or a number alone."""
    if len(block) == 1 and len(block[0]) == 1:
        return str(block[0][0])
    if all(len(row) == len(block) and x == (i == j) for i, row in enumerate(block) for j, x in enumerate(row)):
        return "I"
    return "[" + "; ".join(" ".join(map(str, row)) for row in block) + "]"


def located(claim: Law, plan: Plan, sample: Sample, values: Values, pair: Pair) -> Counterexample:
    """The record of a sample in fractions at which two matrices differ."""
    left, right = (_rows(side.array[0].tolist()) for side in pair)
    apart = [(i, j) for i, row in enumerate(left) for j, x in enumerate(row) if x != right[i][j]]
    entry = apart[0]
    leaves = {leaf: _rows(values.value(leaf).array[0].tolist()) for leaf in plan.leaves}
    positive = all(is_positive(leaves[pivot.of.driver], strictly=True) for pivot in plan.pivots)
    tree = Mechanism(sample.parent, plan.tree.sizes)
    return Counterexample(
        claim, tree, leaves, left, right, entry, _block(claim, values, entry), len(apart) - 1, positive
    )


def _block(claim: Law, values: Values, entry: tuple[int, int]) -> Block | None:
    """The bodies that an entry of both sides of an equation stands between."""
    if not isinstance(claim, Identity) or not (claim.lhs.type.domain.attached and claim.lhs.type.codomain.attached):
        return None
    spaces = claim.lhs.type.codomain, claim.lhs.type.domain
    row, col = (int(values.owners(space)[k]) for space, k in zip(spaces, entry, strict=True))
    return row, col


def _rows(values: Rows) -> Rows:
    return [[_number(x) for x in row] for row in values]


def _number(x: Number) -> Number:
    return x.numerator if isinstance(x, Fraction) and x.denominator == 1 else x
