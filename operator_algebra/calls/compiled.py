"""A call of a compiled program: arguments tested, the program run, small pivots mended, results laid out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, cast

from operator_algebra.arguments import choice
from operator_algebra.backends.backend import ClosedForm, Executable, Pure
from operator_algebra.backends.generated import Generated
from operator_algebra.backends.native.entry import Enterable
from operator_algebra.backends.scalar.precision import Name as Precise
from operator_algebra.calls.arguments import Arguments, leading_axes, refuse_long, refuse_wide
from operator_algebra.calls.quick import Quick
from operator_algebra.calls.results import spread_out, unpacked, written
from operator_algebra.calls.scipy_operator import linear_operator as as_linear_operator
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import vector
from operator_algebra.expressions.linear_part import linear_part
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.asked import Key, Method
from operator_algebra.models.model import Model
from operator_algebra.operators.bind import bind
from operator_algebra.operators.inputs import DEFAULTS
from operator_algebra.operators.spaces import ONE
from operator_algebra.programs.interface import Interface
from operator_algebra.spatial.arrays import Axes

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

    from operator_algebra.calls.mending import Mending
    from operator_algebra.programs.program import Program

RAISE: Literal["raise"] = "raise"
"""What is done about errors if nothing is said."""


@dataclass(frozen=True, eq=False)
class Compiled(Enterable):
    """A program ready for one model: call it with q and the inputs by name; leading axes are a batch."""

    interface: Interface
    model: Model
    backend: str
    frame: Axes
    _lowered: Callable[[], Program]
    """The program, which machine code that was kept does without."""
    _executable: Executable | ClosedForm
    _compile: Callable[[Key, Method], Compiled]
    """Compiles other formulas for the same model, backend and axes."""
    threads: int = 1
    """How many share a long batch."""
    dtype: Precise = "float64"
    """The kind of floats of the results."""

    @cached_property
    def program(self) -> Program:
        """The sweeps that are run, or that what is run was made of."""
        return self._lowered()

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that a call takes besides q."""
        return self.interface.inputs

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
            return unpacked(self._executable.closed_form(self._what, q, inputs), keyed=self.interface.keyed)
        call = self._bound(q, inputs)
        if quick is not None:
            quick.learn(inputs, call.inputs)
        return self._run(call, out, errors)

    @cached_property
    def _quick(self) -> Quick | None:
        code = self._executable
        if not isinstance(code, Generated):
            return None
        return Quick(self.model, code, alone=not self.interface.keyed, threads=self.threads)

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
        found = code.operations(call.inputs) if isinstance(code, Generated) else None
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
        others = [symbol for symbol in forward.interface.accepts if symbol != x]
        configuration = self.model.check_q(q)
        bound = bind(self._what, others, self.model, inputs, batch=True, whole=False, lead=configuration.shape[:-1])
        refuse_wide(self._what, configuration, bound)
        if leading_axes(configuration, bound):
            raise InputError("a linear operator belongs to one configuration: q and the inputs have no leading axes.")
        rows, columns = bound.layouts[A.type.codomain.sizes].size, bound.layouts[A.type.domain.sizes].size
        kept = {symbol.name: inputs[symbol.name] for symbol in others if symbol.name in inputs}

        def apply(program: Compiled, name: str) -> Callable[[Any], Any]:
            names = {symbol.name for symbol in program.interface.accepts}
            rest = {name: value for name, value in kept.items() if name in names}
            return lambda value: program(q=configuration, **rest, **{name: value})

        return as_linear_operator((rows, columns), apply(forward, x.name), apply(backward, y.name))

    def _applied(self, inputs: Mapping[str, object]) -> tuple[Expr, Symbol]:
        """The formula as a vector, and the vector in it that is not given."""
        e = self.program.outputs[0].formula
        if self.interface.keyed or isinstance(e, Query):
            raise InputError(f"{self._what} is not one operator or vector. Compile a single formula for this.")
        if e.type.domain != ONE:
            x = vector("x_free", e.type.domain)
            return e @ x, x
        missing = [symbol for symbol in self.interface.accepts if symbol.name not in inputs]
        free = [s for s in missing if s.type.domain == ONE and DEFAULTS.get(s.name) != s.type] or missing
        if len(free) != 1 or free[0].type.domain != ONE:
            listed = ", ".join(symbol.name for symbol in free) or "none"
            raise InputError(
                f"{self._what} as a linear operator acts on the one vector that is not given; not given: {listed}. "
                "Give all inputs but that vector."
            )
        return e, free[0]

    def _bound(self, q: Any, inputs: Mapping[str, Any]) -> Arguments:
        wanted = [symbol for symbol in self.interface.accepts if symbol.name in self.inputs or symbol.name in inputs]
        if q is None:
            raise InputError(f"{self._what} needs q ({self.model.nq} entries); it was not given.")
        configuration = self.model.check_q(q)
        bound = bind(self._what, wanted, self.model, inputs, batch=True, whole=False, lead=configuration.shape[:-1])
        refuse_wide(self._what, configuration, bound)
        rate = bound.values["v"].entries if self.interface.reads_rates else None
        lead = leading_axes(configuration, bound)
        refuse_long(self._what, lead, self.model.n)
        return Arguments(configuration, rate, bound, lead)

    @cached_property
    def _what(self) -> str:
        return self.interface.formula if len(self.interface.formula) <= 60 else "this program"

    @cached_property
    def mending(self) -> Mending:
        """What is done about samples that code does not trust, with the programs that it takes."""
        from operator_algebra.calls.mending import Mending

        def another(key: Key, method: Method) -> Mending:
            return self._compile(key, method).mending

        return Mending(self.program, self.model, self._numeric(), another)

    def _run(self, call: Arguments, out: object, errors: str) -> Any:
        run = spread_out(self._numeric()(call.q, call.v, call.inputs), self.interface.axes, call.lead)
        results = run.results if run.trusted else self.mending.told(run, call, errors, self.dtype)
        return self._handed_out(results, out)

    def _handed_out(self, results: Mapping[str, Any], out: object) -> Any:
        result = unpacked(results, keyed=self.interface.keyed)
        return result if out is None else written(out, result, self.dtype)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_quick"}  # whose door is of this object

    def __repr__(self) -> str:
        return _summary().one_line(self.program, self.model, self.backend)

    def __str__(self) -> str:
        return _summary().text(self.program, self.model, self.backend, self.frame)

    def _repr_html_(self) -> str:
        return _summary().html(self.program, self.model, self.backend, self.frame)


def _summary():
    """How it is shown, which takes pages, and calls do not."""
    from operator_algebra.calls import summary

    return summary
