"""Random arguments of compiled programs: `python -m tests.fuzz.calls --minutes 10` has the machine code of many calls.

What comes out is what the interpreter says: the same numbers up to rounding, the same errors and warnings. Arguments
stay as they were, and so does `out` where an error is raised. Each batch of cases runs in a process of its own, so
that one that crashes is named.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends import kernel, ready
from operator_algebra.calls.compiled import Compiled
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, OperatorAlgebraError, OperatorAlgebraWarning, RangeError
from operator_algebra.expressions.build import inv, scalar
from operator_algebra.expressions.query import dense
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from tests.fuzz.call_forms import PLACED, form
from tests.house.tree import ROOT
from tests.rounding import condition, rounding, size
from tests.strategies import ALL_JOINTS

Floats = NDArray[np.float64]
Values = dict[str, Any]
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
TREE = random_tree(5, joints=ALL_JOINTS, seed=5)
CASES = 400
"""Of one process."""
FEW = 20
"""Bodies of a mechanism that many samples are tried of, and samples of larger ones."""
FAR = 1e100
"""Squares of larger numbers may leave the range of floats."""
SHARE = 8_000
"""Operations of machine code that are worth a thread."""


@dataclass(frozen=True)
class Subject:
    """A formula on a mechanism, with machine code from the first call on and interpreted."""

    native: Compiled
    plain: Compiled
    names: tuple[str, ...]
    ordinary: float
    """The size of results."""

    @property
    def model(self) -> Model:
        """The mechanism."""
        return self.native.model


SUBJECTS: dict[str, tuple[Any, Model, tuple[str, ...]]] = {
    "inverse dynamics": (dynamics.inverse_dynamics, load("arm7"), ("v", "qdd")),
    "forward dynamics": (dynamics.forward_dynamics, load("arm7"), ("v", "T")),
    "floating": (dynamics.forward_dynamics, load("quadruped"), ("v", "T")),
    "all joints": (dynamics.inverse_dynamics, TREE, ("v", "qdd")),
    "a matrix": (dense(dynamics.mass_matrix), load("arm7"), ()),
    "a number": (dynamics.kinetic_energy, load("arm7"), ("v",)),
    "blocks": (s.D, TREE, ()),
    "several": ({"E": dynamics.kinetic_energy, "x": dynamics.forward_dynamics}, load("arm7"), ("v", "T")),
    "with forces": (dynamics.inverse_dynamics, load("arm7"), ("v", "qdd", "f_ext")),
    "by threads": (dynamics.inverse_dynamics, load("arm7"), ("v", "qdd")),
    "in single precision": (dynamics.forward_dynamics, load("arm7"), ("v", "T")),
    "loops": (dynamics.forward_dynamics, chain(70), ("v", "T")),
    "loops in single precision": (dynamics.forward_dynamics, chain(70), ("v", "T")),
    "loops for pairs of bodies": (dense(dynamics.mass_matrix), chain(66), ()),
    "loops from the base": (dynamics.pose, chain(66), ()),
    "singular": (inv(MASS - scalar("h") * MASS) @ s.T, chain(2, seed=1), ("T", "h")),
}


@cache
def subject(name: str) -> Subject:
    """Compiled in both ways, once."""
    e, model, names = SUBJECTS[name]
    single = name.endswith("in single precision")
    native = compile_program(
        e, model, threads=3 if name == "by threads" else 1, dtype="float32" if single else "float64"
    )
    plain = compile_program(e, model, backend="interpreter")
    values = ordinary(model, names, (4,), np.random.default_rng(0))
    return Subject(native, plain, names, size(*flat(plain(**values))))


def ordinary(model: Model, names: Sequence[str], lead: tuple[int, ...], rng: np.random.Generator) -> Values:
    """Arguments that nothing is wrong with."""
    sizes = {"f_ext": 6 * model.n}
    values: Values = {"q": model.integrate(model.neutral(), rng.standard_normal((*lead, model.nv)))}
    for name in names:
        values[name] = 0.5 if name == "h" else rng.standard_normal((*lead, sizes.get(name, model.nv)))
    return values


def flat(result: Any) -> list[Floats]:
    """The arrays of a result."""
    if isinstance(result, Mapping):
        return [array for one in result.values() for array in flat(one)]  # pyright: ignore[reportUnknownVariableType]
    return [array for one in result for array in flat(one)] if isinstance(result, list) else [np.asarray(result)]  # pyright: ignore[reportUnknownVariableType]


# -- arguments ---------------------------------------------------------------------------------------------------------


def lead(rng: np.random.Generator) -> tuple[int, ...]:
    """The axes of a batch."""
    which = int(rng.integers(8))
    if which < 2:
        return ()
    if which < 6:
        return (int(rng.integers(0, 34)),)
    return tuple(rng.integers(0, 5, 2).tolist()) if which == 6 else (int(rng.integers(1, 3000)),)


def arguments(of: Subject, rng: np.random.Generator) -> Values:
    """q and the inputs, some of them odd, in some order."""
    axes = lead(rng)
    few = of.model.n > FEW and prod(axes) > FEW  # the interpreter takes its time for long chains
    values = ordinary(of.model, of.names, (FEW,) if few else axes, rng)
    for name in list(values):
        if rng.random() < 0.3:
            values[name] = form(values[name], rng)
    which = int(rng.integers(20))
    if which == 0:
        values.pop(str(rng.choice(list(values))))
    elif which == 1:
        values["u"] = values["q"]
    elif which == 2:
        values = dict(reversed(values.items()))
    return values


def place(result: Any, values: Values, rng: np.random.Generator) -> Any:
    """An array for a result, sometimes not a fit one, or memory that an argument has."""
    if isinstance(result, dict):
        return {name: place(one, values, rng) for name, one in result.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(result, list):
        return [place(one, values, rng) for one in result]  # pyright: ignore[reportUnknownVariableType]
    out = np.full(np.shape(result), 7.0)
    which = int(rng.integers(12))
    if which == 0:
        return form(out, rng)
    if which < 4:
        return PLACED[int(rng.integers(len(PLACED)))](out, rng)
    if which < 6:
        # The memory of an argument, shifted, where it is writable.
        for value in values.values():
            if type(value) is np.ndarray and value.dtype == np.float64 and value.flags.c_contiguous:
                memory: Floats = np.empty(value.size + out.size)
                start = int(rng.integers(0, out.size + 1))
                memory[start : start + value.size] = value.ravel()
                name = next(key for key in values if values[key] is value)
                values[name] = memory[start : start + value.size].reshape(value.shape)
                begin = int(rng.integers(0, value.size + 1))
                return memory[begin : begin + out.size].reshape(out.shape)
    return out


# -- verdicts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """What a call returned or raised, and what it warned of."""

    result: Any
    error: OperatorAlgebraError | None
    warned: tuple[str, ...]


def told(run: Callable[[], Any]) -> Told:
    """The outcome of a call; an error that is none of the package is raised on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result, error = run(), None
        except OperatorAlgebraError as raised:
            result, error = None, raised
    unknown = [one for one in caught if not issubclass(one.category, OperatorAlgebraWarning)]
    assert not unknown, f"a warning of somebody else: {unknown[0].message}"
    return Told(result, error, tuple(str(one.message) for one in caught))


