"""Formulas and checks never loop over bodies: a sweep is what the compiler makes of an expression."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import PACKAGE, files, read, short

_BODYWISE = {"bodies", "parent", "joint_names", "body_names", "q_slices", "v_slices"}
_MECHANISMS = {"model", "robot", "tree", "topology", "mechanism"}
_COUNTS = {"n", "nq", "nv"}
_FORMULAS = {"e", "node", "lhs", "rhs"}
"""Names of expressions in the code: their children are sub-expressions, not bodies."""


def _formulas() -> Iterator[Path]:
    for folder in ("applications", "identities", "checking"):
        yield from files(".py", below=PACKAGE / folder)
    yield PACKAGE / "symbols.py"


def _words(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            of_formula = isinstance(part.value, ast.Name) and part.value.id in _FORMULAS
            if not (part.attr == "children" and of_formula):
                yield part.attr
        elif isinstance(part, ast.Name):
            yield part.id


def _calls(node: ast.AST, *functions: str) -> Iterator[ast.Call]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in functions:
            yield part


def _children_of_bodies(node: ast.AST) -> bool:
    """Formulas have children too; those of a mechanism are asked of it, or of one body by its number."""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr == "children" and _MECHANISMS.intersection(_words(part.value)):
            return True
        if isinstance(part, ast.Subscript) and "children" in _words(part.value):
            return True
    return False


def _is_bodywise(iterable: ast.AST) -> bool:
    ranges = [word for call in _calls(iterable, "range") for word in _words(call)]
    named = _BODYWISE.intersection(_words(iterable)) or _COUNTS.intersection(ranges)
    return bool(named) or _children_of_bodies(iterable)


def loops_over_bodies(source: str) -> list[int]:
    """The lines of loops whose range is the bodies of a mechanism, or that climb from a body to its parent."""
    found: list[int] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.For | ast.AsyncFor) and _is_bodywise(node.iter):
            found.append(node.lineno)
        elif isinstance(node, ast.comprehension) and _is_bodywise(node.iter):
            found.append(node.iter.lineno)
        elif isinstance(node, ast.While) and (_BODYWISE.intersection(_words(node)) or _children_of_bodies(node)):
            found.append(node.lineno)
        elif isinstance(node, ast.Call):
            found += [call.lineno for call in _calls(node, "map", "filter") if call is node and _is_bodywise(call)]
    return sorted(found)


def test_no_application_goes_through_blocks_of_bodies() -> None:
    """Block by block is body by body."""
    for path in files(".py", below=PACKAGE / "applications"):
        calls = [name for name in _words(ast.parse(read(path))) if name in ("diagonal_blocks", "blocks_at")]
        assert not calls, short(path)


def test_no_formula_loops_over_bodies() -> None:
    loops = {short(path): lines for path in _formulas() if (lines := loops_over_bodies(read(path)))}
    assert not loops


@pytest.mark.parametrize(
    "source",
    [
        "for body in model.bodies: pass",
        "for k in range(model.n): pass",
        "for k in reversed(range(robot.n)): pass",
        "for k, p in enumerate(parent): pass",
        "x = [model.parent[k] for k in range(n)]",
        "x = sum(body.inertia.mass for body in model.bodies)",
        "for child in children[k]: pass",
        "while k >= 0: k = model.parent[k]",
        "x = list(map(f, tree.children))",
        "for part in model.v_slices: pass",
        "x = {name: k for k, name in enumerate(model.body_names)}",
    ],
)
def test_a_loop_over_bodies_is_seen(source: str) -> None:
    assert loops_over_bodies(source) == [1]


@pytest.mark.parametrize(
    "source",
    [
        "for law in catalogue().values(): pass",
        "for sample in range(samples): pass",
        "x = [model.n for model in suite()]",
        "while queue: queue.extend(e.children)",
        "name = model.joint_names[k]",
        "x = list(map(str, residuals))",
    ],
)
def test_other_loops_are_free(source: str) -> None:
    assert loops_over_bodies(source) == []
