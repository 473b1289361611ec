"""A call of a compiled program: arguments tested, the program run, small pivots mended, results laid out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from operator_algebra.arguments import choice
from operator_algebra.backends.backend import DOUBTFUL, HELD, SINGULAR, SMALL, ClosedForm, Executable, Pure, Run
from operator_algebra.backends.floats import Floats
from operator_algebra.backends.native.entry import Enterable
from operator_algebra.backends.scalar.precision import Name as Precise
from operator_algebra.calls import summary
from operator_algebra.calls.arguments import Arguments, leading_axes, refuse_long, refuse_wide
from operator_algebra.calls.diagnosis import singular_error, singular_samples, warn_of_lost_digits
from operator_algebra.calls.overflow import not_finite, range_error, without_pivot
from operator_algebra.calls.quick import Quick
from operator_algebra.calls.rescue import least_pivots, least_share, replaced, rescued, settled, singular_places
from operator_algebra.calls.results import logarithm, mask, narrowed, own_axes, spread, written
from operator_algebra.calls.scipy_operator import linear_operator as as_linear_operator
from operator_algebra.errors import InputError, NotLowerable
from operator_algebra.expressions.build import vector
from operator_algebra.expressions.linear_part import linear_part
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.lower import Method
from operator_algebra.lowering.normalforms import in_normal_form
from operator_algebra.models.model import Model
from operator_algebra.operators.bind import bind
from operator_algebra.operators.inputs import DEFAULTS
from operator_algebra.operators.spaces import ONE
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.program import Program
from operator_algebra.spatial.arrays import Axes

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

Key = Expr | Query | tuple[tuple[str, Expr | Query], ...]
"""A formula, or several by name."""

RAISE: Literal["raise"] = "raise"
"""What is done about errors if nothing is said."""

Results = dict[str, Any]
"""Results by name: arrays, or lists of blocks."""


@dataclass(frozen=True, eq=False)
class Compiled(Enterable):
    """A program ready for one model: call it with q and the inputs by name; leading axes are a batch."""

    program: Program
    model: Model
    backend: str
    frame: Axes
    _executable: Executable | ClosedForm
    _compile: Callable[[Key, Method], Compiled]
    """Compiles other formulas for the same model, backend and axes."""
    threads: int = 1
    """How many share a long batch."""
    dtype: Precise = "float64"
    """The kind of floats of the results."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that a call takes besides q."""
        return self.program.inputs

    @property
    def source(self) -> str:
        """The code that the backend runs, if it has any."""
        return self._executable.source

    @property
    def function(self) -> Callable[..., Any]:
        """With backend="jax", the results as a pure function of JAX arrays: q and the inputs by name.

        It can be differentiated, vectorized and compiled by JAX; leading axes are a batch. Inputs are numbers and
        vectors. Results, and their derivatives, are not a number where a call would have more to say.
        """
        if not isinstance(self._executable, Pure):
            raise InputError(f'backend "{self.backend}" has no function for other libraries. Use backend="jax".')
        return self._executable.function

    def __call__(
        self, /, *, q: Any = None, out: Any = None, errors: Literal["raise", "mask"] = RAISE, **inputs: Any
    ) -> Any:
        """The result at one or many configurations; a mapping if several expressions were compiled.

        Closed forms (backend="sympy") take symbols for what is not given, q too, and `parameters` of the model.
        A singular sample raises `SingularError` after all have been computed, and one that leaves the range of floats
        `RangeError`; `errors="mask"` returns the result with its rows not a number instead.
        """
        if errors is not RAISE:
            choice(errors, "errors", (RAISE, "mask"))
        quick = self._quick
        if quick is not None:
            results = quick(q, inputs)
            if results is not None:
                quick.open(self, self.__call__, tuple(inputs))
                return self._handed_out(results, out)
        if isinstance(self._executable, ClosedForm):
            if out is not None:
                raise InputError("closed forms are not written into arrays. Leave out= away.")
            return self._unpacked(self._executable.closed_form(self._what, q, inputs))
        call = self._bound(q, inputs)
        if quick is not None:
            quick.learn(inputs, call.inputs)
        return self._run(call, out, errors)

    @cached_property
    def _quick(self) -> Quick | None:
        code = self._executable
        if not isinstance(code, Floats):
            return None
        return Quick(self.model, code, alone=not self.program.keyed, threads=self.threads)

    def _numeric(self) -> Executable:
        if isinstance(self._executable, ClosedForm):
            raise InputError(f'backend "{self.backend}" gives closed forms, not numbers. Compile with backend="numpy".')
        return self._executable

    def bind(self, /, *, q: Any, out: Any, **inputs: Any) -> Callable[[], None]:
        """Check the arguments once; the returned function computes into `out` from their current contents.

        Arrays that are bound may not be resized.
        """
        self._numeric()
        checked, quick = self._bound(q, inputs), self._quick
        if quick is None:
            return partial(self._fill, q, out, dict(inputs))
        quick.learn(inputs, checked.inputs)
        return quick.bound(q, dict(inputs), out, partial(self._fill, q, out, dict(inputs)))

    def _fill(self, q: object, out: object, inputs: Mapping[str, object]) -> None:
        self(q=q, out=out, errors=RAISE, **inputs)

    def operations(self, /, *, q: Any, **inputs: Any) -> dict[str, int]:
        """How many scalar operations of each kind generated code takes at one configuration, for arguments as given.

        What is known of the mechanism is folded, equal operations are one; a sine counts one, and inputs that are not
        given nothing. What tells whether results may be trusted is not counted.

        >>> import operator_algebra as oa
        >>> arm = oa.load("planar2r")
        >>> oa.compile(oa.dynamics.mass_matrix, arm).operations(q=arm.neutral())
        {'add': 2, 'cos': 1, 'multiply': 1, 'subtract': 2}
        """
        code, call = self._numeric(), self._bound(q, inputs)
        found = code.operations(call.inputs) if isinstance(code, Floats) else None
        if found is None:
            raise InputError(f"{self._what} is interpreted for {self.model.name}, which is no list of operations.")
        return dict(sorted(found.items()))

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
        forward = self._compile(e, method)
        backward = self._compile(A.T @ y, method)
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

    def _applied(self, inputs: Mapping[str, object]) -> tuple[Expr, Symbol]:
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
        rate = bound.values["v"].entries if self.program.reads_rates else None
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
        # Interpreted: a few samples of some batches are not worth code of their own.
        return self._compile(tuple(formulas.items()), method)._numeric().interpreted

    def _run(self, call: Arguments, out: object, errors: str) -> Any:
        run = self._mended(self._spread(self._numeric()(call.q, call.v, call.inputs), call.lead), call)
        run = self._reduced_where_singular(run, call)
        narrow = replace(run, results=narrowed(run.results, self.dtype))
        return self._handed_out(self._masked(narrow, call, errors), out)

    def _handed_out(self, results: Results, out: object) -> Any:
        result = self._unpacked(results)
        return result if out is None else written(out, result, self.dtype)

    def _mended(self, run: Run, call: Arguments) -> Run:
        """Samples with small pivots again by orthogonal elimination, which tells what is lost; refined if they may be.

        Pivots of a definite operator are small only if it is nearly singular itself: it is heard once they are lost.
        """
        if self.program.method == "orthogonal":
            return run
        return self._freed(self._pivoted(run, call), call)

    def _pivoted(self, run: Run, call: Arguments) -> Run:
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

    def _freed(self, run: Run, call: Arguments) -> Run:
        """Samples that springs hold are refined: their solutions are small differences, whatever their condition."""
        held = ~(least_share(run.pivots, call.lead) >= HELD)
        if self.program.refines or not held.any():
            return run
        samples = np.nonzero(held)[0]
        try:
            second = self._again(self.refined, call, samples)
        except NotLowerable:
            return run
        # Blocks have no residual.
        whole = any(output.kind == "blocks" for output in self.program.outputs)
        return replaced(run if whole else settled(run, samples, call.lead), samples, call.lead, second)

    def _reduced_where_singular(self, run: Run, call: Arguments) -> Run:
        """What cancels, or is multiplied by zero, need not have a value: singular samples by the normal form."""
        bad = singular_places(run.pivots, call.lead)
        if not len(bad) or self.normal_form is None:
            return run
        normal = self.normal_form
        return rescued(
            run, bad, call.lead, normal._mended(self._again(normal._numeric().interpreted, call, bad), call.some(bad))
        )

    @cached_property
    def normal_form(self) -> Compiled | None:
        """The same formulas multiplied out, without what cancels; None if they are so already."""
        formulas = in_normal_form(self.program, vanishing(self.model))
        if formulas is None:
            return None
        try:
            return self._compile(formulas, cast("Method", self.program.method))
        except NotLowerable:
            return None

    def _again(self, executable: Executable, call: Arguments, samples: Any) -> Run:
        """Some samples of a call by another program."""
        some = call.some(samples)
        return self._spread(executable(some.q, some.v, some.inputs), some.lead)

    def _spread(self, run: Run, lead: tuple[int, ...]) -> Run:
        outputs = self.program.outputs
        return replace(run, results={o.name: spread(run.results[o.name], lead, own_axes(o)) for o in outputs})

    def _masked(self, run: Run, call: Arguments, errors: str) -> Results:
        outputs = self.program.outputs
        bad = np.broadcast_to(singular_samples(run.pivots), call.lead)
        beyond = not_finite(run.results, call.lead)
        results = {o.name: logarithm(o, run.results[o.name], errors, bad) for o in outputs}
        if beyond is not None or bad.any():
            everywhere = bad if beyond is None else bad | beyond
            results = {name: mask(value, everywhere) for name, value in results.items()}
            bad = bad & ~without_pivot(run.pivots, bad, SINGULAR)
            if errors == "raise" and bad.any():
                found = self._unpacked(results)
                inverted = self.program.report.eliminated
                raise singular_error(self.model, call.q, run.pivots, bad, found, inverted)
            if errors == "raise":
                raise range_error(self._numeric(), self.model, call, everywhere, self._unpacked(results))
        else:
            warn_of_lost_digits(self.model, run.pivots)
        return results

    def _unpacked(self, results: Results) -> Any:
        return results if self.program.keyed else next(iter(results.values()))

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_quick"}  # whose door is of this object

    def __repr__(self) -> str:
        return summary.one_line(self.program, self.model, self.backend)

    def __str__(self) -> str:
        return summary.text(self.program, self.model, self.backend, self.frame)

    def _repr_html_(self) -> str:
        return summary.html(self.program, self.model, self.backend, self.frame)