def kept(value: Any) -> Any:
    """A copy that later changes do not reach."""
    return cast("Floats", value).copy() if isinstance(value, np.ndarray) else value


def same(one: Any, other: Any) -> bool:
    """Whether an argument is what it was."""
    if not isinstance(one, np.ndarray):
        return True
    array = cast("Floats", one)
    return array.shape == other.shape and array.tobytes() == other.tobytes()


def finite(value: Any) -> Floats:
    """Numbers without those that are none."""
    return np.nan_to_num(np.asarray(0.0 if value is None else value, dtype=np.float64), posinf=0.0, neginf=0.0)


def compare(of: Subject, found: Told, wanted: Told, values: Values) -> None:
    """Refuse what the interpreter would not say."""
    told_of_out = isinstance(found.error, InputError) and str(found.error).startswith("out ")
    if (found.error is None or told_of_out) and size(*map(finite, values.values())) > FAR:
        # Generated code need not form what cancels, so it may have numbers where the interpreter leaves their range.
        unmasked = wanted.error is None and np.isnan(np.concatenate([one.ravel() for one in flat(wanted.result)])).any()
        if unmasked or isinstance(wanted.error, RangeError):
            return
    assert type(found.error) is type(wanted.error), f"{found.error!r} where {wanted.error!r} is right"
    if wanted.error is not None:
        assert not isinstance(wanted.error, InputError) or str(found.error) == str(wanted.error), str(found.error)
        return
    assert found.warned == wanted.warned, f"{found.warned} where {wanted.warned} is right"
    several = list(zip(flat(found.result), flat(wanted.result), strict=True))
    for one, other in several:
        assert one.shape == other.shape
        assert np.array_equal(np.isnan(one), np.isnan(other))
    if all(np.array_equal(one, other, equal_nan=True) for one, other in several):
        return
    turned = np.asarray(values["q"], dtype=np.float64)
    turned = turned.reshape(-1, turned.shape[-1])
    terms = of.ordinary * min(1.0 + size(*map(finite, values.values())), 1e140) ** 2  # which may cancel
    mass = compile_program(dense(MASS), of.model, backend="interpreter")(q=turned)
    worst = max(map(condition, mass), default=1.0)
    for one, other in several:
        bound = 100 * rounding(size(np.nan_to_num(other)) + terms, terms=of.model.nv**2, condition=worst)
        assert size(np.nan_to_num(one - other)) <= bound, f"apart by {size(one - other)}, not {bound}"


