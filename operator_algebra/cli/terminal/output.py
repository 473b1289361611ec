"""What the commands print: text in the characters that the stream can show, or JSON."""

from __future__ import annotations

import json
import shutil
import sys
import unicodedata
from typing import Annotated, Any

import typer

from operator_algebra.cli.terminal.complete import mechanisms
from operator_algebra.expressions.names import GREEK
from operator_algebra.markup import wrapped

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print results only, no progress.")]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Of --random.")]
Ascii = Annotated[bool, typer.Option("--ascii", help="Use ASCII characters only.")]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        metavar="NAME|FILE",
        help="A mechanism: of the gallery, of the suite, or a .toml or .urdf file.",
        autocompletion=mechanisms,
    ),
]

_ASCII = {letter: name for name, letter in GREEK.items()} | {
    "⁺": "_plus", "⁻¹": "^-1", "×": "x", "·": ".", "−": "-", "–": "-", "→": "->", "≤": "<=", "≥": ">=", "…": "...",
    "ℓ": "ell", "ℳ": "mass_matrix", "Σ": "sum", "√": "sqrt", "∞": "inf", "├": "|", "└": "`", "─": "-", "│": "|",
    "²": "^2", "⁻*": "^-*", "\u0303": "_tilde", "\u0304": "_bar", "\u0307": "_dot", "\u0308": "_ddot",
}  # fmt: skip


def columns(otherwise: int = 100) -> int:
    """The width of the window, or what the variable COLUMNS says; something else where there is no window."""
    return shutil.get_terminal_size((otherwise, 24)).columns


def folded(text: str) -> str:
    """A text whose lines fit into the window, broken at blanks; as it is where there is no window."""
    room = columns(0)
    if not room:
        return text
    return "\n".join(wrapped(line, room, len(line) - len(line.lstrip()) + 4) for line in text.splitlines())


def fits(text: str, *, err: bool = False) -> bool:
    """Whether the stream can show all characters of a text."""
    encoding = (sys.stderr if err else sys.stdout).encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def plain(text: str) -> str:
    """The text in ASCII: names for Greek letters, signs for arrows."""
    for sign, word in sorted(_ASCII.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(sign, word)
    decomposed = unicodedata.normalize("NFD", text)
    for sign, word in _ASCII.items():
        decomposed = decomposed.replace(sign, word)
    return decomposed.encode("ascii", "replace").decode("ascii")


def say(text: str, *, ascii_only: bool = False) -> None:
    """Print a text, in ASCII where asked for or where the stream needs it."""
    typer.echo(plain(text) if ascii_only or not fits(text) else text)


def say_json(value: Any) -> None:
    """Print JSON with sorted keys."""
    typer.echo(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=True))
