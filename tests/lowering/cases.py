"""Random cases: an expression or a question, on a random mechanism, at one configuration or a batch of two."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from operator_algebra.expressions.nodes import Diag, Expr
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.lower import Method
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Axes
from tests.lowering.agreement import Floats
from tests.lowering.rational_expressions import Rational, rational_inputs
from tests.strategies import ALL_JOINTS, random_body

METHODS: tuple[Method, ...] = ("auto", "auto", "auto", "joseph", "refined", "orthogonal")
SIZES = ((1, 1), *[(2, 5)] * 7, *[(3, 9)] * 4, (6, 20), (21, 60))
"""Least and most bodies: a slip shows on few, but some only on many."""


@dataclass(frozen=True)
class Sample:
    """A configuration, and values of the inputs."""

    q: Floats
    inputs: Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """What is asked, of which mechanism, how, and at which samples."""

    formula: Expr | Query
    model: Model
    samples: tuple[Sample, ...]
    frame: Axes
    method: Method

    @property
    def body(self) -> Expr:
        """The expression, or the one that is asked about."""
        return self.formula.body if isinstance(self.formula, Query) else self.formula

    @property
    def asked(self) -> str:
        """The kind of question, or of result."""
        if isinstance(self.formula, Query):
            return self.formula.kind
        if isinstance(self.formula, Diag):
            return "diag"
        flow = self.formula.structure.flow
        return flow if flow in ("column", "row", "small") else "operator"

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a call, with a leading axis if there are two samples."""
        if len(self.samples) == 1:
            return {"q": self.samples[0].q, **self.samples[0].inputs}
        stacked = {name: _stacked([sample.inputs[name] for sample in self.samples]) for name in self.samples[0].inputs}
        return {"q": np.stack([sample.q for sample in self.samples]), **stacked}

    def __str__(self) -> str:
        places = "".join(f", {place}" for place in self.formula.places) if isinstance(self.formula, Query) else ""
        samples = "" if len(self.samples) == 1 else f", {len(self.samples)} samples"
        return f"{self.asked} {self.body.render()}{places} on {self.model.name}, {self.frame}, {self.method}{samples}"


def _stacked(values: list[Any]) -> Any:
    first: Any = values[0]
    if isinstance(first, list):
        return [np.stack(blocks) for blocks in zip(*values, strict=True)]
    if isinstance(first, dict):
        return {name: np.stack([value[name] for value in values]) for name in first}  # pyright: ignore[reportUnknownVariableType]
    return np.stack(values)


def mechanism(rng: random.Random, seed: int, most: int = 60) -> Model:
    """A chain, a star, a tree or a forest of any joints, or of one kind."""
    n = min(most, rng.randint(*rng.choice(SIZES)))
    kinds = rng.choice([ALL_JOINTS, ALL_JOINTS, (rng.choice(ALL_JOINTS),)])
    least = rng.choice([-1, 0])
    shape = rng.choice(["chain", "star", "bush", "tree"])
    parents = [-1]
    for k in range(1, n):
        anywhere = rng.randint(least, k - 1)
        parents.append({"chain": k - 1, "star": 0, "bush": anywhere}.get(shape, rng.choice([k - 1, anywhere])))
    spread = rng.choice([0.0, 0.0, 1.0, 3.0])
    numbers = np.random.default_rng(seed)
    bodies = [
        random_body(k, parents[k], rng.choice(kinds), numbers, armature=rng.random() < 0.5, spread=spread)
        for k in range(n)
    ]
    return Model(name=f"{shape}{n}", bodies=bodies)


def case(seed: int) -> Case:
    """The case of a number."""
    rng = random.Random(seed)
    rational, depth = Rational(rng), rng.choice((1, 2, 3, 4, 5))
    model = mechanism(rng, seed)
    formula = _formula(
        rational, rng.choice(("question", "question", "operator", "column", "row", "number")), depth, model
    )
    frame: Axes = rng.choice(("body", "world"))
    body = formula.body if isinstance(formula, Query) else formula
    samples = tuple(
        Sample(model.random(seed + place)[0], rational_inputs(body, model, seed, place))
        for place in range(rng.choice((1, 1, 2)))
    )
    return Case(formula, model, samples, frame, rng.choice(METHODS))


def _formula(rational: Rational, asked: str, depth: int, model: Model) -> Expr | Query:
    if asked == "question":
        return rational.question(rational.operator(depth), model)
    if asked == "operator":
        return rational.operator(depth)
    if asked == "number":
        return rational.number(depth)
    column = rational.column(rational.choose(rational.words.spaces), depth)
    return column.T if asked == "row" else column