def single(of: Subject, values: Values, rng: np.random.Generator) -> None:
    """A call in single precision: its range is smaller, its numbers are those of double precision but for rounding."""
    short = {
        name: x.astype(np.float32) if type(x) is np.ndarray and x.dtype.kind == "f" else x for name, x in values.items()
    }
    given: Values = values if rng.random() < 0.3 else short
    before = {name: kept(value) for name, value in given.items()}
    wanted = told(lambda: of.plain(**given))
    out: Any = None
    if wanted.result is not None and rng.random() < 0.5:
        out = form(np.full(np.shape(wanted.result), 7.0).astype(np.float32), rng)
    for _ in range(3):
        with np.errstate(all="ignore"):
            found = told(lambda: of.native(**given, out=out))
        assert all(same(value, before[name]) for name, value in given.items()), "an argument has changed"
        if found.error is None:
            assert wanted.error is None, f"{wanted.error!r} is right"
            assert out is None or found.result is out, "the result is not out"
            assert found.result.dtype == np.float32
            result: Any = wanted.result
            assert found.result.shape == result.shape
        else:
            assert isinstance(found.error, InputError | RangeError), f"{found.error!r} is none to be raised"


def case(number: int) -> None:
    """One random call in all its ways."""
    rng = np.random.default_rng(number)
    of = subject(str(rng.choice(list(SUBJECTS))))
    values = arguments(of, rng)
    if of.native.dtype == "float32":
        single(of, values, rng)
        return
    before = {name: kept(value) for name, value in values.items()}
    which = rng.random()
    more: Values = {"errors": "mask"} if which < 0.3 else {"errors": "raise"} if which < 0.4 else {}
    wanted = told(lambda: of.plain(**values, **more))
    for _ in range(2):
        compare(of, told(lambda: of.native(**values, **more)), wanted, values)
        assert all(same(value, before[name]) for name, value in values.items()), "an argument has changed"
    result = wanted.result if wanted.result is not None else np.zeros((4, 7))
    out = place(result, values, rng)
    written = told(lambda: of.plain(**values, **more, out=_like(out)))
    filled = _like(out)
    found = told(lambda: of.native(**values, **more, out=out))
    compare(of, found, written, before)
    if found.error is None:
        assert out is None or found.result is out, "the result is not out"
    else:
        assert all(map(same, flat_arrays(out), flat_arrays(filled))), "out has changed although an error was raised"
    if rng.random() < 0.3:
        bound(of, before, rng)


def flat_arrays(value: Any) -> list[Any]:
    """The arrays among what was given as out."""
    if isinstance(value, dict | list):
        parts: Any = value.values() if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType]
        return [array for one in parts for array in flat_arrays(one)]
    return [value] if isinstance(value, np.ndarray) else []


def _like(out: Any) -> Any:
    """The same, in memory of its own, as far as that is possible."""
    if isinstance(out, dict):
        return {name: _like(one) for name, one in out.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(out, list):
        return [_like(one) for one in out]  # pyright: ignore[reportUnknownVariableType]
    if type(out) is not np.ndarray:
        return out
    found = out.copy()
    found.setflags(write=out.flags.writeable)
    return found


def bound(of: Subject, values: Values, rng: np.random.Generator) -> None:
    """A bound call, of arrays that nobody else holds any more, and whose contents change."""
    wanted = told(lambda: of.plain(**values))
    result: Any = wanted.result
    if wanted.error is not None or not hasattr(result, "shape"):
        return
    out = np.zeros(result.shape)
    mine = {name: kept(value) for name, value in values.items()}
    call = of.native.bind(**mine, out=out)
    arrays = [value for value in mine.values() if type(value) is np.ndarray and value.flags.writeable]
    del mine
    gc.collect(0)
    for _ in range(2):
        assert told(call).error is None
        compare(of, Told(out, None, ()), Told(result, None, ()), values)
    if arrays and arrays[0].dtype == np.float64 and arrays[0].size:
        arrays[0].flat[int(rng.integers(arrays[0].size))] = np.nan
        kept_out = out.copy()
        assert isinstance(told(call).error, InputError)
        assert np.array_equal(out, kept_out, equal_nan=True)


# -- the run -----------------------------------------------------------------------------------------------------------


def run(first: int, count: int) -> None:
    """Some cases in this process, each named before it starts."""
    kernel.WORTH, ready.SHARE = 1, SHARE
    for number in range(first, first + count):
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        case(number)


def main() -> int:
    """Cases until the time is up; the first that fails, or crashes, ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=0, help="run so many cases in this process")
    asked = parser.parse_args()
    if asked.count:
        run(asked.first, asked.count)
        return 0
    first, deadline = asked.first, time.monotonic() + 60.0 * asked.minutes
    while time.monotonic() < deadline:
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.calls", "--first", str(first)]
        done = subprocess.run([*command, "--count", str(CASES)], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            last = done.stdout.split()[-1] if done.stdout.split() else "none"
            sys.stdout.write(f"case {last} ended with {done.returncode}:\n{done.stderr[-3000:]}\n")
            return 1
        first += CASES
    sys.stdout.write(f"{first - asked.first} cases, each of them right or refused in words\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
