"""The list of the kinds of node is closed: who adds one is told here what it still lacks, beside the type checker."""

import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import diag, inv, one, root, zero
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.traverse import KINDS
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import FORCE
from operator_algebra.programs.program import Program
from operator_algebra.programs.read import NODES

EXAMPLES: dict[str, Expr] = {
    "Symbol": s.M,
    "One": one(FORCE >> FORCE),
    "Zero": zero(FORCE >> FORCE),
    "Sum": s.M + s.P,
    "Product": s.H @ s.M,
    "Scale": 2 * s.M,
    "Transpose": s.H.T,
    "Inverse": inv(s.D),
    "Root": root(s.D),
    "Diag": diag(s.phi @ s.M @ s.phi.T),
    "Fixpoint": s.P,
    "Local": s.cross(s.V),
}


def below(kind: type[Any]) -> Iterator[type[Any]]:
    """The classes that nodes are made of."""
    parts = kind.__subclasses__()
    return iter([kind]) if not parts else (one for part in parts for one in below(part))


def test_every_kind_of_node_is_listed_and_has_an_example() -> None:
    assert set(below(Expr)) == set(KINDS.values())
    assert {name: type(e).__name__ for name, e in EXAMPLES.items()} == {name: name for name in KINDS}


def test_programs_read_every_kind_of_node() -> None:
    assert {name for name, _ in NODES.values()} == set(KINDS)
    assert list(NODES) == [name.lower() for name, _ in NODES.values()]


@pytest.mark.parametrize("name", KINDS)
def test_a_node_of_every_kind_is_read_back(name: str) -> None:
    e = EXAMPLES[name]
    for style in ("unicode", "ascii"):
        found = s.parse(e.render(style))
        assert isinstance(found, Expr)
        assert found == e if found.typed else type(found) is type(e)  # I and 0 alone are of no type
    assert pickle.loads(pickle.dumps(e)) == e


@pytest.mark.parametrize("name", KINDS)
def test_a_program_tells_of_a_node_of_every_kind(name: str) -> None:
    program = lower(EXAMPLES[name])
    assert Program.parse(program.text) == program
