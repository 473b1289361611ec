"""What was kept is found for what it was made of, alone; what goes wrong with files leaves it to be made anew."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from operator_algebra import LOADED, compiler
from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends import kept as kept_module
from operator_algebra.backends.kept import KeptProgram, Record, drawer
from operator_algebra.backends.native.store import VARIABLE, Store
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.query import logdet
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.spaces import RATE, TORQUE, space
from tests.backends.kept.programs import ARM, FORWARD, MASS, as_in_a_new_process, bits, both, drawer_of, was_kept
from tests.euler_angles import EulerAngles
from tests.house.tree import ROOT

pytest.importorskip("llvmlite")


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
