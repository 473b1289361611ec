"""How laws that are not equations of operators are checked: one way for each rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

from operator_algebra.checking.arithmetic import Arithmetic, Array, FixedPoint, Floats, Singular, object_array, span
from operator_algebra.checking.suite import body_of
from operator_algebra.checking.trial import Trial
from operator_algebra.checking.values import Value, total
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import add, diag, inv, matmul, one
from operator_algebra.expressions.nodes import Expr, Product
from operator_algebra.expressions.query import Combination, Query
from operator_algebra.identities.identity import Side, Statement
from operator_algebra.operators.spaces import Space
from operator_algebra.symbols import X_abs


@dataclass(frozen=True, slots=True)
class Residual:
    """What is left of a law at each sample: the difference and the size of its terms, both absolute."""

    difference: Floats
    size: Floats
    condition: Floats
    culprit: Expr | None
    array: Array | None = None
    sides: tuple[Array, Array] | None = None


def size_of(*values: Value) -> Floats:
    """The norm of the terms before cancellation."""
    total = np.zeros(len(values[0].size))
    for value in values:
        total = total + value.before
    return total


def compare(trial: Trial, left: Value, right: Value) -> Residual:
    """What is left of left = right."""
    difference = left.array - right.array
    condition = np.maximum(left.condition, right.condition)
    culprit = left.culprit if (left.condition >= right.condition).all() else right.culprit
    sides = (left.array, right.array)
    return Residual(trial.norm(difference), size_of(left, right), condition, culprit, difference, sides)


def statement_residual(trial: Trial, law: Statement) -> Residual:
    """What is left of a statement."""
    if law.rule not in RULES:
        raise InputError(f'"{law.name}": there is no rule {law.rule!r}. There are {", ".join(RULES)}.')
    return RULES[law.rule](trial, law)


def _sides(law: Statement) -> tuple[Expr, Expr]:
    if isinstance(law.lhs, Expr) and isinstance(law.rhs, Expr):
        return law.lhs, law.rhs
    raise InputError(f'"{law.name}": the rule {law.rule!r} compares operators, not queries.')


def _with(value: Value, array: Array, trial: Trial) -> Value:
    return Value(array, trial.valuation.arithmetic.sizes(array), value.condition, value.culprit)


# -- the tree as masks ---------------------------------------------------------------------------------------------


def _owner(trial: Trial, space: Space) -> Array:
    sizes = trial.valuation.scene.sizes(space)
    return np.repeat(np.arange(len(sizes)), sizes)


def _masked(trial: Trial, e: Expr, reach: Array) -> Array:
    """A relation between bodies as a mask of the entries of an operator."""
    return reach[_owner(trial, e.type.codomain)][:, _owner(trial, e.type.domain)].astype(np.int64)


def _ancestry(trial: Trial) -> Array:
    """Whether body i is body j or carries it."""
    return trial.valuation.scene.ancestry


# -- rules ---------------------------------------------------------------------------------------------------------


def _series(trial: Trial, law: Statement) -> Residual:
    """Lhs = I + E + E² + …, to the depth of the forest, which Horner's scheme sums."""
    lhs, shift = _sides(law)
    unit = one(shift.type)
    total = unit
    for _ in range(trial.model.depth):
        total = add(unit, matmul(shift, total))
    return compare(trial, trial.value(lhs), trial.value(total))


def _path(trial: Trial, law: Statement) -> Residual:
    """lhs(k, j) = lhs(k, i) rhs(i, j) for every i between j and its ancestor k."""
    lhs, rhs = _sides(law)
    whole, second = trial.value(lhs), trial.value(rhs)
    above = _ancestry(trial)
    owner = _owner(trial, lhs.type.domain)
    left: list[Array] = []
    right: list[Array] = []
    for via, (before, after) in enumerate(zip(above.T, above, strict=True)):
        here = np.nonzero(owner == via)[0]
        mask = _masked(trial, lhs, before[:, None] & after[None, :])
        left.append(whole.array * mask)
        right.append(trial.valuation.arithmetic.multiply(whole.array[:, :, here], second.array[:, here, :]) * mask)
    return compare(
        trial,
        _with(whole, np.concatenate(left, axis=1), trial),
        _with(second, np.concatenate(right, axis=1), trial),
    )


def _common_ancestor(trial: Trial, law: Statement) -> Residual:
    """lhs(i, j) = A(i, c) X(c) B(c, j), c the nearest common ancestor; rhs is written A X B."""
    lhs, rhs = _sides(law)
    if not isinstance(rhs, Product) or len(rhs.children) != 3:
        raise InputError(f'"{law.name}": the right side needs three factors, outward, diagonal and inward.')
    whole = trial.value(lhs)
    first, middle, last = (trial.value(factor) for factor in rhs.children)
    above = _ancestry(trial)
    level: Array = above.sum(axis=0)
    shared: Array = above[:, :, None] & above[:, None, :]
    depths: Array = shared * level[:, None, None]
    nearest: Array = np.where(shared.any(axis=0), np.argmax(depths, axis=0), -1)
    owner = _owner(trial, rhs.children[1].type.domain)
    multiply = trial.valuation.arithmetic.multiply
    total = trial.valuation.arithmetic.zeros(whole.array.shape)
    size = np.zeros(whole.array.shape)
    for ancestor in np.unique(nearest[nearest >= 0]):
        here = np.nonzero(owner == ancestor)[0]
        mask = _masked(trial, lhs, nearest == ancestor)
        core = np.ix_(np.arange(len(total)), here, here)
        total = total + multiply(multiply(first.array[:, :, here], middle.array[core]), last.array[:, here, :]) * mask
        size = size + (first.size[:, :, here] @ middle.size[core] @ last.size[:, here, :]) * mask
    condition = np.maximum(first.condition, middle.condition)
    return compare(trial, whole, Value(total, size, condition, middle.culprit))


