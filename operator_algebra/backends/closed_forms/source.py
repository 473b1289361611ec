"""Closed forms as C: one function, common parts computed once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import cast

from operator_algebra.backends.closed_forms.symbolic import Expression, is_matrix, sympy
from operator_algebra.errors import InputError

_EXACT = 2**53  # whole numbers up to this are doubles
_DIGITS = 17

Argument = Expression | Sequence[Expression]
"""A symbol, or a list of them."""


def c_function(
    name: str,
    results: Mapping[str, object],
    arguments: Mapping[str, Argument],
    comment: str = "",
) -> str:
    """A C function that writes results (expressions, matrices row by row) from arguments (a symbol, or a list of them).

    >>> x, y = sympy.symbols("x y")
    >>> print(c_function("length", {"out": sympy.sqrt(x**2 + y**2)}, {"p": [x, y]}))
    #include <math.h>
    <BLANKLINE>
    void length(const double p[2], double *out) {
        *out = sqrt(pow(p[0], 2) + pow(p[1], 2));
    }
    """
    places, parameters = _arguments(arguments)
    targets: list[str] = []
    values: list[Expression] = []
    for key, value in results.items():
        entries, scalar = _entries(value)
        parameters.append(f"double *{key}" if scalar else f"double {key}[{max(1, len(entries))}]")
        targets += [f"*{key}"] if scalar else [f"{key}[{i}]" for i in range(len(entries))]
        values += entries
    unknown = {s for value in values for s in value.free_symbols} - set(places)
    if unknown:
        listed = ", ".join(sorted(map(str, unknown)))
        raise InputError(f"the C function {name} has no argument for {listed}. Add it to the arguments.")
    common, reduced = sympy.cse(
        [_in_doubles(value).xreplace(places) for value in values], symbols=sympy.numbered_symbols("common")
    )
    lines = [f"    const double {symbol} = {sympy.ccode(value)};" for symbol, value in common]
    lines += [f"    {target} = {sympy.ccode(value)};" for target, value in zip(targets, reduced, strict=True)]
    head = f"/* {comment} */\n" if comment else ""
    return "\n".join(["#include <math.h>\n", f"{head}void {name}({', '.join(parameters)}) {{", *lines, "}"])


def _arguments(
    arguments: Mapping[str, Argument],
) -> tuple[dict[Expression, Expression], list[str]]:
    """What stands for each symbol in the code, and the declarations."""
    places: dict[Expression, Expression] = {}
    parameters: list[str] = []
    for name, given in arguments.items():
        if isinstance(given, Sequence):
            places |= {symbol: sympy.Symbol(f"{name}[{i}]") for i, symbol in enumerate(given)}
            parameters.append(f"const double {name}[{max(1, len(given))}]")
        else:
            places[given] = sympy.Symbol(name)
            parameters.append(f"double {name}")
    return places, parameters


def _in_doubles(value: Expression) -> Expression:
    """The expression with its long whole numbers as floats; sums are scaled first, so that none overflows."""
    if all(max(abs(number.p), number.q) <= _EXACT for number in value.atoms(sympy.Rational)):
        return value
    coefficient: Expression = sympy.Integer(1)
    factors: list[Expression] = []
    for base, power in value.as_powers_dict().items():
        if base.is_Add:
            largest = max(abs(term.as_coeff_Mul()[0]) for term in base.args)
            coefficient *= largest**power
            base = _floated(sympy.Add(*(term / largest for term in base.args)))
        elif base.is_Rational:
            coefficient *= base**power
            continue
        factors.append(_floated(base) ** power)
    return sympy.Mul(sympy.Float(coefficient, _DIGITS), *factors)


def _floated(e: Expression) -> Expression:
    long = [number for number in e.atoms(sympy.Rational) if max(abs(number.p), number.q) > _EXACT]
    return e.xreplace({number: sympy.Float(number, _DIGITS) for number in long})


def _entries(value: object) -> tuple[list[Expression], bool]:
    if isinstance(value, tuple):
        return [entry for block in cast("tuple[object, ...]", value) for entry in _entries(block)[0]], False
    return (list(value), False) if is_matrix(value) else ([cast(Expression, value)], True)


def identifier(text: str) -> str:
    """A name that C accepts."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    word = re.sub(r"\W+", "_", plain).strip("_")
    return word if word and not word[0].isdigit() else f"f_{word}"
