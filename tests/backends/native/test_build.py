"""The backend that makes machine code at once: the same bits from the first call, told where it cannot be."""

from __future__ import annotations

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.backends.floats import Floats
from operator_algebra.backends.native import build as compiled_backend
from operator_algebra.errors import BackendUnavailable
from operator_algebra.symbols import H, M, T, inv, phi


def kernels(program: oa.Compiled) -> list[bool]:
    executable = program._executable  # pyright: ignore[reportPrivateUsage]
    assert isinstance(executable, Floats)
    return [kernel.native for kernel in executable.kernels]


def test_the_first_call_has_machine_code_and_the_bits_of_others() -> None:
    pytest.importorskip("llvmlite")
    model = oa.chain(4, joint=["revolute", "spherical"], seed=2)
    q, v = model.random(1)
    formula = inv(H @ phi @ M @ phi.T @ H.T) @ T
    at_once, usual = (oa.compile(formula, model, backend=name) for name in ("compiled", "numpy"))
    assert at_once.backend == "compiled"
    assert np.array_equal(at_once(q=q, T=v), usual(q=q, T=v))
    assert (kernels(at_once), kernels(usual)) == ([True], [False])
    batch = np.stack([q, q])
    assert np.array_equal(at_once(q=batch, T=v), usual(q=batch, T=v))


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_backend, "machine", lambda: None)
    with pytest.raises(BackendUnavailable, match='backend "compiled" needs llvmlite'):
        oa.compile(3 * T, oa.chain(2), backend="compiled")
