"""When rounding needs no columns: a bound by the inertia of each body alone.

Let S be what is rounded in P, all of it, as columns of independent signs have it in the mean: S = Σ φ S⁺ φ* + W and
S⁺ = (1 − G H) S (1 − G H)* + W⁺, where W and W⁺ are no larger than the diagonal of P. Without them P obeys the same,
with M in the place of W. So S ≤ μ P at all bodies if what is rounded at each is no larger than μ M, and what reaches a
pivot is r* D⁻¹ r ≤ μ, however long the chain. W⁺ counts where it moves bodies: V⁻ and V differ by a multiple of H*, so
its part H† H W⁺ (H† H)* counts at the parent, the rest at the body; of several freedoms Joseph's form leaves √eps.

A sum of the entries of P with weights tells whether that holds. Where it does not, columns start, and run as long as
they are more than what the bodies bear that they come to. Only such entries count as any body moves along: on a chain
in a plane three of six.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from operator_algebra.backends.backend import SMALL
from operator_algebra.backends.loops.kind_tracer import KindTracer
from operator_algebra.backends.scalar.algebra import Product, Turned
from operator_algebra.backends.scalar.graph import Node, needed
from operator_algebra.backends.scalar.resistance import moving
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.thin import SIGN, TINY, Along, Edges, WeakAxes, sharing, stood
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.lowering.bounds import Elimination
from operator_algebra.models.arrays import Indices
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.matrices import Matrix

OWN, ABOVE = 0.55, 0.2
"""The parts of what may be lost that are left to what is rounded at a body, and at its children."""
_SAME = 1e-9
"""What differs by less of the largest is the same but for rounding."""
_ROOT_EPS = 2.0**-26
_SEEN = 100
"""So many bodies of a kind are looked at before all of them are."""
_SIX = 6


@dataclass(frozen=True)
class Weights:
    """Of the diagonal of P at the bodies of a kind, (bodies, 6); both sums are at most one where no columns are."""

    own: Numbers
    above: Numbers


class _Unknown(Exception):
    """What would have to be a number is none, or not definite."""


def weights(tracers: Sequence[KindTracer], parts: Elimination, parent: Indices) -> list[Weights] | None:
    """The weights of all kinds; None where some inertia is not definite, or a lever has no bound."""
    try:
        whole, moved = np.empty((len(parent), _SIX, _SIX)), _moving(tracers, parts)
        for tracer in tracers:
            _invert(tracer, parts, moved, whole)
        freedoms = max(1, *(tracer.kind.coordinates[1] for tracer in tracers))  # the trace of D⁻¹ H P H* is so many
        children = np.bincount(parent[parent >= 0], minlength=len(parent))
        return [_weights(tracer, parts, whole, parent, children, freedoms) for tracer in tracers]
    except (_Unknown, ArithmeticError, LookupError):
        return None


@np.errstate(all="ignore")
def axial(tracers: Sequence[KindTracer], parts: Elimination) -> bool:
    """Whether most bodies resist little about an axis across their joint, as far as some of each kind tell."""
    try:
        moved = _moving(tracers, parts)
        found = total = 0.0
        for tracer in tracers:
            there = _axes(tracer, parts, moved, _SEEN).there
            found += len(tracer.kind.bodies) * there.mean()
            total += len(tracer.kind.bodies)
    except (_Unknown, ArithmeticError, LookupError, np.linalg.LinAlgError):
        return False
    return found > total / 2.0


@np.errstate(all="ignore")
def alongs(tracers: Sequence[KindTracer], parts: Elimination, parent: Indices) -> list[Along[Numbers, Numbers]] | None:
    """What stands at the bodies of all kinds where rounding goes on about axes; None as above."""
    try:
        moved = _moving(tracers, parts)
        several = [_axes(tracer, parts, moved, len(parent)) for tracer in tracers]
        which = np.empty(len(parent), dtype=np.intp)
        start = 0
        for tracer, own in zip(tracers, several, strict=True):
            which[tracer.kind.bodies] = start + np.arange(len(own.a))
            start += len(own.a)
        whole, same = WeakAxes.joined(several)
        which = same[which]
        freedoms = max(1, *(tracer.kind.coordinates[1] for tracer in tracers))
        children = np.bincount(parent[parent >= 0], minlength=len(parent))
        return [_along(tracer, parts, whole, which, parent, children, freedoms) for tracer in tracers]
    except (_Unknown, ArithmeticError, LookupError, np.linalg.LinAlgError):
        return None


def _moving(tracers: Sequence[KindTracer], parts: Elimination) -> list[int]:
    """The entries that a motion of any body may have."""
    maps = [tracer.nodes.product(*(tracer.get(ref, tracer.place) for ref in parts.H)) for tracer in tracers]
    return moving(maps, (tracer.hop(parts.hop, tracer.place) for tracer in tracers if tracer.place))


def inertia(tracer: KindTracer, parts: Elimination) -> Matrix:
    """What a body adds to P."""
    numbers, k = tracer.nodes, tracer.place
    return numbers.averaged(numbers.sum([tracer.term(term, _SIX, k) for term in parts.own], _SIX, _SIX))


def _axes(tracer: KindTracer, parts: Elimination, moved: Sequence[int], most: int) -> WeakAxes:
    """Of so many bodies of a kind; one for all where they are equal."""
    H = _joint(tracer, parts)
    whole, free = _OverBodies(tracer, inertia(tracer, parts)), _OverBodies(tracer, H)
    some = slice(0, 1 if whole.constant and free.constant else min(most, len(tracer.kind.bodies)))
    blocks = whole.at(some)
    if H.height > 1:
        return WeakAxes.of(blocks, moved, None)
    return WeakAxes.of(blocks, moved, free.at(some)[:, 0, :3] if H.height else np.zeros((len(blocks), 3)))


def _joint(tracer: KindTracer, parts: Elimination) -> Matrix:
    """H, where what stands beside it in D is nowhere negative."""
    numbers, k = tracer.nodes, tracer.place
    H = numbers.product(*(tracer.get(ref, k) for ref in parts.H))
    if parts.rest and H.height:
        terms = [tracer.term(term, H.height, k) for term in parts.rest]
        rest = _OverBodies(tracer, numbers.sum(terms, H.height, H.height))
        if any(np.linalg.eigvalsh(rest.at(part)).min() < 0.0 for part in tracer.kind.parts):
            raise _Unknown
    return H


def _along(
    tracer: KindTracer,
    parts: Elimination,
    whole: WeakAxes,
    which: Indices,
    parent: Indices,
    children: Indices,
    freedoms: int,
) -> Along[Numbers, Numbers]:
    """The same for one kind, computed once for all bodies that are equal, on parents that are."""
    k, bodies = tracer.place, tracer.kind.bodies
    above = parent[bodies] if k else bodies
    H = _joint(tracer, parts)
    h = _OverBodies(tracer, H).everywhere()[:, 0] if H.height == 1 else np.zeros((len(bodies), _SIX))
    square = np.maximum((h * h).sum(axis=1, keepdims=True), TINY)
    lever = np.zeros((len(bodies), _SIX))
    if k and H.height == 1:
        hop = tracer.hop(parts.hop, k)
        lever = _carried(tracer, tracer.nodes.product(hop, tracer.nodes.product(H.T)), square)
    key = (which[bodies] * len(whole.a) + which[above]) * (children.max() + 1) + children[above]
    if not (h == h[0]).all() or not (lever == lever[0]).all():
        key = np.arange(len(bodies))
    _, some, like = np.unique(key, return_index=True, return_inverse=True)
    own, ends, count = whole.at(which[bodies[some]]), whole.at(which[above[some]]), children[above[some]]
    passed = np.zeros((len(some), _SIX))
    if k and H.height > 1:
        straight = _OverBodies(tracer, _straight(tracer, tracer.hop(parts.hop, k))).everywhere()[some]
        halves = np.einsum("mji,mjk,mki->mi", straight, ends.whole, straight).reshape(-1, 2, 3).sum(axis=2)
        passed = np.repeat(halves, 3, axis=1) * _ROOT_EPS**2
    edges = Edges(h[some], lever[some], passed, count, np.full(len(some), k > 0), np.full(len(some), tracer.kind.first))
    found = stood(own, ends, edges, freedoms, single=H.height < 2)
    return found.each(lambda rows: rows[like], lambda column: column[like])


def _weights(
    tracer: KindTracer, parts: Elimination, whole: Numbers, parent: Indices, children: Indices, freedoms: int
) -> Weights:
    numbers, k, kind = tracer.nodes, tracer.place, tracer.kind
    H = _joint(tracer, parts)
    own, passed = np.empty((len(kind.bodies), _SIX)), np.zeros((len(kind.bodies), _SIX))
    if not (k and H.height):
        for part in kind.parts:
            own[part] = (2.0 if k else 1.0) * _diagonal(whole[kind.bodies[part]])
    elif H.height == 1:
        axis = _OverBodies(tracer, H).everywhere()[:, 0]
        square = (axis * axis).sum(axis=1, keepdims=True)
        levers = _carried(tracer, numbers.product(tracer.hop(parts.hop, k), numbers.product(H.T)), square)
        for part in kind.parts:
            h, lever, inverse = axis[part], levers[part], whole[kind.bodies[part]]
            back = h / square[part]
            reached = np.einsum("mij,mj->mi", inverse, back)
            twice = (back * reached).sum(axis=1, keepdims=True)
            across, beyond = sharing(h)
            again = np.maximum(0.0, _diagonal(inverse) - 2.0 * h * reached + h * h * twice)
            own[part] = _diagonal(inverse) + across * again
            above = parent[kind.bodies[part]]
            most = np.einsum("mi,mij,mj->m", lever, whole[above], lever)[:, None]
            passed[part] = children[above][:, None] * beyond * h * h * most
    else:
        straight = _OverBodies(tracer, _straight(tracer, tracer.hop(parts.hop, k)))
        for part in kind.parts:
            own[part] = _diagonal(whole[kind.bodies[part]])
            lever, above = straight.at(part), parent[kind.bodies[part]]
            halves = np.einsum("mji,mjk,mki->mi", lever, whole[above], lever).reshape(-1, 2, 3).sum(axis=2)
            passed[part] = children[above][:, None] * np.repeat(halves, 3, axis=1) * _ROOT_EPS**2
    for part in kind.parts:
        own[part] = freedoms * (own[part] * SIGN * SMALL / OWN)
        passed[part] = freedoms * (passed[part] * SIGN * SMALL / ABOVE)
    return Weights(own, passed)


def _diagonal(blocks: Numbers) -> Numbers:
    return np.diagonal(blocks, axis1=1, axis2=2)


def _invert(tracer: KindTracer, parts: Elimination, moved: Sequence[int], whole: Numbers) -> None:
    """Write M⁻¹ at the bodies of a kind where they move, (bodies, 6, 6), nothing elsewhere."""
    numbers, start = tracer.nodes, len(tracer.nodes.positive)
    full = inertia(tracer, parts)
    block = Matrix([[full.rows[i][j] for j in moved] for i in moved], len(moved))
    lower, pivots = numbers.factored(block)
    del lower, numbers.positive[start:]
    found = numbers.inverse(block)
    del numbers.positive[start:]
    rows = [[numbers.graph.zero] * _SIX for _ in range(_SIX)]
    for i, row in zip(moved, found.rows, strict=True):
        for j, x in zip(moved, row, strict=True):
            rows[i][j] = x
    tested, inverse = _OverBodies(tracer, Matrix([pivots], len(moved))), _OverBodies(tracer, Matrix(rows, _SIX))
    for part in tracer.kind.parts:
        if (tested.at(part) <= 0.0).any():
            raise _Unknown
        whole[tracer.kind.bodies[part]] = inverse.at(part)


def _straight(tracer: KindTracer, hop: Matrix) -> Matrix:
    """A hop without its turns, which change no sizes."""
    factors = hop.factors if isinstance(hop, Product) else (hop,)
    plain = [factor for factor in factors if not isinstance(factor, Turned)]
    return tracer.nodes.product(*plain) if plain else tracer.nodes.identity(_SIX)


def _carried(tracer: KindTracer, column: Matrix, square: Numbers) -> Numbers:
    """φ H†* at the bodies, (bodies, 6): where H is constant, so is φ H*, whose rate is φ cross(H*) H* v = 0."""
    first, second = (_OverBodies(tracer, column, at=at) for at in (0.3, -1.1))
    found = first.everywhere()[..., 0]
    largest = max(np.abs(found[part]).max(initial=0.0) for part in tracer.kind.parts)
    for part in tracer.kind.parts:
        if not np.allclose(found[part], second.at(part)[..., 0], rtol=0.0, atol=_SAME * largest):
            raise _Unknown
        found[part] /= square[part]
    return found


class _OverBodies:
    """A block at all bodies of a kind, a part of them at a time, with coordinates near a number or without."""

    def __init__(self, tracer: KindTracer, block: Matrix, *, at: float | None = None) -> None:
        self._nodes: tuple[Node, ...] = tuple(x for row in block.rows for x in row)
        self._shape, self._kind, self._near, self._width = (
            (block.height, block.width),
            tracer.kind,
            at,
            len(tracer.loads),
        )
        self._loads = {
            int(node.value): tracer.loads[int(node.value)] for node in needed(self._nodes) if node.operation == "input"
        }
        known = ("number", "coordinate") if at is not None else ("number",)
        if any(load.where not in known for load in self._loads.values()):
            raise _Unknown
        self._tape = Tape.of(Traced((), self._nodes, (), ()), self._width)

    def at(self, part: slice) -> Numbers:
        """At a part of the bodies, (bodies, rows, columns)."""
        places = np.arange(len(self._kind.bodies))[part]
        if self.constant:
            values = np.array([node.value for node in self._nodes]).reshape(self._shape)
            return np.broadcast_to(values, (len(places), *self._shape))
        given, rows = self._kind.numbers(part), np.zeros((self._width, len(places)))
        for place, load in self._loads.items():
            if load.where == "number":
                rows[place] = given[:, load.place]
            elif self._near is not None:
                rows[place] = self._near * (1.0 + places % 7)
        _, found = self._tape.batch(rows)
        if not np.isfinite(found).all():
            raise _Unknown
        return np.moveaxis(found.reshape(*self._shape, -1), -1, 0)

    @property
    def constant(self) -> bool:
        """Whether it is the same at all bodies."""
        return all(node.known for node in self._nodes)

    def everywhere(self) -> Numbers:
        """At all of them."""
        found = np.empty((len(self._kind.bodies), *self._shape))
        for part in self._kind.parts:
            found[part] = self.at(part)
        return found
