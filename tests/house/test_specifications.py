"""Each module of the compiler and of the prover has a test file of its name, which reads as its specification.

A module that only declares something has one as well, and shares none: what it declares can be wrong.
"""

import ast

import pytest

from tests.house.tree import PACKAGE, ROOT, read

ROOMS = ("programs", "lowering", "pages", "proofs")


@pytest.mark.parametrize("room", ROOMS)
def test_each_module_has_a_test_file_of_its_name(room: str) -> None:
    modules = {path.stem for path in (PACKAGE / room).glob("*.py")} - {"__init__"}
    specified = {path.stem.removeprefix("test_") for path in (ROOT / "tests" / room).glob("test_*.py")}
    assert modules
    assert not sorted(modules - specified)


@pytest.mark.parametrize("room", ROOMS)
def test_each_says_what_it_specifies(room: str) -> None:
    for path in (PACKAGE / room).glob("*.py"):
        specification = ROOT / "tests" / room / f"test_{path.stem}.py"
        if specification.is_file():
            assert ast.get_docstring(ast.parse(read(specification))), specification
