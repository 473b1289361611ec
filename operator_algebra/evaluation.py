"""The reference meaning of an expression: block-matrix algebra at one configuration, slow and obvious.

It shares no code with what is compiled, so that each can judge the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.arguments import Redundant, choice
from operator_algebra.errors import InputError, SingularError
from operator_algebra.expressions.domains import narrow
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query, question
from operator_algebra.expressions.reduced import reduced
from operator_algebra.expressions.traverse import free_symbols, named_apart
from operator_algebra.meaning.evaluator import Evaluation
from operator_algebra.meaning.extent import parse_limit
from operator_algebra.meaning.queries import title_of
from operator_algebra.meaning.range import within_range
from operator_algebra.meaning.rules import untyped
from operator_algebra.meaning.source import ModelSource, Source
from operator_algebra.models.model import Model, check_model
from operator_algebra.models.numeric import common_kind
from operator_algebra.operators.bind import bind
from operator_algebra.operators.blocks import BlockMatrix
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.operators.outside import refuse_outside
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.spatial.arrays import Axes


def evaluate(
    e: Expr | Query | str,
    /,
    model: Model,
    *,
    q: ArrayLike,
    v: ArrayLike | None = None,
    frame: Axes = "body",
    limit: str | float = "2 GB",
    redundant: Redundant = "raise",
    **inputs: object,
) -> BlockMatrix:
    """The value of an expression on a mechanism at one configuration.

    Inputs go by their names; those that the formula does not mention are refused. A value that would take more memory
    than `limit` is refused before it is computed. A vector expression never forms φ or ψ; where rows of a small system
    in it follow from each other and agree, `redundant="least norm"` takes the smallest solution.

    >>> from operator_algebra.models.families import chain
    >>> from operator_algebra.symbols import H, M, phi
    >>> arm = chain(2)
    >>> evaluate(H @ phi @ M @ phi.T @ H.T, arm, q=arm.neutral()).shape
    (2, 2)
    """
    asked = question(e, "evaluate")
    choice(redundant, "redundant", get_args(Redundant))
    run = start(model_source(asked, model, q=q, v=v, frame=frame, **inputs), limit=limit, redundant=redundant)
    try:
        return within_range(run, asked)
    except SingularError as error:
        # What cancels, or is multiplied by zero, need not have a value.
        form = reduced(asked, vanishing(model))
        if form is None:
            raise
        with suppress(SingularError, InputError):
            return within_range(start(run.source, limit=limit, redundant=redundant), form).titled(title_of(asked))
        raise error from None


@dataclass(frozen=True, eq=False)
class Scaled:
    """A value, and against what its rounding is to be judged.

    `magnitudes` are the sizes of its entries before anything cancelled, a sparse array; `scale` is their Frobenius
    norm; `condition` is the worst condition number among what was inverted, block by block where it is local, and
    `culprit` is what had it.
    """

    value: BlockMatrix
    magnitudes: Any
    scale: float
    condition: float
    culprit: Expr | None
    depth: int


def evaluate_with_scale(
    e: Expr,
    /,
    model: Model,
    *,
    q: ArrayLike,
    v: ArrayLike | None = None,
    frame: Axes = "body",
    limit: str | float = "2 GB",
    **inputs: object,
) -> Scaled:
    """The value of an expression with the scale of its terms before cancellation.

    >>> from operator_algebra.models.families import chain
    >>> from operator_algebra.symbols import H, tau_bar
    >>> arm = chain(2)
    >>> found = evaluate_with_scale(H @ tau_bar, arm, q=arm.neutral())
    >>> bool(abs(found.value.dense()).max() < 1e-14 * found.scale)
    True
    """
    return scaled(start(model_source(e, model, q=q, v=v, frame=frame, **inputs), limit=limit), e)


def scaled(run: Evaluation, e: Expr) -> Scaled:
    """The value of an expression with its scale, in a running evaluation: two sides of a law share what they share."""
    run.scaling = True
    value = run.value(e)
    magnitudes = run.magnitude(e)
    scale = float(np.sqrt((magnitudes.data**2).sum()))
    return Scaled(value.titled(short(e)), magnitudes, scale, run.condition, run.culprit, run.depth)


def start(source: Source, *, limit: str | float = "2 GB", redundant: Redundant = "raise") -> Evaluation:
    """An evaluation over a source of leaves; `.value(e)` may be asked for several expressions."""
    return Evaluation(source, parse_limit(limit), redundant=redundant)


def model_source(
    e: Expr | Query,
    /,
    model: Model,
    *,
    q: ArrayLike,
    v: ArrayLike | None = None,
    frame: Axes = "body",
    **inputs: object,
) -> ModelSource:
    """The leaves and checked inputs that an expression needs on a model."""
    body = e.body if isinstance(e, Query) else e
    return shared_source((body,), model, q=q, v=v, frame=frame, inputs=inputs)


def shared_source(
    expressions: Sequence[Expr],
    model: Model,
    *,
    q: ArrayLike,
    v: ArrayLike | None = None,
    frame: Axes = "body",
    inputs: Mapping[str, object],
) -> ModelSource:
    """The leaves and checked inputs that several expressions need on a model, such as both sides of a law."""
    wanted: set[Symbol] = set()
    for expression in expressions:
        if not expression.typed:
            raise InputError(untyped(expression))
        wanted |= free_symbols(expression)
    named_apart(sorted(wanted, key=lambda symbol: (symbol.name, symbol.origin, str(symbol.type))))
    position = check_model(model, "evaluate").check_q(q)
    refuse_outside(narrow(expressions), model)
    if position.ndim != 1:
        raise InputError(
            f"q of {model.name} has shape {position.shape}; evaluate takes one configuration ({model.nq},). "
            "Compile the expression for a batch."
        )
    given = dict(inputs) if v is None else {"v": v, **inputs}
    declared = [symbol for symbol in wanted if symbol.origin == "input"]
    rated = any(symbol.leaf is not None and symbol.leaf.reads_rates for symbol in wanted)
    if rated and not any(symbol.name == "v" for symbol in declared):
        from operator_algebra.symbols import v as rate

        declared.append(rate)
    bound = bind(short(expressions[0]), declared, model, given)
    # One kind of number for all: what is given with more digits, or complex, meets leaves that are as wide.
    kind = common_kind([position, *(array for _, array in bound.arrays())])
    rates = bound.values["v"].entries.astype(kind) if rated else None
    return ModelSource(model, LeafValues(model, position.astype(kind), rates, frame), bound)
