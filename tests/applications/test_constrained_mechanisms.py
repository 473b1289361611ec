"""Constrained dynamics and impacts of mechanisms whose numbers are published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.applications import constraints as cs
from operator_algebra.applications import dynamics, impacts, task_space
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.applications.inputs import TINY
from tests.rounding import apart, rounding, size

LINALG: Any = np.linalg
VECTORS = json.loads((Path(__file__).parents[1] / "data" / "constraints.json").read_text(encoding="utf-8"))
PRINTED = 2e-11
"""Of numbers with thirteen digits, against the largest of their kind."""


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def on_a_plane(*bodies: Body, gravity: float) -> Model:
    """Sliding along x and y without mass, then turning about z."""
    slides = [Body("x", None, Joint.prismatic(X)), Body("y", "x", Joint.prismatic(Y))]
    return Model(name="on a plane", bodies=[*slides, *bodies], gravity=(0, -gravity, 0))


def bar(name: str, parent: str | None, place: float, length: float, mass: float) -> Body:
    """A homogeneous rod along x that turns about z."""
    moment = mass * length**2 / 12
    inertia = Inertia(mass, (length / 2, 0, 0), (0.0, moment, moment))
    return Body(name, parent, Joint.revolute(Z), Placement(translation=(place, 0, 0)), inertia)


KNIFE = on_a_plane(
    Body("blade", "y", Joint.revolute(Z), inertia=Inertia(1.3, (0.15, 0, 0), (0.1, 0.2, 0.25))), gravity=0.0
)
FOUR_BAR = Model(
    name="four-bar",
    bodies=[
        bar("crank", None, 0.0, 0.35, 0.5),
        bar("coupler", "crank", 0.35, 0.9, 1.2),
        bar("rocker", None, 1.0, 0.7, 0.9),
    ],
    gravity=(0, -9.81, 0),
    frames={
        "end": oa.Frame("coupler", Placement(translation=(0.9, 0, 0))),
        "other end": oa.Frame("rocker", Placement(translation=(0.7, 0, 0))),
    },
)
DISK = on_a_plane(
    Body("heading", "y", Joint.revolute(Z)),
    Body("disk", "heading", Joint.revolute(Y), inertia=Inertia(2.0, (0, 0, 0), (0.045, 0.09, 0.045))),
    gravity=0.0,
)


def published(found: Any, vectors: Any, name: str) -> None:
    expected = np.asarray(vectors[name])
    assert apart(np.reshape(found, expected.shape), expected) <= PRINTED * max(1.0, size(expected))


@pytest.mark.parametrize(("name", "model"), [("knife_edge", KNIFE), ("rolling_disk", DISK), ("four_bar", FOUR_BAR)])
def test_published_mechanisms(name: str, model: Model) -> None:
    """Rows of joint rates, as printed, with Ȧ v by differences of the printed A."""
    given_here = VECTORS[name]
    q, v, A, forces = (np.array(given_here[key]) for key in ("q", "qd", "A", "Y"))
    if name == "knife_edge":  # the printed weight grows with the height of a point on the blade
        forces = forces - given_here["G"]
    T: dict[str, Any] = {"q": q, "v": v, "T": forces}
    published(oa.compile(dynamics.mass_matrix, model)(q=q), given_here, "M")
    bias = oa.compile(dynamics.bias, model)(q=q, v=v)
    gravity = np.array(given_here["G"]) if name == "four_bar" else 0.0
    published(bias - gravity, given_here, "coriolis")
    rows = oa.space("row", attached=False)
    e = cs.of(oa.operator("A", oa.RATE >> rows), oa.vector("A_dot_v", rows))
    drift: dict[str, Any] = {"A": A, "A_dot_v": printed_drift(name, q, v)}
    for formula, key in ((e.acceleration, "qdd"), (e.projected_acceleration, "qdd"), (e.multipliers, "lambda")):
        published(oa.compile(formula, model)(**T, **drift), given_here, key)
    published(oa.compile(e.projection, model)(q=q, A=A), given_here, "P")
    published(oa.compile(e.velocity, model)(v=v, A=A, q=q), {"zero": np.zeros(len(A))}, "zero")
    S = printed_basis(name, q)
    published(S @ given_here["nu"], given_here, "qd")
    published(oa.compile(cs.projection_of_basis, model)(q=q, basis=S), given_here, "P")
    S_drift = (printed_basis(name, q + 1j * TINY * v) @ given_here["nu"]).imag / TINY
    reduced = oa.compile({"rate": cs.reduced_rate, "qdd": cs.reduced_acceleration}, model)(
        **T, basis=S, basis_drift=S_drift
    )
    published(reduced["rate"], given_here, "nud")
    published(reduced["qdd"], given_here, "qdd")


def printed_rows(name: str, q: Any) -> Any:
    """A as it is printed."""
    zero = 0 * q[0]
    if name == "knife_edge":
        return np.array([[np.sin(q[2]), -np.cos(q[2]), zero]])
    if name == "rolling_disk":
        one = zero + 1.0
        return np.array([[one, zero, zero, -0.3 * np.cos(q[2])], [zero, one, zero, -0.3 * np.sin(q[2])]])
    crank, both, rocker = q[0], q[0] + q[1], q[2]
    return np.array(
        [
            [-0.35 * np.sin(crank) - 0.9 * np.sin(both), -0.9 * np.sin(both), 0.7 * np.sin(rocker)],
            [0.35 * np.cos(crank) + 0.9 * np.cos(both), 0.9 * np.cos(both), -0.7 * np.cos(rocker)],
        ]
    )


def printed_basis(name: str, q: Any) -> Any:
    """S as it is printed."""
    zero = 0 * q[0]
    if name == "knife_edge":
        return np.array([[np.cos(q[2]), zero], [np.sin(q[2]), zero], [zero, zero + 1]])
    if name == "rolling_disk":
        return np.array([[0.3 * np.cos(q[2]), zero], [0.3 * np.sin(q[2]), zero], [zero, zero + 1], [zero + 1, zero]])
    A = printed_rows(name, q)
    return np.concatenate([[[zero + 1]], -LINALG.solve(A[:, 1:], A[:, :1])])


def printed_drift(name: str, q: Any, v: Any) -> Any:
    """Ȧ v by a complex step."""
    assert apart(printed_rows(name, q), VECTORS[name]["A"]) < PRINTED
    return (printed_rows(name, q + 1j * TINY * v) @ v).imag / TINY


def test_the_four_bar_by_picks_of_its_ends() -> None:
    """The difference of two picks in axes of the base, and of how they turn."""
    given_here = VECTORS["four_bar"]
    q, v = given_here["q"], given_here["qd"]

    def difference(picked: Any) -> Any:
        return (
            task_space.stack(FOUR_BAR, {"end": picked["end"]})
            - task_space.stack(FOUR_BAR, {"other end": picked["other end"]})
        )[:, :2]

    ends = ["end", "other end"]
    rows: dict[str, Any] = {
        "C": difference(task_space.picks(FOUR_BAR, ends, linear=True, q=q)),
        "C_dot": difference(task_space.pick_rates(FOUR_BAR, ends, linear=True, q=q, v=v)),
    }
    published(oa.compile(cs.jacobian, FOUR_BAR)(q=q, C=rows["C"]), given_here, "A")
    published(oa.compile(cs.acceleration, FOUR_BAR)(q=q, v=v, T=given_here["Y"], **rows), given_here, "qdd")
    published(oa.compile(cs.multipliers, FOUR_BAR)(q=q, v=v, T=given_here["Y"], **rows), given_here, "lambda")
    published(oa.compile(cs.projection, FOUR_BAR)(q=q, C=rows["C"]), given_here, "P")


def test_the_four_bar_that_a_crank_drives() -> None:
    """The mobility of its loop, and accelerations with the loop open and closed, under its weight."""
    bars = VECTORS["four_bar"]
    q, v, A, T = bars["q"], bars["qd"], np.array(bars["A"]), [2.0, 0.0, 0.0]
    expected = {
        "target": [5.357326498419e-01, 4.650626412767e-01],
        "mobility": [[3.950242656580, -1.196411284822], [-1.196411284822, 2.456623086278]],
        "free": [1.603162843534e01, -3.892783234899e01, -7.246062651798e-01],
        "multipliers": [5.385144341467e-01, 6.125514091680],
        "held": [-2.091888035804, 3.367399113572, 8.327681966112e-01],
    }
    drift = printed_drift("four_bar", np.array(q), np.array(v))
    published(-drift, expected, "target")
    rows = oa.space("row", attached=False)
    e = cs.of(oa.operator("A", oa.RATE >> rows), oa.vector("A_dot_v", rows))
    inputs: dict[str, Any] = {"q": q, "v": v, "T": T, "A": A, "A_dot_v": drift}
    published(oa.compile(oa.dense(e.mobility), FOUR_BAR)(q=q, A=A), expected, "mobility")
    published(oa.compile(dynamics.forward_dynamics, FOUR_BAR)(q=q, v=v, T=T), expected, "free")
    published(oa.compile(e.multipliers, FOUR_BAR)(**inputs), expected, "multipliers")
    published(oa.compile(e.acceleration, FOUR_BAR)(**inputs), expected, "held")


@pytest.mark.parametrize("restitution", ["0.0", "0.6", "1.0"])
def test_published_impacts(restitution: str) -> None:
    """Two links whose tip meets a wall."""
    links = Model(
        name="two links",
        bodies=[
            Body("first", None, Joint.revolute(Z), inertia=Inertia(2.0, (0.5, 0, 0), (0.2, 0.2, 0.3))),
            Body(
                "second",
                "first",
                Joint.revolute(Z),
                Placement(translation=(1, 0, 0)),
                Inertia(1.5, (0.4, 0, 0), (0.1, 0.1, 0.2)),
            ),
        ],
        frames={"tip": oa.Frame("second", Placement(translation=(0.8, 0, 0)))},
    )
    given_here, e = VECTORS["two_links"], float(restitution)
    after = given_here["impacts"][restitution]
    q, v = given_here["q"], given_here["qd_before"]
    N = task_space.stack(links, task_space.picks(links, ["tip"], linear=True, q=q))[:, :1]
    published(oa.compile(dynamics.mass_matrix, links)(q=q), given_here, "M")
    published(oa.compile(impacts.jacobian, links)(q=q, N=N), given_here, "J")
    pick = cs.of(impacts.jacobian, impacts.approach)
    published(oa.compile(pick.P_perp, links)(q=q, N=N), given_here, "P_perp")
    values: dict[str, Any] = {"q": q, "v": v, "N": N, "restitution": e}
    published(oa.compile(impacts.velocity_after, links)(**values), after, "qd_after")
    # The printed impulse has the sign of what the wall takes up.
    published(-oa.compile(impacts.impulse, links)(**values), {"impulse": [-after["impulse"]]}, "impulse")
    energy = oa.compile(dynamics.kinetic_energy, links)
    published([energy(q=q, v=v), energy(q=q, v=after["qd_after"])], after, "energies")
    published(oa.compile(impacts.energy_loss, links)(**values), {"loss": -np.diff(after["energies"])[0]}, "loss")


def test_a_mechanism_of_one_freedom_reverses() -> None:
    """v⁺ = −e v, whatever it meets."""
    given_here = VECTORS["four_bar"]
    q = given_here["q"]
    v = printed_basis("four_bar", np.array(q)) @ given_here["nu"]
    ends = task_space.picks(FOUR_BAR, ["end", "other end"], linear=True, q=q)
    C = (
        task_space.stack(FOUR_BAR, {"end": ends["end"]}) - task_space.stack(FOUR_BAR, {"other end": ends["other end"]})
    )[:, :2]
    N = task_space.stack(FOUR_BAR, {"end": ends["end"][:, 1:2]})
    after = oa.compile(impacts.velocity_after_while_held, FOUR_BAR)(q=q, v=v, C=C, N=N, restitution=0.3)
    assert apart(after, -0.3 * v) < rounding(size(v), terms=100, condition=1e4)
