"""The layout of results: axes of the batch, masks, logarithms, the caller's own arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from operator_algebra.backends.backend import Result, Run
from operator_algebra.errors import InputError
from operator_algebra.models.numeric import Numbers, kind_of_masked

if TYPE_CHECKING:
    from operator_algebra.programs.program import Output


def logarithm(output: Output, given: Any, errors: str, bad: Any) -> Any:
    """A log-determinant as a real number; a negative determinant has none. Singular samples are told elsewhere."""
    if output.kind != "logdet" or not np.iscomplexobj(given):
        return given
    value: Any = np.asarray(given)
    angle: Any = np.angle(np.exp(1j * value.imag))
    negative: Any = np.abs(angle) > 1.0
    if errors == "raise" and (negative & ~bad).any():
        raise InputError(
            f"{output.formula!r:.80}: the determinant is negative, so it has no logarithm. Check the sign of its parts."
        )
    real: Any = value.real
    return np.where(negative, np.nan, real)


def spread(value: Any, lead: tuple[int, ...], own: int) -> Any:
    """A result with the axes of the batch, also if it depends on nothing that varies over it."""
    if isinstance(value, list):
        return [spread(block, lead, own - 1) for block in value]  # pyright: ignore[reportUnknownVariableType]
    shape = lead + np.shape(value)[np.ndim(value) - own :]
    return value if np.shape(value) == shape else np.array(np.broadcast_to(value, shape))


def spread_out(run: Run, axes: Mapping[str, int], lead: tuple[int, ...]) -> Run:
    """The results with the axes of the batch; `axes` says how many one sample of each has."""
    return replace(run, results={name: spread(run.results[name], lead, own) for name, own in axes.items()})


def unpacked(results: Mapping[str, object], *, keyed: bool) -> Any:
    """Results as they are handed out: the one there is, if it was not asked for by name."""
    return results if keyed else next(iter(results.values()))


def mask(value: Any, bad: Any) -> Any:
    """A result with the bad samples not a number."""
    if isinstance(value, list):
        return [mask(block, bad) for block in value]  # pyright: ignore[reportUnknownVariableType]
    masked = np.array(value)
    masked[bad] = np.nan
    return masked


def narrowed(results: Mapping[str, Result], kind: str) -> Mapping[str, Result]:
    """Results as numbers of a kind; what is beyond its range is not finite."""
    if kind == "float64":
        return results
    with np.errstate(over="ignore"):
        return {name: _narrowed(value, kind) for name, value in results.items()}


def _narrowed(value: Result, kind: str) -> Result:
    if isinstance(value, list):
        return [one.astype(kind) for one in value]
    return np.asarray(value, dtype=np.result_type(kind, np.complex64) if np.iscomplexobj(value) else kind)


def written(out: Any, result: object, kind: str = "float64") -> Any:
    """Fill the caller's arrays: one, a mapping of them for several results, or a list for blocks of several sizes.

    All of them are tested before the first is filled.
    """
    for array, value in list(_pairs(out, result, "out", kind)):
        array[...] = value
    return out


def _pairs(out: Any, result: object, name: str, kind: str) -> Iterator[tuple[Numbers, Numbers]]:
    """The arrays with what goes into each."""
    if isinstance(result, dict | list):
        parts = (
            cast("dict[object, object]", result)
            if isinstance(result, dict)
            else dict(enumerate(cast("list[object]", result)))
        )
        for key, part in parts.items():
            try:
                own = out[key]
            except (LookupError, TypeError):
                raise InputError(
                    f"{name} has no place for {key!r}: give arrays for {', '.join(map(str, parts))}."
                ) from None
            yield from _pairs(own, part, f"{name}[{key!r}]", kind)
        return
    value = cast("Numbers", result)
    shape = np.shape(value)
    found: object = getattr(cast("object", out), "shape", type(out).__name__)
    if not isinstance(out, np.ndarray) or isinstance(out, kind_of_masked()) or found != shape:
        raise InputError(f"{name} has shape {found}; the result has {shape}. Give an array of that shape.")
    array = cast("Numbers", out)
    if array.dtype != np.dtype(kind) or not array.flags.writeable:
        state = "" if array.flags.writeable else ", read-only"
        raise InputError(f"{name} holds {array.dtype}{state}; the result needs a writable array of {kind}.")
    yield array, value
