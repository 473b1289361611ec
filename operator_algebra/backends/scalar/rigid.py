"""Laws of rigid motion: sums in which the linear velocity cancels, in operations that never name it.

With V = φ* V⁻ + s, ω and ω⁻ the angular velocities of a body and its parent, U⁻ = ω̃⁻ ω̃⁻, and φ* = R* after a lever l,

    Ṽ s + w − φ* w⁻       = [ω × s(ω); R* U⁻ l + (R* ω⁻ + ω) × s(v)]                        where w = spin(V) V,
    φ* α + that           = R* [α(ω); α(v) + (U⁻ + α̃(ω)) l] + the rest,
    −Ṽ* M V − M w         = [ω × J ω; ω × (ω × h)],
    M α + that            = [h × α(v) + vee(U Σ − Σ U*); m α(v) + U h],   U = α̃(ω) + ω̃ ω̃,   Σ = tr(J)/2 − J,

each an identity in all of its letters. A program is read once, for what is summed in it and of which values: nothing
depends on what they are called, and a value has the same meaning with these laws and without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

from operator_algebra.backends.scalar.algebra import Moved, NodeNumbers, Product
from operator_algebra.backends.scalar.graph import Graph, Node
from operator_algebra.operators.local import CROSS, SPIN, LocalFunction
from operator_algebra.programs.instructions import summed
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.motions import Carried, carried, function_of, is_inertia, passed
from operator_algebra.programs.program import Program
from operator_algebra.programs.records import Ref, Term

UNIT = Fraction(1)

Vector = Sequence[Node]
Words = Mapping[tuple[Ref, ...], Fraction]


class Law(Protocol):
    """How the block of a step is made."""

    def block(self, run: Interpreter, numbers: NodeNumbers, k: int) -> Matrix:
        """The block at a body."""
        ...


@dataclass(frozen=True)
class Drift:
    """Ṽ s + w − φ* w(parent)."""

    velocity: Carried

    def block(self, run: Interpreter, numbers: NodeNumbers, k: int) -> Matrix:
        """Without what another recurrence passes on."""
        own = self.own(run, numbers, k)
        return numbers.sum([*_handed_on(run, numbers, self.velocity, k), own], 6, 1)

    def own(self, run: Interpreter, numbers: NodeNumbers, k: int) -> Matrix:
        """What does not come from the parent."""
        graph = numbers.graph
        velocity = self.velocity
        s = _column(numbers.sum([run.term(term, 6, k) for term in velocity.driven], 6, 1))
        before = _column(run.get(Ref(velocity.shift), k))[:3]
        both = [graph.add(x, y) for x, y in zip(before, _angular(run, velocity, k), strict=True)]
        return _as_column([*_cross(graph, before, s[:3]), *_cross(graph, both, s[3:])])


@dataclass(frozen=True)
class Transport:
    """φ* α(parent) + drift + …, where the lever is passed once."""

    source: Ref
    drift: Drift
    others: tuple[Term, ...]

    def block(self, run: Interpreter, numbers: NodeNumbers, k: int) -> Matrix:
        """The shift and the drift at once."""
        rest = [*(run.term(term, 6, k) for term in self.others), self.drift.own(run, numbers, k)]
        return numbers.sum([*_handed_on(run, numbers, self.drift.velocity, k, self.source), *rest], 6, 1)


@dataclass(frozen=True)
class Rate:
    """−Ṽ* M V − M w."""

    velocity: Carried
    M: Ref

    def block(self, run: Interpreter, numbers: NodeNumbers, k: int) -> Matrix:
        """By angular velocities alone."""
        graph, omega = numbers.graph, _angular(run, self.velocity, k)
        inertia = _Inertia.of(run.get(self.M, k))
        turned = _cross(graph, omega, _times(numbers, inertia.about, omega))
        return _as_column([*turned, *_cross(graph, omega, _cross(graph, omega, inertia.moment))])


@dataclass(frozen=True)
class Force:
    """M α + rate + …: the equations of Newton and Euler."""

    alpha: Ref
    rate: Rate
    others: tuple[Term, ...]

    def block(self, run: Interpreter, numbers: NodeNumbers, k: int) -> Matrix:
        """M α and the rate at once."""
        graph, alpha = numbers.graph, _column(run.get(self.alpha, k))
        inertia = _Inertia.of(run.get(self.rate.M, k))
        U = _turning(graph, _angular(run, self.rate.velocity, k), alpha[:3])
        S = inertia.second(graph)
        levered = _cross(graph, inertia.moment, alpha[3:])
        turned = [graph.subtract(numbers.dot(U[j], S[i]), numbers.dot(U[i], S[j])) for i, j in ((1, 2), (2, 0), (0, 1))]
        pushed = [graph.multiply(inertia.mass, x) for x in alpha[3:]]
        own = [*_sum(graph, turned, levered), *_sum(graph, pushed, _times(numbers, U, inertia.moment))]
        return numbers.sum([_as_column(own), *(run.term(term, 6, k) for term in self.others)], 6, 1)


class _Inertia(NamedTuple):
    """[[J, h̃], [−h̃, m]]."""

    about: list[list[Node]]
    moment: list[Node]
    mass: Node

    @classmethod
    def of(cls, block: Matrix) -> _Inertia:
        rows = block.rows
        return cls([list(row[:3]) for row in rows[:3]], [rows[2][4], rows[0][5], rows[1][3]], rows[3][3])

    def second(self, graph: Graph) -> list[list[Node]]:
        """tr(J)/2 − J."""
        (xx, _, _), (_, yy, _), (_, _, zz) = self.about
        half = graph.multiply(graph.of(0.5), graph.add(graph.add(xx, yy), zz))
        return [
            [graph.subtract(half, x) if i == j else graph.negative(x) for j, x in enumerate(row)]
            for i, row in enumerate(self.about)
        ]


# -- in which sums they stand ----------------------------------------------------------------------------------------


def laws(program: Program) -> Mapping[int, Law]:
    """The steps of a program that a law gives, by number."""
    reading = _Reading(program)
    found: dict[int, Law] = {}
    for number in reading.sums:
        law = reading.drift(number) or reading.rate(number)
        if law is not None:
            found[number] = law
    for number in reading.sums:
        law = reading.joined(number, found)
        if law is not None:
            found[number] = law
    return found


class _Reading:
    def __init__(self, program: Program) -> None:
        self.values = {number: step.value for number, step in program.steps.items()}
        self.sums = [n for n, value in self.values.items() if value.is_vector and summed(value.definition)]
        self.velocities = carried(self.values)

    def terms(self, number: int) -> tuple[Term, ...]:
        """The terms of a sum."""
        return summed(self.values[number].definition) or ()

    def _of_velocity(self, ref: Ref, function: LocalFunction) -> Carried | None:
        """The velocity of which a value is this function."""
        argument = function_of(self.values, ref.value, function)
        return None if argument is None or argument.star else self.velocities.get(argument.value)

    def _spun(self, ref: Ref) -> Carried | None:
        """The velocity of which a value is w."""
        terms = () if ref.star else self.terms(ref.value)
        if len(terms) != 1:
            return None
        (term,) = terms
        if term.coefficient != 1 or term.scalars or len(term.factors) != 2 or term.factors[0].star:
            return None
        velocity = self._of_velocity(term.factors[0], SPIN)
        return velocity if velocity is not None and term.factors[1] == Ref(velocity.number) else None

    def drift(self, number: int) -> Drift | None:
        """A sum that is Ṽ s + w − φ* w(parent)."""
        words = _words(self.terms(number))
        for (ref, *rest), c in words.items():
            velocity = self._spun(ref) if c == 1 and not rest else None
            if velocity is None:
                continue
            behind = {
                (other,): -UNIT
                for (other, *more) in words
                if not more
                and (shift := passed(self.values, other))
                and (shift.source, shift.hop) == (ref, velocity.hop)
            }
            calls = [other for (other, *_) in words if not other.star and self._of_velocity(other, CROSS) == velocity]
            crossed = {(calls[0], *factors): d for factors, d in _words(velocity.driven).items()} if calls else {}
            if len(behind) == 1 and crossed and words == {**crossed, **behind, (ref,): UNIT}:
                return Drift(velocity)
        return None

    def rate(self, number: int) -> Rate | None:
        """A sum that is −Ṽ* M V − M w."""
        words = _words(self.terms(number))
        for factors in words:
            velocity = self._of_velocity(factors[0], CROSS) if len(factors) == 3 and factors[0].star else None
            if velocity is None or factors[2] != Ref(velocity.number) or not is_inertia(self.values, factors[1]):
                continue
            M = factors[1]
            spun = [other for other in words if len(other) == 2 and other[0] == M and self._spun(other[1]) == velocity]
            if len(spun) == 1 and words == {factors: -UNIT, spun[0]: -UNIT}:
                return Rate(velocity, Ref(M.value))
        return None

    def joined(self, number: int, found: Mapping[int, Law]) -> Law | None:
        """A sum of a law's and what it meets."""
        terms = self.terms(number)
        for one in terms:
            law = None if one.bare is None or one.bare.star else found.get(one.bare.value)
            for other in terms:
                rest = tuple(term for term in terms if term is not one and term is not other)
                shift = passed(self.values, other.bare)
                if isinstance(law, Drift) and shift is not None and shift.hop == law.velocity.hop:
                    return Transport(shift.source, law, rest)
                plain = other.coefficient == 1 and not other.scalars and len(other.factors) == 2
                if isinstance(law, Rate) and plain and other.factors[0].value == law.M.value:
                    return Force(other.factors[1], law, rest)
        return None


