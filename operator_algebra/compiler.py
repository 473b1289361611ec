"""compile: lower an expression, specialise it to a model, and hand it to a backend. Holds no logic of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from operator_algebra.arguments import choice, word
from operator_algebra.backends import summary
from operator_algebra.backends.arguments import Arguments, leading_axes, refuse_long, refuse_wide
from operator_algebra.backends.backend import ClosedForm, Executable, Run, backend_named
from operator_algebra.backends.diagnosis import (
    DOUBTFUL,
    SINGULAR,
    SMALL,
    singular_error,
    singular_samples,
    warn_of_lost_digits,
)
from operator_algebra.backends.overflow import not_finite, range_error, without_pivot
from operator_algebra.backends.rescue import least_pivots, replaced, rescued, singular_places
from operator_algebra.backends.scipy_operator import linear_operator as as_linear_operator
from operator_algebra.errors import BackendUnavailable, InputError, NotLowerable
from operator_algebra.expressions.build import vector
from operator_algebra.expressions.linear_part import linear_part
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.lower import Lowerable, Method, lower, named_formulas
from operator_algebra.lowering.normalforms import in_normal_form
from operator_algebra.models.model import Model, check_model
from operator_algebra.operators.bind import DEFAULTS, bind
from operator_algebra.operators.leaves import FRAMES
from operator_algebra.operators.spaces import ONE
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.program import Output, Program

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

Frame = Literal["body", "world"]


@dataclass(frozen=True, eq=False)
class Compiled:
    """A program ready for one model: call it with q and the inputs by name; leading axes are a batch."""

    program: Program
    model: Model
    backend: str
    frame: Frame
    _executable: Executable | ClosedForm

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that a call takes besides q."""
        return self.program.inputs

    @property
    def source(self) -> str:
        """The code that the backend runs, if it has any."""
        return self._executable.source

    def __call__(
        self, /, *, q: Any = None, out: Any = None, errors: Literal["raise", "mask"] = "raise", **inputs: Any
    ) -> Any:
        """The result at one or many configurations; a mapping if several expressions were compiled.

        Closed forms (backend="sympy") take symbols for what is not given, q too, and `parameters` of the model.
        A singular sample raises `SingularError` after all have been computed, and one that leaves the range of floats
        `RangeError`; `errors="mask"` returns the result with its rows not a number instead.
        """
        choice(errors, "errors", ("raise", "mask"))
        if isinstance(self._executable, ClosedForm):
            if out is not None:
                raise InputError("closed forms are not written into arrays. Leave out= away.")
            return self._unpacked(self._executable.closed_form(self._what, q, inputs))
        return self._run(self._bound(q, inputs), out, errors)

    def _numeric(self) -> Executable:
        if isinstance(self._executable, ClosedForm):
            raise InputError(f'backend "{self.backend}" gives closed forms, not numbers. Compile with backend="numpy".')
        return self._executable

    def bind(self, /, *, q: Any, out: Any, **inputs: Any) -> Callable[[], None]:
        """Check the arguments once; the returned function computes into `out` from their current contents."""
        self._numeric()
        self._bound(q, inputs)
        kept = dict(inputs)

        def call() -> None:
            self._run(self._bound(q, kept), out, "raise")

        return call

    def linear_operator(self, /, *, q: Any, **inputs: Any) -> LinearOperator:
        """A SciPy operator at one configuration, acting on the one input vector that is not given.

        Its adjoint is lowered from the adjoint of the formula. A program of an operator acts on any vector.

        >>> import operator_algebra as oa
        >>> arm = oa.chain(3)
        >>> oa.compile(oa.dynamics.mass_matrix, arm).linear_operator(q=arm.neutral()).shape
        (3, 3)
        """
        self._numeric()
        e, x = self._applied(inputs)
        A = linear_part(e, x)
        method = cast("Method", self.program.method)
        y = vector(f"{x.name}_adjoint", A.type.codomain.dual)
        forward = compile(e, self.model, backend=self.backend, frame=self.frame, method=method)
        backward = compile(A.T @ y, self.model, backend=self.backend, frame=self.frame, method=method)
        others = [symbol for symbol in forward.program.accepts if symbol != x]
        configuration = self.model.check_q(q)
        bound = bind(self._what, others, self.model, inputs, batch=True, whole=False, lead=configuration.shape[:-1])
        refuse_wide(self._what, configuration, bound)
        if leading_axes(configuration, bound):
            raise InputError("a linear operator belongs to one configuration: q and the inputs have no leading axes.")
        rows, columns = bound.layouts[A.type.codomain.sizes].size, bound.layouts[A.type.domain.sizes].size
        kept = {symbol.name: inputs[symbol.name] for symbol in others if symbol.name in inputs}

        def apply(program: Compiled, name: str) -> Callable[[Any], Any]:
            names = {symbol.name for symbol in program.program.accepts}
            rest = {name: value for name, value in kept.items() if name in names}
            return lambda value: program(q=configuration, **rest, **{name: value})

        return as_linear_operator((rows, columns), apply(forward, x.name), apply(backward, y.name))

    def _applied(self, inputs: Mapping[str, Any]) -> tuple[Expr, Symbol]:
        """The formula as a vector, and the vector in it that is not given."""
        e = self.program.outputs[0].formula
        if self.program.keyed or isinstance(e, Query):
            raise InputError(f"{self._what} is not one operator or vector. Compile a single formula for this.")
        if e.type.domain != ONE:
            x = vector("x_free", e.type.domain)
            return e @ x, x
        missing = [symbol for symbol in self.program.accepts if symbol.name not in inputs]
        free = [s for s in missing if s.type.domain == ONE and DEFAULTS.get(s.name) != s.type] or missing
        if len(free) != 1 or free[0].type.domain != ONE:
            listed = ", ".join(symbol.name for symbol in free) or "none"
            raise InputError(
                f"{self._what} as a linear operator acts on the one vector that is not given; not given: {listed}. "
                "Give all inputs but that vector."
            )
        return e, free[0]

    def _bound(self, q: Any, inputs: Mapping[str, Any]) -> Arguments:
        wanted = [symbol for symbol in self.program.accepts if symbol.name in self.inputs or symbol.name in inputs]
        if q is None:
            raise InputError(f"{self._what} needs q ({self.model.nq} entries); it was not given.")
        configuration = self.model.check_q(q)
        bound = bind(self._what, wanted, self.model, inputs, batch=True, whole=False, lead=configuration.shape[:-1])
        refuse_wide(self._what, configuration, bound)
        rate = bound.values["v"].dense[..., 0] if self.program.reads_rates else None
        lead = leading_axes(configuration, bound)
        refuse_long(self._what, lead, self.model.n)
        return Arguments(configuration, rate, bound, lead)

    @cached_property
    def _what(self) -> str:
        return self.program.formula if len(self.program.formula) <= 60 else "this program"

    @cached_property
    def rescue(self) -> Executable:
        """The same formulas by orthogonal elimination: about twenty times the work, and no local pivots to lose."""
        return self._by("orthogonal")

    @cached_property
    def refined(self) -> Executable:
        """The same formulas with one step of iterative refinement, which gives back what small pivots cost."""
        return self._by("refined")

    def _by(self, method: Method) -> Executable:
        formulas: dict[str, Expr | Query] = {output.name: output.formula for output in self.program.outputs}
        return _compiled(tuple(formulas.items()), self.model, self.backend, self.frame, method)._numeric()

    def _run(self, call: Arguments, out: Any, errors: str) -> Any:
        run = self._mended(self._spread(self._numeric()(call.q, call.v, call.inputs), call.lead), call)
        result = self._masked(self._reduced_where_singular(run, call), call, errors)
        if out is not None:
            return _written(out, result)
        return result

    def _mended(self, run: Run, call: Arguments) -> Run:
        """Samples with small pivots again by orthogonal elimination, which tells what is lost; refined if they may be.

        Pivots of a definite operator are small only if it is nearly singular itself: it is heard once they are lost.
        """
        if self.program.method == "orthogonal":
            return run
        least = least_pivots(run.pivots, call.lead)
        small, lost = ~(least >= SMALL), ~(least >= DOUBTFUL)
        again = lost if self.program.definite else small
        if again.any():
            samples = np.nonzero(again)[0]
            run = rescued(run, samples, call.lead, self._again(self.rescue, call, samples))
        if self.program.method == "auto" and self.program.refinable and (small & ~lost).any():
            samples = np.nonzero(small & ~lost)[0]
            run = replaced(run, samples, call.lead, self._again(self.refined, call, samples))
        return run

    def _reduced_where_singular(self, run: Run, call: Arguments) -> Run:
        """What cancels, or is multiplied by zero, need not have a value: singular samples by the normal form."""
        bad = singular_places(run.pivots, call.lead)
        if not len(bad) or self.normal_form is None:
            return run
        normal = self.normal_form
        return rescued(run, bad, call.lead, normal._mended(self._again(normal._numeric(), call, bad), call.some(bad)))

    @cached_property
    def normal_form(self) -> Compiled | None:
        """The same formulas multiplied out, without what cancels; None if they are so already."""
        formulas = in_normal_form(self.program, vanishing(self.model))
        if formulas is None:
            return None
        try:
            return _compiled(formulas, self.model, self.backend, self.frame, cast("Method", self.program.method))
        except NotLowerable:
            return None

    def _again(self, executable: Executable, call: Arguments, samples: Any) -> Run:
        """Some samples of a call by another program."""
        some = call.some(samples)
        return self._spread(executable(some.q, some.v, some.inputs), some.lead)

    def _spread(self, run: Run, lead: tuple[int, ...]) -> Run:
        outputs = self.program.outputs
        return replace(run, results={o.name: _spread(run.results[o.name], lead, _own_axes(o)) for o in outputs})

    def _masked(self, run: Run, call: Arguments, errors: str) -> Any:
        outputs = self.program.outputs
        bad = np.broadcast_to(singular_samples(run.pivots), call.lead)
        beyond = not_finite(run.results, call.lead)
        results = {o.name: _logarithm(o, run.results[o.name], errors, bad) for o in outputs}
        if beyond is not None or bad.any():
            everywhere = bad if beyond is None else bad | beyond
            results = {name: _mask(value, everywhere) for name, value in results.items()}
            bad = bad & ~without_pivot(run.pivots, bad, SINGULAR)
            if errors == "raise" and bad.any():
                found = self._unpacked(results)
                inverted = self.program.report.eliminated
                raise singular_error(self.model, call.q, run.pivots, bad, found, inverted)
            if errors == "raise":
                raise range_error(self._numeric(), self.model, call, everywhere, self._unpacked(results))
        else:
            warn_of_lost_digits(self.model, run.pivots)
        return self._unpacked(results)

    def _unpacked(self, results: dict[str, Any]) -> Any:
        return results if self.program.keyed else next(iter(results.values()))

    def __repr__(self) -> str:
        return summary.one_line(self.program, self.model, self.backend)

    def __str__(self) -> str:
        return summary.text(self.program, self.model, self.backend, self.frame)

    def _repr_html_(self) -> str:
        return summary.html(self.program, self.model, self.backend, self.frame)


