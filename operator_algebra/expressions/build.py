"""Smart constructors: the only makers of nodes. They check spaces, flatten sums and products, and type I and 0."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from fractions import Fraction

from operator_algebra.errors import InputError, SpaceMismatch, TheoryError
from operator_algebra.expressions import mismatch
from operator_algebra.expressions.local import local_function
from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Fixpoint,
    Inverse,
    Local,
    One,
    Origin,
    Product,
    Root,
    Scale,
    Sum,
    Symbol,
    Zero,
)
from operator_algebra.operators.spaces import ONE, UNTYPED, Space, Type, white
from operator_algebra.operators.structure import Structure, is_within

Scalar = int | float | Fraction | Expr


def one(type_: Type = UNTYPED) -> Expr:
    """The operator I, of a type if its place is known."""
    if type_ != UNTYPED and not type_.square:
        raise SpaceMismatch(mismatch.identity_between(type_))
    return One._make(type_, ())  # pyright: ignore[reportPrivateUsage]


def zero(type_: Type = UNTYPED) -> Expr:
    """The operator 0, of a type if its place is known."""
    return Zero._make(type_, ())  # pyright: ignore[reportPrivateUsage]


def retype(e: Expr, type_: Type) -> Expr:
    """Give an untyped expression (made of I and 0 alone) the type of its place."""
    if e.typed or type_ == UNTYPED:
        return e
    from operator_algebra.expressions.traverse import fold, rebuild

    def combine(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if isinstance(node, One):
            return one(type_)
        if isinstance(node, Zero):
            return zero(type_)
        return rebuild(node, parts)

    return fold(e, combine)


def _operand(value: object, what: str) -> Expr:
    if isinstance(value, Expr):
        return value
    if isinstance(value, int | float | Fraction) and value == 0:
        return zero()
    if isinstance(value, numbers.Number):
        raise InputError(f"cannot {what} the bare number {value} and an operator. Write {value} * I for a multiple of I.")
    raise InputError(
        f"cannot {what} an operator and a {type(value).__name__}. Bind arrays by name: oa.operator(...) or oa.vector(...)."
    )


def matmul(*factors: object) -> Expr:
    """The product; the rightmost factor acts first.

    Scalars move to the front, I and 0 are absorbed, nested products are flattened.
    """
    result: Expr | None = None
    for factor in factors:
        operand = _operand(factor, "compose")
        result = operand if result is None else _matmul2(result, operand)
    if result is None:
        raise InputError("a product needs at least one factor.")
    return result


def _matmul2(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Scale):
        return multiply(a.factor, _matmul2(a.body, b))
    if isinstance(b, Scale):
        return multiply(b.factor, _matmul2(a, b.body))
    if a.typed and b.typed and a.type.domain != b.type.codomain:
        if b.type == ONE >> ONE and a.type.domain == ONE:
            return multiply(b, a)
        raise SpaceMismatch(mismatch.composition(a, b))
    if isinstance(a, Zero) or isinstance(b, Zero):
        return zero(Type(b.type.domain, a.type.codomain)) if a.typed and b.typed else zero()
    if not a.typed and b.typed:
        a = retype(a, b.type.codomain >> b.type.codomain)
    elif not b.typed and a.typed:
        b = retype(b, a.type.domain >> a.type.domain)
    if isinstance(a, One):
        return b
    if isinstance(b, One):
        return a
    if b.type == ONE >> ONE and a.type != ONE >> ONE:
        return multiply(b, a)
    if a.type == ONE >> ONE:
        return multiply(a, b)
    left = a.children if isinstance(a, Product) else (a,)
    right = b.children if isinstance(b, Product) else (b,)
    type_ = Type(b.type.domain, a.type.codomain) if a.typed else UNTYPED
    return Product._make(type_, left + right)  # pyright: ignore[reportPrivateUsage]


def add(*terms: object) -> Expr:
    """The sum; I and 0 take the type of their neighbours, nested sums are flattened."""
    flat: list[Expr] = []
    for term in terms:
        operand = _operand(term, "add")
        flat.extend(operand.children if isinstance(operand, Sum) else (operand,))
    typed = next((term for term in flat if term.typed), None)
    if typed is not None:
        for term in flat:
            if term.typed and term.type != typed.type:
                raise SpaceMismatch(mismatch.addition(typed, term))
            if not term.typed and not isinstance(term, Zero) and not typed.type.square:
                raise SpaceMismatch(mismatch.addition(typed, term))
        flat = [retype(term, typed.type) for term in flat]
    kept = [term for term in flat if not isinstance(term, Zero)]
    if not kept:
        return flat[0] if flat else zero()
    if len(kept) == 1:
        return kept[0]
    return Sum._make(kept[0].type, tuple(kept))  # pyright: ignore[reportPrivateUsage]


def subtract(a: object, b: object) -> Expr:
    """a − b."""
    left, right = _operand(a, "subtract"), _operand(b, "subtract")
    return add(left, scale(-1, right))


def rational(value: object) -> Fraction:
    """An exact rational from a number; 0.1 is read as 1/10."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(f"{value!r} cannot scale an operator. Use a real number or an expression one → one (oa.scalar).")
    if isinstance(value, numbers.Integral):
        return Fraction(int(value))
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{number} cannot scale an operator: it is not finite.")
    return Fraction(repr(number))


