"""Why the lines of a program are right: the eliminations that gave them, and the laws that say the same."""

from __future__ import annotations

from operator_algebra.expressions.names import Style, unicode_name
from operator_algebra.expressions.nodes import Inverse
from operator_algebra.lowering.program import Program
from operator_algebra.markup import width

# What a program computes, by the name that a value plays, and the laws that explain it.
_LAWS_OF_ROLE: dict[str, tuple[str, ...]] = {
    "G": ("innovations factorization", "factor inverse"),
    "P": ("Riccati equation",),
    "R": ("composite inertia",),
    "Upsilon": ("costate covariance",),
    "V": ("velocity",),
}


def reasons(program: Program, style: Style) -> list[str]:
    """One line for each elimination and each law; laws that the catalogue does not hold are left out."""
    lines: list[str] = []
    names = {step.name for step in program.steps.values()}
    for e in program.report.eliminated:
        assert isinstance(e, Inverse)
        roles = [role for role in ("P", "D", "G") if role in names]
        found = ", ".join(unicode_name(role) if style != "ascii" else role for role in roles)
        gives = f"gives this {found}" if found else "by orthogonal transformations needs no local pivots"
        lines.append(f"eliminating tips first on the tree of {e.body.render(style)} {gives}")
    table = [row for role, laws in _LAWS_OF_ROLE.items() if role in names for row in _rows(laws, style)]
    columns = [max((width(row[i]) for row in table), default=0) for i in range(3)]
    for row in table:
        cells = [text + " " * (columns[i] - width(text)) for i, text in enumerate(row[:3])]
        lines.append("    ".join([*cells, row[3]]).rstrip())
    return lines


def _rows(names: tuple[str, ...], style: Style) -> list[tuple[str, str, str, str]]:
    from operator_algebra.identities.catalogue import catalogue

    laws = catalogue()
    found: list[tuple[str, str, str, str]] = []
    for name in names:
        law = laws.get(name)
        if law is not None:
            number = law.cites[law.cites.index("(") :] if "(" in law.cites else law.cites
            found.append((law.formula(style), name, number, "checked"))
    return found
