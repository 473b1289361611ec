"""The command `operator-algebra`: one file for each sub-command, and what they share when something goes wrong."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from operator_algebra.cli.commands import bench, check, discover, doctor, lower, models, prove, run, show, simulate
from operator_algebra.cli.terminal.helppage import Command, Grouped
from operator_algebra.cli.terminal.standard_output import guarded
from operator_algebra.errors import OperatorAlgebraError

MISUSED = 2

app = typer.Typer(
    name="operator-algebra",
    cls=Grouped,
    no_args_is_help=True,
    rich_markup_mode=None,  # boxes cut the names of options where the window is narrow
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        import operator_algebra

        typer.echo(f"operator-algebra {operator_algebra.__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version, and stop.")
    ] = False,
) -> None:
    """Spatial operator algebra for multibody dynamics: check laws on mechanisms, read the algorithms they become."""


app.command("check", cls=Command, rich_help_panel="Laws")(check.command)
app.command("prove", cls=Command, rich_help_panel="Laws")(prove.command)
app.command("discover", cls=Command, rich_help_panel="Laws")(discover.command)
app.command("show", cls=Command, rich_help_panel="Formulas")(show.command)
app.command("lower", cls=Command, rich_help_panel="Formulas")(lower.command)
app.command("run", cls=Command, rich_help_panel="Formulas")(run.command)
app.command("models", cls=Command, rich_help_panel="Mechanisms")(models.command)
app.command("simulate", cls=Command, rich_help_panel="Mechanisms")(simulate.command)
app.command("bench", cls=Command, rich_help_panel="Installation")(bench.command)
app.command("doctor", cls=Command, rich_help_panel="Installation")(doctor.command)


def main() -> None:
    """Run the command line; errors of the package are told in its own words."""
    try:
        with guarded():
            app()
    except OperatorAlgebraError as error:
        typer.echo(f"{type(error).__name__}: {error}", err=True)
        sys.exit(MISUSED)