def scale(factor: object, e: Expr) -> Expr:
    """A rational multiple of an expression."""
    c = rational(factor)
    if c == 0:
        return zero(e.type)
    if isinstance(e, Scale) and isinstance(e.factor, Fraction):
        c, e = c * e.factor, e.body
    if c == 1 or isinstance(e, Zero):
        return e
    return Scale._make(e.type, (c, e))  # pyright: ignore[reportPrivateUsage]


def multiply(a: object, b: object) -> Expr:
    """The multiple of an operator by a number or by an expression one → one; never a product of operators."""
    if not isinstance(b, Expr):
        a, b = b, a
    if not isinstance(b, Expr):
        raise InputError("a multiple needs an expression.")
    if not isinstance(a, Expr):
        return scale(a, b)
    scalar_type = ONE >> ONE
    if a.type != scalar_type:
        a, b = b, a
    if a.type != scalar_type:
        raise InputError(mismatch.star(b, a))
    if isinstance(a, Scale) and isinstance(a.factor, Fraction):
        return scale(a.factor, multiply(a.body, b))
    if isinstance(a, One):
        return b
    if isinstance(a, Zero):
        return zero(b.type)
    if isinstance(b, One) and b.type == scalar_type:
        return a
    if isinstance(b, Scale) and isinstance(b.factor, Fraction):
        return scale(b.factor, multiply(a, b.body))
    if isinstance(b, Zero):
        return b
    return Scale._make(b.type, (a, b))  # pyright: ignore[reportPrivateUsage]


def divide(e: Expr, number: object) -> Expr:
    """e / c for a number c."""
    if isinstance(number, Expr):
        raise InputError("operators are not divided. Write inv(X) @ Y, or inv(s) * Y for a scalar s.")
    c = rational(number)
    if c == 0:
        raise InputError(f"cannot divide {e} by zero.")
    return scale(1 / c, e)


def inv(e: Expr) -> Expr:
    """The inverse; rows and columns must have equal block sizes, body by body.

    >>> from operator_algebra.symbols import E_phi, I
    >>> inv(I - E_phi)
    (I − E_φ)⁻¹   force → force   inward, unit diagonal
    """
    e = _operand(e, "invert")
    if isinstance(e, Scale) and isinstance(e.factor, Fraction):
        return scale(1 / e.factor, inv(e.body))
    if isinstance(e, Inverse):
        return e.body
    if isinstance(e, One):
        return e
    if e.typed and not e.type.same_sizes:
        raise SpaceMismatch(mismatch.inverse(e))
    if isinstance(e, Zero):
        raise SpaceMismatch("cannot invert 0: the zero operator has no inverse.")
    type_ = Type(e.type.codomain, e.type.domain) if e.typed else UNTYPED
    return Inverse._make(type_, (e,))  # pyright: ignore[reportPrivateUsage]


