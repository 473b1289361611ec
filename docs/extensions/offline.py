"""The finished pages work from disk, without a network and without a server, or the build fails."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

_LOADS = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=\"(?:https?:)?//[^\"]+\"")
_MODULE = re.compile(r"<script\b[^>]*\btype=\"module\"[^>]*>")  # browsers load these from servers only
_SUMMARY = re.compile(r"SHOW_SEARCH_SUMMARY: *true")


def obstacles(pages: Mapping[str, str]) -> list[str]:
    """What keeps pages and their settings, given by name, from working as files on a disk.

    >>> obstacles({"search.html": '<script src="searchindex.js"></script>'})
    []
    """
    found: list[str] = []
    for name, text in pages.items():
        if loaded := _LOADS.search(text):
            found.append(f"{name} loads from the network: {loaded[0]}")
        if module := _MODULE.search(text):
            found.append(f"{name} needs a server for {module[0]}")
        if _SUMMARY.search(text):
            found.append(f"{name} lets the search fetch each page it finds. Set html_show_search_summary = False.")
    return found


def _check(app: Sphinx, error: Exception | None) -> None:
    from sphinx.errors import ExtensionError

    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    paths = [*sorted(out.rglob("*.html")), out / "_static" / "documentation_options.js"]
    found = obstacles({str(path.relative_to(out)): path.read_text(encoding="utf-8") for path in paths})
    if found:
        raise ExtensionError("\n".join(found))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    app.connect("build-finished", _check)
    return {"parallel_read_safe": True}
