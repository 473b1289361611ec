"""`operator-algebra bench`: how long things take, beside other engines in the same process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from operator_algebra.cli.terminal.output import Ascii, say


def command(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME…", help="Groups of figures or tables.")] = None,
    record: Annotated[Path | None, typer.Option("--json", help="Keep the figures in this file.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw them into this file, a PNG.")] = None,
    ascii_only: Ascii = False,
) -> None:
    """Measure speed beside installed engines at the same states, in some minutes; without a name, what has a goal."""
    from operator_algebra.bench.run import run

    run(names or [], lambda line: say(line, ascii_only=ascii_only), record=record, plot=plot)
