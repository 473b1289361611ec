"""The "sympy" backend: closed forms of a program for small mechanisms, exact, in the coordinates and inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Literal, cast

from operator_algebra.arguments import Redundant
from operator_algebra.backends.backend import ClosedForm
from operator_algebra.backends.closed_forms.inputs import SymbolBinder, coordinates
from operator_algebra.backends.closed_forms.leaves import JointExpressions, RatioLeaves
from operator_algebra.backends.closed_forms.mechanism import ExactModel, objects
from operator_algebra.backends.closed_forms.mechanism import parameters as parameters
from operator_algebra.backends.closed_forms.ratios import Ratio, TooLarge
from operator_algebra.backends.closed_forms.source import Argument, c_function, identifier
from operator_algebra.backends.closed_forms.sweeps import Sweeps, late_variables
from operator_algebra.backends.closed_forms.symbolic import Expression, elementwise, sympy
from operator_algebra.backends.closed_forms.trigonometry import Translator
from operator_algebra.backends.closed_forms.trigonometry import simplified as simplified
from operator_algebra.backends.sizes import mechanism_of
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.operators.inputs import DEFAULTS
from operator_algebra.programs.interpret import Result
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.program import Output, Program


def build(program: Program, model: Model, frame: str, redundant: Redundant = "raise") -> ClosedForms:
    """Make a program ready for a model."""
    if redundant != "raise":
        raise InputError(
            "which rows depend on each other is known of numbers only, so closed forms have no least norm. "
            'Leave redundant= away, or compile with backend="numpy".'
        )
    return ClosedForms(program, model, cast('Literal["body", "world"]', frame))


class ClosedForms(ClosedForm):
    """A program whose results are SymPy matrices: q, v, … are symbols unless expressions or numbers are given."""

    def __init__(self, program: Program, model: Model, frame: Literal["body", "world"]) -> None:
        self.program = program
        self.model = model
        self.frame: Literal["body", "world"] = frame

    def closed_form(self, what: str, q: object, inputs: Mapping[str, object]) -> dict[str, object]:
        """The results by output, for coordinates and inputs that are expressions, numbers, or None for symbols."""
        try:
            return self._closed_form(what, q, dict(inputs))
        except TooLarge as error:
            raise InputError(
                f"the closed form of {what} grows too large ({error}). "
                "Give numbers for some coordinates, inputs or parameters, or use a numeric backend."
            ) from None

    def _closed_form(self, what: str, q: object, given: dict[str, object]) -> dict[str, object]:
        exact = ExactModel(self.model, given.pop("parameters", None) or {})
        position = coordinates(self.model, q)
        wanted = [s for s in self.program.accepts if s.name in self.program.inputs or s.name in given]
        bound = SymbolBinder(what, self.model, False, False).bind(wanted, given)
        v = bound.values["v"].entries if self.program.reads_rates else None
        joints = JointExpressions(exact, position, v)
        written = {name: [objects(block) for block in bound.values[name].by_body()] for name in self.program.inputs}
        entries = [*exact.entries(), *joints.entries()]
        entries += [entry for arrays in written.values() for block in arrays for entry in block.flat]
        translator = Translator(entries, late_variables(self.program, mechanism_of(exact, bound.layouts)))
        leaves = RatioLeaves(exact, joints, self.frame, translator)
        translate = elementwise(translator.ratio)
        blocks = {leaf.name: leaves.block_list(leaf) for leaf in self.program.leaves}
        blocks |= {name: [translate(block) for block in arrays] for name, arrays in written.items()}
        results = Sweeps(self.program, exact, translator.functions, blocks, bound.layouts).run()
        write = translator.reader().expression
        return {output.name: _matrices(write, results[output.name], output) for output in self.program.outputs}

    @property
    def source(self) -> str:
        """The closed form as a C function of q and the inputs."""
        return self._source

    @cached_property
    def _source(self) -> str:
        forms = self.closed_form(self.program.formula, None, {})
        arguments: dict[str, Argument] = {"q": coordinates(self.model, None).tolist()}
        binder = SymbolBinder(self.program.formula, self.model, False, False)
        for symbol in self.program.accepts:
            if symbol.name in self.program.inputs and DEFAULTS.get(symbol.name) != symbol.type:
                names = binder.symbols(symbol)
                assert names is not None
                arguments[symbol.name] = names
        results = {identifier(name) if self.program.keyed else "out": value for name, value in forms.items()}
        comment = f"{self.program.formula} of {self.model.name}, matrices row by row"
        return c_function(identifier(self.model.name), results, arguments, comment)


def _matrices(write: Callable[[Ratio], Expression], value: Result, output: Output) -> object:
    """A result as SymPy matrices; a number that belongs to no body as an expression."""
    if isinstance(value, Matrix):
        return _matrix(write, value)
    if output.kind == "blocks":
        return tuple(_matrix(write, block) for block in value)
    return write(value) if isinstance(value, Ratio) else _matrix(write, Matrix([[x] for x in value], 1))


def _matrix(write: Callable[[Ratio], Expression], value: Matrix) -> object:
    return sympy.ImmutableMatrix(value.height, value.width, [write(x) for row in value.rows for x in row])
