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

from operator_algebra.backends.loops.kind_tracer import KindTracer
from operator_algebra.backends.loops.over_bodies import OverBodies, edges_of, levers, sliding
from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar.graph import Node
from operator_algebra.backends.scalar.known import FAR
from operator_algebra.backends.scalar.resistance import Unknown, moving, shared
from operator_algebra.backends.scalar.thin import SIGN, TINY, Along, Edges, WeakAxes, sharing, stood
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
_FEW = 2_000
"""Of so many bodies neighbours lend each other inertia; of more that would take longer than it saves."""


@dataclass(frozen=True)
class Weights:
    """Of the diagonal of P at the bodies of a kind, (bodies, 6); both sums are at most one where no columns are."""

    own: Numbers
    above: Numbers
    far: list[Node]
    """What is positive where nothing slides farther than is reckoned with."""


def weights(tracers: Sequence[KindTracer], parts: Elimination, parent: Indices) -> list[Weights] | None:
    """The weights of all kinds; None where some inertia is not definite, or a lever has no bound."""
    try:
        moved = _moving(tracers, parts)
        whole = _shared(tracers, parts, moved, parent) if len(parent) <= _FEW else _alone(tracers, parts, moved, parent)
        freedoms = max(1, *(tracer.kind.coordinates[1] for tracer in tracers))  # the trace of D⁻¹ H P H* is so many
        children = np.bincount(parent[parent >= 0], minlength=len(parent))
        return [_weights(tracer, parts, whole, parent, children, freedoms) for tracer in tracers]
    except (Unknown, ArithmeticError, LookupError, np.linalg.LinAlgError):
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
    except (Unknown, ArithmeticError, LookupError, np.linalg.LinAlgError):
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
    except (Unknown, ArithmeticError, LookupError, np.linalg.LinAlgError):
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
    whole, free = OverBodies(tracer, inertia(tracer, parts)), OverBodies(tracer, H)
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
        rest = OverBodies(tracer, numbers.sum(terms, H.height, H.height))
        if any(np.linalg.eigvalsh(rest.at(part)).min() < 0.0 for part in tracer.kind.parts):
            raise Unknown
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
    h = OverBodies(tracer, H).everywhere()[:, 0] if H.height == 1 else np.zeros((len(bodies), _SIX))
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
        found_levers = OverBodies(tracer, levers(tracer, tracer.hop(parts.hop, k))).everywhere()[some]
        passed = _in_halves(found_levers, ends.whole) * _ROOT_EPS**2
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
        axis = OverBodies(tracer, H).everywhere()[:, 0]
        square = (axis * axis).sum(axis=1, keepdims=True)
        passing = _carried(tracer, numbers.product(tracer.hop(parts.hop, k), numbers.product(H.T)), square)
        for part in kind.parts:
            h, lever, inverse = axis[part], passing[part], whole[kind.bodies[part]]
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
        hop = tracer.hop(parts.hop, k)
        found, slides = OverBodies(tracer, levers(tracer, hop), at=0.0), bool(sliding(tracer, hop))
        for part in kind.parts:
            own[part] = _diagonal(whole[kind.bodies[part]])
            above = parent[kind.bodies[part]]
            halves = _in_halves(found.at(part), whole[above])
            if slides:  # (x + y)* N⁻¹ (x + y) ≤ 2 x* N⁻¹ x + 2 y* N⁻¹ y
                turning = np.trace(whole[above][:, :3, :3], axis1=1, axis2=2)
                halves = 2.0 * halves + np.outer(turning, [0.0] * 3 + [2.0 * 9.0 * FAR**2] * 3)
            passed[part] = children[above][:, None] * halves * _ROOT_EPS**2
    for part in kind.parts:
        own[part] = freedoms * (own[part] * SIGN * SMALL / OWN)
        passed[part] = freedoms * (passed[part] * SIGN * SMALL / ABOVE)
    far = sliding(tracer, tracer.hop(parts.hop, k)) if k and H.height > 1 else []
    return Weights(own, passed, [numbers.graph.subtract(numbers.graph.of(FAR), x) for x in far])


def _in_halves(lever: Numbers, inverse: Numbers) -> Numbers:
    """tr φ* N⁻¹ φ of the half that an entry belongs to, whatever turns come after a lever, (bodies, 6)."""
    halves = np.einsum("mji,mjk,mki->mi", lever, inverse, lever).reshape(-1, 2, 3).sum(axis=2)
    return np.repeat(halves, 3, axis=1)


def _diagonal(blocks: Numbers) -> Numbers:
    return np.diagonal(blocks, axis1=1, axis2=2)


def _shared(tracers: Sequence[KindTracer], parts: Elimination, moved: Sequence[int], parent: Indices) -> Numbers:
    """N⁻¹ at bodies where they move, (bodies, 6, 6), where neighbours lend each other inertia."""
    blocks = np.zeros((len(parent), _SIX, _SIX))
    seen = np.ix_(range(len(parent)), moved, moved)
    for tracer in tracers:
        blocks[tracer.kind.bodies] = OverBodies(tracer, inertia(tracer, parts)).everywhere()
    whole = np.broadcast_to(np.eye(_SIX), blocks.shape) * np.trace(blocks, axis1=1, axis2=2)[:, None, None]
    whole[seen] = blocks[seen]
    np.linalg.cholesky(whole)
    edges = [edge for tracer in tracers if tracer.place for edge in edges_of(tracer, parts, _joint(tracer, parts))]
    found = np.zeros_like(blocks)
    found[seen] = np.linalg.inv(shared(whole, parent, edges)[seen])
    return found


def _alone(tracers: Sequence[KindTracer], parts: Elimination, moved: Sequence[int], parent: Indices) -> Numbers:
    """M⁻¹ at bodies where they move, (bodies, 6, 6)."""
    whole = np.empty((len(parent), _SIX, _SIX))
    for tracer in tracers:
        _invert(tracer, parts, moved, whole)
    return whole


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
    tested, inverse = OverBodies(tracer, Matrix([pivots], len(moved))), OverBodies(tracer, Matrix(rows, _SIX))
    for part in tracer.kind.parts:
        if (tested.at(part) <= 0.0).any():
            raise Unknown
        whole[tracer.kind.bodies[part]] = inverse.at(part)


def _carried(tracer: KindTracer, column: Matrix, square: Numbers) -> Numbers:
    """φ H†* at the bodies, (bodies, 6): where H is constant, so is φ H*, whose rate is φ cross(H*) H* v = 0."""
    first, second = (OverBodies(tracer, column, at=at) for at in (0.3, -1.1))
    found = first.everywhere()[..., 0]
    largest = max(np.abs(found[part]).max(initial=0.0) for part in tracer.kind.parts)
    for part in tracer.kind.parts:
        if not np.allclose(found[part], second.at(part)[..., 0], rtol=0.0, atol=_SAME * largest):
            raise Unknown
        found[part] /= square[part]
    return found
