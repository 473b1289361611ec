"""The public names: all there, shown to tools, and free of charge until used."""

import ast
import subprocess
import sys
from importlib import import_module
from inspect import isfunction
from types import ModuleType

import pytest

import operator_algebra
from tests.house.tree import PACKAGE, read

PUBLIC = [name for name in dir(operator_algebra) if not name.startswith("_")]
HEAVY = {
    "numpy",
    "scipy",
    "sympy",
    "mpmath",
    "matplotlib",
    "typer",
    "rich",
    "click",
    "llvmlite",
    "jax",
    "importlib.metadata",
}


@pytest.mark.parametrize("name", PUBLIC)
def test_name_resolves(name: str) -> None:
    value = getattr(operator_algebra, name)
    assert value is getattr(operator_algebra, name)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_function_shows_what_it_does(name: str) -> None:
    value = getattr(operator_algebra, name)
    assert not isfunction(value) or ">>> " in str(value.__doc__), f"{name} has no example"


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(read(PACKAGE / "__init__.py"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert len(imports) == len(block.body)
    shown = [(alias.name, str(alias.asname), str(node.module)) for node in imports for alias in node.names]
    assert sorted(name for _, name, _ in shown) == PUBLIC
    for original, name, home in shown:
        value = getattr(operator_algebra, name)
        assert original == name
        assert value is getattr(import_module(home), name)


def test_no_name_is_hidden_by_a_module() -> None:
    # Importing operator_algebra.x sets the attribute x of the package: a function x would be lost.
    modules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert not [
        name for name in modules.intersection(PUBLIC) if not isinstance(getattr(operator_algebra, name), ModuleType)
    ]


@pytest.mark.parametrize("name", ["forward_dynamic", "Phi"])
def test_an_unknown_name_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(operator_algebra, name)


def test_importing_loads_nothing_heavy() -> None:
    program = "import sys; before = set(sys.modules); import operator_algebra; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert "operator_algebra" in loaded
    assert not HEAVY.intersection(loaded)
    assert [name for name in loaded if name.startswith("operator_algebra.")] == []
