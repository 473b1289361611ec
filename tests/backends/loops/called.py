"""Calls of loops of machine code, and a mechanism where they are singular in some poses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from operator_algebra.backends.floats import Floats
from operator_algebra.backends.loops.limits import EVERYWHERE
from operator_algebra.backends.loops.run import LoopKernel
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.calls.compiled import Compiled
from operator_algebra.errors import SingularError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain
from operator_algebra.models.joints.joint import make_joint
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.backends.scalar.calls import Call


def executable(compiled: Compiled) -> Floats:
    """What runs, which is floats."""
    found = compiled._numeric()  # pyright: ignore[reportPrivateUsage]
    assert isinstance(found, Floats)
    return found


def kernel(model: Model, e: Expr, values: dict[str, Any]) -> tuple[LoopKernel, Call]:
    """The loops of a formula, and a call of it."""
    program = lower({"x": e}, zeros=vanishing(model))
    call = Call.of(program, model, values["q"], {k: v for k, v in values.items() if k != "q"})
    return LoopKernel(program, model, Signature.of(call.inputs), EVERYWHERE), call


def rows(call: Call) -> list[Any]:
    """The arrays that loops take."""
    given = [name for name in call.inputs.values if name not in call.inputs.absent]
    return [call.q, *(call.inputs.values[name].entries for name in given)]


def swinging(n: int) -> Model:
    """A point mass that swings through the axis of the hinge that carries its own, and a chain beside them."""
    none, point = Inertia(), Inertia(2.0, (0.0, 0.0, 0.7))
    hinges = [
        make_joint("revolute", name="swivel", axis=(0, 0, 1)),
        make_joint("revolute", name="swing", axis=(1, 0, 0)),
    ]
    first = [Body(f"first{i}", i - 1, hinges[i], Placement(), (none, point)[i]) for i in range(2)]
    rest = [replace(body, parent=-1 if k == 0 else k + 1) for k, body in enumerate(chain(n).bodies)]
    return Model(name="swinging", bodies=[*first, *rest])


def told(run: Callable[[], Any]) -> tuple[Any, str]:
    """A result, and the error that comes with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run(), ""
        except SingularError as error:
            return error.result, str(error)
