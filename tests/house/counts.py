"""What tells how hard the code is to change, in numbers: `python -m tests.house.counts` prints them."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from operator_algebra.symbols import LEAVES
from tests.house.tree import PACKAGE, ROOT, files, read, short

NUMERIC = ("operators", "meaning", "backends")
"""The packages whose arrays have shapes to be told."""


@cache
def modules() -> dict[str, ast.Module]:
    """The files of the package by their dotted names below it."""
    found = {path.relative_to(PACKAGE).with_suffix("").as_posix(): path for path in PACKAGE.rglob("*.py")}
    return {name.replace("/", "."): ast.parse(read(path)) for name, path in sorted(found.items())}


def instruction_kinds() -> frozenset[str]:
    """The union `Instruction`: how one value of a program follows from others."""
    for node in modules()["programs.instructions"].body:
        match node:
            case ast.Assign([ast.Name("Instruction")], union):
                return frozenset(part.id for part in ast.walk(union) if isinstance(part, ast.Name))
            case _:
                pass
    raise AssertionError("no union of instructions")


def matching_files() -> list[str]:
    """Files that tell kinds of instructions apart, by a match or by isinstance."""
    kinds = instruction_kinds()
    return [name for name, tree in modules().items() if kinds.intersection(_told_apart(tree))]


def _told_apart(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        asked: list[ast.expr] = []
        if isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            asked = node.args[1:]
        yield from (part.id for each in asked for part in ast.walk(each) if isinstance(part, ast.Name))


def leaf_strings() -> list[str]:
    """Names of leaves as strings, outside the files that define them; in models the letters mean other things."""
    names = {leaf.name for leaf in LEAVES}
    homes = ("symbols", "operators.leaves", "identities.meanings")
    return [
        f"{name}:{node.lineno}"
        for name, tree in modules().items()
        if name not in homes and not name.startswith("models.")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in names
    ]


def imports_inside_functions() -> list[str]:
    """Imports that run when a function does."""
    return [
        f"{name}:{line}"
        for name, tree in modules().items()
        for line in sorted(
            {
                node.lineno
                for function in ast.walk(tree)
                if isinstance(function, ast.FunctionDef)
                for node in ast.walk(function)
                if isinstance(node, ast.Import | ast.ImportFrom)
            }
        )
    ]


def modules_in_cycles() -> list[str]:
    """Modules that import each other in a ring within one package, whenever the import runs."""
    graph = {
        name: {used for used in _imported(tree) if _package(used) == _package(name)} for name, tree in modules().items()
    }
    return [name for name in graph if name in _reached(graph, name)]


def _package(name: str) -> str:
    return name.partition(".")[0]


def _imported(tree: ast.Module) -> Iterator[str]:
    prefix = f"{PACKAGE.name}."
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and f"{node.module}.".startswith(prefix):
            home = f"{node.module}."[len(prefix) :]
            below = [home + alias.name for alias in node.names]
            yield from (name for name in below if name in modules())
            if home.rstrip(".") in modules():
                yield home.rstrip(".")


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    pending = list(graph[start])
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(graph.get(name, ()))
    return found


def any_words(*packages: str) -> list[str]:
    """Each time `Any` is written in some packages, or in all, imports left out."""
    return [
        f"{short(path)}:{token.start[0]}"
        for path in (files(".py", below=PACKAGE) if not packages else _below(packages))
        for token in tokenize.generate_tokens(io.StringIO(read(path)).readline)
        if token.type == tokenize.NAME and token.string == "Any" and "import" not in token.line
    ]


def _below(packages: tuple[str, ...]) -> Iterator[Path]:
    for package in packages:
        yield from files(".py", below=PACKAGE / package)


def tests_per_line() -> float:
    """Lines of tests for each line of the package."""

    def lines(folder: Path) -> int:
        return sum(read(path).count("\n") for path in files(".py", below=folder))

    return lines(ROOT / "tests") / lines(PACKAGE)


COUNTS: dict[str, Callable[[], float]] = {
    "files that tell kinds of instructions apart": lambda: len(matching_files()),
    "leaves as strings": lambda: len(leaf_strings()),
    "imports inside functions": lambda: len(imports_inside_functions()),
    "modules in rings of imports within a package": lambda: len(modules_in_cycles()),
    "Any in all packages": lambda: len(any_words()),
    "Any in operators, meaning, backends": lambda: len(any_words(*NUMERIC)),
    "lines of tests for a line of code": tests_per_line,
}


if __name__ == "__main__":
    sys.stdout.write("".join(f"{what:<48}{count():>8.4g}\n" for what, count in COUNTS.items()))