def root(e: Expr) -> Expr:
    """The block Cholesky factor: root(D) root(D)* = D for a block-diagonal definite D."""
    e = _operand(e, "take the root of")
    if not e.typed:
        return e if isinstance(e, One) else _untyped("root", e)
    if e.type != e.type.T:
        raise SpaceMismatch(f"cannot take the root of {e} ({e.type}): it must map a space to its dual, as D does.")
    if e.structure.flow not in ("diagonal", "zero"):
        raise SpaceMismatch(
            f"cannot take the root of {e}: it is {e.structure.flow}, not block-diagonal. "
            "Factor it first, for example M(q) = (I + H φ K) D (I + H φ K)* and root(D)."
        )
    return Root._make(white(e.type.codomain) >> e.type.codomain, (e,))  # pyright: ignore[reportPrivateUsage]


def _untyped(what: str, e: Expr) -> Expr:
    raise SpaceMismatch(f"cannot take the {what} of {e}: its spaces are not known yet. Put it beside a typed operator.")


def diag(e: Expr) -> Expr:
    """The block-diagonal part."""
    e = _operand(e, "take the diagonal of")
    if not e.typed:
        return e if isinstance(e, One | Zero) else _untyped("block diagonal", e)
    if not (e.type.domain.attached and e.type.codomain.attached):
        raise SpaceMismatch(f"diag({e}): {e.type} has no block per body on both sides. Use trace, or a product.")
    if isinstance(e, Diag | Zero) or e.structure.flow == "diagonal":
        return e
    if isinstance(e, Scale):
        return multiply(e.factor, diag(e.body))
    return Diag._make(e.type, (e,))  # pyright: ignore[reportPrivateUsage]


def local(name: str, *arguments: Expr) -> Expr:
    """A block-diagonal operator made of vectors and nothing else: local("cross", V)."""
    function = local_function(name)
    if len(arguments) != len(function.arguments):
        raise InputError(f"{name} takes {len(function.arguments)} vectors; {len(arguments)} were given.")
    typed: list[Expr] = []
    for argument, space in zip(arguments, function.arguments, strict=True):
        wanted = ONE >> space
        argument = retype(_operand(argument, f"apply {name} to"), wanted) if isinstance(argument, Zero) else argument
        if argument.type != wanted:
            raise SpaceMismatch(f"{name} takes a vector of {space} ({wanted}); {argument} is {argument.type}.")
        typed.append(argument)
    if function.linear and len(typed) == 1 and isinstance(typed[0], Zero):
        return zero(function.result)
    if function.linear and len(typed) == 1 and isinstance(typed[0], Scale):
        return multiply(typed[0].factor, local(name, typed[0].body))
    return Local._make(function.result, (name, tuple(typed)))  # pyright: ignore[reportPrivateUsage]


def symbol(name: str, type_: Type, structure: Structure, origin: Origin) -> Symbol:
    """A symbol without a definition."""
    if not name.isidentifier():
        raise InputError(f"{name!r} cannot name an operator. Use letters, digits and _, such as 'J_rotor'.")
    if type_ == UNTYPED:
        raise InputError(f"the operator {name!r} needs a type such as MOTION >> FORCE.")
    return Symbol._make(type_, (name, origin, _checked(name, type_, structure), None, ""))  # pyright: ignore[reportPrivateUsage]


