"""C code gives the bits of the package: compiled as C99, all warnings errors, loaded, and called beside the tape."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import diag, inv, operator, scalar
from operator_algebra.expressions.query import dense, logdet
from operator_algebra.models.families import random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE
from tests.programs.test_interpreted_programs import parts
from tests.rounding import apart, rounding, size
from tests.strategies import ALL_JOINTS

GCC = shutil.which("gcc") or ""
compiled_c = pytest.mark.skipif(not GCC, reason="there is no C compiler")


def called(source: str, name: str, arguments: list[Any], results: list[int], folder: Path) -> tuple[int, list[Any]]:
    """What the function of a file returns and writes, each array with a number behind it that must stay."""
    (folder / "it.c").write_text(source, encoding="utf-8")
    options = ["-std=c99", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run([GCC, *options, "it.c", "-o", "it.so", "-lm"], cwd=folder, check=True, capture_output=True)
    function = ctypes.CDLL(str(folder / "it.so"))[name]
    written = [np.full(count + 1, 7.25) for count in results]
    pointers = [np.ascontiguousarray(x, dtype=np.float64).ctypes.data_as(ctypes.c_void_p) for x in arguments]
    good = function(*pointers, *(x.ctypes.data_as(ctypes.c_void_p) for x in written))
    assert all(x[-1] == 7.25 for x in written)
    return good, [x[:-1] for x in written]


def of_bodies(model: Model, entries: Any) -> Any:
    """A diagonal as blocks, row by row."""
    return np.concatenate([np.diag(entries[part]).ravel() for part in model.v_slices])


def entries(found: Any) -> list[Any]:
    """The entries of each result."""
    several = list(cast("dict[str, Any]", found).values()) if isinstance(found, dict) else [found]
    return [np.concatenate([np.ravel(part) for part in parts(one)]) for one in several]


h, C = scalar("h"), operator("C", RATE >> TORQUE, structure="diagonal definite")
FORMULAS: dict[str, Any] = {
    "inverse dynamics": dynamics.inverse_dynamics,
    "forward dynamics": dynamics.forward_dynamics,
    "mass matrix": dense(dynamics.mass_matrix),
    "implicit": inv(dynamics.mass_matrix + C) @ (h * s.T),
    "several": {"P": s.P, "D": diag(inv(dynamics.mass_matrix)), "x": inv(dynamics.mass_matrix) @ s.T},
}


@compiled_c
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("model", [load("planar2r"), random_tree(4, joints=ALL_JOINTS, seed=3)], ids=["arm", "tree"])
def test_the_same_bits(name: str, model: Model, tmp_path: Path) -> None:
    run = compile_program(FORMULAS[name], model, backend="c")
    rng = np.random.default_rng(1)
    q, _ = model.random(1)
    values: dict[str, Any] = {
        x: rng.uniform(0.5, 2.0, () if x == "h" else model.nv) for x in sorted(run.inputs) if x != "f_ext"
    }
    expected = entries(compile_program(FORMULAS[name], model)(q=q, **values))
    blocks = {x: value if x != "C" else of_bodies(model, value) for x, value in values.items()}
    good, found = called(run.source, model.name, [q, *blocks.values()], list(map(len, expected)), tmp_path)
    assert good == 1
    for one, other, again in zip(found, expected, entries(run(q=q, **values)), strict=True):
        assert np.array_equal(one, other)
        assert np.array_equal(one, again)


@compiled_c
def test_logarithms_agree_but_for_rounding(tmp_path: Path) -> None:
    arm = load("arm7")
    run = compile_program(logdet(dynamics.mass_matrix), arm, backend="c")
    q, _ = arm.random(2)
    good, ((found,),) = called(run.source, "arm7", [q], [1], tmp_path)
    expected = run(q=q)
    assert good == 1
    assert apart(found, expected) <= rounding(size(expected), terms=7)


@compiled_c
@pytest.mark.parametrize("q", [np.nan, np.inf, 2e6])
def test_what_may_not_be_trusted_is_told(q: float, tmp_path: Path) -> None:
    arm = load("planar2r")
    source = compile_program(dense(dynamics.mass_matrix), arm, backend="c").source
    assert called(source, "planar2r", [np.array([0.1, q])], [4], tmp_path)[0] == 0


def test_the_file_says_what_it_computes() -> None:
    source = compile_program(dynamics.forward_dynamics, load("planar2r"), backend="c").source
    assert "int planar2r(const double q[2], const double T[2], const double v[2], double out_x[2])" in source
    assert "of planar2r." in source
    assert "malloc" not in source
    assert source.count("#include") == 1


def test_what_is_no_list_of_operations_is_refused() -> None:
    arm = load("planar2r")
    with pytest.raises(InputError, match="not written in C"):
        _ = compile_program(dynamics.forward_dynamics, arm, backend="c", method="orthogonal").source
    with pytest.raises(InputError, match="axes of the bodies"):
        compile_program(dynamics.forward_dynamics, arm, backend="c", frame="world")
    hop = operator("K", FORCE >> FORCE, structure="inward hop")
    with pytest.raises(InputError, match="K is an operator"):
        _ = compile_program(hop @ s.M @ s.V, arm, backend="c").source
