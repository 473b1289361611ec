"""`operator-algebra lower`: the sweeps that a formula becomes, as a page of a textbook."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from operator_algebra.cli.terminal.complete import formulas
from operator_algebra.cli.terminal.output import Ascii, Json, ModelName, fits, folded, say, say_json


class Style(StrEnum):
    """How the algorithm is written."""

    unicode = "unicode"
    ascii = "ascii"
    latex = "latex"
    text = "text"


class Numbering(StrEnum):
    """How bodies are counted: base to tip, or tip to base as in the papers."""

    model = "model"
    paper = "paper"


def command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|TEXT",
            help="dynamics.forward_dynamics, or \"inv(H phi M phi' H') T\".",
            autocompletion=formulas,
            show_default=False,
        ),
    ],
    model: ModelName = None,
    style: Annotated[
        Style, typer.Option(metavar="STYLE", help="unicode, ascii, latex, or text, which run reads.")
    ] = Style.unicode,
    numbering: Annotated[Numbering, typer.Option(metavar="ORDER", help="model or paper.")] = Numbering.model,
    reasons: Annotated[bool, typer.Option("--reasons", help="Say beside each line why it is there.")] = False,
    as_json: Json = False,
    ascii_only: Ascii = False,
) -> None:
    """Derive the algorithm of a formula: passes over the tree, steps, reasons, cost."""
    from operator_algebra.cli.reading.lookup import question
    from operator_algebra.lowering.lower import lower

    program = lower(question(" ".join(words)))
    chosen = Style.ascii if ascii_only and style is Style.unicode else style
    if chosen is Style.text:
        say(program.text.rstrip("\n"), ascii_only=False)
        return
    page = program.pseudocode(chosen.value, numbering=numbering.value, reasons=reasons)
    if chosen is Style.unicode and not fits(page):
        page = program.pseudocode("ascii", numbering=numbering.value, reasons=reasons)
    cost = None
    if model is not None:
        from operator_algebra.checking.suite import mechanism

        cost = program.cost(mechanism(model))
    if as_json:
        say_json(
            {
                "formula": program.formula,
                "sweeps": len(program.sweeps),
                "pseudocode": page,
                "flops": None if cost is None else cost.total,
            }
        )
        return
    say(page if chosen is Style.latex else folded(page), ascii_only=chosen is Style.ascii)
    if cost is not None:
        say(folded(f"on {model}  {cost!r}"), ascii_only=ascii_only)
