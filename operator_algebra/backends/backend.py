"""What a backend is, and the registry that finds one by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from operator_algebra.arguments import Redundant, quoted
from operator_algebra.errors import BackendUnavailable
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import Bound

if TYPE_CHECKING:
    from operator_algebra.programs.program import Program

REGISTRY: dict[str, str] = {
    "numpy": "operator_algebra.backends.floats",
    "compiled": "operator_algebra.backends.native.build",
    "interpreter": "operator_algebra.backends.numpy.execute",
    "c": "operator_algebra.backends.c.build",
    "jax": "operator_algebra.backends.jax.build",
    "sympy": "operator_algebra.backends.closed_forms.build",
}
"""Backends by name; each module has a function `build(program, model, frame, redundant)`."""

Result = Numbers | list[Numbers]
"""An array, or one block for each body where their sizes differ; the batch comes first."""


@dataclass(frozen=True, eq=False)
class Measured:
    """How far a pivot is from zero: its smallest singular value over the size of the terms it was summed from."""

    name: str
    measure: Numbers
    """Relative size for every body, (..., n); of what belongs to no body, (..., 1)."""
    attached: bool = True
    bounded: bool = False
    """Whether the measure knows what was rounded further out, and not only at the pivot itself."""
    formula: Expr | None = None
    """What is inverted, where the program knows it."""
    dependent: tuple[int, ...] = ()
    """The rows of what belongs to no body that follow from each other where it is singular."""
    redundant: Redundant | None = None
    """What was done there, if anything can be: nothing, or what is left contradicts each other."""
    springs: bool = False
    """Whether the measure is the share of the compliance that springs leave."""


@dataclass(frozen=True, eq=False)
class Run:
    """What a backend returns: the results by output, and the pivots met. It raises nothing for a bad pivot."""

    results: Mapping[str, Result]
    pivots: tuple[Measured, ...] = field(default=())
    trusted: bool = False
    """Whether the numbers are known to be right: then there is nothing to look for."""


class Executable(Protocol):
    """A program made ready for one model."""

    @property
    def source(self) -> str:
        """The code that runs."""
        ...

    @property
    def interpreted(self) -> Executable:
        """The same without generated code."""
        ...

    def __call__(self, q: Numbers, v: Numbers | None, inputs: Bound) -> Run:
        """Run at one or many configurations."""
        ...

    def first_not_finite(self, q: Numbers, v: Numbers | None, inputs: Bound) -> tuple[str, int | None]:
        """The first value, by name and body, that is not finite at one configuration."""
        ...


class ClosedForm(ABC):
    """A program whose results are expressions; it reads its arguments itself."""

    @property
    @abstractmethod
    def source(self) -> str:
        """The results as code."""

    @abstractmethod
    def closed_form(self, what: str, q: object, inputs: Mapping[str, object]) -> dict[str, object]:
        """The results by output; what is not given is a symbol."""


class Pure(ABC):
    """A program that is there as a function without state, of arrays of another library."""

    @property
    @abstractmethod
    def function(self) -> Callable[..., object]:
        """The results, of q and the inputs by name."""


class Builder(Protocol):
    """The function that every backend module has."""

    def __call__(
        self, program: Program, model: Model, frame: str, redundant: Redundant = "raise"
    ) -> Executable | ClosedForm:
        """Make a program ready for a model, with blocks in the axes of `frame`."""
        ...


def backend_named(name: str) -> tuple[str, Builder]:
    """The backend of a name; "auto" is the fastest that is there."""
    chosen = "numpy" if name == "auto" else name
    if chosen not in REGISTRY:
        raise BackendUnavailable(f"there is no backend {quoted(name)}. Available here: {', '.join(REGISTRY)}.")
    try:
        return chosen, import_module(REGISTRY[chosen]).build
    except ModuleNotFoundError as absent:
        from operator_algebra.installing import missing

        raise missing(f'backend "{chosen}"', str(absent.name)) from absent
