"""Results of a formula as tables with joint names, or as plain lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from operator_algebra.expressions.query import body_of
from operator_algebra.markup import width
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.program import Output

_COLUMNS = 12
_AXES = ("wx", "wy", "wz", "x", "y", "z")


def table(model: Model, output: Output, value: Any, room: int = 0) -> str:
    """The numbers of one result, rows and columns named by joint.

    Matrices that are wider than `room`, or than twelve columns, are cut and say so.
    """
    if isinstance(value, list) or output.kind == "blocks":
        return _blocks(model, value, room)
    array = np.asarray(value)
    body = body_of(output.formula)
    if array.ndim == 0:
        return _number(float(array))
    if array.ndim == 1:
        space = body.type.codomain if body.type.domain.name == "one" else body.type.domain
        return _column(model, space, array, room)
    rows = _labels(model, body.type.codomain, array.shape[0])
    columns = _labels(model, body.type.domain, array.shape[1])
    return _matrix(rows, columns, array, room)


def plain_lists(value: Any) -> Any:
    """Arrays as nested lists, exact when written as JSON."""
    if isinstance(value, dict):
        return {str(name): plain_lists(one) for name, one in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple):
        return [plain_lists(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
    return np.asarray(value).tolist() if value is not None else None


def _column(model: Model, space: Space, array: Any, room: int) -> str:
    """One row for each joint or body, its entries side by side."""
    labels = _labels(model, space, len(array))
    if not space.attached or len(labels) != len(array):
        return _matrix(labels, [""], array[:, None], room)
    if space.sizes == "spatial" and len(array) == 6 * model.n:
        return _matrix(list(model.joint_names), list(_AXES), array.reshape(model.n, 6), room)
    return _matrix(labels, [""], array[:, None], room)


def _labels(model: Model, space: Space, size: int) -> list[str]:
    """The joint of every row; with a number behind it where a joint has several."""
    if space.sizes == "joint" and size == model.nv:
        counts = [part.stop - part.start for part in model.v_slices]
    elif space.sizes == "spatial" and size == 6 * model.n:
        counts = [6] * model.n
    else:
        return [str(i) for i in range(size)]
    return [
        name if count == 1 else f"{name}[{i}]"
        for name, count in zip(model.joint_names, counts, strict=True)
        for i in range(count)
    ]


def _blocks(model: Model, blocks: Any, room: int) -> str:
    parts: list[str] = []
    for name, block in zip(model.joint_names, blocks, strict=True):
        rows, columns = np.shape(block)
        if rows == columns == 1:
            parts.append(f"{name}  {_number(float(np.asarray(block)[0, 0]))}")
        elif rows and columns:
            parts.append(_matrix([name, *[""] * (rows - 1)], [""] * columns, np.asarray(block), room))
    return "\n".join(parts)


def _matrix(rows: Sequence[str], columns: Sequence[str], array: Any, room: int) -> str:
    """Right-aligned columns, as many as there is room for; a head if columns have names."""
    shown = array[:, :_COLUMNS]
    cells = [[_number(float(entry)) for entry in row] for row in shown]
    head = [str(name) for name in columns[:_COLUMNS]]
    label = max((width(name) for name in rows), default=0)
    wide = [max([width(head[j]), *(len(row[j]) for row in cells)]) for j in range(shown.shape[1])]
    fitting = sum(total <= room - label for total in accumulate(w + 2 for w in wide)) if room else len(wide)
    head, wide = head[: max(1, fitting)], wide[: max(1, fitting)]
    lines: list[str] = []
    if any(head):
        lines.append(" " * label + "".join(f"  {_pad(name, w)}" for name, w in zip(head, wide, strict=True)))
    for name, row in zip(rows, cells, strict=True):
        line = name + " " * (label - width(name))
        lines.append(line + "".join(f"  {cell:>{w}}" for cell, w in zip(row, wide, strict=False)))
    if array.shape[1] > len(wide):
        lines.append(f"… {array.shape[1]} columns; --json prints them all")
    return "\n".join(line.rstrip() for line in lines)


def _pad(text: str, columns: int) -> str:
    return " " * (columns - width(text)) + text


def _number(x: float) -> str:
    """Seven digits; a plain 0 for zero."""
    return "0" if x == 0 else f"{x:.7g}"
