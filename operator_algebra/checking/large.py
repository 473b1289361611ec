"""What is left of a law on a large mechanism, by probing it with vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from operator_algebra.checking.arithmetic import Floats
from operator_algebra.checking.column import Column, norms
from operator_algebra.checking.prober import SMALL, Prober, stands_beside
from operator_algebra.checking.statements import Residual, combination
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import add, inv, matmul
from operator_algebra.expressions.nodes import Diag, Expr, Inverse, Product
from operator_algebra.expressions.query import Query
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.identities.catalogue import sides
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.meaning.evaluator import Worst, worst
from operator_algebra.models.changes import carried
from operator_algebra.models.topology import leaving, way_to
from operator_algebra.operators.arrays import Indices, Rotations
from operator_algebra.operators.spaces import ONE, Space
from operator_algebra.spatial.arrays import Axes

_STEPS = 10_000_000  # of a series: bodies times depth


class NotProbed(Exception):
    """A law that has no form in vectors; the message says why."""


def probe_residual(prober: Prober, law: Law) -> Residual:
    """What is left of a law at the samples of a prober."""
    if len(prober.samples) > 1 and not _stands_beside(law):
        return together([probe_residual(one, law) for one in prober.apart()])
    prober.begin()
    if isinstance(law, Identity):
        return _residual(*_equation(prober, law.lhs, law.rhs))
    if law.rule not in _RULES:
        raise NotProbed(f"the rule {law.rule!r} has no form in vectors")
    return _RULES[law.rule](prober, law)


def together(found: Sequence[Residual]) -> Residual:
    """What is left at several samples, those of each in turn."""
    if len(found) == 1:
        return found[0]
    worst = max(found, key=lambda one: float(one.condition.max()))
    difference, size, condition = (
        np.concatenate([getattr(one, name) for one in found]) for name in ("difference", "size", "condition")
    )
    return Residual(difference, size, condition, worst.culprit)


@lru_cache(maxsize=4096)
def _stands_beside(law: Law) -> bool:
    found = all(stands_beside(side) for side in sides(law))
    if isinstance(law, Statement) and law.rule == "semidefinite":  # both sides are formed
        found &= all(
            node.type.codomain.attached for side in sides(law) for node in postorder(side, children_and_definition)
        )
    return found


def _residual(left: Column, right: Column) -> Residual:
    difference = norms(left.entries - right.entries)[:, 0, 0]
    size = (norms(left.size) + norms(right.size))[:, 0, 0]
    condition, culprit = worst(left.worst, right.worst)
    ends = left.entries, right.entries
    return Residual(difference, size, np.broadcast_to(condition, size.shape), culprit, sides=ends)


def _equation(prober: Prober, lhs: Expr, rhs: Expr) -> tuple[Column, Column]:
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


def _series(prober: Prober, law: Statement) -> Residual:
    lhs, shift = _sides(law)
    if prober.model.n * prober.model.depth > _STEPS:
        raise NotProbed("the series has as many terms as the forest is deep")
    x = prober.random(lhs.type.domain)
    total = x
    for _ in range(prober.model.depth):
        total = x + prober.apply(shift, total)
    return _residual(prober.apply(lhs, x), total)


def _on_bodies(prober: Prober, space: Space, column: Column, kept: set[int]) -> Column:
    owner = prober.layout(space).owner
    return column.where(np.isin(owner, list(kept)))


def _way(prober: Prober) -> list[int]:
    """A longest way from the ground to a tip."""
    tip = int(np.argmax(prober.model.level))
    return way_to(prober.model.parent, tip)


def _path(prober: Prober, law: Statement) -> Residual:
    """Via a body in the middle of a longest way, to its ancestors."""
    lhs, rhs = _sides(law)
    way = _way(prober)
    middle = way[len(way) // 2]
    space = lhs.type.domain
    x = prober.random(space, bodies=(way[-1],))
    direct = _on_bodies(prober, space, prober.apply(lhs, x), set(way[: len(way) // 2 + 1]))
    there = _on_bodies(prober, space, prober.apply(rhs, x), {middle})
    return _residual(direct, prober.apply(lhs, there))


def _common_ancestor(prober: Prober, law: Statement) -> Residual:
    """Between the tip of a longest way and a body that leaves it elsewhere."""
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
    return _residual(direct, through)


def _branch(prober: Prober, way: list[int]) -> tuple[int, int]:
    """A body off a way, and where its own way meets it; on a chain, one of the way itself."""
    found = leaving(prober.model.parent, way)
    if found is not None:
        return found
    middle = way[len(way) // 2]
    return middle, middle


def _semidefinite(prober: Prober, law: Statement) -> Residual:
    """Block by block: the smallest eigenvalue against the size of the block."""
    lhs, rhs = _sides(law)
    gap, size, (condition, culprit) = prober.formed(add(rhs, -1 * lhs))
    if not np.array_equal(*gap.places()):
        raise NotProbed("the two sides are not block-diagonal")
    lowest = np.array([float(np.linalg.eigvalsh(block)[0]) if block.size else 0.0 for block in gap.diagonal_blocks()])
    norm = gap.like(size).diagonal_norms()
    shares = np.where(norm > 0.0, np.maximum(-lowest, 0.0) / np.where(norm > 0.0, norm, 1.0), 0.0)
    samples = len(prober.samples)
    largest = shares.reshape(samples, -1).max(axis=-1, initial=0.0)
    return Residual(largest, np.ones(samples), np.broadcast_to(condition, samples), culprit)


def _block_diagonal(prober: Prober, law: Statement) -> Residual:
    lhs, _ = _sides(law)
    body = int(np.argmax(prober.model.level))
    x = prober.random(lhs.type.domain, bodies=(body,))
    whole = prober.apply(lhs, x)
    return _residual(whole, _on_bodies(prober, lhs.type.codomain, whole, {body}))


def _roots(prober: Prober, law: Statement) -> Residual:
    lhs, rhs = _sides(law)
    root = prober.model.parent.index(-1)
    x = prober.random(lhs.type.domain, bodies=(root,))
    found = [_on_bodies(prober, lhs.type.codomain, prober.apply(side, x), {root}) for side in (lhs, rhs)]
    return _residual(*found)


def _cholesky(prober: Prober, law: Statement) -> Residual:
    """The factor is triangular by its structure; its product with its adjoint is probed."""
    lhs, rhs = _sides(law)
    if lhs.structure.flow not in ("inward", "diagonal"):
        raise NotProbed("the factor is not inward")
    return _residual(*_equation(prober, matmul(lhs, lhs.T), rhs))


def _query(prober: Prober, law: Statement) -> Residual:
    samples = len(prober.samples)
    difference, size, among = np.zeros(samples), np.zeros(samples), Worst()
    for sign, side in ((1, combination(law, law.lhs)), (-1, combination(law, law.rhs))):
        difference, size = difference + sign * float(side.number), size + abs(float(side.number))
        for c, query in side.terms:
            value, terms, condition = _number(prober, query)
            difference, size = difference + sign * float(c) * value, size + abs(float(c)) * terms
            among = worst(among, condition)
    return Residual(np.abs(difference), size, np.broadcast_to(among.condition, samples), among.culprit)


def _number(prober: Prober, query: Query) -> tuple[Floats, Floats, Worst]:
    """The answer, its size before cancellation, and the worst inverse in it."""
    body, samples = query.body, len(prober.samples)
    if query.kind not in ("trace", "logdet"):
        raise NotProbed("blocks have no form in vectors")
    rows = prober.layout(body.type.codomain).size
    if body.structure.flow == "diagonal":
        value, sizes, among = prober.formed(body)
        if query.kind == "trace":
            answer, size = value.stored.diagonal(), sizes.diagonal()
        else:
            logs = [float(np.linalg.slogdet(block)[1]) if block.size else 0.0 for block in value.diagonal_blocks()]
            answer, size = np.array(logs), np.abs(logs)
        found, before = (part.reshape(samples, -1).sum(axis=-1) for part in (answer, size))
        return found, before + (rows if query.kind == "logdet" else 0.0), among
    if rows > SMALL:
        raise NotProbed("a trace or determinant has no form in vectors")
    if query.kind == "trace":
        whole = prober.whole(body)
        found, before = (np.einsum("sii->s", part) for part in (whole.entries, whole.size))
        return found, before, whole.worst
    inverse = inv(body)
    if isinstance(inverse, Inverse):
        matrix, _, among = prober.inverted(inverse)
    else:
        whole = prober.whole(body)
        matrix, among = whole.entries, whole.worst
    found = np.linalg.slogdet(matrix)[1]
    return found, np.abs(found) + rows, among


def _frame(prober: Prober, law: Statement) -> Residual:
    """Lhs in world axes on turned vectors is rhs in body axes, turned."""
    lhs, rhs = _sides(law)
    turned: dict[Axes, Axes] = {"body": "world", "world": "body"}
    other = prober.beside(prober.model, [replace(sample, frame=turned[sample.frame]) for sample in prober.samples])
    x = prober.random(rhs.type.domain)
    rotations = prober.source.rotations
    left = _seen_from("world", lhs, Column.of(_turn(rotations, rhs.type.domain, x.entries)), prober, other)
    right = _seen_from("body", rhs, x, prober, other)
    moved = _turn(rotations, rhs.type.codomain, right.entries)
    size = np.broadcast_to(norms(right.size) / np.sqrt(max(1, moved.shape[1])), moved.shape)
    return _residual(left, Column(moved, size, right.worst))


def _seen_from(frame: Axes, e: Expr, x: Column, first: Prober, second: Prober) -> Column:
    """The value of e times vectors in one kind of axes, which each sample has with one of two probers."""
    here = np.array([own == frame for own in first.source.frames])
    if here.all() or not here.any():
        return (first if here.all() else second).apply(e, x)
    return first.apply(e, x).at(here, second.apply(e, x))


def _turn(rotations: Rotations, space: Space, entries: Floats) -> Floats:
    if space.sizes != "spatial":
        return entries
    parts = entries.reshape(*rotations.shape[:2], 2, 3)
    return np.einsum("skij,skaj->skai", rotations, parts).reshape(entries.shape)


def _numbering(prober: Prober, law: Statement) -> Residual:
    """Lhs for mirrored siblings on re-ordered vectors is rhs, re-ordered."""
    lhs, rhs = _sides(law)
    model = prober.model
    other, order = prober.source.mirrored
    moved = [
        replace(
            sample,
            q=carried(model, order, np.asarray(sample.q), rates=False),
            v=carried(model, order, np.asarray(sample.v), rates=True),
        )
        for sample in prober.samples
    ]
    second = prober.beside(other, moved)
    x = prober.random(rhs.type.domain)
    there = second.apply(lhs, Column.of(_ordered(prober, rhs.type.domain, order, x.entries)))
    here = prober.apply(rhs, x)
    entries, size = (_ordered(prober, rhs.type.codomain, order, each) for each in (here.entries, here.size))
    return _residual(there, Column(entries, size, here.worst))


def _ordered(prober: Prober, space: Space, order: Indices, entries: Floats) -> Floats:
    layout = prober.layout(space)
    if not layout.attached or space == ONE:
        return entries
    return np.concatenate([entries[:, layout.part(int(k))] for k in order], axis=1)


_RULES: dict[str, Callable[[Prober, Statement], Residual]] = {
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
