"""The record of a law: documentation, check, proof step and compiler reason at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from operator_algebra.arguments import choice, instance, items, quoted, word
from operator_algebra.errors import SpaceMismatch
from operator_algebra.expressions.build import retype
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Combination, Query, question

Side: TypeAlias = Expr | Query | Combination
"""What stands on one side of a statement."""
Kind: TypeAlias = Literal["order", "entries", "invariance"]
Style: TypeAlias = Literal["unicode", "ascii", "latex"]


def typed_sides(name: str, lhs: Expr | str, rhs: Expr | str) -> tuple[Expr, Expr]:
    """Both sides of one type, texts read; I and 0 on one side take the type of the other."""
    lhs, rhs = formula(lhs, f"the left side of {quoted(name)}"), formula(rhs, f"the right side of {quoted(name)}")
    if lhs.typed and not rhs.typed:
        rhs = retype(rhs, lhs.type)
    elif rhs.typed and not lhs.typed:
        lhs = retype(lhs, rhs.type)
    if lhs.type != rhs.type:
        raise SpaceMismatch(
            f'"{name}" equates {lhs} ({lhs.type}) with {rhs} ({rhs.type}): they map different spaces. '
            "Compose one side with the operator that is missing."
        )
    if not lhs.typed:
        raise SpaceMismatch(
            f'"{name}": the spaces of {lhs} = {rhs} are not known. Put an operator with a type beside I.'
        )
    return lhs, rhs


@dataclass(frozen=True, slots=True)
class Twin:
    """A planted false neighbour of a law: the slip in words, and the wrong equation."""

    slip: str
    lhs: Expr
    rhs: Expr

    def __post_init__(self) -> None:
        lhs, rhs = typed_sides(self.slip, self.lhs, self.rhs)
        object.__setattr__(self, "lhs", lhs)
        object.__setattr__(self, "rhs", rhs)


def _settle(law: Identity | Statement, twins: type[Any]) -> None:
    """Refuse words that are no texts, and keep lists as tuples."""
    for name in ("name", "cites", "theme", "idea", "misprint"):
        word(getattr(law, name), f"{name} of a law")
    for name, of in (("domain", str), ("twins", twins)):
        listed = items(getattr(law, name), f"{name} of a law", "words" if of is str else "laws")
        for one in listed:
            instance(one, f"one of {name}", of, f"It belongs to the law {quoted(law.name)}.")
        object.__setattr__(law, name, listed)


@dataclass(frozen=True, slots=True)
class Identity:
    """A law lhs = rhs between operators; each side may be given as text.

    `domain` holds trait words ("serial", "1-DOF", "J = 0"), all of which a mechanism must have; `idea` one line of
    proof; `misprint` what a source prints instead; `twins` planted false neighbours.

    >>> from operator_algebra.symbols import H, I, K, inv, phi, psi
    >>> Identity("factor inverse", inv(I + H @ phi @ K), I - H @ psi @ K)
    factor inverse: (I + H φ K)⁻¹ = I − H ψ K
    """

    name: str
    lhs: Expr
    rhs: Expr
    domain: tuple[str, ...] = field(default=(), kw_only=True)
    cites: str = field(default="", kw_only=True)
    theme: str = field(default="", kw_only=True)
    idea: str = field(default="", kw_only=True)
    misprint: str = field(default="", kw_only=True)
    twins: tuple[Twin, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        _settle(self, Twin)
        lhs, rhs = typed_sides(self.name, self.lhs, self.rhs)
        object.__setattr__(self, "lhs", lhs)
        object.__setattr__(self, "rhs", rhs)

    def formula(self, style: Style = "unicode") -> str:
        """The equation as text."""
        return f"{self.lhs.render(style)} = {self.rhs.render(style)}"

    def __repr__(self) -> str:
        theme = f"   {self.theme}" if self.theme else ""
        return f"{self.name}: {self.formula()}{theme}"

    def __str__(self) -> str:
        return f"{self.name}: {self.formula()}"

    def _repr_html_(self) -> str:
        return _fragment(self)

    def _repr_latex_(self) -> str:
        return f"${self.formula('latex')}$"


@dataclass(frozen=True, slots=True)
class Statement:
    """A law that is not an equation of operators: an order, a formula for entries, or an invariance.

    `rule` names the way of checking, `reads` says it as a formula in text form. What is proved of it are equations and
    patterns from which it follows by an argument on paper.
    """

    name: str
    kind: Kind
    rule: str
    lhs: Side
    rhs: Side
    reads: str = field(kw_only=True)
    domain: tuple[str, ...] = field(default=(), kw_only=True)
    cites: str = field(default="", kw_only=True)
    theme: str = field(default="", kw_only=True)
    idea: str = field(default="", kw_only=True)
    misprint: str = field(default="", kw_only=True)
    twins: tuple[Statement, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        _settle(self, Statement)
        word(self.reads, "reads of a law")
        word(self.rule, "rule of a law")
        choice(self.kind, "kind of a law", get_args(Kind))
        for side in ("lhs", "rhs"):
            if isinstance(getattr(self, side), Combination):
                continue
            object.__setattr__(self, side, question(getattr(self, side), f"a side of {quoted(self.name)}"))
        if self.kind == "order" and isinstance(self.lhs, Expr) and isinstance(self.rhs, Expr):
            lhs, rhs = typed_sides(self.name, self.lhs, self.rhs)
            object.__setattr__(self, "lhs", lhs)
            object.__setattr__(self, "rhs", rhs)

    def formula(self, style: Style = "unicode") -> str:
        """The statement as text."""
        choice(style, "style", get_args(Style))
        return self.reads

    def __repr__(self) -> str:
        theme = f"   {self.theme}" if self.theme else ""
        return f"{self.name}: {self.reads}{theme}"

    def __str__(self) -> str:
        return f"{self.name}: {self.reads}"

    def _repr_html_(self) -> str:
        return _fragment(self)


Law: TypeAlias = Identity | Statement


def _fragment(law: Law) -> str:
    """A law as notebooks show it."""
    from operator_algebra.identities.facts import html

    return html(law)


def false_claim(law: Law, twin: Twin | Statement) -> Law:
    """A planted slip as a claim of its own, with the domain of its law and without wider readings."""
    if isinstance(twin, Statement):
        return twin
    domain = tuple(word for word in law.domain if word not in ("any J", "any G"))
    return Identity(f"{law.name} | {twin.slip}", twin.lhs, twin.rhs, domain=domain)
