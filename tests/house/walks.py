"""The files of the package that real calls pass, in the order in which they are first entered; run in a new process."""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import operator_algebra as oa
from operator_algebra import compiler
from operator_algebra.backends import kernel

PACKAGE = Path(oa.__file__).parent
FORMULA = "inv(H phi M phi.T H.T) T"


class Passed:
    """A profile that writes down files as they are entered, but not what merely happens because a module is loaded."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self.loading = 0

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(str(PACKAGE)):
            return
        if code.co_name == "<module>":
            self.loading += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self.loading:
            self.files.setdefault(Path(code.co_filename).relative_to(PACKAGE).as_posix())


def passed(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """The result of a call, and the files that it passed."""
    found = Passed()
    sys.setprofile(found)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    return result, [name for name in found.files if name != "__init__.py"]


def machine_code(call: Callable[[], Any]) -> list[str]:
    """The files of a call for which it is worth to make machine code, which is kept."""
    usual = kernel.WORTH
    kernel.WORTH = kernel.ALONE + 1  # the call before this one has counted
    try:
        return passed(call)[1]
    finally:
        kernel.WORTH = usual


def walks() -> dict[str, list[str]]:
    """One call of each kind, on a small mechanism of the gallery."""
    found: dict[str, list[str]] = {}
    load, compile, evaluate, check = oa.load, oa.compile, oa.evaluate, oa.check
    arm, found["load"] = passed(lambda: load("arm7"))
    with tempfile.TemporaryDirectory() as folder:
        arm.save(path := Path(folder) / "arm7.urdf")
        _, found["load a URDF file"] = passed(lambda: load(path))
    given = {"q": arm.neutral(), "T": [1.0] * arm.nv}
    solve, found["compile"] = passed(lambda: compile(FORMULA, arm))
    _, found["call"] = passed(lambda: solve(**given))
    found["call machine code"] = machine_code(lambda: solve(q=np.zeros((9, arm.nq)), T=np.ones(arm.nv)))
    compiler._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]  # as in another process
    found["call what was kept"] = passed(lambda: compile(FORMULA, arm)(**given))[1]
    turned = compile(FORMULA, arm, frame="world")
    _, found["call without code"] = passed(lambda: turned(**given))
    _, found["evaluate"] = passed(lambda: evaluate(FORMULA, arm, **given))
    _, found["check"] = passed(lambda: check("inv(I + H phi K) = I - H psi K", arm))
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as kept:
        os.environ["OPERATOR_ALGEBRA_CACHE"] = kept
        sys.stdout.write(json.dumps(walks()))
