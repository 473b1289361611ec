"""A motion for the command line: where it starts, the files that it leaves, what is printed of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from operator_algebra import symbols
from operator_algebra.applications.closing import given_loops
from operator_algebra.applications.embedding import follow, follow_rates
from operator_algebra.applications.film import Film
from operator_algebra.applications.keeping import closed, kept_rates
from operator_algebra.applications.simulation import Method, simulate
from operator_algebra.checking.suite import mechanism
from operator_algebra.cli.reading.inputs import configuration, read_inputs
from operator_algebra.cli.terminal.output import folded
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.bind import bind
from operator_algebra.views.energy import energy

_SHOWN = 24


def moved(
    name: str,
    path: Path | None,
    seed: int | None,
    *,
    until: float,
    step: float | None,
    method: Method,
    tolerance: float,
    progress: bool | None,
) -> Film:
    """The motion of a mechanism by name."""
    model = mechanism(name)
    q, v, T = start(model, path, seed)
    length = "auto" if step is None else step
    return simulate(
        model, q, v, torque=T, until=until, step=length, method=method, tolerance=tolerance, progress=progress
    )


def start(model: Model, path: Path | None, seed: int | None) -> tuple[Numbers, Numbers, Numbers | None]:
    """Where the motion starts, and its joint forces; what is not given keeps loops closed and joints in gear."""
    given = read_inputs(path) if path is not None else {}
    from_file = "q" in given
    strange = [one for one in given if one not in ("q", "v", "T")]
    if strange:
        raise InputError(f"{path}: a motion takes q, v and T, not {', '.join(strange)}.")
    drawn = (model.neutral(), np.zeros(model.nv)) if seed is None else model.random(seed)
    loops = given_loops(model, None)
    q = configuration(model, given.pop("q")) if "q" in given else follow(model, drawn[0])
    q = closed(model, q) if loops and not from_file else q
    wanted = [symbol for symbol in (symbols.v, symbols.T) if symbol.name in given]
    vectors = bind("simulate", wanted, model, given, batch=True, whole=False, lead=()).values
    v = vectors["v"].entries if "v" in vectors else follow_rates(model, drawn[1])
    v = kept_rates(model, q, v) if loops and "v" not in vectors else v
    return q, v, vectors["T"].entries if "T" in vectors else None


def written(film: Film, save: Path | None, plot: Path | None, animate: Path | None) -> list[str]:
    """The files that were asked for."""
    if save is not None:
        film.save(save)
    if plot is not None:
        energy(film).savefig(plot)  # pyright: ignore[reportUnknownMemberType]
    if animate is not None:
        film.robot(animate=True).save(animate)
    return [str(path) for path in (save, plot, animate) if path is not None]


def page(film: Film, files: list[str]) -> list[str]:
    """What the motion is, what it keeps, and where it ends."""
    model = film.model
    lines = [folded(str(film)), folded(str(film.energy()))]
    lines += [f"{event.t:.6g} s  {event.name}" for event in film.events]
    moving = [k for k, freedoms in enumerate(model.freedoms) if freedoms]
    names = [model.joint_names[k] for k in moving[:_SHOWN]]
    places = [_numbers(film.q[-1][model.q_slices[k]]) for k in moving[:_SHOWN]]
    rates = [_numbers(film.v[-1][model.v_slices[k]]) for k in moving[:_SHOWN]]
    wide = [max(map(len, column), default=0) for column in (names, places)]
    lines += ["", f"at {film.t[-1]:.6g} s"]
    lines += [f"  {a:<{wide[0]}}  q {b:<{wide[1]}}  v {c}" for a, b, c in zip(names, places, rates, strict=True)]
    if len(moving) > _SHOWN:
        lines.append(f"  … {len(moving) - _SHOWN} joints more; --json and --save have all of them")
    return [*lines, *(f"wrote {path}" for path in files)]


def _numbers(values: Numbers) -> str:
    return " ".join(f"{value: .6g}" for value in values.tolist())


def record(film: Film, method: str, told: list[str], files: list[str]) -> dict[str, object]:
    """Where the motion starts and ends, in full precision; all of it is what --save writes."""
    found = film.energy()
    return {
        "model": film.model.name,
        "joints": list(film.model.joint_names),
        "method": method,
        "frames": len(film),
        "start": {"t": float(film.t[0]), "q": film.q[0].tolist(), "v": film.v[0].tolist(), "T": film.T[0].tolist()},
        "end": {"t": float(film.t[-1]), "q": film.q[-1].tolist(), "v": film.v[-1].tolist(), "T": film.T[-1].tolist()},
        "energy": {"start": float(found.total[0]), "end": float(found.total[-1]), "drift": found.drift},
        "warnings": told,
        "written": files,
    }
