"""The short way of a call: arguments that are arrays of floats of the right shape go straight to generated code.

What is not as plain as that, what is not a number, and samples that generated code does not trust go the long way,
which says what is wrong or mends it. So nothing is refused here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from operator_algebra.backends.backend import Result
from operator_algebra.backends.floats import Floats
from operator_algebra.backends.kernel import Kernel
from operator_algebra.backends.native.run import BoundCall
from operator_algebra.models.configurations import UNIT
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import MOST, Numbers
from operator_algebra.operators.inputs import Bound, model_layouts
from operator_algebra.operators.spaces import ONE

_FLOATS = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class Form:
    """A set of inputs, each a vector of known size or a number, and the code for it."""

    kernel: Kernel
    order: Sequence[tuple[str, int]]
    """Names and sizes, as the code takes them; 0 for a number."""


class Quick:
    """The forms in which a compiled program was called so far."""

    def __init__(self, model: Model, executable: Floats) -> None:
        self._model = model
        self._executable = executable
        self._sizes = {family: layout.size for family, layout in model_layouts(model).items()}
        self._forms: dict[tuple[str, ...], Form | None] = {}
        self._quaternions: list[list[int]] = []
        for group in model.joint_groups:
            if group.joint.quaternion is not None:
                self._quaternions += group.q[:, group.joint.quaternion].tolist()

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
        return None if kernel is None else Form(kernel, order)

    def __call__(self, q: object, inputs: Mapping[str, object]) -> dict[str, Result] | None:
        """The results; None where the call has to go the long way."""
        form = self._forms.get(tuple(inputs))
        if form is None or type(q) is not np.ndarray or q.dtype is not _FLOATS:
            return None
        if q.ndim == 1 and not form.kernel.native:
            return self._single(form, q, inputs)
        return self._batch(form, q, inputs) if q.ndim and q.size else None

    def _single(self, form: Form, q: Numbers, inputs: Mapping[str, object]) -> dict[str, Result] | None:
        arguments: list[float] = q.tolist()
        if len(arguments) != self._model.nq:
            return None
        for a, b, c, d in self._quaternions:
            if not abs(math.hypot(arguments[a], arguments[b], arguments[c], arguments[d]) - 1.0) <= UNIT:
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
        if given is None or not self._turns(given[0]):
            return None
        whole, _, arrays = form.kernel.batch(given, len(given[0]))
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
                given.append(np.array([[value]]))
            elif type(value) is not np.ndarray or value.dtype is not _FLOATS or not size:
                return None
            elif value.shape == (*lead, size):
                given.append(value.reshape(count, size))
            elif value.shape == (size,):
                given.append(value[None, :])
            else:
                return None
        return given

    def _turns(self, q: Numbers) -> bool:
        """Whether all quaternions are rotations."""
        for places in self._quaternions:
            norms = np.sqrt((q[:, places] ** 2).sum(axis=1))
            if not (np.abs(norms - 1.0) <= UNIT).all():
                return False
        return True

    def bound(self, q: object, inputs: Mapping[str, object], out: object) -> Callable[[], bool] | None:
        """Machine code with the addresses of these arrays, for one result; None if there is none for them.

        A call fills `out` from what the arrays hold then, or tells that it has to go the long way.
        """
        form = self._forms.get(tuple(inputs))
        if form is None or type(q) is not np.ndarray or q.dtype is not _FLOATS or not q.ndim or not q.size:
            return None
        plain = all(not isinstance(x, np.ndarray) or x.flags.c_contiguous for x in (q, *inputs.values()))
        given = self._given(form, q, inputs) if plain else None
        call = None if given is None else form.kernel.bound(given, len(given[0]))
        if given is None or call is None or len(call.results) != 1:
            return None
        (result,) = form.kernel.laid_out(call.results, q.shape[:-1]).values()
        if type(out) is not np.ndarray or isinstance(result, list) or out.shape != result.shape:
            return None
        if out.dtype is not _FLOATS or not out.flags.writeable:
            return None
        return partial(self._again, given[0], call, result, out)

    def _again(self, q: Numbers, call: BoundCall, result: Numbers, out: Numbers) -> bool:
        if not self._turns(q) or not call():
            return False
        out[...] = result
        return True
