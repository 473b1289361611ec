"""What can be wrong with a mechanism, as records: what, where, what to do; raised or warned about together."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from operator_algebra.errors import ModelError, OperatorAlgebraWarning, explain

Where = Callable[[int], str]
"""How messages name the k-th given body, or the whole for −1: with file and line, or with the model's name."""

SHOWN = 20
"""So many problems a message lists."""


@dataclass(frozen=True)
class Problem:
    """Something wrong with a mechanism; one that is not fatal can be loaded with `strict=False`."""

    what: str
    where: str = ""
    remedy: str = ""
    fatal: bool = True

    def __str__(self) -> str:
        return explain(self.what, self.where, self.remedy)


def report(problems: Iterable[Problem], *, strict: bool, stacklevel: int = 3) -> None:
    """Raise one `ModelError` that lists every problem; with `strict=False` warn of those that are not fatal."""
    found = list(problems)
    wrong = [problem for problem in found if strict or problem.fatal]
    if wrong:
        offer = any(not problem.fatal for problem in wrong) and not any(problem.fatal for problem in wrong)
        lines = [str(problem) for problem in wrong[:SHOWN]]
        if len(wrong) > SHOWN:
            lines.append(f"… and {len(wrong) - SHOWN} more.")
        if offer:
            lines[0] += " strict=False loads it with a warning."
        raise ModelError("\n".join(lines))
    for problem in found:
        warnings.warn(str(problem), OperatorAlgebraWarning, stacklevel=stacklevel)
