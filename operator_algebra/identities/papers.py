"""The index of the five papers: where each numbered result is in this package, and what is printed there otherwise."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from operator_algebra.arguments import shown, word
from operator_algebra.errors import InputError
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.symbols import vocabulary

_FILE = "papers.toml"
_RANGE = re.compile(r"(?:(\d+)\.)?(\d+)-(?:\1\.)?(\d+)")
_NUMBER = re.compile(r"\((\d+(?:\.\d+)?[a-z]?)\)")
_NAMED = re.compile(r", ((?:table|lemma|identity|algorithm|control|assumption|theorem|property) [\w.]+)")
_NEAR = 4


@dataclass(frozen=True, slots=True)
class Result:
    """A numbered result of a paper: what it is about, and which laws and names say it here.

    `names` are those of the vocabulary, of applications, such as `dynamics.bias`, and public ones. `out` is the reason
    why there is neither, `misprint` what is printed instead of what holds.
    """

    paper: str
    number: str
    says: str
    laws: tuple[str, ...]
    names: tuple[str, ...]
    misprint: str
    out: str

    @property
    def citation(self) -> str:
        """As it is cited: “review (12)”, “diagonalized dynamics, lemma 7.3”.

        >>> result("diagonalized dynamics lemma 7.3").citation
        'diagonalized dynamics, lemma 7.3'
        """
        return f"{self.paper} ({self.number})" if self.number[0].isdigit() else f"{self.paper}, {self.number}"


@cache
def index() -> Mapping[str, tuple[Result, ...]]:
    """The results of each paper, as they stand there: equations first, then what has a name.

    >>> {paper: sum(one.number[0].isdigit() for one in results) for paper, results in index().items()}["review"]
    29
    """
    text = resources.files("operator_algebra.identities").joinpath(_FILE).read_text(encoding="utf-8")
    papers: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(text)
    laws, operators = _citing({name: law.cites for name, law in catalogue().items()}), _citing(_operators())
    return MappingProxyType(
        {
            paper: tuple(
                Result(
                    paper,
                    number,
                    says=row["says"],
                    laws=tuple(dict.fromkeys([*row.get("laws", ()), *laws.get((paper, number), ())])),
                    names=tuple(dict.fromkeys([*row.get("names", ()), *operators.get((paper, number), ())])),
                    misprint=row.get("misprint", ""),
                    out=row.get("out", ""),
                )
                for key, row in rows.items()
                for number in numbers(key)
            )
            for paper, rows in papers.items()
        }
    )


def numbers(key: str) -> Iterator[str]:
    """The numbers that a key of the file names.

    >>> list(numbers("2.2-2.4")), list(numbers("7 9")), list(numbers("lemma 7.3"))
    (['2.2', '2.3', '2.4'], ['7', '9'], ['lemma 7.3'])
    """
    for part in key.split() if key[0].isdigit() else [key]:
        span = _RANGE.fullmatch(part)
        if span is None:
            yield part
            continue
        section, first, last = span.groups()
        yield from (f"{section}.{n}" if section else str(n) for n in range(int(first), int(last) + 1))


def places(cites: str) -> list[tuple[str, str]]:
    """Paper and number of each result that a citation names; proofs and sections are none.

    >>> places("filtering and smoothing (70), (77)")
    [('filtering and smoothing', '70'), ('filtering and smoothing', '77')]
    """
    found: list[tuple[str, str]] = []
    for part in cites.split("; "):
        paper = re.match(r"[a-z ]*[a-z]", part)
        found += [(paper[0], number) for number in (*_NUMBER.findall(part), *_NAMED.findall(part)) if paper]
    return found


def result(citation: str) -> Result:
    """The result that a citation names; otherwise `InputError` with those that are near.

    >>> result("diagonalized dynamics (4.1c)").laws
    ('factor inverse',)
    """
    text = word(citation, "a citation").strip().casefold()
    paper = next((name for name in index() if text.startswith(name)), None)
    if paper is None:
        raise InputError(f"{shown(citation)} cites no paper of the index. There are {', '.join(index())}.")
    number = text.removeprefix(paper).strip(" ,").removeprefix("equation ").strip("()")
    known = {one.number.casefold(): one for one in index()[paper]}
    if number not in known:
        near = get_close_matches(number, known, n=_NEAR, cutoff=0.5)
        offer = f"Near it are {', '.join(known[one].citation for one in near)}" if near else f"It has {_span(paper)}"
        raise InputError(f"{paper} has nothing numbered {shown(number)}. {offer}.")
    return known[number]


def is_citation(text: str) -> bool:
    """Whether a text begins with the short name of a paper.

    >>> is_citation("review (12)"), is_citation("P")
    (True, False)
    """
    return any(re.match(rf"{paper}\W", text.strip().casefold()) for paper in index())


def _span(paper: str) -> str:
    """The first and the last equation, and what has a name."""
    equations = [one for one in index()[paper] if one.number[0].isdigit()]
    named = [one.number for one in index()[paper] if not one.number[0].isdigit()]
    return ", ".join([f"({equations[0].number}) to ({equations[-1].number})", *named])


def _operators() -> dict[str, str]:
    return {name: getattr(e, "cites", "") for name, e in vocabulary().items()}


def _citing(cites: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    """Who cites a result."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, text in cites.items():
        for place in places(text):
            found.setdefault(place, []).append(name)
    return found
