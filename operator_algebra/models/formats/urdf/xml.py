"""XML as a tree of elements with line numbers; what could expand, reach outside or never end is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from operator_algebra.errors import ModelError, explain

# A robot's file says nothing about the mechanism below robot > link > inertial > origin.
_DEEPEST = 4
_READ_INSIDE = ("link", "joint", "inertial")
# Read in half a second; a body takes ten elements that count, besides those of its drawing.
_MOST = 50_000
_MOST_SKIPPED = 400_000
_ADVICE = {
    "syntax error": "Is it an XML file at all?",
    "not well-formed (invalid token)": "Look for a bare < or &, a missing quote, or a file that is not XML.",
    "no element found": "Was the file truncated?",
    "unclosed token": "Was the file truncated?",
    "undefined entity": "Only &lt; &gt; &amp; &quot; &apos; and character numbers are known.",
}
_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml\s[^>]*?\bencoding\s*=\s*(['\"])([A-Za-z][A-Za-z0-9._-]{0,40})\1")

_INSIDE = ("mismatched tag", "no element found")


@dataclass(slots=True)
class Element:
    """A tag with its attributes, the line where it begins, and the elements in it."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list["Element"])

    def all(self, tag: str) -> Iterator[Element]:
        """The elements in it with this tag."""
        return (child for child in self.children if child.tag == tag)


def declared_encoding(data: bytes) -> str:
    """The encoding that an XML file says it has; UTF-8 if it says nothing.

    >>> declared_encoding(b'<?xml version="1.0" encoding="latin-1"?> <robot/>')
    'latin-1'
    """
    found = _DECLARATION.match(data)
    return found[2].decode() if found else "UTF-8"


def parse_xml(text: str, file: str) -> Element:
    """The outermost element of an XML text, or a `ModelError` with the line.

    >>> parse_xml("<robot name='r'> <link name='a'/> </robot>", "r.urdf").children[0].line
    1
    """
    parser = expat.ParserCreate()
    open_elements = _Open(parser, file)
    parser.StartElementHandler = open_elements.start
    parser.EndElementHandler = open_elements.end
    parser.StartDoctypeDeclHandler = open_elements.doctype
    parser.buffer_text = True
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        what = expat.errors.messages.get(error.code, str(error))
        advice = _ADVICE.get(what, "Check the tags and quotes there.")
        inside = open_elements.innermost if what in _INSIDE else ""
        raise ModelError(explain(f"not valid XML: {what}{inside}", f"{file}, line {error.lineno}", advice)) from None
    assert open_elements.root is not None  # expat has refused a text without an element
    return open_elements.root


class _Open:
    """The elements that the parser is inside of."""

    def __init__(self, parser: expat.XMLParserType, file: str) -> None:
        self.root: Element | None = None
        self._parser = parser
        self._file = file
        self._stack: list[Element] = []
        self._skipped = 0
        self._counts = {_MOST: 0, _MOST_SKIPPED: 0}

    @property
    def innermost(self) -> str:
        """The element that is still open."""
        if self._skipped or not self._stack:
            return ""
        return f", while <{self._stack[-1].tag:.60}> of line {self._stack[-1].line} is open"

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        stack = self._stack
        if self._skipped or (stack and not self._is_read(stack)):
            self._skipped += 1
            self._count(_MOST_SKIPPED)
            return
        self._count(_MOST)
        for name in (tag, *attributes):
            if not all(name.split(":")) or name.count(":") > 1:
                self._refuse(f"not valid XML: {name!r:.60} is no name", "Delete the colon.")
        element = Element(tag, attributes, self._parser.CurrentLineNumber)
        if stack:
            stack[-1].children.append(element)
        else:
            self.root = element
        stack.append(element)

    def end(self, tag: str) -> None:
        del tag
        if self._skipped:
            self._skipped -= 1
        else:
            self._stack.pop()

    def doctype(self, name: str, system: str | None, public: str | None, internal: bool) -> None:
        del name
        if system is not None or public is not None:
            self._refuse("the file refers to an external document type", "Delete the <!DOCTYPE …>; URDF has none.")
        if internal:
            self._refuse("the file declares entities or a document type", "Delete the <!DOCTYPE …>; URDF has none.")

    def _count(self, most: int) -> None:
        self._counts[most] += 1
        if self._counts[most] > most:
            self._refuse(f"more than {most} elements", "Build mechanisms of this size in Python, as chain() does.")

    @staticmethod
    def _is_read(stack: list[Element]) -> bool:
        return len(stack) == 1 or (len(stack) < _DEEPEST and stack[-1].tag in _READ_INSIDE)

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        raise ModelError(explain(what, f"{self._file}, line {self._parser.CurrentLineNumber}", remedy))
