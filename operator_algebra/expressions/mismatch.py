"""The wording of ill-typed formulas: what clashes, the innermost place, and a repair that types."""

from __future__ import annotations

from operator_algebra.expressions.nodes import Expr, Product
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, Type

_BETWEEN: dict[Type, tuple[str, ...]] = {MOTION >> FORCE: ("M", "P"), RATE >> TORQUE: ("D",)}


def composition(a: Expr, b: Expr) -> str:
    """Why a b is not a product."""
    left = a.children[-1] if isinstance(a, Product) else a
    right = b.children[0] if isinstance(b, Product) else b
    lines = [f"cannot compose {left} with {right}"]
    if left is not a or right is not b:
        text = _wrapped(a)
        start = len(text) - len(_wrapped(left))
        whole = f"{text} {_wrapped(b)}"
        length = len(_wrapped(left)) + 1 + len(_wrapped(right))
        if len(whole) <= 92:
            lines += [f"    {whole}", " " * (4 + start) + "^" * length]
    else:
        lines[0] += "."
    lines.append(f"  {right} : {right.type} delivers {right.type.codomain};  {left} : {left.type} takes {left.type.domain}.")
    repair = _repair(left, right)
    if repair:
        lines.append(f"  {repair}")
    return "\n".join(lines)


def _wrapped(e: Expr) -> str:
    from operator_algebra.expressions.nodes import Sum

    return f"({e})" if isinstance(e, Sum) else str(e)


def _repair(left: Expr, right: Expr) -> str:
    needed = right.type.codomain >> left.type.domain
    between = _BETWEEN.get(needed, ())
    hint = ""
    if between:
        names = " or ".join(between)
        hint = f"A map {needed} belongs between them: {names}. "
    if left.T is right and between:
        return f"{hint}Did you mean {_wrapped(left)} {between[0]} {_wrapped(right)}?"
    if left.type.codomain.dual == right.type.codomain and not left.structure.symmetric:
        return f"{hint}Did you mean {_wrapped(left.T)} {_wrapped(right)}?"
    if left.type.domain == right.type.domain.dual and not right.structure.symmetric:
        return f"{hint}Did you mean {_wrapped(left)} {_wrapped(right.T)}?"
    if between:
        return f"{hint}Did you mean {_wrapped(left)} {between[0]} {_wrapped(right)}?"
    return ""


def addition(a: Expr, b: Expr) -> str:
    """Why a + b is not a sum."""
    if not a.typed or not b.typed:
        typed, other = (a, b) if a.typed else (b, a)
        return (
            f"cannot add {other} and {typed} ({typed.type}): I maps a space to itself, "
            f"{typed} maps {typed.type.domain} to {typed.type.codomain}."
        )
    domains, codomains = a.type.domain != b.type.domain, a.type.codomain != b.type.codomain
    verb = "take and deliver" if domains and codomains else "take" if domains else "deliver"
    repair = ""
    if a.type == b.type.T:
        repair = f" Did you mean {_wrapped(a)} + {_wrapped(b.T)}?"
    return f"cannot add {a} ({a.type}) and {b} ({b.type}): they {verb} different spaces.{repair}"


def identity_between(type_: Type) -> str:
    """Why I has no such type."""
    return f"I cannot be {type_}: it maps a space to itself. A map {type_.domain} → {type_.codomain} has to be named."


def inverse(e: Expr) -> str:
    """Why e has no inverse."""
    return (
        f"cannot invert {e} ({e.type}): rows and columns have different block sizes. "
        f"A generalised inverse is written out, for example A* (A A*)⁻¹."
    )


def star(a: Expr, b: Expr) -> str:
    """Why A * B is not written."""
    return (
        f"{a} * {b} multiplies two operators: * is for numbers. "
        f"Write {a} @ {b} for the product, or {a}.T @ {b} if the star was meant as the adjoint."
    )
