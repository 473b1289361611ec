"""The finished pages load nothing from the network, or the build fails."""

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

_LOADS = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=\"(?:https?:)?//[^\"]+\"")


def _check(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    for page in sorted(Path(app.outdir).rglob("*.html")):
        found = _LOADS.search(page.read_text(encoding="utf-8"))
        if found:
            raise ExtensionError(f"{page.name} loads from the network: {found[0]}")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    app.connect("build-finished", _check)
    return {"parallel_read_safe": True}
