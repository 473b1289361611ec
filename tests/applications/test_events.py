"""Events of motions: times against closed forms and SciPy, impacts against dense algebra, and series without end."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import operator_algebra as oa
from operator_algebra import constraints, embedding, events
from operator_algebra.applications.events import Bounce, Event
from operator_algebra.errors import InputError, RangeError
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Frame, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.applications.test_geared_loops import wheel_and_weight
from tests.oracles import dense_dynamics
from tests.rounding import apart, condition, rounding, size

G = 9.81
LINALG: Any = np.linalg
STEPS: dict[str, Any] = {
    "found": {},
    "fixed": {"step": 0.013},
    "semi-implicit": {"step": 0.013, "method": "semi-implicit"},
    "implicit": {"step": 0.013, "method": "implicit"},
}
steps = pytest.mark.parametrize("options", STEPS.values(), ids=list(STEPS))


def ball(gravity: float = G) -> Model:
    """A ball that moves up and down."""
    body = Body("ball", None, Joint.prismatic((0, 0, 1)), inertia=Inertia.sphere(2.0, 0.1))
    return Model(name="ball", bodies=[body], gravity=(0.0, 0.0, -gravity))


def floor(restitution: float, **options: Any) -> Event:
    """The plane z = 0."""
    return events.wall("ball", (0, 0, 1), restitution=restitution, **options)


def jumps(film: oa.Film) -> list[int]:
    """The frames before those of the same time."""
    return np.flatnonzero(np.diff(film.t) == 0.0).tolist()


def times(film: oa.Film, name: str) -> list[float]:
    """When an event happened."""
    return [event.t for event in film.events if event.name == name]


# -- a ball ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", [1.0, 0.7])
def test_a_ball_bounces_as_long_as_its_closed_form_says(restitution: float) -> None:
    """It meets the floor at t₀, t₀ + 2 e t₀, …, and each time keeps e² of its energy; steps of order 5 are exact."""
    film = oa.simulate(ball(), [1.0], [0.0], until=2.5, events=[floor(restitution)])
    fall = math.sqrt(2.0 / G)
    expected = [fall]
    while (after := expected[-1] + 2.0 * fall * restitution ** len(expected)) < 2.5:
        expected.append(after)
    exact = rounding(10.0 * G, terms=len(film))
    assert apart(times(film, "ball hits the wall"), expected) <= exact
    energy = film.energy().total
    found = energy[jumps(film)], energy[[k + 1 for k in jumps(film)]]
    assert apart(found[1], restitution**2 * found[0]) <= exact
    assert apart(found[0], 2.0 * G * restitution ** (2.0 * np.arange(len(expected)))) <= exact
    assert film.energy().drift <= exact
    assert apart(film.energy().jumped[-1], energy[-1] - energy[0]) <= exact
    assert film.q.min() >= -exact


def test_bounces_that_come_to_an_end_are_named() -> None:
    """At t₀ (1 + e) / (1 − e) there have been infinitely many; the film is that up to there."""
    with pytest.raises(RangeError, match=r'"ball hits the wall" comes again and again from t = 1\.3545\d+ s') as caught:
        oa.simulate(ball(), [1.0], [0.0], until=3.0, events=[floor(0.5)])
    film = caught.value.result
    assert isinstance(film, oa.Film)
    assert abs(film.t[-1] - 3.0 * math.sqrt(2.0 / G)) <= rounding(10.0 * G, terms=len(film))
    assert len(film.events) > 30


@pytest.mark.parametrize("options", [{}, {"step": 0.1}], ids=["found", "fixed"])
def test_what_is_pressed_on_is_named_and_what_is_not_rests(options: Any) -> None:
    with pytest.raises(RangeError, match=r"comes again and again from t = 0\.4515\d* s .* hold it by constraints"):
        oa.simulate(ball(), [1.0], [0.0], until=3.0, events=[floor(0.0)], **options)
    film = oa.simulate(ball(0.0), [1.0], [-2.0], until=3.0, events=[floor(0.0)], **options)
    assert apart(times(film, "ball hits the wall"), [0.5]) <= rounding(10.0, terms=len(film))
    assert film.v[-1] == 0.0
    assert film.t[-1] == 3.0


def test_a_motion_may_start_at_the_wall_and_not_behind_it() -> None:
    thrown = oa.simulate(ball(), [0.0], [G / 2.0], until=1.5, events=[floor(1.0)])
    assert apart(times(thrown, "ball hits the wall"), [1.0]) <= rounding(10.0 * G, terms=len(thrown))
    pushed = oa.simulate(ball(0.0), [0.0], [-1.0], until=1.0, events=[floor(1.0)])
    assert apart(pushed.q[-1], [1.0]) <= rounding(10.0, terms=len(pushed))
    with pytest.raises(InputError, match=r'event "ball hits the wall" is past at the start, by 0\.1\. Start before it'):
        oa.simulate(ball(), [-0.1], [0.0], until=1.0, events=[floor(1.0)])


@pytest.mark.parametrize("over", [1e-3, 1e-7])
def test_what_passes_twice_within_a_step_is_seen(over: float) -> None:
    """A ball thrown up to just above a level, at the apex of a step that is far longer than it is above."""
    v = 5.0
    level = v * v / (2.0 * G) - over
    up = Event("above", lambda model, t, q, v: q[..., 0] - level, direction="rising")
    down = Event("below", lambda model, t, q, v: q[..., 0] - level, direction="falling")
    film = oa.simulate(ball(), [0.0], [v], until=1.0, step=0.2, events=[up, down])
    half = math.sqrt(2.0 * over / G)
    # A level errs by rounding, and a time then by that over the speed there.
    allowed = rounding(10.0, terms=len(film)) / (G * half) * 10.0
    assert abs(times(film, "above")[0] - (v / G - half)) <= allowed
    assert abs(times(film, "below")[0] - (v / G + half)) <= allowed
    touched = Event("never", lambda model, t, q, v: q[..., 0] - level - 2.0 * over, direction="both")
    assert not oa.simulate(ball(), [0.0], [v], until=1.0, step=0.2, events=[touched]).events


# -- mechanisms --------------------------------------------------------------------------------------------------------


def bouncing() -> tuple[Model, Event]:
    """The bouncing double pendulum: its tip meets a wall."""
    return oa.load("planar2r"), events.wall("tip", (-1, 0, 0), offset=-0.3, restitution=0.8)


def dense_impact(model: Model, frame: str, n: Any, q: Any, v: Any, e: float) -> tuple[Any, float, float]:
    """v⁺ and the energy that is lost, from ℳ and the gradient of n · x by differences; and a condition."""

    def place(at: Any) -> float:
        return float(oa.dynamics.poses(model, q=at)[frame][1] @ n)

    h, weights = 2e-3, ((1, 45.0), (2, -9.0), (3, 1.0))
    J = np.array(
        [
            sum(w * (place(model.integrate(q, k * h * x)) - place(model.integrate(q, -k * h * x))) for k, w in weights)
            / (60.0 * h)
            for x in np.eye(model.nv)
        ]
    )
    mass = dense_dynamics.mass_matrix(model, q)
    answered = LINALG.solve(mass, J)
    after = v - (1.0 + e) * answered * (J @ v) / (J @ answered)
    return after, 0.5 * (1.0 - e * e) * (J @ v) ** 2 / (J @ answered), condition(mass)


@steps
def test_the_double_pendulum_bounces(options: Any) -> None:
    """Each impact is that of dense algebra, and happens at the wall, whatever made the steps."""
    model, hit = bouncing()
    film = oa.simulate(model, [2.2, -0.3], [0.0, 0.0], until=2.5, events=[hit], **options)
    assert len(jumps(film)) >= 2
    assert times(film, hit.name) == film.t[jumps(film)].tolist()
    away = film.poses("tip")[1][:, 0] - 0.3
    exact = rounding(10.0, terms=len(film))
    assert away.max() <= exact
    energy = film.energy()
    for k in jumps(film):
        assert abs(away[k]) <= exact
        assert (film.q[k] == film.q[k + 1]).all()
        after, loss, bad = dense_impact(model, "tip", np.array([1.0, 0.0, 0.0]), film.q[k], film.v[k], 0.8)
        allowed = rounding(size(after), terms=20, condition=bad) / 2e-3
        assert apart(film.v[k + 1], after) <= allowed
        lost = float(energy.kinetic[k] - energy.kinetic[k + 1])
        assert abs(lost - loss) <= allowed * (1.0 + size(energy.kinetic))
    if not options:
        assert energy.drift <= 10.0 * len(film) * 1e-9 * (1.0 + size(energy.kinetic, energy.potential))


def test_a_body_in_space_bounces_off_a_slanted_wall() -> None:
    """A corner of a floating body with an arm; nothing loses energy."""
    arm = Body("arm", "box", Joint.spherical(), Placement(translation=(0.2, 0, 0)), Inertia.box(0.5, (0.1, 0.1, 0.3)))
    box = Body("box", None, Joint.floating(), inertia=Inertia(1.0, (0.1, 0, 0), (0.02, 0.03, 0.04)))
    corner = {"corner": Frame("box", Placement(translation=(0.1, 0.2, 0.05)))}
    model = Model(name="thrown", bodies=[box, arm], frames=corner)
    q, v = model.neutral(), np.array([1.0, 2.0, 0.5, 0.3, 0.0, -1.0, 1.0, 0.0, 2.0])
    n = np.array([0.2, 0.1, 1.0])
    hit = events.wall("corner", n.tolist(), offset=-1.0)
    film = oa.simulate(model, q, v, until=0.8, events=[hit], tolerance=1e-8)
    assert jumps(film)
    for k in jumps(film):
        after, loss, bad = dense_impact(model, "corner", n / LINALG.norm(n), film.q[k], film.v[k], 1.0)
        assert apart(film.v[k + 1], after) <= rounding(size(after), terms=100, condition=bad) / 2e-3
        assert loss == 0.0
    energy = film.energy()
    assert size(energy.jumped) <= rounding(size(energy.kinetic), terms=100, condition=10.0)
    assert energy.drift <= 10.0 * len(film) * 1e-8 * (1.0 + size(energy.kinetic, energy.potential))


@pytest.mark.parametrize(("name", "restitution"), [("four_bar", 0.5), ("geared", 1.0)])
def test_loops_and_gears_hold_through_impacts(name: str, restitution: float) -> None:
    """With one freedom an impact turns all rates round: v⁺ = −e v, and e² of the kinetic energy is left."""
    model = wheel_and_weight() if name == "geared" else oa.load("four_bar")
    q = constraints.closed(model, [0.8, -0.3, 1.5, 0.0, 0.0][: model.nq])
    v = constraints.kept_rates(model, q, [1.0, 0.0, 0.0, 0.0, 0.0][: model.nv])
    v *= -3.0 / v[0]
    ends: dict[str, Any] = {"lower": q[0] - 0.1, "upper": q[0] + 0.05}
    stops = [events.limit("crank", **{end: at}, restitution=restitution) for end, at in ends.items()]
    film = oa.simulate(model, q, v, until=0.1, step=0.02, events=stops)
    assert jumps(film)
    exact = rounding(10.0, terms=len(film), condition=1e2)
    assert size(constraints.errors(model, q=film.q)) <= exact
    assert size(film.q - embedding.follow(model, film.q)) <= exact
    energy = film.energy()
    for k in jumps(film):
        assert apart(film.v[k + 1], -restitution * film.v[k]) <= exact * size(film.v[k])
        assert abs(energy.kinetic[k + 1] - restitution**2 * energy.kinetic[k]) <= exact * size(energy.kinetic[k])


@pytest.mark.slow
def test_loops_with_redundant_rows_hold_through_impacts() -> None:
    model = oa.load("four_bar")
    pin = model.loops[0]
    q = constraints.closed(model, [0.8, -0.3, 1.5])
    v = constraints.kept_rates(model, q, [-3.0, 0.0, 0.0])
    spatial = [oa.Loop("pin", pin.first, pin.second, ("x", "y", "z"))]
    stop = events.limit("crank", lower=0.75, restitution=0.5)
    film = oa.simulate(model, q, v, until=0.02, step=0.01, events=[stop], constraints=spatial)
    (k,) = jumps(film)
    assert apart(film.v[k + 1], -0.5 * film.v[k]) <= rounding(size(v), terms=100, condition=1e3)


@pytest.mark.parametrize("restitution", [1.0, 0.6])
def test_a_table_that_falls_flat_rebounds_flat(restitution: float) -> None:
    """Its four legs are met at once, though the velocities of three tell that of the fourth."""
    corners = {f"leg {k}": (x, y, -0.5) for k, (x, y) in enumerate(((1, 0.5), (-1, 0.5), (-1, -0.5), (1, -0.5)))}
    frames = {name: Frame("table", Placement(translation=place)) for name, place in corners.items()}
    table = Body("table", None, Joint.floating(), inertia=Inertia.box(3.0, (2.0, 1.0, 0.1)))
    model = Model(name="table", bodies=[table], frames=frames)
    legs = [events.wall(name, (0, 0, 1), restitution=restitution) for name in corners]
    q = model.neutral()
    q[2] = 1.5
    film = oa.simulate(model, q, np.zeros(6), until=0.6, events=legs)
    (k,) = jumps(film)
    exact = rounding(10.0, terms=len(film), condition=1e2)
    assert sorted(event.name for event in film.events) == sorted(leg.name for leg in legs)
    assert apart(film.v[k + 1], -restitution * film.v[k]) <= exact
    assert size(film.v[:, :3]) <= exact


def test_an_impact_pushes_and_never_pulls() -> None:
    """Two feet near the middle of a plank, which meet the floor with 0.2 and 1 m/s.

    The push at one foot moves the other by b / a of that at itself, with a = 1/m + r²/J and b = 1/m − r²/J. Both rates
    turned round would take a pull at the slow foot; so the fast one alone is met, and the slow one is thrown up.
    """
    m, r = 1.5, 0.3
    plank = Body("plank", None, Joint.planar((0, 1, 0)), inertia=Inertia.box(m, (2.0, 0.1, 0.1)))
    frames = {name: Frame("plank", Placement(translation=(x, 0, 0))) for name, x in (("slow", -r), ("fast", r))}
    model = Model(name="plank", bodies=[plank], gravity=(0, 0, 0), frames=frames)
    inertia = m * (2.0**2 + 0.1**2) / 12.0
    a, b = 1.0 / m + r * r / inertia, 1.0 / m - r * r / inertia
    q = model.neutral()
    upward: dict[str, Any] = {}
    for name in frames:
        picked = oa.task_space.stack(model, oa.task_space.picks(model, [name], linear=True, q=q))[:, 2:]
        upward[name] = oa.compile(oa.task_space.stacked.jacobian, model)(q=q, B_stacked=picked)[0]
    v: Any = LINALG.lstsq(np.array(list(upward.values())), np.array([-0.2, -1.0]), rcond=None)[0]
    film = oa.simulate(model, q, v, until=0.01, events=[events.wall(name, (0, 0, 1)) for name in frames])
    exact = rounding(10.0, terms=len(film), condition=1e2)
    assert [event.name for event in film.events] == ["fast hits the wall"]
    (k,) = jumps(film)
    assert abs(upward["fast"] @ film.v[k + 1] - 1.0) <= exact
    assert abs(upward["slow"] @ film.v[k + 1] - (2.0 * b / a - 0.2)) <= exact


def test_motions_side_by_side_bounce_each_at_its_own_time() -> None:
    model, hit = bouncing()
    starts = np.linspace([2.2, -0.3], [2.5, 0.3], 4).reshape(2, 2, 2)
    many = oa.simulate(model, starts, [0.0, 0.0], until=1.0, events=[hit])
    assert len(many.events) >= 4
    for place in np.ndindex(2, 2):
        alone = oa.simulate(model, starts[place], [0.0, 0.0], until=1.0, events=[hit])
        allowed = 10.0 * len(many) * 1e-9 * (1.0 + size(alone.v))
        one = many.motion(*place)
        assert apart(times(one, hit.name), times(alone, hit.name)) <= allowed
        assert apart(one.q[-1], alone.q[-1]) <= allowed * size(alone.v)
        assert all(event.motion == () for event in one.events)


# -- other events ------------------------------------------------------------------------------------------------------


def test_times_are_those_of_scipys_events() -> None:
    """Its own root finder on its own integrator, for functions and for formulas."""
    model = oa.load("planar2r")
    ahead = oa.compile(oa.dynamics.forward_dynamics, model)
    kinetic = oa.compile(oa.dynamics.kinetic_energy, model)

    def slope(t: float, y: Any) -> Any:
        return np.concatenate([y[2:], ahead(q=y[:2], v=y[2:], T=np.zeros(2))])

    def elbow(t: float, y: Any) -> Any:
        return y[3]

    def fast(t: float, y: Any) -> Any:
        return kinetic(q=y[:2], v=y[2:]) - 1.0 - t

    expected: Any = solve_ivp(
        slope, (0.0, 2.0), [2.2, -0.3, 0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-12,
        events=[elbow, fast],
    )  # fmt: skip
    level = oa.dynamics.kinetic_energy - oa.scalar("t") - oa.scalar("level")
    film = oa.simulate(
        model, [2.2, -0.3], [0.0, 0.0], until=2.0, tolerance=1e-11,
        events=[
            Event("elbow turns", lambda model, t, q, v: v[..., 1], direction="both"),
            Event("fast", level, direction="both", inputs={"level": 1.0}),
        ],
    )  # fmt: skip
    allowed = 10.0 * len(film) * 1e-11 * (1.0 + size(film.v)) * 10.0
    turns = [t for t in expected.t_events[0].tolist() if t > 0.0]
    assert apart(times(film, "elbow turns"), turns) <= allowed
    assert apart(times(film, "fast"), expected.t_events[1]) <= allowed
    assert not jumps(film)


def test_formulas_are_given_as_text_and_say_where_to_stop() -> None:
    """½ v* ℳ v = 3 m g falls: 2 kg that fall from rest."""
    deep = Event("deep", f"v* H phi M phi* H* v - {2 * 2 * G * 3}", "rising", stop=True)
    film = oa.simulate(ball(), [1.0], [0.0], until=9.0, events=[deep])
    assert apart(film.q[-1], [-2.0]) <= rounding(10.0 * G, terms=len(film))
    assert film.t[-1] == film.events[-1].t < 9.0


@pytest.mark.parametrize("direction", ["falling", "rising", "both"])
@steps
def test_directions_are_kept(direction: Any, options: Any) -> None:
    """A spring of one turn in 1 s, from its end: it passes the middle falling, rising, falling."""
    spring = Joint.prismatic((1, 0, 0), stiffness=(2.0 * math.pi) ** 2)
    cart = Model(bodies=[Body("cart", None, spring, inertia=Inertia.sphere(1.0, 0.1))])
    film = oa.simulate(
        cart, [1.0], [0.0], until=1.5, events=[Event("middle", lambda model, t, q, v: q[..., 0], direction)], **options
    )
    order_one = "method" in options
    allowed = 0.05 if order_one else 10.0 * len(film) * (1e-9 if not options else 0.013**5 * (2.0 * math.pi) ** 6)
    expected = {"falling": [0.25, 1.25], "rising": [0.75], "both": [0.25, 0.75, 1.25]}[direction]
    assert apart(times(film, "middle"), expected) <= allowed


def test_rates_may_be_given_by_a_function() -> None:
    """A ball is kicked on through a level, once reversed at one; both are seen again when it comes back."""
    kick = Event("kick", lambda model, t, q, v: q[..., 0] - 0.5, "both", then=lambda model, t, q, v: 2.0 * v)
    turn = Event("turn", lambda model, t, q, v: q[..., 0] - 2.0, "rising", then=lambda model, t, q, v: -v)
    film = oa.simulate(ball(0.0), [0.0], [1.0], until=1.75, events=[kick, turn])
    exact = rounding(10.0, terms=len(film))
    assert apart([event.t for event in film.events], [0.5, 1.25]) <= exact
    assert apart(film.q[-1], [1.0]) <= exact
    assert apart(film.v[-1], [-2.0]) <= exact
    back = oa.simulate(ball(0.0), [0.0], [1.0], until=2.125, events=[kick, turn])
    assert [event.name for event in back.events] == ["kick", "turn", "kick"]
    assert apart(back.v[-1], [-4.0]) <= exact


def test_an_own_bounce_takes_rows_of_rates() -> None:
    """Two carts that meet exchange their rates."""
    carts = [
        Body(name, None, Joint.prismatic((1, 0, 0)), inertia=Inertia.sphere(1.0, 0.1)) for name in ("left", "right")
    ]
    model = Model(name="carts", bodies=carts)
    meet = Event(
        "meet", lambda model, t, q, v: q[..., 1] - q[..., 0], then=Bounce(lambda model, q: np.array([[-1.0, 1.0]]))
    )
    film = oa.simulate(model, [0.0, 1.0], [1.0, 0.0], until=2.0, events=[meet])
    assert apart(film.v[-1], [0.0, 1.0]) <= rounding(10.0, terms=len(film))
    assert apart(film.q[-1], [1.0, 2.0]) <= rounding(10.0, terms=len(film))
