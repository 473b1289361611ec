"""The pages kept under review: every formula of the applications, what is asked of the mass matrix, known algorithms.

After a change that is meant, write them anew with `python -m tests.golden.pages` and read the difference.
"""

from __future__ import annotations

from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Literal

from operator_algebra import symbols as s
from operator_algebra.applications import task_space
from operator_algebra.expressions.build import diag, inv, operator, scalar
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import RATE, TORQUE
from tests.golden.known import KNOWN

FOLDER = Path(__file__).parent
STYLES: tuple[Literal["unicode", "ascii", "latex"], ...] = ("unicode", "ascii", "latex")
NUMBERINGS: tuple[Literal["model", "paper"], ...] = ("model", "paper")
APPLICATIONS = (
    "dynamics",
    "diagonalized",
    "estimation",
    "decomposition",
    "task_space",
    "constraints",
    "impacts",
    "sensitivities",
    "embedding",
    "simulation",
    "lie",
    "geometry",
    "global_form",
)

_TASKS, _HELD = (
    ("bias", "consistent_inverse", "inertia", "force", "null_space"),
    ("held_amounts", "solved_acceleration"),
)
RELATED = frozenset(
    {*(f"task_space/{name}" for name in _TASKS), *(f"global_form/{name}" for name in (*_HELD, "gained_acceleration"))}
)
"""Pages whose programs solve equations between bodies, by relations."""

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
W = s.I - s.H @ s.psi @ s.K
h = scalar("h")
STIFFNESS = operator("S", RATE >> TORQUE, structure="diagonal semidefinite")
QUERIES: dict[str, Expr | Query | dict[str, Expr | Query]] = {
    "inverse_times_force": inv(MASS) @ s.T,
    "factored_inverse": W.T @ inv(s.D) @ W @ s.T,
    "innovations": W @ s.T,
    "operational_space_kernel": s.Omega @ s.f_ext,
    "diagonal_of_the_inverse": diag(inv(MASS)),
    "trace_of_the_inverse": trace(inv(MASS)),
    "log_determinant": logdet(MASS),
    "dense_mass_matrix": dense(MASS),
    "dense_inverse": dense(inv(MASS)),
    "block_of_the_inverse": block(inv(MASS), 0, 1),
    "several_results": {"V": s.V, "momentum": s.M @ s.V, "qdd": inv(MASS) @ s.T},
    "implicit_step": inv(MASS + h * s.armature + h * h * STIFFNESS) @ s.T,
    "operators": {"P": s.P, "G": s.G, "Upsilon": s.Upsilon, "R": s.R},
}

TASKS: dict[str, Expr] = {
    "drift_in_base_axes": task_space.of(s.B, task_space.B_dot).drift,
    "stacked_inverse_inertia": task_space.stacked.inverse_inertia,
    "stacked_inertia": task_space.stacked.inertia,
    "stacked_force": task_space.stacked.force,
}


def formulas(application: str) -> dict[str, Expr]:
    """The expressions that an application names first; those of the vocabulary belong to symbols."""
    known = dict(s.vocabulary())
    for earlier in APPLICATIONS[: APPLICATIONS.index(application)]:
        known |= formulas(earlier)
    module = import_module(f"operator_algebra.applications.{application}")
    found = {
        name: e for name, e in vars(module).items() if name[0] != "_" and isinstance(e, Expr) and known.get(name) != e
    }
    # An input has no program.
    return {name: e for name, e in found.items() if not isinstance(e, Symbol) or e.origin != "input"}


def pages() -> dict[Path, Expr | Query | dict[str, Expr | Query]]:
    """Every page by its file."""
    found: dict[Path, Expr | Query | dict[str, Expr | Query]] = {
        FOLDER / application / f"{name}.txt": e
        for application in APPLICATIONS
        for name, e in formulas(application).items()
    }
    found |= {FOLDER / "task_space" / f"{name}.txt": e for name, e in TASKS.items()}
    found |= {FOLDER / "known" / f"{name}.txt": known.formula for name, known in KNOWN.items()}
    return found | {FOLDER / "mass_matrix" / f"{name}.txt": e for name, e in QUERIES.items()}


def text(e: Expr | Query | dict[str, Expr | Query]) -> str:
    """A formula in every style and numbering, and with a reason beside each line."""
    program = lower(e)
    sections = [
        f"==== {style}, {numbering} numbering ====\n\n{program.pseudocode(style, numbering=numbering)}\n"
        for style, numbering in product(STYLES, NUMBERINGS)
    ]
    reasons = f"==== unicode, with reasons ====\n\n{program.pseudocode(reasons=True)}\n"
    return "\n".join([*sections, reasons])


def write() -> None:
    """Write every page."""
    for path, e in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(e), encoding="utf-8")


if __name__ == "__main__":
    write()
