"""`prove`: whether a claim follows from the definitions of its operators, for every tree, every size, every joint."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, get_args

from operator_algebra.arguments import choice, shown
from operator_algebra.errors import InputError, TheoryError
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.claims import law_of
from operator_algebra.identities.facts import domain
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.identities.textbook import textbook
from operator_algebra.identities.variants import READINGS, wider
from operator_algebra.progress import PATIENCE, Progress, reporting
from operator_algebra.proofs import kernel
from operator_algebra.proofs.certificate import certificate, of_blocks
from operator_algebra.proofs.chain import Chain, Shown, Step, chain
from operator_algebra.proofs.counterexample import Counterexample
from operator_algebra.proofs.decide import Decision, decide
from operator_algebra.proofs.given import laws_used, prove_from
from operator_algebra.proofs.kernel import Data
from operator_algebra.proofs.lean import file_of
from operator_algebra.proofs.page import proof_page
from operator_algebra.proofs.refute import refute
from operator_algebra.proofs.schemas import Blocks, Obligation, ways
from operator_algebra.proofs.search import Search, search
from operator_algebra.proofs.spelling import Style, assumption, left_over
from operator_algebra.proofs.theory import TRAITS, Theory
from operator_algebra.proofs.workbench import Workbench

_LONGEST = 1_000_000
_FIRST = 0.5
"""Seconds of search before a counter-example is looked for."""
_REFUTING = 2.0
"""Seconds for a counter-example, at most."""

Verdict = Literal["REFUTED", "UNDECIDED", "NOT_DERIVABLE", "DECIDED", "PROVED"]
_WEAKEST_FIRST: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Reading:
    """What became of one reading of a claim: the law as it stands, with any J, for any gain; or of one obligation.

    `rest` is what is left of lhs − rhs where no proof was found, `seconds` how long it took. Without a proof there may
    be a counter-example, or the agreement of both sides in generic matrices.
    """

    claim: Law | Blocks
    verdict: Verdict
    certificate: dict[str, Data] | None
    assumptions: tuple[str, ...]
    rest: str
    seconds: float
    found: Search | None = field(default=None, repr=False, compare=False)
    counterexample: Counterexample | None = None
    decision: Decision | None = None
    laws: tuple[str, ...] | None = None
    """Which laws the proof takes, where it was to take chosen ones alone, and its chain."""
    told: Chain | None = field(default=None, repr=False, compare=False)

    @cached_property
    def chain(self) -> Chain | None:
        """The proof as a chain of equalities; None without a proof, and where nobody would read it."""
        if self.laws is not None:
            return self.told
        if self.found is None or not isinstance(self.claim, Identity):
            return None
        known = textbook(self.claim) if self.verdict == "PROVED" else None
        if known is not None:
            return Chain(self.claim.lhs, self.claim.rhs, tuple(Shown(one.formula, one.reason) for one in known), ())
        return chain(self.found, self.claim.lhs, self.claim.rhs)


@dataclass(frozen=True)
class Proof:
    """The verdict on a claim; true only if it is PROVED.

    PROVED: it follows from the definitions, and the kernel accepts the certificate. REFUTED: an exact model contradicts
    it. DECIDED: both sides agree in generic matrices, see `docs/explain/decision.md`; there is no certificate.
    NOT_DERIVABLE: all rewriting rules that the definitions imply are known, and the two sides have different normal
    forms; this does not say that the claim is false. UNDECIDED: the search ended before that.
    """

    claim: Law
    readings: tuple[Reading, ...]
    schemas: tuple[str, ...] = ()
    """Of a statement: the schemas that make it of what was proved."""

    @property
    def verdict(self) -> Verdict:
        """The weakest verdict of all readings."""
        found: list[Verdict] = [reading.verdict for reading in self.readings]
        return min(found, key=_WEAKEST_FIRST.index) if found else "UNDECIDED"

    @property
    def counterexample(self) -> Counterexample | None:
        """The model that contradicts the claim, if one was found."""
        if self.verdict != "REFUTED":  # of a statement, what a schema needs may be false where the claim is true
            return None
        return next((one.counterexample for one in self.readings if one.counterexample is not None), None)

    @property
    def seconds(self) -> float:
        """How long the search and the kernel took."""
        return sum(reading.seconds for reading in self.readings)

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """What the proof rests on besides the definitions: what has an inverse or a root, and the domain."""
        return tuple(dict.fromkeys(text for reading in self.readings for text in reading.assumptions))

    def __bool__(self) -> bool:
        return self.verdict == "PROVED"

    @property
    def steps(self) -> tuple[Step | Shown, ...]:
        """The links of the chain, reading by reading; none where there is no chain."""
        return tuple(step for reading in self.readings if reading.chain for step in reading.chain.steps)

    def render(self, style: Style | Literal["lean"] = "unicode") -> str:
        """The proof as text or LaTeX: a chain of equalities, each with its reason; as a file of Lean 4: its lines."""
        choice(style, "style", (*get_args(Style), "lean"))
        if style == "lean":
            return file_of(str(self), self._certified())
        told = [reading.chain for reading in self.readings if reading.chain is not None]
        if not told:
            raise InputError(f"there is no chain to be shown: the verdict is {self.verdict}.")
        return "\n".join(one.render(style) for one in told)

    def _repr_latex_(self) -> str | None:
        told = self.readings[0].chain if self.readings else None
        return None if told is None else f"$${told.render('latex')}$$"

    def _repr_html_(self) -> str:
        told = [(one.claim.name, one.chain) for one in self.readings if one.chain is not None]
        return proof_page(self.verdict, str(self.claim), told, self.notes)

    def certificate(self) -> dict[str, Data]:
        """The certificates of all readings as data: `json.dumps` it, and run the kernel on the file."""
        return {"format": kernel.FORMAT, "proofs": [written for _, written in self._certified()]}

    def _certified(self) -> list[tuple[str, dict[str, Data]]]:
        if not self:
            raise InputError(f"there is no certificate: the verdict is {self.verdict}.")
        return [(one.claim.name, one.certificate) for one in self.readings if one.certificate is not None]

    def replay(self) -> None:
        """Have the kernel check every certificate again; `TheoryError` if it refuses one."""
        for reading in self.readings:
            if reading.certificate is not None:
                try:
                    kernel.check(json.loads(json.dumps(reading.certificate)))
                except kernel.Refused as refused:
                    raise TheoryError(f"{reading.claim.name}: the kernel refuses its certificate: {refused}.") from None

    @property
    def notes(self) -> list[str]:
        """What is said below the claim: where it holds, what is assumed and who has checked it, or what is left."""
        lines: list[str] = []
        if self:
            lines.append(f"holds for: {domain(self.claim)}")
            lines += [f"assuming: {'; '.join(self.assumptions)}"] if self.assumptions else []
            laws = [name for reading in self.readings for name in reading.laws or ()]
            lines += [f"by these laws alone: {'; '.join(laws)}"] if laws else []
            count = sum(len(reading.certificate["lines"]) for reading in self.readings if reading.certificate)
            lines += [f"by the schema: {', '.join(self.schemas)}"] if self.schemas else []
            lines.append(f"checked by the kernel: {count} {'line' if count == 1 else 'lines'}")
        elif not self.readings:
            lines.append("no schema gives it")
        else:
            left = next(reading for reading in self.readings if reading.verdict == self.verdict)
            which = "" if left.claim.name == self.claim.name else f" ({left.claim.name})"
            if left.counterexample is not None and self.verdict != "REFUTED":
                lines.append(f"what the schema needs does not hold{which}: {left.counterexample!r}")
            elif left.counterexample is not None:
                lines.append(f"counter-example{which}: {left.counterexample!r}")
            elif left.verdict == "DECIDED":
                lines.append(f"without a proof{which}: {left.decision}")
            else:
                alone = "" if left.laws is None else " with these laws alone"
                lines.append(f"left of lhs − rhs{which}{alone}: {left.rest}")
        return lines

    def __str__(self) -> str:
        return f"\n{'':<15}".join([f"{self.verdict:<13}  {self.claim}", *self.notes])

    def __repr__(self) -> str:
        return str(self)


def prove(
    claim: Identity | Statement | str, *, using: Iterable[Identity | Expr | str] | None = None, seconds: float = 10.0
) -> Proof:
    """Whether a claim follows from the definitions of its operators; `seconds` bounds the search.

    The claim is a law, the name of one, or an equation as text. A law is proved in all its readings. A statement is
    made of obligations by a schema, an argument on paper; these are proved.

    With `using` it is asked whether the equation follows from some laws, and from the definitions of operators that
    are listed with them; of others nothing is taken but their spaces and blocks. The laws are proved, too.

    >>> prove("inv(I + H phi K) = I - H psi K")
    PROVED         claim: (I + H φ K)⁻¹ = I − H ψ K
                   holds for: every tree, every joint
                   assuming: D is invertible
                   checked by the kernel: 7 lines
    """
    law = law_of(claim)
    positive(seconds)
    if using is not None:
        return _from_laws(law, laws_used(using), float(seconds))
    if isinstance(law, Statement):
        return _statement(law, float(seconds))
    readings = [one for one in wider(law) if isinstance(one, Identity)]
    return Proof(law, tuple(reading(one, float(seconds) / len(readings)) for one in readings))


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
            proofs.append(prove(law, seconds=seconds))
        report(len(laws), len(laws), "")
    return proofs


def calc(*formulas: Expr | str, seconds: float = 10.0) -> Proof:
    """A chain of equalities, e0 = e1 = … = en, each link proved; `seconds` bounds the search for one link.

    >>> calc("tau_bar tau_bar", "tau_bar - G H + G H G H", "tau_bar")
    PROVED         calculation: τ̄ τ̄ = τ̄
                   holds for: every tree, every joint
                   assuming: D is invertible
                   checked by the kernel: 2 lines
    """
    if len(formulas) < 2:
        raise InputError("a calculation has at least two formulas.")
    listed = [formula(one, "calc") for one in formulas]
    positive(seconds)
    links = [Identity(f"link {k}", a, b) for k, (a, b) in enumerate(pairwise(listed), 1)]
    claim = Identity("calculation", listed[0], listed[-1])
    return Proof(claim, tuple(reading(link, float(seconds)) for link in links))


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


def _statement(law: Statement, seconds: float) -> Proof:
    """Every reading of a statement by the first schema whose obligations are proved; of failures the last is told."""
    readings: list[Reading] = []
    schemas: list[str] = []
    for one in wider(law):
        assert isinstance(one, Statement)
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
