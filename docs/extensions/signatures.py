"""Signatures as they are read: NumPy's words for arrays by their names, and defaults that are no Python as such."""

import re

from numpy.typing import ArrayLike
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata, stringify_annotation

_LIKE = stringify_annotation(ArrayLike, "smart")
_INSIDE = r"(?:[^\[\]]|\[[^\[\]]*\])*"
_ARRAY = re.compile(rf"~numpy\.ndarray\[tuple\[{_INSIDE}\], ~numpy\.dtype\[{_INSIDE}\]\]")
_AXES = re.compile(r"(?:~typing\.|typing\.)?Annotated\[(~numpy\.ndarray), '[^']*'\]")
_CLASS = re.compile(r"<class '(?:\w+\.)*(\w+)'>")


def short(text: str) -> str:
    """A signature with arrays that are called so.

    >>> short("(kind: type = <class 'float'>) -> ~typing.Annotated[~numpy.ndarray, 'rows']")
    '(kind: type = float) -> ~numpy.ndarray'
    """
    text = _AXES.sub(r"\1", _ARRAY.sub("~numpy.ndarray", text.replace(_LIKE, "~numpy.typing.ArrayLike")))
    return _CLASS.sub(r"\1", text).replace("<factory>", "...")


def _process(
    app: Sphinx, what: str, name: str, obj: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    return short(signature) if signature else signature, short(returned) if returned else returned


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    app.connect("autodoc-process-signature", _process)
    return {"parallel_read_safe": True}