def _words(terms: Sequence[Term]) -> Words:
    """Products and their coefficients; empty where a number of no body stands before one."""
    if any(term.scalars or not term.factors for term in terms):
        return {}
    return {term.factors: term.coefficient for term in terms}


# -- vectors of three ------------------------------------------------------------------------------------------------


def _angular(run: Interpreter, velocity: Carried, k: int) -> Vector:
    """ω of a body."""
    return _column(run.get(Ref(velocity.number), k))[:3]


def _column(block: Matrix) -> Vector:
    return [row[0] for row in block.rows]


def _as_column(entries: Vector) -> Matrix:
    return Matrix([[x] for x in entries], 1)


def _sum(graph: Graph, a: Vector, b: Vector) -> list[Node]:
    return [graph.add(x, y) for x, y in zip(a, b, strict=True)]


def _times(numbers: NodeNumbers, rows: Sequence[Vector], x: Vector) -> list[Node]:
    return [numbers.dot(row, x) for row in rows]


def _cross(graph: Graph, a: Vector, b: Vector) -> list[Node]:
    def entry(i: int, j: int) -> Node:
        return graph.subtract(graph.multiply(a[i], b[j]), graph.multiply(a[j], b[i]))

    return [entry(1, 2), entry(2, 0), entry(0, 1)]


