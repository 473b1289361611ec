"""Exercises: an answer is not tried, of the wrong kind, wrong, or right, and never ends in a traceback.

A kind is a function that hands an answer on as the value it stands for, or raises `InputError` with what was asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

import numpy as np

from operator_algebra.applications.legend import names_in, written
from operator_algebra.arguments import told
from operator_algebra.arguments import whole as whole_argument
from operator_algebra.checking.check import Check
from operator_algebra.errors import InputError, OperatorAlgebraError
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr, Inverse
from operator_algebra.identities.claims import law_of
from operator_algebra.identities.identity import Law
from operator_algebra.models.model import Model

_X = TypeVar("_X")
Kind = Callable[[object], _X]
"""What an exercise asks for: reads an answer, or raises `InputError`."""
_BLANKS = (None, ...)
_ANSWER = "the answer"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One of four words, and the reason where there is one to give."""

    word: Literal["not tried", "wrong kind", "wrong", "right"]
    because: str = ""

    def __str__(self) -> str:
        return f"{self.word}: {self.because}" if self.because else self.word

    __repr__ = __str__


class _NotTried(Exception):
    """A function of the answer gives nothing back."""


class _WrongResult(InputError):
    """A function of the answer gives back what was not asked for."""


def judge(answer: object, kind: Kind[_X], right: Callable[[_X], object]) -> Verdict:
    """What there is to say of an answer: `right` is asked only about values of the right kind.

    >>> judge(None, number, lambda x: x > 4)
    not tried
    >>> judge("4", number, lambda x: x > 4)
    wrong kind: the answer is a str, '4'. Give a number.
    >>> judge(3.9, number, lambda x: x > 4), judge(4.1, number, lambda x: x > 4)
    (wrong, right)
    """
    if any(answer is blank for blank in _BLANKS):
        return Verdict("not tried")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        # What is judged is somebody's first attempt: it may fail in any way, and none of them is a reason to stop.
        try:
            value = kind(answer)
        except Exception as error:  # noqa: BLE001
            return Verdict("wrong kind", _said(error))
        try:
            return Verdict("right" if right(value) else "wrong")
        except _NotTried:
            return Verdict("not tried")
        except _WrongResult as error:
            return Verdict("wrong kind", _said(error))
        except Exception as error:  # noqa: BLE001
            return Verdict("wrong", _said(error))


def number(answer: object) -> float:
    """A finite real number."""
    return float(_numbers(answer, (), "a number"))


def whole(answer: object) -> int:
    """A whole number."""
    return whole_argument(answer, _ANSWER)


def wholes(count: int) -> Kind[tuple[int, ...]]:
    """Several whole numbers."""

    def kind(answer: object) -> tuple[int, ...]:
        return tuple(whole_argument(one, "a number of the answer") for one in _listed(answer, count, "whole numbers"))

    return kind


def array(*shape: int) -> Kind[Any]:
    """Numbers in rows and columns."""
    return lambda answer: _numbers(answer, shape, f"{' × '.join(map(str, shape))} numbers")


def arrays(shapes: Sequence[tuple[int, ...]]) -> Kind[list[Any]]:
    """One array for each body."""

    def kind(answer: object) -> list[Any]:
        listed = _listed(answer, len(shapes), "arrays")
        return [array(*shape)(one) for one, shape in zip(listed, shapes, strict=True)]

    return kind


def one_of(*options: str) -> Kind[str]:
    """One of a few words."""

    def kind(answer: object) -> str:
        if isinstance(answer, str) and answer in options:
            return answer
        shown = ", ".join(f'"{option}"' for option in options[:8]) + (", …" if len(options) > 8 else "")
        raise InputError(f"{_ANSWER} is {told(answer)}. Give one of {shown}.")

    return kind


def pair_of(options: Sequence[str]) -> Kind[tuple[str, ...]]:
    """Two of a few words."""
    return lambda answer: tuple(one_of(*options)(one) for one in _listed(answer, 2, "names"))


