"""Answers of compiled programs near singular mechanisms: `python -m tests.lowering.lost_digits 1000`.

Every answer is judged against fifty digits from the same floats. One whose error exceeds 100 ε times what the message
says must be refused or warned of; healthy mechanisms must be neither. The counts go to lost_digits.json. A run that was
cut off goes on where it stopped, as long as the package has not changed.
"""

from __future__ import annotations

import itertools
import json
import math
import multiprocessing
import pickle
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import numpy as np

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.pivots import SMALL
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, OperatorAlgebraWarning, SingularError
from operator_algebra.expressions.build import diag, inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet, trace
from operator_algebra.lowering.lower import Method
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE, space
from tests.lowering.campaign import PROCESSES, package_digest
from tests.nearly_singular import AXES, DOUBTFUL, HEALTHY, Sample, installed_robots, sample
from tests.often import backend_for
from tests.oracles.extended_precision import exact
from tests.oracles.many_digits import Factors, factored, log_determinant, many_digits, solved

RESULT = Path(__file__).parent / "lost_digits.json"
EPS = float(np.finfo(np.float64).eps)
METHODS: tuple[Method, ...] = get_args(Method)
SILENT = 1 / SMALL
"""By how much an answer without a message may magnify rounding."""
SINGULAR = 1e-30
"""A mass matrix whose least pivot is smaller, in fifty digits, has no inverse."""

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
J = operator("J", RATE >> TORQUE, structure="diagonal symmetric semidefinite")
PICK = operator("pick", space("picked", attached=False).dual >> FORCE)
# A step of an implicit integrator: mass matrix and a part of what velocities do, which is not symmetric.
STEP = MASS + 0.01 * s.H @ s.phi @ s.M @ s.cross(s.V) @ s.phi.T @ s.H.T
FORMULAS: dict[str, Expr | Query] = {
    "inverse": inv(MASS) @ s.T,
    "forward dynamics": dynamics.forward_dynamics,
    "logdet": logdet(MASS),
    "diagonal": diag(inv(MASS)),
    "trace": trace(inv(MASS)),
    "armature": inv(MASS + J) @ s.T,
    "task": PICK.T @ s.phi.T @ s.H.T @ inv(MASS) @ s.H @ s.phi @ PICK,
    "step": inv(STEP) @ s.T,
}
AT_BODIES: dict[str, Expr | Query] = {
    "compliances": diag(s.phi.T @ s.H.T @ inv(MASS) @ s.H @ s.phi),
    "body acceleration": PICK.T @ s.phi.T @ s.H.T @ inv(MASS) @ s.T,
}
"""Judged on single mechanisms, no part of the record."""


@dataclass(frozen=True)
class Verdict:
    """What came of one formula by one method: its error, and by how much rounding may be magnified as it is told."""

    formula: str
    method: Method
    kind: str
    """"silent", "warned", "refused", or "misjudged": a wrong reason was given."""
    error: float
    """Infinite where there is no answer and one was given."""
    told: float

    @property
    def broken(self) -> bool:
        """Whether the error is larger than what was told."""
        return self.kind != "refused" and min(self.error, 1.0) > 100 * EPS * self.told


class Truth:
    """The formulas on one mechanism in fifty digits; None where there is no answer."""

    def __init__(self, model: Model, q: Any, given: dict[str, Any]) -> None:
        self.model, self.q, self.given = model, q, given

    def _of(self, e: Expr, *names: str) -> Any:
        return many_digits(e, self.model, q=self.q, **{name: self.given[name] for name in names})

    @cached_property
    def _mass(self) -> Any:
        return self._of(MASS)

    def _factors(self, matrix: Any) -> Factors | None:
        size = np.sqrt(np.abs(matrix.diagonal().astype(np.float64)))
        scale = exact(1.0 / np.where(size > 0, size, 1.0))
        found = factored(matrix, scale, scale)
        return found if found.share >= SINGULAR else None

    @cached_property
    def _plain(self) -> Factors | None:
        return self._factors(self._mass)

    @cached_property
    def share(self) -> float:
        """The least pivot of the mass matrix, 0 where it is singular."""
        return 0.0 if self._plain is None else self._plain.share

    def answer(self, formula: str) -> Any:
        """The value, an array of numbers with many digits."""
        T = exact(self.given["T"])[:, None]
        if formula == "armature":
            found = self._factors(self._mass + self._of(J, "J"))
            return None if found is None else solved(found, T)
        if formula == "step":
            found = self._factors(self._of(STEP, "v"))
            return None if found is None else solved(found, T)
        if formula == "forward dynamics":
            found = self._factors(self._of(dynamics.mass_matrix))
            return None if found is None else solved(found, T - self._of(dynamics.bias, "v", "f_ext"))
        return None if self._plain is None else self._by_mass(formula, self._plain, T)

    def _by_mass(self, formula: str, factors: Factors, T: Any) -> Any:
        if formula == "inverse":
            return solved(factors, T)
        if formula == "logdet":
            return log_determinant(factors)
        if formula == "task":
            return self._picked.T @ solved(factors, self._picked)
        if formula == "body acceleration":
            return self._picked.T @ solved(factors, T)
        inverse = self._inverse
        if formula == "trace":
            return inverse.trace()
        if formula == "compliances":
            return [self._compliance(inverse, body) for body in np.split(self._of(s.H @ s.phi), self.model.n, axis=1)]
        return [inverse[part, part] for part in self.model.v_slices]

    @staticmethod
    def _compliance(inverse: Any, body: Any) -> Any:
        moving = (body != 0).any(axis=1)
        return body[moving].T @ inverse[np.ix_(moving, moving)] @ body[moving]

    @cached_property
    def _picked(self) -> Any:
        return self._of(s.H @ s.phi @ PICK, "pick")

    @cached_property
    def _inverse(self) -> Any:
        assert self._plain is not None
        return solved(self._plain, exact(np.eye(self.model.nv)))


