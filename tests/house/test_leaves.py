"""No leaf and no local function is known by its string outside its record."""

import ast
from collections.abc import Iterator
from pathlib import Path

from operator_algebra.operators.leaf import LEAVES
from operator_algebra.operators.local import LOCAL_FUNCTIONS
from tests.house.tree import PACKAGE, files, read

NAMES = {leaf.name for leaf in LEAVES} | set(LOCAL_FUNCTIONS)
RECORDS = {"operators/leaf.py", "operators/local.py"}

SAME_WORD = {
    "backends/closed_forms/mechanism.py": {"armature", "damping"},  # fields of joints
    "checking/suite.py": {"armature"},  # a group of mechanisms
    "expressions/names.py": {"E_phi"},  # the glyphs of all symbols
    "expressions/nodes.py": {"H"},  # the adjoint in numpy's words
    "markup.py": {"E_phi", "H", "M"},  # the colours of all symbols
    "proofs/kernel.py": {"cross", "crossbar", "spin"},  # the kernel asks nobody
    "pages/leftovers.py": {"H"},  # a hole of a scheme
    "operators/drawing.py": {"M"},  # a path of SVG moves there
    "operators/leaf_factors.py": {"armature", "damping"},  # fields of joints
    "operators/leaves.py": {"armature", "damping"},  # fields of joints
}
"""What is written like a leaf and is none, or is a table of all symbols; the fields of joints in `models/` besides."""


def quoted(source: str) -> Iterator[str]:
    """The names of leaves and local functions among the strings of a module; what it exports is not asked for."""
    tree = ast.parse(source)
    exported = {
        part
        for node in tree.body
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
        for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in NAMES and node not in exported:
            yield str(node.value)


def found() -> dict[str, set[str]]:
    result: dict[str, set[str]] = {}
    for path in files(".py", below=PACKAGE):
        name = path.relative_to(PACKAGE).as_posix()
        if name not in RECORDS and not Path(name).is_relative_to("models") and (names := set(quoted(read(path)))):
            result[name] = names
    return result


def test_nothing_asks_for_a_leaf_by_its_string() -> None:
    assert found() == SAME_WORD


def test_strings_are_found_and_exports_are_not() -> None:
    source = '"""H"""\n__all__ = ["M"]\nx = y.name == "H_dot" or z["cross"]\n'
    assert set(quoted(source)) == {"H", "H_dot", "cross"}
