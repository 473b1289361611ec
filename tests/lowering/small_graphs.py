"""Small graphs by hand: recurrences over the tree, and sums of products over it."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.build import operator, vector
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.schedule import schedule
from operator_algebra.lowering.transpose import Directions
from operator_algebra.lowering.values import Value
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, Space, direct_sum, space
from operator_algebra.programs.instructions import Hop, Linear, Part, Reduce, Shift, Stack
from operator_algebra.programs.records import Ref, Term
from tests.lowering.meant import given, term

INWARD = Hop(s.E_phi, star=False, inward=True)
OUTWARD = INWARD.T
LOOPS = space("loops", attached=False)

f, g = vector("f", FORCE), vector("g", FORCE)
a, b = vector("a", MOTION), vector("b", MOTION)
PICK = operator("pick", LOOPS.dual >> FORCE)
LOCAL = operator("local_of_motion", MOTION >> FORCE, structure="diagonal")
TURN = operator("turn", FORCE >> FORCE, structure="diagonal")


def column(graph: Graph, rows: Space, *terms: Term, domain: Space = ONE) -> int:
    """A sum of terms."""
    return graph.new(domain >> rows, Linear(terms))


def recurrence(graph: Graph, hop: Hop, *driven: Term, domain: Space = ONE) -> int:
    """y = N y + what drives it, with N the hop."""
    rows = hop.type.codomain
    number = graph.reserve()
    arriving = graph.new(domain >> rows, Shift(hop, Ref(number)))
    graph.put(number, Value(domain >> rows, Linear((*driven, term(arriving)))))
    return number


def total(graph: Graph, *terms: Term, domain: Space = ONE, rows: Space = ONE) -> int:
    """A sum over the bodies."""
    return graph.new(domain >> rows, Reduce(terms))


def stacked(graph: Graph, *numbers: int, domain: Space = ONE) -> int:
    """Columns below each other."""
    rows = direct_sum(graph[n].type.codomain for n in numbers)
    return graph.new(domain >> rows, Stack(tuple((Ref(n),) for n in numbers)))


def part(graph: Graph, number: int, index: int) -> int:
    """One of them again."""
    type_ = graph[number].type
    return graph.new(type_.domain >> type_.codomain.parts[index], Part(Ref(number), index))


def read(graph: Graph, *symbols: Symbol) -> tuple[int, ...]:
    """The values of leaves or inputs."""
    return tuple(given(graph, symbol) for symbol in symbols)


def ways(graph: Graph) -> str:
    """Which ways vectors recur, after what is not needed is dropped."""
    graph.prune()
    return "".join(sorted(set(Directions(graph).of.values())))


def sweeps(graph: Graph) -> list[str]:
    """The directions of the sweeps that compute what is wanted."""
    graph.prune()
    return [stage.direction for stage in schedule(graph) if stage.direction != "once"]