def error_of(found: Any, expected: Any, formula: str) -> float:
    """Relative to the largest entry; of a logarithm absolute, or relative to one above 1."""
    if expected is None:
        return math.inf
    pairs = list(zip(found, expected, strict=True)) if isinstance(expected, list) else [(found, expected)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    worst = largest = 0.0
    for own, true in pairs:  # pyright: ignore[reportUnknownVariableType]
        value: Any = np.asarray(true, dtype=object)  # pyright: ignore[reportUnknownArgumentType]
        difference: Any = np.abs(np.asarray(exact(own), dtype=object).reshape(value.shape) - value)
        worst = max(worst, float(np.max(difference, initial=0.0)))
        largest = max(largest, float(np.max(np.abs(value), initial=0.0)))
    if formula == "logdet":
        largest = max(largest, 1.0)
    return worst / largest if largest else worst


def told_by(message: str) -> float:
    """By how much rounding is magnified, as a warning says it."""
    found = re.search(r"(?:relative pivot|share) (\S+?)\)", message)
    assert found, message
    return 1.0 / float(found[1])


def verdict(formula: str, method: Method, one: Sample, given: dict[str, Any], expected: Any) -> Verdict:
    """Compile, call, listen, compare."""
    formulas = FORMULAS | AT_BODIES
    backend = backend_for(list(formulas).index(formula) + METHODS.index(method))
    run = compile_program(formulas[formula], one.model, method=method, backend=backend)
    values = {name: value for name, value in given.items() if name in run.inputs}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = run(q=one.q, **values)
        except SingularError:
            return Verdict(formula, method, "refused", 0.0, math.inf)
        except InputError as error:
            # A mass matrix has no negative determinant; rounding is what made it so.
            if "determinant is negative" not in str(error):
                raise
            return Verdict(formula, method, "misjudged", math.inf, SILENT)
    assert all(issubclass(warning.category, OperatorAlgebraWarning) for warning in caught), caught[0].message
    told = max((told_by(str(warning.message)) for warning in caught), default=SILENT)
    kind = "warned" if caught else "silent"
    finite = all(np.isfinite(block).all() for block in (found if isinstance(found, list) else [found]))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    error = error_of(found, expected, formula) if finite else math.inf
    return Verdict(formula, method, kind, error, told)


def inputs(one: Sample, seed: int) -> dict[str, Any]:
    """Values of everything that the formulas mention."""
    rng = np.random.default_rng(seed)
    n, nv = one.model.n, one.model.nv
    pick = np.zeros((6 * n, 6))
    tip = int(rng.integers(n))
    pick[6 * tip : 6 * tip + 6] = np.eye(6)
    return {
        "T": rng.standard_normal(nv),
        "v": rng.uniform(-1.0, 1.0, nv),
        "f_ext": np.zeros(6 * n),
        "J": 10.0 ** float(rng.choice([0, -4, -8, -12, -15])) * rng.uniform(0.5, 1.5, nv),
        "pick": pick,
    }


def verdicts(one: Sample, seed: int, methods: tuple[Method, ...] = METHODS) -> tuple[float, list[Verdict]]:
    """Every formula by every method, and the least pivot of the mass matrix."""
    given = inputs(one, seed)
    truth = Truth(one.model, one.q, given)
    found: list[Verdict] = []
    for formula in FORMULAS:
        expected = truth.answer(formula)
        found += [verdict(formula, method, one, given, expected) for method in methods]
    return truth.share, found


def campaign(count: int, first: int = 0) -> Iterator[tuple[Sample, float, list[Verdict]]]:
    """So many mechanisms, families in turn, every fifth of them healthy, every tenth one with axes of its own."""
    for number in range(first, first + count):
        family = _family(number)
        drawn = (sample(family, number + again) for again in itertools.count(step=1_000_000))
        one = next(one for one in drawn if one.model.nv)
        yield (one, *verdicts(one, number))


def _family(number: int) -> str:
    if number % 10 == 8:
        return list(AXES)[number // 10 % len(AXES)]
    if number % 5 == 4:
        return list(HEALTHY)[(number // 5 + 4) % len(HEALTHY)]
    return list(DOUBTFUL)[(number // 5 * 4 + number % 5) % len(DOUBTFUL)]


def robots() -> Iterator[tuple[Sample, float, list[Verdict]]]:
    """The installed robots, if there are any."""
    for number, one in enumerate(installed_robots()):
        if one.model.nv:
            yield (one, *verdicts(one, number))


def summary(found: Iterable[tuple[Sample, float, list[Verdict]]]) -> dict[str, Any]:
    """Counts by family and by method, and every answer that breaks the rule."""
    by_family: dict[str, Counter[str]] = {}
    by_method: dict[str, Counter[str]] = {method: Counter() for method in METHODS}
    broken: list[str] = []
    worst: dict[str, float] = dict.fromkeys(METHODS, 0.0)
    for one, share, told in found:
        counts = by_family.setdefault(one.family, Counter())
        counts["mechanisms"] += 1
        counts["singular"] += share == 0.0
        for each in told:
            wrong = each.broken or (one.family in HEALTHY and each.kind != "silent")
            for where in (counts, by_method[each.method]):
                where[each.kind] += 1
                where["broken"] += wrong
            if each.kind != "refused" and not wrong:
                worst[each.method] = max(worst[each.method], min(each.error, 1.0) / (EPS * each.told))
            if wrong:
                broken.append(
                    f"{one.model.name} {one.family} share {share:.0e}: {each.formula} {each.method} {each.kind} "
                    f"told {each.told:.0e} error {each.error:.0e}"
                )
    return {
        "mechanisms": sum(c["mechanisms"] for c in by_family.values()),
        "answers": sum(sum(c[k] for k in ("silent", "warned", "refused", "misjudged")) for c in by_method.values()),
        "families": {family: dict(sorted(c.items())) for family, c in sorted(by_family.items())},
        "methods": {method: dict(sorted(c.items())) for method, c in by_method.items()},
        "largest_error_by_what_was_told": {method: round(value, 1) for method, value in worst.items()},
        "broken": broken,
    }


def table(found: dict[str, Any]) -> str:
    """The counts for reading."""
    lines = [f"{found['mechanisms']} mechanisms, {found['answers']} answers, {len(found['broken'])} against the rule"]
    for group in ("families", "methods"):
        for name, c in found[group].items():
            cells = "  ".join(
                f"{key} {c.get(key, 0):6d}" for key in ("silent", "warned", "refused", "misjudged", "broken")
            )
            lines.append(f"{name:18s} {cells}")
    return "\n".join(lines) + "\n"


def _one(number: int) -> tuple[int, list[tuple[Sample, float, list[Verdict]]]]:
    return number, list(campaign(1, number))


def _resumed(count: int, notes: Path) -> list[tuple[Sample, float, list[Verdict]]]:
    """All mechanisms, each noted as soon as it is done."""
    known: dict[int, list[tuple[Sample, float, list[Verdict]]]] = {}
    with notes.open("a+b") as file:
        file.seek(0)
        with suppress(EOFError):
            while True:
                known.update([pickle.load(file)])
        missing = [number for number in range(count) if number not in known]
        with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
            for number, found in pool.imap_unordered(_one, missing):
                known[number] = found
                pickle.dump((number, found), file)
                file.flush()
    return [one for number in range(count) for one in known[number]]


def main() -> None:
    """Write the record."""
    code = package_digest()
    count = int(sys.argv[1])
    found = summary(_resumed(count, Path(tempfile.gettempdir()) / f"lost-digits-{code}.pickle"))
    found = {"code": code, **found}
    sys.stdout.write(table(found))
    found["broken"] = found["broken"][:200]
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
