"""`Proof`: what became of a claim, with its certificates, its chains, and what it rests on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from operator_algebra.arguments import choice
from operator_algebra.errors import InputError, TheoryError
from operator_algebra.identities.facts import domain
from operator_algebra.identities.identity import Identity, Law
from operator_algebra.identities.textbook import textbook
from operator_algebra.proofs import kernel
from operator_algebra.proofs.certificate import certificate
from operator_algebra.proofs.chain import Chain, Shown, Step, axioms, chain
from operator_algebra.proofs.counterexample import Counterexample
from operator_algebra.proofs.decide import Decision
from operator_algebra.proofs.facts import flattened
from operator_algebra.proofs.kernel import Data
from operator_algebra.proofs.lean import file_of
from operator_algebra.proofs.letters import LIMIT, TooLong
from operator_algebra.proofs.page import proof_page
from operator_algebra.proofs.schemas import Blocks
from operator_algebra.proofs.search import Search
from operator_algebra.proofs.spelling import Style

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

    @cached_property
    def axioms(self) -> tuple[str, ...]:
        """What the proof takes from definitions and equations; blocks of a kind are read off letters, and take none."""
        if self.found is None or not isinstance(self.claim, Identity):
            return ()
        return axioms(self.found, self.claim.lhs, self.claim.rhs)

    def flat(self) -> dict[str, Data] | None:
        """The certificate with every line that is a sum put into those that need it; None where none was found."""
        if self.found is None or self.found.proved is None or not isinstance(self.claim, Identity):
            return self.certificate
        return certificate(self.found.theory, self.claim.lhs, self.claim.rhs, flattened(self.found.proved))


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
    calculation: Chain | None = field(default=None, repr=False, compare=False)
    """The chain of which the readings are the links, where it was given and not found."""

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

    @cached_property
    def axioms(self) -> tuple[str, ...]:
        """What the proof takes from definitions and equations of operators, in the order in which it does."""
        found = [reading.axioms for reading in self.readings if reading.verdict == "PROVED"]
        return tuple(dict.fromkeys(name for names in found for name in names))

    @property
    def chains(self) -> tuple[tuple[str, Chain], ...]:
        """The chain that was given; or those that were found, with the names of what they prove, reading by reading."""
        if self.calculation is not None:
            return ((self.claim.name, self.calculation),) if self else ()
        return tuple((one.claim.name, one.chain) for one in self.readings if one.chain is not None)

    @property
    def steps(self) -> tuple[Step | Shown, ...]:
        """The links of the chain, reading by reading; none where there is no chain."""
        return tuple(step for _, told in self.chains for step in told.steps)

    def render(self, style: Style | Literal["lean"] = "unicode") -> str:
        """The proof as text or LaTeX: a chain of equalities, each with its reason; as a file of Lean 4: its lines."""
        choice(style, "style", (*get_args(Style), "lean"))
        if style == "lean":
            return file_of(str(self), self._certified())
        if not self.chains:
            left = (
                "it would be longer than anybody reads; certificate() has its lines" if self else "nothing was proved"
            )
            raise InputError(f"there is no chain to be shown: the verdict is {self.verdict}, {left}.")
        return "\n".join(told.render(style) for _, told in self.chains)

    def _repr_latex_(self) -> str | None:
        return f"$${self.chains[0][1].render('latex')}$$" if self.chains else None

    def _repr_html_(self) -> str:
        return proof_page(self.verdict, str(self.claim), self.chains, self.notes)

    def certificate(self) -> dict[str, Data]:
        """The certificates of all readings as data: `json.dumps` it, and run the kernel on the file."""
        return {"format": kernel.FORMAT, "proofs": [written for _, written in self._certified()]}

    def flatten(self) -> dict[str, Data]:
        """The certificates without intermediate sums: each claim as one sum of multiples of axioms, for the kernel.

        What follows by another rule than a sum, such as that an equation has one solution, stays a line of its own.

        >>> from operator_algebra import prove
        >>> (flat,) = prove("phi E_phi = phi - I").flatten()["proofs"]
        >>> [len(terms) for _, *terms in flat["lines"]]
        [1]
        """
        self._certified()
        try:
            flat = [made for one in self.readings if (made := one.flat()) is not None]
        except TooLong:
            raise InputError(f"a flat sum would have more than {LIMIT} terms. Take certificate().") from None
        return {"format": kernel.FORMAT, "proofs": flat}

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
