"""What is left of a law on a large mechanism, by probing it with vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from operator_algebra.checking.column import Column
from operator_algebra.checking.prober import Prober
from operator_algebra.checking.scene import Sample
from operator_algebra.checking.statements import Residual, combination
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import add, inv, matmul
from operator_algebra.expressions.nodes import Diag, Expr, Product
from operator_algebra.expressions.query import Query
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.meaning.evaluator import Worst, worst
from operator_algebra.models.changes import carried
from operator_algebra.models.topology import leaving, way_to
from operator_algebra.operators.spaces import ONE, Space

_STEPS = 10_000_000  # of a series: bodies times depth
_SMALL = 1000


class NotProbed(Exception):
    """A law that has no form in vectors; the message says why."""


Left = tuple[Column, Column]


def probe_residual(prober: Prober, sample: Sample, law: Law) -> Residual:
    """What is left of a law at one sample."""
    prober.begin()
    if isinstance(law, Identity):
        return _residual(prober, _equation(prober, law.lhs, law.rhs))
    if law.rule not in _RULES:
        raise NotProbed(f"the rule {law.rule!r} has no form in vectors")
    return _RULES[law.rule](prober, sample, law)


def _residual(prober: Prober, sides: Left) -> Residual:
    left, right = sides
    difference = np.array([float(np.linalg.norm(left.entries - right.entries))])
    size = np.array([float(np.linalg.norm(left.size) + np.linalg.norm(right.size))])
    condition, culprit = worst(left.worst, right.worst)
    ends = left.entries[None, :, None], right.entries[None, :, None]
    return Residual(difference, size, np.array([condition]), culprit, sides=ends)


def _equation(prober: Prober, lhs: Expr, rhs: Expr) -> Left:
    """Both sides times a random vector; on a root, a tip and one between where block diagonals are spoken of."""
    few: tuple[int, ...] | None = None
    if lhs.type.domain.attached and (_has_diagonals(lhs) or _has_diagonals(rhs)):
        way = _way(prober)
        few = way[0], way[len(way) // 2], way[-1]
    x = prober.random(lhs.type.domain, bodies=few)
    return prober.apply(lhs, x), prober.apply(rhs, x)


@lru_cache(maxsize=4096)
def _has_diagonals(e: Expr) -> bool:
    return any(isinstance(node, Diag) for node in postorder(e, children_and_definition))


def _sides(law: Statement) -> tuple[Expr, Expr]:
    if isinstance(law.lhs, Expr) and isinstance(law.rhs, Expr):
        return law.lhs, law.rhs
    raise InputError(f'"{law.name}": the rule {law.rule!r} compares operators, not queries.')


def _series(prober: Prober, sample: Sample, law: Statement) -> Residual:
    del sample
    lhs, shift = _sides(law)
    if prober.model.n * prober.model.depth > _STEPS:
        raise NotProbed("the series has as many terms as the forest is deep")
    x = prober.random(lhs.type.domain)
    total = x
    for _ in range(prober.model.depth):
        total = x + prober.apply(shift, total)
    return _residual(prober, (prober.apply(lhs, x), total))


def _on_bodies(prober: Prober, space: Space, column: Column, kept: set[int]) -> Column:
    owner = prober.source.layout(space).owner
    return column.where(np.isin(owner, list(kept)))


def _way(prober: Prober) -> list[int]:
    """A longest way from the ground to a tip."""
    tip = int(np.argmax(prober.model.level))
    return way_to(prober.model.parent, tip)


def _path(prober: Prober, sample: Sample, law: Statement) -> Residual:
    """Via a body in the middle of a longest way, to its ancestors."""
    del sample
    lhs, rhs = _sides(law)
    way = _way(prober)
    middle = way[len(way) // 2]
    space = lhs.type.domain
    x = prober.random(space, bodies=(way[-1],))
    direct = _on_bodies(prober, space, prober.apply(lhs, x), set(way[: len(way) // 2 + 1]))
    there = _on_bodies(prober, space, prober.apply(rhs, x), {middle})
    return _residual(prober, (direct, prober.apply(lhs, there)))


def _common_ancestor(prober: Prober, sample: Sample, law: Statement) -> Residual:
    """Between the tip of a longest way and a body that leaves it elsewhere."""
    del sample
    lhs, rhs = _sides(law)
    if not isinstance(rhs, Product) or len(rhs.children) != 3:
        raise NotProbed("the right side needs three factors")
    above, middle, below = rhs.children
    way = _way(prober)
    other, ancestor = _branch(prober, way)
    x = prober.random(lhs.type.domain, bodies=(other,))
    space = lhs.type.codomain
    direct = _on_bodies(prober, space, prober.apply(lhs, x), {way[-1]})
    there = _on_bodies(prober, below.type.codomain, prober.apply(below, x), {ancestor})
    through = _on_bodies(prober, space, prober.apply(above, prober.apply(middle, there)), {way[-1]})
    return _residual(prober, (direct, through))


def _branch(prober: Prober, way: list[int]) -> tuple[int, int]:
    """A body off a way, and where its own way meets it; on a chain, one of the way itself."""
    found = leaving(prober.model.parent, way)
    if found is not None:
        return found
    middle = way[len(way) // 2]
    return middle, middle


def _semidefinite(prober: Prober, sample: Sample, law: Statement) -> Residual:
    """Block by block: the smallest eigenvalue against the size of the block."""
    del sample
    lhs, rhs = _sides(law)
    gap, size, (condition, culprit) = prober.formed(add(rhs, -1 * lhs))
    if not np.array_equal(*gap.places()):
        raise NotProbed("the two sides are not block-diagonal")
    lowest = [float(np.linalg.eigvalsh(block)[0]) if block.size else 0.0 for block in gap.diagonal_blocks()]
    norms = gap.like(size).diagonal_norms()
    shares = np.array([max(-low, 0.0) / norm if norm else 0.0 for low, norm in zip(lowest, norms, strict=True)])
    return Residual(np.array([shares.max(initial=0.0)]), np.ones(1), np.array([condition]), culprit)


def _block_diagonal(prober: Prober, sample: Sample, law: Statement) -> Residual:
    del sample
    lhs, _ = _sides(law)
    body = int(np.argmax(prober.model.level))
    x = prober.random(lhs.type.domain, bodies=(body,))
    whole = prober.apply(lhs, x)
    return _residual(prober, (whole, _on_bodies(prober, lhs.type.codomain, whole, {body})))


def _roots(prober: Prober, sample: Sample, law: Statement) -> Residual:
    del sample
    lhs, rhs = _sides(law)
    root = prober.model.parent.index(-1)
    x = prober.random(lhs.type.domain, bodies=(root,))
    found = [_on_bodies(prober, lhs.type.codomain, prober.apply(side, x), {root}) for side in (lhs, rhs)]
    return _residual(prober, (found[0], found[1]))


def _cholesky(prober: Prober, sample: Sample, law: Statement) -> Residual:
    """The factor is triangular by its structure; its product with its adjoint is probed."""
    del sample
    lhs, rhs = _sides(law)
    if lhs.structure.flow not in ("inward", "diagonal"):
        raise NotProbed("the factor is not inward")
    return _residual(prober, _equation(prober, matmul(lhs, lhs.T), rhs))


def _query(prober: Prober, sample: Sample, law: Statement) -> Residual:
    del sample
    difference, size, among = 0.0, 0.0, Worst()
    for sign, side in ((1, combination(law, law.lhs)), (-1, combination(law, law.rhs))):
        difference, size = difference + sign * float(side.number), size + abs(float(side.number))
        for c, query in side.terms:
            value, terms, condition = _number(prober, query)
            difference, size = difference + sign * float(c) * value, size + abs(float(c)) * terms
            among = worst(among, condition)
    return Residual(np.array([abs(difference)]), np.array([size]), np.array([among.condition]), among.culprit)


def _number(prober: Prober, query: Query) -> tuple[float, float, Worst]:
    """The answer, its size before cancellation, and the worst inverse in it."""
    body = query.body
    if query.kind not in ("trace", "logdet"):
        raise NotProbed("blocks have no form in vectors")
    rows = prober.source.layout(body.type.codomain).size
    local = body.structure.flow == "diagonal"
    if rows > _SMALL and not local:
        raise NotProbed("a trace or determinant has no form in vectors")
    value, size, among = prober.formed(body)
    if query.kind == "trace":
        return float(value.stored.diagonal().sum()), float(size.diagonal().sum()), among
    blocks = value.diagonal_blocks() if local else [value.data.toarray()]
    logs = [float(np.linalg.slogdet(block)[1]) if block.size else 0.0 for block in blocks]
    if not local:
        among = worst(among, prober.formed(inv(body))[2])
    return sum(logs), sum(map(abs, logs)) + rows, among


def _frame(prober: Prober, sample: Sample, law: Statement) -> Residual:
    """Lhs in world axes on turned vectors is rhs in body axes, turned."""
    lhs, rhs = _sides(law)
    turned = Sample(sample.seed, "world", sample.q, sample.v), Sample(sample.seed, "body", sample.q, sample.v)
    world, body = (
        prober if prober.source.leaves.frame == one_.frame else prober.beside(prober.model, one_) for one_ in turned
    )
    x = body.random(rhs.type.domain)
    rotation = body.source.leaves.absolute[0]
    left = world.apply(lhs, Column.of(_turn(rotation, rhs.type.domain, x.entries)))
    right = body.apply(rhs, x)
    moved = _turn(rotation, rhs.type.codomain, right.entries)
    size = np.full_like(moved, np.linalg.norm(right.size) / np.sqrt(max(1, moved.size)))
    return _residual(world, (left, Column(moved, size, right.worst)))


def _turn(rotation: np.ndarray, space: Space, entries: np.ndarray) -> np.ndarray:
    if space.sizes != "spatial":
        return entries
    parts = entries.reshape(len(rotation), 2, 3)
    return np.einsum("kij,kaj->kai", rotation, parts).reshape(-1)


def _numbering(prober: Prober, sample: Sample, law: Statement) -> Residual:
    """Lhs for mirrored siblings on re-ordered vectors is rhs, re-ordered."""
    lhs, rhs = _sides(law)
    model = prober.model
    other, order = prober.source.mirrored
    q, v = (carried(model, order, np.asarray(x), rates=rates) for x, rates in ((sample.q, False), (sample.v, True)))
    second = prober.beside(other, Sample(sample.seed, sample.frame, q, v))
    x = prober.random(rhs.type.domain)
    there = second.apply(lhs, Column.of(_ordered(prober, rhs.type.domain, order, x.entries)))
    here = prober.apply(rhs, x)
    moved, size = (_ordered(prober, rhs.type.codomain, order, each) for each in (here.entries, here.size))
    return _residual(prober, (there, Column(moved, size, here.worst)))


def _ordered(prober: Prober, space: Space, order: np.ndarray, entries: np.ndarray) -> np.ndarray:
    layout = prober.source.layout(space)
    if not layout.attached or space == ONE:
        return entries
    return np.concatenate([entries[layout.part(int(k))] for k in order])


_RULES: dict[str, Callable[[Prober, Sample, Statement], Residual]] = {
    "series": _series,
    "path": _path,
    "common ancestor": _common_ancestor,
    "semidefinite": _semidefinite,
    "block-diagonal": _block_diagonal,
    "roots": _roots,
    "cholesky": _cholesky,
    "query": _query,
    "frame": _frame,
    "numbering": _numbering,
}