def _logarithm(output: Output, given: Any, errors: str, bad: Any) -> Any:
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


def _own_axes(output: Output) -> int:
    """How many axes one sample of a result has; block-diagonal ones have three, if blocks are of one size."""
    if output.kind == "blocks":
        return 3
    # As what `evaluate` gives: a column is an array of its entries, a row a matrix of one row.
    return 2 if output.columns != ONE else int(output.rows != ONE)


def _spread(value: Any, lead: tuple[int, ...], own: int) -> Any:
    """A result with the axes of the batch, also if it depends on nothing that varies over it."""
    if isinstance(value, list):
        return [_spread(block, lead, own - 1) for block in value]  # pyright: ignore[reportUnknownVariableType]
    shape = lead + np.shape(value)[np.ndim(value) - own :]
    return value if np.shape(value) == shape else np.array(np.broadcast_to(value, shape))


def _mask(value: Any, bad: Any) -> Any:
    if isinstance(value, list):
        return [_mask(block, bad) for block in value]  # pyright: ignore[reportUnknownVariableType]
    masked = np.array(value)
    masked[bad] = np.nan
    return masked


def _written(out: Any, result: Any, name: str = "out") -> Any:
    """Fill the caller's arrays: one, a mapping of them for several results, or a list for blocks of several sizes."""
    if isinstance(result, dict | list):
        parts = (
            cast("dict[Any, Any]", result) if isinstance(result, dict) else dict(enumerate(cast("list[Any]", result)))
        )
        for key, part in parts.items():
            try:
                own = out[key]
            except (LookupError, TypeError):
                raise InputError(
                    f"{name} has no place for {key!r}: give arrays for {', '.join(map(str, parts))}."
                ) from None
            _written(own, part, f"{name}[{key!r}]")
        return out
    shape = np.shape(result)
    found: object = getattr(cast("object", out), "shape", type(out).__name__)
    if not isinstance(out, np.ndarray) or found != shape:
        raise InputError(f"{name} has shape {found}; the result has {shape}. Give an array of that shape.")
    array = cast("np.ndarray[Any, np.dtype[Any]]", out)
    if array.dtype != np.float64 or not array.flags.writeable:
        state = "" if array.flags.writeable else ", read-only"
        raise InputError(f"{name} holds {array.dtype}{state}; the result needs a writable array of float64.")
    array[...] = result
    return array


