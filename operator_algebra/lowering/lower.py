"""lower: from an expression to a program, pass by pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast, get_args

from operator_algebra.arguments import choice, items, word
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import diag
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.order import reading_key
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.expressions.traverse import free_symbols, named_apart
from operator_algebra.lowering.apart import known_apart
from operator_algebra.lowering.asked import Lowerable, Method, checked_sizes, named_formulas
from operator_algebra.lowering.classical import classical_accelerations
from operator_algebra.lowering.compliance import with_compliance
from operator_algebra.lowering.finish import finished
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.passes import FRONT, PASSES, Pass
from operator_algebra.lowering.queries import NoWalk, transfer
from operator_algebra.lowering.totals import logdet, trace
from operator_algebra.operators.spaces import ONE
from operator_algebra.programs.instructions import called
from operator_algebra.programs.program import Output, OutputKind, Program
from operator_algebra.programs.records import Ref
from operator_algebra.programs.verify import check_program


def lower(
    e: Lowerable,
    *,
    method: Method = "auto",
    zeros: frozenset[str] = frozenset(),
    sizes: Mapping[str, int] | None = None,
) -> Program:
    """The sweeps that compute an expression, a query, or several (then results are a mapping with the same keys).

    `zeros` names leaves known to vanish, such as the armature of a model that has none. `sizes` of spaces by name tell
    with what operations are counted where forms are chosen: "joint" counts 1, a user's space 6, if nothing is said.

    >>> from operator_algebra.symbols import H, T, M, phi, inv
    >>> lower(inv(H @ phi @ M @ phi.T @ H.T) @ T)
    Program  (H φ M φ* H*)⁻¹ T   2 sweeps: inward, outward   O(N)   inputs T
    """
    choice(method, "method", get_args(Method))
    zeros = frozenset(word(name, "a name in zeros") for name in items(zeros, "zeros", "names of leaves"))
    formulas = named_formulas(e)
    bodies = [body_of(formula) for formula in formulas.values()]
    named_apart(dict.fromkeys(symbol for body in bodies for symbol in sorted(free_symbols(body), key=reading_key)))
    graph = Graph(method=method, sizes=checked_sizes(sizes, bodies))
    graph.wanted = lifted(Lift(graph, zeros), formulas)
    return _passed(graph, PASSES, zeros, keyed=isinstance(e, Mapping))


def for_numbers(program: Program) -> tuple[Program, ...]:
    """Programs for the same results in fewer operations on numbers: one, or two if it depends on the mechanism.

    >>> from operator_algebra.applications.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
    >>> [len(for_numbers(lower(formula))) for formula in (inverse_dynamics, forward_dynamics)]
    [1, 2]
    >>> program = lower(mass_matrix)
    >>> for_numbers(program) == (program,)
    True
    """
    moving = program.method == "auto" and any(map(called, (step.definition for step in program.steps.values())))
    solved = program.method != "orthogonal" and any({"U", "D"} <= set(one) for one in program.report.components)
    if not moving and not solved:
        return (program,)
    graph, zeros = Graph(method=cast("Method", program.method), sizes=program.sizes), frozenset(program.absent)
    graph.wanted = lifted(Lift(graph, zeros), {output.name: output.formula for output in program.outputs})
    for one in FRONT:
        one(graph)
    rest = PASSES[len(FRONT) :]
    first = program
    if moving and classical_accelerations(graph):
        first = _passed(graph.copy(), rest, zeros, keyed=program.keyed)
    if not solved or not known_apart(graph):
        return (first,)
    second = _passed(graph, rest, zeros, keyed=program.keyed)
    return (first, second) if len(second.sweeps) <= len(first.sweeps) else (first,)


def _passed(graph: Graph, passes: Iterable[Pass], zeros: frozenset[str], *, keyed: bool) -> Program:
    """The program of a graph after some passes."""
    for one in passes:
        one(graph)
    program = with_compliance(finished(graph, zeros, keyed=keyed), graph.opened, zeros)
    check_program(program)
    return program


def lifted(lift: Lift, formulas: Mapping[str, Expr | Query]) -> tuple[Output, ...]:
    """The results by name, in the graph of the lift."""
    outputs: list[Output] = []
    for key, formula in formulas.items():
        if not body_of(formula).typed:
            raise InputError(
                f"cannot lower {body_of(formula)}: its spaces are not known. Put I or 0 beside a typed operator."
            )
        outputs.append(_output(lift, key, formula))
    return tuple(outputs)


def _output(lift: Lift, key: str, formula: Expr | Query) -> Output:
    e = body_of(formula)
    if isinstance(formula, Query) and formula.kind in ("trace", "logdet"):
        number = trace(lift, e) if formula.kind == "trace" else logdet(lift, e)
        return Output(key, formula, "small" if formula.kind == "trace" else "logdet", ONE, ONE, Ref(number))
    if isinstance(formula, Query) and formula.kind == "diag":
        e = diag(e)
    rows, columns = e.type.codomain, e.type.domain

    def output(kind: OutputKind, ref: Ref | None) -> Output:
        return Output(key, formula, kind, rows, columns, ref)

    if not columns.attached:
        kind: OutputKind = "vector" if columns.name == "one" else "matrix"
        return output(kind if rows.attached else "small", Ref(lift.vector(e)))
    if not rows.attached:
        return output("matrix", Ref(lift.vector(e.T), star=True))
    asks_for_blocks = isinstance(formula, Query) and formula.kind in ("dense", "block")
    if e.structure.flow in ("diagonal", "zero") and not asks_for_blocks:
        return output("blocks", lift.block(e))
    places = formula.places if isinstance(formula, Query) else ()
    try:
        walk = transfer(lift, e)
    except NoWalk:
        if places:
            return replace(output("picked", Ref(lift.matrix(e, places[1]))), places=places)
        return output("matrix", Ref(lift.matrix(e)))
    return replace(output("block" if places else "dense", None), walk=walk, places=places)
