"""When rounding needs no columns: a bound by the inertia of each body alone.

Let S be what is rounded in P, all of it, as columns of independent signs have it in the mean: S = Σ φ S⁺ φ* + W and
S⁺ = (1 − G H) S (1 − G H)* + W⁺, where W and W⁺ are no larger than the diagonal of P. Without them P obeys the same,
with M in the place of W. So S ≤ μ P at all bodies if what is rounded at each is no larger than μ M, and what reaches a
pivot is r* D⁻¹ r ≤ μ, however long the chain. W⁺ counts where it moves bodies: V⁻ and V differ by a multiple of H*, so
its part H† H W⁺ (H† H)* counts at the parent, the rest at the body; of several freedoms Joseph's form leaves √eps.

A sum of the entries of P with weights tells whether that holds. Where it does not, columns start, and run as long as
they are more than what the bodies bear that they come to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from operator_algebra.backends.backend import SMALL
from operator_algebra.backends.loops.kind_tracer import KindTracer
from operator_algebra.backends.scalar.algebra import Product, Turned
from operator_algebra.backends.scalar.graph import Node, needed
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.lowering.bounds import Elimination
from operator_algebra.models.arrays import Indices
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.matrices import Matrix

OWN, ABOVE = 0.55, 0.2
"""The parts of what may be lost that are left to what is rounded at a body, and at its children."""
_SIGN = (1.25**3 - 0.8**3) / (3 * (1.25 - 0.8))
"""The mean square of a sign."""
_SAME = 1e-9
"""What differs by less of the largest is the same but for rounding."""
_ROOT_EPS = 2.0**-26
_SIX = 6


@dataclass(frozen=True)
class Weights:
    """Of the diagonal of P at the bodies of a kind, (bodies, 6); both sums are at most one where no columns are."""

    own: Numbers
    above: Numbers

    def times(self, factor: float) -> Weights:
        """All of them."""
        return Weights(factor * self.own, factor * self.above)


class _Unknown(Exception):
    """What would have to be a number is none, or not definite."""


def weights(tracers: Sequence[KindTracer], parts: Elimination, parent: Indices) -> list[Weights] | None:
    """The weights of all kinds; None where some inertia is not definite, or a lever has no bound."""
    try:
        inverses = [_inverse(tracer, parts) for tracer in tracers]
        whole = np.empty((len(parent), _SIX, _SIX))
        for tracer, inverse in zip(tracers, inverses, strict=True):
            whole[tracer.kind.bodies] = inverse
        freedoms = max(1, *(tracer.kind.coordinates[1] for tracer in tracers))  # the trace of D⁻¹ H P H* is so many
        children = np.bincount(parent[parent >= 0], minlength=len(parent))
        return [
            _weights(tracer, parts, inverse, whole, parent, children).times(freedoms)
            for tracer, inverse in zip(tracers, inverses, strict=True)
        ]
    except (_Unknown, ArithmeticError, LookupError):
        return None


def _weights(
    tracer: KindTracer, parts: Elimination, inverse: Numbers, whole: Numbers, parent: Indices, children: Indices
) -> Weights:
    numbers, k, above = tracer.nodes, tracer.place, parent[tracer.kind.bodies]
    diagonal = np.diagonal(inverse, axis1=1, axis2=2)
    H = numbers.product(*(tracer.get(ref, k) for ref in parts.H))
    if parts.rest and H.height:
        rest = numbers.sum([tracer.term(term, H.height, k) for term in parts.rest], H.height, H.height)
        if np.linalg.eigvalsh(_over_bodies(tracer, rest)).min() < 0.0:
            raise _Unknown
    own, passed = diagonal, np.zeros_like(diagonal)
    if k and not H.height:
        own = 2.0 * diagonal
    elif k:
        count = children[above][:, None]
        hop = tracer.hop(parts.hop, k)
        if H.height == 1:
            h = _over_bodies(tracer, H)[:, 0]
            back = h / (h * h).sum(axis=1, keepdims=True)
            reached = np.einsum("mij,mj->mi", inverse, back)
            twice = (back * reached).sum(axis=1, keepdims=True)
            own = 2.0 * diagonal - 2.0 * h * reached + h * h * twice
            lever = _carried(tracer, numbers.product(hop, numbers.product(H.T)), (h * h).sum(axis=1, keepdims=True))
            passed = count * h * h * np.einsum("mi,mij,mj->m", lever, whole[above], lever)[:, None]
        else:
            lever = _over_bodies(tracer, _straight(tracer, hop))
            halves = np.einsum("mji,mjk,mki->mi", lever, whole[above], lever).reshape(-1, 2, 3).sum(axis=2)
            passed = count * np.repeat(halves, 3, axis=1) * _ROOT_EPS**2
    return Weights(own * _SIGN * SMALL / OWN, passed * _SIGN * SMALL / ABOVE)


def _inverse(tracer: KindTracer, parts: Elimination) -> Numbers:
    """M⁻¹ at the bodies of a kind, (bodies, 6, 6)."""
    numbers, k = tracer.nodes, tracer.place
    whole = numbers.averaged(numbers.sum([tracer.term(term, _SIX, k) for term in parts.own], _SIX, _SIX))
    start = len(numbers.positive)
    lower, pivots = numbers.factored(whole)
    del lower, numbers.positive[start:]
    if (_over_bodies(tracer, Matrix([pivots], _SIX)) <= 0.0).any():
        raise _Unknown
    found = _over_bodies(tracer, numbers.inverse(whole))
    del numbers.positive[start:]
    return found


def _straight(tracer: KindTracer, hop: Matrix) -> Matrix:
    """A hop without its turns, which change no sizes."""
    factors = hop.factors if isinstance(hop, Product) else (hop,)
    plain = [factor for factor in factors if not isinstance(factor, Turned)]
    return tracer.nodes.product(*plain) if plain else tracer.nodes.identity(_SIX)


def _carried(tracer: KindTracer, column: Matrix, square: Numbers) -> Numbers:
    """φ H†* at the bodies, (bodies, 6): where H is constant, so is φ H*, whose rate is φ cross(H*) H* v = 0."""
    first, second = (_over_bodies(tracer, column, at=at)[..., 0] for at in (0.3, -1.1))
    if not np.allclose(first, second, rtol=0.0, atol=_SAME * np.abs(first).max(initial=0.0)):
        raise _Unknown
    return first / square


def _over_bodies(tracer: KindTracer, block: Matrix, *, at: float | None = None) -> Numbers:
    """The block at all bodies of the kind, (bodies, rows, columns), with coordinates near a number or without."""
    nodes: tuple[Node, ...] = tuple(x for row in block.rows for x in row)
    count = len(tracer.kind.bodies)
    rows = np.zeros((len(tracer.loads), count))
    for node in needed(nodes):
        if node.operation == "input":
            load = tracer.loads[int(node.value)]
            if load.where == "number":
                rows[int(node.value)] = tracer.kind.number(load.place)
            elif load.where == "coordinate" and at is not None:
                rows[int(node.value)] = at * (1.0 + np.arange(count) % 7)
            else:
                raise _Unknown
    shape = (block.height, block.width, count)
    if all(node.known for node in nodes):
        values = np.array([node.value for node in nodes]).reshape(*shape[:2], 1)
        return np.moveaxis(np.broadcast_to(values, shape), -1, 0)
    _, found = Tape.of(Traced((), nodes, (), ()), len(rows)).batch(rows)
    if not np.isfinite(found).all():
        raise _Unknown
    return np.moveaxis(found.reshape(shape), -1, 0)
