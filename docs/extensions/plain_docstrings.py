"""Docstrings are plain text: stars of formulas and single backticks, which reStructuredText would misread."""

import re

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

_SPECIAL = re.compile(r"([\\*|])|(?<=\w)_(?!\w)")
_CODE = re.compile(r"(`+)(.+?)\1")


def _escape(line: str) -> str:
    """Keep what is in backticks as code, and take the meaning from every other mark."""
    parts: list[str] = []
    end = 0
    for code in _CODE.finditer(line):
        parts += [_SPECIAL.sub(r"\\\g<0>", line[end : code.start()]), f"``{code[2]}``"]
        end = code.end()
    return "".join([*parts, _SPECIAL.sub(r"\\\g<0>", line[end:])])


def plain(lines: list[str]) -> list[str]:
    """Paragraphs stay paragraphs, examples stay examples, indented lines become a block with the same breaks."""
    result: list[str] = []
    kind = "text"
    for line in lines:
        before = kind
        if line.lstrip().startswith(">>>") or (kind == "example" and line.strip()):
            kind = "example"
        else:
            kind = "block" if line.startswith("    ") else "text"
        if kind != before:
            result.append("")
        result.append(line if kind == "example" else f"| {_escape(line.strip())}" if kind == "block" else _escape(line))
    return result


def _process(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    lines[:] = plain(lines)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}
