"""Why the lines of a program are right: the eliminations that gave them, and the laws that say the same."""

from __future__ import annotations

from collections.abc import Iterator

from operator_algebra.expressions.build import add, inv, matmul, scale
from operator_algebra.expressions.names import Style, unicode_name
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.identities.facts import evidence
from operator_algebra.identities.identity import Law, Statement
from operator_algebra.markup import width
from operator_algebra.pages.roles import Roles
from operator_algebra.programs.program import Program
from operator_algebra.programs.schemes import Binding

_LAWS: dict[str, tuple[str, ...]] = {
    "riccati": ("innovations factorization", "factor inverse", "Riccati equation"),
    "composite": ("composite inertia",),
    "costate": ("costate covariance",),
    "velocity": ("velocity",),
}


def because(program: Program, style: Style) -> list[str]:
    """One line for each elimination and each law; laws that the catalogue does not hold are left out."""
    lines: list[str] = []
    names = {step.name for step in program.steps.values()}
    for e in program.report.eliminated:
        roles = [role for role in ("P", "D", "G") if role in names]
        found = ", ".join(unicode_name(role) if style != "ascii" else role for role in roles)
        gives = f"gives this {found}" if found else "by orthogonal transformations needs no local pivots"
        lines.append(f"eliminating tips first on the tree of {inv(e).render(style)} {gives}")
    table = list(_table(program, style))
    columns = [max((width(row[i]) for row in table), default=0) for i in range(3)]
    for row in table:
        cells = [text + " " * (columns[i] - width(text)) for i, text in enumerate(row[:3])]
        lines.append("    ".join([*cells, row[3]]).rstrip())
    return lines


def _table(program: Program, style: Style) -> Iterator[tuple[str, str, str, str]]:
    """Formula, name, source and evidence of the laws that speak of what the program computes."""
    from operator_algebra.identities.catalogue import catalogue

    laws = catalogue()
    found = Roles(program)
    roles = set(found.of.values())
    plainest = sorted(found.riccati, key=lambda one: len(one.further("D")))[:1]
    subjects: list[tuple[str, Binding | None]] = [("riccati", one) for one in plainest]
    subjects += [("composite", None)] * ("R" in roles) + [("costate", None)] * ("Upsilon" in roles)
    subjects += [("velocity", None)] * any("V" in step.value.names for step in program.steps.values())
    for subject, one in subjects:
        for name in _LAWS[subject]:
            formula = _formula(laws[name], one, found, style) if name in laws else None
            if formula is not None:
                yield formula, name, laws[name].cites, evidence(laws[name])


def _formula(law: Law, one: Binding | None, roles: Roles, style: Style) -> str | None:
    """A law as text; where D = H P H* + J, the matrix that is factored has J beside it. None if J has no short form."""
    from operator_algebra.symbols import H, M, phi

    mass = H @ phi @ M @ phi.T @ H.T
    if one is None or not one.further("D") or law.lhs != mass or isinstance(law, Statement | Query):
        return law.formula(style)
    J = noise(one, roles)
    return None if J is None else f"{(mass + J).render(style)} = {law.rhs.render(style)}"


def noise(one: Binding, roles: Roles) -> Expr | None:
    """J of D = H P H* + J as a formula, if its terms are products of leaves and inputs."""
    terms: list[Expr] = []
    for term in one.further("D"):
        factors: list[Expr] = []
        for ref in term.factors:
            symbol = roles.steps[ref.value].value.leaf
            if term.scalars or symbol is None:
                return None
            factors.append(symbol.T if ref.star else symbol)
        if not factors:
            return None
        terms.append(scale(term.coefficient, matmul(*factors)))
    return add(*terms)
