"""Random forms: sums over the mechanism into spaces of no body, in systems that are solved, and what reads them.

Delassus matrices and multipliers, one inside the other; constrained and soft dynamics with velocities, gears and
nonsymmetric terms; products of one direction, norms, traces and determinants; several of them as one program.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import inv, local, operator, root, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of, logdet, trace
from operator_algebra.lowering.lower import Method
from operator_algebra.models.body import Body
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, WHITE, Space
from operator_algebra.spatial.arrays import Axes
from operator_algebra.spatial.inertia import Inertia
from tests.expression_grammar import FACTORS, VECTORS, J, h
from tests.lowering.cases import METHODS, Case, Sample, mechanism
from tests.lowering.rational_expressions import (
    EIGHTH,
    GEAR,
    LOOPS,
    MASS,
    RELATION,
    TASKS,
    WEIGHT,
    C,
    Rational,
    rational_inputs,
)

PICK = operator("pick", LOOPS.dual >> FORCE)
REACH = operator("reach", TASKS.dual >> FORCE)
MORE = operator("more", RATE >> TASKS)
STIFF = operator("stiff", TASKS >> TASKS.dual, structure="symmetric definite")
SLIP = operator("slip", LOOPS.dual >> LOOPS, structure="symmetric definite")
GIVE = operator("give", TASKS.dual >> TASKS, structure="symmetric definite")

DRIFT = {space: vector(f"drift_{space.name}", space) for space in (LOOPS, TASKS)}
PUSH = {space: vector(f"push_{space.name}", space.dual) for space in (LOOPS, TASKS)}
SPRING = {LOOPS: WEIGHT, TASKS: STIFF}
SOFTNESS = {LOOPS: SLIP, TASKS: GIVE}
LARGEST = 8
"""Most bodies."""

Formulas = Mapping[str, Expr | Query]


@dataclass(frozen=True)
class Form:
    """Formulas that make one program, a mechanism and a call."""

    formulas: Formulas
    model: Model
    sample: Sample
    frame: Axes
    method: Method

    @property
    def asked(self) -> str:
        """The kinds of results."""
        return " ".join(sorted({case.asked for case in self.cases.values()}))

    @property
    def cases(self) -> Mapping[str, Case]:
        """Each formula alone, with the inputs that it reads."""
        return {name: self._case(formula) for name, formula in self.formulas.items()}

    def _case(self, formula: Expr | Query) -> Case:
        read = rational_inputs(body_of(formula), self.model, 0)
        inputs = {name: self.sample.inputs[name] for name in read}
        return Case(formula, self.model, (Sample(self.sample.q, inputs),), self.frame, self.method)

    def __str__(self) -> str:
        said = "; ".join(f"{name} = {formula.render()}" for name, formula in self.formulas.items())
        return f"{said} on {self.model.name}, {self.frame}, {self.method}"


class Forms:
    """Draws vectors, numbers and matrices from a generator of random numbers."""

    def __init__(self, rng: random.Random) -> None:
        self.choose = rng.choice
        self.words = Rational(rng)

    def one_of(self, *choices: Callable[[], Expr]) -> Expr:
        """One of several things."""
        return self.choose(choices)()

    # -- operators -------------------------------------------------------------------------------------------------

    def space(self) -> Space:
        """A space of no body."""
        return self.choose((LOOPS, LOOPS, TASKS))

    def jacobian(self, space: Space) -> Expr:
        """From rates to a space of no body: of picked frames, or any relation of the joints."""
        pick, rows = (PICK, RELATION) if space == LOOPS else (REACH, MORE)
        return self.choose((
            pick.T @ s.phi.T @ s.H.T,
            pick.T @ s.phi.T @ s.H.T,
            rows,
            rows + EIGHTH * (pick.T @ s.phi.T @ s.H.T),
            pick.T @ s.psi.T @ s.H.T,
            pick.T @ s.H.T,
        ))  # fmt: skip

    def system(self) -> Expr:
        """What is solved: a mass matrix with armature, gears, springs, terms that are not symmetric."""
        found = MASS
        for _ in range(self.choose((0, 0, 1, 1, 2))):
            found += self.one_of(
                lambda: J,
                lambda: h * C,
                lambda: GEAR @ J @ GEAR.T,
                lambda: EIGHTH * (s.H @ s.phi @ s.M @ local("cross", VECTORS[MOTION]) @ s.phi.T @ s.H.T),
                lambda: EIGHTH * (s.H @ s.phi @ s.M @ s.V_tilde @ s.phi.T @ s.H.T),
                self.springs,
                self.springs,
                lambda: VECTORS[TORQUE] @ VECTORS[TORQUE].T,
                # Two columns at each body are torn, and stacked.
                lambda: inv(inv(MASS + J) + inv(J)),
                lambda: C @ inv(MASS + J) @ C.T,
            )
        return found

    def springs(self) -> Expr:
        """J* W J."""
        space = self.space()
        jacobian = self.jacobian(space)
        return jacobian.T @ SPRING[space] @ jacobian

    def coupling(self, space: Space, system: Expr) -> Expr:
        """J A⁻¹ J*, often softened."""
        jacobian = self.jacobian(space)
        found = jacobian @ inv(system) @ jacobian.T
        return self.choose((found, found + SOFTNESS[space], found + h * SOFTNESS[space]))

    def matrix(self, depth: int) -> Expr:
        """A matrix of no body."""
        space, other, system = self.space(), self.space(), self.system()
        one, two = self.jacobian(space), self.jacobian(other)
        return self.one_of(
            lambda: self.coupling(space, system),
            lambda: inv(self.coupling(space, system)),
            lambda: one @ inv(system) @ two.T,
            lambda: one @ inv(system) @ MASS @ inv(system) @ two.T,
            lambda: one @ self.held(system, other) @ one.T + SOFTNESS[space],
            lambda: one @ s.W.T @ inv(s.D) @ s.W @ one.T,
            lambda: one @ inv(J) @ two.T,
            lambda: self.number(depth - 1) * self.coupling(space, system),
        )

    def held(self, system: Expr, space: Space) -> Expr:
        """A⁻¹ − A⁻¹ J* (J A⁻¹ J*)⁻¹ J A⁻¹."""
        jacobian = self.jacobian(space)
        coupling = jacobian @ inv(system) @ jacobian.T + self.choose((SOFTNESS[space], h * SOFTNESS[space]))
        return inv(system) - inv(system) @ jacobian.T @ inv(coupling) @ jacobian @ inv(system)

    # -- vectors ---------------------------------------------------------------------------------------------------

    def torque(self, depth: int) -> Expr:
        """A torque vector."""
        if depth <= 0:
            return self.choose((s.T, s.T, s.T - dynamics.bias, s.H @ s.phi @ s.f_ext))
        space = self.space()
        return self.one_of(
            lambda: self.torque(0),
            lambda: self.torque(depth - 1) - self.jacobian(space).T @ self.force_of(space, depth - 1),
            lambda: self.system() @ self.rate(depth - 1),
            lambda: self.number(depth - 1) * self.torque(depth - 1),
            lambda: self.choose(FACTORS) * self.torque(depth - 1) + self.torque(depth - 1),
            lambda: self.words.column(TORQUE, 1),
            lambda: s.W @ self.torque(depth - 1),
            lambda: inv(self.held(self.system(), space) + inv(J)) @ self.rate(depth - 1),
            lambda: s.H @ s.phi @ self.words.column(FORCE, 1),
        )

    def rate(self, depth: int) -> Expr:
        """A vector of rates."""
        if depth <= 0:
            return self.choose((s.v, s.v, inv(MASS) @ s.T))
        space, system = self.space(), self.system()
        return self.one_of(
            lambda: self.acceleration(system, space, depth),
            lambda: self.acceleration(system, space, depth),
            lambda: inv(system) @ self.torque(depth - 1),
            lambda: self.held(system, space) @ self.torque(depth - 1),
            lambda: self.rate(depth - 1) - inv(system) @ self.jacobian(space).T @ self.force_of(space, depth - 1),
            lambda: self.number(depth - 1) * self.rate(depth - 1),
            lambda: s.W.T @ inv(s.D) @ s.W @ self.torque(depth - 1),
            lambda: inv(J) @ self.torque(depth - 1) + self.choose(FACTORS) * self.rate(depth - 1),
        )

    def acceleration(self, system: Expr, space: Space, depth: int) -> Expr:
        """A⁻¹ (u − J* λ) with λ = (J A⁻¹ J*)⁻¹ (J A⁻¹ u + g)."""
        jacobian, u = self.jacobian(space), self.torque(depth - 1)
        coupling = jacobian @ inv(system) @ jacobian.T
        coupling = self.choose((coupling, coupling + SOFTNESS[space]))
        driven = jacobian @ inv(system) @ u
        driven = self.choose((driven, driven + DRIFT[space], driven - jacobian @ s.v))
        return inv(system) @ (u - jacobian.T @ inv(coupling) @ driven)

    def force_of(self, space: Space, depth: int) -> Expr:
        """A force of a space of no body."""
        if depth <= 0:
            return self.choose((PUSH[space], SPRING[space] @ DRIFT[space]))
        return self.one_of(
            lambda: self.force_of(space, 0),
            lambda: inv(self.coupling(space, self.system())) @ self.motion_of(space, depth - 1),
            lambda: inv(self.coupling(space, self.system())) @ self.motion_of(space, depth - 1),
            lambda: SPRING[space] @ self.motion_of(space, depth - 1),
            lambda: self.number(depth - 1) * self.force_of(space, depth - 1),
        )

    def motion_of(self, space: Space, depth: int) -> Expr:
        """A motion of a space of no body."""
        if depth <= 0:
            return self.choose((DRIFT[space], self.jacobian(space) @ s.v))
        pick = PICK if space == LOOPS else REACH
        return self.one_of(
            lambda: self.jacobian(space) @ self.rate(depth - 1),
            lambda: self.jacobian(space) @ self.rate(depth - 1),
            lambda: pick.T @ s.phi.T @ self.words.column(MOTION, 1),
            lambda: pick.T @ self.words.column(MOTION, 1),
            lambda: self.motion_of(space, depth - 1) + self.choose(FACTORS) * self.motion_of(space, depth - 1),
            lambda: SOFTNESS[space] @ self.force_of(space, depth - 1),
        )

    def white(self, depth: int) -> Expr:
        """Innovations of unit covariance."""
        return inv(root(s.D)) @ s.W @ self.torque(depth - 1)

    def number(self, depth: int) -> Expr:
        """A number."""
        if depth <= 0:
            return self.choose((h, h, s.v.T @ s.T))
        space = self.space()
        white = self.white(depth)
        return self.one_of(
            lambda: self.rate(depth - 1).T @ self.torque(depth - 1),
            lambda: s.v.T @ MASS @ s.v,
            lambda: s.T.T @ inv(self.system()) @ self.torque(depth - 1),
            lambda: white.T @ white,
            lambda: white.T @ VECTORS[WHITE],
            lambda: self.motion_of(space, depth - 1).T @ self.force_of(space, depth - 1),
            lambda: s.f_ext.T @ s.phi.T @ s.H.T @ self.rate(depth - 1),
            lambda: self.words.column(MOTION, 1).T @ self.words.column(FORCE, 1),
            lambda: self.words.number(1),
        )

    # -- results ---------------------------------------------------------------------------------------------------

    def formula(self, depth: int) -> Expr | Query:
        """One result."""
        space = self.space()
        choices: tuple[Callable[[], Expr | Query], ...] = (
            lambda: self.rate(depth),
            lambda: self.rate(depth),
            lambda: self.torque(depth),
            lambda: self.number(depth),
            lambda: self.force_of(space, depth),
            lambda: self.motion_of(space, depth),
            lambda: self.matrix(depth),
            lambda: inv(self.system()) @ self.jacobian(space).T,
            lambda: self.jacobian(space) @ inv(self.system()),
            lambda: logdet(self.coupling(space, self.system())),
            lambda: trace(self.coupling(space, self.system()) @ SPRING[space]),
            lambda: trace(self.held(self.system(), space)),
        )
        return self.choose(choices)()

    def formulas(self, depth: int) -> Formulas:
        """One result, or several by name."""
        count = self.choose((1, 1, 1, 2, 3))
        return {f"r{i}": self.formula(depth) for i in range(count)}


def form(seed: int) -> Form:
    """The form of a number."""
    rng = random.Random(seed)
    forms, model = Forms(rng), mechanism(rng, seed, most=LARGEST)
    formulas = forms.formulas(rng.choice((1, 2, 2, 3)))
    inputs: dict[str, Any] = {}
    for e in formulas.values():
        inputs = rational_inputs(body_of(e), model, seed) | inputs
    frame: Axes = rng.choice(("body", "world"))
    return Form(formulas, model, Sample(model.random(seed)[0], inputs), frame, rng.choice(METHODS))


def uneven(seed: int) -> Form:
    """A form with a light body and stiff springs: what they hold is well-conditioned, its parts are not."""
    one, rng = form(seed), random.Random(~seed)
    place, light = rng.randrange(one.model.n), rng.choice((1e-3, 1e-5, 1e-7))
    bodies = [lighter(body, light) if k == place else body for k, body in enumerate(one.model.bodies)]
    stiff = {symbol.name: rng.choice((1.0, 1.0, 1e2, 1e4, 1e6, 1e8)) for symbol in SPRING.values()}
    given = one.sample.inputs
    scaled = {name: factor * given[name] for name, factor in stiff.items() if name in given}
    sample = replace(one.sample, inputs={**given, **scaled})
    return replace(one, model=Model(name=one.model.name, bodies=bodies), sample=sample)


def lighter(body: Body, share: float) -> Body:
    """The same body of less mass."""
    inertia = body.inertia
    about_com = (share * np.array(inertia.inertia_at_com)).tolist()
    return replace(body, inertia=Inertia(share * inertia.mass, inertia.com, about_com))
