"""The arrays of a running program have the axes that their annotations say."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, Any, get_args, get_origin

import numpy as np
import pytest

from operator_algebra.backends.numpy import arrays
from operator_algebra.backends.numpy.blocks import joseph
from operator_algebra.backends.numpy.storage import Stored
from operator_algebra.compiler import compile
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from tests.array_axes import Sizes, Watch, one_of_each_joint

FORMULAS = ("inv(H phi M phi.T H.T) T", "H phi M phi.T H.T", "inv(H phi M phi.T H.T)")


@pytest.fixture(scope="module")
def tree() -> Model:
    return one_of_each_joint()


def run(tree: Model, formula: str, method: Any = "auto", batch: tuple[int, ...] = ()) -> None:
    compiled = compile(formula, tree, method=method)
    executable = compiled._numeric().interpreted  # pyright: ignore[reportPrivateUsage]
    program = replace(compiled, _executable=executable)
    rng = np.random.default_rng(1)
    q = tree.integrate(np.broadcast_to(tree.neutral(), (*batch, tree.nq)), rng.uniform(-1.0, 1.0, (*batch, tree.nv)))
    T = rng.uniform(-1.0, 1.0, (*batch, tree.nv))
    if "T" in program.inputs:
        program(q=q, T=T)
    else:
        program(q=q)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)], ids=["one", "batch", "two axes"])
@pytest.mark.parametrize("method", ["auto", "orthogonal"])
@pytest.mark.parametrize("formula", FORMULAS)
def test_arrays_have_the_axes_of_their_annotations(
    formula: str, method: Any, batch: tuple[int, ...], tree: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch(len(batch))
    watch.everything(monkeypatch)
    run(tree, formula, method, batch)
    assert {"m *batch _r _c", "*#lead _r _c"} <= {axes for _, axes in watch.seen}


def test_every_name_of_axes_is_met(tree: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()
    watch.everything(monkeypatch)
    for method in ("auto", "orthogonal"):
        run(tree, FORMULAS[0], method)
    seen = {axes for where, axes in watch.seen if where.startswith("operator_algebra.backends.")}
    assert {get_args(alias)[1] for alias in vars(arrays).values() if get_origin(alias) is Annotated} == seen


def test_a_wrong_order_of_axes_is_told(tree: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    Watch(2).everything(monkeypatch)
    with pytest.raises(AssertionError, match=r"is not \("):
        run(tree, FORMULAS[0])


@pytest.mark.parametrize(
    ("annotated", "part", "axes"),
    [(Stored.write, "blocks", "m r c"), (Stored.read, "return", "m *batch r r"), (joseph, "P", "*lead 3 3")],
)
def test_wrong_axes_are_told(
    annotated: Any, part: str, axes: str, tree: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(annotated.__annotations__, part, Annotated[Numbers, axes])
    Watch(1).everything(monkeypatch)
    with pytest.raises(AssertionError, match=rf"is not \({re.escape(axes)}\)"):
        run(tree, FORMULAS[0], batch=(3,))


def fits(shape: tuple[int, ...], axes: str, batch: int = 0) -> bool:
    return Sizes(batch).fit(shape, axes)


def test_what_fits() -> None:
    assert fits((5, 2, 6, 4), "m *batch r c", 1)
    assert not fits((5, 6, 4), "m *batch r c", 1)
    assert fits((5, 6, 4), "m *#batch r c", 1)
    assert not fits((5, 7, 7, 6, 4), "m *#batch r c", 1)
    assert not fits((6,), "*#lead r c", 1)
    assert not fits((5, 6, 4), "m r r")
    assert fits((5, 6, 4), "m _r _r")
    assert fits((5, 6, 4), "... 6 4")
    assert not fits((5, 6, 4), "... 6 6")
    assert fits((), "")
    assert not fits((1,), "")


def test_a_name_is_one_size_and_leads_meet() -> None:
    sizes = Sizes(1)
    assert sizes.fit((5, 6), "m r")
    assert sizes.fit((6, 7), "r c")
    assert not sizes.fit((6,), "m")
    assert sizes.fit((3, 2), "*#lead 2")
    assert sizes.fit((2,), "*#lead 2")
    assert not sizes.fit((4, 2), "*#lead 2")
    assert sizes.fit((3, 2), "*same 2")
    assert not sizes.fit((1, 2), "*same 2")
