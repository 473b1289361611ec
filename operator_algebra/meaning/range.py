"""Values that leave the range of floats although everything given is finite: which is the first, and where."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from operator_algebra.errors import NotLowerable, RangeError, SingularError
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.meaning.evaluator import Evaluation
from operator_algebra.meaning.queries import answer
from operator_algebra.operators.blocks import BlockMatrix

_FAILURES = (SingularError, NotLowerable, np.linalg.LinAlgError)


def within_range(run: Evaluation, e: Expr | Query) -> BlockMatrix:
    """The value of an expression or a query; `RangeError` if it, or what it is made of, is not finite."""
    try:
        with np.errstate(all="ignore"):
            value = answer(run, e)
    except _FAILURES as error:
        beyond = _range_error(run, e)
        if beyond is None and isinstance(error, np.linalg.LinAlgError):
            raise SingularError(f"{_named(e)} has no value on {run.source.binding.name}: {error}.") from None
        if beyond is None:
            raise
        raise beyond from None
    if value.finite:
        return value
    raise _range_error(run, e) or _worded(run, _named(e), None)


def _named(e: Expr | Query) -> str:
    return repr(e) if isinstance(e, Query) else short(e)


def _range_error(run: Evaluation, e: Expr | Query) -> RangeError | None:
    """The error for the first value that is not finite, found by evaluating once more and keeping all, or None."""
    again = Evaluation(run.source, run.limit, keep=True)
    with suppress(*_FAILURES), np.errstate(all="ignore"):
        answer(again, e)
    found = again.first_not_finite()
    if found is None:
        return None
    request, value = found
    entries = value.stored.tocoo()
    row = int(entries.row[np.flatnonzero(~np.isfinite(entries.data))[0]])
    body = int(value.rows.owner[row]) if value.rows.attached else None
    applied = " applied to its column" if request.kind == "apply" else ""
    return _worded(run, f"{short(request.node)}{applied}", body)


def _worded(run: Evaluation, what: str, body: int | None) -> RangeError:
    joint = None if body is None else run.source.binding.joint_names[body]
    where = f' at joint "{joint}"' if joint else ""
    return RangeError(
        f"{what} on {run.source.binding.name} leaves the range of floats{where}: what was given is finite, its "
        "products are not. Check the sizes of q and the inputs, or scale them.",
        joints=[joint] if joint else [],
    )
