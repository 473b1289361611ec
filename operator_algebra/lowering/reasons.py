"""Why the lines of a program are right: the eliminations that gave them, and the laws that say the same."""

from __future__ import annotations

from collections.abc import Iterator

from operator_algebra.expressions.names import Style, unicode_name
from operator_algebra.expressions.nodes import Inverse
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.products import expand_products
from operator_algebra.lowering.program import Program, Step
from operator_algebra.lowering.values import Given, Invert, Linear, Ref, Shift, Update, terms_of
from operator_algebra.markup import width

_LAWS: dict[str, tuple[str, ...]] = {
    "riccati": ("innovations factorization", "factor inverse", "Riccati equation"),
    "composite": ("composite inertia",),
    "costate": ("costate covariance",),
    "velocity": ("velocity",),
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
    table = [row for subject in _Vocabulary(program).subjects() for row in _rows(_LAWS[subject], style)]
    columns = [max((width(row[i]) for row in table), default=0) for i in range(3)]
    for row in table:
        cells = [text + " " * (columns[i] - width(text)) for i, text in enumerate(row[:3])]
        lines.append("    ".join([*cells, row[3]]).rstrip())
    return lines


class _Vocabulary:
    """Finds values that are operators of the vocabulary, by what defines them and not by their names."""

    def __init__(self, program: Program) -> None:
        self.steps = program.steps
        self.graph = Graph({number: step.value for number, step in program.steps.items()})

    def subjects(self) -> Iterator[str]:
        """What the program computes that laws speak about."""
        pivot = self._riccati_pivot()
        if pivot is not None:
            yield "riccati"
        if any(self._carries_inertia(step, step.number) for step in self.steps.values()):
            yield "composite"
        if pivot is not None and any(self._is_costate(step, pivot) for step in self.steps.values()):
            yield "costate"
        if any("V" in step.value.names for step in self.steps.values()):
            yield "velocity"

    def _leaf(self, ref: Ref, name: str, star: bool = False) -> bool:
        definition = self.steps[ref.value].definition
        return (
            isinstance(definition, Given)
            and definition.symbol is not None
            and (definition.symbol.name == name and definition.symbol.origin == "model" and ref.star == star)
        )

    def _carries_inertia(self, step: Step, source: int) -> bool:
        """M + Σ φ source φ*."""
        parts = [term.bare for term in terms_of(step.definition)]
        if len(parts) != 2 or any(part is None for part in parts):
            return False
        shifts = [self.steps[part.value].definition for part in parts if part is not None]
        carried = any(
            isinstance(d, Shift) and d.closing is not None and d.hop.symbol.name == "E_phi" and d.source.value == source
            for d in shifts
        )
        return carried and any(part is not None and self._leaf(part, "M") for part in parts)

    def _riccati_pivot(self) -> int | None:
        """The pivot D of P = M + Σ φ P⁺ φ*, P⁺ = P − G H P."""
        for step in self.steps.values():
            definition = step.definition
            if not isinstance(definition, Update) or len(definition.A) != 1:
                continue
            if self._leaf(definition.A[0], "H", star=True) and self._carries_inertia(
                self.steps[definition.P.value], step.number
            ):
                gain = expand_products(self.graph, (definition.gain,))
                inverse = self.steps[gain[-1].value].definition
                if isinstance(inverse, Invert):
                    return inverse.source.value
        return None

    def _is_costate(self, step: Step, pivot: int) -> bool:
        """H* D⁻¹ H + … with the pivot of the Riccati equation, carried outward."""
        carried = any(
            isinstance(s.definition, Shift)
            and s.definition.closing is not None
            and not s.definition.hop.inward
            and s.definition.source.value == step.number
            for s in self.steps.values()
        )
        if not carried or not isinstance(step.definition, Linear):
            return False
        for term in step.definition.terms:
            factors = expand_products(self.graph, term.factors)
            if len(factors) == 3 and self._leaf(factors[0], "H", star=True) and self._leaf(factors[2], "H"):
                middle = self.steps[factors[1].value].definition
                if isinstance(middle, Invert) and middle.source.value == pivot:
                    return True
        return False


def _rows(names: tuple[str, ...], style: Style) -> list[tuple[str, str, str, str]]:
    from operator_algebra.identities.catalogue import catalogue

    laws = catalogue()
    found: list[tuple[str, str, str, str]] = []
    for name in names:
        law = laws.get(name)
        if law is not None:
            found.append((law.formula(style), name, law.cites, "checked"))
    return found
