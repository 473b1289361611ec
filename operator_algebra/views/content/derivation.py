"""A proof as a graph: the lines of its chain, and beside them the lemmas and laws that its links rest on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from operator_algebra.errors import InputError
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.markup import cut, width
from operator_algebra.proofs.chain import Chain, Lemma
from operator_algebra.proofs.marks import Span, differing
from operator_algebra.proofs.proof import Proof


class Text(NamedTuple):
    """Lines of a formula, each in pieces; what is new in it is marked."""

    lines: tuple[tuple[tuple[str, bool], ...], ...]

    @property
    def columns(self) -> int:
        """The width of the longest line."""
        return max(sum(width(piece) for piece, _ in line) for line in self.lines)


@dataclass(frozen=True)
class Link:
    """A line of the chain, why it equals the one before, and the name of the ground on which it does."""

    text: Text
    reason: str
    ground: str | None


@dataclass(frozen=True)
class Ground:
    """A lemma or a law: its name, what it says, the rules of which it is made, and the lemmas among them."""

    name: str
    text: Text
    by: str
    below: tuple[str, ...]


@dataclass(frozen=True)
class Derivation:
    """The claim and its name, the lines of its chain, what they rest on, and notes."""

    title: str
    name: str
    links: tuple[Link, ...]
    grounds: tuple[Ground, ...]
    notes: tuple[str, ...]


def derivation(proof: Proof, reading: int, columns: int) -> Derivation:
    """The graph of one reading of a claim, its formulas on lines of so many columns."""
    if not 0 <= reading < len(proof.readings):
        raise InputError(f"reading is {reading}. The claim has the readings 0 to {len(proof.readings) - 1}.")
    shown = proof.readings[reading]
    if shown.chain is None:
        raise InputError(f"there is no chain to be drawn: the verdict on {shown.claim.name} is {shown.verdict}.")
    told = shown.chain.links()
    new = [[], *(differing(before, after)[1] for (before, _), (after, _) in pairwise(told))]
    links = tuple(
        Link(_text(text, spans, columns), reason, _ground_of(reason))
        for (text, reason), spans in zip(told, new, strict=True)
    )
    title = f"{shown.chain.first.render()} = {shown.chain.last.render()}"
    grounds = tuple(_grounds(shown.chain, links, columns))
    return Derivation(cut(title, columns), shown.claim.name, links, grounds, (*proof.notes,))


def _ground_of(reason: str) -> str | None:
    """The lemma or the law of the catalogue that a reason names."""
    if re.fullmatch(r"lemma \d+", reason):
        return reason
    named = [name for name in catalogue() if reason == name or reason.startswith(f"{name}, ")]
    return max(named, key=len, default=None)


def _grounds(chain: Chain, links: tuple[Link, ...], columns: int) -> Iterator[Ground]:
    """What links rest on, in their order, then the lemmas that are needed for it, the last of them first."""
    lemmas = {f"lemma {lemma.number}": lemma for lemma in chain.lemmas}
    direct = dict.fromkeys(link.ground for link in links if link.ground is not None)
    for name in (*direct, *(name for name in reversed(lemmas) if name not in direct)):
        if name not in lemmas:
            yield Ground(name, _text(catalogue()[name].formula(), [], columns), "", ())
            continue
        names = rules(lemmas[name])
        below = tuple(one for one in names if one in lemmas)
        by = ", ".join(one for one in names if one not in lemmas)
        yield Ground(name, _text(lemmas[name].text(), [], columns), by, below)


def rules(lemma: Lemma) -> list[str]:
    """The rules of multiples of which a lemma is the sum, each once."""
    if lemma.rule:
        return [*dict.fromkeys(re.findall(r"lemma \d+", lemma.rule)), re.sub(r"[ ;]*lemma \d+", "", lemma.rule)]
    return list(dict.fromkeys(name.removesuffix(", adjoint") for _, _, name, _ in lemma.because))


def _text(text: str, new: list[Span], columns: int) -> Text:
    """A formula on lines that end before a sign, or at any blank, in pieces that are all new or all old."""
    words = [Span(*found.span()) for found in re.finditer(r"\S+", text)]
    signs = [
        k for k, (a, b) in enumerate(words) if text[a:b] in ("+", "−") and text[:a].count("(") == text[:a].count(")")
    ]
    lines: list[Span] = []
    first = 0
    while first < len(words):
        last = first
        while last + 1 < len(words) and width(text[words[first].start : words[last + 1].end]) <= columns:
            last += 1
        if last + 1 < len(words):
            last = max((k - 1 for k in signs if first < k <= last + 1), default=last)
        lines.append(Span(words[first].start, words[last].end))
        first = last + 1
    return Text(tuple(tuple(_pieces(text, line, new)) for line in lines))


def _pieces(text: str, line: Span, new: list[Span]) -> Iterator[tuple[str, bool]]:
    inner = (k for span in new for k in span if line.start < k < line.end)
    for start, end in pairwise(sorted({*line, *inner})):
        yield text[start:end], any(a <= start and end <= b for a, b in new)
