"""`prove`: whether a claim follows from the definitions of its operators, for every tree, every size, every joint."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from operator_algebra.arguments import shown
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.claims import law_of
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.identities.variants import READINGS, wider
from operator_algebra.progress import PATIENCE, Callback, Progress, reporting
from operator_algebra.proofs import kernel
from operator_algebra.proofs.certificate import certificate, of_blocks
from operator_algebra.proofs.decide import decide
from operator_algebra.proofs.given import laws_used, prove_from
from operator_algebra.proofs.proof import Proof, Reading, Verdict
from operator_algebra.proofs.refute import refute
from operator_algebra.proofs.schemas import Obligation, ways
from operator_algebra.proofs.search import Search, search
from operator_algebra.proofs.spelling import assumption, left_over
from operator_algebra.proofs.theory import TRAITS, Theory
from operator_algebra.proofs.workbench import Workbench

_LONGEST = 1_000_000
_FIRST = 0.2
"""Seconds of search before a counter-example is looked for."""
_REFUTING = 2.0
"""Seconds for a counter-example, at most."""


def prove(
    claim: Identity | Statement | str,
    *,
    seconds: float = 10.0,
    using: Iterable[Identity | Expr | str] = (),
    progress: Progress = None,
) -> Proof:
    """Whether a claim follows from the definitions of its operators; `seconds` bounds the search.

    The claim is a law, the name of one, or an equation as text. A law is proved in all its readings. A statement is
    made of obligations by a schema, an argument on paper; these are proved.

    With `using` it is asked whether the equation follows from some laws, and from the definitions of operators that
    are listed with them; of others nothing is taken but their spaces and blocks. The laws are proved, too. A law of
    many readings that takes more than half a second shows its progress in a terminal; `progress=False` is silent.

    >>> prove("inv(I + H phi K) = I - H psi K")
    PROVED         claim: (I + H φ K)⁻¹ = I − H ψ K
                   holds for: every tree, every joint
                   assuming: D is invertible
                   checked by the kernel: 7 lines
    """
    law = law_of(claim)
    positive(seconds)
    laws = laws_used(using)
    if laws:
        return _from_laws(law, laws, float(seconds))
    if isinstance(law, Statement):
        return _statement(law, float(seconds), progress)
    readings = [one for one in wider(law) if isinstance(one, Identity)]
    return Proof(law, read_in_turn(readings, float(seconds) / len(readings), progress))


def read_in_turn(claims: Sequence[Identity], seconds: float, progress: Progress = None) -> tuple[Reading, ...]:
    """What becomes of some readings or links, one after the other."""
    found: list[Reading] = []
    with reporting(progress, "proving", patience=PATIENCE if len(claims) > 1 else None) as report:
        for one in claims:
            report(len(found), len(claims), one.name)
            found.append(reading(one, seconds))
        report(len(found), len(claims), "")
    return tuple(found)


def prove_all(claims: Sequence[Law | str], *, seconds: float = 10.0, progress: Progress = None) -> list[Proof]:
    """The proofs of several claims; what takes longer than half a second shows its progress in a terminal.

    >>> [proof.verdict for proof in prove_all(["left exchange", "P = R"])]
    ['PROVED', 'REFUTED']
    """
    laws = [law_of(claim) for claim in claims]
    proofs: list[Proof] = []
    with reporting(progress, "proving", patience=PATIENCE) as report:
        for law in laws:
            report(len(proofs), len(laws), law.name)
            proofs.append(prove(law, seconds=seconds, progress=False))
        report(len(laws), len(laws), "")
    return proofs


def _from_laws(law: Law, laws: Sequence[Identity], seconds: float) -> Proof:
    """A law as it stands, from others."""
    if isinstance(law, Statement):
        raise InputError(f"{law.name} is no equation, and only an equation is proved from laws. Leave out using.")
    start = time.monotonic()
    claim = replace(law, domain=tuple(word for word in law.domain if word not in READINGS))
    found = prove_from(claim, laws, seconds)
    if found.search.proved is None:
        example = refute(claim, seconds=min(seconds, _REFUTING))
        verdict: Verdict = (
            "REFUTED" if example is not None else "NOT_DERIVABLE" if found.search.complete else "UNDECIDED"
        )
        none = Reading(claim, verdict, None, (), found.rest, time.monotonic() - start, None, example, laws=())
        return Proof(claim, (none,))
    made = _certified(claim, found.search, start)
    return Proof(claim, (replace(made, laws=found.used, told=found.chain),))


def positive(seconds: object) -> None:
    """Test the bound of a search."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= _LONGEST:
        raise InputError(f"seconds is {shown(seconds)}. Give a positive number of at most {_LONGEST}.")


