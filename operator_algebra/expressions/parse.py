"""Formulas from text."""

from __future__ import annotations

from collections.abc import Mapping

from operator_algebra.errors import ParseError
from operator_algebra.expressions.nodes import Expr


def parse(text: str, names: Mapping[str, Expr]) -> Expr:
    """Read a formula."""
    raise ParseError(f"{text!r} cannot be read.")
