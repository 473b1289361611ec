"""The "jax" backend: loops over bodies as scans, for calls as those of other backends, and as a function to derive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np

from operator_algebra.arguments import Redundant
from operator_algebra.backends.backend import Pure
from operator_algebra.backends.floats import Floats
from operator_algebra.backends.jax.library import Array, library
from operator_algebra.backends.jax.run import JaxKernel
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.operators.bind import bind
from operator_algebra.operators.inputs import Bound
from operator_algebra.operators.spaces import ONE
from operator_algebra.programs.program import Program
from operator_algebra.spatial.arrays import Axes


def build(program: Program, model: Model, frame: str, redundant: Redundant = "raise") -> Scanned:
    """Make a program ready for a model."""
    library()
    if frame != "body":
        raise InputError('JAX computes in the axes of the bodies. Leave frame= away, or use backend="numpy".')
    return Scanned(program, model, cast("Axes", frame), redundant)


class Scanned(Floats, Pure):
    """A program for one model, with its functions, one for each form of arguments."""

    def __init__(self, program: Program, model: Model, frame: Axes, redundant: Redundant) -> None:
        super().__init__(program, model, frame, redundant)
        self.program = program
        self.model = model

    def _made(self, signature: Signature) -> JaxKernel:
        try:
            return JaxKernel(self.program, self.model, signature)
        except Untraceable as reason:
            raise InputError(
                f"{self.program.formula} on {self.model.name} is not written in JAX: {reason}. "
                'Compile it with backend="numpy", which interprets what is no loop over bodies.'
            ) from None

    @property
    def function(self) -> Callable[..., object]:
        """Results as JAX arrays of q and the inputs, which are numbers or vectors, by name."""
        return self._call

    def _call(self, *, q: object, **inputs: object) -> object:
        xnp = library().numpy
        if xnp.result_type(float) != xnp.float64:
            raise InputError(
                "JAX rounds arguments to float32 here before they come. "
                'Write jax.config.update("jax_enable_x64", True) first, or call inside "with jax.enable_x64(True):".'
            )
        given = {name: _array(name, value) for name, value in {"q": q, **inputs}.items()}
        kernel, names = self._kernel_for({name: array.shape for name, array in given.items()})
        several = [given[name] if kept else given[name][..., None] for name, kept in names.items()]
        _fit_together({name: array.shape[:-1] for name, array in zip(names, several, strict=True)})
        good, *found = kernel.vectorized(*several)
        trusted = xnp.where(good, 1.0, float("nan"))[..., None]
        # A product, so that derivatives are not numbers either.
        lead = good.shape
        results = {
            one.laid.name: one.result(cast("np.ndarray", array * trusted), lead)
            for one, array in zip(kernel.found, found, strict=True)
        }
        return results if self.program.keyed else next(iter(results.values()))

    def _kernel_for(self, shapes: Mapping[str, tuple[int, ...]]) -> tuple[JaxKernel, dict[str, bool]]:
        """The function for arguments of some shapes, their names in its order, and which of them are vectors."""
        program, model = self.program, self.model
        shape = shapes["q"]
        fits = shape[-1:] == (model.nq,)
        model.check_q(np.broadcast_to(model.neutral(), shape) if fits else np.zeros(shape))
        wanted = [symbol for symbol in program.accepts if symbol.name in program.inputs or symbol.name in shapes]
        for symbol in wanted:
            if symbol.type.domain != ONE:
                raise InputError(
                    f"{symbol.name} of {program.formula} is an operator. The function takes numbers and vectors; "
                    "a call of what was compiled takes operators, too."
                )
        examples = {name: np.broadcast_to(1.0, shape) for name, shape in shapes.items() if name != "q"}
        bound: Bound = bind(program.formula, wanted, model, examples, batch=True, whole=False, lead=shape[:-1])
        kernel = self.kernel(bound)
        assert isinstance(kernel, JaxKernel)
        vectors = {name: value.type.codomain != ONE for name, value in bound.values.items() if name not in bound.absent}
        return kernel, {"q": True, **vectors}


def _fit_together(leads: Mapping[str, tuple[int, ...]]) -> None:
    try:
        np.broadcast_shapes(*leads.values())
    except ValueError:
        listed = ", ".join(f"{name} {lead}" for name, lead in leads.items() if lead)
        raise InputError(
            f"the leading axes of the arguments do not fit together: {listed}. Give equal axes, or axes of length 1."
        ) from None


def _array(name: str, value: object) -> Array:
    """A real array of JAX, in double precision."""
    xnp = library().numpy
    try:
        found = xnp.asarray(value)
    except (TypeError, ValueError) as reason:
        raise InputError(f"{name} is not an array of numbers: {reason}") from None
    if found.dtype.kind not in "fiu":
        raise InputError(f"{name} is {found.dtype.name}; JAX computes with float64 here.")
    return xnp.asarray(found, xnp.float64)
