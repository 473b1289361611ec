"""What a simulation leaves: configurations, rates and joint forces over time, and what can be read off them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from operator_algebra.applications import dynamics
from operator_algebra.arguments import flag, items, quoted, shown, told, whole, word
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.markup import element, escape
from operator_algebra.models.model import Model, check_model
from operator_algebra.models.numeric import NotNumeric, Numbers, numeric
from operator_algebra.spatial.reals import real

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Energy:
    """Kinetic and potential energy in joules, a row for each time; rotors and springs are in them."""

    t: Floats  # (frames,)
    kinetic: Floats  # (frames, ...)
    potential: Floats  # (frames, ...)

    @property
    def total(self) -> Floats:
        """The sum."""
        return self.kinetic + self.potential

    @property
    def jumped(self) -> Floats:
        """What the sum has gained in instants up to each time, as in impacts: between two frames of one time."""
        steps = np.diff(self.total, axis=0, prepend=self.total[:1])
        instants = np.diff(self.t, prepend=-np.inf) == 0.0
        return np.cumsum(np.where(instants.reshape(-1, *(1,) * (steps.ndim - 1)), steps, 0.0), axis=0)

    @property
    def drift(self) -> float:
        """By how much the sum, jumps apart, is ever away from that at the start; of several motions, the most."""
        return float(np.abs(self.total - self.jumped - self.total[0]).max(initial=0.0))

    def __repr__(self) -> str:
        parts = ((name, getattr(self, name)) for name in ("kinetic", "potential", "total"))
        spans = [f"{name} {values.min():.4g} to {values.max():.4g} J" for name, values in parts]
        jumps = f"   jumps to {self.jumped[-1].min():.4g} J" if self.jumped.any() else ""
        return f"Energy   {'   '.join(spans)}{jumps}   drift {self.drift:.1e} J"


class Happening(NamedTuple):
    """An event of a motion: when, which, and in which of several motions side by side."""

    t: float
    name: str
    motion: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Film:
    """A motion of a model: a row of q, v and T for each time; axes between are motions side by side.

    Where rates jump there are two rows of one time, before and after.

    `film[1.0:2.0]` is the part between two times. A film that was saved is read by
    `Film(model=model, **np.load("film.npz"))`.
    """

    t: Floats  # (frames,)
    q: Numbers  # (frames, ..., nq)
    v: Numbers  # (frames, ..., nv)
    T: Numbers  # (frames, ..., nv), the joint forces
    model: Model
    events: tuple[Happening, ...] = ()

    def __post_init__(self) -> None:
        model = check_model(self.model, "Film")
        try:
            t = numeric(self.t)
        except NotNumeric:
            t = np.zeros(0)
        if t.dtype != np.float64 or t.ndim != 1 or not t.size or not (np.isfinite(t).all() and _grows(t)):
            raise InputError(f"t of a film is {told(self.t)}. Give times that increase.")
        arrays = {"t": t, "q": model.check_q(self.q), "v": model.check_v(self.v), "T": model.check_v(self.T, "T")}
        leads = {name: array.shape[: max(array.ndim - 1, 1)] for name, array in arrays.items()}
        if len({leads[name] for name in "qvT"}) > 1 or leads["q"][:1] != leads["t"]:
            listed = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
            raise InputError(f"the shapes of a film do not fit: {listed}. Give each a row for each of the times.")
        for name, array in arrays.items():
            kept = array.view()
            kept.setflags(write=False)
            object.__setattr__(self, name, kept)
        object.__setattr__(self, "events", _happenings(self.events, len(leads["q"]) - 1))

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, times: slice) -> Film:
        """The part between two times, both included."""
        if not isinstance(times, slice) or times.step is not None:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"a film is cut by times, not by {shown(times)}. Write film[1.0:2.0].")
        try:
            low = -np.inf if times.start is None else float(times.start)
            high = np.inf if times.stop is None else float(times.stop)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"a film is cut by times, not by {shown(times)}. Write film[1.0:2.0].") from None
        kept = (self.t >= low) & (self.t <= high)
        if not kept.any():
            raise InputError(f"no frame lies between {low:g} s and {high:g} s: the film runs {self._span}.")
        events = tuple(event for event in self.events if low <= event.t <= high)
        return replace(self, t=self.t[kept], q=self.q[kept], v=self.v[kept], T=self.T[kept], events=events)

    def motion(self, *place: int) -> Film:
        """One of several motions side by side, by its place in the axes between."""
        lead = self.q.shape[1:-1]
        if len(place) != len(lead):
            raise InputError(f"motions stand in {len(lead)} axes {lead}; {shown(place)} are {len(place)} places.")
        at = tuple(whole(i, "the place of a motion", least=0, most=n - 1) for i, n in zip(place, lead, strict=True))
        part = (slice(None), *at)
        events = tuple(event._replace(motion=()) for event in self.events if event.motion == at)
        return replace(self, q=self.q[part], v=self.v[part], T=self.T[part], events=events)

    def energy(self) -> Energy:
        """Kinetic and potential energy.

        >>> import operator_algebra as oa
        >>> arm = oa.load("planar2r")
        >>> film = oa.simulate(arm, arm.neutral(), [0.0, 0.0], until=0.5)
        >>> film.energy().drift < 1e-6
        True
        """
        kinetic = compile_program(dynamics.kinetic_energy, self.model)(q=self.q, v=self.v)
        return Energy(self.t, kinetic, dynamics.potential_energy(self.model, q=self.q))

    def momentum(self) -> Floats:
        """Spatial momentum about the origin of the base, in base axes: [angular; linear], (frames, ..., 6)."""
        return compile_program(dynamics.momentum, self.model)(q=self.q, v=self.v)

    def poses(self, name: str) -> tuple[Floats, Floats]:
        """Rotation and position in the base of a body or frame: (frames, ..., 3, 3) and (frames, ..., 3)."""
        found = dynamics.poses(self.model, q=self.q)
        if word(name, "the name of a body or frame") not in found:
            raise InputError(f"{self.model.name} has no body or frame {quoted(name)}. There are {', '.join(found)}.")
        return found[name]

    def robot(self, *, animate: bool = False) -> Any:
        """A picture of the mechanism where the film ends; with `animate`, its motion as a page of its own."""
        name = "animation" if flag(animate, "animate") else "robot"
        draw = getattr(import_module(f"operator_algebra.views.{name}"), name)
        if animate:
            return draw(self)
        if self.q.ndim != 2:
            raise InputError("the film shows several motions. Take one of them, film.motion(0).")
        return draw(self.model, self.q[-1])

    def save(self, path: str | Path) -> None:
        """Write t, q, v, T and events to an .npz file."""
        if not isinstance(path, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"the path of a film is {told(path)}. Give a text or a Path.")
        target = Path(path)
        if target.suffix != ".npz":
            raise InputError(f"{target.name}: a film is saved as .npz; film.robot(animate=True) as .html or .svg.")
        events = {"events": np.array([(*event,) for event in self.events], _kept(self))} if self.events else {}
        np.savez(target, t=self.t, q=self.q, v=self.v, T=self.T, **events)  # pyright: ignore[reportArgumentType]

    @property
    def _span(self) -> str:
        return f"from {self.t[0]:.4g} s to {self.t[-1]:.4g} s"

    def __repr__(self) -> str:
        lead = self.q.shape[1:-1]
        many = f"   {' × '.join(map(str, lead))} motions" if lead else ""
        steps = np.diff(self.t)
        steps = steps[steps > 0.0]
        lengths = f"   steps of {steps.min():.2g} s to {steps.max():.2g} s" if len(steps) else ""
        happened = f"   {len(self.events)} events" if self.events else ""
        return f"Film of {self.model.name}   {self._span}   {len(self)} frames{many}{lengths}{happened}"

    def _repr_html_(self) -> str:
        return element("p", element("code", escape(repr(self))))


def _grows(t: Floats) -> bool:
    return bool((np.diff(t) >= 0).all())


def _kept(film: Film) -> list[tuple[str, str] | tuple[str, str, tuple[int]]]:
    """How events stand in a file."""
    longest = max(len(event.name) for event in film.events)
    return [("t", "f8"), ("name", f"U{longest}"), ("motion", "i8", (film.q.ndim - 2,))]


def _happenings(given: object, axes: int) -> tuple[Happening, ...]:
    """Events as a simulation or a file has them."""
    remedy = "Give those of a film that was simulated or saved."
    told = shown(given)
    listed = given.tolist() if isinstance(given, np.ndarray) else items(given, "events of a film", "happenings")
    try:
        found = [Happening(real(t), word(name, "the name"), tuple(map(int, motion))) for t, name, motion in listed]
    except Exception:  # noqa: BLE001  a value of the caller's own may fail in any way
        raise InputError(f"events of a film are {told}. {remedy}") from None
    if any(len(event.motion) != axes for event in found):
        raise InputError(f"events of a film are {told}, of other motions than these. {remedy}")
    return tuple(found)
