"""`discover_laws`: every short relation between some operators, each with its proof.

Fingerprints on one deep tree say what may be true; what the kernel has accepted is a law, the rest are conjectures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from operator_algebra.arguments import flag, items, quoted, whole
from operator_algebra.errors import InputError
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.names import Style
from operator_algebra.expressions.nodes import Expr, Zero
from operator_algebra.identities.identity import Identity
from operator_algebra.progress import PATIENCE, Progress, reporting
from operator_algebra.proofs.chain import record_of
from operator_algebra.proofs.fingerprints import relations
from operator_algebra.proofs.letters import RING
from operator_algebra.proofs.proof import Proof
from operator_algebra.proofs.prove import positive, proof_of
from operator_algebra.proofs.search import ground
from operator_algebra.proofs.theory import Theory

_LONGEST = 6
_EACH = 2.0
"""Seconds for one relation, unless more were asked for."""


@dataclass(frozen=True)
class Laws:
    """What was found between some operators: laws with their proofs, and conjectures, the shortest first.

    A conjecture holds on a deep random tree and was not refuted by a small one; no proof was found.
    """

    operators: tuple[Expr, ...]
    length: int
    proofs: tuple[Proof, ...]
    unproved: tuple[Proof, ...] = ()

    @property
    def proved(self) -> tuple[Identity, ...]:
        """The laws that were proved."""
        return tuple(_claim(proof) for proof in self.proofs)

    @property
    def conjectures(self) -> tuple[Identity, ...]:
        """What was neither proved nor refuted."""
        return tuple(_claim(proof) for proof in self.unproved)

    @property
    def new(self) -> tuple[Identity, ...]:
        """The laws that no record of the catalogue says, nor the definitions when they are written out."""
        theory = Theory()
        forms = ((law, RING.minus(theory.read(law.lhs), theory.read(law.rhs))) for law in self.proved)
        return tuple(law for law, form in forms if form and record_of(form) is None)

    def __iter__(self) -> Iterator[Identity]:
        return iter(self.proved)

    def __len__(self) -> int:
        return len(self.proofs)

    def of(self, *symbols: Expr | str) -> Laws:
        """Those in which each of some operators stands, or its adjoint."""
        wanted = [formula(symbol, "of") for symbol in symbols]
        for one in wanted:
            if one not in self.operators:
                raise InputError(f"{one.render()} is none of the operators. They are {_listed(self.operators)}.")

        def kept(proofs: Iterable[Proof]) -> tuple[Proof, ...]:
            return tuple(proof for proof in proofs if all(_mentions(_claim(proof), one) for one in wanted))

        return Laws(self.operators, self.length, kept(self.proofs), kept(self.unproved))

    def render(self, style: Style = "unicode") -> str:
        """The laws, a line each."""
        return "\n".join(law.formula(style) for law in self.proved)

    def __repr__(self) -> str:
        count = f"{len(self)} {'law' if len(self) == 1 else 'laws'}, all proved"
        guessed = len(self.unproved)
        more = f"; {guessed} {'conjecture' if guessed == 1 else 'conjectures'}" if guessed else ""
        names = [one.render() for one in self.operators]
        told = ", ".join(names) if len(names) <= _NAMED else f"{', '.join(names[:_NAMED])}, … ({len(names)} operators)"
        return f"{count}{more}   words of up to {self.length} of {told}"

    def __str__(self) -> str:
        lines = [repr(self), *(f"  {law.formula()}" for law in self.proved)]
        lines += ["conjectures", *(f"  {one.formula()}" for one in self.conjectures)] if self.unproved else []
        return "\n".join(lines)


_NAMED = 6


def discover_laws(
    symbols: Iterable[Expr | str],
    *,
    length: int = 3,
    diagonals: bool = True,
    seconds: float = _EACH,
    progress: Progress = None,
) -> Laws:
    """Every relation of up to three terms between words of some operators and their adjoints, each proved.

    Words have up to `length` factors; with `diagonals` their block-diagonal parts are words too. Definitions are left
    out, and what follows from a shorter relation by being multiplied. `seconds` bounds the search for each proof.
    What takes more than half a second shows its progress in a terminal; `progress=False` is silent.

    >>> print(discover_laws(["H", "P", "G", "D"], length=2))
    2 laws, all proved   words of up to 2 of H, P, G, D
      H G = I
      G D = P H*
    """
    operators = _operators(symbols)
    whole(length, "length", least=1, most=_LONGEST)
    flag(diagonals, "diagonals")
    positive(seconds)
    with reporting(progress, "discovering", patience=PATIENCE) as report:
        report(0, None, "fingerprints")
        found = relations(operators, length=length, diagonals=diagonals)
        shared = ground(operators)
        proofs: list[Proof] = []
        for done, law in enumerate(found):
            report(done, len(found), law.formula())
            proofs.append(proof_of(law, float(seconds), shared))
        report(len(found), len(found), "")
    return Laws(
        operators,
        length,
        tuple(proof for proof in proofs if proof),
        tuple(proof for proof in proofs if not proof and proof.verdict != "REFUTED"),
    )


def _operators(symbols: Iterable[Expr | str]) -> tuple[Expr, ...]:
    listed = items(symbols, "symbols", 'operators, such as ["H", "phi", "P"]')
    if not listed:
        raise InputError('there are no symbols. Give some operators, such as ["H", "phi", "P"].')
    found = dict.fromkeys(formula(one, "discover_laws") for one in listed)
    for one in found:
        if not one.typed or isinstance(one, Zero):
            raise InputError(f"{one.render()} is in every word already. Leave it out of the symbols.")
    return tuple(found)


def _claim(proof: Proof) -> Identity:
    assert isinstance(proof.claim, Identity)
    return proof.claim


def _mentions(law: Identity, operator: Expr) -> bool:
    """Whether an operator is a factor of a word of a law."""
    seen = [law.lhs, law.rhs]
    while seen:
        node = seen.pop()
        if node in (operator, operator.T):
            return True
        seen.extend(node.children)
    return False


def _listed(operators: Iterable[Expr]) -> str:
    return ", ".join(quoted(one.render()) for one in operators)
