"""Laws of large mechanisms, matrix-free: both sides are applied to a random vector, in time linear in the bodies."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, cached_property, lru_cache, reduce
from operator import add
from typing import assert_never

import numpy as np

from operator_algebra import symbols
from operator_algebra.checking.arithmetic import Floats
from operator_algebra.checking.column import Column
from operator_algebra.checking.inputs import draw, user_sizes
from operator_algebra.checking.scene import Sample
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
from operator_algebra.meaning.source import ModelSource
from operator_algebra.models.changes import mirrored
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.arrays import Dense, Indices
from operator_algebra.operators.blockdict import Sparse, compressed
from operator_algebra.operators.blocks import BlockMatrix
from operator_algebra.operators.inputs import model_layouts
from operator_algebra.operators.inversion import unit_solver
from operator_algebra.operators.layout import Binding, Layout
from operator_algebra.operators.leaves import LeafValues, local_blocks
from operator_algebra.operators.spaces import Space
from operator_algebra.spatial.arrays import Axes

MEMORY = 4e9
_KEPT = 12  # recursions that laws share: those of the catalogue have five
_DENSE = 1000  # rows of the largest matrix that is inverted as such


Formed = tuple[BlockMatrix, Sparse, Worst]
"""A value, the sizes of its entries before cancellation, and the worst that was inverted in it."""


class RandomSource(ModelSource):
    """The leaves of a model at a sample, and inputs drawn for it."""

    def __init__(self, model: Model, sample: Sample) -> None:
        leaves = LeafValues(model, sample.q, sample.v, sample.frame)
        self.model = model
        self.leaves = leaves
        self.seed = sample.seed
        self.binding = Binding(model, model.name, model.joint_names, sample.frame, leaves.q)
        self.parent = np.array(model.parent, dtype=np.intp)
        self.level = np.array(model.level, dtype=np.intp)
        self.dtype = np.dtype(np.float64)
        self._layouts: dict[str, Layout] = model_layouts(model)
        self._drawn: dict[Symbol, BlockMatrix] = {}

    @cached_property
    def mirrored(self) -> tuple[Model, Indices]:
        """The mechanism with siblings in the opposite order, and where each of its bodies stands here."""
        return mirrored(self.model)

    def layout(self, space: Space) -> Layout:
        """Block sizes of a space; those of a user's space are drawn."""
        if space.sizes not in self._layouts:
            sizes = user_sizes(space, self.model.n)
            self._layouts[space.sizes] = Layout.of(sizes, attached=space.attached)
        return self._layouts[space.sizes]

    def value(self, symbol: Symbol) -> BlockMatrix:
        """The value of a leaf, or of an input, drawn once."""
        if symbol.origin != "input":
            return super().value(symbol)
        if symbol not in self._drawn:
            rows, cols = self.layout(symbol.type.codomain), self.layout(symbol.type.domain)
            values = draw(symbol, rows.sizes, cols.sizes, self.parent, self.seed)
            if symbol is symbols.v:
                values = compressed(np.asarray(self.leaves.v)[:, None])
            self._drawn[symbol] = BlockMatrix(symbol.type, rows, cols, values, self.binding)
        return self._drawn[symbol]


