"""`operator-algebra lower`: the sweeps that a formula becomes, as a page of a textbook."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from operator_algebra.cli.terminal.complete import formulas
from operator_algebra.cli.terminal.output import Ascii, Json, ModelName, fits, folded, say, say_json
from operator_algebra.errors import InputError

if TYPE_CHECKING:
    from operator_algebra.expressions.nodes import Expr
    from operator_algebra.expressions.query import Query
    from operator_algebra.models.model import Model


class Style(StrEnum):
    """How the algorithm is written."""

    unicode = "unicode"
    ascii = "ascii"
    latex = "latex"
    text = "text"
    c = "c"


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
        Style, typer.Option(metavar="STYLE", help="unicode, ascii, latex, text, which run reads, or c, for a model.")
    ] = Style.unicode,
    numbering: Annotated[Numbering, typer.Option(metavar="ORDER", help="model or paper.")] = Numbering.model,
    reasons: Annotated[bool, typer.Option("--reasons", help="Say beside each line why it is there.")] = False,
    as_json: Json = False,
    ascii_only: Ascii = False,
) -> None:
    """Derive the algorithm of a formula: passes over the tree, steps, reasons, cost."""
    from operator_algebra.cli.reading.lookup import question
    from operator_algebra.lowering.lower import lower

    if style is Style.c:
        say(_c_file(question(" ".join(words)), model), ascii_only=False)
        return
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
        cost = program.cost(_mechanism(model))
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


def _c_file(asked: Expr | Query, model: str | None) -> str:
    """A formula for one model as a file of C99."""
    from operator_algebra.compiler import compile as compile_program

    if model is None:
        raise InputError("C code is that of one mechanism. Name it with --model.")
    return compile_program(asked, _mechanism(model), backend="c").source.rstrip("\n")


def _mechanism(name: str) -> Model:
    from operator_algebra.checking.suite import mechanism

    return mechanism(name)
