"""Axes about which a body hardly resists, as a thin rod: what is rounded there goes on as one number for each body.

Let a be a torque about such an axis, across the joint: H a = 0. It passes the joint, so a* V = b* V(parent) with
b = φ a, a torque too. What is rounded along a, ρ (a* V)², counts as ρ (b* V(parent))², and of b = c a(parent) + s y,
where y is across a(parent), the inertia of the parent bears what is bent out of its axis: if (y* V)² ≤ λ V* M V,

    ρ (b* V)² ≤ (t + (1 − t) c²) ρ (a* V)² + (ρ λ / t) V* M V    for any t between 0 and 1,

by Cauchy's inequality and c² + s² = 1. So ρ fades where a chain bends, by which it grew, however thin its rods are. At
a pivot V = H* y, and a* V is nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar.graph import Graph, Node
from operator_algebra.models.arrays import Indices
from operator_algebra.models.numeric import Numbers

T = TypeVar("T")
S = TypeVar("S")
U = TypeVar("U")
V = TypeVar("V")

SIGN = (1.25**3 - 0.8**3) / (3 * (1.25 - 0.8))
"""The mean square of a sign."""
LEFT, AXIS = 0.35, 0.2
"""The parts of what may be lost that are left to what is rounded at a body, to its children, and about its axis."""
PART = 0.5
"""t above: a smaller one makes ρ fade sooner, and asks for a smaller ρ."""
_WEAK = 6.0
"""So many times as much a body resists across an axis, or it is none."""
_THIN = 1e-6
"""A body is taken to have this part of its inertia about its axis, at the least."""
TINY = float(np.finfo(np.float64).tiny)
_FEW = 1_000
"""So many are compared with each other."""
_RATE = 8.0
"""What is handed on costs that many times what the body bears."""


@dataclass(frozen=True)
class WeakAxes:
    """Of some bodies, (bodies, …): M⁻¹ = N + v v* / m, where v moves with a* v = 1 and least energy, m / 2.

    Entries are nothing where no body moves along. A body without an axis has M⁻¹ = N.
    """

    a: Numbers
    """Units, (bodies, 6); nothing where there is no axis."""
    inverse: Numbers
    """N, (bodies, 6, 6)."""
    v: Numbers
    m: Numbers
    added: Numbers
    """What is a part of m, but not of the body."""

    @classmethod
    def of(cls, inertia: Numbers, moved: Sequence[int], hinge: Numbers | None) -> WeakAxes:
        """Where inertia is least about the center of mass, across hinges, (bodies, 3); no axes where these are None.

        Raises LinAlgError where inertia is not definite beside it.
        """
        live = np.zeros((6, 6), dtype=bool)
        live[np.ix_(moved, moved)] = True
        halves = np.diagonal(inertia, axis1=1, axis2=2).reshape(-1, 2, 3).sum(axis=2)
        whole = np.where(live, inertia, np.repeat(halves, 3, axis=1)[:, :, None] * np.eye(6))
        large = halves[:, 0]
        a = np.zeros(whole.shape[:2])
        if hinge is None:
            return cls._with(whole, live, large, a)
        turning = whole[:, :3, :3] - whole[:, :3, 3:] @ np.linalg.solve(whole[:, 3:, 3:], whole[:, 3:, :3])
        least = np.linalg.eigh(turning)[1][:, :, 0]
        square = np.maximum((hinge * hinge).sum(axis=1), TINY)
        least = least - hinge * ((hinge * least).sum(axis=1) / square)[:, None]
        length = np.sqrt((least * least).sum(axis=1))
        there = length > 0.5
        a[there, :3] = least[there] / length[there, None]
        found = cls._with(whole, live, large, a)
        there &= (found.across > 0.0) & (_WEAK * found.across * found.m < 1.0)
        return found if there.all() else cls._with(whole, live, large, a * there[:, None])

    @classmethod
    def _with(cls, whole: Numbers, live: Numbers, large: Numbers, a: Numbers) -> WeakAxes:
        along = a[:, :, None] * a[:, None, :]
        beside = np.eye(6) - along
        across = beside @ whole @ beside + large[:, None, None] * along
        np.linalg.cholesky(across)
        inverse = np.linalg.inv(across) - along / large[:, None, None]
        reached = np.einsum("mij,mj->mi", whole, a)
        v = a - np.einsum("mij,mj->mi", inverse, reached)
        there = a.any(axis=1)
        own = np.where(there, (reached * v).sum(axis=1), 1.0)
        m = np.where(there, np.maximum(own, _THIN * large), 1.0)
        return cls(a, np.where(live, inverse, 0.0), v * live.any(axis=1), m, m - own)

    @cached_property
    def across(self) -> Numbers:
        """λ above."""
        beside = np.eye(3) - self.a[:, :3, None] * self.a[:, None, :3]
        sizes: Numbers = np.linalg.eigvalsh(beside @ self.whole[:, :3, :3] @ beside)
        return sizes[:, -1]

    @property
    def whole(self) -> Numbers:
        """M⁻¹."""
        about: Numbers = self.v[:, :, None] * self.v[:, None, :] / self.m[:, None, None]
        return self.inverse + about

    @classmethod
    def joined(cls, several: Sequence[WeakAxes]) -> tuple[WeakAxes, Indices]:
        """All of them, those that are equal once if there are few, and which of them each one was."""
        arrays = [np.concatenate(some) for some in zip(*(one.arrays for one in several), strict=True)]
        whole = cls(*arrays)
        count = len(whole.a)
        if count > _FEW:
            return whole, np.arange(count)
        rows = np.concatenate([array.reshape(count, -1) for array in arrays], axis=1)
        _, some, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return whole.at(some), same.reshape(-1)

    @property
    def there(self) -> Numbers:
        """One where there is an axis, else zero."""
        return np.asarray(self.a.any(axis=1), dtype=np.float64)

    @property
    def arrays(self) -> tuple[Numbers, ...]:
        """All of it."""
        return self.a, self.inverse, self.v, self.m, self.added

    def at(self, bodies: Indices) -> WeakAxes:
        """Of these."""
        return WeakAxes(*(array[bodies] for array in self.arrays))

    def parted(self, f: Numbers) -> tuple[Numbers, Numbers]:
        """Of (f* V)² what is borne by V* M V, and what goes on as (a* V)², for forces f, (bodies, 6)."""
        along = np.abs((self.v * f).sum(axis=1))
        rest = np.sqrt(np.maximum(0.0, np.einsum("mi,mij,mj->m", f, self.inverse, f)))
        rate = np.sqrt(np.maximum(_RATE * self.across, TINY))
        return rest * (rest + rate * along), along * (along + rest / rate)


@dataclass(frozen=True)
class Along(Generic[T, S]):
    """What stands at bodies, of each six numbers and single ones: Σ borne P(i, i) + 2ρ dear ≤ 1 tells that all is well.

    ρ is Σ gathered P(i, i) and what is received, or 0 if that is more. Each body sends Σ handed P(i, i) and
    fading + bent c² times 2ρ to its parent. What that bears itself about its axis is taken from what one child sends.
    """

    borne: T
    gathered: T
    handed: T
    a: T
    above: T
    """a of the parent."""
    received: S
    """Of a tip, since it has no children."""
    sent: S
    dear: S
    fading: S
    bent: S

    def each(self, six: Callable[[T], U], single: Callable[[S], V]) -> Along[U, V]:
        """All of them by functions."""
        several = six(self.borne), six(self.gathered), six(self.handed), six(self.a), six(self.above)
        others = self.received, self.sent, self.dear, self.fading, self.bent
        return Along(*several, *map(single, others))


@dataclass(frozen=True)
class Edges:
    """How bodies hang on their parents, (bodies, …)."""

    h: Numbers
    """H, nothing where there is no freedom, or more than one."""
    lever: Numbers
    """φ H†*."""
    passed: Numbers
    """What of several freedoms counts at the parent, for each entry of P."""
    count: Numbers
    """The children of the parent."""
    inner: Numbers
    """Whether there is one."""
    first: Numbers
    """Whether they are its first child."""


def sharing(h: Numbers) -> tuple[Numbers, Numbers]:
    """How often both parts of V⁻(i) count, (bodies, 6): (x + y)² ≤ (1 + g / f) x² + (1 + f / g) y².

    x is what the body moves across its joint, y what the parent moves along; f and g are as large as their shares.
    """
    g = np.abs(h) / np.sqrt(np.maximum((h * h).sum(axis=1, keepdims=True), TINY))
    f = np.sqrt(np.maximum(0.0, 1.0 - g * g))
    least = np.sqrt(TINY)
    return 1.0 + g / np.maximum(f, least), 1.0 + f / np.maximum(g, least)


def stood(own: WeakAxes, ends: WeakAxes, edges: Edges, freedoms: int, *, single: bool) -> Along[Numbers, Numbers]:
    """What stands at bodies, with axes at their other ends; joints have a single freedom or none, or each more of them.

    `freedoms` is the largest number of freedoms of a joint: of D⁻¹ H P H* that is the trace.
    """
    h, count, inner = edges.h, edges.count[:, None], edges.inner.astype(np.float64)
    back = h / np.maximum((h * h).sum(axis=1, keepdims=True), TINY)
    across, beyond = sharing(h)
    borne, gathered = np.zeros_like(h), np.zeros_like(h)
    for i in range(h.shape[1]):
        unit = np.broadcast_to(np.eye(h.shape[1])[i], h.shape)
        first, second = own.parted(unit)
        again, over = own.parted(unit - h[:, i : i + 1] * back) if single else (0.0, 0.0)
        borne[:, i] = first + inner * across[:, i] * again
        gathered[:, i] = second + inner * across[:, i] * over
    first, second = ends.parted(edges.lever)
    borne += inner[:, None] * count * (beyond * h * h * first[:, None] + edges.passed)
    linear = borne[:, 3:]
    borne[:, 3:] = np.where(linear > 0.0, linear.max(axis=1, keepdims=True), 0.0)  # alike, so that they are added first
    scale = SIGN * SMALL * freedoms
    dear = inner * own.there * ends.across * edges.count / (LEFT * np.where(ends.there > 0.0, PART, 1.0))
    return Along(
        borne=borne * scale / LEFT,
        gathered=gathered * scale,
        handed=inner[:, None] * beyond * h * h * second[:, None] * scale,
        a=own.a,
        above=inner[:, None] * ends.a,
        received=-_bearing(own),
        sent=-_bearing(ends) * inner * edges.first,
        dear=dear / 2.0,
        fading=ends.there * PART / 2.0,
        bent=ends.there * (1.0 - PART) / 2.0,
    )


def _bearing(axes: WeakAxes) -> Numbers:
    """What bodies bear about their axes, without what was added there."""
    return axes.there * (AXIS * axes.m - (2.0 * LEFT + AXIS) * axes.added)


def carried_along(
    graph: Graph, by: Along[Sequence[Node], Node], diagonal: Sequence[Node], received: Node, b: Sequence[Node]
) -> tuple[Node, Node]:
    """What is positive where all is well at a body, and what it sends, by the diagonal of P and φ a."""
    gathered = _added(graph, received, by.gathered, diagonal)
    rho = graph.add(gathered, graph.absolute(gathered))
    left = _added(graph, graph.one, [-x for x in by.borne], diagonal)
    c = _added(graph, graph.zero, by.above, b)
    share = graph.add(by.fading, graph.multiply(by.bent, graph.multiply(c, c)))
    sent = graph.add(_added(graph, by.sent, by.handed, diagonal), graph.multiply(rho, share))
    return graph.subtract(left, graph.multiply(rho, by.dear)), sent


def _added(graph: Graph, start: Node, a: Sequence[Node], b: Sequence[Node]) -> Node:
    """start + Σ a b, from the left: each product is added as it is made, what has equal factors before."""
    several: dict[Node, Node] = {}
    for x, y in zip(a, b, strict=True):
        several[x] = graph.add(several.get(x, graph.zero), y)
    for x, y in several.items():
        start = graph.add(start, graph.multiply(x, y))
    return start