class Prober:
    """Applies the sides of laws to vectors on one mechanism at one sample; local operators are computed once.

    What one law is told does not depend on the laws before it: values are kept with what they were made by inverting,
    and every law begins with the same random numbers.
    """

    def __init__(self, model: Model, sample: Sample, source: RandomSource | None = None) -> None:
        self.model = model
        self.source = source or RandomSource(model, sample)
        self.run = Evaluation(self.source, MEMORY)
        self._formed: dict[Expr, Formed] = {}
        self._named: dict[Expr, Formed] = {}
        self._vectors: dict[Expr, tuple[Numbers, Column]] = {}
        self._along: dict[Expr, Callable[[Dense], Dense]] = {}
        self._dense: dict[Expr, Floats] = {}
        self.factors: dict[Expr, Callable[[Floats], Floats]] = {}
        self._sample = sample
        self._seed = sample.seed
        self._solved: Recursions = {}
        self._beside: dict[tuple[bool, Axes], Prober] = {}
        self.begin()

    def anew(self) -> Prober:
        """A prober with the same leaves, recursions and local operators with a name; nothing else is computed."""
        made = Prober(self.model, self._sample, self.source)
        made._solved, made._named, made._beside = self._solved, self._named, self._beside
        made.run.recall(self._solved)
        return made

    def beside(self, model: Model, sample: Sample) -> Prober:
        """A prober of the same bodies otherwise, in other axes or another order, that laws share like this one."""
        key = model is self.model, sample.frame
        if key not in self._beside:
            self._beside[key] = Prober(model, sample)
        self._beside[key].begin()
        return self._beside[key]

    def begin(self) -> None:
        """Start anew with random vectors: the next law is probed as if it were the first."""
        self._rng = np.random.default_rng([self._seed, 1])

    def random(self, space: Space, *, bodies: tuple[int, ...] | None = None) -> Column:
        """A random vector, on a few bodies alone if they are given."""
        layout = self.source.layout(space)
        values = self._rng.standard_normal(layout.size)
        if bodies is not None and layout.attached:
            values = np.where(np.isin(layout.owner, bodies), values, 0.0)
        return Column.of(values)

    def apply(self, e: Expr, x: Column) -> Column:
        """The value of e times a vector."""
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
        e = of_a_kind(e)
        match e:
            case One():
                return x
            case Zero():
                return Column.of(np.zeros(self.source.layout(e.type.codomain).size))
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
        value, _, among = self.formed(e.factor)
        factor = float(value.dense())
        return Column(factor * body.entries, abs(factor) * body.size, worst(body.worst, among))

    def _local(self, e: Expr, x: Column) -> Column:
        value, size, among = self.formed(e)
        return Column(value.stored @ x.entries, size @ x.size, worst(among, x.worst))

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
        if e not in self._vectors:
            argument = self._apply(e.children[0], Column.of(np.ones(1)))
            self._vectors[e] = local_blocks(e.function, argument.entries.reshape(-1, 6)), argument
        blocks, argument = self._vectors[e]
        if turned:
            blocks = np.swapaxes(blocks, -1, -2)
        entries = np.einsum("kij,kj->ki", blocks, x.entries.reshape(-1, 6)).reshape(-1)
        sizes = np.einsum("kij,kj->ki", np.abs(blocks), x.size.reshape(-1, 6)).reshape(-1) * _lost(argument)
        return Column(entries, sizes, worst(argument.worst, x.worst))

    def _inverse(self, e: Inverse, x: Column) -> Column:
        body = e.body
        if isinstance(body, Symbol) and isinstance(body.definition, Inverse):
            return self._apply(body.definition.body, x)
        if body.structure.unit and body.structure.flow in ("inward", "outward") and _is_resolvent(body):
            # Rounding at each body travels on like any other force: errors of both signs show how far.
            solved = self._substituted(body, np.stack([x.entries, x.size * _signs(self._seed, x.size.size)], axis=-1))
            found, travelled = np.abs(solved).T
            return Column(solved[:, 0], np.maximum(found * _lost(x), np.maximum(travelled, x.size)), x.worst)
        return self._solve(e, x)

    def _substituted(self, body: Expr, right: Dense) -> Dense:
        """The columns y with body y = right, by substitution along the tree."""
        if body not in self._along:
            self._along[body] = unit_solver(self.run.value(body), inward=body.structure.flow == "inward")
        return self._along[body](right)

    def _solve(self, e: Inverse, x: Column) -> Column:
        """The solution of e.body y = x: dense where that is small, else through the sparse equations of its factors."""
        size = self.source.layout(e.type.codomain).size
        if size <= _DENSE:
            _, _, among = self.formed(e)
            matrix, inverse = self._array(e.body), self._array(e)
            solution = inverse @ x.entries
            solution = solution + inverse @ (x.entries - matrix @ solution)
        else:
            from operator_algebra.checking.lifted import solve

            solution, condition = solve(self, e.body, x.entries)
            among = Worst(condition, e.body)
        return Column(solution, np.abs(solution) * _lost(x), worst(among, x.worst))

    def _array(self, e: Expr) -> Floats:
        """The entries of a small operator."""
        if e not in self._dense:
            self._dense[e] = self.run.value(e).data.toarray()
        return self._dense[e]

    def _diagonal(self, e: Diag, x: Column) -> Column:
        """diag(X) x: exactly, where x stands on a few bodies alone; else from the blocks of X."""
        layout = self.source.layout(e.type.domain)
        places = np.unique(layout.owner[np.nonzero(x.entries)[0]])
        if len(places) > 4:
            return self._local(e, x)
        rows = self.source.layout(e.type.codomain)
        parts = (self._apply(e.body, x.where(layout.owner == body)).where(rows.owner == body) for body in places)
        return reduce(add, parts, Column(np.zeros(rows.size), np.zeros(rows.size), x.worst))


@lru_cache(maxsize=64)
def _signs(seed: int, count: int) -> Floats:
    """Random signs."""
    return np.random.default_rng([seed, 2]).choice([-1.0, 1.0], count)


def _lost(x: Column) -> float:
    """How much larger a vector was before cancellation."""
    norm = float(np.linalg.norm(x.entries))
    return max(1.0, float(np.linalg.norm(x.size)) / norm) if norm else 1.0


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
