"""`operator-algebra discover`: every short law between some operators, each proved."""

from __future__ import annotations

from typing import Annotated

import typer

from operator_algebra.cli.terminal.output import Ascii, Json, Quiet, say, say_json


def command(
    symbols: Annotated[
        list[str], typer.Argument(metavar="OPERATOR...", help="Operators by name or formula.", show_default=False)
    ],
    length: Annotated[int, typer.Option(metavar="N", min=1, max=6, help="Factors of a word, at most.")] = 3,
    new: Annotated[bool, typer.Option("--new", help="Leave out what a record of the catalogue says.")] = False,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.001, help="Bound the search for each proof.")] = 2.0,
    as_json: Json = False,
    quiet: Quiet = False,
    ascii_only: Ascii = False,
) -> None:
    """Discover laws: every relation between short words of some operators; conjectures are those without a proof."""
    from operator_algebra.proofs.laws import discover_laws

    found = discover_laws(symbols, length=length, seconds=seconds, progress=False if quiet else None)
    laws = found.new if new else found.proved
    style = "ascii" if ascii_only else "unicode"
    proved, guessed = ([one.formula(style) for one in listed] for listed in (laws, found.conjectures))
    if as_json:
        say_json({"laws": proved, "conjectures": guessed})
        return
    head = [] if quiet else [repr(found)]
    more = ["conjectures", *(f"  {text}" for text in guessed)] if guessed else []
    say("\n".join([*head, *(f"  {text}" for text in proved), *more]), ascii_only=ascii_only)
