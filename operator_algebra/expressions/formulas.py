"""A formula as an argument: an expression, or the text of one."""

from __future__ import annotations

import numbers
from importlib import import_module

from operator_algebra.arguments import shown, told
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr

# By name, as backends are: expressions know no vocabulary until they are given a text.
_VOCABULARY = "operator_algebra.symbols"


def formula(value: object, what: str) -> Expr:
    """An argument as an expression; `what` begins the message: "trace", 'the left side of "claim"'.

    >>> formula("H phi", "trace")
    H φ   force → torque   inward
    """
    found = spoken(value)
    if isinstance(found, Expr):
        return found
    raise refused(value, what)


def spoken(value: object) -> object:
    """A text as what it says in the vocabulary; anything else as it is."""
    return import_module(_VOCABULARY).parse(value) if isinstance(value, str) else value


def refused(value: object, what: str) -> InputError:
    """The error for a value that is no formula."""
    if isinstance(value, str):
        return InputError(f"{what} takes an operator, but {shown(value)} asks something of one. Write the operator.")
    remedy = "Give an expression, or its text such as \"H phi M phi' H'\"."
    if isinstance(value, numbers.Number):
        remedy = "Write c * I for the multiple c of I."
    elif hasattr(value, "__array__"):
        remedy = "In a formula an array has a name, oa.operator(...) or oa.vector(...), by which its value is given."
    return InputError(f"{what} takes a formula, not {told(value)}. {remedy}")
