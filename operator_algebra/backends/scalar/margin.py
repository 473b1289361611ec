"""What the pivots of a definite mechanism can lose at most, in a few operations, some of them or all known beforehand.

Let body j have the velocity V(j) when pivot D(k) is moved at unit rates y and all joints further out are free. Then

    y* D y = Σ V* M V + what joints store,    y* r = Σ V* w + V⁻* w⁺    over the bodies j that k carries,

V⁻ being what the parent hands on. One freedom changes V by a multiple of H*, so H† (V − φ* V(parent)) is its rate, and
V⁻ = V − H* times that. So y* r = Σ V* u with u = w + (1 − H† H) w⁺ + what children have added, φ H† H w⁺ of each, and,
by Cauchy's inequality, r* D⁻¹ r ≤ Σ u* M⁻¹ u: a quadratic form in the roots of the entries P(i, i), bounded by a sum of
these entries with weights. P is no larger than the inertia of all that the body carries, and that no larger than its
levers allow.

Bodies may pay for each other: of V* M V a part that no angle of the hinge between two takes away counts for either.

Where light links carry heavy ones, as in hips and shoulders made of several joints, that is too much: what they lose
depends on the pose. Their w alone runs along with the sweeps then, and what the others cause is bounded beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from operator_algebra.backends.backend import SMALL
from operator_algebra.backends.scalar.algebra import NodeNumbers, Product, Turned
from operator_algebra.backends.scalar.graph import Graph, Node, needed
from operator_algebra.backends.scalar.lumps import Hinge, Key, Lump, Unknown, moving
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.lowering.bounds import Elimination, elimination
from operator_algebra.models.numeric import Numbers as Floats
from operator_algebra.programs.instructions import Rounding
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.program import Pivot
from operator_algebra.programs.records import Term

_HALF = 3
"""A motion or a force is an angular half and a linear one, which a turn mixes with nothing else."""
_SPARE = 0.5
"""The part of what may be lost that is left to what is not computed, but bounded beforehand."""
_REST = 0.5
"""What is left of it to bodies of which it is known, where others carry it along."""
_APART = 0.25
"""(a + b)² ≤ (1 + c) a² + (1 + 1/c) b², for what is known beside what is carried along."""
_SPARE_BESIDE = 0.1
"""The part that is left to what is not computed there."""
_SAME = 1e-9
"""What differs by less of the largest is the same but for rounding."""
_LARGEST_SIGN = 1.25
_BESIDE = 1 / 8
"""(a + b)² ≤ (1 + c) a² + (1 + 1/c) b², for what D rounds beside what reaches it."""


def margin(run: Interpreter, pivot: Pivot, graph: Graph, tried: Floats) -> tuple[Node, ...] | None:
    """Nodes whose sum is no less than what a pivot loses, over 1 / `SMALL`; None where nothing is known.

    What does not depend on the configuration is found at those of `tried`, (coordinates, samples).
    """
    parts = elimination(run.program, pivot)
    if parts is None:
        return None
    try:
        return Margins(run, parts, graph, tried).nodes(pivot)
    except Unknown:
        return None


def of_configurations(nodes: Iterable[Node], nq: int) -> bool:
    """Whether nodes read no argument but the coordinates."""
    return all(node.operation != "input" or node.value < nq for node in needed(nodes))


def _values(nodes: tuple[Node, ...], tried: Floats) -> Floats:
    """Nodes at the configurations tried, (node, sample), which may not read anything else."""
    if not of_configurations(nodes, len(tried)):
        raise Unknown
    _, found = Tape.of(Traced((), nodes, (), ()), len(tried)).batch(tried)
    return found


@dataclass(frozen=True)
class Divided:
    """A bound in two parts: what most bodies cause is known, what a few cause is carried along with the sweeps.

    They are far lighter than what they carry, so that only the pose tells whether anything is lost there.
    """

    known: tuple[Node, ...]
    """Its part of what is lost."""
    factor: float
    """So many times what is carried is the other part."""
    w: Rounding
    w_plus: Rounding
    inside: frozenset[int]
    """The bodies of which w is carried."""
    plus: Mapping[int, Floats]
    """What of w⁺ is carried, as a projection, where anything is."""

    def carried(self, rounding: Rounding, k: int, made: Matrix, graph: Graph) -> Matrix:
        """The columns of rounding at a body, without what is known."""
        if rounding == self.w and k in self.inside:
            return made
        projection = self.plus.get(k) if rounding == self.w_plus else None
        if projection is None:
            return Matrix([[graph.zero] * made.width] * made.height, made.width)
        onto = Matrix([[graph.of(x) for x in row] for row in projection.tolist()], 6)
        return NodeNumbers.over(graph).product(onto, made)


def divided(run: Interpreter, pivot: Pivot, graph: Graph, tried: Floats) -> Divided | None:
    """The bodies whose rounding is carried along, in the configurations tried; None where nothing is known."""
    parts = elimination(run.program, pivot)
    if parts is None or parts.sums:
        return None
    try:
        return Margins(run, parts, graph, tried).divided(tried)
    except Unknown:
        return None


class Margins:
    """What is known of a mechanism beforehand, and bounds that follow from it."""

    def __init__(self, run: Interpreter, parts: Elimination, graph: Graph, tried: Floats) -> None:
        self.run = run
        self.parts = parts
        self.graph = graph
        self.parent = run.mechanism.parent
        bodies = run.mechanism.bodies
        self.H: list[Matrix] = [run.numbers.product(*(run.get(ref, k) for ref in parts.H)) for k in bodies]
        self.freedoms = [block.height for block in self.H]
        self.inertia = [fixed(self._sum(parts.own, 6, k)) for k in bodies]
        self.hops = [run.hop(parts.hop, k) if self.parent[k] >= 0 else None for k in bodies]
        self.moved = moving(self.H, (hop for hop in self.hops if hop is not None))
        for k in bodies:
            rest = fixed(self._sum(parts.rest, self.freedoms[k], k)) if parts.rest else np.zeros((1, 1))
            if rest.size and np.linalg.eigvalsh(rest)[0] < 0.0:
                raise Unknown
            if self.inertia[k].shape != (6, 6):
                raise Unknown
        self.axes = self._axes(tried)

    def nodes(self, pivot: Pivot) -> tuple[Node, ...]:
        """The weighted entries of P; numbers stand for those that need not be computed."""
        usual = self._reach(bounded=False)
        weights: dict[Key, float] = {}
        for lump in self._lumps().values():
            lump.weigh(lump.form(), usual, weights)
        found = self._weighted(weights, SMALL * (1.0 + _BESIDE if self.parts.sums else 1.0), _SPARE)
        sums = [one for k in self.run.mechanism.bodies for one in self._summed(pivot, k)] if self.parts.sums else []
        return _collected(self.graph, [*found, *sums])

    def divided(self, tried: Floats) -> Divided:
        """The bodies that lose most, until the others lose little."""
        keys = [(k, i) for k in self.run.mechanism.bodies for i in self.moved]
        entries = tuple(self.run.get(self.parts.P, k).rows[i][i] for k, i in keys)
        squares = _values(entries, tried)
        if not np.isfinite(squares).all():  # where they were tried D has no inverse
            raise Unknown
        usual = dict(zip(keys, np.sqrt(squares.max(axis=1, initial=0.0)).tolist(), strict=True))
        lumps = self._lumps(tried)
        forms = {k: lump.form() for k, lump in lumps.items()}
        lost = {k: SMALL * lump.value(forms[k], usual) for k, lump in lumps.items()}
        rest, carried = sum(lost.values()), set[int]()
        for k in sorted(lost, key=lost.__getitem__, reverse=True):
            if rest > _REST:
                carried.add(k)
                rest -= lost[k]
        weights: dict[Key, float] = {}
        for k in lumps.keys() - carried:
            lumps[k].weigh(forms[k], usual, weights)
        found = self._weighted(weights, SMALL * (1.0 + _APART), _SPARE_BESIDE)
        at = [self._paying(k) for k in self.run.mechanism.bodies]
        plus = {k: part for k in self.run.mechanism.bodies if (part := self._passing(k, at, carried)).any()}
        inside = frozenset(k for k, payer in enumerate(at) if payer in carried)
        known = _collected(self.graph, found)
        return Divided(known, 1.0 + 1.0 / _APART, self.parts.w, self.parts.w_plus, inside, plus)

    def _paying(self, k: int) -> int:
        """The body of whose motion that of a body is a part."""
        while not self.freedoms[k] and self.parent[k] >= 0:
            k = self.parent[k]
        return k

    def _passing(self, k: int, paying: Sequence[int], carried: set[int]) -> Floats:
        """Onto that part of w⁺ which bodies in `carried` bear: along the joint the parent, else the body itself."""
        own, n = paying[k] in carried, self.freedoms[k]
        if self.parent[k] < 0 or not n:
            return np.eye(6) * (own and not n)
        above = paying[self.parent[k]] in carried
        if n > 1:
            return np.eye(6) * above
        H = fixed(self.H[k])
        along = H.T @ H / (H @ H.T)
        return along * above + (np.eye(6) - along) * own

    def _weighted(self, weights: Mapping[Key, float], factor: float, spare: float) -> list[Node]:
        """Entries of P times their weights; the largest that there can be where that is little."""
        largest = self._reach(bounded=True)
        graph, found = self.graph, list[Node]()
        left = spare
        for key, weight in sorted(weights.items(), key=lambda one: one[1] * largest[one[0]] ** 2):
            k, i = key
            share = factor * weight
            entry = self.run.get(self.parts.P, k).rows[i][i]
            most = share * largest[key] ** 2
            if most <= left and not entry.known:
                left -= most
                found.append(graph.of(most))
            else:
                found.append(graph.multiply(graph.of(share), entry))
        return found

    def _summed(self, pivot: Pivot, k: int) -> list[Node]:
        """What D and its rest, which is no larger, round themselves: w* D⁻¹ w ≤ n Σ w(i)² D⁻¹(i, i)."""
        block = self.run.blocks[pivot.value][k]
        factor = SMALL * (1.0 + 1.0 / _BESIDE) * (_LARGEST_SIGN * self.parts.sums) ** 2 * block.height
        if block.height == 1:
            return [self.graph.of(factor)]
        inverse = self.run.numbers.inverse(block)
        return [
            self.graph.multiply(self.graph.of(factor), self.graph.multiply(block.rows[i][i], inverse.rows[i][i]))
            for i in range(block.height)
        ]

    def _sum(self, terms: Sequence[Term], size: int, k: int) -> Matrix:
        blocks = [self.run.term(term, size, k) for term in terms]
        return self.run.numbers.sum(blocks, size, size)

    # -- how large P is --------------------------------------------------------------------------------------------

    def _reach(self, *, bounded: bool) -> dict[Key, float]:
        """A root of each entry of P: the largest that there can be, or a usual one where lengths have no bound."""
        halves = np.zeros((len(self.parent), 2))  # squares of the sizes of the halves of what a body carries
        found: dict[Key, float] = {}
        for k in reversed(self.run.mechanism.bodies):
            own = self.inertia[k]
            for i in range(6):
                found[k, i] = float(np.sqrt(own[i, i] + halves[k, i // _HALF]))
            halves[k] += [np.linalg.eigvalsh(own[:3, :3])[-1], np.linalg.eigvalsh(own[3:, 3:])[-1]]
            if self.parent[k] >= 0:
                with np.errstate(invalid="ignore"):  # a lever without bound of what has no mass
                    halves[self.parent[k]] += (self._levers(k, bounded=bounded) @ np.sqrt(halves[k])) ** 2
        return found

    def _levers(self, k: int, *, bounded: bool) -> Floats:
        """How the hop of an edge changes the sizes of the two halves, 2 × 2."""
        hop = self.hops[k]
        assert hop is not None
        found = np.eye(2)
        for factor in hop.factors if isinstance(hop, Product) else (hop,):
            if isinstance(factor, Turned):
                continue
            corner = [[entry.value if entry.known else None for entry in row] for row in factor.rows]
            if bounded and any(entry is None for row in corner for entry in row):
                return np.array([[1.0, np.inf], [0.0, 1.0]])
            block = np.array([[entry or 0.0 for entry in row] for row in corner])
            if block[3:, :3].any():
                raise Unknown
            sizes = [[np.linalg.norm(block[i : i + 3, j : j + 3], 2) for j in (0, 3)] for i in (0, 3)]
            found = found @ np.array(sizes)
        return found

    # -- where rounding goes ---------------------------------------------------------------------------------------

    def _lumps(self, tried: Floats | None = None) -> dict[int, Lump]:
        """The bodies, those without freedom joined to their parents; with configurations, inertia is lent."""
        hinges = {} if tried is None else self._hinges(tried)
        lumps = [Lump(inertia, self.moved) for inertia in self.inertia]
        whole: dict[int, Lump] = {}
        for k in reversed(self.run.mechanism.bodies):
            w, w_plus = self._signs(self.parts.w, k), self._signs(self.parts.w_plus, k)
            fixed = self.parent[k] >= 0 and not self.freedoms[k]
            own, above = self._split(w_plus, k)
            for i in self.moved:
                added = w[i] + own[i]
                lumps[k].add((k, i), added if fixed else w[i], added, np.zeros(6))
            if above is not None:
                over = lumps[self.parent[k]]
                for i in self.moved:
                    signed, unsigned = above[0][i], above[1][i]
                    over.add((k, i), signed, signed, unsigned)
            if fixed:
                self._join(lumps[k], lumps[self.parent[k]], k)
            elif self.freedoms[k]:
                whole[k] = lumps[k]
            if k in hinges:
                hinges[k].inward(lumps[k], lumps[self.parent[k]])
        for k in sorted(hinges.keys() & whole.keys()):
            if self.parent[k] in whole:
                hinges[k].outward(whole[k], whole[self.parent[k]])
        return whole

    def _hinges(self, tried: Floats) -> dict[int, Hinge]:
        """The edges that turn about an axis which stands still in both bodies, through an origin that does."""
        found: dict[int, Hinge] = {}
        for k, hop in enumerate(self.hops):
            H = fixed(self.H[k]) if self.freedoms[k] == 1 else np.ones((1, 6))
            levers = [one for one in hop.factors if not isinstance(one, Turned)] if isinstance(hop, Product) else []
            if hop is None or H[0, _HALF:].any() or any(not x.known for one in levers for row in one.rows for x in row):
                continue
            entries = tuple(x for row in hop.rows for x in row)
            phi = _values(entries, tried[:, :1]).reshape(6, 6)
            found[k] = Hinge(H[0, :_HALF], phi)
        return found

    def _signs(self, rounding: Rounding, k: int) -> Floats:
        """w for a root of one at each place alone, (place, column, 6)."""
        assert self.run.signs is not None
        signs = fixed(self.run.signs(6, rounding.salt, k)) * float(self.run.rounding_unit(rounding, k))
        return np.stack([np.outer(column, np.eye(6)[i]) for i, column in enumerate(signs)])

    def _split(self, w_plus: Floats, k: int) -> tuple[Floats, tuple[Floats, Floats] | None]:
        """What w⁺ adds to u at the body, and at its parent: signed, (place, column, 6), or as sizes, (place, 6)."""
        n = self.freedoms[k]
        if self.parent[k] < 0 or not n:  # nothing goes on, or V is V⁻
            return (w_plus if not n else np.zeros_like(w_plus)), None
        sizes = np.abs(w_plus).max(axis=1)
        levers = self._levers(k, bounded=True)
        if n > 1:
            return np.zeros_like(w_plus), (np.zeros_like(w_plus), _passed(levers, sizes))
        H = fixed(self.H[k])
        inverse = H / (H @ H.T)
        own = w_plus @ (np.eye(6) - inverse.T @ H).T
        return own, (w_plus @ H.T @ self.axes[k][None, :], np.zeros((6, 6)))

    def _axes(self, tried: Floats) -> dict[int, Floats]:
        """φ H†* of joints of one freedom: where H is constant, so is φ H*, whose rate is φ cross(H*) H* v = 0."""
        passed: dict[int, list[Node]] = {}
        for k, hop in enumerate(self.hops):
            if hop is not None and self.freedoms[k] == 1:
                H = fixed(self.H[k])
                passed[k] = [row[0] for row in self.run.numbers.product(hop, self._constant((H / (H @ H.T)).T)).rows]
        nodes = tuple(node for column in passed.values() for node in column)
        found = _values(nodes, tried)
        if np.ptp(found, axis=1).max(initial=0.0) > _SAME * np.abs(found).max(initial=0.0):
            raise Unknown
        return dict(zip(passed, found[:, 0].reshape(-1, 6), strict=True))

    def _join(self, lump: Lump, over: Lump, k: int) -> None:
        """What V(parent) does, since φ* takes it to V."""
        hop = self.hops[k]
        assert hop is not None
        phi = fixed(hop)
        over.inertia = over.inertia + phi @ lump.inertia @ phi.T
        for key, inside, unsigned in zip(lump.keys, lump.inside, lump.unsigned, strict=True):
            over.add(key, inside @ phi.T, inside @ phi.T, np.abs(phi) @ np.abs(unsigned))

    def _constant(self, block: Floats) -> Matrix:
        rows: list[list[float]] = block.tolist()
        return Matrix([[self.graph.of(x) for x in row] for row in rows], block.shape[-1])


def _passed(levers: Floats, sizes: Floats) -> Floats:
    """Bounds of the entries of φ x, from those of x, (…, 6): of a half none is larger than the half before the turn."""
    halves = np.stack([sizes[..., :_HALF].sum(axis=-1), sizes[..., _HALF:].sum(axis=-1)], axis=-1)
    with np.errstate(invalid="ignore"):
        parts = levers * halves[..., None, :]
    found = np.where(halves[..., None, :] > 0.0, parts, 0.0).sum(axis=-1)
    if not np.isfinite(found).all():
        raise Unknown
    return np.repeat(found, _HALF, axis=-1)


def _collected(graph: Graph, several: Sequence[Node]) -> tuple[Node, ...]:
    """What is known as one number."""
    known = sum(node.value for node in several if node.known)
    return (graph.of(known), *(node for node in several if not node.known))


def fixed(block: Matrix) -> Floats:
    """The block as numbers."""
    if not all(entry.known for row in block.rows for entry in row):
        raise Unknown
    return np.array([[entry.value for entry in row] for row in block.rows]).reshape(block.height, block.width)
