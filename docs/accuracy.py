"""The numbers of the page on accuracy: `python docs/accuracy.py` writes its tables and its picture to docs/_static.

Forward dynamics at rest by several forms of the same program, judged by the sweeps in fifty digits of the test oracles.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from matplotlib import rc_context
from scipy.linalg import cho_factor, cho_solve

sys.path.insert(0, str(Path(__file__).parents[1]))

import operator_algebra as oa
from operator_algebra.backends.backend import backend_named
from operator_algebra.errors import OperatorAlgebraWarning
from operator_algebra.models.model import Model
from operator_algebra.programs.instructions import Linear, Update
from operator_algebra.programs.program import Program, Step
from operator_algebra.programs.records import Term
from operator_algebra.views.conditioning import EPS, Reading, conditioning
from tests.oracles.extended_precision import Leaves, exact, forward_dynamics, inverse_dynamics, rounded

STATIC = Path(__file__).parent / "_static"
FORMS = ("naive", "plain", "symmetric", "default", "Joseph", "orthogonal", "dense")
KINDS = ("revolute", "universal", "spherical")


@dataclass(frozen=True)
class Case:
    """One mechanism at rest: the error of every form, forward relative to the result, backward in units of eps."""

    name: str
    condition: float
    forward: dict[str, float]
    backward: dict[str, float]


def mechanisms() -> Iterator[tuple[str, Model]]:
    """Chains of growing length with joints of one to three freedoms, and trees with masses far apart."""
    for n in (10, 25, 50, 100, 200):
        yield f"chain, {n} bodies", oa.chain(n, joint=KINDS, seed=1)
    yield "chain, 200 bodies, revolute", oa.chain(200, seed=1)
    for spread in (3.0, 6.0):
        model = oa.random_tree(40, joints=KINDS, branching=0.2, mass_spread=spread, seed=2)
        yield f"tree, 40 bodies, masses ×10^±{spread:.0f}", model


def _itself(program: Program) -> Program:
    return program


def updated_by_subtraction(program: Program, form: str) -> Program:
    """The program with P⁺ = P − G H P at every joint.

    "symmetric" averages what should be self-adjoint, "plain" does not, and "naive" moreover takes (P H*)* for H P.
    """

    def changed(step: Step) -> Step:
        value = step.value
        if isinstance(value.definition, Update):
            update = value.definition
            last = update.P.T if form == "naive" else update.P
            away = Term(Fraction(-1), (update.gain, *(ref.T for ref in reversed(update.A)), last))
            value = replace(value, definition=Linear((Term(Fraction(1), (update.P,)), away)))
        return replace(step, value=value if form == "symmetric" else replace(value, symmetric=False))

    stages = tuple(replace(stage, steps=tuple(map(changed, stage.steps))) for stage in program.stages)
    return replace(program, stages=stages)


def answers(model: Model, given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The accelerations by every form."""
    formula = oa.dynamics.forward_dynamics
    default = oa.compile(formula, model, backend="numpy")
    name, build = backend_named("numpy")
    for form in ("naive", "plain", "symmetric"):
        # Under this method nothing rescues the program: it stands for itself.
        program = replace(updated_by_subtraction(default.program, form), method="orthogonal")
        bare = replace(
            default, _lowered=partial(_itself, program), backend=name, _executable=build(program, model, "body")
        )
        try:
            yield form, bare(**given, errors="mask")
        except np.linalg.LinAlgError:
            yield form, np.full(model.nv, np.inf)
    yield "default", default(**given)
    yield "Joseph", oa.compile(formula, model, backend="numpy", method="joseph")(**given)
    yield "orthogonal", oa.compile(formula, model, backend="numpy", method="orthogonal")(**given)
    mass = oa.compile(oa.dynamics.mass_matrix, model)(q=given["q"])
    bias = oa.compile(oa.dynamics.bias, model)(q=given["q"], v=given["v"])
    yield "dense", cast("Any", cho_solve)(cho_factor(mass), given["T"] - bias)


