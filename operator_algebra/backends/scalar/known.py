"""What is known of a mechanism before its joints stand anywhere: how fast bodies can be, and how large P.

Let body j have the velocity V(j) when pivot D(k) is moved at rates y and all joints further out are free. Then

    y* D y = Σ V* M V + what joints store,    y* r = Σ V* w + V⁻* w⁺    over the bodies j that k carries,

V⁻ being what the parent hands on, and r what reaches D of rounding P, w and w⁺. One freedom changes V by a multiple of
H*, so V⁻ is V across it, and what the parent hands on along it. V(i)² is no more than N⁻¹(i, i) Σ V* M V, if N is how
much the body resists with all that hangs on it. P is no larger than the inertia of all that the body carries, and that
no larger than its levers allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from operator_algebra.backends.scalar.algebra import Product, Turned
from operator_algebra.backends.scalar.graph import Graph, Node, needed
from operator_algebra.backends.scalar.resistance import Edge, Unknown, moving, resistances
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.lowering.bounds import Elimination
from operator_algebra.models.numeric import Numbers as Floats
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.records import Term

_HALF = 3
"""A motion or a force is an angular half and a linear one, which a turn mixes with nothing else."""
FAR = 1e4
"""No lever of joints that turn or slide in several ways is longer, or what is lost is looked at closely."""
_SAME = 1e-9
"""What differs by less of the largest is the same but for rounding."""

Key = tuple[int, int]
"""The entry of P at a body: the body and the place on the diagonal."""


class Source(NamedTuple):
    """What is rounded as the root of an entry of P, times a part a* V of a velocity."""

    key: Key
    at: int
    """The body that has this velocity."""
    most: float
    """The most that its square can be where Σ V* M V is one."""
    alone: float
    """The same where V* M V of that body alone is one."""
    part: Floats
    """a, where that is told; what is left is nothing."""


class Known:
    """What is known of a mechanism beforehand."""

    def __init__(self, run: Interpreter, parts: Elimination, graph: Graph, tried: Floats) -> None:
        self.run = run
        self.parts = parts
        self.graph = graph
        self.tried = tried
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
        self.axes = self._axes()

    def _sum(self, terms: Sequence[Term], size: int, k: int) -> Matrix:
        blocks = [self.run.term(term, size, k) for term in terms]
        return self.run.numbers.sum(blocks, size, size)

    # -- how large P is --------------------------------------------------------------------------------------------

    def reach(self) -> dict[Key, float]:
        """The largest that each entry of P can be, wherever the joints stand."""
        halves = np.zeros((len(self.parent), 2))  # squares of the sizes of the halves of what a body carries
        found: dict[Key, float] = {}
        for k in reversed(self.run.mechanism.bodies):
            own = self.inertia[k]
            for i in range(6):
                found[k, i] = float(own[i, i] + halves[k, i // _HALF])
            halves[k] += [np.linalg.eigvalsh(own[:3, :3])[-1], np.linalg.eigvalsh(own[3:, 3:])[-1]]
            if self.parent[k] >= 0:
                halves[self.parent[k]] += _times(self._levers(k), np.sqrt(halves[k])) ** 2
        return found

    def _levers(self, k: int, farthest: float = np.inf) -> Floats:
        """How the hop of an edge changes the sizes of the two halves, 2 × 2; what is unknown is no larger."""
        found = np.eye(2)
        for shift in self._shifts(k):
            moved = np.array([[not x.known for x in row] for row in shift.rows])
            block = np.array([[x.value if x.known else 0.0 for x in row] for row in shift.rows])
            if block[3:, :3].any() or moved[3:].any() or moved[:, :3].any():
                raise Unknown
            sizes = np.array([[np.linalg.norm(block[i : i + 3, j : j + 3], 2) for j in (0, 3)] for i in (0, 3)])
            sizes[0, 1] += _HALF * farthest if moved.any() else 0.0
            found = np.stack([_times(found, size) for size in sizes.T], axis=1)
        return found

    def _shifts(self, k: int) -> list[Matrix]:
        """The hop of an edge without its turns."""
        hop = self.hops[k]
        assert hop is not None
        return [one for one in (hop.factors if isinstance(hop, Product) else (hop,)) if not isinstance(one, Turned)]

    def far(self) -> Iterator[Node]:
        """What is more than one where something slides farther than is reckoned with."""
        moved = {
            abs(x).number: abs(x)
            for k in self.run.mechanism.bodies
            if self.hops[k] is not None and k not in self.axes and not self._stands(k)
            for shift in self._shifts(k)
            for row in shift.rows
            for x in row
            if not x.known
        }
        for x in moved.values():
            yield self.graph.multiply(self.graph.of(FAR**-2), self.graph.multiply(x, x))

    # -- how fast bodies can be ------------------------------------------------------------------------------------

    def sources(self) -> Iterator[Source]:
        """Where P is rounded, and again as it is updated."""
        for k in self.run.mechanism.bodies:
            for i in self.moved:
                w, w_plus = (float(self.run.rounding_unit(one, k)) for one in (self.parts.w, self.parts.w_plus))
                yield from self._told((k, i), k, w * np.eye(6)[i])
                yield from self._handed_on(k, i, w_plus)

    @cached_property
    def most(self) -> list[Floats]:
        """For each body V V* at the most, where all have a single unit of energy, twice."""
        inertia = [self._filled(one) for one in self.inertia]
        return [self._speed(k, N) for k, N in enumerate(resistances(inertia, self.parent, self._edges()))]

    @cached_property
    def alone(self) -> list[Floats]:
        """The same where that body has it alone."""
        return [self._speed(k, self._filled(one), strict=False) for k, one in enumerate(self.inertia)]

    def _told(self, key: Key, at: int, part: Floats) -> Iterator[Source]:
        most = float(part @ self.most[at] @ part)
        if most:
            alone = float(part @ self.alone[at] @ part) if np.isfinite(self.alone[at]).all() else np.inf
            yield Source(key, at, most, alone, part)

    def _handed_on(self, k: int, i: int, unit: float) -> Iterator[Source]:
        """Of V⁻ what moves with the body itself, and with its parent: (x + y)² ≤ (1 + y/x) x² + (1 + x/y) y²."""
        parent, row = self.parent[k], unit * np.eye(6)[i]
        if not self.freedoms[k]:
            yield from self._told((k, i), k, row)
        elif self._stands(k):
            return
        elif k not in self.axes:
            halves = np.array([np.linalg.eigvalsh(self.most[parent][j : j + 3, j : j + 3])[-1] for j in (0, 3)])
            sizes = _times(self._levers(k, FAR).T, np.sqrt(np.maximum(halves, 0.0)))
            if not np.isfinite(sizes).all():
                raise Unknown
            if most := float(unit * sizes[i // _HALF]) ** 2:
                yield Source((k, i), parent, most, np.inf, np.zeros(6))
        else:
            H = fixed(self.H[k])[0]
            parts = [(k, row - H * H[i] * unit / (H @ H)), (parent, H[i] * unit * self.axes[k])]
            sizes = [float(np.sqrt(part @ self.most[at] @ part)) for at, part in parts]
            for (at, part), size in zip(parts, sizes, strict=True):
                if size:
                    yield from self._told((k, i), at, part * np.sqrt(sum(sizes) / size))

    def passed(self, source: Source) -> tuple[Source, Node] | None:
        """Of a torque that passes the joint: what is left to all bodies, and what depends on the pose beside it.

        a* V = b* V(parent) with b = φ a, if H a is nothing; and (b* V)² ≤ λ |b|² + (λ⁺ − λ) (u* b)² of a parent that
        resists least, 1 / λ⁺, about the axis u, and across it no less than 1 / λ.
        """
        k, part = source.at, source.part
        parent = self.parent[k]
        if parent < 0 or k not in self.axes or part[_HALF:].any() or not part.any():
            return None
        H = fixed(self.H[k])[0]
        if abs(H @ part) > _SAME * np.linalg.norm(H) * np.linalg.norm(part):
            return None
        speeds, axes = np.linalg.eigh(self.most[parent][:_HALF, :_HALF])
        hop = self.hops[k]
        assert hop is not None
        b = self.run.numbers.product(hop, self._constant(part[:, None])).rows[:_HALF]
        along = self.run.numbers.dot([row[0] for row in b], [self.graph.of(x) for x in axes[:, -1].tolist()])
        left = source._replace(most=float(speeds[1] * (part @ part)), alone=np.inf)
        share = self.graph.of(float(speeds[2] - speeds[1]))
        return left, self.graph.multiply(share, self.graph.multiply(along, along))

    def _filled(self, inertia: Floats) -> Floats:
        """An inertia with something along what nothing moves along."""
        found: Floats = inertia.copy()
        dead = np.setdiff1d(np.arange(6), self.moved)
        found[dead] = found[:, dead] = 0.0
        found[dead, dead] = np.trace(inertia)
        return found

    def _speed(self, k: int, inertia: Floats, *, strict: bool = True) -> Floats:
        """V V* at the most where V has an inertia, and a single unit of energy, twice."""
        free = np.eye(6)[self.moved]
        if self._stands(k) and all(x.known for row in self.H[k].rows for x in row):
            free = np.reshape(fixed(self.H[k]), (-1, 6))
        try:
            found: Floats = free.T @ _inverse(free @ inertia @ free.T) @ free
        except np.linalg.LinAlgError:
            if strict:
                raise Unknown from None
            return np.full((6, 6), np.inf)
        return found

    def _stands(self, k: int) -> bool:
        """Whether what carries a body cannot move."""
        parent = self.parent[k]
        return parent < 0 or (not self.freedoms[parent] and self._stands(parent))

    def _edges(self) -> dict[int, Edge]:
        """What stands still at each edge."""
        found: dict[int, Edge] = {}
        for k, phi in self._hops_tried().items():
            H = np.reshape([[x.value if x.known else np.nan for x in row] for row in self.H[k].rows], (-1, 6))
            turn, lever = phi[:, :_HALF, :_HALF], phi[:, :_HALF, _HALF:] @ phi[:, :_HALF, :_HALF].swapaxes(1, 2)
            still = all(x.known for shift in self._shifts(k) for row in shift.rows for x in row) and _same(lever)
            turning, pinned = H[:, :_HALF], still and not H[:, _HALF:].any()
            turns, axis = 0 if not turning.any() and _same(turn) else _HALF, np.zeros(_HALF)
            if turning.any() and np.isfinite(turning).all() and np.linalg.matrix_rank(turning) == 1:
                across = np.linalg.svd(turning)[2][0]
                turns, axis = (1, across) if _same(turn @ across) else (_HALF, axis)
            found[k] = Edge(phi[0], pinned, turns, axis)
        return found

    def _hops_tried(self) -> dict[int, Floats]:
        """The hops over edges at the configurations tried, (sample, 6, 6)."""
        hops = {k: hop for k, hop in enumerate(self.hops) if hop is not None}
        nodes = tuple(x for hop in hops.values() for row in hop.rows for x in row)
        found = values(nodes, self.tried).reshape(len(hops), 6, 6, self.tried.shape[1])
        return dict(zip(hops, found.transpose(0, 3, 1, 2), strict=True))

    def _axes(self) -> dict[int, Floats]:
        """φ H†* of joints of one freedom: where H is constant, so is φ H*, whose rate is φ cross(H*) H* v = 0."""
        passed: dict[int, list[Node]] = {}
        for k, hop in enumerate(self.hops):
            if hop is not None and self.freedoms[k] == 1 and all(x.known for x in self.H[k].rows[0]):
                H = fixed(self.H[k])
                passed[k] = [row[0] for row in self.run.numbers.product(hop, self._constant((H / (H @ H.T)).T)).rows]
        nodes = tuple(node for column in passed.values() for node in column)
        found = values(nodes, self.tried)
        if not _same(found.T):
            raise Unknown
        return dict(zip(passed, found[:, 0].reshape(-1, 6), strict=True))

    def _constant(self, block: Floats) -> Matrix:
        rows: list[list[float]] = block.tolist()
        return Matrix([[self.graph.of(x) for x in row] for row in rows], block.shape[-1])


def _same(several: Floats) -> bool:
    """Whether they are one, but for rounding."""
    return bool(np.ptp(several, axis=0).max(initial=0.0) <= _SAME * np.abs(several).max(initial=0.0))


def _times(levers: Floats, sizes: Floats) -> Floats:
    """Sizes of halves over an edge; a lever without bound of what has no size does nothing."""
    there = (levers > 0.0) & (sizes > 0.0)
    return np.multiply(levers, sizes, out=np.zeros_like(levers), where=there).sum(axis=1)


def _inverse(N: Floats) -> Floats:
    """N⁻¹ at the most, where the last digits of N are not its own."""
    if not (np.diagonal(N) > 0.0).all():
        raise np.linalg.LinAlgError
    size = np.sqrt(np.diagonal(N))
    root = np.linalg.inv(np.linalg.cholesky(N / np.outer(size, size) - _SAME * np.eye(len(N)))) / size
    found: Floats = root.T @ root
    return found


def fixed(block: Matrix) -> Floats:
    """The block as numbers."""
    if not all(entry.known for row in block.rows for entry in row):
        raise Unknown
    return np.array([[entry.value for entry in row] for row in block.rows]).reshape(block.height, block.width)


def of_configurations(nodes: Iterable[Node], nq: int) -> bool:
    """Whether nodes read no argument but the coordinates."""
    return all(node.operation != "input" or node.value < nq for node in needed(nodes))


def values(nodes: tuple[Node, ...], tried: Floats) -> Floats:
    """Nodes at the configurations tried, (node, sample), which may not read anything else."""
    if not of_configurations(nodes, len(tried)):
        raise Unknown
    _, found = Tape.of(Traced((), nodes, (), ()), len(tried)).batch(tried)
    return found
