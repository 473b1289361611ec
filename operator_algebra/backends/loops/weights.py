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


class _Unknown(Exception):
    """What would have to be a number is none, or not definite."""


def weights(tracers: Sequence[KindTracer], parts: Elimination, parent: Indices) -> list[Weights] | None:
    """The weights of all kinds; None where some inertia is not definite, or a lever has no bound."""
    try:
        whole = np.empty((len(parent), _SIX, _SIX))
        for tracer in tracers:
            _invert(tracer, parts, whole)
        freedoms = max(1, *(tracer.kind.coordinates[1] for tracer in tracers))  # the trace of D⁻¹ H P H* is so many
        children = np.bincount(parent[parent >= 0], minlength=len(parent))
        return [_weights(tracer, parts, whole, parent, children, freedoms) for tracer in tracers]
    except (_Unknown, ArithmeticError, LookupError):
        return None


def _weights(
    tracer: KindTracer, parts: Elimination, whole: Numbers, parent: Indices, children: Indices, freedoms: int
) -> Weights:
    numbers, k, kind = tracer.nodes, tracer.place, tracer.kind
    H = numbers.product(*(tracer.get(ref, k) for ref in parts.H))
    if parts.rest and H.height:
        rest = _OverBodies(
            tracer, numbers.sum([tracer.term(term, H.height, k) for term in parts.rest], *2 * (H.height,))
        )
        if any(np.linalg.eigvalsh(rest.at(part)).min() < 0.0 for part in kind.parts):
            raise _Unknown
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
            own[part] = 2.0 * _diagonal(inverse) - 2.0 * h * reached + h * h * twice
            above = parent[kind.bodies[part]]
            passed[part] = (
                children[above][:, None] * h * h * np.einsum("mi,mij,mj->m", lever, whole[above], lever)[:, None]
            )
    else:
        straight = _OverBodies(tracer, _straight(tracer, tracer.hop(parts.hop, k)))
        for part in kind.parts:
            own[part] = _diagonal(whole[kind.bodies[part]])
            lever, above = straight.at(part), parent[kind.bodies[part]]
            halves = np.einsum("mji,mjk,mki->mi", lever, whole[above], lever).reshape(-1, 2, 3).sum(axis=2)
            passed[part] = children[above][:, None] * np.repeat(halves, 3, axis=1) * _ROOT_EPS**2
    for part in kind.parts:
        own[part] = freedoms * (own[part] * _SIGN * SMALL / OWN)
        passed[part] = freedoms * (passed[part] * _SIGN * SMALL / ABOVE)
    return Weights(own, passed)


def _diagonal(blocks: Numbers) -> Numbers:
    return np.diagonal(blocks, axis1=1, axis2=2)


def _invert(tracer: KindTracer, parts: Elimination, whole: Numbers) -> None:
    """Write M⁻¹ at the bodies of a kind, (bodies, 6, 6)."""
    numbers, k = tracer.nodes, tracer.place
    inertia = numbers.averaged(numbers.sum([tracer.term(term, _SIX, k) for term in parts.own], _SIX, _SIX))
    start = len(numbers.positive)
    lower, pivots = numbers.factored(inertia)
    del lower, numbers.positive[start:]
    tested, inverse = _OverBodies(tracer, Matrix([pivots], _SIX)), _OverBodies(tracer, numbers.inverse(inertia))
    del numbers.positive[start:]
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
        if all(node.known for node in self._nodes):
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

    def everywhere(self) -> Numbers:
        """At all of them."""
        found = np.empty((len(self._kind.bodies), *self._shape))
        for part in self._kind.parts:
            found[part] = self.at(part)
        return found
