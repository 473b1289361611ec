"""What a claim says of exact samples: pairs of stacks of matrices that are equal if it holds.

An equation is one pair. A statement about entries, answers or invariance becomes pairs by its rule; an order is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from operator_algebra.expressions.build import add, diag, matmul, one
from operator_algebra.expressions.nodes import Expr, Product
from operator_algebra.expressions.query import Combination, Query
from operator_algebra.identities.identity import Identity, Law, Side, Statement
from operator_algebra.operators.spaces import FORCE, MOTION, Space
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.proofs.fields import Array
from operator_algebra.proofs.models import Parents, ancestors
from operator_algebra.proofs.samples import Sample
from operator_algebra.proofs.values import Value, Values

Pair: TypeAlias = tuple[Value, Value]
Relation: TypeAlias = Callable[[Parents, int, int], bool]


def expressions(claim: Law) -> tuple[Expr, ...]:
    """The expressions on both sides of a claim."""
    found: list[Expr] = []
    for side in (claim.lhs, claim.rhs):
        if isinstance(side, Combination):
            found += [query.body for _, query in side.terms]
        else:
            found.append(side.body if isinstance(side, Query) else side)
    return tuple(found)


def pairs(claim: Law, samples: Sequence[Sample], values: Values) -> list[Pair] | None:
    """What a claim says to be equal; None where no rule turns it into equations."""
    if isinstance(claim, Identity):
        return [(values.value(claim.lhs), values.value(claim.rhs))]
    rule = RULES.get(claim.rule)
    return None if rule is None else rule(claim, [sample.parent for sample in samples], values)


def _sides(claim: Statement) -> tuple[Expr, Expr]:
    assert isinstance(claim.lhs, Expr)
    assert isinstance(claim.rhs, Expr)
    return claim.lhs, claim.rhs


# -- the tree as masks -------------------------------------------------------------------------------------------------


def _mask(values: Values, e: Expr, parents: Sequence[Parents], relation: Relation) -> Array:
    """Which entries of an operator stand between related bodies, for each sample."""
    rows, cols = values.owners(e.type.codomain).tolist(), values.owners(e.type.domain).tolist()
    return values.field.array([[[int(relation(parent, i, j)) for j in cols] for i in rows] for parent in parents])


def _masked(value: Value, mask: Array) -> Value:
    return value._replace(array=value.array * mask)


def _carries(parent: Parents, i: int, j: int) -> bool:
    """Whether body i is body j or one of its ancestors."""
    return i == j or i in ancestors(parent, j)


def _nearest(parent: Parents, i: int, j: int) -> int:
    """The nearest common ancestor, −1 if there is none."""
    return next((k for k in (i, *ancestors(parent, i)) if _carries(parent, k, j)), -1)


def _part(values: Values, value: Value, rows: Space | None, cols: Space | None, body: int) -> Value:
    """The block rows and block columns of one body."""
    array = value.array
    if rows is not None:
        array = array[:, values.owners(rows) == body]
    if cols is not None:
        array = array[:, :, values.owners(cols) == body]
    return value._replace(array=array)


def _times(values: Values, *factors: Value) -> Value:
    sound = reduce(lambda one, other: one & other, (factor.sound for factor in factors))
    return Value(reduce(values.field.product, (factor.array for factor in factors)), sound)


# -- rules -------------------------------------------------------------------------------------------------------------


def _series(claim: Statement, parents: Sequence[Parents], values: Values) -> list[Pair]:
    """Lhs = I + E + E² + …, as many terms as there are bodies."""
    del parents
    lhs, shift = _sides(claim)
    total = unit = one(shift.type)
    for _ in values.tree.bodies:
        total = add(unit, matmul(shift, total))
    return [(values.value(lhs), values.value(total))]


def _path(claim: Statement, parents: Sequence[Parents], values: Values) -> list[Pair]:
    """lhs(k, j) = lhs(k, i) rhs(i, j) for every i between j and its ancestor k."""
    lhs, rhs = _sides(claim)
    whole, second = values.value(lhs), values.value(rhs)
    found: list[Pair] = []
    for via in values.tree.bodies:
        mask = _mask(values, lhs, parents, lambda p, k, j, i=via: _carries(p, k, i) and _carries(p, i, j))
        left = _part(values, whole, None, lhs.type.domain, via)
        right = _part(values, second, rhs.type.codomain, None, via)
        found.append((_masked(whole, mask), _masked(_times(values, left, right), mask)))
    return found


def _common_ancestor(claim: Statement, parents: Sequence[Parents], values: Values) -> list[Pair]:
    """lhs(i, j) = A(i, c) X(c) B(c, j), c the nearest common ancestor; 0 where there is none."""
    lhs, rhs = _sides(claim)
    assert isinstance(rhs, Product)
    whole = values.value(lhs)
    first, middle, last = (values.value(factor) for factor in rhs.children)
    outer, inner = rhs.children[1].type.codomain, rhs.children[1].type.domain
    found: list[Pair] = []
    for c in (-1, *values.tree.bodies):
        mask = _mask(values, lhs, parents, lambda p, i, j, c=c: _nearest(p, i, j) == c)
        if c < 0:
            found.append((_masked(whole, mask), _masked(whole, 0 * mask)))
            continue
        core = _part(values, middle, outer, inner, c)
        sides = _part(values, first, None, outer, c), _part(values, last, inner, None, c)
        found.append((_masked(whole, mask), _masked(_times(values, sides[0], core, sides[1]), mask)))
    return found


def _block_diagonal(claim: Statement, parents: Sequence[Parents], values: Values) -> list[Pair]:
    del parents
    lhs, _ = _sides(claim)
    return [(values.value(lhs), values.value(diag(lhs)))]


def _roots(claim: Statement, parents: Sequence[Parents], values: Values) -> list[Pair]:
    """The blocks of the root bodies agree."""
    lhs, rhs = _sides(claim)
    mask = _mask(values, lhs, parents, lambda p, i, j: i == j and p[i] < 0)
    return [(_masked(values.value(lhs), mask), _masked(values.value(rhs), mask))]


def _cholesky(claim: Statement, parents: Sequence[Parents], values: Values) -> list[Pair]:
    """Lhs has no entry from a body to one with a lower number, upper ones in its blocks neither, and lhs lhs* = rhs."""
    lhs, rhs = _sides(claim)
    factor = values.value(lhs)
    back = factor._replace(array=factor.array.transpose(0, 2, 1))
    rows, cols = values.owners(lhs.type.codomain).tolist(), values.owners(lhs.type.domain).tolist()
    above = [
        [int(i > j or (i == j and _within(cols, n) > _within(rows, m))) for n, j in enumerate(cols)]
        for m, i in enumerate(rows)
    ]
    mask = values.field.array([above] * len(parents))
    return [(_times(values, factor, back), values.value(rhs)), (_masked(factor, mask), _masked(factor, 0 * mask))]


def _within(owners: Sequence[int], place: int) -> int:
    return place - owners.index(owners[place])


# -- answers -----------------------------------------------------------------------------------------------------------


def _query(claim: Statement, parents: Sequence[Parents], values: Values) -> list[Pair] | None:
    """Two answers: sums of traces, blocks and whole operators; or of logarithms, then products of determinants."""
    del parents
    sides = [_combination(side) for side in (claim.lhs, claim.rhs)]
    kinds = {query.kind for side in sides for _, query in side.terms}
    if kinds == {"logdet"}:
        if any(side.number for side in sides) or any(c.denominator != 1 for side in sides for c, _ in side.terms):
            return None
        left, right = (_determinants(side, values) for side in sides)
        return [(left, right)]
    if "logdet" in kinds:
        return None
    left, right = (_total(side, values) for side in sides)
    return [(left, right)]


def _combination(side: Side) -> Combination:
    assert not isinstance(side, Expr)
    return Combination(((Fraction(1), side),)) if isinstance(side, Query) else side


def _total(side: Combination, values: Values) -> Value:
    numbers = values.constant(side.number)
    for c, query in side.terms:
        answer = _answer(query, values)
        array = values.field.settled(numbers.array + values.field.scaled(c, answer.array))
        numbers = Value(array, numbers.sound & answer.sound)
    return numbers


def _answer(query: Query, values: Values) -> Value:
    if query.kind == "diag":
        return values.value(diag(query.body))
    value = values.value(query.body)
    if query.kind == "trace":
        total = value.array.trace(axis1=1, axis2=2)[:, None, None]
        return value._replace(array=values.field.settled(total))
    if query.kind == "dense":
        return value
    row, col = (values.tree.place(place) for place in query.places)
    return _part(values, _part(values, value, query.body.type.codomain, None, row), None, query.body.type.domain, col)


def _determinants(side: Combination, values: Values) -> Value:
    product = values.constant(Fraction(1))
    for c, query in side.terms:
        value = values.value(query.body)
        found = values.field.determinants(value.array)[:, None, None]
        factor = Value(found if c > 0 else values.field.reciprocals(found), value.sound & (found[:, 0, 0] != 0))
        for _ in range(abs(int(c))):
            product = _times(values, product, factor)
    return product


# -- invariance --------------------------------------------------------------------------------------------------------


def _frame(claim: Statement, parents: Sequence[Parents], values: Values) -> list[Pair]:
    """Lhs of turned leaves is rhs, turned: forces by X, motions by X⁻*, X any block-diagonal operator."""
    lhs, rhs = _sides(claim)
    turns = _turns(values, len(parents))
    turned = values.changed(values.tree, lambda array, e: _turned(values, array, e, turns))
    given = values.value(rhs)
    return [(turned.value(lhs), given._replace(array=_turned(values, given.array, rhs, turns)))]


def _turns(values: Values, samples: int) -> Mapping[Space, Array]:
    """X on forces, X⁻* on motions; of determinant one, lower triangular."""
    size, owners = values.size(FORCE), values.owners(FORCE).tolist()
    rows = [[int(i == j or (i > j and owners[i] == owners[j])) for j in range(size)] for i in range(size)]
    on_forces = values.field.array([rows] * samples)
    return {FORCE: on_forces, MOTION: values.field.inverses(on_forces)[0].transpose(0, 2, 1)}


def _turned(values: Values, array: Array, e: Expr, turns: Mapping[Space, Array]) -> Array:
    if e.type.codomain in turns:
        array = values.field.product(turns[e.type.codomain], array)
    if e.type.domain in turns:
        # (X v)* takes what v* takes: the inverse of X on forces is the adjoint of that on motions.
        array = values.field.product(array, turns[e.type.domain.dual].transpose(0, 2, 1))
    return array


def _numbering(claim: Statement, parents: Sequence[Parents], values: Values) -> list[Pair]:
    """Lhs for bodies in reverse order is rhs with rows and columns in that order."""
    del parents
    lhs, rhs = _sides(claim)
    sizes = {family: tuple(reversed(size)) if len(size) > 1 else size for family, size in values.tree.sizes.items()}
    tree = Mechanism(values.tree.parent, sizes)
    moved = values.changed(tree, lambda array, e: _reordered(values, array, e))
    given = values.value(rhs)
    return [(moved.value(lhs), given._replace(array=_reordered(values, given.array, rhs)))]


def _reordered(values: Values, array: Array, e: Expr) -> Array:
    for axis, space in ((1, e.type.codomain), (2, e.type.domain)):
        array = array.take(list(_reverse(values.owners(space).tolist())), axis=axis)
    return array


def _reverse(owners: Sequence[int]) -> Iterator[int]:
    for body in sorted(set(owners), reverse=True):
        yield from (place for place, owner in enumerate(owners) if owner == body)


RULES: Mapping[str, Callable[[Statement, Sequence[Parents], Values], list[Pair] | None]] = {
    "series": _series,
    "path": _path,
    "common ancestor": _common_ancestor,
    "block-diagonal": _block_diagonal,
    "roots": _roots,
    "cholesky": _cholesky,
    "query": _query,
    "frame": _frame,
    "numbering": _numbering,
}
"""One for each rule of statements but the order, which residues don't know."""
