"""The claims that proofs are tried on: laws in all readings, their twins, their mutants."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from operator_algebra.checking.verdict import readings
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity, Law, Statement, false_claim
from operator_algebra.identities.mutants import mutants

_EQUAL = Path(__file__).parent.parent / "laws" / "equal_mutants.txt"


@cache
def laws() -> tuple[Law, ...]:
    """All laws in all readings."""
    return tuple(reading for law in catalogue().values() for reading in readings(law))


@cache
def twins() -> tuple[Law, ...]:
    """All planted slips."""
    return tuple(false_claim(law, twin) for law in catalogue().values() for twin in law.twins)


@cache
def _mutants() -> tuple[Identity, ...]:
    found = [mutant for law in catalogue().values() if isinstance(law, Identity) for mutant in mutants(law)]
    plain = [tuple(word for word in mutant.domain if word not in ("any J", "any G")) for mutant in found]
    return tuple(Identity(m.name, m.lhs, m.rhs, domain=words) for m, words in zip(found, plain, strict=True))


@cache
def _equal() -> set[str]:
    return set(_EQUAL.read_text(encoding="utf-8").splitlines())


@cache
def true_mutants() -> list[Identity]:
    """Mutants that happen to hold, of mechanisms: where joint maps are constant, there joints are closed."""
    found = [mutant for mutant in _mutants() if f"{mutant.name}: {mutant.formula()}" in _equal()]
    closed = {mutant: ("closed joints",) if "constant joint maps" in mutant.domain else () for mutant in found}
    return [replace(mutant, domain=(*mutant.domain, *words)) for mutant, words in closed.items()]


@cache
def false_mutants() -> list[Identity]:
    """All other mutants."""
    return [mutant for mutant in _mutants() if f"{mutant.name}: {mutant.formula()}" not in _equal()]


def identities(claims: tuple[Law, ...]) -> list[Identity]:
    """The equations among some claims."""
    return [claim for claim in claims if isinstance(claim, Identity)]


def statements(claims: tuple[Law, ...]) -> list[Statement]:
    """All others."""
    return [claim for claim in claims if isinstance(claim, Statement)]
