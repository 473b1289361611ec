"""The command `operator-algebra`: one file for each sub-command, and what they share when something goes wrong."""

from __future__ import annotations

import sys

import typer

from operator_algebra.cli import check, doctor, lower, models, run, show
from operator_algebra.errors import OperatorAlgebraError

MISUSED = 2

app = typer.Typer(
    name="operator-algebra",
    help="Spatial operator algebra for multibody dynamics: check laws on mechanisms, read the algorithms they become.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check", rich_help_panel="Laws")(check.command)
app.command("show", rich_help_panel="Formulas")(show.command)
app.command("lower", rich_help_panel="Formulas")(lower.command)
app.command("run", rich_help_panel="Formulas")(run.command)
app.command("models", rich_help_panel="Mechanisms")(models.command)
app.command("doctor", rich_help_panel="Installation")(doctor.command)


def main() -> None:
    """Run the command line; errors of the package are told in its own words."""
    try:
        app()
    except OperatorAlgebraError as error:
        typer.echo(f"{type(error).__name__}: {error}", err=True)
        sys.exit(MISUSED)