def compile(
    e: Lowerable | Program,
    model: Model,
    *,
    backend: str = "auto",
    frame: Frame = "body",
    method: Method = "auto",
) -> Compiled:
    """A callable for one model; the same arguments give the same object, so this may stand in a loop.

    A program that was lowered or read before is taken as it is, with its own method.

    >>> import operator_algebra as oa
    >>> arm = oa.chain(3)
    >>> solve = oa.compile(oa.dynamics.forward_dynamics, arm)
    >>> solve(q=arm.neutral(), v=[0, 0, 0], T=[0, 0, 0]).shape
    (3,)
    """
    choice(frame, "frame", FRAMES)
    choice(method, "method", get_args(Method))
    word(backend, "backend", error=BackendUnavailable)
    check_model(model, "compile")
    if isinstance(e, Program):
        return _ready(_fitting(e, model, method), model, backend, frame)
    formulas = named_formulas(e)
    key = tuple(formulas.items()) if isinstance(e, Mapping) else formulas[""]
    return _compiled(key, model, backend, frame, method)


Key = Expr | Query | tuple[tuple[str, Expr | Query], ...]


@lru_cache(maxsize=256)
def _compiled(key: Key, model: Model, backend: str, frame: Frame, method: Method) -> Compiled:
    return _ready(_program(key, vanishing(model), method), model, backend, frame)


def _ready(program: Program, model: Model, backend: str, frame: Frame) -> Compiled:
    name, build = backend_named(backend)
    return Compiled(program, model, name, frame, build(program, model, frame))


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
def _program(key: Key, zeros: frozenset[str], method: Method) -> Program:
    return lower(dict(key) if isinstance(key, tuple) else key, method=method, zeros=zeros)
