"""The "c" backend: a program for one model as a file of C99. Calls run as those of the "numpy" backend do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import prod
from typing import cast

import numpy as np

from operator_algebra.arguments import Redundant
from operator_algebra.backends.c.write import c_file
from operator_algebra.backends.floats import MOST, Floats
from operator_algebra.backends.laid import Laid
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.backends.scalar.signature import Signature, arrays
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.trace import trace
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.model import Model
from operator_algebra.operators.bind import bind
from operator_algebra.operators.inputs import DEFAULTS, Bound, InputValue, model_layouts
from operator_algebra.operators.spaces import ONE
from operator_algebra.programs.program import Program
from operator_algebra.spatial.arrays import Axes

_USE = (
    "Returns 1 if the numbers may be trusted. It returns 0 where one is not finite, where a pivot is so small that",
    "more than four digits may be lost, and for angles beyond a million radians. No memory is taken, nothing is kept.",
    "Options -std=c99 -ffp-contract=off give the bits of the package; -lm may be needed for sqrt and log.",
)


def build(program: Program, model: Model, frame: str, redundant: Redundant = "raise") -> Exported:
    """Make a program ready for a model."""
    if frame != "body":
        raise InputError('C code computes in the axes of the bodies. Leave frame= away, or use backend="numpy".')
    return Exported(program, model, cast("Axes", frame), redundant)


class Exported(Floats):
    """A program for one model, whose source is C."""

    def __init__(self, program: Program, model: Model, frame: Axes, redundant: Redundant) -> None:
        super().__init__(program, model, frame, redundant)
        self.program = program
        self.model = model

    @property
    def source(self) -> str:
        """One file of C99, for inputs that all are given; forces from outside are zero."""
        return self._source

    @cached_property
    def _source(self) -> str:
        program, model = self.program, self.model
        if program.cost(model).total > MOST:
            raise self._refused("it takes too many operations to stand on lines of their own")
        example = self._example()
        signature = Signature.of(example)
        try:
            traced = trace(program, model, signature)
        except Untraceable as reason:
            raise self._refused(str(reason)) from None
        named = {name: value for name, value in example.values.items() if name not in example.absent}
        arguments = [("q", model.nq)]
        arguments += [(_word(x), sum(prod(a.shape[-2:]) for a in arrays(value))) for x, value in named.items()]
        tape = Tape.of(traced, sum(size for _, size in arguments))
        results = [(_result(laid), sum(map(prod, laid.shapes))) for laid in traced.results]
        comment = [
            f"{program.formula} of {model.name}.",
            "",
            *self._described(arguments, named, traced.results),
            "",
            *_USE,
        ]
        return c_file(_word(model.name), [line.replace("*/", "* /") for line in comment], tape, arguments, results)

    def _example(self) -> Bound:
        """Inputs of the right form."""
        wanted = [symbol for symbol in self.program.accepts if symbol.name in self.program.inputs]
        values = {one.name: self._one(one) for one in wanted if DEFAULTS.get(one.name) != one.type}
        return bind(self.program.formula, wanted, self.model, values)

    def _one(self, symbol: Symbol) -> object:
        layouts = model_layouts(self.model)
        spaces = (symbol.type.codomain, symbol.type.domain)
        if any(space.sizes not in layouts for space in spaces):
            raise self._refused(f"the size of {symbol.name} comes with the call")
        if symbol.type.domain != ONE and symbol.structure.flow != "diagonal":
            raise self._refused(f"{symbol.name} is an operator whose blocks have no one order")
        return 1.0 if spaces == (ONE, ONE) else np.ones(layouts[spaces[0].sizes].size)

    def _refused(self, why: str) -> InputError:
        return InputError(
            f"{self.program.formula} on {self.model.name} is not written in C: {why}. "
            'Compile it with backend="numpy", which interprets what is no list of operations.'
        )

    def _described(
        self, arguments: list[tuple[str, int]], named: Mapping[str, InputValue], results: tuple[Laid, ...]
    ) -> Iterator[str]:
        joints = ", ".join(body.name for body in self.model.bodies)
        yield f"Bodies, base to tip: {joints}."
        (q, count), *others = arguments
        yield f"in   {q}[{count}], coordinates, base to tip"
        for (name, size), value in zip(others, named.values(), strict=True):
            yield f"in   {name}[{size}]" + (", a block for each body, row by row" if value.dense is None else "")
        for laid in results:
            shapes = ", then ".join(" x ".join(map(str, shape)) or "one number" for shape in laid.shapes)
            yield f"out  {_result(laid)}[{sum(map(prod, laid.shapes))}], row by row: {shapes}"


def _result(laid: Laid) -> str:
    return _word(laid.name) if laid.name.startswith("out") else f"out_{_word(laid.name)}"


def _word(text: str) -> str:
    """A name that C accepts."""
    word = "".join(x if x.isascii() and (x.isalnum() or x == "_") else "_" for x in text)
    return word if word and not word[0].isdigit() else f"f_{word}"
