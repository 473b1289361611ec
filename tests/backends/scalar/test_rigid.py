"""The laws of rigid motion are identities: exactly, for any shifts, inertias and joint maps; and they are found."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.scalar import rigid
from operator_algebra.backends.scalar.algebra import Moved, NodeNumbers, Product, Turned
from operator_algebra.backends.scalar.graph import Graph, Node, operations
from operator_algebra.backends.scalar.rigid import Drift, Force, Rate, Transport, laws
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.trace import Tracer
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import define
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.lowering.lower import for_numbers, lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.instructions import Linear
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.programs.program import Program
from tests.backends.scalar.calls import Call, answer, flat
from tests.backends.scalar.exact_nodes import matrix
from tests.lowering.agreement import bound
from tests.programs.test_interpreted_programs import chosen, inputs
from tests.rounding import apart
from tests.strategies import ALL_JOINTS

TREE = Mechanism((-1, 0, 0, 2), {"joint": (6, 1, 3, 2), "spatial": (6, 6, 6, 6), "one": (1,)})
FORMULAS: dict[str, Expr] = {
    "id": dynamics.inverse_dynamics,
    "fd": dynamics.forward_dynamics,
    "bias": dynamics.bias,
    "wrench": s.phi @ (s.M @ dynamics.acceleration + s.b),
    "half": s.phi @ (s.M @ dynamics.acceleration / 2 + s.b / 2),
}


# -- exactly -----------------------------------------------------------------------------------------------------------


@dataclass
class Exactly(Interpreter):
    """A run over nodes whose leaves are arguments: rigid shifts, inertias and joint maps of fractions."""

    nodes: NodeNumbers = field(kw_only=True)
    seed: int = 0
    arguments: list[Fraction] = field(default_factory=list[Fraction])
    _found: dict[tuple[str, int], Matrix] = field(default_factory=dict[tuple[str, int], Matrix])

    @classmethod
    def of(cls, program: Program, seed: int) -> Exactly:
        numbers = NodeNumbers.over(Graph())
        run = cls(program, TREE, {}, numbers, nodes=numbers, seed=seed)
        run.run()
        return run

    def node(self, x: Fraction) -> Node:
        """An argument with this value."""
        self.arguments.append(x)
        return self.nodes.graph.input(len(self.arguments) - 1)

    def _given(self, symbol: Symbol, k: int, to: int, start: int) -> Matrix:
        if (symbol.name, k) not in self._found:
            rng = random.Random(f"{self.seed} {symbol.name} {k}")
            self._found[symbol.name, k] = self._made(symbol, rng, to, start)
        return self._found[symbol.name, k]

    def _made(self, symbol: Symbol, rng: random.Random, to: int, start: int) -> Matrix:
        def number() -> Node:
            return self.node(Fraction(rng.randint(-9, 9), rng.randint(1, 5)))

        if symbol == s.E_phi:
            return self._shift(rng)
        if symbol == s.M:
            return self._inertia(rng)
        height, width = self.mechanism.size(symbol.type.codomain, to), self.mechanism.size(symbol.type.domain, start)
        return Matrix([[number() for _ in range(width)] for _ in range(height)], width)

    def _shift(self, rng: random.Random) -> Matrix:
        """A lever after a turn by a quaternion of whole numbers."""
        w, x, y, z = (Fraction(rng.randint(1, 5)) for _ in range(4))
        n = w * w + x * x + y * y + z * z
        turn = [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
        rows = [[self.node(entry / n) for entry in row] for row in turn]
        zero, one = self.nodes.zero, self.nodes.one
        none, unit = [zero] * 3, [[one if i == j else zero for j in range(3)] for i in range(3)]
        turned = Turned([[*row, *none] for row in rows] + [[*none, *row] for row in rows], 6, None)
        lx, ly, lz = (self.node(Fraction(rng.randint(-9, 9), 4)) for _ in range(3))
        lever = ((zero, -lz, ly), (lz, zero, -lx), (-ly, lx, zero))
        above = [[*row, *side] for row, side in zip(unit, lever, strict=True)]
        moved = Moved([*above, *([*none, *row] for row in unit)], 6, (lx, ly, lz))
        return Product(self.nodes.product(moved, turned).rows, 6, (moved, turned))

    def _inertia(self, rng: random.Random) -> Matrix:
        zero, m = self.nodes.zero, self.node(Fraction(rng.randint(1, 9)))
        J = {(i, j): self.node(Fraction(rng.randint(-9, 9), 2) + 20 * (i == j)) for i in range(3) for j in range(i, 3)}
        hx, hy, hz = (self.node(Fraction(rng.randint(-9, 9), 3)) for _ in range(3))
        h = ((zero, -hz, hy), (hz, zero, -hx), (-hy, hx, zero))
        above = [[*(J[min(i, j), max(i, j)] for j in range(3)), *h[i]] for i in range(3)]
        below = [[*(-x for x in h[i]), *(m if i == j else zero for j in range(3))] for i in range(3)]
        return Matrix(above + below, 6)


@pytest.mark.parametrize("name", FORMULAS)
def test_each_law_is_an_identity(name: str) -> None:
    program = for_numbers(lower(FORMULAS[name]))[0]
    for seed in range(3):
        run = Exactly.of(program, seed)
        for number, law in laws(program).items():
            for k in TREE.bodies:
                plain = matrix(run.blocks[number][k], run.arguments)
                assert matrix(law.block(run, run.nodes, k), run.arguments) == plain, (type(law), k)


def kinds(program: Program) -> list[type]:
    return sorted((type(law) for law in laws(program).values()), key=lambda kind: kind.__name__)


def test_which_laws_a_program_has() -> None:
    found = {name: kinds(for_numbers(lower(e))[0]) for name, e in FORMULAS.items()}
    newton = [Drift, Force, Rate, Transport]
    assert found == {"id": newton, "fd": [Drift, Rate], "bias": newton, "wrench": newton, "half": found["half"]}
    assert set(found["half"]) >= {Drift, Rate, Transport}
    assert all(kinds(lower(e)) == [] for e in FORMULAS.values())


def changed(program: Program, number: int, **terms: Any) -> Program:
    """One sum with other terms."""

    def step(one: Any) -> Any:
        if one.number != number:
            return one
        return replace(one, value=replace(one.value, definition=Linear(**terms)))

    stages = tuple(replace(stage, steps=tuple(map(step, stage.steps))) for stage in program.stages)
    return replace(program, stages=stages)


def slips(program: Program) -> Iterator[tuple[int, Program]]:
    """Sums of a law with one coefficient turned, or one term less."""
    for number, law in laws(program).items():
        if isinstance(law, Drift | Rate):
            definition = program.steps[number].definition
            assert isinstance(definition, Linear)
            for i, term in enumerate(definition.terms):
                rest = [*definition.terms[:i], *definition.terms[i + 1 :]]
                yield number, changed(program, number, terms=tuple(rest))
                yield number, changed(program, number, terms=(*rest, replace(term, coefficient=-term.coefficient)))


def test_nothing_else_is_taken_for_a_law() -> None:
    program = for_numbers(lower(dynamics.inverse_dynamics))[0]
    tried = list(slips(program))
    assert len(tried) == 10
    for number, other in tried:
        assert number not in laws(other)


# -- on mechanisms -----------------------------------------------------------------------------------------------------

TREES = [random_tree(9, joints=ALL_JOINTS, seed=seed) for seed in (1, 4)]


@pytest.mark.parametrize("name", FORMULAS)
def test_on_every_kind_of_joint(name: str) -> None:
    for seed, model in enumerate(TREES):
        e = define("f", FORMULAS[name])
        program = lower(e, zeros=vanishing(model))
        values = inputs(program, model, seed)
        call = Call.of(program, model, model.random(seed)[0], values)
        found, run = answer(call.traced(), call.arguments), call.interpreted()
        scaled = evaluate_with_scale(e, model, q=call.q, **chosen(e, values))
        assert found.good
        for output, entries in found.results.items():
            assert apart(entries, flat(run.results[output])) <= 2 * bound(scaled) * scaled.scale


def test_laws_save_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    model = chain(5, seed=2)
    program = for_numbers(lower(dynamics.inverse_dynamics, zeros=vanishing(model)))[0]
    call = Call.of(program, model, model.random(0)[0], inputs(program, model, 0))

    def counted(known: Mapping[int, rigid.Law]) -> int:
        monkeypatch.setattr(Tracer, "_laws", known)
        tracer = Tracer.of(program, model, Signature.of(call.inputs))
        return sum(operations(tracer.traced().entries).values())

    everything = laws(program)
    fewest = counted(everything)
    assert fewest < 0.75 * counted({})
    for number, law in everything.items():
        if isinstance(law, Transport | Force):
            assert fewest < counted({other: one for other, one in everything.items() if other != number})
