"""The wording of refusals: the innermost culprit, why it has no sweeps, and the nearest formula that has."""

from __future__ import annotations

from operator_algebra.expressions.nodes import Expr, Inverse, Symbol
from operator_algebra.markup import cut
from operator_algebra.operators import leaf


def not_local(symbol: Symbol) -> str:
    """An operator that couples bodies which are not parent and child."""
    return (
        f"cannot lower {symbol}: it is declared {symbol.structure}, so it may join bodies that are not parent and "
        f'child (not tree-local). Declare structure="diagonal" or "inward hop" if it has that pattern, or use evaluate.'
    )


def strict_inverse(e: Inverse) -> str:
    """The inverse of a one-way operator without diagonal blocks."""
    body = e.body
    return (
        f"cannot lower {e}: {body} is strictly {body.structure.flow}, so no body has a pivot and the inverse "
        f"does not exist. {_repair(body)}"
    )


def _repair(body: Expr) -> str:
    """The nearest operator that has an inverse."""
    if isinstance(body, Symbol) and body.leaf != leaf.E_phi and body.definition is None:
        return f"Did you mean (I − {body})⁻¹?"
    return "Did you mean φ⁻¹ = I − E_φ?"


def zero_determinant(e: Expr, part: Expr) -> str:
    """The log-determinant of what contains a strict operator, or has low rank and no other part."""
    flow = part.structure.flow
    if e is part and flow not in ("zero", "inward", "outward"):
        why = "all of it cancels"
    elif flow == "zero" and e is not part:
        why = "all of it passes a space of no body, so it has low rank"
    else:
        why = f"{part} is {'zero' if flow == 'zero' else f'strictly {flow}'}"
    return f"cannot lower logdet({e}): {why}, its determinant is zero and has no logarithm."


def open_hops(e: Expr) -> str:
    """A block-diagonal product whose hops are not of the form hop · local · adjoint hop."""
    return (
        f"cannot lower {e} as a block-diagonal operator: its hops do not close "
        "(a hop inward must be followed by local factors and one hop outward, as in E X E*)."
    )


def low_rank_inverse(e: Expr) -> str:
    """The inverse of an operator that passes a space of no body and has no other part."""
    return (
        f"cannot lower {e}: all that it inverts passes a space of no body, so it has low rank and no inverse. "
        "Add what is local on the tree, as in (M + U C V)⁻¹."
    )


def both_ways(name: str) -> str:
    """A recursion that needs its children and its parent at once."""
    return (
        f"{name} runs both ways: its equation reads children and parent, so no sweep can solve it. "
        f"Write it as the inverse of a linear operator, or split it into an inward and an outward fixed point."
    )


def same_body(name: str) -> str:
    """A recursion that needs itself at the same body."""
    return f"{name} depends on itself at the same body: an algebraic equation, not a recursion over the tree."


def nonlinear(name: str) -> str:
    """A vector recursion through a function that is not linear."""
    return f"{name} depends on itself through a local function or an inverse: not a linear recursion."


def not_diagonal_fixpoint(name: str, flow: str) -> str:
    """A fixed point with more than diagonal blocks."""
    return (
        f"cannot lower the fixed point {name}: its value is {flow}, not block-diagonal. "
        "Close its hops, as in E X E*, or wrap the outward form in diag(E* X E)."
    )


def too_coupled(unknowns: int, most: int, inverse: str) -> str:
    """Inverses nested in each other so that one body has to solve for all of their unknowns at once."""
    return (
        f"cannot lower {cut(inverse, 200)}: its nested inverses couple {unknowns:,} unknowns at every body, and the "
        f"pivot would have {unknowns:,}² blocks; up to {most:,} are solved for. Multiply inverses out, or compute it "
        "in parts."
    )


def no_pivot(origin: str) -> str:
    """An elimination whose pivot is zero for every mechanism."""
    return (
        f"cannot lower {origin}: its equation has no local term at any body, so elimination finds no pivot "
        "(the operator is structurally singular)."
    )


def reduced_loop(origin: str) -> str:
    """An inverse that needs a sum over all bodies of its own unknown."""
    return (
        f"cannot lower {origin}: inside the inverse a sum over all bodies is fed back (a low-rank term). "
        "Write the inverse with the bordering (Woodbury) formula."
    )
