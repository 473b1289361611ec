"""Inputs of closed forms: expressions in place of floats, and symbols for what is not given."""

from __future__ import annotations

from collections.abc import Sequence

from operator_algebra.arguments import shown
from operator_algebra.backends.closed_forms.mechanism import objects, vector
from operator_algebra.backends.closed_forms.symbolic import Expression, Objects, sympy
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.bind import Binder
from operator_algebra.operators.inputs import Declared
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import ONE


class SymbolBinder(Binder):
    """Reads inputs as exact expressions; vectors, numbers and square diagonal operators have symbols by default."""

    def numbers(self, symbol: Declared, value: object, what: str = "it") -> Objects:
        """An array of expressions."""
        try:
            return vector(value) if symbol.type.domain == ONE else objects(value)
        except (TypeError, ValueError, sympy.SympifyError):
            words = f"{what} is not an array of numbers or expressions"
            raise self.refuse(symbol, words, "Give numbers or SymPy expressions, not text.") from None

    def default(self, symbol: Declared) -> object:
        """Zero, or symbols named after the input."""
        known = super().default(symbol)
        return self.symbols(symbol) if known is None else known

    def symbols(self, symbol: Declared) -> Expression | list[Expression] | None:
        """Symbols named after the input, T0, T1, …; None for operators of other shapes."""
        type_ = symbol.type
        if type_ == ONE >> ONE:
            return sympy.Symbol(symbol.name)
        rows = self.layouts.get(type_.codomain.sizes)
        scalars = symbol.structure.flow == "diagonal" and type_.same_sizes
        if rows is not None and (type_.domain == ONE or scalars):
            return symbols(symbol.name, rows.size)
        return None

    def verify_whole(self, symbol: Declared, array: Numbers, rows: Layout, cols: Layout) -> None:
        """Operators that are not local on the tree are refused before; a number has every structure."""

    def verify_local(self, symbol: Declared, blocks: Sequence[Numbers]) -> None:
        """Symmetry is a matter of algebra; the sign of a symbol is not known and taken as declared."""
        if symbol.structure.symmetric and not symbol.structure.hop:
            for name, block in zip(self.model.joint_names, blocks, strict=True):
                if any(sympy.expand(x) != 0 for x in (block - block.T).flat):
                    raise self.refuse(symbol, f'the block at "{name}" is not symmetric')


def symbols(name: str, count: int) -> list[Expression]:
    """Symbols called name0, name1 and so on."""
    return [sympy.Symbol(f"{name}{i}") for i in range(count)]


def coordinates(model: Model, q: object) -> Objects:
    """Coordinates as an array of expressions; q0, q1, … if none are given."""
    try:
        array = vector(symbols("q", model.nq) if q is None else q)
    except (TypeError, ValueError, sympy.SympifyError):
        raise InputError(
            f"q of {model.name} is not an array of numbers or expressions: {shown(q)}. Give them, not text."
        ) from None
    if array.shape != (model.nq,):
        facts = f"q has shape {array.shape}, not ({model.nq},): model {model.name}."
        if array.ndim > 1 and array.shape[-1] == model.nq:
            raise InputError(f'{facts} A closed form has no batch: give one configuration, or compile for "numpy".')
        raise InputError(f"{facts} Give its {model.nq} coordinates.")
    return array
