"""What a text on the command line means: a citation, a law, a name of vocabulary or application, a formula."""

from __future__ import annotations

import re
from dataclasses import asdict, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from operator_algebra.errors import InputError, ParseError
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.claims import claim_names
from operator_algebra.identities.facts import facts
from operator_algebra.identities.identity import Law
from operator_algebra.identities.papers import Result, is_citation, result
from operator_algebra.symbols import parse, vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operator_algebra.programs.program import Program

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


def formula(text: str) -> Expr:
    """The expression that is meant; a question about one is refused.

    >>> formula("H phi M phi' H'").type
    rate → torque
    """
    found = question(text)
    if isinstance(found, Query):
        raise InputError(f"{found} is a question about a formula. Show the formula, or lower or run the question.")
    return found


def question(text: str) -> Expr | Query:
    """The expression or question that is meant; short names of applications may stand in it.

    >>> question("trace(M)")
    trace(M)
    >>> formula("mass_matrix") is formula("dynamics.mass_matrix")
    True
    """
    if _DOTTED.fullmatch(text):
        return _application(text)
    known = names()
    if text not in known and len(homes().get(text, ())) > 1:
        found = homes()[text]
        raise InputError(f"{text} is a name of several applications. Write {' or '.join(found)}.")
    try:
        return parse(text, known)
    except ParseError as error:
        near = get_close_matches(text, catalogue(), n=1, cutoff=0.8)
        if not near:
            raise
        raise ParseError(f'{error}\n  Or did you mean the law "{near[0]}"?') from None


def known(text: str) -> Law | Result | None:
    """What a citation or the name of a law means; None for any other text.

    >>> known("factor inverse").cites == known("diagonalized dynamics (4.1c)").citation
    True
    """
    return result(text) if is_citation(text) else catalogue().get(text)


def record(found: Law | Result) -> dict[str, Any]:
    """What is known of a law, or of a result of a paper, by name."""
    if isinstance(found, Result):
        return {"citation": found.citation, **asdict(found)}
    return {"name": found.name, "formula": found.formula(), **dict(facts(found))}


def stored(words: list[str]) -> Program | None:
    """The program in a file that `lower --style text` wrote; None if the words name no text file."""
    if len(words) != 1 or not words[0].endswith(".txt"):
        return None
    from operator_algebra.programs.program import Program

    path = Path(words[0])
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as wrong:
        raise InputError(f"{path} cannot be read: {wrong.strerror}. Write it with lower … --style text.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is no text in UTF-8. Write it with lower … --style text.") from None
    try:
        return Program.parse(text)
    except ParseError as wrong:
        raise ParseError(f"{path}: {wrong}") from None


@cache
def names() -> dict[str, Expr]:
    """What a text may name: what claims may, and the formulas of applications where a short name tells which.

    A name that formulas print, such as bias in ℳ⁻¹ (T − bias), means what they print.
    """
    dotted = applications()
    short = {name: [dotted[home] for home in found] for name, found in homes().items()}
    clear = {name: found[0] for name, found in short.items() if len(found) == 1}
    printed = {
        e.name: e for found in short.values() for e in found if isinstance(e, Symbol) and e.definition is not None
    }
    return clear | printed | claim_names()


@cache
def applications() -> Mapping[str, Expr]:
    """Every formula of an application by its full name, such as `dynamics.bias`."""
    import operator_algebra

    found: dict[str, Expr] = {}
    for key, home in operator_algebra._MODULES.items():  # pyright: ignore[reportPrivateUsage]
        if not home.startswith("applications."):
            continue
        for name, value in vars(import_module(f"operator_algebra.{home}")).items():
            if not name.startswith("_") and name not in vocabulary():
                found |= _formulas(f"{key}.{name}", value)
    return found


def _formulas(name: str, value: Any) -> dict[str, Expr]:
    """A formula, or those that a record of formulas holds."""
    if isinstance(value, Expr):
        return {name: value}
    if not is_dataclass(value) or isinstance(value, type):
        return {}
    held = {field.name: getattr(value, field.name) for field in fields(value)}
    return {f"{name}.{key}": e for key, e in held.items() if isinstance(e, Expr)}


@cache
def homes() -> Mapping[str, tuple[str, ...]]:
    """The full names of the different formulas that one short name has in applications."""
    found: dict[str, dict[Expr, str]] = {}
    for dotted, e in applications().items():
        if dotted.count(".") == 1:
            found.setdefault(dotted.partition(".")[2], {}).setdefault(e, dotted)
    return {name: tuple(one.values()) for name, one in found.items()}


def _application(text: str) -> Expr:
    known = applications()
    if text in known:
        return known[text]
    module, _, name = text.rpartition(".")
    there = [dotted.removeprefix(f"{module}.") for dotted in known if dotted.startswith(f"{module}.")]
    if not there:
        modules = dict.fromkeys(dotted.partition(".")[0] for dotted in known)
        raise InputError(f"there is no application {module!r}. There are {', '.join(modules)}.")
    near = get_close_matches(name, there, n=3)
    meant = f"Did you mean {' or '.join(near)}?" if near else f"It has {', '.join(sorted(there))}."
    raise InputError(f"{module} has no formula {name!r}. {meant}")
