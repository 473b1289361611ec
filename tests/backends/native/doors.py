"""Doors of machine code of an arm, and arguments for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from operator_algebra.backends import kernel as kernels
from operator_algebra.backends.kernel import Kernel
from operator_algebra.backends.native.entry import Enterable
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.lowering.lower import Lowerable, lower
from operator_algebra.models.gallery import load
from operator_algebra.operators.vanishing import vanishing
from tests.backends.native.machine_code import Floats
from tests.backends.scalar.calls import Call

ARM = load("arm7")
NAMES = ("qdd", "v")
"""Of the inputs, as the kernel takes them."""


def kernel_of(e: Lowerable, names: tuple[str, ...]) -> Kernel:
    """The kernel of a formula on the arm, with machine code."""
    program = lower(e, zeros=vanishing(ARM))
    call = Call.of(program, ARM, ARM.random(0)[0], {name: np.ones(7) for name in names})
    kernel = Kernel(call.program, call.model, Signature.of(call.inputs))
    given = [np.ones((1, size)) for size in kernel.given]
    usual, kernels.WORTH = kernels.WORTH, 1
    try:
        kernel.batch(given, 1)
    finally:
        kernels.WORTH = usual
    assert kernel.native
    return kernel


class Asked(Enterable):
    """An object that is called with q, the array for the result, and the inputs; None where there is no short way."""

    def __call__(self, *several: Any, **arguments: Any) -> Any:
        return (several, arguments) if several else None


def entered(kernel: Kernel, names: tuple[str, ...]) -> Asked:
    one = Asked()
    found = kernel.door(names, one.__call__)
    assert found is not None
    found.open(one)
    return one


def arguments(shape: tuple[int, ...], seed: int = 0) -> tuple[Floats, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((*shape, 7)), {name: rng.standard_normal((*shape, 7)) for name in NAMES}


def expected(kernel: Kernel, q: Floats, inputs: dict[str, Any]) -> Floats:
    given = [np.atleast_2d(x) for x in (q, *(inputs[name] for name in NAMES))]
    whole, _, (result,) = kernel.batch(given, len(given[0]))
    assert whole
    return result.reshape(q.shape)