def _checked(name: str, type_: Type, structure: Structure) -> Structure:
    attached = type_.domain.attached and type_.codomain.attached
    if not attached:
        flow = "small" if not type_.codomain.attached and not type_.domain.attached else None
        flow = flow or ("column" if type_.codomain.attached else "row")
        if structure.flow not in ("full", flow):
            raise InputError(f'operator "{name}" ({type_}) cannot be {structure.flow}: it is a {flow}.')
        structure = Structure.make(flow, structure.flags)
    if structure.symmetric and type_ != type_.T:
        raise InputError(f'operator "{name}" ({type_}) cannot be symmetric: it does not map a space to its dual.')
    if structure.unit and not type_.square:
        raise InputError(f'operator "{name}" ({type_}) cannot be unit: it does not map a space to itself.')
    if structure.invertible and not type_.same_sizes:
        raise InputError(f'operator "{name}" ({type_}) cannot be invertible: its blocks are not square.')
    return structure


def operator(name: str, type: Type, *, structure: str | Structure = "full") -> Symbol:  # noqa: A002
    """An input operator; its declared structure is verified when a value is bound.

    >>> from operator_algebra.operators.spaces import RATE, TORQUE
    >>> operator("J", RATE >> TORQUE, structure="diagonal definite")
    J   rate → torque   block-diagonal, symmetric, definite
    """
    declared = structure if isinstance(structure, Structure) else Structure.of(structure)
    return symbol(name, type, declared, "input")


def vector(name: str, space: Space) -> Symbol:
    """An input vector: an operator one → space."""
    return symbol(name, ONE >> space, Structure("full"), "input")


def scalar(name: str) -> Symbol:
    """An input number, one → one: a time step, a stiffness."""
    return symbol(name, ONE >> ONE, Structure.make("full", ("symmetric",)), "input")


def define(name: str, e: Expr, *, cites: str = "") -> Symbol:
    """An ASCII name for a formula; the name prints, the formula is what is evaluated and lowered."""
    if not name.isidentifier():
        raise InputError(f"{name!r} cannot name a formula. Use letters, digits and _, such as 'tau_bar'.")
    if not e.typed:
        raise InputError(f"{name} = {e}: the spaces of the formula are not known. Put it beside a typed operator.")
    return Symbol._make(e.type, (name, "definition", None, e, cites))  # pyright: ignore[reportPrivateUsage]


_GUESSES = ("diagonal symmetric", "diagonal", "inward", "outward", "full")


def fixpoint(name: str, type: Type, f: Callable[[Expr], Expr], *, cites: str = "") -> Expr:  # noqa: A002
    """The X with X = f(X), f causal over the tree: each X in f stands under one shift of one direction.

    >>> from operator_algebra.operators.spaces import FORCE, MOTION
    >>> from operator_algebra.symbols import E_phi, M
    >>> fixpoint("R", MOTION >> FORCE, lambda R: M + E_phi @ R @ E_phi.T)
    R   motion → force   block-diagonal, symmetric   = M + E_φ R E_φ*
    """
    guesses = _GUESSES if type == type.T else _GUESSES[1:]
    if not (type.domain.attached and type.codomain.attached):
        guesses = ("full",)
    for words in guesses:
        variable = symbol(name, type, Structure.of(words), "bound")
        body = retype(_operand(f(variable), "define a fixed point by"), type)
        if body.type != type:
            raise SpaceMismatch(f"fixpoint {name}: X is {type}, but f(X) = {body} is {body.type}. Both must agree.")
        if _consistent(variable, body):
            return close_fixpoint(name, variable, body, cites)
    raise TheoryError(f"fixpoint {name}: the structure of f(X) does not settle. Check its equation.")


def _consistent(variable: Symbol, body: Expr) -> bool:
    """Whether f maps operators of the structure assumed for X to operators of that structure."""
    assumed = variable.structure
    if not variable.type.domain.attached or not variable.type.codomain.attached:
        return True
    if not is_within(body.structure.flow, assumed.flow):
        return False
    if not assumed.symmetric or body.structure.symmetric:
        return True
    from operator_algebra.expressions.normalize import equal

    return equal(body, body.T)


def close_fixpoint(name: str, variable: Symbol, body: Expr, cites: str) -> Expr:
    """A fixed point from its bound variable and body; a body that does not mention X is the answer itself."""
    return Fixpoint._make(body.type, (name, variable, body, cites))  # pyright: ignore[reportPrivateUsage]