def _block_diagonal(trial: Trial, law: Statement) -> Residual:
    lhs, _ = _sides(law)
    whole = trial.value(lhs)
    mask = _masked(trial, lhs, np.eye(trial.model.n, dtype=bool))
    return compare(trial, whole, _with(whole, whole.array * mask, trial))


def _semidefinite(trial: Trial, law: Statement) -> Residual:
    """Lhs ≤ rhs: rhs − lhs has no negative eigenvalue."""
    lhs, rhs = _sides(law)
    left, right = trial.value(lhs), trial.value(rhs)
    gap = right.array - left.array
    size = size_of(left, right)
    condition = np.maximum(left.condition, right.condition)
    if trial.precise:
        difference = np.array([_lack(trial, gap[[k]], share) for k, share in enumerate(size)])
    else:
        finite: Array = np.asarray(np.isfinite(gap).all(axis=(-1, -2)))
        lowest = np.linalg.eigvalsh(np.where(finite[:, None, None], gap, 0.0))[:, 0]
        difference = np.where(finite, np.maximum(-lowest, 0.0), np.nan)
    return Residual(difference, size, condition, right.culprit, gap, (left.array, right.array))


def _lack(trial: Trial, gap: Array, size: float) -> float:
    """0 if the matrix becomes definite by adding the root of a rounding, else that root."""
    arithmetic = trial.valuation.arithmetic
    step = np.sqrt(arithmetic.eps) * size
    shift = arithmetic.array([[[step if i == j else 0.0 for j in range(gap.shape[-1])] for i in range(gap.shape[-1])]])
    try:
        arithmetic.cholesky(gap + shift)
    except Singular:
        return float(step)
    return 0.0


def _cholesky(trial: Trial, law: Statement) -> Residual:
    """Lhs is lower triangular with positive diagonal in the order from tips to base, and lhs lhs* = rhs."""
    lhs, rhs = _sides(law)
    factor, whole = trial.value(lhs), trial.value(rhs)
    order = np.argsort(-_owner(trial, lhs.type.codomain), kind="stable")
    rows = factor.array[:, order][:, :, order]
    upper = rows * np.triu(np.ones(rows.shape[-2:], dtype=np.int64), 1)
    negative = np.minimum(np.einsum("sii->si", rows), 0)[:, :, None]
    square = trial.valuation.arithmetic.multiply(factor.array, np.swapaxes(factor.array, -1, -2))
    product = _with(factor, square, trial)
    found = compare(trial, product, whole)
    slack = trial.norm(upper) + trial.norm(negative)
    size = found.size + size_of(factor)
    return Residual(found.difference + slack, size, found.condition, found.culprit, found.array, found.sides)


def _query(trial: Trial, law: Statement) -> Residual:
    """Two answers about operators: traces, logarithms of determinants, blocks, and sums of their multiples."""
    left, right = (_total(trial, combination(law, side)) for side in (law.lhs, law.rhs))
    return compare(trial, *_alike(trial, law, left, right))


def combination(law: Statement, side: Side) -> Combination:
    """A side of a query statement as a sum of answers."""
    if isinstance(side, Expr):
        raise InputError(f'"{law.name}": both sides of a query statement are queries.')
    return Combination(((Fraction(1), side),)) if isinstance(side, Query) else side


def _total(trial: Trial, side: Combination) -> list[Value]:
    arithmetic, samples = trial.valuation.arithmetic, len(trial.samples)
    found: list[Value] = []
    for c, query in side.terms:
        value = _answer(trial, query)
        size = abs(float(c)) * value.size
        found.append(Value(arithmetic.times(c, value.array), size, value.condition, value.culprit))
    if side.number:
        one = arithmetic.array(np.ones((samples, 1, 1)))
        size = np.full((samples, 1, 1), abs(float(side.number)))
        found.append(Value(arithmetic.times(side.number, one), size, np.ones(samples)))
    return found


def _alike(trial: Trial, law: Statement, left: list[Value], right: list[Value]) -> tuple[Value, Value]:
    """Both sums; nothing is 0 of the shape of the other side."""
    shapes = {value.array.shape for value in (*left, *right)}
    if len(shapes) > 1:
        sizes = " and ".join(sorted(f"{rows}×{cols}" for _, rows, cols in shapes))
        raise InputError(f'"{law.name}" compares answers of different shapes, {sizes}, on {trial.model.name}.')
    shape = shapes.pop() if shapes else (len(trial.samples), 1, 1)
    nothing = Value(trial.valuation.arithmetic.zeros(shape), np.zeros(shape), np.ones(shape[0]))
    return total([nothing, *left]), total([nothing, *right])


