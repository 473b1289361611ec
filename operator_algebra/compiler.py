"""compile: lower an expression, or take a program, and make it ready for a model by a backend."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import get_args

from operator_algebra.arguments import Redundant, choice, whole, word
from operator_algebra.backends.backend import backend_named
from operator_algebra.backends.floats import Floats
from operator_algebra.backends.scalar.precision import DOUBLE, PRECISIONS
from operator_algebra.backends.scalar.precision import Name as Precise
from operator_algebra.calls.compiled import Compiled, Key
from operator_algebra.errors import BackendUnavailable, InputError
from operator_algebra.expressions.domains import narrow
from operator_algebra.expressions.query import body_of
from operator_algebra.lowering.lower import Lowerable, Method, checked_sizes, lower, named_formulas, sized_spaces
from operator_algebra.models.model import Model, check_model
from operator_algebra.operators.leaves import FRAMES
from operator_algebra.operators.outside import refuse_outside
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.program import Program
from operator_algebra.spatial.arrays import Axes

Sizes = tuple[tuple[str, int], ...]
"""How many rows spaces have, by name, as far as is known."""

MOST_THREADS = 1024
"""Of one call."""


def compile(
    e: Lowerable | Program,
    model: Model,
    *,
    backend: str = "auto",
    frame: Axes = "body",
    method: Method = "auto",
    redundant: Redundant = "raise",
    sizes: Mapping[str, int] | None = None,
    threads: int = 1,
    dtype: Precise = "float64",
) -> Compiled:
    """A callable for one model; the same arguments give the same object, so this may stand in a loop.

    A program that was lowered or read before is taken as it is, with its own method. Where rows of a small system, such
    as that of the forces in loops, depend on each other, `redundant="least norm"` solves it by the smallest forces, if
    what the rows ask for agrees; else `SingularError` names them. Joints of the model, and `sizes` of a user's spaces
    by name, tell `lower` which of several forms costs least. Where there is machine code, `threads` share batches
    of many thousand samples; a sample has the same bits with any number of them.

    With `dtype="float32"` machine code computes in single precision, twice as fast in batches: results have six digits,
    three at least where pivots are small. What it cannot be trusted with, and what is not machine code, is computed in
    double precision and rounded. Arguments that are arrays of float32 are not copied.

    >>> import operator_algebra as oa
    >>> arm = oa.chain(3)
    >>> solve = oa.compile(oa.dynamics.forward_dynamics, arm)
    >>> solve(q=arm.neutral(), v=[0, 0, 0], T=[0, 0, 0]).shape
    (3,)
    """
    choice(frame, "frame", FRAMES)
    choice(method, "method", get_args(Method))
    choice(redundant, "redundant", get_args(Redundant))
    choice(dtype, "dtype", get_args(Precise))
    word(backend, "backend", error=BackendUnavailable)
    many = whole(threads, "threads", least=1, most=MOST_THREADS)
    check_model(model, "compile")
    if isinstance(e, Program):
        if sizes:
            raise InputError("the program was lowered before. Lower its formula with sizes=.")
        return _ready(_fitting(e, model, method), model, backend, frame, redundant, (), many, dtype)
    formulas = named_formulas(e)
    key = tuple(formulas.items()) if isinstance(e, Mapping) else formulas[""]
    known = checked_sizes(sizes, map(body_of, formulas.values()))
    return _compiled(key, model, backend, frame, method, redundant, tuple(sorted(known.items())), many, dtype)


@lru_cache(maxsize=64)
def _compiled(
    key: Key,
    model: Model,
    backend: str,
    frame: Axes,
    method: Method,
    redundant: Redundant,
    sizes: Sizes,
    threads: int,
    dtype: Precise,
) -> Compiled:
    sized = tuple(sorted({**_sizes_of(model), **dict(sizes)}.items()))
    program = _program(key, vanishing(model), method, sized)
    return _ready(program, model, backend, frame, redundant, sizes, threads, dtype)


def _sizes_of(model: Model) -> Mapping[str, int]:
    """The degrees of freedom of a joint, on average; nothing where that is one, as is taken of any mechanism."""
    mean = round(model.nv / model.n)
    return {"joint": mean} if mean > 1 else {}


def _ready(
    program: Program,
    model: Model,
    backend: str,
    frame: Axes,
    redundant: Redundant,
    sizes: Sizes,
    threads: int,
    dtype: Precise,
) -> Compiled:
    name, build = backend_named(backend)

    def again(key: Key, method: Method) -> Compiled:
        return _compiled(key, model, backend, frame, method, redundant, sizes, threads, dtype)

    refuse_outside(narrow(body_of(output.formula) for output in program.outputs), model)
    executable = build(program, model, frame, redundant)
    if dtype != DOUBLE.name:
        if type(executable) is not Floats:
            raise InputError(f'backend "{name}" computes in float64. For dtype="{dtype}" leave backend= away.')
        executable = executable.anew(PRECISIONS[dtype])
    return Compiled(program, model, name, frame, executable, again, threads, dtype)


def _fitting(program: Program, model: Model, method: Method) -> Program:
    """A program that somebody lowered, if it is for such a model."""
    if method not in ("auto", program.method):
        raise InputError(
            f'the program was lowered with method="{program.method}". Lower its formula anew for "{method}".'
        )
    there = [name for name in program.absent if name not in vanishing(model)]
    if there:
        raise InputError(
            f"the program was lowered for mechanisms without {', '.join(there)}, which {model.name} has. "
            "Lower its formula with lower(...), which takes nothing to vanish, or compile the formula."
        )
    return program


@lru_cache(maxsize=256)
def _program(key: Key, zeros: frozenset[str], method: Method, sizes: Sizes) -> Program:
    bodies = [body_of(formula) for _, formula in key] if isinstance(key, tuple) else [body_of(key)]
    # What is compiled beside a formula, such as its normal form, need not pass all of its spaces.
    known = {name: size for name, size in sizes if name in sized_spaces(bodies)}
    return lower(dict(key) if isinstance(key, tuple) else key, method=method, zeros=zeros, sizes=known)
