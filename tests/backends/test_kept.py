"""What was kept of a program says and gives the same as the program, and is found for what it was made of alone."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import LOADED, compiler
from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends import kept as kept_module
from operator_algebra.backends.kept import Drawer, KeptProgram, Record, drawer
from operator_algebra.backends.native.store import VARIABLE, Store
from operator_algebra.calls.compiled import Compiled
from operator_algebra.errors import NotLowerable, SingularError
from operator_algebra.expressions.build import diag, inv, operator
from operator_algebra.expressions.query import dense, logdet
from operator_algebra.lowering.lower import Lowerable
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.spaces import RATE, TORQUE, space
from tests.backends.scalar.calls import random_arguments
from tests.backends.test_forms import formula
from tests.euler_angles import EulerAngles
from tests.house.tree import ROOT
from tests.outcomes import outcome
from tests.strategies import ALL_JOINTS

pytest.importorskip("llvmlite")
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
D = operator("D", RATE >> TORQUE, structure="diagonal")
ARM = load("arm7")
Floats = NDArray[np.float64]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    found = Store(tmp_path / "kept")
    monkeypatch.setenv(VARIABLE, str(found.folder))
    yield found
    compiler._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]


def as_in_a_new_process(e: Lowerable, model: Model, **options: Any) -> Compiled:
    compiler._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]
    return compiler.compile(e, model, **options)


def was_kept(compiled: Compiled) -> bool:
    return isinstance(compiled._numeric(), KeptProgram)  # pyright: ignore[reportPrivateUsage]


def both(e: Lowerable, model: Model, q: Any, values: dict[str, Any], **options: Any) -> tuple[Compiled, Compiled]:
    """A program that has made machine code, and what is kept of it."""
    made = as_in_a_new_process(e, model, backend="compiled", **options)
    outcome(lambda: made(q=q, **values))
    return made, as_in_a_new_process(e, model, **options)


def bits(value: Any) -> list[bytes]:
    several = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [np.ascontiguousarray(one).tobytes() for one in several]


# -- it gives the same -------------------------------------------------------------------------------------------------

LINES = """
import sys, numpy as np, operator_algebra as oa
arm = oa.load("arm7")
run = oa.compile(oa.dynamics.forward_dynamics, arm{backend})
q, v = arm.random(0)
print(run(q=q, v=v, T=np.ones(7)).tobytes().hex())
print(*(name in sys.modules for name in {modules}))
"""
HEAVY = (
    "llvmlite",
    "operator_algebra.programs.program",
    "operator_algebra.lowering.lower",
    "operator_algebra.backends.floats",
)


def test_another_process_lowers_nothing_and_loads_no_llvm() -> None:
    def told(backend: str, seed: int) -> list[str]:
        code = LINES.format(backend=backend, modules=HEAVY)
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        return subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True, env=environment).split("\n")

    first = told(', backend="compiled"', 1)
    assert "False" not in first[1]
    for seed, backend in ((2, ', backend="compiled"'), (3, ""), (4, ', threads=2, backend="numpy"')):
        again = told(backend, seed)
        assert again[0] == first[0]
        assert "True" not in again[1]


@pytest.mark.parametrize("seed", range(12))
def test_random_formulas_on_random_trees(seed: int) -> None:
    tree, e = random_tree(1 + seed % 7, joints=ALL_JOINTS, seed=seed), formula(seed)
    q, given = random_arguments(e, tree, seed)
    try:
        takes = {symbol.name for symbol in compiler.compile(e, tree).interface.accepts}
    except NotLowerable:
        pytest.skip("it has no program")
    values: dict[str, Any] = {name: value for name, value in given.items() if name in takes}
    made, kept = both(e, tree, q, values)
    expected, found = outcome(lambda: made(q=q, **values)), outcome(lambda: kept(q=q, **values))
    assert (found.warned, str(found.error)) == (expected.warned, str(expected.error))
    assert bits(found.result) == bits(expected.result)


FORWARD = dynamics.forward_dynamics
SEVERAL: dict[str, Lowerable] = {
    "several": {"a": FORWARD, "b": MASS},
    "blocks": diag(MASS),
    "blocks of several sizes": s.D,
    "a matrix": dense(inv(MASS)),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_results_are_laid_out_as_ever(name: str) -> None:
    e, tree = SEVERAL[name], random_tree(5, joints=ALL_JOINTS, seed=2)
    q, v = tree.random(0)
    values: dict[str, Any] = {"v": v, "T": np.ones(tree.nv)} if name == "several" else {}
    made, kept = both(e, tree, q, values)
    assert was_kept(kept)
    for several in (q, np.stack([q, tree.random(1)[0]])):
        expected, found = made(q=several, **values), kept(q=several, **values)
        if name == "several":
            assert list(found) == list(expected)
            expected, found = list(expected.values()), list(found.values())
        assert bits(found) == bits(expected)


def calls(run: Compiled) -> dict[str, Callable[[], Any]]:
    """What one does with a compiled program of forward dynamics."""
    q, v = ARM.random(0)
    T, batch = np.ones(7), np.stack([ARM.random(k)[0] for k in range(5)])

    def written() -> Floats:
        out = np.empty((5, 7))
        assert run(q=batch, v=v, T=T, out=out) is out
        return out

    def bound() -> Floats:
        out = np.empty(7)
        run.bind(q=q, v=v, T=T, out=out)()
        return out

    return {
        "one": lambda: run(q=q, v=v, T=T),
        "once more": lambda: run(q=q, v=v, T=T),
        "a list": lambda: run(q=q.tolist(), v=v.tolist(), T=T.tolist()),
        "a batch": lambda: run(q=batch, v=v, T=T),
        "forces from outside": lambda: run(q=q, v=v, T=T, f_ext=np.ones(42)),
        "into an array": written,
        "bound": bound,
        "something missing": lambda: run(q=q, v=v),
        "something else": lambda: run(q=q, v=v, T=T, x=1),
        "a wrong shape": lambda: run(q=q[:-1], v=v, T=T),
        "not a number": lambda: run(q=q, v=v, T=T * np.nan),
        "too large": lambda: run(q=q, v=v * 1e200, T=T),
        "a column": lambda: run.linear_operator(q=q, v=v) @ T,
        "as text": lambda: (repr(run), str(run), run._repr_html_(), run.inputs),  # pyright: ignore[reportPrivateUsage]
        "as code": lambda: (run(q=q, v=v, T=T).tolist(), run.source, run.program.text),
        "operations": lambda: run.operations(q=q, v=v, T=T),
    }


@pytest.mark.parametrize("name", calls(compiler.compile(FORWARD, ARM)))
def test_all_that_is_done_with_a_program(name: str) -> None:
    q, v = ARM.random(0)
    made, kept = both(FORWARD, ARM, q, {"v": v, "T": np.ones(7)})
    made, kept = replace(made, backend="it"), replace(kept, backend="it")
    assert was_kept(kept)
    expected, found = outcome(calls(made)[name]), outcome(calls(kept)[name])
    assert (found.warned, type(found.error), str(found.error)) == (
        expected.warned,
        type(expected.error),
        str(expected.error),
    )
    if hasattr(expected.result, "tobytes"):
        assert bits(found.result) == bits(expected.result)
    else:
        assert found.result == expected.result


def test_doubtful_samples_are_told_and_mended_as_ever() -> None:
    arm = chain(1, seed=1)
    q = np.stack([arm.random(k)[0] for k in range(4)])
    whole = compiler.compile(dense(MASS), arm)(q=q)[:, 0]
    given = whole * (1.0 - np.array([1.0, 1e-5, 1e-10, 0.0]))[:, None]
    values: dict[str, Any] = {"T": np.ones(1), "D": given}
    made, kept = both(inv(MASS - D) @ s.T, arm, q, values)
    assert was_kept(kept)
    expected, found = outcome(lambda: made(q=q, **values)), outcome(lambda: kept(q=q, **values))
    assert isinstance(found.error, SingularError)
    assert (found.warned, str(found.error)) == (expected.warned, str(expected.error))
    assert bits(found.result) == bits(expected.result)
    masked = [run(q=q, errors="mask", **values) for run in (made, kept)]
    assert bits(masked[0]) == bits(masked[1])
    assert np.isnan(masked[0]).any(axis=1).tolist() == [False, False, False, True]


def test_single_precision_is_kept_for_itself() -> None:
    q, v = ARM.random(0)
    values: dict[str, Any] = {"v": v.astype(np.float32), "T": np.ones(7, dtype=np.float32)}
    made, kept = both(FORWARD, ARM, q.astype(np.float32), values, dtype="float32")
    assert was_kept(kept)
    assert not was_kept(as_in_a_new_process(FORWARD, ARM))
    found = kept(q=q.astype(np.float32), **values)
    assert found.dtype == np.float32
    assert bits(found) == bits(made(q=q.astype(np.float32), **values))


def test_each_form_of_arguments_is_kept(folder: Store) -> None:
    q, v = ARM.random(0)
    values: dict[str, Any] = {"v": v, "T": np.ones(7)}
    both(FORWARD, ARM, q, values)
    _, kept = both(FORWARD, ARM, q, {**values, "f_ext": np.ones(42)})
    place = drawer_of()
    record = None if place is None else place.read()
    assert record is not None
    assert len(record.forms) == 2
    assert was_kept(kept)


# -- it is found for what it was made of, alone ------------------------------------------------------------------------


def drawer_of(asked: object = (FORWARD, "auto"), model: Model = ARM) -> Drawer | None:
    return drawer((FORWARD, "auto", (), "raise", "float64") if asked == (FORWARD, "auto") else asked, model)


def changed(model: Model, **how: Any) -> Model:
    """The same, whose last body is a little different."""
    *rest, last = model.bodies
    return Model(name=model.name, bodies=[*rest, replace(last, **how)], gravity=model.gravity)


def test_every_part_of_what_is_asked_for_has_a_place_of_its_own() -> None:
    before, last = drawer_of(), ARM.bodies[-1]
    heavier = replace(last.inertia, mass=float(np.nextafter(last.inertia.mass, 9.0)))
    models = {
        "it": ARM,
        "a mass": changed(ARM, inertia=heavier),
        "a joint": changed(ARM, joint=replace(last.joint, armature=(1e-300,))),
        "gravity": Model(name=ARM.name, bodies=ARM.bodies, gravity=(0.0, 0.0, -9.8)),
    }
    # Two spaces of one name: one has a block for each body, the other has one of none.
    attached, alone = (operator("J", RATE >> space("contact", attached=where)) for where in (True, False))
    asked: dict[str, object] = {
        "it": (FORWARD, "auto"),
        "a formula": (dynamics.inverse_dynamics, "auto"),
        "a method": (FORWARD, "refined"),
        "a name": ((("a", FORWARD),), "auto"),
        "another name": ((("b", FORWARD),), "auto"),
        "a space": (attached @ s.v, "auto"),
        "a space of no body": (alone @ s.v, "auto"),
        "declared": (operator("A", RATE >> TORQUE), "auto"),
        "declared otherwise": (operator("A", RATE >> TORQUE, structure="diagonal"), "auto"),
        "a sign": (-FORWARD, "auto"),
    }
    compiler.compile(FORWARD, ARM)(q=ARM.neutral(), v=np.ones(7), T=np.ones(7))  # which looks up one or the other thing
    assert drawer_of() == before
    places = [drawer(one, model) for one in asked.values() for model in models.values()]
    names = [place.name for place in places if place is not None]
    assert len(names) == len(set(names)) == len(asked) * len(models)


def test_a_file_of_the_package_that_changes_is_another_package(tmp_path: Path) -> None:
    def told() -> list[tuple[str, int, int]]:
        return sorted(kept_module._files(str(tmp_path)))  # pyright: ignore[reportPrivateUsage]

    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.py").write_text("x = 1")
    seen = [told()]
    (tmp_path / "below" / "a.py").write_text("x = 22")
    seen.append(told())
    os.utime(tmp_path / "below" / "a.py", ns=(1, 1))
    seen.append(told())
    (tmp_path / "b.py").write_text("")
    seen.append(told())
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("")
    assert told() == seen[-1]
    assert all(one != two for one, two in pairwise(seen))


def test_what_was_changed_while_the_process_ran_is_not_kept(folder: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were read before may differ from those that are there."""
    place = drawer_of()
    assert place is not None
    q, v = ARM.random(0)
    newest, _ = kept_module._state()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(kept_module, "_state", lambda: (newest, "another"))
    as_in_a_new_process(FORWARD, ARM, backend="compiled")(q=q, v=v, T=np.ones(7))
    assert place.read() is None
    assert folder.sizes()  # the code is, by its own text
    kept_module._package.cache_clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(kept_module, "_state", lambda: (LOADED + 1, "another"))
    assert drawer_of() is None
    kept_module._package.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_so_many_forms_of_arguments_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_module, "_FORMS", 2)
    q, e = ARM.neutral(), inv(MASS) @ operator("B", space("given", attached=False) >> TORQUE)
    compiler.compile(e, ARM, backend="compiled")
    for columns in (1, 2, 3):
        as_in_a_new_process(e, ARM, backend="compiled")(q=q, B=np.ones((7, columns)))
    again = as_in_a_new_process(e, ARM)._numeric()  # pyright: ignore[reportPrivateUsage]
    assert isinstance(again, KeptProgram)
    sizes = [form.given for form in again._record.forms.values()]  # pyright: ignore[reportPrivateUsage]
    assert sizes == [(7, 14), (7, 21)]


