"""A decision without search: both sides in generic dense matrices modulo a large prime, no tree at all.

A claim without `diag` and local functions is true on every forest exactly if it is true in generic matrices of every
size; see docs/explain/decision.md for the argument and for where the bound on the size comes from.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from operator_algebra.expressions.nodes import Diag, Expr, Fixpoint, Local, Root, Symbol
from operator_algebra.expressions.traverse import children_and_definition, fold, free_symbols, postorder
from operator_algebra.identities.identity import Identity
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.proofs.fields import LARGE, Array, Field, Mask, Residues
from operator_algebra.proofs.freed import Freed, Pivot, pivots, recursions
from operator_algebra.proofs.models import Domain
from operator_algebra.proofs.samples import driving, squared
from operator_algebra.proofs.values import Values

DRAWS = 2
"""How often generic matrices are drawn."""

_FAMILIES = {"spatial", "joint"}
_FREE_WORDS = {"any J", "any G", "J = 0", "serial"}


@dataclass(frozen=True)
class Decision:
    """Whether both sides agree in generic matrices, and of which size.

    `holds` False is certain. True is certain but for chance from `bound` on, a spatial size that needs no faith; None
    where no such size is known. `spatial` and `joint` are the sizes of the matrices that were drawn.
    """

    holds: bool
    spatial: int
    joint: int
    prime: int
    draws: int
    bound: int | None

    @property
    def enough(self) -> bool:
        """Whether nothing but chance stands between agreement and truth."""
        return self.bound is not None and self.spatial >= self.bound

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        verdict = "agree" if self.holds else "differ"
        known = "no bound is known" if self.bound is None else f"bound {self.bound}"
        return (
            f"both sides {verdict} in generic matrices of size {self.spatial} (joints {self.joint}) "
            f"modulo {self.prime}, {self.draws} draws; {known}"
        )


def decide(claim: Identity, *, joint: int = 4) -> Decision | None:
    """Whether a claim holds in generic matrices, spatial ones twice as large as joints; None if that says nothing.

    >>> from operator_algebra.identities.catalogue import law_named
    >>> print(decide(law_named("factor inverse")))
    both sides agree in generic matrices of size 8 (joints 4) modulo 268435399, 2 draws; bound 68
    >>> decide(law_named("factor inverse"), joint=34).enough
    True
    """
    sides = claim.lhs, claim.rhs
    known = recursions(sides)
    solved = [one for one in known if one is not None]
    drivers = {one.driver for one in solved}
    if not _speaks_of(claim) or len(solved) < len(known) or len(drivers) < len(solved):
        return None
    turned = pivots(sides)
    if any(isinstance(node, Root) and node not in {p.root for p in turned} for node in _nodes(sides)):
        return None
    if not all(_equal(sides, generic(sides, n, d, 1, still=True))[1].all() for n, d in ((1, 0), (1, 1))):
        return None  # it is not defined on bodies that nothing joins
    # A user's space as large as that of the joints would make what leads there invertible: it is drawn smaller, too.
    found = [_equal(sides, generic(sides, 2 * joint, joint, DRAWS, own=own)) for own in _own_sizes(sides, joint)]
    if not found[0][1].any():
        return None
    holds = all(bool(equal[sound].all()) for equal, sound in found)
    return Decision(holds, 2 * joint, joint, LARGE, DRAWS, bound(claim))


def _own_sizes(sides: tuple[Expr, Expr], joint: int) -> tuple[int, ...]:
    """The sizes of a user's spaces that are tried, if there are any."""
    there = {
        s for node in _nodes(sides) if node.typed for s in (*node.type.codomain.summands, *node.type.domain.summands)
    }
    own = any(space.counted is None and space.sizes not in (*_FAMILIES, "one") for space in there)
    return (max(1, joint // 2), joint) if own else (joint,)


def _speaks_of(claim: Identity) -> bool:
    """Whether generic matrices know all that a claim speaks of."""
    sides = claim.lhs, claim.rhs
    if not _FREE_WORDS.issuperset(claim.domain) or Domain.of(sides, claim.domain).physical:
        return False
    return not any(isinstance(node, Diag | Local) for node in _nodes(sides))


def _nodes(sides: tuple[Expr, ...]) -> list[Expr]:
    return list(dict.fromkeys(node for side in sides for node in postorder(side, children_and_definition)))


def _equal(sides: tuple[Expr, Expr], values: Values) -> tuple[Mask, Mask]:
    """At which draws both sides are equal, and at which both are defined."""
    left, right = (values.value(side) for side in sides)
    apart = values.field.settled(left.array - right.array) != 0
    return ~apart.any(axis=(1, 2)), left.sound & right.sound


# -- generic matrices --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _field() -> Field:
    return Residues(LARGE)


def generic(
    formulas: tuple[Expr, ...], spatial: int, joint: int, draws: int, *, own: int | None = None, still: bool = False
) -> Values:
    """Values of formulas in generic matrices of a size; `still` makes strict leaves zero, such as shifts.

    Spaces of a user are as large as those of joints, unless `own` says how large they are.

    >>> from operator_algebra.symbols import G, H
    >>> generic((G,), 4, 2, 1).value(H @ G).array.tolist()
    [[[1, 0], [0, 1]]]
    """
    found = frozenset(symbol for e in formulas for symbol in free_symbols(e))
    solved = tuple(one for one in recursions(formulas) if one is not None)
    leaves = tuple(sorted({*found, *(one.driver for one in solved)}, key=lambda leaf: leaf.name))
    size = (spatial, joint, joint if own is None else own, draws)
    return _drawn(leaves, solved, pivots(formulas), size, still=still)


@lru_cache(maxsize=32)
def _drawn(
    leaves: tuple[Symbol, ...],
    solved: tuple[Freed, ...],
    turned: tuple[Pivot, ...],
    size: tuple[int, int, int, int],
    *,
    still: bool,
) -> Values:
    """Leaves and solutions of recursions are drawn, what drives these follows."""
    field = _field()
    spatial, joint, own, draws = size
    tree = _one_body(leaves, spatial, joint, own)
    drivers = {one.driver for one in solved}
    given: dict[Expr, Array] = {
        leaf: _draw(field, tree, leaf, draws, still=still) for leaf in leaves if leaf not in drivers
    }
    roots = {pivot.of: pivot for pivot in turned}
    sound: Mask | None = None
    for one in solved:
        solution = _draw(field, tree, one.solution, draws)
        pivot = roots.get(one)
        if pivot is not None:
            root = given[pivot.root] = _draw(field, tree, pivot.root, draws)
            solution, sound = squared(field, tree, given, pivot, solution, root, sound, generic=True)
        given[one.driver], fine = driving(field, tree, given, one, solution, generic=True)
        given[one.solution] = solution
        sound = fine if sound is None else sound & fine
    return Values(field, tree, given, draws, sound=sound, generic=True)


def _one_body(leaves: tuple[Symbol, ...], spatial: int, joint: int, own: int) -> Mechanism:
    """One body for all: blocks are as large as matrices."""
    sizes: dict[str, tuple[int, ...]] = {"spatial": (spatial,), "joint": (joint,)}
    for leaf in leaves:
        for space in (leaf.type.codomain, leaf.type.domain):
            for part in space.summands:
                if part.counted is None and part.sizes != "one":
                    sizes.setdefault(part.sizes, (own,))
    return Mechanism((-1,), sizes)


def _draw(field: Field, tree: Mechanism, e: Expr, draws: int, *, still: bool = False) -> Array:
    """Any matrix of the declared symmetry, each the same for all claims."""
    rows, cols = tree.whole(e.type.codomain), tree.whole(e.type.domain)
    structure = e.structure
    if structure.flow == "zero" or (still and structure.strict):
        return field.zeros(draws, rows, cols)
    if still and structure.unit:
        return field.identity(draws, rows)
    rng = random.Random(f"{e.render('ascii')} {e.type} {rows} {cols}")
    stack = [[[rng.randrange(LARGE) for _ in range(cols)] for _ in range(rows)] for _ in range(draws)]
    made = field.array(stack).reshape(draws, rows, cols)
    if structure.symmetric:
        made = field.settled(made + made.transpose(0, 2, 1))
    return field.settled(made + field.identity(draws, rows)) if structure.unit else made


# -- how large ---------------------------------------------------------------------------------------------------------


def bound(claim: Identity) -> int | None:
    """From which spatial size on agreement needs no faith: twice 2 ⌊m/2⌋ + 2, m the size of a linear realization.

    Each occurrence of a letter a × b counts the smaller of a and b, with 2 for spatial spaces and 1 for joints; sums
    and products add, constants and inverses are free. None is known for columns, and for the spaces of a user.
    """
    sides = claim.lhs, claim.rhs
    nodes = _nodes(sides)
    if not all({s.sizes for s in (n.type.codomain, n.type.domain)} <= _FAMILIES for n in nodes if n.typed):
        return None
    solved = [one for one in recursions(sides) if one is not None]
    sizes: dict[Expr, int] = {one.solution: _letter(one.solution) for one in solved}
    for pivot in pivots(sides):
        sizes[pivot.root] = _letter(pivot.root)
        # X + A⁺ (L L* − D) A⁺*, with A⁺ = A* (A A*)⁻¹.
        sizes[pivot.of.solution] += 6 * _letter(pivot.outer) + 2 * sizes[pivot.root] + _size(pivot.root.body, sizes)
    for one in solved:
        inside = {**sizes, one.solution.variable: sizes[one.solution], one.driver: 0}
        sizes[one.driver] = sizes[one.solution] + _size(one.solution.body, inside)
    return 4 * (sum(_size(side, sizes) for side in sides) // 2 + 1)


def _size(e: Expr, known: Mapping[Expr, int]) -> int:
    """The size of a linear realization of a formula, each definition written out wherever it stands."""

    def below(node: Expr) -> tuple[Expr, ...]:
        return () if node in known or isinstance(node, Fixpoint) else children_and_definition(node)

    def combine(node: Expr, parts: tuple[int, ...]) -> int:
        if node in known:
            return known[node]
        if isinstance(node, Symbol) and node.definition is None:
            return _letter(node)
        return sum(parts)

    return fold(e, combine, below)


def _letter(e: Expr) -> int:
    return min(2 if space.sizes == "spatial" else 1 for space in (e.type.codomain, e.type.domain))
