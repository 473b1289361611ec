"""How deep a mechanism has to be before a claim says anything about it."""

from __future__ import annotations

from functools import cache

from operator_algebra.expressions.nodes import Expr, Inverse, Product
from operator_algebra.expressions.traverse import children_and_definition, fold
from operator_algebra.identities.catalogue import sides
from operator_algebra.identities.identity import Law

_MOST = 1 << 40


@cache
def levels(law: Law) -> int:
    """How many joints the longest term of a law leads along at least; where all paths are shorter, it vanishes.

    >>> from operator_algebra.identities.identity import Identity
    >>> from operator_algebra.symbols import E_phi, phi, phi_tilde
    >>> levels(Identity("nilpotent", E_phi @ E_phi @ (phi_tilde + E_phi), 0 * phi))
    3
    """
    return max((fold(side, _levels, children_and_definition) for side in sides(law)), default=0)


def _levels(node: Expr, parts: tuple[int, ...]) -> int:
    if node.structure.flow == "diagonal":
        return 0
    if isinstance(node, Inverse):
        return parts[0] if parts[0] > 1 else 0  # (I − E)⁻¹ begins with I, and (I − E E E)⁻¹ with I and one long way
    here = 1 if node.structure.strict or node.structure.hop else 0
    return min(_MOST, max(here, sum(parts))) if isinstance(node, Product) else max(here, *parts, 0)
