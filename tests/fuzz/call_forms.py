"""An argument of a call in the forms in which somebody might give it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tests.fences import CAN, fenced

Floats = NDArray[np.float64]


class Kind(np.ndarray[Any, Any]):
    """Arrays with a mind of their own."""


def shifted(x: Floats) -> Floats:
    """The same numbers, not aligned."""
    memory = np.empty(x.nbytes + 3, dtype=np.uint8)
    found = memory[3:].view(x.dtype).reshape(x.shape)
    found[...] = x
    return found


def frozen(x: Floats) -> Floats:
    """The same numbers, read-only."""
    found = x.copy()
    found.setflags(write=False)
    return found


def changed(x: Floats, value: float, rng: np.random.Generator) -> Floats:
    """One number is another."""
    found = x.copy()
    if found.size:
        found.flat[rng.integers(found.size)] = value
    return found


Form = Callable[[Floats, np.random.Generator], Any]
PLACED: list[Form] = [
    lambda x, _: np.asfortranarray(x),
    lambda x, _: np.repeat(x, 2, axis=0)[::2] if x.ndim > 1 else x,
    lambda x, _: np.ascontiguousarray(x[::-1])[::-1] if x.ndim else x,
    lambda x, _: np.concatenate([x, x], axis=-1)[..., : x.shape[-1]] if x.ndim else x,
    lambda x, _: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x,
    lambda x, _: shifted(x),
    lambda x, _: frozen(x),
    lambda x, _: np.broadcast_to(x, x.shape),
    lambda x, _: fenced(x) if CAN and x.size else x,
    lambda x, _: fenced(x, before=True) if CAN and x.size else x,
]
"""The same numbers elsewhere."""
OTHER: list[Form] = [
    lambda x, rng: changed(x, np.nan, rng),
    lambda x, rng: changed(x, np.inf, rng),
    lambda x, rng: changed(x, 10.0 ** float(rng.uniform(-300, 308)), rng),
    lambda x, rng: changed(x, 5e-324, rng),
    lambda x, rng: changed(x, 2e6, rng),
    lambda x, rng: x * (1.0 + float(rng.normal()) * 1e-6),
    lambda x, _: np.zeros_like(x),
    lambda x, _: x * 1e150,
    lambda x, rng: changed(x, 1.0, rng),
]
"""Other numbers."""
ODD: list[Form] = [
    lambda x, _: x.astype(np.float32),
    lambda x, _: x.astype(np.int64),
    lambda x, _: x.astype(">f8"),
    lambda x, _: x.astype(np.longdouble),
    lambda x, _: x.astype(np.complex128),
    lambda x, _: x.astype(object),
    lambda x, _: x.astype("S4"),
    lambda x, _: x > 0.0,
    lambda x, _: x.tolist(),
    lambda x, _: tuple(x.tolist()) if x.ndim else x,
    lambda x, _: x.view(Kind),
    lambda x, _: np.ma.masked_array(x, mask=x > 1.0),
    lambda x, _: None,
    lambda x, _: 1.0,
    lambda x, _: x[..., :-1] if x.ndim else x[None],
    lambda x, _: np.concatenate([x, x], axis=-1) if x.ndim else x,
    lambda x, _: x[None],
    lambda x, _: x[:0] if x.ndim else x,
    lambda x, _: x[:1] if x.ndim else x,
    lambda x, _: x[0] if x.ndim and len(x) else x,
    lambda x, rng: np.zeros(tuple(rng.integers(0, 9, int(rng.integers(0, 5))))),
    lambda x, _: memoryview(x),  # pyright: ignore[reportArgumentType]
    lambda x, _: np.ndarray,
]
"""What may be refused."""


def form(value: Any, rng: np.random.Generator) -> Any:
    """An argument as somebody might give it."""
    if not isinstance(value, np.ndarray):
        return [value, 1.0, np.float64(value), np.array(value), True, "x", np.nan, 1 - 1e-13][int(rng.integers(8))]
    forms = (PLACED, OTHER, ODD)[int(rng.choice(3, p=[0.5, 0.25, 0.25]))]
    return forms[int(rng.integers(len(forms)))](cast("Floats", value), rng)
