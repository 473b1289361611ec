"""`operator-algebra models`: the gallery, or one mechanism as a tree."""

from __future__ import annotations

from typing import Annotated

import typer

from operator_algebra.cli.terminal.complete import mechanisms
from operator_algebra.cli.terminal.output import Ascii, Json, folded, say, say_json


def command(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A mechanism to show as a tree.", autocompletion=mechanisms)
    ] = None,
    suite: Annotated[bool, typer.Option("--suite", help="List the mechanisms that laws are checked on.")] = False,
    as_json: Json = False,
    ascii_only: Ascii = False,
) -> None:
    """List the mechanisms that come with the package, or show one of them."""
    from operator_algebra.checking.suite import mechanism
    from operator_algebra.checking.suite import suite as names
    from operator_algebra.models.gallery import available

    if name is not None:
        model = mechanism(name)
        if as_json:
            say_json(_facts(name, model))
        else:
            say(folded(str(model)), ascii_only=ascii_only)
        return
    chosen = names() if suite else available()
    models = [(one, mechanism(one)) for one in chosen]
    if as_json:
        say_json([_facts(one, model) for one, model in models])
        return
    say(folded("\n".join(repr(model) for _, model in models)), ascii_only=ascii_only)


def _facts(name: str, model: object) -> dict[str, object]:
    from operator_algebra.models.model import Model

    assert isinstance(model, Model)
    kinds = model.columns.kinds
    return {"name": name, "bodies": model.n, "nq": model.nq, "nv": model.nv, "parent": model.parent, "joints": kinds}
