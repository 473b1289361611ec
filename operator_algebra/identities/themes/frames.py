"""What does not depend on the frame of the blocks, nor on the order in which bodies are stored."""

from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.identity import Law, Statement
from operator_algebra.identities.themes.factorization import mass
from operator_algebra.symbols import G, H, Omega, P, m, phi, psi

_TURNED = "X turns body axes into the axes of the base, and is orthogonal."
_ORDERED = "Operators are defined by the tree, not by the order of bodies."


def _frame(what: str, e: Expr, wrong: Expr, reads: str, *domain: str) -> Statement:
    twin = Statement(f"{wrong} for {e}", "invariance", "frame", e, wrong, reads=reads)
    name = f"{what} in any frame"
    return Statement(name, "invariance", "frame", e, e, reads=reads, idea=_TURNED, domain=domain, twins=(twin,))


def _numbering(what: str, e: Expr, wrong: Expr, reads: str) -> Statement:
    twin = Statement(f"{wrong} for {e}", "invariance", "numbering", e, wrong, reads=reads)
    name = f"{what} in any numbering"
    return Statement(name, "invariance", "numbering", e, e, reads=reads, idea=_ORDERED, twins=(twin,))


LAWS: tuple[Law, ...] = (
    _frame("propagation", phi, psi, "φ in world axes = X φ X⁻¹"),
    _frame("joint map", H, 2 * H, "H in world axes = H X⁻¹"),
    _frame("articulated inertia", P, 2 * P, "P in world axes = X P X*", "any J"),
    _frame("gain", G, -G, "G in world axes = X G", "any J"),
    _frame("kernel", Omega, -Omega, "Ω in world axes = X⁻* Ω X⁻¹", "any J"),
    _frame("mass matrix", mass, 2 * mass, "H φ M φ* H* is the same in body and in world axes"),
    _numbering("propagation", phi, psi, "φ of the re-ordered bodies = Π φ Π*"),
    _numbering("mass matrix", mass, 2 * mass, "H φ M φ* H* of the re-ordered bodies = Π H φ M φ* H* Π*"),
    _numbering("square root", m, -m, "m of the re-ordered bodies = Π m Π*"),
)
