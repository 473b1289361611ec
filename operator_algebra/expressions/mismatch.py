"""The wording of ill-typed formulas: what clashes, the innermost place, and a repair that types."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from operator_algebra.expressions.nodes import Expr, Inverse, Product, Sum
from operator_algebra.expressions.render import brief
from operator_algebra.markup import width
from operator_algebra.operators import leaf
from operator_algebra.operators.spaces import RATE, TORQUE, Type

_BETWEEN: dict[Type, tuple[str, ...]] = {leaf.M.type: (leaf.M.name, "P"), RATE >> TORQUE: ("D",)}
_COLUMNS = 92
_WIDEST = 40


def short(e: Expr) -> str:
    """A formula as it stands in a message."""
    return brief(e, _WIDEST)


def _wrapped(e: Expr) -> str:
    return f"({short(e)})" if isinstance(e, Sum) else short(e)


def factors_of(e: Expr) -> tuple[Expr, ...]:
    """The factors of a product; of anything else, itself."""
    return e.children if isinstance(e, Product) else (e,)


def composition(before: Sequence[Expr], after: Sequence[Expr]) -> str:
    """Why the factors before and after a place are not a product: what the right one delivers, the left one refuses."""
    left, right = before[-1], after[0]
    lines = [f"cannot compose {short(left)} with {short(right)}"]
    if len(before) + len(after) > 2:
        lines += _excerpt(before, after)
    else:
        lines[0] += "."
    types = (
        f"  {short(right)} : {right.type} delivers {right.type.codomain};"
        f"  {short(left)} : {left.type} takes {left.type.domain}."
    )
    repair = _repair(before, after)
    if repair and width(types) + width(repair) < _COLUMNS and repair.startswith("Did"):
        return "\n".join([*lines, f"{types}  {repair}"])
    return "\n".join([*lines, types, *([f"  {repair}"] if repair else [])])


def _excerpt(before: Sequence[Expr], after: Sequence[Expr]) -> list[str]:
    """The product around the place, with the two factors that clash underlined."""
    left, right = _wrapped(before[-1]), _wrapped(after[0])
    text = f"{left} {right}"
    start, length = 0, width(text)
    for factor in reversed(before[:-1]):
        word = _wrapped(factor)
        if width(text) + width(word) > _COLUMNS // 2 + length:
            word, text = "", f"… {text}"
            start += 2
            break
        text, start = f"{word} {text}", start + width(word) + 1
    for factor in after[1:]:
        word = _wrapped(factor)
        if width(text) + width(word) > _COLUMNS:
            text += " …"
            break
        text = f"{text} {word}"
    return [f"    {text}", " " * (4 + start) + "^" * length]


def _types(factors: Sequence[Expr]) -> bool:
    return all(not (a.typed and b.typed) or a.type.domain == b.type.codomain for a, b in pairwise(factors))


def _repair(before: Sequence[Expr], after: Sequence[Expr]) -> str:
    """The first small change with which the whole product types: a star, an inverse undone, a map put between."""
    left, right = before[-1], after[0]
    needed = right.type.codomain >> left.type.domain
    between = _BETWEEN.get(needed, ())
    fits = _types(before) and _types(after)
    insertion = ""
    if between and not isinstance(left, Inverse) and not isinstance(right, Inverse):
        insertion = f"A map {needed} belongs between them: {' or '.join(between)}."
        if fits:
            insertion += f" Did you mean {_wrapped(left)} {between[0]} {_wrapped(right)}?"
    if insertion and left.T is right:
        return insertion
    undone = [(left.body, right)] if isinstance(left, Inverse) else []
    undone += [(left, right.body)] if isinstance(right, Inverse) else []
    for one, other in [(left.T, right), (left, right.T), *undone]:
        changed = one is not left or other is not right
        if changed and _types([*before[:-1], one, other, *after[1:]]):
            return f"Did you mean {_wrapped(one)} {_wrapped(other)}?"
    return insertion


def addition(a: Expr, b: Expr) -> str:
    """Why a + b is not a sum."""
    if not a.typed or not b.typed:
        typed, other = (a, b) if a.typed else (b, a)
        return (
            f"cannot add {short(other)} and {short(typed)} ({typed.type}): I maps a space to itself, "
            f"{short(typed)} maps {typed.type.domain} to {typed.type.codomain}."
        )
    domains, codomains = a.type.domain != b.type.domain, a.type.codomain != b.type.codomain
    verb = "take and deliver" if domains and codomains else "take" if domains else "deliver"
    repair = f" Did you mean {_wrapped(a)} + {_wrapped(b.T)}?" if a.type == b.type.T and a is not b.T else ""
    return f"cannot add {short(a)} ({a.type}) and {short(b)} ({b.type}): they {verb} different spaces.{repair}"


def equation(lhs: Expr, rhs: Expr) -> str:
    """Why lhs = rhs is not a claim."""
    return (
        f"cannot equate {short(lhs)} ({lhs.type}) with {short(rhs)} ({rhs.type}): they map different spaces. "
        "Compose one side with the operator that is missing."
    )


def identity_between(type_: Type) -> str:
    """Why I has no such type."""
    return f"I cannot be {type_}: it maps a space to itself. A map {type_.domain} → {type_.codomain} has to be named."


def inverse(e: Expr) -> str:
    """Why e has no inverse."""
    return (
        f"cannot invert {short(e)} ({e.type}): rows and columns have different block sizes. "
        f"A generalised inverse is written out, for example A* (A A*)⁻¹."
    )


def star(a: Expr, b: Expr) -> str:
    """Why A * B is not written."""
    left, right = factors_of(a)[-1], factors_of(b)[0]
    one, other = (brief(e, _WIDEST, "ascii") for e in (left, right))
    one, other = (text if text.isidentifier() else f"({text})" for text in (one, other))
    return (
        f"{_wrapped(left)} * {_wrapped(right)} multiplies two operators: * is for numbers. "
        f"Write {one} @ {other} for the product, or {one}.T @ {other} if the star was meant as the adjoint."
    )
