"""The search as it works from disk: excerpts come from a file of texts, and found words are marked outside drawings."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

_TEXTS = "page_texts.js"
_SCRIPT = "excerpts.js"
_INLINE = ("a", "b", "code", "em", "i", "span", "strong", "sub", "sup")
_VOID = ("area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr")


class _Article(HTMLParser):
    """Gathers what is said between <article> and </article>; formulas, drawings and marks of headings are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._inside = False
        self._left_out = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        unsaid = tag in ("script", "style", "svg", "math") or "math" in classes or "headerlink" in classes
        self._inside = self._inside or tag == "article"
        if tag not in _VOID and (self._left_out or unsaid):
            self._left_out += 1
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "article"
        if tag not in _VOID and self._left_out:
            self._left_out -= 1
        self._part(tag)

    def _part(self, tag: str) -> None:
        if tag not in _INLINE:
            self.words.append(" ")

    def handle_data(self, data: str) -> None:
        if self._inside and not self._left_out:
            self.words.append(data)


def said(page: str) -> str:
    """The words of a page, with single blanks.

    >>> said('<p>menu</p><article><h1>Two <em>words</em><a class="headerlink">#</a></h1><svg><path/></svg></article>')
    'Two words'
    """
    article = _Article()
    article.feed(page)
    return " ".join("".join(article.words).split())


def undisturbed(body: str) -> str:
    """A page whose drawings keep their titles: marks of found words would break there.

    >>> undisturbed("<svg><title>M</title></svg>")
    '<svg><title class="nohighlight">M</title></svg>'
    """
    return re.sub(r"<title>", '<title class="nohighlight">', body)


def _prepare(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    if "body" in context:
        context["body"] = undisturbed(context["body"])
    if pagename == "search":
        app.add_js_file(_TEXTS)
        app.add_js_file(_SCRIPT)


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    pages = {name: (out / f"{name}.html").read_text(encoding="utf-8") for name in sorted(app.env.found_docs)}
    texts = json.dumps({name: said(page) for name, page in pages.items()}, ensure_ascii=False)
    (out / "_static" / _TEXTS).write_text(f"const PAGE_TEXTS = {texts};\n", encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    app.connect("html-page-context", _prepare)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True}
