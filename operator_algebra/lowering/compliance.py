"""How much of the compliance of a mechanism is left by what holds it through a space of no body.

Where springs are opened, (A⁻¹ + Σ L C R)⁻¹ = A − A L B S⁻¹ R A. If they hold a light body, or all bodies, what is left
is a small difference of A and of what they take from it, whatever the condition of the whole. With columns w of random
signs, whose w* X w are about the trace of X,

    kept = tr w* (A⁻¹ + Σ L C R)⁻¹ w / tr w* A w

tells what share is left. Both are formulas as any other, lowered for themselves and run once the program has run.
Generated code finds out that P, D and G are the same as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from operator_algebra.expressions.build import matmul, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.passes import PASSES
from operator_algebra.lowering.schedule import schedule
from operator_algebra.operators.spaces import ONE, ROUNDING, Space
from operator_algebra.programs.instructions import Invert, Linear, Rounding, Total
from operator_algebra.programs.program import Block, Program, Step, Sweep
from operator_algebra.programs.records import Ref, Term, map_references

UNIT = Fraction(1)

Opened = Mapping[Expr, tuple[Expr, Expr]]
"""An inverse that was opened, and that of its tree-local part, by the inverse of the small system that opened it."""


def with_compliance(program: Program, opened: Opened, zeros: frozenset[str]) -> Program:
    """The program, where each small system that opened an inverse knows what share of the compliance it leaves."""
    found = {p.value: opened[p.formula] for p in program.pivots if p.formula is not None and p.formula in opened}
    asked = {number: parts for number, parts in found.items() if _asks(parts[1]) and not any(map(_bound, parts))}
    if not asked:
        return program
    graph = Graph(_next=max(program.computed))
    lift = Lift(graph, zeros)
    graph.hold(*(_share(lift, *parts) for parts in asked.values()))
    for one in PASSES:
        one(graph)
    _make_signs(graph)
    shares = dict(zip(asked, graph.held, strict=True))
    known = {(step.type, step.definition): step.number for step in program.given}
    given, standing = list(program.given), dict[int, int]()
    for number, value in graph.values.items():
        if value.given:
            same = known.get((value.type, value.block.definition))
            if same is None:
                given.append(Step(number, value.names[0] if value.names else f"given_{number}", value.block))
            else:
                standing[number] = same

    def moved(ref: Ref) -> Ref:
        return Ref(standing.get(ref.value, ref.value), ref.star)

    def step(number: int) -> Step:
        block: Block = graph[number].block
        return Step(number, f"compliance_{number}", replace(block, definition=map_references(block.definition, moved)))

    sweeps = [Sweep(stage.direction, tuple(map(step, stage.values))) for stage in schedule(graph)]
    pivots = (replace(pivot, kept=shares.get(pivot.value)) for pivot in program.pivots)
    return replace(program, given=tuple(given), bounds=(*program.bounds, *sweeps), pivots=tuple(pivots))


def _asks(free: Expr) -> bool:
    """Whether w* X w is a number of its columns: X takes a space to its dual."""
    return free.type.codomain == free.type.domain.dual


def _bound(e: Expr) -> bool:
    """Whether an expression reads a value that only its own program knows."""
    return any(one.origin == "bound" for one in free_symbols(e))


def _signs(space: Space) -> Expr:
    """The columns w, which are made once it is settled what reads them."""
    return operator("signs", ROUNDING >> space)


def _share(lift: Lift, held: Expr, free: Expr) -> Ref:
    graph, signs = lift.graph, _signs(free.type.domain)

    def total(e: Expr) -> int:
        small = lift.applied(matmul(signs.T, e, signs), lift.identity(ROUNDING))
        return graph.new(ONE >> ONE, Total("trace", Ref(small)))

    whole = graph.new(ONE >> ONE, Invert(Ref(total(free))))
    return Ref(graph.new(ONE >> ONE, Linear((Term(UNIT, (Ref(total(held)), Ref(whole))),))))


def _make_signs(graph: Graph) -> None:
    for number, value in tuple(graph.values.items()):
        if value.leaf is not None and value.type.domain == ROUNDING:
            space = value.type.codomain
            ones = graph.new(space >> space, Linear((Term(UNIT, ()),)))
            graph.put(number, replace(value, definition=Rounding(Ref(ones))))
