"""lower: from an expression to a program, pass by pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, get_args

from operator_algebra.arguments import choice, items, shown, word
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import diag
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.order import reading_key
from operator_algebra.expressions.query import Query, question
from operator_algebra.expressions.traverse import free_symbols, named_apart
from operator_algebra.lowering.bounds import bounds
from operator_algebra.lowering.components import components
from operator_algebra.lowering.eliminate import eliminate
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.naming import name_values
from operator_algebra.lowering.products import name_common_prefixes, recognise_updates, reuse_products
from operator_algebra.lowering.program import Output, OutputKind, Program, Report, Step, Sweep
from operator_algebra.lowering.queries import NoWalk, transfer
from operator_algebra.lowering.refine import refine
from operator_algebra.lowering.schedule import schedule
from operator_algebra.lowering.share import share
from operator_algebra.lowering.simplify import (
    drop_identities,
    drop_zeros,
    resolve_aliases,
    separate_constants,
    simplify,
)
from operator_algebra.lowering.totals import logdet, trace
from operator_algebra.lowering.values import Given, Invert, Ref
from operator_algebra.lowering.wellformed import check_program

Method = Literal["auto", "joseph", "refined", "orthogonal"]
Lowerable = Expr | Query | str | Mapping[str, Expr | Query | str]


def lower(e: Lowerable, *, method: Method = "auto", zeros: frozenset[str] = frozenset()) -> Program:
    """The sweeps that compute an expression, a query, or several (then results are a mapping with the same keys).

    `zeros` names leaves known to vanish, such as the armature of a model that has none.

    >>> from operator_algebra.symbols import H, T, M, phi, inv
    >>> lower(inv(H @ phi @ M @ phi.T @ H.T) @ T)
    Program  (H φ M φ* H*)⁻¹ T   2 sweeps: inward, outward   O(N)   inputs T
    """
    choice(method, "method", get_args(Method))
    zeros = frozenset(word(name, "a name in zeros") for name in items(zeros, "zeros", "names of leaves"))
    formulas = named_formulas(e)
    bodies = [formula.body if isinstance(formula, Query) else formula for formula in formulas.values()]
    named_apart(dict.fromkeys(symbol for body in bodies for symbol in sorted(free_symbols(body), key=reading_key)))
    lift = Lift(Graph(), zeros, orthogonal=method == "orthogonal")
    return _finish(lift, _lifted(lift, formulas), method, keyed=isinstance(e, Mapping))


def named_formulas(e: Lowerable) -> dict[str, Expr | Query]:
    """What is to be lowered by name, "" for a single formula, texts read; anything else is refused."""
    if not isinstance(e, Mapping):
        return {"": question(e, "lower")}
    if not e:
        raise InputError("lower was given an empty mapping. Give at least one expression.")
    return {word(name, "the name of a formula"): question(part, f"lower ({shown(name)})") for name, part in e.items()}


class _Roots:
    """The outputs while passes renumber the graph."""

    def __init__(self, outputs: list[Output]) -> None:
        self.outputs = outputs

    @property
    def numbers(self) -> set[int]:
        return {ref.value for output in self.outputs for ref in output.refs()}

    def follow(self, standing: Mapping[int, int]) -> None:
        self.outputs = [o.map(lambda ref: Ref(standing.get(ref.value, ref.value), ref.star)) for o in self.outputs]

    def follow_refs(self, standing: Mapping[int, Ref]) -> None:
        def change(ref: Ref) -> Ref:
            found = standing[ref.value]
            return Ref(found.value, found.star != ref.star)

        self.outputs = [output.map(change) for output in self.outputs]


def _lifted(lift: Lift, formulas: Mapping[str, Expr | Query]) -> _Roots:
    outputs: list[Output] = []
    for key, formula in formulas.items():
        body = formula.body if isinstance(formula, Query) else formula
        if not body.typed:
            raise InputError(f"cannot lower {body}: its spaces are not known. Put I or 0 beside a typed operator.")
        outputs.append(_lift_one(lift, key, formula))
    return _Roots(outputs)


def _lift_one(lift: Lift, key: str, formula: Expr | Query) -> Output:
    e = formula.body if isinstance(formula, Query) else formula
    if isinstance(formula, Query) and formula.kind in ("trace", "logdet"):
        number = trace(lift, e) if formula.kind == "trace" else logdet(lift, e)
        return Output(key, formula, "small", Ref(number))
    if isinstance(formula, Query) and formula.kind == "diag":
        e = diag(e)
    if not e.type.domain.attached:
        kind: OutputKind = "vector" if e.type.domain.name == "one" else "matrix"
        return Output(key, formula, kind if e.type.codomain.attached else "small", Ref(lift.vector(e)))
    if not e.type.codomain.attached:
        return Output(key, formula, "matrix", Ref(lift.vector(e.T), star=True))
    asks_for_blocks = isinstance(formula, Query) and formula.kind in ("dense", "block")
    if e.structure.flow in ("diagonal", "zero") and not asks_for_blocks:
        return Output(key, formula, "blocks", lift.block(e))
    wanted = formula if isinstance(formula, Query) and formula.kind == "block" else None
    try:
        walk = transfer(lift, e)
    except NoWalk:
        if wanted is not None:
            return Output(key, formula, "picked", Ref(lift.matrix(e, wanted.places[1])))
        return Output(key, formula, "matrix", Ref(lift.matrix(e)))
    return Output(key, formula, "dense" if wanted is None else "block", None, walk)


def _finish(lift: Lift, roots: _Roots, method: Method, keyed: bool) -> Program:
    graph = lift.graph
    roots.follow(resolve_aliases(graph, roots.numbers))
    roots.follow_refs(share(graph, roots.numbers))
    roots.follow(simplify(graph, roots.numbers))
    roots.follow_refs(share(graph, roots.numbers))
    separate_constants(graph, roots.numbers)
    if method == "refined":
        refine(graph)
    labels = tuple("".join(sorted(component.labels)) for component in components(graph) if not component.trivial)
    eliminated = dict.fromkeys((*lift.eliminated, *eliminate(graph, orthogonal=lift.orthogonal).origins))
    drop_zeros(graph)
    drop_identities(graph)
    roots.follow(resolve_aliases(graph, roots.numbers))
    roots.follow_refs(share(graph, roots.numbers))
    name_common_prefixes(graph)
    reuse_products(graph)
    recognise_updates(graph)
    reuse_products(graph)
    graph.prune(roots.numbers)
    stages = schedule(graph, roots.numbers)
    names, hidden = name_values(graph, roots.outputs)
    given = tuple(
        Step(number, names[number], value)
        for number, value in sorted(graph.values.items())
        if isinstance(value.definition, Given)
    )
    sweeps = tuple(
        Sweep(stage.direction, tuple(Step(n, names[n], graph[n], n in hidden) for n in stage.values))
        for stage in stages
    )
    outputs = tuple(
        replace(o, name=o.name or (names[o.ref.value] if o.ref is not None else "x")) for o in roots.outputs
    )
    program = Program(sweeps, outputs, given, _report(graph, names, labels, roots, eliminated), method, keyed)
    program = replace(program, bounds=bounds(graph, (step.number for step in program.pivots()), names))
    check_program(program)
    return program


def _report(
    graph: Graph, names: Mapping[int, str], labels: tuple[str, ...], roots: _Roots, eliminated: Iterable[Expr]
) -> Report:
    bodies = [o.formula.body if isinstance(o.formula, Query) else o.formula for o in roots.outputs]
    return Report(
        components=labels,
        pivots=tuple(
            names[value.definition.source.value]
            for value in graph.values.values()
            if isinstance(value.definition, Invert)
        ),
        symmetric=tuple(names[number] for number, value in graph.values.items() if value.symmetric),
        structure="; ".join(str(body.structure) for body in bodies),
        eliminated=tuple(eliminated),
    )
