"""Whether the compiler makes one value of both sides of an equation: a second witness, who shares no code with proofs.

Both sides are lowered into one graph. They are equal if value numbering finds one value, or a walk of which nothing
gets out. Here X X⁻¹ is I, which no program is made by: there the ways differ by how they round.
"""

from __future__ import annotations

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.graph import RING, Form, Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.lower import lifted
from operator_algebra.lowering.passes import PASSES, save_sweeps
from operator_algebra.lowering.share import share, sum_key
from operator_algebra.lowering.walkstates import Key, States, vanishes
from operator_algebra.programs.program import Output
from operator_algebra.programs.records import Ref

_FRONT = PASSES[: PASSES.index(save_sweeps)]
_ROUNDS = 3
"""How often equal values make others equal, at most."""


def one_value(lhs: Expr, rhs: Expr) -> bool:
    """Whether value numbering shows that two formulas are equal; where it does not, they may be equal nevertheless.

    >>> from operator_algebra.symbols import H, I, K, inv, phi, psi
    >>> one_value(inv(I + H @ phi @ K), I - H @ psi @ K), one_value(phi, psi)
    (True, False)
    """
    graph = Graph()
    try:
        graph.wanted = lifted(Lift(graph, frozenset()), {"left": lhs, "right": rhs})
        for one in _FRONT:
            one(graph)
    except NotLowerable:
        return False
    for _ in range(_ROUNDS):
        before = len(graph.values)
        share(graph, cancelling=True)
        if len(graph.values) == before:
            break
    left, right = graph.wanted
    assert isinstance(left, Output) and isinstance(right, Output)
    return _equal(left, right, sum_key(graph, cancelling=True))


def _equal(left: Output, right: Output, key: Key) -> bool:
    """Whether two results are one; blocks are a walk that goes nowhere."""
    if all(one.walk is not None or one.kind == "blocks" for one in (left, right)):
        states = [_states(one) for one in (left, right)]
        return vanishes(states[0].less(states[1]), key)
    if left.walk is not None or right.walk is not None:
        return False
    return left.kind == right.kind and not key(RING.minus(_form(left.ref), _form(right.ref)))


def _states(one: Output) -> States:
    return States.of(one.walk) if one.walk is not None else States((), (), (), (), _form(one.ref))


def _form(ref: Ref | None) -> Form:
    return {} if ref is None else RING.of(ref)
