"""A program as scans of JAX, carried out one operation at a time: JAX takes seconds to compile it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra.backends.jax.run import JaxKernel
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.backends.scalar.signature import Signature
from tests.backends.scalar.calls import Floats, flat
from tests.backends.test_forms import Case, near_to_the_program

jax: Any = pytest.importorskip("jax")


def in_scans(case: Case) -> JaxKernel | str:
    """The scans of a program, or why there are none."""
    try:
        return JaxKernel(case.program, case.model, Signature.of(case.call.inputs))
    except Untraceable as reason:
        return str(reason)


def uncompiled(made: JaxKernel, arrays: list[Floats]) -> tuple[bool, list[Floats]]:
    """Whether the numbers of the first sample are trusted, and its results."""
    with jax.disable_jit(), jax.enable_x64(True):
        good, *found = made.function(*(array[0] for array in made.joined([array[:1] for array in arrays])))
    return bool(good), [np.asarray(one, np.float64) for one in found]


def agrees(case: Case, made: JaxKernel) -> bool:
    """Whether scans trust their numbers, which are near to the program then."""
    good, found = uncompiled(made, case.arrays)
    results = made.laid_out([one[None] for one in found], ())
    near_to_the_program(case, good, np.concatenate([flat(results[one.name]) for one in case.program.outputs]))
    return good
