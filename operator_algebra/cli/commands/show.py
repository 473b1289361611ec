"""`operator-algebra show`: what a name, a formula or a citation is, and which laws speak of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from operator_algebra.cli.terminal.complete import subjects
from operator_algebra.cli.terminal.output import Ascii, Json, ModelName, columns, say, say_json
from operator_algebra.errors import InputError

if TYPE_CHECKING:
    from operator_algebra.expressions.nodes import Expr
    from operator_algebra.models.model import Model


def command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|TEXT",
            help="A name, dynamics.mass_matrix, a law, a citation, or a formula.",
            autocompletion=subjects,
            show_default=False,
        ),
    ],
    model: ModelName = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the block pattern on the mechanism as .png or .svg.")
    ] = None,
    as_json: Json = False,
    ascii_only: Ascii = False,
) -> None:
    """Show a formula: type, structure, definition, citation, and the laws that speak of it."""
    from operator_algebra.cli.reading.lookup import formula, known, record
    from operator_algebra.description import describe
    from operator_algebra.identities.catalogue import laws_about

    found = known(" ".join(words))
    if found is not None:
        if as_json:
            say_json(record(found))
        else:
            say(describe(found, columns=columns()), ascii_only=ascii_only)
        return
    e = formula(" ".join(words))
    laws = [law.name for law in laws_about(e)]
    if plot is not None:
        _plot(e, model, plot)
    if as_json:
        say_json({"formula": e.render(), "type": repr(e.type), "structure": repr(e.structure), "laws": laws})
        return
    text = describe(e, columns=columns())
    if model is not None:
        text += f"\n{_on(e, model)}"
    say(text, ascii_only=ascii_only)


def _mechanism(name: str) -> Model:
    from operator_algebra.checking.suite import mechanism

    return mechanism(name)


def _on(e: Expr, name: str) -> str:
    """How the value of an operator on a mechanism looks."""
    from operator_algebra.evaluation import evaluate
    from operator_algebra.expressions.traverse import free_symbols

    model = _mechanism(name)
    q, v = model.random(0)
    inputs = {symbol.name for symbol in free_symbols(e) if symbol.origin == "input"}
    if inputs - {"v"}:
        return f"its value on {model.name} needs {', '.join(sorted(inputs - {'v'}))}: use evaluate in Python."
    return repr(evaluate(e, model, q=q, v=v) if inputs else evaluate(e, model, q=q))


def _plot(e: Expr, model: str | None, path: Path) -> None:
    from operator_algebra.views.spy import spy

    if model is None:
        raise InputError("--plot draws on a mechanism. Name one with --model, such as --model quadruped.")
    path.parent.mkdir(parents=True, exist_ok=True)
    spy(e, _mechanism(model)).savefig(path)  # pyright: ignore[reportUnknownMemberType]
