"""`operator-algebra simulate`: the motion of a mechanism, as numbers, a file, a picture of its energy, and a page."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from operator_algebra.cli.terminal.complete import mechanisms
from operator_algebra.cli.terminal.output import Ascii, Json, Quiet, folded, say, say_json
from operator_algebra.errors import InputError, OperatorAlgebraWarning

if TYPE_CHECKING:
    from operator_algebra.applications.film import Film
    from operator_algebra.models.model import Model
    from operator_algebra.models.numeric import Numbers

_SHOWN = 24


class Step(StrEnum):
    """How steps are made."""

    runge_kutta = "runge-kutta"
    semi_implicit = "semi-implicit"
    implicit = "implicit"


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE",
            help="A mechanism: of the gallery, of the suite, or a .toml or .urdf file.",
            autocompletion=mechanisms,
        ),
    ],
    until: Annotated[float, typer.Option(metavar="S", help="Seconds.")] = 10.0,
    inputs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="q, v and joint forces T by name: .json, .toml or .npz.")
    ] = None,
    random: Annotated[bool, typer.Option("--random", help="Draw q and v, if they are not given.")] = False,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of --random.")] = 0,
    step: Annotated[
        float | None, typer.Option(metavar="S", help="The length of steps.", show_default="as the error allows")
    ] = None,
    method: Annotated[
        Step, typer.Option(metavar="NAME", help="runge-kutta; semi-implicit or implicit, with --step.")
    ] = Step.runge_kutta,
    tolerance: Annotated[float, typer.Option(metavar="X", help="The error of a step at most.")] = 1e-9,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the motion: t, q, v, T as .npz.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw energies and what they stray by as .png or .svg.")
    ] = None,
    animate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the moving mechanism as .html or .svg, without script.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    ascii_only: Ascii = False,
) -> None:
    """Let a mechanism move; it starts at rest in its neutral pose, unless told otherwise."""
    from operator_algebra.applications.simulation import simulate
    from operator_algebra.checking.suite import mechanism

    _check(save, "a motion", ".npz")
    _check(plot, "a picture", ".png", ".svg")
    _check(animate, "an animation", ".html", ".svg")
    model = mechanism(name)
    q, v, T = _start(model, inputs, seed if random else None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OperatorAlgebraWarning)
        film = simulate(
            model,
            q,
            v,
            torque=T,
            until=until,
            step="auto" if step is None else step,
            method=method.value,
            tolerance=tolerance,
            progress=False if quiet else None,
        )
    told = [str(one.message) for one in caught if issubclass(one.category, OperatorAlgebraWarning)]
    written = _written(film, save, plot, animate)
    for text in told:
        typer.echo(f"warning: {text}", err=True)
    if as_json:
        say_json(_record(film, method.value, told, written))
    else:
        say("\n".join(_page(film, written)), ascii_only=ascii_only)


def _start(model: Model, path: Path | None, seed: int | None) -> tuple[Any, Any, Any]:
    """Where the motion starts, and its joint forces; what is not given keeps loops closed and joints in gear."""
    import numpy as np

    from operator_algebra import symbols
    from operator_algebra.applications.closing import given_loops
    from operator_algebra.applications.constraints import closed, kept_rates
    from operator_algebra.applications.embedding import follow, follow_rates
    from operator_algebra.cli.reading.inputs import configuration, read_inputs
    from operator_algebra.operators.bind import bind

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


def _check(path: Path | None, what: str, *endings: str) -> None:
    """Refuse a name of a file before the motion is computed."""
    if path is not None:
        if path.suffix not in endings:
            raise InputError(f"{path.name}: {what} is written as {' or '.join(endings)}.")
        path.parent.mkdir(parents=True, exist_ok=True)


def _written(film: Film, save: Path | None, plot: Path | None, animate: Path | None) -> list[str]:
    """The files that were asked for."""
    if save is not None:
        film.save(save)
    if plot is not None:
        from operator_algebra.views.energy import energy

        energy(film).savefig(plot)  # pyright: ignore[reportUnknownMemberType]
    if animate is not None:
        film.robot(animate=True).save(animate)
    return [str(path) for path in (save, plot, animate) if path is not None]


def _page(film: Film, written: list[str]) -> list[str]:
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
    return [*lines, *(f"wrote {path}" for path in written)]


def _numbers(values: Numbers) -> str:
    return " ".join(f"{value: .6g}" for value in values.tolist())


def _record(film: Film, method: str, told: list[str], written: list[str]) -> dict[str, Any]:
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
        "written": written,
    }
