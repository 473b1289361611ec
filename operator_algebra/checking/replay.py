"""How a check is done again: a command where the command line knows law and mechanism, else a line of Python."""

from __future__ import annotations

import json
import shlex

from operator_algebra.checking.suite import is_chain, mechanism, suite
from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.claims import law_of, laws_of
from operator_algebra.identities.identity import Identity, Law
from operator_algebra.models.gallery import available
from operator_algebra.models.model import Model

SAMPLES = 8
"""Samples of each mechanism if nothing is said, in Python and on the command line."""

_SUITE = "from operator_algebra.checking.suite import mechanism"


def replay(law: Law, target: Model | str | None, *, samples: int, seed: int, every: bool = False) -> str:
    """The line that checks a law on a model, on what the command line knows by a name or path, or on the suite.

    >>> replay(law_of("factor inverse"), "tree4", samples=8, seed=1)
    'operator-algebra check "factor inverse" --model tree4 --seed 1'
    >>> from operator_algebra.models.families import chain
    >>> replay(law_of("factor inverse"), chain(3), samples=2, seed=0)
    'oa.check("factor inverse", model, samples=2, seed=0)   # model: your "chain3"'
    """
    claim, place = claim_text(law), place_text(target)
    if claim is not None and place is not None:
        return _command(claim, place, samples, seed, every=every)
    return _python(law, claim, target, place, samples, seed, every=every)


def claim_text(law: Law) -> str | None:
    """What the command line reads as this law: its name in the catalogue, or its equation; None for other laws."""
    try:
        if law.name in catalogue() and [_meaning(found) for found in laws_of(law.name)] == [_meaning(law)]:
            return law.name
        if not isinstance(law, Identity) and law.rule != "query":
            return None
        text = f"{law.lhs.render('ascii')} = {law.rhs.render('ascii')}"
        return text if _meaning(law_of(text)) == _meaning(law) else None
    except OperatorAlgebraError:
        return None


def place_text(target: Model | str | None) -> str | None:
    """What the command line reads as this mechanism, "" for the whole suite; None for a model that it cannot name."""
    if not isinstance(target, Model):
        return target or ""
    return target.name if target.name in suite() and mechanism(target.name) == target else None


def _meaning(law: Law) -> tuple[object, ...]:
    """All of a law that its outcome depends on."""
    rule = () if isinstance(law, Identity) else (law.kind, law.rule)
    return law.lhs, law.rhs, law.domain, rule


def _command(claim: str, place: str, samples: int, seed: int, *, every: bool) -> str:
    options = f" --model {shlex.quote(place)}" if place else ""
    options += f" --samples {samples}" if samples != SAMPLES else ""
    options += f" --seed {seed}{' --every' if every else ''}"
    if claim.startswith("-"):  # else it would be read as an option
        return f"operator-algebra check{options} -- {_quoted(claim)}"
    return f"operator-algebra check {_quoted(claim)}{options}"


def _quoted(text: str) -> str:
    """A text for a shell, in double quotes if these hide all that is special: the adjoint is a single one."""
    return shlex.quote(text) if set('"$`\\!').intersection(text) else f'"{text}"'


def _python(
    law: Law, claim: str | None, target: Model | str | None, place: str | None, samples: int, seed: int, *, every: bool
) -> str:
    first = "law" if claim is None else json.dumps(claim)
    notes = [f'law: your "{law.name}"'] if claim is None else []
    if place is None:
        assert isinstance(target, Model)
        first += ", model"
        notes.append(f'model: your "{target.name}"')
    elif is_chain(place) or (place in suite() and place not in available()):
        first += f", mechanism({json.dumps(place)})"
        notes.append(_SUITE)
    elif place:
        first += f", oa.load({json.dumps(place)})"
    counts = f"samples={samples}, " if samples != SAMPLES else ""
    whole = ", every=True" if every else ""
    return f"oa.check({first}, {counts}seed={seed}{whole})   # {'; '.join(notes)}"
