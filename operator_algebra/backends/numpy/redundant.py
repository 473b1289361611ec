"""Small systems with rows that follow from each other, solved by the smallest numbers where the rows agree.

S λ = b with S = U Σ V*: singular values that are nothing but rounding count as zero, and λ = V Σ⁺ U* b. What S λ leaves
of b is rounding, too, if b asks of a row what it asks of those from which the row follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from operator_algebra.backends.numpy.arrays import Block, Flags, Scalars
from operator_algebra.backends.numpy.blocks import Factors, multiply_out, norms
from operator_algebra.backends.numpy.groups import GroupKernels
from operator_algebra.backends.numpy.levels import ANY, Group
from operator_algebra.backends.pivots import SINGULAR
from operator_algebra.operators.spaces import ONE
from operator_algebra.programs.program import Program
from operator_algebra.programs.records import Ref, Term, references, terms_of

UNIT = Fraction(1)
AGREES = 1e-10
"""What is left of the right-hand side, against the terms that it was summed from, where rows do not contradict."""


class LeastNorm(Factors):
    """An inverse where there is one, else the pseudo-inverse; `scale` is the size of the terms of the matrix."""

    __slots__ = ("_left", "_right", "scale", "values")

    def __init__(self, matrix: Block, left: Block, values: Block, right: Block, scale: Scalars) -> None:
        super().__init__(matrix)
        self._left = left
        self._right = right
        self.values = values
        self.scale = scale

    @classmethod
    def of(cls, matrix: Block, scale: Scalars) -> LeastNorm:
        """Of a matrix; what is not finite has its inverse, which is not finite."""
        finite = np.logical_and.reduce(np.isfinite(matrix), axis=(-2, -1))[..., None, None]
        return cls(matrix, *np.linalg.svd(np.where(finite, matrix, np.eye(matrix.shape[-1]))), scale)

    @property
    def T(self) -> LeastNorm:
        left, right = np.swapaxes(self._right, -1, -2), np.swapaxes(self._left, -1, -2)
        return LeastNorm(np.swapaxes(self.matrix, -1, -2), left, self.values, right, self.scale)

    @property
    def everywhere(self) -> LeastNorm:
        return LeastNorm(self.matrix[None], self._left[None], self.values[None], self._right[None], self.scale[None])

    @property
    def kept(self) -> Flags:
        """The singular values that are more than rounding."""
        return self.values > SINGULAR * self.scale[..., None]

    @property
    def deficient(self) -> Flags:
        """The samples with rows that follow from others."""
        return ~np.logical_and.reduce(self.kept, axis=-1)

    def before(self, x: Block) -> Block:
        """The solution, the smallest where there are many."""
        plain = super().before(x)
        if not self.deficient.any():
            return plain
        kept = self.kept
        weights = np.where(kept, 1.0 / np.where(kept, self.values, 1.0), 0.0)[..., None]
        least = _adjoint(self._right) @ (weights * (_adjoint(self._left) @ x))
        return np.where(self.deficient[..., None, None], least, plain)


def _adjoint(block: Block) -> Block:
    return np.conj(np.swapaxes(block, -1, -2))


def least_norm(kernels: GroupKernels, number: int, block: Block) -> LeastNorm:
    """The inverse of a small value that is there already."""
    scale = np.maximum(norms(block), _Sizes(kernels).of(number)[0])
    return LeastNorm.of(block, np.broadcast_to(scale, block.shape[:-2]))


def mended(kernels: GroupKernels, inverse: int, factors: LeastNorm, measure: Scalars) -> Scalars:
    """The measure of what counts of a small pivot: singular where rows contradict each other."""
    if not factors.deficient.any():
        return measure
    left: Scalars | float = 0.0
    for sides in _right_sides(kernels.program, inverse):
        left = np.maximum(left, np.inf if sides is None else _left_over(kernels, sides))
    kept = np.where(factors.kept, factors.values, np.inf).min(axis=-1, initial=np.inf)
    size = np.where(factors.scale > 0, factors.scale, 1.0)
    told = np.where(left <= AGREES, np.minimum(kept / size, 1.0), 0.0)
    return np.where(factors.deficient, told, measure)


def _right_sides(program: Program, inverse: int) -> Iterator[tuple[Ref, ...] | None]:
    """What an inverse is applied to, each time, as a product that begins with it; None where it is read as it is."""
    if any(one.ref is not None and one.ref.value == inverse for one in program.outputs):
        yield None
    for step in program.steps.values():
        terms = terms_of(step.definition)
        if not terms and any(ref.value == inverse for ref, _ in references(step.definition)):
            yield None
        for term in terms:
            if inverse in term.scalars:
                yield None
            factors = _opened(program, inverse, term.factors)
            for i, ref in enumerate(factors):
                if ref.value != inverse:
                    continue
                rest = factors[i:] if i + 1 < len(factors) else tuple(one.T for one in reversed(factors))
                yield rest if len(rest) > 1 else None


def _opened(program: Program, inverse: int, factors: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """A product with those factors written out that end in the inverse: what follows is what it is applied to."""
    found: list[Ref] = []
    for ref in factors:
        terms = () if ref.star else terms_of(program.steps[ref.value].definition)
        inner = _opened(program, inverse, terms[0].factors) if len(terms) == 1 else ()
        found += inner if inner and inner[-1].value == inverse else (ref,)
    return tuple(found)


def _left_over(kernels: GroupKernels, product: tuple[Ref, ...]) -> Scalars:
    """What is left of a right-hand side, against the terms of both sides; the largest of all bodies."""
    (inverse, *rest), sizes = product, _Sizes(kernels)
    within = any(ref.value not in kernels.small for ref in rest)
    found: list[Scalars] = []
    for group in kernels.levels.whole() if within else (ANY,):
        factors = kernels.getter(inverse)(group)
        assert isinstance(factors, LeastNorm)
        right = multiply_out([kernels.getter(ref)(group) for ref in rest])
        solution = factors.before(right)
        terms = factors.scale * norms(solution) + sizes.product(Term(UNIT, tuple(rest)), group)
        left = norms(right - factors.matrix @ solution)
        found.append(np.where(terms > 0, left / np.where(terms > 0, terms, 1.0), 0.0).max(axis=0))
    return np.maximum.reduce(np.broadcast_arrays(*found))


class _Sizes:
    """The sizes of values before anything cancelled in sums, with an axis for the bodies."""

    def __init__(self, kernels: GroupKernels) -> None:
        self._kernels = kernels

    def of(self, number: int) -> Scalars:
        """The size of a value of no body."""
        terms = terms_of(self._kernels.program.steps[number].definition)
        if not terms:
            return norms(self._kernels.getter(Ref(number))(ANY))
        small = all(ref.value in self._kernels.small for term in terms for ref in term.factors)
        groups = (ANY,) if small else self._kernels.levels.whole()
        total = sum(self.product(term, group).sum(axis=0) for term in terms for group in groups)
        return np.asarray(total)[None]

    def product(self, term: Term, group: Group) -> Scalars:
        """The size of a product, of which the factors may cancel; of a value alone that of its terms."""
        if len(term.factors) == 1 and not term.scalars and term.factors[0].value in self._kernels.small:
            return abs(float(term.coefficient)) * self.of(term.factors[0].value)
        space = self._kernels.program.steps[term.factors[0].value].type.codomain if term.factors else ONE
        return norms(self._kernels.product(term, space)(group))
