"""Times, always as ratios between candidates that ran in the same process, interleaved."""

import math
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from statistics import median

import numpy as np
from numpy.typing import NDArray

from operator_algebra.backends.native.machine import machine as machine_code

Floats = NDArray[np.float64]
_IN_A_ROW = 3
_PACKAGES = ("operator-algebra", "numpy", "scipy", "llvmlite", "pin", "mujoco", "drake", "casadi", "adam-robotics")
_SHORT = 2e-5
"""Seconds, below which so many calls are timed together: to read the clock takes a twentieth of a microsecond."""


@dataclass(frozen=True)
class Row:
    """One case: the seconds of each candidate, the fastest of many rounds and the median of them."""

    case: str
    seconds: Mapping[str, float]
    medians: Mapping[str, float]

    def ratios(self) -> dict[str, float]:
        """Each candidate's time over that of the first."""
        first = next(iter(self.seconds.values()))
        return {name: seconds / first for name, seconds in self.seconds.items()}


def measure(case: str, candidates: Mapping[str, Callable[[], object]], *, seconds: float = 0.5) -> Row:
    """Call the candidates in turn until the time is up; what disturbs the machine disturbs all of them.

    Each is called some times in a row: code and numbers of the others have taken its place in the caches.
    """
    times: dict[str, list[float]] = {name: [] for name in candidates}
    together: dict[str, range] = {}
    for name, call in candidates.items():
        call()
        together[name] = range(max(1, int(_SHORT / max(min(_timed(call, range(1)) for _ in range(5)), 1e-9))))
    deadline = time.perf_counter() + seconds * len(candidates)
    while time.perf_counter() < deadline:
        for name, call in candidates.items():
            for _ in range(_IN_A_ROW):
                times[name].append(_timed(call, together[name]))
    return Row(case, {n: min(t) for n, t in times.items()}, {n: median(t) for n, t in times.items()})


def _timed(call: Callable[[], object], several: range) -> float:
    start = time.perf_counter()
    for _ in several:
        call()
    return (time.perf_counter() - start) / len(several)


def agreeing(
    case: str,
    found: Floats,
    expected: Floats,
    *,
    inverse: bool = False,
    allowed: Floats | None = None,
    digits: float = 1.0,
) -> None:
    """Refuse to time what is not the same: twelve digits of the largest entry of each sample, a row each.

    Of inverse matrices it is as many as rounding leaves: 64 eps times the condition, or what is allowed of each sample;
    of single precision as many times more as it rounds.
    """
    if found.shape != expected.shape:
        raise AssertionError(f"{case}: results have shapes {found.shape} and {expected.shape}")
    size = np.abs(expected).max(axis=-1, keepdims=True)
    if allowed is None:
        allowed = np.full(len(expected), 1e-12 * digits)
    if inverse:
        width = math.isqrt(expected.shape[-1])
        allowed = 64 * np.finfo(float).eps * np.linalg.cond(expected.reshape(-1, width, width))
    share = (np.abs(found - expected) / size).max(axis=-1) / allowed
    if not share.max() < 1:
        raise AssertionError(f"{case}: results differ by {share.max():.1e} times what rounding explains")


def machine() -> list[str]:
    """What the figures depend on: processor, Python, and the versions of everything compared."""
    found = machine_code()
    registers = f", {found.processor}, {found.lanes} doubles in a register" if found is not None else ""
    lines = [f"{platform.machine()}{registers}, {platform.system()}, Python {platform.python_version()}"]
    for package in _PACKAGES:
        try:
            lines.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            lines.append(f"{package} is not installed: its columns are missing")
    return lines


def text(title: str, rows: list[Row]) -> str:
    """The table in plain text: seconds of the first candidate, then how many times longer the others take."""
    first = next(iter(rows[0].seconds))
    others = [name for name in dict.fromkeys(name for row in rows for name in row.seconds) if name != first]
    width = max(len(row.case) for row in rows)
    columns = [max(10, len(name)) for name in others]
    head = "   ".join(
        [" " * width, f"{first:>12}", *(f"{name:>{size}}" for name, size in zip(others, columns, strict=True))]
    )
    lines = [title, head]
    for row in rows:
        ratios = row.ratios()
        cells = [
            f"{ratios[name]:>{size - 1}.3g}×" if name in ratios else f"{'–':>{size}}"
            for name, size in zip(others, columns, strict=True)
        ]
        lines.append("   ".join([f"{row.case:<{width}}", f"{row.seconds[first] * 1e6:>9.1f} µs", *cells]))
    return "\n".join(lines)