def _turning(graph: Graph, omega: Vector, alpha: Vector) -> list[list[Node]]:
    """ω̃ ω̃ + α̃."""
    xx, yy, zz = (graph.multiply(x, x) for x in omega)
    mixed = [graph.multiply(omega[i], omega[j]) for i, j in ((1, 2), (2, 0), (0, 1))]
    (yz, zx, xy), (zy, xz, yx) = (
        [graph.add(m, x) for m, x in zip(mixed, map(graph.negative, alpha), strict=True)],
        [graph.add(m, x) for m, x in zip(mixed, alpha, strict=True)],
    )
    diagonal = [graph.negative(graph.add(*pair)) for pair in ((yy, zz), (zz, xx), (xx, yy))]
    return [[diagonal[0], xy, xz], [yx, diagonal[1], yz], [zx, zy, diagonal[2]]]


def _handed_on(
    run: Interpreter, numbers: NodeNumbers, velocity: Carried, k: int, source: Ref | None = None
) -> list[Matrix]:
    """R* [α(ω); α(v) + (U⁻ + α̃(ω)) l] of a parent, if there is one; α is zero where nothing else is handed on."""
    above, graph = run.mechanism.parent[k], numbers.graph
    if above < 0:
        return []
    alpha = [numbers.zero] * 6 if source is None else _column(run.get(source, above))
    lever, turns = _parts(numbers, run.hop(velocity.hop, k))
    U = _turning(graph, _angular(run, velocity, above), alpha[:3])
    moved = _sum(graph, alpha[3:], _times(numbers, U, lever))
    return [numbers.product(*turns, _as_column([*alpha[:3], *moved]))]


def _parts(numbers: NodeNumbers, hop: Matrix) -> tuple[Vector, Sequence[Matrix]]:
    """The lever and the turns of φ*."""
    factors = hop.factors if isinstance(hop, Product) else ()
    *turns, last = factors or (numbers.identity(6),)
    if isinstance(last, Moved):
        return last.lever, turns or [numbers.identity(6)]
    return [numbers.zero] * 3, factors or [numbers.identity(6)]
