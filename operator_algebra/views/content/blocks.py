"""What a picture of an operator's blocks shows: which are there, what the rows are, and why, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, question
from operator_algebra.expressions.render import brief
from operator_algebra.expressions.summary import described
from operator_algebra.models.model import Model
from operator_algebra.operators.blocks import BlockMatrix
from operator_algebra.views.ink.palette import INK, operator_colour
from operator_algebra.views.pattern import Filled, structural

Picturable = Expr | Query | BlockMatrix | str

LARGEST = 2000
"""Bodies of the largest mechanism of which a pattern is drawn."""

_ROUNDING = 1e-10
"""A block below this fraction of its terms before they cancelled is rounding, not a value."""

_STORED = 1e-13
"""A stored block below this fraction of the largest is rounding."""

_WORDS = {
    "zero": "no block: the operator is zero",
    "diagonal": "one block for each body: nothing passes from body to body",
    "inward hop": "filled only where the body of the row is the parent of the body of the column: one step inward",
    "outward hop": "filled only where the body of the column is the parent of the body of the row: one step outward",
    "inward": "filled only where the body of the row is that of the column or carries it: inward, tips to base",
    "outward": "filled only where the body of the row is that of the column or is carried by it: outward, base to tips",
    "related": "filled only where one body carries the other: branches do not see each other",
    "full": "every body sees every other one, across branches too",
    "column": "a vector: one block for each body",
    "row": "one block for each body, gathered into one",
    "small": "one block that belongs to no body",
}


@dataclass(frozen=True, eq=False)
class Blocks:
    """The filled blocks of an operator on a mechanism, bodies base to tip."""

    title: str
    facts: str
    reason: str
    filled: Filled
    rows_attached: bool
    cols_attached: bool
    unit: bool
    colour: str
    model: Model
    source: str


def read(e: Picturable) -> Expr | BlockMatrix:
    """The expression or value that is to be drawn; text is read as a formula."""
    if isinstance(e, BlockMatrix):
        return e
    e = question(e, "a pattern of blocks")
    if isinstance(e, Query):
        if e.kind != "dense":
            raise InputError(f"{e!r} is not a matrix of blocks. Draw {brief(e.body)} itself, or dense(…).")
        return e.body
    return e


def blocks(
    e: Picturable, model: Model | None = None, q: Any = None, inputs: Mapping[str, object] | None = None
) -> Blocks:
    """The pattern of an operator: structural without q, else of its value there; a value needs no model."""
    subject = read(e)
    if isinstance(subject, BlockMatrix):
        return _of_value(subject, cast("Model", subject.binding.model))
    if model is None:
        raise InputError(f'{brief(subject)} is drawn on a mechanism. Give one: spy(e, oa.load("quadruped")).')
    if model.n > LARGEST:
        raise InputError(f"{model.name} has {model.n} bodies; patterns are drawn up to {LARGEST}. Take a smaller one.")
    if not subject.typed:
        raise InputError(f"{subject} has no blocks: the spaces of I and 0 are not known. Put it beside an operator.")
    if q is None:
        if inputs:
            raise InputError(f"{', '.join(inputs)} given without q: the structural pattern depends on no value. Add q.")
        filled, source = structural(subject, model), "structural: for every configuration"
    else:
        filled, source = _at(subject, model, q, inputs or {}), "at the given q: what cancels there is left out"
    structure = subject.structure
    return Blocks(
        title=brief(subject, 48),
        facts=f"{subject.type}, {described(structure)}",
        reason=_WORDS[f"{structure.flow} hop" if structure.hop else structure.flow],
        filled=filled,
        rows_attached=subject.type.codomain.attached,
        cols_attached=subject.type.domain.attached,
        unit=structure.unit,
        colour=operator_colour(subject),
        model=model,
        source=source,
    )


def _at(e: Expr, model: Model, q: Any, inputs: Mapping[str, object]) -> Filled:
    """The blocks of the value that are more than what cancelled terms leave."""
    given: dict[str, Any] = dict(inputs)
    found = evaluate_with_scale(e, model, q=q, **given)
    rows, cols = found.value.rows, found.value.cols
    entries = found.magnitudes.tocoo()
    before = np.zeros((rows.count, cols.count))
    np.maximum.at(before, (rows.owner[entries.row], cols.owner[entries.col]), np.abs(entries.data))
    return found.value.norms().toarray() > _ROUNDING * before


def _of_value(value: BlockMatrix, model: Model) -> Blocks:
    norms = value.norms().toarray()
    filled = norms > _STORED * norms.max(initial=0.0)
    return Blocks(
        title=value.title or "value",
        facts=repr(value.type),
        reason="filled where the value has a block",
        filled=filled,
        rows_attached=value.rows.attached,
        cols_attached=value.cols.attached,
        unit=False,
        colour=INK,
        model=model,
        source=f"value at a configuration, {value.binding.frame} frame",
    )
