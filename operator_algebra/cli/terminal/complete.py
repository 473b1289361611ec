"""What the shell offers for the word under the cursor: mechanisms, laws word by word, names of formulas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from operator_algebra.expressions.nodes import Expr

Offer = tuple[str, str]


def mechanisms(incomplete: str) -> list[Offer]:
    """The gallery and the suite; where none fits, the shell offers files."""
    from operator_algebra.checking.suite import suite
    from operator_algebra.models.gallery import available

    return _starting(incomplete, ((name, "") for name in dict.fromkeys([*available(), *suite()])))


def backends(incomplete: str) -> list[Offer]:
    """The names of backends."""
    from operator_algebra.backends.backend import REGISTRY

    return _starting(incomplete, ((name, "") for name in ("auto", *REGISTRY)))


def claims(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """For `check`: laws, themes, and names for an equation."""
    from operator_algebra.identities.catalogue import THEMES
    from operator_algebra.identities.claims import claim_names

    return [*_laws(ctx, incomplete), *_starting(incomplete, [*THEMES.items(), *_described(claim_names())])]


def subjects(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """For `show`: laws and formulas."""
    return [*_laws(ctx, incomplete), *formulas(incomplete)]


def formulas(incomplete: str) -> list[Offer]:
    """Names of the vocabulary and of applications, with their formulas."""
    from operator_algebra.cli.reading.lookup import applications, names

    return _starting(incomplete, _described({**names(), **applications()}))


def _laws(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """The next word of every law whose name goes on as typed."""
    from operator_algebra.identities.catalogue import catalogue

    before: Sequence[str] = ctx.params.get("words") or ()
    typed = " ".join([*before, incomplete])
    start = len(typed) - len(incomplete)
    offers: dict[str, str] = {}
    for name, law in catalogue().items():
        if name.startswith(typed):
            end = name.find(" ", len(typed))
            offers.setdefault(name[start : end if end >= 0 else None], law.formula())
    return list(offers.items())


def _described(known: Mapping[str, Expr]) -> list[Offer]:
    return [(name, repr(e)) for name, e in known.items()]


def _starting(incomplete: str, offers: Iterable[Offer]) -> list[Offer]:
    return [offer for offer in offers if offer[0].startswith(incomplete)]
