"""One code in all of its forms: list of NumPy calls, floats, Python function, machine code of any width, C.

Each form has the bits of the others at any number of samples, with pages beside every array that may not be touched,
and is as near to the program, read body by body, as the terms of its formula allow.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from operator_algebra.backends.c.write import c_file
from operator_algebra.backends.native.machine import machine
from operator_algebra.backends.native.make import LARGEST
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.backends.scalar.python import python_kernel
from operator_algebra.backends.scalar.signature import given
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.errors import NotLowerable, SingularError
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from operator_algebra.programs.program import Program
from tests.backends.c.test_export import called
from tests.backends.scalar.calls import Call, Floats, flat, random_arguments
from tests.backends.scalar.test_trace import GOLDEN, TRACED, chosen
from tests.expression_grammar import SPACES, Maker
from tests.fences import CAN, fenced
from tests.lowering.agreement import bound, scale
from tests.often import some
from tests.oracles.interpreted import interpreted
from tests.programs.test_interpreted_programs import FORK, inputs
from tests.rounding import apart
from tests.strategies import ALL_JOINTS

COUNTS = range(34)
RANDOM = 300
GCC = shutil.which("gcc") is not None
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Form = Callable[[Sequence[Floats]], tuple[Flags, Floats]]
"""From an array (samples, numbers) for q and for each input to what may be trusted, and entries (samples, entries)."""


@dataclass(frozen=True, eq=False)
class Case:
    """A program on a mechanism at some arguments, and the formulas of its results."""

    program: Program
    model: Model
    q: Floats
    values: dict[str, Any]

    @cached_property
    def call(self) -> Call:
        return Call.of(self.program, self.model, self.q, self.values)

    @cached_property
    def traced(self) -> Traced:
        return self.call.traced()

    @cached_property
    def tape(self) -> Tape:
        return Tape.of(self.traced, len(self.call.arguments))

    @cached_property
    def given(self) -> list[int]:
        return [array.shape[1] for array in self.arrays]

    @cached_property
    def results(self) -> list[int]:
        return [int(np.prod(shape)) for laid in self.traced.results for shape in laid.shapes]

    @cached_property
    def arrays(self) -> list[Floats]:
        """The arguments, and others around them: as many samples as are tried at once."""
        rng, count = np.random.default_rng(0), COUNTS[-1]
        moves = 0.1 * rng.standard_normal((count, self.model.nv))
        moves[0] = 0.0
        q = np.asarray(self.model.integrate(np.broadcast_to(self.q, (count, self.model.nq)), moves))
        q[0] = self.q
        found = [q]
        for block in given(self.call.inputs):
            factors = rng.uniform(0.95, 1.05, (count, block.size))
            factors[0] = 1.0
            found.append(block.reshape(1, -1) * factors)
        return found


def forms(case: Case) -> Iterator[tuple[str, Form]]:
    """The forms of the code of a program, by name; all but C."""

    def one_by_one(run: Callable[[Sequence[float]], tuple[bool, list[float]]]) -> Form:
        def several(arrays: Sequence[Floats]) -> tuple[Flags, Floats]:
            count = len(arrays[0])
            good, entries = np.zeros(count, bool), np.zeros((count, len(case.tape.results)))
            for k in range(count):
                try:
                    trusted, found = run([x for array in arrays for x in array[k].tolist()])
                except (ArithmeticError, ValueError):
                    continue
                good[k] = trusted
                entries[k] = found if trusted else 0.0
            return good, entries

        return several

    def rows(arrays: Sequence[Floats]) -> tuple[Flags, Floats]:
        good, entries = case.tape.batch(np.concatenate(arrays, axis=1).T)
        return good, entries.T

    yield "calls of NumPy", rows
    yield "floats", one_by_one(case.tape.single)
    yield "a Python function", one_by_one(python_kernel(case.traced, len(case.call.arguments)))
    here = machine()
    if here is None or any(entry.operation == "log" for entry in case.tape.entries) or len(case.tape.entries) > LARGEST:
        return
    for lanes in (1, here.lanes):
        yield f"machine code, {lanes} at a time", machine_code(case, lanes)


def machine_code(case: Case, lanes: int) -> Form:
    """Pages beside its arrays may not be touched."""
    from tests.backends.native.machine_code import code  # where there is llvmlite

    kernel = code(case.tape, case.given, case.results, lanes)

    def run(arrays: Sequence[Floats]) -> tuple[Flags, Floats]:
        closed = [fenced(array, before=bool(k % 2)) if CAN and array.size else array for k, array in enumerate(arrays)]
        call = kernel.bound(closed, len(arrays[0]))
        call()
        return call.good, np.concatenate(call.results, axis=1)

    return run


def bits(x: Any) -> Any:
    return np.ascontiguousarray(x).view(np.int64)


def all_forms_agree(case: Case, folder: Path | None = None) -> None:
    """The bits of each form at each number of samples are those of the first; these are near to what is right."""
    several = dict(forms(case))
    good, entries = several["calls of NumPy"](case.arrays)
    near_to_the_program(case, bool(good[0]), entries[0])
    for name, form in several.items():
        for count in COUNTS if "machine" in name or "NumPy" in name else (COUNTS[-1],):
            trusted, found = form([array[:count] for array in case.arrays])
            assert np.array_equal(trusted, good[:count]), name
            assert np.array_equal(bits(found[trusted]), bits(entries[:count][trusted])), (name, count)
    if folder is not None and GCC and good[0] and len(case.tape.entries) < LARGEST // 5:
        named = [(f"given{k}", size) for k, size in enumerate(case.given)]
        source = c_file("it", ["It."], case.tape, named, [(f"out{k}", size) for k, size in enumerate(case.results)])
        arguments = [array[0] for array in case.arrays if array.shape[1]]
        told, found = called(source, "it", arguments, [size for size in case.results if size], folder)
        assert told == 1
        assert np.array_equal(bits(np.concatenate(found or [np.zeros(0)])), bits(entries[0]))


def near_to_the_program(case: Case, good: bool, entries: Floats) -> None:
    """What is trusted is as near to the program, read body by body, as rounding of its terms brings it."""
    if not good:
        return
    wanted = interpreted(case.program, case.model, q=case.q, **case.values)
    start = 0
    for output in case.program.outputs:
        expected = flat(wanted[output.name] if case.program.keyed else wanted)
        scaled = evaluate_with_scale(
            body_of(output.formula), case.model, q=case.q, **chosen(output.formula, case.values)
        )
        sized = scale(output.formula, expected, scaled) if isinstance(output.formula, Query) else scaled.scale
        assert apart(entries[start : start + len(expected)], expected) <= 2 * bound(scaled) * sized
        start += len(expected)


@pytest.mark.parametrize("name", some(TRACED, each=25))
def test_the_formulas_of_the_pages(name: str, tmp_path: Path) -> None:
    program = lower(GOLDEN[name])
    all_forms_agree(Case(program, FORK, FORK.random(2)[0], inputs(program, FORK, 3)), tmp_path)


def formula(seed: int) -> Expr:
    """A random formula."""
    rng = np.random.default_rng([seed, 1])

    def choose(choices: Sequence[Any], /) -> Any:
        return choices[int(rng.integers(len(choices)))]

    maker = Maker(choose)
    space = choose(SPACES)
    return maker.column(space, 3) if rng.random() < 0.5 else maker.general(space >> choose(SPACES), 3)


@pytest.mark.parametrize("seed", some(range(RANDOM), each=75))
def test_random_formulas_on_random_trees(seed: int, tmp_path: Path) -> None:
    tree = random_tree(1 + seed % 7, joints=ALL_JOINTS, seed=seed)
    e = formula(seed)
    q, values = random_arguments(e, tree, seed)
    try:
        case = Case(lower(e), tree, q, values)
        assert case.traced
        evaluate_with_scale(e, tree, q=q, **values)
    except (NotLowerable, Untraceable, SingularError) as without:
        pytest.skip(f"there is no code, or no value: {without}")
    all_forms_agree(case, tmp_path if seed % 5 == 0 else None)
