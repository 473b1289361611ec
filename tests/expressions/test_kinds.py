"""The list of the kinds of node is closed: each is in it, and whoever keeps a table of kinds has them all."""

from collections.abc import Iterator
from typing import Any

from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.traverse import KINDS
from operator_algebra.programs.read import NODES


def below(kind: type[Any]) -> Iterator[type[Any]]:
    """The classes that nodes are made of."""
    parts = kind.__subclasses__()
    return iter([kind]) if not parts else (one for part in parts for one in below(part))


def test_every_kind_of_node_is_listed() -> None:
    assert set(below(Expr)) == set(KINDS.values())


def test_programs_read_every_kind_of_node() -> None:
    assert {name for name, _ in NODES.values()} == set(KINDS)
    assert list(NODES) == [name.lower() for name, _ in NODES.values()]
