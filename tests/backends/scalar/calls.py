"""A program on a model, interpreted and traced, at the arguments of one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import reject
from numpy.typing import NDArray

from operator_algebra.backends.backend import Result, Run
from operator_algebra.backends.numpy.execute import build
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.backends.scalar.signature import Signature, given
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.trace import Traced, trace
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.model import Model
from operator_algebra.operators.bind import bind
from operator_algebra.operators.inputs import Bound
from operator_algebra.programs.program import Program
from tests.expression_strategies import inputs_for

Floats = NDArray[np.float64]


def random_arguments(e: Expr, model: Model, seed: int) -> tuple[Floats, dict[str, Any]]:
    """A configuration, and what a formula asks for beside it."""
    values = dict(inputs_for(e, model, seed))
    q, v = model.random(seed)
    if any(symbol.name == "H_dot" for symbol in free_symbols(e)):
        values.setdefault("v", v)
    return q, values


@dataclass(frozen=True, eq=False)
class Call:
    """A program, a model, and arguments that fit."""

    program: Program
    model: Model
    q: Floats
    inputs: Bound

    @classmethod
    def of(cls, program: Program, model: Model, q: Any, values: dict[str, Any]) -> Call:
        """The arguments by name, checked; those of a batch have leading axes."""
        wanted = [symbol for symbol in program.accepts if symbol.name in program.inputs or symbol.name in values]
        lead = np.shape(q)[:-1]
        return cls(program, model, np.asarray(q), bind("it", wanted, model, values, batch=True, whole=False, lead=lead))

    def traced_if_it_can_be(self) -> Traced:
        """The traced program; an example that cannot be traced is left out."""
        try:
            return self.traced()
        except Untraceable:
            reject()

    def traced(self) -> Traced:
        """As one graph."""
        return trace(self.program, self.model, Signature.of(self.inputs))

    @property
    def arguments(self) -> list[float]:
        """What a kernel takes for one configuration."""
        return [*self.q.tolist(), *(x for block in given(self.inputs) for x in block.ravel().tolist())]

    def interpreted(self) -> Run:
        """Results and pivots, step by step."""
        v = self.inputs.values["v"].entries if self.program.reads_rates else None
        return build(self.program, self.model, "body")(self.q, v, self.inputs)


@dataclass(frozen=True, eq=False)
class Answer:
    """What one configuration gives: whether it may be trusted, and the entries of each result."""

    good: bool
    results: dict[str, Floats]


def answer(traced: Traced, arguments: list[float]) -> Answer:
    """From the tape."""
    good, entries = Tape.of(traced, len(arguments)).single(arguments)
    found: dict[str, Floats] = {}
    start = 0
    for laid in traced.results:
        stop = start + sum(int(np.prod(shape)) for shape in laid.shapes)
        found[laid.name] = np.array(entries[start:stop], dtype=np.float64)
        start = stop
    return Answer(good, found)


def flat(result: Result) -> Floats:
    """The entries of a result, one array after the other."""
    return np.concatenate([np.ravel(part) for part in (result if isinstance(result, list) else [result])])


def least_pivot(run: Run) -> float:
    """The smallest relative pivot of bodies."""
    return min((float(np.min(p.measure, initial=1.0)) for p in run.pivots if p.attached), default=1.0)
