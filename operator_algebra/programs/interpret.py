"""A program read literally, body by body, over any numbers: what every instruction means, in a line or two.

No numpy, no mechanism but a tree with block sizes: the definition that every backend is measured by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import assert_never

from operator_algebra.errors import InputError, SingularError
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.operators.local import local_function
from operator_algebra.operators.spaces import ONE, Space
from operator_algebra.programs.columns import Columns
from operator_algebra.programs.instructions import (
    Answer,
    Call,
    Given,
    Hop,
    Invert,
    Linear,
    Part,
    Reduce,
    Relate,
    Resolve,
    RootOf,
    Rounding,
    Shift,
    Stack,
    Surround,
    Total,
    Update,
)
from operator_algebra.programs.matrices import Matrix, Number, Numbers, Rows, beside, stacked
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.programs.program import Output, Program, Step, Sweep
from operator_algebra.programs.records import Ref, Term
from operator_algebra.programs.walk import Walk

Result = Number | list[Number] | Matrix | list[Matrix]
"""A number, the entries of a column, a matrix, or one matrix per body."""

Signs = Callable[[int, int, int], Matrix]
"""The signs of rounding, two columns: of how many entries, for which salt, at which body."""

_ROOT_EPS = Fraction(1, 2**26)  # of doubles


class Unread(InputError):
    """A program has relations: orthogonal elimination, which is a matter of floats."""


def interpret(
    program: Program, mechanism: Mechanism, given: Mapping[str, Sequence[Rows]], *, numbers: Numbers
) -> dict[str, Result]:
    """The results of a program by name.

    `given` has the blocks of each of `program.symbols` by name, as rows of numbers: one per body, that of a hop at the
    child of its edge, a single one of what belongs to no body.

    >>> from operator_algebra.lowering.lower import lower
    >>> from operator_algebra.programs.matrices import RATIONALS
    >>> tree = Mechanism((-1, 0), {"joint": (1, 1), "spatial": (1, 1)})
    >>> blocks = {"E_phi": [[[0]], [[1]]], "H": [[[1]], [[1]]], "M": [[[3]], [[5]]], "T": [[[1]], [[0]]]}
    >>> interpret(lower("inv(H phi M phi' H') T"), tree, blocks, numbers=RATIONALS)
    {'x': [Fraction(1, 3), Fraction(-1, 3)]}
    """
    return Interpreter(program, mechanism, given, numbers).run()


@dataclass
class Interpreter:
    """One run: the block of each value at each body, filled sweep by sweep; with `signs` also those of the bounds."""

    program: Program
    mechanism: Mechanism
    given: Mapping[str, Sequence[Rows]]
    numbers: Numbers
    signs: Signs | None = None
    blocks: dict[int, list[Matrix]] = field(default_factory=dict[int, list[Matrix]])
    """The blocks of each value by number: one per body, or one in all."""

    def run(self) -> dict[str, Result]:
        """Sweep by sweep, then the results."""
        self.swept()
        if self.signs is not None:
            self.bound()
        return self.results()

    def swept(self) -> None:
        """What is given, and the sweeps that compute the results."""
        for step in self.program.given:
            self.blocks[step.number] = self.provided(step)
        for sweep in self.program.stages:
            self.sweep(sweep)

    def results(self) -> dict[str, Result]:
        """The results by name, of what the sweeps have computed."""
        return {output.name: self.result(output) for output in self.program.outputs}

    def bound(self) -> None:
        """The sweeps that carry rounding along."""
        for sweep in self.program.bounds:
            self.sweep(sweep)

    def sweep(self, sweep: Sweep) -> None:
        """Tips first if it is inward, else base first; every step at a body before the next body."""
        attached = sweep.direction != "once"
        bodies = self.mechanism.bodies if attached else range(1)
        for step in sweep.steps:
            self.blocks[step.number] = [Matrix([], 0)] * len(bodies)
        for k in reversed(bodies) if sweep.direction == "inward" else bodies:
            for step in sweep.steps:
                self.blocks[step.number][k] = self.computed(step, k)

    def computed(self, step: Step, k: int) -> Matrix:
        """The block of a step at a body; what has no value is told with its name."""
        try:
            return self.block(step, k)
        except ZeroDivisionError:
            where = f" at body {k}" if step.value.attached else ""
            raise SingularError(f"what {step.name} inverts is singular{where}: it has no inverse.") from None

    # -- what is read ----------------------------------------------------------------------------------------------

    def provided(self, step: Step) -> list[Matrix]:
        """The blocks of a leaf, of an input, or of the unit columns of a space."""
        assert isinstance(step.definition, Given)
        symbol, codomain, domain = step.definition.symbol, step.type.codomain, step.type.domain
        bodies = self.mechanism.bodies if step.value.attached else range(1)
        if symbol is not None:
            return [self._given(symbol, k, k, k) for k in bodies]
        assert domain.counted is not None
        unit = self.numbers.identity(self.mechanism.whole(codomain))
        columns = unit if domain.counted.place is None else self._rows_at(unit, codomain, domain.counted.place).T
        return [self._rows_at(columns, codomain, k) for k in bodies]

    def _given(self, symbol: Symbol, k: int, to: int, start: int) -> Matrix:
        """Block k of a leaf or an input, from one body to another."""
        type_, found = symbol.type, self.given.get(symbol.name)
        if found is None:
            raise InputError(f"{symbol.name} was not given. Given: {', '.join(self.given)}.")
        height, width = self.mechanism.size(type_.codomain, to), self.mechanism.size(type_.domain, start)
        if k >= len(found) or len(found[k]) != height or any(len(row) != width for row in found[k]):
            raise InputError(f"block {k} of {symbol.name} is not {height} × {width}. Give its rows.")
        return Matrix(found[k], width)

    def _rows_at(self, whole: Matrix, space: Space, place: int | str) -> Matrix:
        """The block rows of one body."""
        k = self.mechanism.place(place)
        return whole.part(sum(self.mechanism.size(space, b) for b in range(k)), self.mechanism.size(space, k))

    def get(self, ref: Ref, k: int) -> Matrix:
        """A value or its adjoint at a body; what belongs to no body is the same everywhere."""
        found = self.blocks[ref.value]
        block = found[k] if self.program.computed[ref.value].value.attached else found[0]
        return block.T if ref.star else block

    def hop(self, hop: Hop, edge: int) -> Matrix:
        """The block of a leaf on the edge from a body to its parent."""
        above = self.mechanism.parent[edge]
        if hop.inward != hop.star:
            block = self._given(hop.symbol, edge, above, edge)
        else:
            block = self._given(hop.symbol, edge, edge, above)
        return block.T if hop.star else block

    # -- what each instruction means -------------------------------------------------------------------------------

    def block(self, step: Step, k: int) -> Matrix:
        """The block of a step at body k."""
        numbers, definition = self.numbers, step.definition
        if isinstance(definition, Relate | Resolve | Surround | Answer):
            raise Unread(
                f'{step.name} is a step of method="orthogonal", which is not interpreted. '
                "Where another method has pivots, lower the formula with that."
            )
        height, width = self.mechanism.size(step.type.codomain, k), self.mechanism.size(step.type.domain, k)
        match definition:
            case Linear(terms=terms):
                return self._adjusted(step, numbers.sum([self.term(term, height, k) for term in terms], height, width))
            case Shift():
                return self._adjusted(step, numbers.sum(self._shifted(definition, k), height, width))
            case Invert(source=source):
                return numbers.inverse(self.get(source, k))
            case RootOf(source=source):
                return numbers.root(self.get(source, k))
            case Call(name=name, arguments=(argument,)):
                return self._called(name, self.get(argument, k))
            case Stack() as stack:
                return self._stacked(stack, step, k)
            case Part(source=source, index=index):
                before = self.program.computed[source.value].type.codomain.summands[:index]
                return self.get(source, k).part(sum(self.mechanism.size(part, k) for part in before), height)
            case Reduce(terms=terms):
                parts = [self.term(term, height, body) for term in terms for body in self.adding]
                return self._adjusted(step, numbers.sum(parts, height, width))
            case Total(kind=kind, source=source):
                return Matrix([[self._total(kind, self.everywhere(source))]], 1)
            case Update():
                return self._adjusted(step, self._updated(definition, k))
            case Rounding():
                return self._rounding(definition, k)
            case Given() | Call():
                raise AssertionError(definition)
            case _:
                assert_never(definition)

    def _adjusted(self, step: Step, block: Matrix) -> Matrix:
        """Averaged with its adjoint if it is symmetric."""
        return self.numbers.averaged(block) if step.value.symmetric and self.numbers.rounded else block

    @property
    def adding(self) -> Iterable[int]:
        """The bodies that sums are taken over."""
        return self.mechanism.bodies

    def everywhere(self, ref: Ref) -> list[Matrix]:
        """A value at all bodies; once, if it belongs to none."""
        attached = self.program.computed[ref.value].value.attached
        return [self.get(ref, k) for k in (self.mechanism.bodies if attached else range(1))]

    def term(self, term: Term, height: int, k: int) -> Matrix:
        """coefficient · scalars · product; no factors stand for the identity."""
        factors = [self.get(ref, k) for ref in term.factors]
        product = self.numbers.product(*factors) if factors else self.numbers.identity(height)
        if term.coefficient == 1 and not term.scalars:
            return product
        scale = self.numbers.of(term.coefficient)
        for scalar in term.scalars:
            scale = scale * self.blocks[scalar][0].rows[0][0]
        return self.numbers.scaled(scale, product)

    def _shifted(self, shift: Shift, k: int) -> list[Matrix]:
        """L x [L'] for every edge that is passed."""
        parent = self.mechanism.parent[k]
        outward = [(k, parent)] if parent >= 0 else []
        edges = [(c, c) for c in self.mechanism.children[k]] if shift.hop.inward else outward
        closing = [] if shift.closing is None else [shift.closing]
        return [
            self.numbers.product(
                self.hop(shift.hop, edge), self.get(shift.source, body), *(self.hop(hop, edge) for hop in closing)
            )
            for edge, body in edges
        ]

    def _called(self, name: str, argument: Matrix) -> Matrix:
        x = [row[0] for row in argument.rows]
        values = [self.numbers.zero, *x, *(-entry for entry in reversed(x))]  # −i counts from the end
        return Matrix([[values[i] for i in row] for row in local_function(name).entries], len(x))

    def _stacked(self, stack: Stack, step: Step, k: int) -> Matrix:
        heights, widths = ([self.mechanism.size(space, k) for space in side] for side in stack.spaces(step.type))
        rows = [
            beside(
                [
                    self.numbers.zeros(height, width) if ref is None else self.get(ref, k)
                    for ref, width in zip(row, widths, strict=True)
                ]
            )
            for row, height in zip(stack.rows, heights, strict=True)
        ]
        return stacked(rows, sum(widths))

    def _total(self, kind: str, blocks: Iterable[Matrix]) -> Number:
        if kind == "trace":
            return sum((block.rows[i][i] for block in blocks for i in range(block.height)), start=self.numbers.zero)
        determinants = [self.numbers.determinant(block) for block in blocks if block.height]
        if not all(determinants):
            raise ZeroDivisionError
        return self.numbers.log(determinants)

    def _updated(self, update: Update, k: int) -> Matrix:
        """The short form where it is as good, Joseph's elsewhere."""
        numbers = self.numbers
        P, gain = self.get(update.P, k), self.get(update.gain, k)
        A_star = numbers.product(*(self.get(ref, k) for ref in update.A)).T
        if self.is_short(update, k):
            return numbers.less(P, gain, numbers.product(A_star, P))
        left = numbers.less(numbers.identity(P.height), gain, A_star)
        parts = [numbers.product(left, P, left.T)]
        if update.J is not None:
            parts.append(numbers.product(gain, self.get(update.J, k), gain.T))
        return numbers.sum(parts, P.height, P.width)

    def is_short(self, update: Update, k: int) -> bool:
        """Whether P − gain A* P is computed as it stands."""
        return not self.numbers.rounded or (self._rounds_again(update, k) and not update.joseph)

    def _rounds_again(self, update: Update, k: int) -> bool:
        """Whether what is rounded in an update is as large as P; of several freedoms Joseph's form takes it away."""
        return self.get(update.gain, k).width == 1 or self.mechanism.parent[k] < 0

    def _rounding(self, rounding: Rounding, k: int) -> Matrix:
        """√ of the diagonal, or of each row's largest entry, times signs; √eps of it where Joseph takes most away."""
        assert self.signs is not None
        block, symmetric = self.get(rounding.source, k), self.program.computed[rounding.source.value].value.symmetric
        sizes = [abs(row[i]) if symmetric else self.numbers.largest(row) for i, row in enumerate(block.rows)]
        scale = [self.rounding_root(size) * self.numbers.of(self.rounding_unit(rounding, k)) for size in sizes]
        signs = self.signs(len(sizes), rounding.salt, k)
        return Matrix([[one * sign for sign in row] for one, row in zip(scale, signs.rows, strict=True)], signs.width)

    def rounding_root(self, size: Number) -> Number:
        """The root of the size of an entry that is rounded; a little more would do."""
        return self.numbers.sqrt(size)

    def rounding_unit(self, rounding: Rounding, k: int) -> Fraction:
        """What the root of an entry is multiplied with, signs aside."""
        after = None if rounding.after is None else self.program.computed[rounding.after.value].definition
        return _ROOT_EPS if isinstance(after, Update) and not self._rounds_again(after, k) else Fraction(1)

    # -- results ---------------------------------------------------------------------------------------------------

    def result(self, output: Output) -> Result:
        """A result, laid out as a compiled program lays it out."""
        if output.walk is not None:
            return self._walked(output, output.walk)
        assert output.ref is not None
        found = self.shown(output, output.ref)
        if output.kind == "blocks":
            return found
        whole = beside(found) if output.ref.star else stacked(found, found[0].width)
        if output.kind == "picked":
            return self._rows_at(whole, output.rows, output.places[0])
        if output.columns != ONE:
            return whole
        return whole.rows[0][0] if output.rows == ONE else [row[0] for row in whole.rows]

    def shown(self, output: Output, ref: Ref) -> list[Matrix]:
        """The blocks of a result, as callers see them."""
        del output
        return self.everywhere(ref)

    def _walked(self, output: Output, walk: Walk) -> Matrix:
        """One block, or all blocks column by column."""
        tree, numbers = self.mechanism, self.numbers
        places = [[tree.place(place)] for place in output.places]
        rows, columns = places if output.kind == "block" else (tree.bodies, tree.bodies)
        reader = Columns(walk, tree.parent, numbers, self.get, self.hop)
        parts: list[Matrix] = []
        for j in columns:
            found, width = reader.column(j, rows), tree.size(output.columns, j)
            blocks = [found[i] or numbers.zeros(tree.size(output.rows, i), width) for i in rows]
            parts.append(stacked(blocks, width))
        return beside(parts)
