"""Laws of large mechanisms, matrix-free: both sides are applied to a random vector, in time linear in the bodies.

The samples stand beside each other: what is asked of one is found for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache, reduce
from operator import add
from typing import assert_never

import numpy as np
from scipy.linalg import solve_triangular

from operator_algebra.checking.along_tree import by_levels
from operator_algebra.checking.arithmetic import Floats
from operator_algebra.checking.beside import Beside
from operator_algebra.checking.column import Column, joined, lost
from operator_algebra.checking.scene import Sample
from operator_algebra.checking.vectors import Vectors
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Fixpoint,
    Inverse,
    Local,
    One,
    Product,
    Root,
    Scale,
    Sum,
    Symbol,
    Transpose,
    Zero,
    of_a_kind,
)
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.meaning.evaluator import Evaluation, Recursions, Request, Worst, worst
from operator_algebra.meaning.inverses import refuse_dense
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.arrays import Dense
from operator_algebra.operators.blockdict import Sparse
from operator_algebra.operators.blocks import BlockMatrix
from operator_algebra.operators.inversion import invert_dense, unit_solver
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.leaves import local_blocks
from operator_algebra.operators.spaces import ONE, Space, Type
from operator_algebra.spatial.arrays import Axes

_solve_triangular: Callable[..., Floats] = solve_triangular

MEMORY = 4e9
_KEPT = 12  # recursions that laws share: those of the catalogue have five
SMALL = 1000  # rows of the largest matrix that is formed
_DENSE = 128  # rows of the largest matrix that is inverted for the sake of a few columns
_AT_HAND = 300_000  # entries of arrays that a processor keeps at hand
_MANY = 16  # columns from which on substitution goes by levels of the tree and not entry by entry


Formed = tuple[BlockMatrix, Sparse, Worst]
"""A value, the sizes of its entries before cancellation, and the worst that was inverted in it."""


class Prober:
    """Applies the sides of laws to vectors on one mechanism at its samples; local operators are computed once.

    What one law is told does not depend on the laws before it: values are kept with what they were made by inverting,
    and every law begins with the same random numbers.
    """

    def __init__(self, model: Model, samples: Sequence[Sample], source: Beside | None = None) -> None:
        self.model = model
        self.samples = tuple(samples)
        self.source = source or Beside(model, samples)
        self.run = Evaluation(self.source, MEMORY, beside=len(self.samples))
        self._formed: dict[Expr, Formed] = {}
        self._named: dict[Expr, Formed] = {}
        self._twists: dict[Expr, tuple[Numbers, Column]] = {}
        self._along: dict[tuple[Expr, bool], Callable[[Dense], Dense]] = {}
        self._inverses: dict[Inverse, tuple[Floats, Floats, Worst]] = {}
        self.factors: dict[Expr, Callable[[Floats], Floats]] = {}
        self._solved: Recursions = {}
        self._beside: dict[tuple[bool, tuple[Axes, ...]], Prober] = {}
        self._apart: list[Prober] = []
        self._vectors = Vectors([sample.seed for sample in self.samples])

    def anew(self) -> Prober:
        """A prober with the same leaves, recursions and local operators with a name; nothing else is computed."""
        made = Prober(self.model, self.samples, self.source)
        made._solved, made._named, made._beside, made._apart = self._solved, self._named, self._beside, self._apart
        made.run.recall(self._solved)
        return made

    def beside(self, model: Model, samples: Sequence[Sample]) -> Prober:
        """A prober of the same bodies otherwise, in other axes or another order, that laws share like this one."""
        key: tuple[bool, tuple[Axes, ...]] = model is self.model, tuple(sample.frame for sample in samples)
        if key not in self._beside:
            self._beside[key] = Prober(model, samples)
        self._beside[key].begin()
        return self._beside[key]

    def apart(self) -> list[Prober]:
        """A prober for each sample alone."""
        if not self._apart:
            self._apart += [Prober(self.model, [sample]) for sample in self.samples]
        return self._apart

    def begin(self) -> None:
        """Start anew with random vectors: the next law is probed as if it were the first."""
        self._vectors.begin()

    def layout(self, space: Space) -> Layout:
        """Block sizes of a space on one sample."""
        return self.source.one(space)

    def random(self, space: Space, *, bodies: tuple[int, ...] | None = None) -> Column:
        """A random vector, on a few bodies alone if they are given."""
        return self._vectors.random(space, self.layout(space), bodies)

    def units(self, space: Space) -> Column:
        """The columns of I."""
        return Column.units(len(self.samples), self.layout(space).size)

    def apply(self, e: Expr, x: Column) -> Column:
        """The value of e times vectors."""
        try:
            return self._apply(e, x)
        except RecursionError:
            raise InputError(
                f"{str(e)[:60]}… is nested too deeply to be probed. Name parts of it with define."
            ) from None

    def is_local(self, e: Expr) -> bool:
        """Whether an operator joins a body only to itself or to its parent."""
        return _is_local(e)

    def _apply(self, e: Expr, x: Column) -> Column:
        found = self._vectors.known(e, x)
        return self._vectors.kept(e, x, self._applied(e, x)) if found is None else found

    def _applied(self, e: Expr, x: Column) -> Column:
        e = of_a_kind(e)
        match e:
            case One():
                return x
            case Zero():
                return Column.of(np.zeros((len(x.entries), self.layout(e.type.codomain).size, x.entries.shape[-1])))
            case Product():
                for factor in reversed(e.children):
                    x = self._apply(factor, x)
                return x
            case Sum():
                return reduce(add, (self._apply(term, x) for term in e.children))
            case Scale():
                return self._scale(e, x)
            case _ if _is_local(e):
                return self._local(e, x)
            case Symbol() if e.definition is not None:
                return self._apply(e.definition, x)
            case Symbol() if not (e.type.domain.attached or e.type.codomain.attached):
                return self._number(e, x)
            case Transpose() if isinstance(e.body, Symbol) and e.body.definition is not None:
                return self._apply(e.body.definition.T, x)
            case Inverse():
                return self._inverse(e, x)
            case Diag():
                return self._diagonal(e, x)
            case Local():
                return self._crossed(e, x, turned=False)
            case Transpose() if isinstance(e.body, Local):
                return self._crossed(e.body, x, turned=True)
            case Symbol() | Transpose() | Root() | Fixpoint():
                return self._local(e, x)
            case _:
                assert_never(e)

    def _scale(self, e: Scale, x: Column) -> Column:
        body = self._apply(e.body, x)
        if isinstance(e.factor, Fraction):
            return Column(float(e.factor) * body.entries, abs(float(e.factor)) * body.size, body.worst)
        factor = self._apply(e.factor, self.units(ONE))
        return Column(factor.entries * body.entries, factor.size * body.size, worst(body.worst, factor.worst))

    def _local(self, e: Expr, x: Column) -> Column:
        value, size, among = self.formed(e)
        return Column(_times(e.type, value.stored, x.entries), _times(e.type, size, x.size), worst(among, x.worst))

    def _number(self, e: Symbol, x: Column) -> Column:
        value = np.stack([part.toarray() for part in self.source.drawn(e)])
        return Column(value @ x.entries, np.abs(value) @ x.size, x.worst)

    def formed(self, e: Expr) -> Formed:
        """The value of an operator that is local or small, the sizes of its entries, and the worst inverse in it."""
        known = self._named if isinstance(e, Symbol) and _is_local(e) else self._formed
        if e not in known:
            self.run.announce(e)
            value, first = self.run.weighed(Request("value", e))
            size, second = self.run.weighed(Request("magnitude", e))
            known[e] = value, size, worst(first, second, *map(self._inside, _fixpoints(e)))
            if len(self._solved) < _KEPT:
                self._solved.update(self.run.recursions())
        return known[e]

    def _inside(self, recursion: Fixpoint) -> Worst:
        """The worst of the inverses by which a recursion goes on, at its solution."""
        settled = recursion.body.substitute({recursion.variable: recursion})
        pivots = [node for node in postorder(settled, _outside) if isinstance(node, Inverse) and _is_local(node)]
        return worst(*(self.run.weighed(Request("magnitude", pivot))[1] for pivot in pivots))

    def _crossed(self, e: Local, x: Column, *, turned: bool) -> Column:
        """A local function of a vector, body by body; the vector is computed, never the operators that lead to it."""
        if e not in self._twists:
            argument = self._apply(e.children[0], self.units(ONE))
            self._twists[e] = local_blocks(e.function, argument.entries.reshape(-1, 6)), argument
        blocks, argument = self._twists[e]
        if turned:
            blocks = np.swapaxes(blocks, -1, -2)
        bodies = (len(blocks), 6, -1)
        entries = (blocks @ x.entries.reshape(bodies)).reshape(x.entries.shape)
        sizes = (np.abs(blocks) @ x.size.reshape(bodies)).reshape(x.size.shape)
        return Column(entries, sizes * lost(argument), worst(argument.worst, x.worst))

    def _inverse(self, e: Inverse, x: Column) -> Column:
        body = e.body
        if isinstance(body, Symbol) and isinstance(body.definition, Inverse):
            return self._apply(body.definition.body, x)
        if body.structure.unit and body.structure.flow in ("inward", "outward") and _is_resolvent(body):
            # Rounding at each body travels on like any other force: errors of both signs show how far.
            signs = np.stack([_signs(sample.seed, x.size.shape[1]) for sample in self.samples])[..., None]
            solved = self._substituted(body, np.concatenate([x.entries, x.size * signs], axis=-1))
            entries, errors = np.split(solved, 2, axis=-1)
            size = np.abs(entries) * lost(x)
            for other in (np.abs(errors, out=errors), x.size):
                np.maximum(size, other, out=size)
            return Column(entries, size, x.worst)
        return self._solve(e, x)

    def _substituted(self, body: Expr, right: Floats) -> Floats:
        """The columns y with body y = right, by substitution along the tree."""
        if not right.size:
            return right
        inward, many = body.structure.flow == "inward", right.shape[-1] > _MANY
        if (body, many) not in self._along:
            value = self.run.value(body)
            levels = by_levels(value, self.source.parent, self.source.level, inward=inward) if many else None
            self._along[body, many] = levels or unit_solver(value, inward=inward)
        return self._along[body, many](right.reshape(-1, right.shape[-1])).reshape(right.shape)

    def _solve(self, e: Inverse, x: Column) -> Column:
        """The solution of e.body y = x: by the inverse where that is small, else by sparse equations of its factors."""
        if self.layout(e.type.codomain).size <= (_DENSE if x.entries.shape[-1] <= _MANY else SMALL):
            matrix, inverse, among = self.inverted(e)
            solution = inverse @ x.entries
            solution = solution + inverse @ (x.entries - matrix @ solution)
        else:
            from operator_algebra.checking.lifted import solve

            solution, among = solve(self, e.body, x.entries)
        return Column(solution, np.abs(solution) * lost(x), worst(among, x.worst))

    def inverted(self, e: Inverse) -> tuple[Floats, Floats, Worst]:
        """What is inverted, column by column; its inverse; and the worst of that and of the inverses in it."""
        if e not in self._inverses:
            columns, structure = self.whole(e.body), e.body.structure
            if structure.unit and structure.flow in ("inward", "outward"):  # no pivot is divided by
                inverses, own = _unit_inverses(columns.entries, inward=structure.flow == "inward"), Worst()
            else:
                inverses = self._of_pivots(e.body, columns)
                sums = (np.abs(inverses) @ columns.size.sum(axis=-1, keepdims=True))[..., 0]
                own = Worst(np.max(sums, axis=-1, initial=1.0), e.body)
            self._inverses[e] = columns.entries, inverses, worst(own, columns.worst)
        return self._inverses[e]

    def _of_pivots(self, e: Expr, columns: Column) -> Floats:
        found: list[Floats] = []
        for matrix, sizes in zip(columns.entries, columns.size, strict=True):
            inverse, condition = invert_dense(matrix, sizes)
            if inverse is None:
                rows, cols = self.layout(e.type.codomain), self.layout(e.type.domain)
                value = BlockMatrix.from_dense(e.type, rows, cols, matrix, self.source.binding)
                refuse_dense(self.source, e, value, condition)
            found.append(inverse)
        return np.stack(found)

    def whole(self, e: Expr) -> Column:
        """All columns of a small operator, so many at once as a processor keeps at hand."""
        units = self.units(e.type.domain)
        step = max(_MANY, _AT_HAND // max(1, 6 * self.model.n * len(self.samples)))
        return joined([self._apply(e, part) for part in units.parts(step)])

    def _diagonal(self, e: Diag, x: Column) -> Column:
        """diag(X) x: exactly, where x stands on a few bodies alone; else from the blocks of X."""
        layout, rows = self.layout(e.type.domain), self.layout(e.type.codomain)
        places = np.unique(layout.owner[np.nonzero(x.entries.any(axis=(0, 2)))[0]])
        if len(places) > 4:
            return self._local(e, x)
        parts = (self._apply(e.body, x.where(layout.owner == body)).where(rows.owner == body) for body in places)
        nothing = Column.of(np.zeros((len(x.entries), rows.size, x.entries.shape[-1])))
        return reduce(add, parts, replace(nothing, worst=x.worst))


def _unit_inverses(matrices: Floats, *, inward: bool) -> Floats:
    """The inverses of unit triangular matrices; rounding leaves entries on the wrong side of the diagonal."""
    eye = np.eye(matrices.shape[-1])
    return np.stack([_solve_triangular(matrix, eye, lower=not inward, unit_diagonal=True) for matrix in matrices])


def _times(type_: Type, matrix: Sparse, vectors: Floats) -> Floats:
    """The product with the vectors of all samples, of which a matrix has the rows, the columns, or both."""
    samples, size, columns = vectors.shape
    if samples > 1 and not type_.domain.attached:
        return matrix.toarray().reshape(samples, matrix.shape[0] // samples, size) @ vectors
    if samples > 1 and not type_.codomain.attached:
        return np.swapaxes(matrix.toarray().reshape(matrix.shape[0], samples, size), 0, 1) @ vectors
    flat = vectors.reshape(-1) if columns == 1 else vectors.reshape(samples * size, columns)
    return (matrix @ flat).reshape(samples, matrix.shape[0] // samples, columns)


@lru_cache(maxsize=64)
def _signs(seed: int, count: int) -> Floats:
    """Random signs."""
    return np.random.default_rng([seed, 2]).choice([-1.0, 1.0], count)


def _outside(node: Expr) -> tuple[Expr, ...]:
    """Children and definitions, but not what is inside another recursion."""
    return () if isinstance(node, Fixpoint) else children_and_definition(node)


@cache
def _fixpoints(e: Expr) -> tuple[Fixpoint, ...]:
    return tuple(node for node in postorder(e, children_and_definition) if isinstance(node, Fixpoint))


@cache
def _has_functions(e: Expr) -> bool:
    """Whether a local function of a vector is part of an operator."""
    return any(isinstance(node, Local) for node in postorder(e, children_and_definition))


def _is_local(e: Expr) -> bool:
    structure = e.structure
    if _has_functions(e):
        return False
    if isinstance(e, Inverse):
        return structure.flow == "diagonal"
    return (structure.flow == "diagonal" and not isinstance(e, Diag)) or structure.hop


def _is_resolvent(e: Expr) -> bool:
    parts = e.children if isinstance(e, Sum) else ()
    return len(parts) == 2 and all(isinstance(part, One) or _bare(part).structure.hop for part in parts)


def _bare(e: Expr) -> Expr:
    return e.body if isinstance(e, Scale) else e


@cache
def stands_beside(e: Expr) -> bool:
    """Whether the samples of an expression may stand beside each other.

    Not where a value that is formed as a whole has numbers of a sample in it: there they would be added up.
    """
    numbers: set[Expr] = set()
    for node in postorder(e, children_and_definition):
        if not node.type.codomain.attached or any(child in numbers for child in children_and_definition(node)):
            numbers.add(node)
            if _is_formed(node):
                return False
    return True


def _is_formed(node: Expr) -> bool:
    if isinstance(node, Inverse):
        return node.type.domain.attached
    if isinstance(node, Diag | Fixpoint | Root):
        return True
    return _is_local(node) and not isinstance(node, One | Zero | Sum | Product | Scale)
