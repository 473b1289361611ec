"""Random expressions of the grammar for property tests, which hypothesis shrinks, and values for their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.expressions.traverse import free_symbols, postorder
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import ONE, Type
from tests.expression_grammar import LEAVES as LEAVES
from tests.expression_grammar import SPACES as SPACES
from tests.expression_grammar import VECTORS as VECTORS
from tests.expression_grammar import Choose, J, Maker, h

X = TypeVar("X")


def _choices(draw: st.DrawFn) -> Choose:
    def choose(choices: Sequence[X], /) -> X:
        return draw(st.sampled_from(choices))

    return choose


@st.composite
def operators(draw: st.DrawFn, *, depth: int = 3, type_: Type | None = None, moving: bool = True) -> Expr:
    """A random operator; without `moving` none that depends on velocities."""
    maker = Maker(_choices(draw), moving)
    wanted = type_ or draw(st.sampled_from(SPACES)) >> draw(st.sampled_from(SPACES))
    return maker.general(wanted, depth)


@st.composite
def columns(draw: st.DrawFn, *, depth: int = 3) -> Expr:
    """A random vector expression."""
    return Maker(_choices(draw)).column(draw(st.sampled_from(SPACES)), depth)


def expressions(*, depth: int = 3) -> st.SearchStrategy[Expr]:
    """Any expression: an operator or a vector."""
    return st.one_of(columns(depth=depth), operators(depth=depth))


def names_in(e: Expr) -> dict[str, Expr]:
    """The vocabulary, and the names in a formula that it does not hold."""
    found = {node.name: node for node in postorder(e) if isinstance(node, Fixpoint | Symbol)}
    return {**found, **s.vocabulary()}


def inputs_for(e: Expr, model: Model, seed: int) -> dict[str, Any]:
    """Random values for the inputs that an expression needs: vectors of order one, positive J and h."""
    sizes = {"spatial": 6 * model.n, "joint": model.nv}
    values: dict[str, Any] = {}
    for symbol in sorted(free_symbols(e), key=lambda symbol: symbol.name):
        if symbol.origin != "input":
            continue
        rng = np.random.default_rng([seed, *symbol.name.encode()])
        if symbol is h:
            values["h"] = float(rng.uniform(0.1, 1.0))
        elif symbol is J:
            values["J"] = rng.uniform(0.5, 2.0, model.nv)
        else:
            assert symbol.type.domain == ONE
            values[symbol.name] = rng.standard_normal(sizes[symbol.type.codomain.sizes])
    return values
