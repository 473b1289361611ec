"""Blocks of an operator: how every body answers to a unit input at itself, at its children, and from its parent.

The values between input and output are eliminated as one component. With Θ_ji, the answer that comes back from the
parent to what a body sends there, the diagonal blocks are out[x] + Σ out[β_j] Θ_ji s_i[x]; other blocks follow by a
walk along the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering import refuse
from operator_algebra.lowering.components import components, local_cycle
from operator_algebra.lowering.eliminate import Elimination, eliminated
from operator_algebra.lowering.graph import RING, Form, Graph, Held, alone
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.localsystem import local_system
from operator_algebra.lowering.passes import FRONT
from operator_algebra.lowering.relations import answer, has_no_local_term
from operator_algebra.lowering.share import sum_key
from operator_algebra.lowering.signs import positive
from operator_algebra.lowering.simplify import drop_zeros, inline_single_use, resolve_aliases
from operator_algebra.lowering.trampoline import run
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.lowering.walkstates import States, fewest
from operator_algebra.operators.spaces import Type
from operator_algebra.programs.instructions import Linear, Shift
from operator_algebra.programs.records import Ref, map_references, references
from operator_algebra.programs.walk import Walk


class NoWalk(Exception):
    """The blocks do not follow by products along a walk: they need orthogonal elimination, or a sum over all bodies."""


@dataclass(frozen=True, slots=True)
class _Query:
    """An operator applied to a unit input x, in a graph of its own; `members` depend on x."""

    graph: Graph
    x: int
    output: int
    members: tuple[int, ...]

    def asks_for_relations(self) -> bool:
        """Whether something is to be eliminated, and local pivots are not wanted or cannot exist."""
        if self.graph.method != "orthogonal" and not has_no_local_term(self.graph, self.members):
            return False
        if any(isinstance(self.graph[n].definition, Unknown) for n in self.members):
            return True
        coupled = (c for c in components(self.graph) if not c.trivial and not set(self.members).isdisjoint(c.members))
        return any({"U", "D"} <= c.labels or local_cycle(self.graph, c.members) for c in coupled)


def transfer(lift: Lift, e: Expr) -> Walk:
    """Lower the blocks of an operator from an attached space to an attached space into the graph of `lift`."""
    if run(lift.seams.split(e)).low:
        raise NoWalk
    query = _query(lift, e)
    if query.asks_for_relations():
        raise NoWalk
    found = _eliminated(query, e)
    return found.map(transplant(query.graph, lift.graph, found.refs()))


def _query(lift: Lift, e: Expr) -> _Query:
    graph = Graph(method=lift.graph.method)
    inner = Lift(graph, lift.zeros)
    unit = vector("unit_of_query", e.type.domain)
    x = inner.given(unit)
    graph.hold(Ref(inner.applied(e, x)), Ref(x))
    for simplification in FRONT:
        simplification(graph)
    output, x = (ref.value for ref in graph.held)
    members = _dependents(graph, x)
    unknowns = [graph[number] for number in members if isinstance(graph[number].definition, Unknown)]
    lift.graph.eliminated.update((value.origin, None) for value in unknowns if value.origin is not None)
    return _Query(graph, x, output, tuple(sorted(members)))


def _dependents(graph: Graph, x: int) -> set[int]:
    readers: dict[int, list[int]] = {}
    for number, value in graph.values.items():
        for ref, _ in references(value.definition):
            readers.setdefault(ref.value, []).append(number)
    found = {x}
    pending = [x]
    while pending:
        for reader in readers.get(pending.pop(), ()):
            if reader not in found:
                found.add(reader)
                pending.append(reader)
    return found - {x}


def _eliminated(query: _Query, e: Expr) -> Walk:
    graph, x, output, members = query.graph, query.x, query.output, query.members
    if output not in members:
        out_x = Ref(graph.sum(e.type, RING.of())) if output == x else None
        return Walk((), (), out_x, (), (), (), (), (), (), (), ())
    system = local_system(graph, members, always=True)
    gathers, pulls = system.gathers, system.pulls
    z = [system.z[i] for i in gathers]
    elimination = Elimination(graph, system, [x, *z])
    elimination.solve()
    for i, j in system.X:
        elimination.carry(i, j)

    def block(number: int, key: int) -> Ref | None:
        form = elimination.response(number, key)
        return Ref(graph.sum(Type(elimination.space(key), elimination.space(number)), form)) if form else None

    messages = [system.source(i) for i in gathers]
    carried = [system.source(j) for j in pulls]
    found = Walk(
        inward=tuple(system.hop(i) for i in gathers),
        outward=tuple(system.hop(j) for j in pulls),
        out_x=block(output, x),
        out_z=tuple(block(output, key) for key in z),
        out_beta=tuple(block(output, j) for j in pulls),
        s_x=tuple(block(s, x) for s in messages),
        s_z=tuple(tuple(block(s, key) for key in z) for s in messages),
        d_x=tuple(block(d, x) for d in carried),
        d_z=tuple(tuple(block(d, key) for key in z) for d in carried),
        d_beta=tuple(tuple(block(d, j) for j in pulls) for d in carried),
        theta=(),
    )
    found = _numbered(graph, found)
    return _with_theta(graph, positive(graph, found.only(*found.needed())))


def _numbered(graph: Graph, t: Walk) -> Walk:
    """The walk with one state for those that carry the same, or are read alike."""
    if len(t.inward) + len(t.outward) < 2:
        return t
    key = sum_key(graph)

    def added(form: Form) -> Ref | None:
        if not key(form):
            return None
        (_, (first, *_)), *_ = form
        return first if alone(form) is not None else Ref(graph.sum(graph.type_of(first), form))

    states = States.of(t)
    less = fewest(states, key)
    return t if len(less.labels) == len(states.labels) else less.walk(added)


def _with_theta(graph: Graph, t: Walk) -> Walk:
    """Θ_ji(c) = D_j(c,k) (d_j[z_i] + Σ d_j[β_j'] Θ_j'i' s_i'[z_i])(k) U_i(k,c), zero where nothing comes back."""
    # What comes back to a child also comes back through the parent, so every Θ reads others at the parent: all get
    # their numbers first. The pairs grow from those with a direct answer; the others are zero and get no recurrence.
    rows, columns = range(len(t.outward)), range(len(t.inward))
    answers = {(j, i) for j in rows for i in columns if t.d_z[j][i] is not None}
    while True:
        more = {
            (j, i)
            for j in rows
            for i in columns
            if any(t.d_beta[j][b] is not None and t.s_z[a][i] is not None for b, a in answers)
        }
        if more <= answers:
            break
        answers |= more
    theta = {pair: graph.reserve() for pair in sorted(answers)}
    types = {(j, i): Type(t.inward[i].type.domain, t.outward[j].type.codomain) for j, i in theta}
    for pair, number in theta.items():
        graph.put(number, Value(types[pair], Linear(())))
    for (j, i), number in theta.items():
        parts = [RING.of(ref)] if (ref := t.d_z[j][i]) is not None else []
        for (b, a), inner in theta.items():
            left, right = t.d_beta[j][b], t.s_z[a][i]
            if left is not None and right is not None:
                parts.append(RING.of(left, Ref(inner), right))
        turned = graph.sum(Type(t.inward[i].type.codomain, t.outward[j].type.domain), RING.sum(parts))
        graph.put(number, Value(types[j, i], Shift(t.outward[j], Ref(turned), t.inward[i])))
    grid = tuple(tuple(Ref(theta[j, i]) if (j, i) in theta else None for i in columns) for j in rows)
    return Walk(t.inward, t.outward, t.out_x, t.out_z, t.out_beta, t.s_x, t.s_z, t.d_x, t.d_z, t.d_beta, grid)


def transplant(source: Graph, target: Graph, refs: Iterable[Ref]) -> Callable[[Ref], Ref | None]:
    """Move values into the graph of the whole formula; the result says where they stand, None for what vanishes."""
    drop_zeros(source)
    source.wanted = (Held(tuple(refs)),)
    source.prune()
    numbers: dict[int, int] = {}
    for number, value in source.values.items():
        if value.leaf is not None:
            numbers[number] = target.new(value.type, value.definition, name=value.leaf.name)
            target.put(numbers[number], replace(target[numbers[number]], symmetric=value.symmetric))
        else:
            numbers[number] = target.reserve()

    def moved(ref: Ref) -> Ref:
        return Ref(numbers[ref.value], ref.star)

    for number, value in source.values.items():
        if value.leaf is None:
            target.put(numbers[number], replace(value, definition=map_references(value.definition, moved)))
    zeros = {number for number, value in source.values.items() if value.definition == Linear(())}
    return lambda ref: None if ref.value in zeros else moved(ref)


def diagonal(lift: Lift, e: Expr) -> Form:
    """The block diagonal of an operator: out[x] + Σ out[β_j] Θ_ji s_i[x]; by relations where pivots are avoided."""
    query = _query(lift, e)
    if query.asks_for_relations():
        return _related(lift, query)
    found = _eliminated(query, e)
    found = found.map(transplant(query.graph, lift.graph, found.refs()))
    parts = [RING.of(found.out_x)] if found.out_x is not None else []
    for j, arriving in enumerate(found.out_beta):
        for i, sent in enumerate(found.s_x):
            answer = found.theta[j][i]
            if arriving is not None and sent is not None and answer is not None:
                parts.append(RING.of(arriving, answer, sent))
    return RING.sum(parts)


def _related(lift: Lift, query: _Query) -> Form:
    graph, x, output, members = query.graph, query.x, query.output, query.members
    if output not in members:
        return RING.of() if output == x else {}
    found = answer(graph, members, x, output)
    moved = transplant(graph, lift.graph, [found])(found)
    return {} if moved is None else RING.of(moved)


def pivots(lift: Lift, e: Expr, *, inverted: bool) -> list[Ref]:
    """The pivots or relations met when e, or its inverse, is applied to a vector, moved into the graph of `lift`."""
    graph = Graph(method=lift.graph.method)
    inner = Lift(graph, lift.zeros)
    space = e.type.codomain if inverted else e.type.domain
    x = inner.given(vector("unit_of_query", space))
    number = inner.solved(e, x) if inverted else inner.applied(e, x)
    graph.hold(Ref(number))
    resolve_aliases(graph)
    inline_single_use(graph)
    found = eliminated(graph, keep_unknowns=True)
    lift.graph.eliminated.update(graph.eliminated)
    if x not in graph.values:
        raise NotLowerable(refuse.zero_determinant(e, e))
    # Determinants do not depend on the right-hand side.
    graph.put(x, replace(graph[x], definition=Linear(()), names=()))
    change = transplant(graph, lift.graph, found)
    return [ref for ref in map(change, found) if ref is not None]
