"""Events in films and in files, and what is no event."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra import constraints, embedding, events
from operator_algebra.applications.events import Bounce, Event
from operator_algebra.applications.film import Happening
from operator_algebra.errors import InputError, ModelError, SpaceMismatch
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from tests.applications.test_events import ball, floor
from tests.applications.test_geared_loops import wheel_and_weight


def test_a_film_keeps_its_events(tmp_path: Path) -> None:
    film = oa.simulate(ball(), [1.0], [0.0], until=1.5, events=[floor(1.0)])
    assert [event.name for event in film[:1.0].events] == ["ball hits the wall"]
    assert repr(film).endswith("   2 events")
    assert "jumps to" in repr(oa.simulate(ball(), [1.0], [0.0], until=0.5, events=[floor(0.5)]).energy())
    film.save(tmp_path / "ball.npz")
    again = oa.Film(model=film.model, **np.load(tmp_path / "ball.npz"))
    assert again.events == film.events
    assert all(type(event) is Happening for event in again.events)
    starts = [[1.0], [2.0]]
    many = oa.simulate(ball(), starts, [0.0], until=0.8, events=[floor(1.0)])
    many.save(tmp_path / "balls.npz")
    assert oa.Film(model=many.model, **np.load(tmp_path / "balls.npz")).events == many.events
    assert [event.motion for event in many.events] == [(0,), (1,)]
    for wrong in ("x", [1], [(0.0, "a", (1,))], [(None, "a", ())]):
        with pytest.raises(InputError, match="events of a film"):
            oa.Film(film.t, film.q, film.v, film.T, film.model, wrong)  # pyright: ignore[reportArgumentType]


def test_a_stop_ends_all_motions_side_by_side() -> None:
    film = oa.simulate(ball(), [[1.0], [2.0]], [0.0], until=2.0, events=[floor(1.0, stop=True)])
    assert film.t[-1] == film.events[-1].t
    assert len(film.events) == 1


def test_what_is_no_event_is_refused() -> None:
    model = ball()

    def height(model: Model, t: float, q: Any, v: Any) -> Any:
        return q[..., 0]

    def run(*listed: Any) -> oa.Film:
        return oa.simulate(model, [1.0], [0.0], until=1.0, events=listed)

    refused: list[tuple[Any, str]] = [
        (lambda: run("floor"), r"an event is 'floor'. Give an Event"),
        (lambda: oa.simulate(model, [1.0], [0.0], until=1.0, events=3), "events is 3. Give a list of events"),  # pyright: ignore[reportArgumentType]
        (lambda: run(Event("a", height), Event("a", height)), "a name is given to two events"),
        (lambda: Event(" ", height), "the name of an event is empty"),
        (lambda: Event("a", height, "down"), 'Use "falling"'),  # pyright: ignore[reportArgumentType]
        (lambda: Event("a", 3), "a"),  # pyright: ignore[reportArgumentType]
        (lambda: Event("a", height, then=3), "what then happens is 3"),  # pyright: ignore[reportArgumentType]
        (lambda: Event("a", height, stop=1), "stop is 1"),  # pyright: ignore[reportArgumentType]
        (lambda: run(Event("a", lambda model, t, q, v: np.nan)), 'the value of event "a" at t = 0 s is'),
        (lambda: run(Event("a", lambda model, t, q, v: [1.0, 2.0])), "It has to be one finite number"),
        (lambda: run(Event("a", lambda model, t, q, v: "high")), "is 'high'. It has to be one finite number"),
        (lambda: run(Event("a", "H* v")), "It has to be one finite number"),
        (lambda: events.wall("ball", (0, 0, 0)), "a wall has normal"),
        (lambda: events.wall("ball", (0, 0, 1), restitution=1.5), "restitution is 1.5"),
        (lambda: run(events.wall("bat", (0, 0, 1))), 'ball has no body or frame "bat"'),
        (lambda: events.limit("ball"), "Give lower, or upper"),
        (lambda: events.limit("ball", lower=np.inf), "lower is inf. Give a number"),
    ]
    for call, message in refused:
        with pytest.raises((InputError, SpaceMismatch, ModelError), match=message):
            call()
    fast = Event("low", lambda model, t, q, v: q[..., 0] - 0.5, then=lambda model, t, q, v: "fast")
    with pytest.raises(InputError, match='the rates after event "low"'):
        run(fast)
    rows = Event("low", lambda model, t, q, v: q[..., 0] - 0.5, then=Bounce(lambda model, q: [1.0]))  # pyright: ignore[reportArgumentType,reportReturnType]
    with pytest.raises(InputError, match='the rows of event "low"'):
        run(rows)
    with pytest.raises(InputError, match="has not just one motion"):
        oa.simulate(
            Model(bodies=[Body("ball", None, Joint.spherical(), inertia=Inertia.sphere(1.0, 0.1))]),
            [1.0, 0, 0, 0], [0, 0, 0], until=1.0, events=[events.limit("ball", upper=1.0)],
        )  # fmt: skip


def test_rates_that_open_loops_or_gears_are_refused() -> None:
    model = wheel_and_weight()
    q = constraints.closed(model, [0.8, -0.3, 1.5, 0.0, 0.0])
    v, start = constraints.kept_rates(model, q, [-3.0, 0.0, 0.0, 0.0, 0.0]), q[0]

    def away(model: Model, t: float, q: Any, v: Any) -> Any:
        return abs(q[..., 0] - start) - 0.01

    opened = embedding.follow_rates(model, [1.0, 0.0, 0.0, 0.0, 0.0])
    for after, message in (
        (np.ones(5), "not those of joints that mimic"),
        (opened, r"after an event .* v opens the loops"),
    ):
        event = Event("away", away, "rising", then=lambda model, t, q, v, after=after: after)
        with pytest.raises(InputError, match=message):
            oa.simulate(model, q, v, until=0.1, step=0.01, events=[event])
