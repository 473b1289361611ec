"""Inverses of factors that go one way: (A + B φ C)⁻¹ = A⁻¹ − A⁻¹ B ψ C A⁻¹, with ψ⁻¹ = φ⁻¹ + C A⁻¹ B.

B or C is a hop: where both are blocks alone, φ C = C + φ E C. Then E − C A⁻¹ B is a hop, too, and ψ is a propagation.
"""

from __future__ import annotations

from itertools import count

from operator_algebra.expressions.build import define, inv, one
from operator_algebra.expressions.nodes import Expr, Fixpoint, Inverse, Symbol
from operator_algebra.expressions.traverse import all_below, postorder
from operator_algebra.operators.spaces import Type
from operator_algebra.proofs.letters import RING, Form, Letter, pattern, times, whole_pattern, word
from operator_algebra.proofs.readback import formula_of, letter_names, name_of_form
from operator_algebra.proofs.theory import Theory


def without_inverse(node: Inverse) -> Expr | None:
    """The inverse of A + B φ C, or of its adjoint, with a propagation for it; None for what has another form.

    >>> from operator_algebra.symbols import H, I, K, inv, phi
    >>> without_inverse(inv(I + H @ phi @ K))
    I − H ψ K   torque → torque   inward, unit diagonal
    """
    if node.structure.flow == "outward":
        inner = inv(node.body.T)
        turned = without_inverse(inner) if isinstance(inner, Inverse) else None
        return None if turned is None else turned.T
    theory = Theory()
    split = _split(theory.read(node.body))
    if split is None:
        return None
    before, phi, after = split
    rest = RING.minus(theory.read(node.body), times(before, word(phi), after))
    assert phi.body is not None
    shift = RING.minus(RING.of(), phi.body)
    if not (whole_pattern(before).strict or whole_pattern(after).strict):
        rest, after = RING.sum([rest, times(before, after)]), times(shift, after)
    if not rest or whole_pattern(rest).flow != "diagonal" or not _hops(before, after):
        return None
    names = letter_names(node, theory)
    middle, own = phi.type.domain, node.body.type

    def formula(p: Form, type_: Type) -> Expr:
        called = name_of_form(node, theory, p)
        return formula_of(p, type_, names) if called is None else called

    first, last = formula(before, Type(middle, own.codomain)), formula(after, Type(own.domain, middle))
    blocks = inv(formula(rest, own))
    hop = formula(shift, phi.type) - last @ blocks @ first
    if not theory.read(hop):
        return blocks - blocks @ first @ last @ blocks
    taken = {one.name for one in postorder(node, all_below) if isinstance(one, Symbol | Fixpoint)}
    psi = define(_fresh("psi", taken), inv(one() - define(_fresh("E_psi", taken), hop)))
    return blocks - blocks @ first @ psi @ last @ blocks


def _split(p: Form) -> tuple[Form, Letter, Form] | None:
    """B, φ and C of the words B φ c: one resolvent, one B, C the sum of the c."""
    found: dict[tuple[tuple[Letter, ...], Letter], None] = {}
    after: Form = {}
    for (numbers, letters), c in p.items():
        places = [k for k, x in enumerate(letters) if x.kind == "inverse" and x.structure.unit]
        if len(places) > 1:
            return None
        for k in places:
            found[letters[:k], letters[k]] = None
            after = RING.sum([after, {(numbers, letters[k + 1 :]): c}])
    if len(found) != 1:
        return None
    ((before, phi),) = found
    return word(*before), phi, after


def _hops(before: Form, after: Form) -> bool:
    """Whether what stands around the resolvent leads from child to parent."""
    return all(pattern((*b, *c)).hop for _, b in before for _, c in after)


def _fresh(wanted: str, taken: set[str]) -> str:
    return next(name for k in count(1) if (name := wanted if k == 1 else f"{wanted}_{k}") not in taken)
