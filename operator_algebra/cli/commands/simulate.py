"""`operator-algebra simulate`: the motion of a mechanism, as numbers, a file, a picture of its energy, and a page."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from operator_algebra.cli.terminal.complete import mechanisms
from operator_algebra.cli.terminal.output import Ascii, Json, Quiet, Seed, say, say_json
from operator_algebra.errors import InputError, OperatorAlgebraWarning


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
    seed: Seed = 0,
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
    from operator_algebra.cli.reporting import motion

    _check(save, "a motion", ".npz")
    _check(plot, "a picture", ".png", ".svg")
    _check(animate, "an animation", ".html", ".svg")
    drawn = seed if random else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OperatorAlgebraWarning)
        film = motion.moved(
            name,
            inputs,
            drawn,
            until=until,
            step=step,
            method=method.value,
            tolerance=tolerance,
            progress=False if quiet else None,
        )
    told = [str(one.message) for one in caught if issubclass(one.category, OperatorAlgebraWarning)]
    files = motion.written(film, save, plot, animate)
    for text in told:
        typer.echo(f"warning: {text}", err=True)
    if as_json:
        say_json(motion.record(film, method.value, told, files))
    else:
        say("\n".join(motion.page(film, files)), ascii_only=ascii_only)


def _check(path: Path | None, what: str, *endings: str) -> None:
    """Refuse a name of a file before the motion is computed."""
    if path is not None:
        if path.suffix not in endings:
            raise InputError(f"{path.name}: {what} is written as {' or '.join(endings)}.")
        path.parent.mkdir(parents=True, exist_ok=True)
