"""compile: lower an expression, or take a program, and make it ready for a model by a backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from operator_algebra.arguments import Redundant, choice, whole, word
from operator_algebra.backends.backend import ClosedForm, Executable, backend_named
from operator_algebra.backends.kept import KeptProgram, drawer
from operator_algebra.backends.scalar.precision import DOUBLE, PRECISIONS
from operator_algebra.backends.scalar.precision import Name as Precise
from operator_algebra.calls.compiled import Compiled
from operator_algebra.errors import BackendUnavailable, InputError
from operator_algebra.expressions.domains import narrow
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.lowering.asked import Key, Lowerable, Method, checked_sizes, named_formulas, sized_spaces
from operator_algebra.models.model import Model, check_model
from operator_algebra.operators.outside import refuse_outside
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.interface import Interface
from operator_algebra.spatial.arrays import FRAMES, Axes

if TYPE_CHECKING:
    from operator_algebra.backends.floats import Floats, Keep
    from operator_algebra.programs.program import Program

Sizes = tuple[tuple[str, int], ...]
"""How many rows spaces have, by name, as far as is known."""

MOST_THREADS = 1024
"""Of one call."""
_GENERATED = ("numpy", "compiled")
"""The backends that generate code, which may be kept."""


class Options(NamedTuple):
    """What a program is compiled for."""

    model: Model
    backend: str
    frame: Axes
    redundant: Redundant
    threads: int
    dtype: Precise


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
    options = Options(model, backend, frame, redundant, many, dtype)
    program = _lowered_before(e)
    if program is not None:
        if sizes:
            raise InputError("the program was lowered before. Lower its formula with sizes=.")
        return _of_program(_fitting(program, model, method), options)
    formulas = named_formulas(cast("Lowerable", e))
    key = tuple(formulas.items()) if isinstance(e, Mapping) else formulas[""]
    known = checked_sizes(sizes, map(body_of, formulas.values()))
    return _compiled(key, method, tuple(sorted(known.items())), options)


def _lowered_before(e: object) -> Program | None:
    """What is asked for as a program, if it is one; to ask that of a formula takes nothing of programs."""
    if isinstance(e, Expr | Query | str | Mapping):
        return None
    from operator_algebra.programs.program import Program

    return e if isinstance(e, Program) else None


@lru_cache(maxsize=64)
def _compiled(key: Key, method: Method, sizes: Sizes, options: Options) -> Compiled:
    """The formulas compiled; what was kept of them in another process stands for the program until that is needed."""
    model, backend, frame, redundant, _, dtype = options
    formulas = [formula for _, formula in key] if isinstance(key, tuple) else [key]
    refuse_outside(narrow(map(body_of, formulas)), model)
    sized = tuple(sorted({**_sizes_of(model), **dict(sizes)}.items()))
    asked = key, method, sized, redundant, dtype
    place = drawer(asked, model) if backend in ("auto", *_GENERATED) and frame == "body" else None

    def lowered() -> Program:
        return _program(key, vanishing(model), method, sized)

    record = None if place is None else place.read()
    if record is not None:
        keep = partial(place.keep, record.interface) if place is not None else None
        kept = KeptProgram(record, model, dtype, lambda: cast("Floats", _executable(lowered(), options, keep)))
        return _callable(record.interface, lowered, kept, sizes, options)
    interface = Interface.of(lowered())
    keep = partial(place.keep, interface) if place is not None else None
    return _callable(interface, lowered, _executable(lowered(), options, keep), sizes, options)


def _of_program(program: Program, options: Options) -> Compiled:
    refuse_outside(narrow(body_of(output.formula) for output in program.outputs), options.model)
    return _callable(Interface.of(program), lambda: program, _executable(program, options), (), options)


def _executable(program: Program, options: Options, keep: Keep | None = None) -> Executable | ClosedForm:
    """What runs a program; `keep` is told of machine code that it makes."""
    name, build = backend_named(options.backend)
    made = build(program, options.model, options.frame, options.redundant)
    if name not in _GENERATED:
        if options.dtype != DOUBLE.name:
            raise InputError(f'backend "{name}" computes in float64. For dtype="{options.dtype}" leave backend= away.')
        return made
    return cast("Floats", made).anew(PRECISIONS[options.dtype], keep)


def _callable(
    interface: Interface,
    lowered: Callable[[], Program],
    executable: Executable | ClosedForm,
    sizes: Sizes,
    options: Options,
) -> Compiled:
    def again(key: Key, method: Method) -> Compiled:
        return _compiled(key, method, sizes, options)

    model, backend, frame, _, threads, dtype = options
    name = "numpy" if backend == "auto" else backend
    return Compiled(interface, model, name, frame, lowered, executable, again, threads, dtype)


def _sizes_of(model: Model) -> Mapping[str, int]:
    """The degrees of freedom of a joint, on average; nothing where that is one, as is taken of any mechanism."""
    mean = round(model.nv / model.n)
    return {"joint": mean} if mean > 1 else {}


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
    from operator_algebra.lowering.lower import lower

    bodies = [body_of(formula) for _, formula in key] if isinstance(key, tuple) else [body_of(key)]
    # What is compiled beside a formula, such as its normal form, need not pass all of its spaces.
    known = {name: size for name, size in sizes if name in sized_spaces(bodies)}
    return lower(dict(key) if isinstance(key, tuple) else key, method=method, zeros=zeros, sizes=known)