IMPORTED = """
import sys, numpy as np
from operator_algebra.compiler import compile
from operator_algebra.models.families import chain
compile("inv(H phi M phi.T H.T) T", chain(3), backend="compiled")(q=np.zeros(3), T=np.ones(3))
print(*{name.split(".")[1] for name in sys.modules if name.startswith("operator_algebra.")})
"""


def test_code_comes_from_the_files_that_are_looked_at() -> None:
    environment = {**os.environ, VARIABLE: ""}
    imported = subprocess.check_output([sys.executable, "-c", IMPORTED], cwd=ROOT, text=True, env=environment).split()
    assert {"lowering", "backends", "models"} <= set(imported)
    assert not kept_module._ELSEWHERE.intersection(imported)  # pyright: ignore[reportPrivateUsage]


def test_what_is_a_users_own_is_not_kept() -> None:
    euler = Model(name="euler", bodies=[Body("one", None, EulerAngles(), inertia=ARM.bodies[0].inertia)])
    assert drawer((MASS, "auto"), euler) is None
    assert drawer((MASS, changed), ARM) is None
    assert drawer((MASS, lambda: None), ARM) is None
    assert drawer((MASS, "auto"), ARM) is not None
    q, v = euler.random(0)
    made, again = both(FORWARD, euler, q, {"v": v, "T": np.ones(3)})
    assert not was_kept(again)
    assert bits(made(q=q, v=v, T=np.ones(3))) == bits(again(q=q, v=v, T=np.ones(3)))


