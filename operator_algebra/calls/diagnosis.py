"""What pivots tell: singular samples, the joint to blame, the digits that are lost."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.backends.backend import Measured
from operator_algebra.backends.pivots import DOUBTFUL, HELD, SINGULAR, SMALL
from operator_algebra.errors import OperatorAlgebraWarning, SingularError
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.render import brief
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.kinematics import dependent_rates
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.spaces import RATE, TORQUE

Flags = NDArray[np.bool_]


def singular_samples(pivots: tuple[Measured, ...]) -> Any:
    """Which samples of a batch met a pivot without a correct digit."""
    bad: Any = np.zeros((), dtype=bool)
    for pivot in pivots:
        bad = bad | ~(pivot.measure >= SINGULAR).all(axis=-1)
    return bad


def _least(pivot: Measured) -> float:
    return float(np.min(_known(pivot.measure), initial=1.0))


def _worst(pivots: tuple[Measured, ...]) -> tuple[Measured, int, float]:
    """The smallest pivot: its name, body and relative size."""
    pivot = min(pivots, key=_least)
    measure = np.min(_known(pivot.measure).reshape(-1, pivot.measure.shape[-1]), axis=0, initial=1.0)
    k = int(np.argmin(measure))
    return pivot, k, float(measure[k])


def _known(measure: Any) -> Any:
    """The measures without those that failed because of a pivot further out."""
    return np.where(np.isnan(measure), np.inf, measure)


def singular_error(
    model: Model, q: Any, pivots: tuple[Measured, ...], bad: Any, result: object, inverted: Sequence[Expr] = ()
) -> SingularError:
    """The error for a singular pivot: joint, sample, pose, the bodies outboard of it, and what to do.

    `inverted` are the inverses that elimination took.
    """
    pivot, k, least = _worst(pivots)
    joints = {
        model.joint_names[i]
        for p in pivots
        if p.attached
        for i in np.nonzero((p.measure.reshape(-1, model.n) < SINGULAR).any(axis=0))[0].tolist()
    }
    samples = np.nonzero(bad.reshape(-1))[0].tolist() if bad.ndim else []
    where = f" in sample {samples[0]}" if samples else ""
    where += f" at {_pose(q, bad)}"
    place = f'at joint "{model.joint_names[k]}"'
    if not pivot.attached:
        size = "" if pivot.redundant == "least norm" else f" (least singular value {least:.0e} of the largest)"
        text = f"{pivot.name} is singular{where}{size}: its rows{_listed(pivot.dependent)} {_quarrel(pivot)}"
    elif least < 0:
        text = (
            f"{pivot.name} is not positive definite {place} (least eigenvalue {least:.0e} of the largest){where}, so "
            "it has no Cholesky factor. Change the values that it is made of."
        )
    else:
        cause = _cause(model, k, _first(q, bad), pivot.formula, inverted)
        text = f"{pivot.name} is singular {place} (relative pivot {least:.0e}){where}: {cause}"
    return SingularError(text, joints=sorted(joints, key=model.joint_index), samples=samples, result=result)


def _quarrel(pivot: Measured) -> str:
    """What rows of no body do, and what helps."""
    if pivot.redundant == "least norm":
        return "follow from each other there, but what they ask for does not. Change that, or leave rows out."
    mended = "" if pivot.redundant is None else ', or compile with redundant="least norm"'
    return f"depend on each other there. Leave dependent directions out, or use another pose{mended}."


def _listed(rows: tuple[int, ...]) -> str:
    """Rows by number, the first of them 0; nothing if there is none, or it is zero by itself."""
    shown = ", ".join(map(str, rows[:8])) + (", …" if len(rows) > 8 else "")
    return f" {shown} (counted from 0)" if len(rows) > 1 else ""


def _cause(model: Model, k: int, q: Numbers, formula: Expr | None, inverted: Sequence[Expr]) -> str:
    """Why elimination ends at a body, and what helps."""
    names = outboard(model, k)
    listed = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
    others = [e for e in inverted if e.type != TORQUE >> RATE or not e.structure.definite]
    leaves = frozenset[Symbol]() if formula is None else free_symbols(formula)
    if not others and leaves and all(leaf.origin == "input" or leaf.structure.hop for leaf in leaves):
        return "its rows depend on each other there. Change the values that it is made of."
    if stuck := dependent_rates(model, k, q):
        return stuck
    if not others and any(model.bodies[model.body_index(name)].joint.nv for name in names[1:]):
        return (
            f"with the joints beyond it free, nothing outboard of it ({listed}) has inertia about its axis. "
            "Give the bodies between inertia, give the joint armature, or fix one of the joints."
        )
    if not others:
        return (
            f"nothing outboard of it ({listed}) has inertia about its axis. "
            "Give the tip body inertia, or fix the joint."
        )
    return (
        f"the equations of {brief(others[0])} for the bodies from there outward ({listed}) depend on each other. "
        "Leave out rows that follow from others, change what is added, or use another pose."
    )


def _first(q: Numbers, bad: Flags) -> Numbers:
    """The coordinates of the first bad sample."""
    wide = np.broadcast_to(q, (*bad.shape, q.shape[-1]))
    return wide[np.nonzero(bad)][0] if bad.ndim else wide


def _pose(q: Numbers, bad: Flags) -> str:
    """The coordinates of the first bad sample, as many as fit in a line."""
    values = _first(q, bad)
    shown = ", ".join(f"{value:.4g}" for value in values[:8].tolist())
    return f"q = ({shown}{', …' if len(values) > 8 else ''})"


def outboard(model: Model, k: int) -> list[str]:
    """The names of a body and of all bodies that it carries."""
    found: list[str] = []
    pending = [k]
    while pending:
        body = pending.pop()
        found.append(model.body_names[body])
        pending.extend(reversed(model.children[body]))
    return found


def _silent(pivot: Measured) -> float:
    """Down to here nobody is told."""
    if pivot.springs:
        return HELD
    return SMALL if pivot.bounded else DOUBTFUL


_told: ContextVar[Callable[[float, str], None] | None] = ContextVar("told", default=None)


@contextmanager
def told_of_lost_digits(listener: Callable[[float, str], None]) -> Generator[None]:
    """What calls warn of inside goes to a listener instead: the relative pivot and the words."""
    before = _told.set(listener)
    try:
        yield
    finally:
        _told.reset(before)


def warn_of_lost_digits(model: Model, pivots: tuple[Measured, ...]) -> None:
    """Warn where a pivot was almost lost in rounding; one that knows its own terms only is told later."""
    told = tuple(pivot for pivot in pivots if _least(pivot) < _silent(pivot))
    if told:
        pivot, k, least = _worst(told)
        place = f' at joint "{model.joint_names[k]}"' if pivot.attached else ""
        what = f"is nearly singular{place} (relative pivot {least:.0e})"
        if pivot.springs:
            what = f"leaves little of the compliance of the mechanism (share {least:.0e})"
        text = f"{pivot.name} {what}: about {-np.log10(least):.0f} of 16 digits are lost."
        listener = _told.get()
        if listener is None:
            warnings.warn(text, OperatorAlgebraWarning, stacklevel=6)
        else:
            listener(least, text)
