"""The exceptions of the package: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class OperatorAlgebraError(Exception):
    """Base of every error that the package raises on purpose."""


class ModelError(OperatorAlgebraError):
    """A mechanism, or the file that describes it, is not valid."""


class SpaceMismatch(OperatorAlgebraError):
    """Operators were combined whose spaces, models or configurations do not fit."""


class InputError(OperatorAlgebraError):
    """A value given to a function is missing, superfluous, misshapen or not finite."""


class ParseError(InputError):
    """A formula in text form cannot be read."""


class _AtSamples(OperatorAlgebraError):
    """What goes wrong at some joints, in some samples of a batch; `result` is the rest, with those masked."""

    def __init__(
        self,
        message: str,
        *,
        joints: Iterable[str] = (),
        samples: Iterable[int] = (),
        result: object = None,
    ) -> None:
        super().__init__(message)
        self.joints = tuple(joints)
        self.samples = tuple(samples)
        self.result = result


class SingularError(_AtSamples):
    """A matrix that has to be inverted is singular at a named joint or body."""


class RangeError(_AtSamples):
    """Finite arguments lead to a result beyond the range of floats."""


class NotLowerable(OperatorAlgebraError):
    """An expression has no sweep form; the message names the innermost culprit."""


class TheoryError(OperatorAlgebraError):
    """The equations that define the symbols of a claim contradict each other."""


class BackendUnavailable(OperatorAlgebraError):
    """A backend or an optional package that was asked for is not installed."""


class OperatorAlgebraWarning(UserWarning):
    """Base of every warning of the package: digits were lost, or data was ignored."""


def explain(what: str, where: str = "", remedy: str = "") -> str:
    """Word a message: where, what, remedy.

    >>> explain("the mass is negative (-1.0)", 'arm.toml, body "link1"', "Give a mass of at least 0.")
    'arm.toml, body "link1": the mass is negative (-1.0). Give a mass of at least 0.'
    """
    head = f"{where}: {what}" if where else what
    if not remedy:
        return head
    stop = "" if head.endswith((".", "?", "!")) else "."
    return f"{head}{stop} {remedy}"
