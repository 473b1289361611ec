"""The record of proofs: for which formulas and domains the kernel has accepted certificates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

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
    """All that is proved, by name.

    >>> print(record()["propagation"])
    proved by one certificate
    """
    found = json.loads(files("operator_algebra.identities").joinpath(RECORD).read_text(encoding="utf-8"))
    made = {
        name: Certified(told["formula"], tuple(told["domain"]), told["certificates"], tuple(told["assuming"]))
        for name, told in found.items()
    }
    return MappingProxyType(made)
