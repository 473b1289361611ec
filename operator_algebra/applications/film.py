"""What a simulation leaves: configurations, rates and joint forces over time, and what can be read off them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.applications import dynamics
from operator_algebra.arguments import flag, quoted, shown, told, whole, word
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.markup import element, escape
from operator_algebra.models.model import Model, check_model
from operator_algebra.models.numeric import NotNumeric, Numbers, numeric

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
    def drift(self) -> float:
        """By how much the sum is ever away from that at the start; of several motions, the most."""
        return float(np.abs(self.total - self.total[0]).max(initial=0.0))

    def __repr__(self) -> str:
        parts = ((name, getattr(self, name)) for name in ("kinetic", "potential", "total"))
        spans = [f"{name} {values.min():.4g} to {values.max():.4g} J" for name, values in parts]
        return f"Energy   {'   '.join(spans)}   drift {self.drift:.1e} J"


@dataclass(frozen=True, eq=False, repr=False)
class Film:
    """A motion of a model: a row of q, v and T for each time; axes between are motions side by side.

    `film[1.0:2.0]` is the part between two times. A film that was saved is read by
    `Film(model=model, **np.load("film.npz"))`.
    """

    t: Floats  # (frames,)
    q: Numbers  # (frames, ..., nq)
    v: Numbers  # (frames, ..., nv)
    T: Numbers  # (frames, ..., nv), the joint forces
    model: Model

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
        return replace(self, t=self.t[kept], q=self.q[kept], v=self.v[kept], T=self.T[kept])

    def motion(self, *place: int) -> Film:
        """One of several motions side by side, by its place in the axes between."""
        lead = self.q.shape[1:-1]
        if len(place) != len(lead):
            raise InputError(f"motions stand in {len(lead)} axes {lead}; {shown(place)} are {len(place)} places.")
        at = tuple(whole(i, "the place of a motion", least=0, most=n - 1) for i, n in zip(place, lead, strict=True))
        part = (slice(None), *at)
        return replace(self, q=self.q[part], v=self.v[part], T=self.T[part])

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
        """Write t, q, v and T to an .npz file."""
        if not isinstance(path, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"the path of a film is {told(path)}. Give a text or a Path.")
        target = Path(path)
        if target.suffix != ".npz":
            raise InputError(f"{target.name}: a film is saved as .npz; film.robot(animate=True) as .html or .svg.")
        np.savez(target, t=self.t, q=self.q, v=self.v, T=self.T)

    @property
    def _span(self) -> str:
        return f"from {self.t[0]:.4g} s to {self.t[-1]:.4g} s"

    def __repr__(self) -> str:
        lead = self.q.shape[1:-1]
        many = f"   {' × '.join(map(str, lead))} motions" if lead else ""
        steps = np.diff(self.t)
        lengths = f"   steps of {steps.min():.2g} s to {steps.max():.2g} s" if len(steps) else ""
        return f"Film of {self.model.name}   {self._span}   {len(self)} frames{many}{lengths}"

    def _repr_html_(self) -> str:
        return element("p", element("code", escape(repr(self))))


def _grows(t: Floats) -> bool:
    return bool((np.diff(t) > 0).all())