def test_nothing_is_kept_where_nothing_shall_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    assert drawer((MASS, "auto"), ARM) is None
    _, again = both(MASS, ARM, ARM.neutral(), {})
    assert not was_kept(again)


@pytest.mark.parametrize("options", [{"frame": "world"}, {"backend": "interpreter"}, {"e": logdet(MASS)}])
def test_what_has_no_machine_code_is_not_kept(options: dict[str, Any], folder: Store) -> None:
    how: dict[str, Any] = {"e": MASS, "model": ARM, **options}
    as_in_a_new_process(**how)(q=ARM.neutral())
    assert not folder.sizes()


# -- what goes wrong with files leaves it to be made anew --------------------------------------------------------------


def test_a_place_that_holds_something_else_is_empty(folder: Store) -> None:
    both(FORWARD, ARM, ARM.neutral(), {"v": np.ones(7), "T": np.ones(7)})
    place = drawer_of()
    assert place is not None
    data = folder.read(place.name)
    assert data is not None
    assert place.read() is not None
    for other in (
        b"",
        b"nothing",
        pickle.dumps([1, 2]),
        data[:-1],
        data[: len(data) // 2],
        data.replace(b"Record", b"Recorb"),
    ):
        folder.write(place.name, other)
        assert place.read() is None
        assert not was_kept(as_in_a_new_process(FORWARD, ARM))
    (folder.folder / place.name).write_bytes(data)
    assert place.read() is None


def test_code_that_is_gone_is_made_anew(folder: Store) -> None:
    q, v = ARM.random(0)
    values: dict[str, Any] = {"v": v, "T": np.ones(7)}
    made, kept = both(FORWARD, ARM, q, values)
    place = drawer_of()
    assert place is not None
    for path in folder.sizes():
        if path.name != place.name:
            path.unlink()
    assert was_kept(kept)
    assert bits(kept(q=q, **values)) == bits(made(q=q, **values))
    as_in_a_new_process(FORWARD, ARM, backend="compiled")(q=q, **values)
    record = place.read()
    assert isinstance(record, Record)
    assert {form.code for form in record.forms.values()} <= {path.name for path in folder.sizes()}
