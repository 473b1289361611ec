"""Pictures as SVG: for files, for pages that hold several, and in the tones of a page that may be light or dark."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from operator_algebra.views.ink.palette import dark

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOUR = re.compile(r"\b(fill|stroke)(: |=\")(#[0-9a-f]{6})\b")

_ID = re.compile(r'\bid="([^"]+)"')
_NAMED = re.compile(r'(\bid="|#)([^"()]+)(?=["\)])')
"""What has an id, and what names one."""


def svg(figure: Figure) -> str:
    """A light picture as SVG, the same text for the same picture.

    >>> from operator_algebra.models.families import chain
    >>> from operator_algebra.views.tree import tree
    >>> svg(tree(chain(2))).count("<svg")
    1
    """
    import matplotlib

    stream = io.StringIO()
    with cast("Any", matplotlib).rc_context({"svg.hashsalt": "operator_algebra"}):
        cast("Any", figure).savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


def inline(text: str, prefix: str) -> str:
    """An SVG that may stand beside others in a page: no header, ids of its own."""
    body = text[text.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    own = set(_ID.findall(body))
    return _NAMED.sub(lambda found: f"{found[1]}{prefix}-{found[2]}" if found[2] in own else found[0], body)


def tones(pictures: Iterable[str]) -> str:
    """A style sheet that draws light SVGs in dark tones where the reader prefers dark pages.

    Selectors name no place: marks are drawn by reference, where browsers don't see what stands around them.

    >>> print(tones(['<path style="fill: #24292f"/>']))
    @media (prefers-color-scheme: dark) {
    [style*="fill: #24292f"] { fill: #e6edf3 !important; }
    }
    """
    found = sorted({match for text in pictures for match in _COLOUR.findall(text)})
    rules = [_rule(*place) for place in found if dark(place[2]) != place[2]]
    return "\n".join(["@media (prefers-color-scheme: dark) {", *rules, "}"])


def _rule(name: str, sign: str, colour: str) -> str:
    """The dark tone for what has a colour by its style, or by an attribute."""
    where = f'[style*="{name}: {colour}"]' if sign == ": " else f'[{name}="{colour}"]'
    return f"{where} {{ {name}: {dark(colour)} !important; }}"


def adaptive(text: str) -> str:
    """An SVG file that is light or dark as the reader prefers."""
    return text.replace("<defs>", f"<style>\n{tones([text])}\n</style>\n<defs>", 1)