def expression(like: Expr, *, of: Sequence[Expr] = (), inverse: bool = True) -> Kind[Expr]:
    """A formula of the spaces of another one, in some letters only, with or without inverses."""

    def kind(answer: object) -> Expr:
        e = formula(answer, _ANSWER)
        if e.typed and e.type != like.type:
            raise InputError(f"{_ANSWER} is {e.type}. Give an expression {like.type}.")
        if not inverse and any(isinstance(node, Inverse) for node in written(e)):
            raise InputError(f"{_ANSWER} has an inverse in it. Write it without one.")
        strange = [name.render() for name in names_in(e) if name not in of]
        if of and strange:
            letters = ", ".join(one.render() for one in of)
            raise InputError(f"{_ANSWER} mentions {', '.join(strange)}. Write it in {letters}.")
        return e

    return kind


def calculation(first: Expr, last: Expr) -> Kind[list[Expr]]:
    """Formulas, the first and the last of them given, with at least one between."""

    def kind(answer: object) -> list[Expr]:
        given = _formulas(answer)
        found = [expression(first)(one) for one in given]
        for place, wanted in ((0, first), (-1, last)):
            if found[place] != wanted:
                where = "begin" if place == 0 else "end"
                raise InputError(f"the calculation does not {where} with {wanted.render()}, but with {found[place]}.")
        return found

    return kind


def _formulas(answer: object) -> Sequence[object]:
    """Three or more of them."""
    given = cast("Sequence[object]", answer)
    if not isinstance(answer, list | tuple) or len(given) < 3:
        raise InputError(f"{_ANSWER} is {told(given)}. Give a list of at least three formulas.")
    return given


def claim(answer: object) -> Law:
    """An equation as text, or an identity."""
    if isinstance(answer, str) and "=" not in answer:
        raise InputError(f'{_ANSWER} is {told(answer)}. Give an equation, "lhs = rhs".')
    return law_of(cast("Law | str", answer))


def model(answer: object) -> Model:
    """A mechanism."""
    return _instance(answer, Model, "a Model")


def check_result(answer: object) -> Check:
    """What `check` gives back."""
    return _instance(answer, Check, "the Check that oa.check gives back")


def function(result: Kind[_X]) -> Kind[Callable[..., _X]]:
    """A function whose results are of a kind; as long as it gives nothing back it is not tried."""

    def kind(answer: object) -> Callable[..., _X]:
        if not callable(answer) or isinstance(answer, type):
            raise InputError(f"{_ANSWER} is {told(answer)}. Define a function.")

        def called(*values: object) -> _X:
            found = answer(*values)
            if any(found is blank for blank in _BLANKS):
                raise _NotTried
            try:
                return result(found)
            except InputError as error:
                raise _WrongResult(str(error).replace(_ANSWER, "what the function gives back", 1)) from None

        return called

    return kind


def _instance(answer: object, wanted: type[_X], words: str) -> _X:
    if isinstance(answer, wanted):
        return answer
    raise InputError(f"{_ANSWER} is {told(answer)}. Give {words}.")


def _listed(answer: object, count: int, what: str) -> list[Any]:
    given: Any = answer
    if isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim):
        several: list[Any] = list(given)  # pyright: ignore[reportUnknownArgumentType]
        if len(several) == count:
            return several
    raise InputError(f"{_ANSWER} is {told(answer)}. Give {count} {what}.")


def _numbers(answer: object, shape: tuple[int, ...], words: str) -> Any:
    """An array of finite real numbers; numbers that are written as text, and truth values, are none."""
    refusal = InputError(f"{_ANSWER} is {told(answer)}. Give {words}.")
    try:
        values = np.asarray(answer)
    except ValueError:
        raise refusal from None
    if values.dtype.kind not in "iuf" or values.shape != shape:
        raise refusal
    if not np.isfinite(values).all():
        raise InputError(f"{_ANSWER} is not finite. Give {words}.")
    return values.astype(np.float64)


def _said(error: Exception) -> str:
    """The first line of an error, with its name where it is not one of this package."""
    try:
        text = str(error).partition("\n")[0]
    except Exception:  # noqa: BLE001
        text = ""
    if isinstance(error, OperatorAlgebraError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
