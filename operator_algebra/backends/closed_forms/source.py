"""Closed forms as C: one function, common parts computed once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from operator_algebra.errors import InputError

sympy: Any = import_module("sympy")

_EXACT = 2**53  # whole numbers up to this are doubles
_DIGITS = 17


def c_function(name: str, results: Mapping[str, Any], arguments: Mapping[str, Any], comment: str = "") -> str:
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
    values: list[Any] = []
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


def _arguments(arguments: Mapping[str, Any]) -> tuple[dict[Any, Any], list[str]]:
    """What stands for each symbol in the code, and the declarations."""
    places: dict[Any, Any] = {}
    parameters: list[str] = []
    for name, given in arguments.items():
        if isinstance(given, sympy.Symbol):
            places[given] = sympy.Symbol(name)
            parameters.append(f"double {name}")
        else:
            symbols = list(given)
            places |= {symbol: sympy.Symbol(f"{name}[{i}]") for i, symbol in enumerate(symbols)}
            parameters.append(f"const double {name}[{max(1, len(symbols))}]")
    return places, parameters


def _in_doubles(value: Any) -> Any:
    """The expression with its long whole numbers as floats; sums are scaled first, so that none overflows."""
    if all(max(abs(number.p), number.q) <= _EXACT for number in value.atoms(sympy.Rational)):
        return value
    coefficient: Any = sympy.Integer(1)
    factors: list[Any] = []
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


def _floated(e: Any) -> Any:
    long = [number for number in e.atoms(sympy.Rational) if max(abs(number.p), number.q) > _EXACT]
    return e.xreplace({number: sympy.Float(number, _DIGITS) for number in long})


def _entries(value: Any) -> tuple[list[Any], bool]:
    if isinstance(value, tuple):
        return [entry for block in cast("tuple[Any, ...]", value) for entry in _entries(block)[0]], False
    return (list(value), False) if isinstance(value, sympy.MatrixBase) else ([value], True)


def identifier(text: str) -> str:
    """A name that C accepts."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    word = re.sub(r"\W+", "_", plain).strip("_")
    return word if word and not word[0].isdigit() else f"f_{word}"
