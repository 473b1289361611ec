"""Mechanisms with springs, dampers and rotors, and values for what formulas of dynamics read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.arrays import Axes
from operator_algebra.symbols import H_dot
from tests.rounding import apart, size
from tests.strategies import mechanisms

TINY = 1e-40
DIGITS = 1e-9
"""Of the largest term: mass matrices of random trees lose few of sixteen."""

SPRUNG = ("revolute", "prismatic", "helical", "cylindrical", "translation", "spherical")


def sprung(model: Model) -> Model:
    """The model with springs and dampers where a joint can have them."""

    def changed(body: Body) -> Body:
        stiffness = 3.0 if body.joint.kind in SPRUNG else ()
        return replace(body, joint=replace(body.joint, stiffness=stiffness, damping=0.2, armature=0.1))

    return Model(name=f"{model.name} with springs", bodies=[changed(body) for body in model.bodies])


def numbers(model: Model, seed: int) -> dict[str, Any]:
    """Values for all inputs of this page but `spring_rate`."""
    rng = np.random.default_rng(seed)
    found = {name: rng.standard_normal(model.nv) for name in ("qdd", "T", "w")}
    return found | {"v": model.random(seed)[1], "f_ext": rng.standard_normal(6 * model.n)}


def read_by(e: Expr | Query, values: dict[str, Any]) -> dict[str, Any]:
    """Those that a formula reads; v with Ḣ."""
    symbols = free_symbols(body_of(e))
    names = {symbol.name for symbol in symbols}
    if H_dot in symbols:
        names.add("v")
    return {name: value for name, value in values.items() if name in names}


class Case:
    """A mechanism with springs, dampers and rotors, moving and pushed."""

    def __init__(self, model: Model, seed: int, frame: Axes) -> None:
        self.model = sprung(model)
        self.frame: Axes = frame
        self.q, _ = self.model.random(seed)
        self.values = numbers(self.model, seed)

    def value(self, e: Expr | Query, **changed: Any) -> Any:
        """The value of a formula, with some of its inputs changed."""
        values = {**self.values, **changed}
        q = values.pop("q", self.q)
        return np.asarray(evaluate(e, self.model, q=q, frame=self.frame, **read_by(e, values)).dense())

    def along(self, e: Expr, acceleration: Any) -> Any:
        """The derivative of a function of pose and rates along the motion, by a step into the complex plane."""
        v = self.values["v"]
        ahead = self.model.integrate(self.q, 1j * TINY * v)
        return self.value(e, q=ahead, v=v + 1j * TINY * acceleration).imag / TINY


def same(found: Any, expected: Any, *terms: Any) -> bool:
    """Whether numbers agree beside the terms that they are made of."""
    allowed = DIGITS * max(1.0, size(expected), *map(size, terms))
    return apart(np.reshape(found, np.shape(expected)), expected) <= allowed


frames = st.sampled_from(["body", "world"])
seeds = st.integers(0, 1000)
cases = st.builds(Case, mechanisms(armature=True, max_bodies=6), seeds, frames)