def _answer(trial: Trial, query: Query) -> Value:
    if query.kind == "diag":
        return trial.value(diag(query.body))
    value = trial.value(query.body)
    arithmetic = trial.valuation.arithmetic
    if query.kind == "trace":
        diagonal = np.einsum("sii->si", value.array)
        total = diagonal.sum(axis=-1)[:, None, None]
        size = np.einsum("sii->s", value.size)[:, None, None]
        return Value(total, size, value.condition, value.culprit)
    if query.kind == "logdet":
        if query.body.structure.definite:
            rows = np.argsort(-_owner(trial, query.body.type.codomain), kind="stable")
            factor = arithmetic.cholesky(value.array[:, rows][:, :, rows])
            roots = np.einsum("sii->si", factor)
            pivots = np.concatenate([roots, roots], axis=-1)
        else:
            pivots = arithmetic.pivots(value.array)
        logarithms = _logarithms(arithmetic, pivots)
        answer = logarithms.sum(axis=-1)[:, None, None]
        size = arithmetic.sizes(logarithms).sum(axis=-1)[:, None, None] + value.array.shape[-1]
        # Rounding in a matrix moves its determinant by as much as it moves its inverse.
        return Value(answer, size, trial.value(inv(query.body)).condition, query.body)
    if query.kind == "dense":
        return value
    chosen = [body_of(trial.model, place) for place in query.places]
    spaces = query.body.type.codomain, query.body.type.domain
    rows, cols = (np.nonzero(_owner(trial, space) == k)[0] for space, k in zip(spaces, chosen, strict=True))
    array, size = value.array[:, rows][:, :, cols], value.size[:, rows][:, :, cols]
    return Value(array, size, value.condition, value.culprit)


def _logarithms(arithmetic: Arithmetic, pivots: Array) -> Array:
    if not isinstance(arithmetic, FixedPoint):
        return np.log(pivots)
    context: Any = import_module("mpmath").mp.clone()
    context.prec = arithmetic.bits + 32
    unit = context.mpf(arithmetic.one())
    logarithms = [context.log(context.mpf(int(x)) / unit) for x in pivots.flat]
    return arithmetic.array(object_array(logarithms, pivots.shape))


def _roots(trial: Trial, law: Statement) -> Residual:
    """The blocks of the root bodies agree."""
    lhs, rhs = _sides(law)
    left, right = trial.value(lhs), trial.value(rhs)
    is_root = _ancestry(trial).sum(axis=0) == 1
    mask = _masked(trial, lhs, np.diag(is_root))
    masked = [Value(value.array * mask, value.size * mask, value.condition, value.culprit) for value in (left, right)]
    return compare(trial, masked[0], masked[1])


def _frame(trial: Trial, law: Statement) -> Residual:
    """Lhs in world axes is rhs in body axes, turned: forces by X, motions by X⁻*."""
    lhs, rhs = _sides(law)
    whole, given = trial.value_in("world", lhs), trial.value_in("body", rhs)
    placed, arithmetic = trial.value_in("body", X_abs).array, trial.valuation.arithmetic
    third: Array = span(placed.shape[-1]) // 3
    inside: Array = np.asarray(third[:, None] == third[None, :], dtype=np.int64)
    turn: Array = placed * inside
    array, size = given.array, given.size
    turn_size = arithmetic.sizes(turn)
    if rhs.type.codomain.sizes == "spatial":
        array, size = arithmetic.multiply(turn, array), turn_size @ size
    if rhs.type.domain.sizes == "spatial":
        back: Array = np.swapaxes(turn, -1, -2)
        array, size = arithmetic.multiply(array, back), size @ np.swapaxes(turn_size, -1, -2)
    return compare(trial, whole, Value(array, size, given.condition, given.culprit))


def _numbering(trial: Trial, law: Statement) -> Residual:
    """Lhs for bodies in another order is rhs with rows and columns in that order."""
    lhs, rhs = _sides(law)
    other, given = trial.mirrored.value(lhs), trial.value(rhs)
    rows = _entries(_owner(trial, rhs.type.codomain), trial.order)
    cols = _entries(_owner(trial, rhs.type.domain), trial.order)
    moved = Value(given.array[:, rows][:, :, cols], given.size[:, rows][:, :, cols], given.condition, given.culprit)
    return compare(trial, other, moved)


def _entries(owner: Array, order: Array) -> Array:
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return np.argsort(place[owner], kind="stable") if len(owner) > 1 else np.arange(len(owner))


RULES: dict[str, Callable[[Trial, Statement], Residual]] = {
    "series": _series,
    "path": _path,
    "common ancestor": _common_ancestor,
    "block-diagonal": _block_diagonal,
    "semidefinite": _semidefinite,
    "cholesky": _cholesky,
    "query": _query,
    "roots": _roots,
    "frame": _frame,
    "numbering": _numbering,
}