def case(name: str, model: Model) -> Case:
    """All forms on one mechanism, in a random pose under random joint forces."""
    q = model.random(5)[0]
    T = np.random.default_rng(5).standard_normal(model.nv)
    given = {"q": q, "v": np.zeros(model.nv), "T": T}
    leaves = Leaves.at(model, q, given["v"])
    truth = forward_dynamics(leaves, T)
    mass = oa.compile(oa.dynamics.mass_matrix, model)(q=q)
    bias = oa.compile(oa.dynamics.bias, model)(q=q, v=given["v"])
    forward: dict[str, float] = {}
    backward: dict[str, float] = {}
    for form, x in answers(model, given):
        if not np.isfinite(x).all():
            forward[form] = backward[form] = np.inf
            continue
        forward[form] = float(np.max(np.abs(rounded(exact(x) - truth))) / np.max(np.abs(rounded(truth))))
        missing = rounded(inverse_dynamics(leaves, exact(x)) - exact(T))
        size = np.linalg.norm(mass, 2) * np.linalg.norm(x) + np.linalg.norm(T) + np.linalg.norm(bias)
        backward[form] = float(np.linalg.norm(missing) / size / EPS)
    return Case(name, float(np.linalg.cond(mass)), forward, backward)


def table(cases: list[Case], what: str) -> str:
    """A Markdown table with a column for every form."""
    head = f"| mechanism | cond ℳ | {' | '.join(FORMS)} |\n|---|---|{'---|' * len(FORMS)}\n"
    rows: list[str] = []
    for one in cases:
        errors = getattr(one, what)
        cells = " | ".join(_cell(errors[form], what) for form in FORMS)
        rows.append(f"| {one.name} | {one.condition:.0e} | {cells} |")
    return head + "\n".join(rows) + "\n"


def _cell(error: float, what: str) -> str:
    if not np.isfinite(error):
        return "breaks down"
    return f"{error:.2f}" if what == "backward" and error < 100 else f"{error:.0e}"


def small_pivots() -> str:
    """A table of (ℳ + C)⁻¹ T where C takes all but a small share of the last pivot away, by three programs."""
    arm = oa.chain(3, seed=0)
    q = arm.random(0)[0]
    C = oa.operator("C", oa.RATE >> oa.TORQUE, structure="diagonal")
    formula = oa.inv(oa.dynamics.mass_matrix + C) @ oa.symbols.T
    mass: Any = oa.compile(oa.dynamics.mass_matrix, arm)(q=q)
    T = np.array([1.0, 2.0, 3.0])
    plain = oa.compile(formula, arm, backend="numpy")
    unmended = replace(plain.program, method="orthogonal")  # nothing mends it under this name
    bare = replace(plain, _lowered=partial(_itself, unmended))
    programs = {"elimination": bare} | {m: oa.compile(formula, arm, method=m) for m in ("refined", "orthogonal")}
    rows = [f"| share of the pivot | {' | '.join(programs)} |", f"|---|{'---|' * len(programs)}"]
    for share in (1e-2, 1e-4, 1e-6, 1e-8):
        noise = np.array([0.0, 0.0, -mass[2, 2] * (1 - share)])
        truth = cast("Any", np.linalg).solve(mass + np.diag(noise), T)
        errors = [np.abs(run(q=q, C=noise, T=T) - truth).max() / np.abs(truth).max() for run in programs.values()]
        rows.append(f"| {share:.0e} | {' | '.join(f'{error:.0e}' for error in errors)} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Write the tables and the picture."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorAlgebraWarning)  # the forms that are wrong on purpose
        cases = [case(name, model) for name, model in mechanisms()]
        pivots = small_pivots()
    (STATIC / "accuracy_forward.md").write_text(table(cases, "forward"), encoding="utf-8")
    (STATIC / "accuracy_backward.md").write_text(table(cases, "backward"), encoding="utf-8")
    (STATIC / "accuracy_pivots.md").write_text(pivots, encoding="utf-8")
    found = [
        Reading(form, f"{form}, {one.name}", one.condition, one.forward[form], 10 * EPS * one.condition)
        for form in FORMS
        for one in cases
    ]
    figure = conditioning(found, title="forward dynamics: error against condition of ℳ")
    with rc_context({"svg.hashsalt": "operator_algebra"}):  # the same file each time
        cast("Any", figure).savefig(STATIC / "accuracy.svg", metadata={"Date": None})
    (STATIC / "accuracy.png").write_bytes(cast("Any", figure).png())
    sys.stdout.write(table(cases, "forward") + "\n" + table(cases, "backward"))


if __name__ == "__main__":
    main()
