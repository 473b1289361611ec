"""Every picture can be read: no text lies on another one, none is cut off."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import operator_algebra as oa
from operator_algebra.symbols import D, H, I, K, M, T, inv, phi
from operator_algebra.views.conditioning import Reading, conditioning
from operator_algebra.views.cost import cost
from operator_algebra.views.dependencies import dependencies
from operator_algebra.views.energy import energy
from operator_algebra.views.factors import factors
from operator_algebra.views.filter import filter as filter_view
from operator_algebra.views.flow import flow
from operator_algebra.views.residuals import residuals
from operator_algebra.views.robot import robot
from operator_algebra.views.scaling import scaling
from operator_algebra.views.timeline import timeline
from operator_algebra.views.tree import tree
from tests.views.figures import collisions, cut_off

DOG, TORSO, ARM = (oa.load(name) for name in ("quadruped", "torso2", "arm7"))
FREE = oa.Model(
    bodies=[oa.Body("stone", None, oa.Joint.floating(), inertia=oa.Inertia(1.0, (0, 0, 0), (0.1, 0.2, 0.25)))],
    gravity=(0, 0, 0),
)
MASS = H @ phi @ M @ phi.T @ H.T
SOLVE = inv(MASS) @ T
FALL = oa.dynamics.forward_dynamics


@lru_cache
def checks() -> tuple[oa.Check, ...]:
    """Two laws, and a claim that fails."""
    names = ("left exchange", "factor inverse", "inv(I + H phi K) = I + H psi K")
    return tuple(oa.check(name, oa.load("tree4"), samples=2) for name in names)


DRAWN: dict[str, Callable[[], Figure]] = {
    "spy": lambda: oa.spy(phi, TORSO),
    "spy at q": lambda: oa.spy(inv(MASS), DOG, q=DOG.neutral(), numbering="paper"),
    "factors": lambda: factors(oa.dynamics.mass_matrix, DOG),
    "factors of sums": lambda: factors((I + H @ phi @ K) @ D @ (I + H @ phi @ K).T, oa.load("tree4")),
    "flow": lambda: flow(FALL, DOG),
    "flow in a long chain": lambda: flow(SOLVE, oa.load("snake40")),
    "timeline": lambda: timeline(FALL, TORSO),
    "timeline of a long chain": lambda: timeline(SOLVE, oa.chain(80)),
    "cost": lambda: cost(FALL, DOG),
    "cost of a long chain": lambda: cost(SOLVE, oa.chain(300)),
    "dependencies": lambda: dependencies(FALL),
    "dependencies of one component": lambda: dependencies(SOLVE),
    "scaling": lambda: scaling(SOLVE, (4, 8)),
    "scaling without times": lambda: scaling(SOLVE, (8, 16, 32), timed=False),
    "residuals": lambda: residuals(checks()),
    "residuals of one law": lambda: residuals(checks()[:1]),
    "conditioning": lambda: conditioning(checks()),
    "energy": lambda: energy(oa.simulate(oa.load("planar2r"), [0.5, 0.0], [0.0, 0.0], until=0.2)),
    "energy that jumps": lambda: energy(
        oa.simulate(
            oa.load("planar2r"),
            [0.5, 0.0],
            [0.0, 0.0],
            until=0.2,
            events=[oa.events.limit("shoulder", upper=0.6, restitution=0.5)],
        )
    ),
    "filter": filter_view,
    "energy of what floats": lambda: energy(oa.simulate(FREE, FREE.neutral(), np.ones(6), until=0.2)),
    "ellipsoids": lambda: robot(ARM, ARM.random(seed=3)[0], ellipsoids=True),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=list(DRAWN))
def test_texts_are_whole_and_apart(draw: Callable[[], Figure]) -> None:
    figure = draw()
    assert collisions(figure) == set()
    assert cut_off(figure) == set()


@pytest.mark.parametrize("name", oa.available())
def test_names_in_every_mechanism_are_whole_and_apart(name: str) -> None:
    model = oa.load(name)
    for figure in (robot(model), tree(model)):
        assert collisions(figure) == set()
        assert cut_off(figure) == set()


def test_many_outliers_are_named_apart() -> None:
    rng = np.random.default_rng(0)
    found = [
        Reading("FAILS", f"claim, forest{k}", 10 ** rng.uniform(1, 3), 0.3 * rng.random(), 1e-12) for k in range(80)
    ]
    figure = conditioning(found)
    assert collisions(figure) == set()
    assert cut_off(figure) == set()


def test_what_is_looked_for_would_be_found() -> None:
    figure: Any = Figure(figsize=(2, 2))
    figure.text(0.5, 0.5, "over")
    figure.text(0.52, 0.5, "lapping")
    figure.text(0.9, 0.9, "beyond the edge")
    assert collisions(figure) == {("over", "lapping")}
    assert cut_off(figure) == {"beyond the edge"}
