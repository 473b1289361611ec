"""The short way of a call: arguments that are arrays of floats of the right shape go straight to generated code.

What is not as plain as that, what is not a number, and samples that generated code does not trust go the long way,
which says what is wrong or mends it. So nothing is refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from operator_algebra.backends.backend import Result
from operator_algebra.backends.code import Code
from operator_algebra.backends.generated import Generated
from operator_algebra.backends.native.door import Door
from operator_algebra.backends.native.entry import Enterable
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import MOST, Numbers
from operator_algebra.operators.inputs import Bound, model_layouts
from operator_algebra.operators.spaces import ONE

_FLOATS = np.dtype(np.float64)


@dataclass(eq=False)
class Form:
    """A set of inputs, each a vector of known size or a number, and the code for it."""

    kernel: Code
    order: Sequence[tuple[str, int]]
    """Names and sizes, as the code takes them; 0 for a number."""
    door: Door | None = None
    """Machine code that takes the arguments as they are, once there is some."""

    def opened(self, other: Callable[..., object], threads: int) -> Door | None:
        """The door, if there is one by now; what several threads share goes another way."""
        if self.door is None and self.kernel.native and all(size for _, size in self.order):
            self.door = self.kernel.door([name for name, _ in self.order], other, threads)
        return self.door


class Quick:
    """The forms in which a compiled program was called so far."""

    def __init__(self, model: Model, executable: Generated, *, alone: bool, threads: int) -> None:
        self._model = model
        self._executable = executable
        self._threads = threads
        self._alone = alone
        """Whether a call gives one result, without its name."""
        self._door: Door | None = None
        """The shortest way, for the form that was met last."""
        self._sizes = {family: layout.size for family, layout in model_layouts(model).items()}
        self._forms: dict[tuple[str, ...], Form | None] = {}

    def learn(self, given: Mapping[str, object], inputs: Bound) -> None:
        """Remember the form of a call that went the long way."""
        names = tuple(given)
        if names not in self._forms and not inputs.absent.intersection(names):
            self._forms[names] = self._form(inputs)

    def _form(self, inputs: Bound) -> Form | None:
        order: list[tuple[str, int]] = []
        for name, value in inputs.values.items():
            if name in inputs.absent:
                continue
            if value.type.domain != ONE or value.type.codomain.sizes not in self._sizes:
                return None
            order.append((name, 0 if value.type.codomain == ONE else self._sizes[value.type.codomain.sizes]))
        kernel = self._executable.kernel(inputs)
        return None if kernel is None or kernel.kind.name != self._executable.precision.name else Form(kernel, order)

    def __call__(self, q: object, inputs: Mapping[str, object]) -> dict[str, Result] | None:
        """The results; None where the call has to go the long way."""
        form = self._forms.get(tuple(inputs))
        if form is None or type(q) is not np.ndarray or q.dtype is not form.kernel.kind:
            return None
        if q.ndim == 1 and not form.kernel.native:
            return self._single(form, q, inputs)
        return self._batch(form, q, inputs) if q.ndim and q.size else None

    def open(self, one: Enterable, call: Callable[..., object], names: tuple[str, ...]) -> None:
        """Let calls of an object with these names go to machine code at once, if there is some; others as they did."""
        form = self._forms.get(names) if self._alone else None
        door = None if form is None else form.opened(call, self._threads)
        if door is not None and door is not self._door:
            door.open(one)
            self._door = door

    def _single(self, form: Form, q: Numbers, inputs: Mapping[str, object]) -> dict[str, Result] | None:
        arguments: list[float] = q.tolist()
        if len(arguments) != self._model.nq:
            return None
        for name, size in form.order:
            value = inputs[name]
            if type(value) is np.ndarray and value.dtype is _FLOATS and value.shape == (size,):
                arguments += value.tolist()
            elif type(value) is float and not size:
                arguments.append(value)
            else:
                return None
        entries = form.kernel.single(arguments)
        return None if entries is None else form.kernel.one(entries)

    def _batch(self, form: Form, q: Numbers, inputs: Mapping[str, object]) -> dict[str, Result] | None:
        given = self._given(form, q, inputs)
        if given is None:
            return None
        whole, _, arrays = form.kernel.batch(given, len(given[0]), self._threads)
        return form.kernel.laid_out(arrays, q.shape[:-1]) if whole else None

    def _given(self, form: Form, q: Numbers, inputs: Mapping[str, object]) -> list[Numbers] | None:
        """The arguments as (samples, numbers) each, or with one row for all; None if one is not plain."""
        lead, model = q.shape[:-1], self._model
        count = q.size // q.shape[-1]
        if q.shape[-1] != model.nq or count * model.n > MOST:
            return None
        given: list[Numbers] = [q.reshape(count, model.nq)]
        for name, size in form.order:
            value = inputs[name]
            if type(value) is float and not size:
                given.append(np.array([[value]], dtype=form.kernel.kind))
            elif type(value) is not np.ndarray or value.dtype is not form.kernel.kind or not size:
                return None
            elif value.shape == (*lead, size):
                given.append(value.reshape(count, size))
            elif value.shape == (size,):
                given.append(value[None, :])
            else:
                return None
        return given

    def bound(
        self, q: object, inputs: Mapping[str, object], out: object, other: Callable[[], None]
    ) -> Callable[[], None]:
        """Machine code that fills `out` from what these arrays hold when it is called, as soon as there is some.

        The other function is called until then, and where there is more to say.
        """
        direct = self._direct(q, inputs, out, other)
        if direct is not None:
            return direct

        def call() -> None:
            nonlocal direct
            if direct is None:
                other()
                direct = self._direct(q, inputs, out, other)
            else:
                direct()

        return call

    def _direct(
        self, q: object, inputs: Mapping[str, object], out: object, other: Callable[[], None]
    ) -> Callable[[], None] | None:
        """None where there is no machine code for these arrays, or not yet."""
        form = self._forms.get(tuple(inputs)) if self._alone else None
        if form is None or not form.kernel.native or type(q) is not np.ndarray or q.dtype is not form.kernel.kind:
            return None
        given = self._given(form, q, inputs) if q.size and all(map(_without_gaps, (q, out, *inputs.values()))) else None
        if given is None or type(out) is not np.ndarray or out.dtype is not form.kernel.kind or not out.flags.writeable:
            return None
        if [out.shape] != [(*q.shape[:-1], *shape) for laid in form.kernel.results for shape in laid.shapes]:
            return None
        return form.kernel.bound(given, len(given[0]), out, other, self._threads)


def _without_gaps(value: object) -> bool:
    return not isinstance(value, np.ndarray) or bool(cast("Numbers", value).flags.c_contiguous)
