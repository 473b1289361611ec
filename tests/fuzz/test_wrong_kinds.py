"""Wrong values in every argument of every public call: only errors of the package may come out, short and in words."""

import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import operator_algebra as oa
from operator_algebra.applications import diagnosis
from operator_algebra.errors import OperatorAlgebraError, OperatorAlgebraWarning
from tests.fuzz.public_calls import Call, calls
from tests.fuzz.wrong_values import WRONG

LONGEST = 1500
"""Characters of a message: one that shows a value of 100,000 characters whole helps nobody."""

CALLBACKS: dict[tuple[str, int | str], set[str]] = {
    ("fixpoint", 2): {"class", "hostile", "compiled"},
    ("check", "progress"): {"class", "hostile", "compiled", "exception"},
    ("prove", "progress"): {"class", "hostile", "compiled", "exception"},
    ("simulate", "torque"): {"class", "hostile", "compiled", "function", "exception"},
    ("Event", 1): {"hostile"},
    ("Event", "then"): {"hostile"},
    ("simulate", "progress"): {"class", "hostile", "compiled", "exception"},
    ("discover_laws", "progress"): {"class", "hostile", "compiled", "exception"},
}
"""Functions of the caller, whose own exceptions are passed on."""

QUICK = (
    "none", "true", "half", "huge", "immense", "nan", "complex", "text", "list", "dict of objects", "array",
    "object array", "date array", "masked array", "function", "class", "hostile", "expression", "model",
)  # fmt: skip
"""Values of the normal run; all of them go with -m slow."""

NOT_CALLED = {
    "BlockMatrix": "made by evaluate",
    "BlockMatrix.blocks_at": "takes index arrays of its own places",
    "BlockMatrix.from_dense": "called by evaluation",
    "BlockMatrix.from_groups": "called by evaluation",
    "BlockMatrix.like": "called by evaluation",
    "BlockMatrix.scaled": "called by evaluation",
    "BlockMatrix.titled": "called by evaluation",
    "Check": "made by check",
    "Compiled": "made by compile; its call is fuzzed",
    "Cost": "made by Program.cost",
    "Expr": "refuses every call",
    "Joint": "the base of joints; its kinds are fuzzed",
    "Joint.chain_options": "called by chain",
    "Joint.difference": "called by Model.difference",
    "Joint.error": "called by joints",
    "Joint.integrate": "called by Model.integrate",
    "Joint.motion_map": "called with arrays of the package",
    "Joint.motion_map_rate": "called with arrays of the package",
    "Joint.random": "called by Model.random",
    "Joint.rate": "called by Model.rate",
    "Joint.random_options": "called by random_tree",
    "Joint.kept_columns": "called by chain and random_tree",
    "Joint.random_columns": "called by random_tree",
    "Joint.stacked": "called by models",
    "Joint.transform": "called with arrays of the package",
    "Discovery": "made by discover",
    "Laws": "made by discover_laws",
    "Model.from_columns": "called by chain and random_tree",
    "Model.from_parts": "called by readers of files",
    "Program": "made by lower",
    "Proof": "made by prove",
    "Symbol": "refuses every call",
    "spy": "with the other pictures",
}
"""What is public and takes arguments, but is not fuzzed here, and why."""


def public() -> Iterator[str]:
    """Names of all public functions, classes and methods that take arguments."""
    for name in dir(oa):
        value: Any = getattr(oa, name)
        if name.startswith("_") or isinstance(value, ModuleType):
            continue
        if callable(value) and takes_arguments(value):
            yield name
        if inspect.isclass(value):
            methods = {key for cls in value.__mro__ for key in vars(cls) if cls.__module__.startswith("operator_alg")}
            owner = "Expr" if value is oa.Symbol else name
            yield from (
                f"{owner}.{method}"
                for method in sorted(methods)
                if not method.startswith("_") and takes_arguments(inspect.getattr_static(value, method))
            )
    for module in (
        oa.dynamics,
        oa.diagonalized,
        oa.estimation,
        oa.decomposition,
        oa.global_form,
        oa.task_space,
        oa.sensitivities,
        oa.embedding,
        oa.lie,
        oa.geometry,
        diagnosis,
    ):
        for name, value in vars(module).items():
            home = getattr(value, "__module__", "")
            if inspect.isfunction(value) and home.startswith("operator_algebra.applications") and name[0] != "_":
                yield f"{module.__name__.rpartition('.')[2]}.{name}"
    yield from ("cross", "crossbar", "innovations", "motion")


def takes_arguments(value: Any) -> bool:
    """Whether a function or class has parameters besides self."""
    bare = getattr(value, "__func__", value)
    if not (inspect.isfunction(bare) or inspect.isclass(bare)):
        return False
    return bool(set(inspect.signature(bare).parameters) - {"self", "cls"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


NAMES = sorted(calls(Path()))


def test_every_public_call_is_fuzzed() -> None:
    fuzzed = {name.partition(",")[0].partition(" ")[0] for name in NAMES}
    assert not sorted(set(public()) - fuzzed - set(NOT_CALLED))
    assert not set(NOT_CALLED) - set(public())


@pytest.mark.parametrize("name", NAMES)
def test_the_right_arguments_are_right(name: str, folder: Path) -> None:
    assert repr(calls(folder)[name].run())


@pytest.mark.parametrize("name", NAMES)
def test_wrong_values_are_told(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert faults(name, calls(folder)[name], QUICK) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_wrong_values_are_told(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert faults(name, calls(folder)[name], WRONG) == []


def faults(name: str, call: Call, kinds: Any) -> list[str]:
    """What came out of a call, for every place and every wrong value, that is no error of the package."""
    found: list[str] = []
    for place in call.places():
        for kind in kinds:
            if kind in CALLBACKS.get((name, place), ()):
                continue
            fault = outcome(call, place, WRONG[kind]())
            if fault:
                found.append(f"{name}, argument {place}, {kind}: {fault}")
    return found


def outcome(call: Call, place: int | str, value: Any) -> str:
    """How a call fails otherwise than it should; "" if it works, as its result and its text must, or is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", OperatorAlgebraWarning)
        try:
            found = call.run(place, value)
            return "" if repr(found) and (str(found) or isinstance(found, str)) else "a result without a text"
        except OperatorAlgebraError as error:
            message = str(error)
            return "" if 0 < len(message) <= LONGEST else f"a message of {len(message)} characters"
        except Exception as error:  # noqa: BLE001  what comes out is what is tested
            return f"{type(error).__name__} {error.args!r:.60}" if kind_is_printable(error) else type(error).__name__


def kind_is_printable(error: Exception) -> bool:
    """Whether an exception can be shown: its arguments may be numbers of thousands of digits."""
    try:
        repr(error.args)
    except Exception:  # noqa: BLE001  whatever a value of the test does
        return False
    return True
