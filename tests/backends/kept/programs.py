"""Programs that have made machine code, and what was kept of them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from operator_algebra import compiler
from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.kept import Drawer, KeptProgram, drawer
from operator_algebra.calls.compiled import Compiled
from operator_algebra.lowering.lower import Lowerable
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from tests.outcomes import outcome

FORWARD = dynamics.forward_dynamics
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
ARM = load("arm7")


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


def drawer_of(asked: object = (FORWARD, "auto"), model: Model = ARM) -> Drawer | None:
    return drawer((FORWARD, "auto", (), "raise", "float64") if asked == (FORWARD, "auto") else asked, model)