def _statement(law: Statement, seconds: float, progress: Progress) -> Proof:
    with reporting(progress, "proving", patience=None) as report:
        return _by_schemas(law, seconds, report)


def _by_schemas(law: Statement, seconds: float, report: Callback) -> Proof:
    """Every reading of a statement by the first schema whose obligations are proved; of failures the last is told."""
    readings: list[Reading] = []
    schemas: list[str] = []
    for place, one in enumerate(wider(law)):
        assert isinstance(one, Statement)
        report(place, None, one.name)
        tried: list[Reading] = []
        for way in ways(one):
            tried = [*_until_one_fails(_obligation(part, one, seconds) for part in way.obligations)]
            if all(reading.verdict == "PROVED" for reading in tried):
                schemas += [way.schema] if way.schema not in schemas else []
                break
        if not tried or any(reading.verdict != "PROVED" for reading in tried):
            example = refute(one, seconds=min(seconds, _REFUTING))
            if example is not None:
                return Proof(law, (Reading(one, "REFUTED", None, (), "", 0.0, counterexample=example),))
            return Proof(law, tuple(replace(left, verdict="UNDECIDED") for left in tried if left.verdict != "PROVED"))
        readings += tried
    return Proof(law, tuple(readings), tuple(schemas))


def _until_one_fails(readings: Iterable[Reading]) -> Iterator[Reading]:
    """What was proved, and the first that was not: of the rest nothing has to be known."""
    for one in readings:
        yield one
        if one.verdict != "PROVED":
            return


def _obligation(part: Obligation, law: Statement, seconds: float) -> Reading:
    if isinstance(part, Identity):
        return reading(replace(part, domain=law.domain), seconds)
    start = time.monotonic()
    theory = Theory(frozenset(law.domain).intersection(TRAITS))
    theory.read(part.operator)
    written = of_blocks(theory, part.operator, part.words)
    try:
        told = kernel.check(written)
    except kernel.Refused as refused:
        return Reading(part, "UNDECIDED", None, (), str(refused), time.monotonic() - start)
    assumed = tuple(assumption(text, written) for text in told["assumed"])
    return Reading(part, "PROVED", written, assumed, "", time.monotonic() - start)


def proof_of(claim: Identity, seconds: float, shared: Workbench) -> Proof:
    """The proof of one reading of a claim, on a ground that it shares with others."""
    return Proof(claim, (reading(claim, seconds, shared),))


def reading(claim: Identity, seconds: float, shared: Workbench | None = None) -> Reading:
    """Search for a moment, then for a counter-example, and only then for as long as was asked."""
    start = time.monotonic()
    first = min(seconds, _FIRST)
    found = search(claim.lhs, claim.rhs, claim.domain, seconds=first, shared=shared)
    if found.proved is None:
        example = refute(claim, seconds=min(seconds, _REFUTING))
        if example is not None:
            return Reading(claim, "REFUTED", None, (), "", time.monotonic() - start, found, example)
        if not found.complete and first < seconds:
            found = search(claim.lhs, claim.rhs, claim.domain, seconds=seconds - first, after=found)
    if found.proved is not None:
        return _certified(claim, found, start)
    left = left_over(found.theory, found.rest, claim.lhs, claim.rhs)
    decision = decide(claim)
    if decision is not None and decision.holds:
        return Reading(claim, "DECIDED", None, (), left, time.monotonic() - start, found, None, decision)
    verdict: Verdict = "NOT_DERIVABLE" if found.complete else "UNDECIDED"
    return Reading(claim, verdict, None, (), left, time.monotonic() - start, found)


def _certified(claim: Identity, found: Search, start: float) -> Reading:
    """What was found, if the kernel accepts its certificate."""
    assert found.proved is not None
    written = certificate(found.theory, claim.lhs, claim.rhs, found.proved)
    try:
        told = kernel.check(written)
    except kernel.Refused as refused:
        rest = f"refused by the kernel: {refused}"
        return Reading(claim, "UNDECIDED", None, (), rest, time.monotonic() - start, found)
    assumed = tuple(assumption(text, written) for text in told["assumed"])
    return Reading(claim, "PROVED", written, assumed, "", time.monotonic() - start, found)
