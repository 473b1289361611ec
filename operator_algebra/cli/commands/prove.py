"""`operator-algebra prove`: whether laws follow from the definitions, with the chain of a proof and its certificate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from operator_algebra.cli.terminal.complete import claims
from operator_algebra.cli.terminal.output import Ascii, Json, Quiet, say, say_json

if TYPE_CHECKING:
    from operator_algebra.proofs.proof import Proof

UNPROVED = 1


class Style(StrEnum):
    """How a proof is written."""

    unicode = "unicode"
    ascii = "ascii"
    latex = "latex"
    lean = "lean"


def command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="PATTERN|EQUATION",
            help='Laws by name or theme, with * and ?, or an equation, "lhs = rhs".',
            autocompletion=claims,
            show_default=False,
        ),
    ],
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the certificate, which the kernel checks by itself.")
    ] = None,
    style: Annotated[
        Style,
        typer.Option(metavar="STYLE", help="unicode, ascii, latex for the chain alone, or lean for a file of Lean 4."),
    ] = Style.unicode,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.001, help="Bound the search for each law.")] = 10.0,
    as_json: Json = False,
    quiet: Quiet = False,
    ascii_only: Ascii = False,
) -> None:
    """Prove laws: whether they follow from the definitions, for every tree; exit with 1 if one is not proved."""
    from operator_algebra.cli.reporting.proofs import page, proofs_of

    proofs = proofs_of(" ".join(words), seconds=seconds, quiet=quiet)
    if certificate is not None:
        _write(proofs, certificate)
    if as_json:
        say_json([_told(one) for one in proofs])
    elif len(proofs) > 1:
        lines = [f"{one.verdict:<13}  {1000 * one.seconds:>6.0f} ms  {one.claim.name}" for one in proofs]
        counted = sum(1 for one in proofs if one)
        say("\n".join([*lines, f"{counted} of {len(proofs)} proved"]), ascii_only=ascii_only)
    else:
        chosen = Style.ascii if ascii_only and style is Style.unicode else style
        say(page(proofs[0], style=chosen.value, quiet=quiet), ascii_only=chosen is Style.ascii)
    raise typer.Exit(0 if all(proofs) else UNPROVED)


def _told(proof: Proof) -> dict[str, object]:
    return {
        "claim": str(proof.claim),
        "verdict": proof.verdict,
        "axioms": proof.axioms,
        "assumptions": proof.assumptions,
    }


def _write(proofs: Sequence[Proof], path: Path) -> None:
    written = [proof.certificate() for proof in proofs if proof]
    if written:
        whole = {**written[0], "proofs": [part for one in written for part in one["proofs"]]}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(whole, ensure_ascii=False) + "\n", encoding="utf-8")
