"""The "sympy" backend: closed forms of a program for small mechanisms, exact, in the coordinates and inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, Literal, cast

import numpy as np

from operator_algebra.backends.backend import ClosedForm
from operator_algebra.backends.closed_forms.inputs import SymbolBinder, coordinates
from operator_algebra.backends.closed_forms.leaves import JointExpressions, RatioLeaves
from operator_algebra.backends.closed_forms.mechanism import ExactModel, objects
from operator_algebra.backends.closed_forms.mechanism import parameters as parameters
from operator_algebra.backends.closed_forms.ratios import Ratio, TooLarge
from operator_algebra.backends.closed_forms.source import c_function, identifier
from operator_algebra.backends.closed_forms.sweeps import Sweeps, late_variables, mechanism_of
from operator_algebra.backends.closed_forms.trigonometry import Translator
from operator_algebra.backends.closed_forms.trigonometry import simplified as simplified
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.models.model import Model
from operator_algebra.operators.bind import DEFAULTS
from operator_algebra.operators.spaces import ONE
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.program import Output, Program

sympy: Any = import_module("sympy")


def build(program: Program, model: Model, frame: str) -> ClosedForms:
    """Make a program ready for a model."""
    return ClosedForms(program, model, cast('Literal["body", "world"]', frame))


class ClosedForms(ClosedForm):
    """A program whose results are SymPy matrices: q, v, … are symbols unless expressions or numbers are given."""

    def __init__(self, program: Program, model: Model, frame: Literal["body", "world"]) -> None:
        self.program = program
        self.model = model
        self.frame: Literal["body", "world"] = frame

    def closed_form(self, what: str, q: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The results by output, for coordinates and inputs that are expressions, numbers, or None for symbols."""
        try:
            return self._closed_form(what, q, dict(inputs))
        except TooLarge as error:
            raise InputError(
                f"the closed form of {what} grows too large ({error}). "
                "Give numbers for some coordinates, inputs or parameters, or use a numeric backend."
            ) from None

    def _closed_form(self, what: str, q: Any, given: dict[str, Any]) -> dict[str, Any]:
        exact = ExactModel(self.model, given.pop("parameters", None) or {})
        position = coordinates(self.model, q)
        wanted = [s for s in self.program.accepts if s.name in self.program.inputs or s.name in given]
        bound = SymbolBinder(what, self.model, False, False).bind(wanted, given)
        v = bound.values["v"].entries if self.program.reads_rates else None
        joints = JointExpressions(exact, position, v)
        written = {name: [objects(block) for block in bound.values[name].by_body()] for name in self.program.inputs}
        entries = [*exact.entries(), *joints.entries()]
        entries += [entry for blocks in written.values() for block in blocks for entry in block.flat]
        translator = Translator(entries, late_variables(self.program, mechanism_of(exact, bound.layouts)))
        leaves = RatioLeaves(exact, joints, self.frame, translator)
        translate = np.frompyfunc(translator.ratio, 1, 1)
        given = {leaf.name: leaves.block_list(leaf) for leaf in self.program.leaves}
        given |= {name: [translate(block) for block in blocks] for name, blocks in written.items()}
        results = Sweeps(self.program, exact, translator.functions, given, bound.layouts).run()
        write = translator.reader().expression
        return {output.name: _matrices(write, results[output.name], output) for output in self.program.outputs}

    @property
    def source(self) -> str:
        """The closed form as a C function of q and the inputs."""
        return self._source

    @cached_property
    def _source(self) -> str:
        forms = self.closed_form(self.program.formula, None, {})
        arguments: dict[str, Any] = {"q": coordinates(self.model, None).tolist()}
        binder = SymbolBinder(self.program.formula, self.model, False, False)
        for symbol in self.program.accepts:
            if symbol.name in self.program.inputs and DEFAULTS.get(symbol.name) != symbol.type:
                arguments[symbol.name] = binder.symbols(symbol)
        results = {identifier(name) if self.program.keyed else "out": value for name, value in forms.items()}
        comment = f"{self.program.formula} of {self.model.name}, matrices row by row"
        return c_function(identifier(self.model.name), results, arguments, comment)


def _matrices(write: Callable[[Ratio], Any], value: Any, output: Output) -> Any:
    """A result as SymPy matrices; a number that belongs to no body as an expression."""
    if output.kind == "blocks":
        return tuple(_matrix(write, block) for block in value)
    if _is_number(output.formula):
        return write(value)
    return _matrix(write, value if isinstance(value, Matrix) else Matrix([[x] for x in value], 1))


def _matrix(write: Callable[[Ratio], Any], value: Matrix) -> Any:
    return sympy.ImmutableMatrix(value.height, value.width, [write(x) for row in value.rows for x in row])


def _is_number(formula: Expr | Query) -> bool:
    """Whether the result is a number rather than a matrix."""
    if isinstance(formula, Query):
        return formula.kind in ("trace", "logdet")
    return formula.type == ONE >> ONE
