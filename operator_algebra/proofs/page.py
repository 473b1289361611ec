"""A proof as HTML, for light and dark pages: links with their reasons, what changes marked, assumptions last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from operator_algebra.markup import cut, element, escape, width
from operator_algebra.proofs.chain import Chain, Lemma
from operator_algebra.proofs.marks import Span, differing

_NEW = "background-color:rgba(230,159,0,.28);border-radius:.2em"
_REWRITTEN = "border-bottom:2px solid rgba(0,114,178,.75)"
_FORMULA = "font-family:'STIX Two Math','Cambria Math','Latin Modern Math','DejaVu Serif',serif;font-size:1.08em"
_CELL = "padding:.18em .5em;text-align:left;vertical-align:top;border:none"
_FAINT = "opacity:.72"
_VERDICTS = {"PROVED": "#009E73", "REFUTED": "#D55E00", "DECIDED": "#0072B2"}
_OPEN = "#8C8C8C"

_READ = 120
"""Columns of the reason of a lemma that is not folded."""

NEW, REWRITTEN = "new in its line", "what the next line rewrites"


def proof_page(verdict: str, claim: str, chains: Iterable[tuple[str, Chain]], notes: Sequence[str]) -> str:
    """A verdict, the chains of the readings of a claim, all but the first folded, and what is said of all of them."""
    parts = [_head(verdict, claim)]
    for k, (name, one) in enumerate(chains):
        body = chain_page(one)
        parts.append(element("details", element("summary", escape(name)), body) if k else body)
    parts += [element("div", escape(note), style=_FAINT) for note in notes]
    return element("div", *parts)


def chain_page(told: Chain) -> str:
    """A chain as a table: formula at the left, reason at the right, lemmas below."""
    links = told.links()
    texts = [text for text, _ in links]
    marks = [differing(before, after) for before, after in pairwise(texts)]
    rows: list[str] = []
    for k, (text, reason) in enumerate(links):
        new = marks[k - 1][1] if k else []
        old = marks[k][0] if k < len(marks) else []
        line = element("span", *_marked(text, new, old), style=_FORMULA)
        rows.append(_row("=" if k else "", line, escape(reason)))
    rows += [_row("", *_lemma(lemma)) for lemma in told.lemmas]
    table = element("table", *rows, style="border-collapse:collapse;margin:.4em 0")
    signs = [element("span", word, style=style) for word, style in ((NEW, _NEW), (REWRITTEN, _REWRITTEN))]
    return table + (element("small", ", ".join(signs), style=_FAINT) if marks else "")


def _head(verdict: str, claim: str) -> str:
    badge = f"border:1.5px solid {_VERDICTS.get(verdict, _OPEN)};border-radius:.3em;padding:0 .35em;font-weight:bold"
    return element("div", element("span", escape(verdict), style=badge), " ", escape(claim))


def _row(sign: str, line: str, reason: str) -> str:
    styles = (f"{_CELL};{_FAINT}", _CELL, f"{_CELL};{_FAINT}")
    cells = zip((sign, line, reason), styles, strict=True)
    return element("tr", *(element("td", cell, style=style) for cell, style in cells))


def _lemma(lemma: Lemma) -> tuple[str, str]:
    told = element("span", escape(lemma.text()), style=_FORMULA)
    return element("small", f"lemma {lemma.number}: ", told), _long(f"for {lemma.reason()}")


def _long(text: str) -> str:
    """A text in small letters, folded where it is long."""
    if width(text) <= _READ:
        return element("small", escape(text))
    return element("small", element("details", element("summary", escape(cut(text, _READ))), escape(text)))


def _marked(text: str, new: Sequence[Span], old: Sequence[Span]) -> Iterator[str]:
    """A text in pieces, each with the marks that it has."""
    ends = sorted({0, len(text), *(k for span in (*new, *old) for k in span)})
    for start, end in pairwise(ends):
        styles = [
            style for style, spans in ((_NEW, new), (_REWRITTEN, old)) if any(a <= start and end <= b for a, b in spans)
        ]
        piece = escape(text[start:end])
        yield element("span", piece, style=";".join(styles)) if styles else piece
