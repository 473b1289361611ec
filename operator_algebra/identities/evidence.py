"""What is known of a law besides its formula: proved for every tree, or sampled; the two are never the same word."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

from operator_algebra.identities.identity import Law

RECORD = "proved.json"
"""Beside this file: the laws whose certificates the kernel has accepted, a process of its own."""


@dataclass(frozen=True, slots=True)
class Certified:
    """A law as it was proved: formula and domain, how many certificates the kernel accepted, what they rest on."""

    formula: str
    domain: tuple[str, ...]
    certificates: int
    assuming: tuple[str, ...]

    def __str__(self) -> str:
        parts = "one certificate" if self.certificates == 1 else f"{self.certificates} certificates"
        given = f", assuming that {'; '.join(self.assuming)}" if self.assuming else ""
        return f"proved by {parts}{given}"


@cache
def record() -> Mapping[str, Certified]:
    """All that is proved, by name; a formula or a domain that has changed since is proved no more."""
    found = json.loads(files("operator_algebra.identities").joinpath(RECORD).read_text(encoding="utf-8"))
    made = {
        name: Certified(told["formula"], tuple(told["domain"]), told["certificates"], tuple(told["assuming"]))
        for name, told in found.items()
    }
    return MappingProxyType(made)


def certified(law: Law) -> Certified | None:
    """What is recorded of the proof of a law as it stands.

    >>> from operator_algebra.identities.catalogue import law_named
    >>> print(certified(law_named("factor inverse")))
    proved by one certificate, assuming that D is invertible
    """
    found = record().get(law.name)
    return found if found is not None and (found.formula, found.domain) == (law.formula("ascii"), law.domain) else None


def evidence(law: Law) -> Literal["proved", "sampled"]:
    """The stronger of the two words that is true."""
    return "sampled" if certified(law) is None else "proved"
