"""Strings for people: display width, tables, and fragments of HTML and SVG. Nothing here knows what it shows.

Fragments stand alone: no script, no style sheet, no address, no ids; lines are drawn in `currentColor`, fills are
mid-tones with an opacity, so that both read on light and on dark pages.
"""

from __future__ import annotations

import html as _html
import re
import unicodedata
from collections.abc import Iterable, Sequence

# Okabe and Ito's palette, by operator; a defined variant such as P_plus has the colour of its letter.
PALETTE: dict[str, str] = {
    "phi": "#0072B2",
    "E_phi": "#56B4E9",
    "psi": "#117A8B",
    "E_psi": "#6FB7C2",
    "H": "#E69F00",
    "M": "#7F7F7F",
    "P": "#CC79A7",
    "D": "#009E73",
    "G": "#D55E00",
    "K": "#D55E00",
}
NEUTRAL = "#8C8C8C"
_GAP = 3


def colour(name: str) -> str:
    """The colour of an operator, the same everywhere.

    >>> colour("P_plus") == colour("P"), colour("E_phi")
    (True, '#56B4E9')
    """
    return PALETTE.get(name) or PALETTE.get(name.split("_")[0], NEUTRAL)


def width(text: str) -> int:
    """The columns that a text takes: a combining mark takes none, a wide character two.

    >>> width("τ̄ P⁺")
    4
    """
    return len(text) if text.isascii() else sum(_columns(c) for c in text)


def _columns(c: str) -> int:
    if c < "\u0300":
        return 1
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1


def cut(text: str, columns: int, ellipsis: str = "…") -> str:
    """The start of a text that fits into a number of columns, with an ellipsis if something is missing.

    >>> cut("H φ M φ* H*", 6)
    'H φ M…'
    """
    if width(text) <= columns:
        return text
    kept: list[str] = []
    used = width(ellipsis)
    for c in text:
        used += _columns(c)
        if used > columns:
            break
        kept.append(c)
    return "".join(kept).rstrip() + ellipsis


def pad(text: str, columns: int) -> str:
    """A text filled with blanks up to a number of columns."""
    return text + " " * (columns - width(text))


def wrapped(text: str, columns: int, indent: int = 0) -> str:
    """A text on lines of at most a number of columns, broken at wide gaps if that helps, or else at any blank.

    Lines after the first are indented.

    >>> print(wrapped("x(k) = ν(k) − z(k)      p is the parent of k", 30, 4))
    x(k) = ν(k) − z(k)
        p is the parent of k
    """
    if width(text) <= columns:
        return text
    lines: list[str] = []
    line = ""
    for gap, piece in re.findall(r"(^\s*|\s{3,})(\S+(?:\s{1,2}\S+)*)", text):
        narrow = gap if width(line + gap) <= indent else " " * min(len(gap), _GAP)
        if width(line + gap + piece) <= columns:
            line += gap + piece
        elif width(line + narrow + piece) <= columns:
            line += narrow + piece
        elif line.strip() and indent + width(piece) <= columns:
            lines.append(line)
            line = " " * indent + piece
        else:
            for before, word in re.findall(r"(\s*)(\S+)", narrow + piece):
                if line.strip() and width(line + before + word) > columns:
                    lines.append(line)
                    line = " " * indent + word
                else:
                    line += before + word
    return "\n".join([*lines, line])


def table(rows: Iterable[Sequence[str]], gap: str = "   ") -> str:
    """Rows of cells as lines with aligned columns; the last column is not filled.

    >>> print(table([("φ", "inward"), ("H", "diagonal")]))
    φ   inward
    H   diagonal
    """
    cells = [list(row) for row in rows]
    count = max((len(row) for row in cells), default=0)
    widths = [max((width(row[i]) for row in cells if i < len(row)), default=0) for i in range(count)]
    return "\n".join(gap.join(pad(cell, widths[i]) for i, cell in enumerate(row)).rstrip() for row in cells)


def escape(text: str) -> str:
    """A text as it may stand in HTML, attributes included; characters that XML forbids are replaced."""
    return _html.escape("".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text), quote=True)


def element(tag: str, *content: str, **attributes: object) -> str:
    """An element of HTML, SVG or MathML; `_` in the name of an attribute stands for `-`.

    >>> element("td", escape("a < b"), colspan=2)
    '<td colspan="2">a &lt; b</td>'
    """
    written = "".join(f' {name.rstrip("_").replace("_", "-")}="{escape(str(v))}"' for name, v in attributes.items())
    return f"<{tag}{written}>{''.join(content)}</{tag}>"


def html_page(title: str, body: str) -> str:
    """A picture as a page of its own, for light and for dark windows."""
    head = '<meta charset="utf-8"><meta name="color-scheme" content="light dark">' + element("title", escape(title))
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


def html_table(rows: Iterable[Sequence[str]], header: Sequence[str] = ()) -> str:
    """Rows of cells that are already markup, as an HTML table."""
    head = element("tr", *(element("th", cell) for cell in header)) if header else ""
    return element("table", head, *(element("tr", *(element("td", cell) for cell in row)) for row in rows))


def pattern(
    cells: Iterable[tuple[int, int]], shape: tuple[int, int], *, label: str, fill: str = "currentColor", cell: int = 6
) -> str:
    """A block pattern as inline SVG: one square for each (row, column), neighbours in a row drawn as one.

    >>> pattern([(0, 0), (0, 1)], (2, 2), label="one row").count("h2")
    1
    """
    rows, columns = shape
    runs: list[list[int]] = []
    for i, j in sorted(set(cells)):
        if runs and runs[-1][0] == i and runs[-1][1] + runs[-1][2] == j:
            runs[-1][2] += 1
        else:
            runs.append([i, j, 1])
    path = "".join(f"M{j} {i}h{length}v1h-{length}z" for i, j, length in runs)
    frame = element(
        "rect", width=columns, height=rows, fill="none", stroke="currentColor", stroke_width=f"{1 / cell:.2g}"
    )
    return element(
        "svg",
        element("title", escape(label)),
        frame,
        element("path", d=path, fill=fill, fill_opacity="0.75"),
        width=columns * cell,
        height=rows * cell,
        viewBox=f"0 0 {columns} {rows}",
        role="img",
        aria_label=label,
    )
