"""How results are laid out in arrays."""

from __future__ import annotations

from typing import NamedTuple

Shape = tuple[int, ...]


class Laid(NamedTuple):
    """How a result is laid out: the shapes of its arrays, one alone or a list of them."""

    name: str
    shapes: tuple[Shape, ...]
    listed: bool
