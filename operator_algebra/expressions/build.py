"""Smart constructors, with those of `ring` the only makers of nodes: inverses, roots, names, fixed points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

from operator_algebra.arguments import choice, instance, items, quoted, shown, word
from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions import mismatch
from operator_algebra.expressions.fixpoints import close_fixpoint as close_fixpoint
from operator_algebra.expressions.fixpoints import solve
from operator_algebra.expressions.formulas import formula, spoken
from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Inverse,
    Local,
    One,
    Root,
    Scale,
    Symbol,
    Zero,
)
from operator_algebra.expressions.ring import Scalar as Scalar
from operator_algebra.expressions.ring import add as add
from operator_algebra.expressions.ring import divide as divide
from operator_algebra.expressions.ring import matmul as matmul
from operator_algebra.expressions.ring import multiple, operand, peel
from operator_algebra.expressions.ring import multiply as multiply
from operator_algebra.expressions.ring import one as one
from operator_algebra.expressions.ring import rational as rational
from operator_algebra.expressions.ring import retype as retype
from operator_algebra.expressions.ring import scale as scale
from operator_algebra.expressions.ring import subtract as subtract
from operator_algebra.expressions.ring import zero as zero
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.local import LOCAL_FUNCTIONS, LocalFunction, local_function
from operator_algebra.operators.spaces import ONE, UNTYPED, Space, Type, white
from operator_algebra.operators.structure import Structure


def inv(e: Expr | str) -> Expr:
    """The inverse; rows and columns must have equal block sizes, body by body.

    >>> from operator_algebra.symbols import E_phi, I
    >>> inv(I - E_phi)
    (I − E_φ)⁻¹   force → force   inward, unit diagonal
    """
    e = operand(spoken(e), "invert")
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


def root(e: Expr | str) -> Expr:
    """Block Cholesky factor L of a block-diagonal definite D: L L* = D.

    >>> root("D")
    root(D)   white → torque   block-diagonal
    """
    e = operand(spoken(e), "take the root of")
    if not e.typed:
        return e if isinstance(e, One) else _untyped("root", e)
    if e.type != e.type.T:
        raise SpaceMismatch(
            f"cannot take the root of {mismatch.short(e)} ({e.type}): it must map a space to its dual, as D does."
        )
    if e.structure.flow not in ("diagonal", "zero"):
        raise SpaceMismatch(
            f"cannot take the root of {mismatch.short(e)}: it is {e.structure.flow}, not block-diagonal. "
            "Factor it first, for example M(q) = (I + H φ K) D (I + H φ K)* and root(D)."
        )
    return Root._make(white(e.type.codomain) >> e.type.codomain, (e,))  # pyright: ignore[reportPrivateUsage]


def _untyped(what: str, e: Expr) -> Expr:
    raise SpaceMismatch(
        f"cannot take the {what} of {mismatch.short(e)}: its spaces are not known yet. Put it beside a typed operator."
    )


def diag(e: Expr | str) -> Expr:
    """The block-diagonal part.

    >>> diag("phi M phi'")
    diag(φ M φ*)   motion → force   block-diagonal, symmetric, definite
    """
    e = operand(spoken(e), "take the diagonal of")
    if not e.typed:
        return e if isinstance(e, One | Zero) else _untyped("block diagonal", e)
    if not (e.type.domain.attached and e.type.codomain.attached):
        raise SpaceMismatch(
            f"diag({mismatch.short(e)}): {e.type} has no block per body on both sides. Use trace, or a product."
        )
    if isinstance(e, Diag | Zero) or e.structure.flow == "diagonal":
        return e
    if isinstance(e, Scale):
        scalars, body = peel(e)
        return multiple(scalars, diag(body))
    return Diag._make(e.type, (e,))  # pyright: ignore[reportPrivateUsage]


def local(function: LocalFunction | str, *arguments: Expr) -> Expr:
    """A block-diagonal operator made of vectors and nothing else, such as cross(V), by its record or its word."""
    function = local_function(function) if isinstance(function, str) else function
    name = function.name
    if len(arguments) != len(function.arguments):
        wanted = "one vector" if len(function.arguments) == 1 else f"{len(function.arguments)} vectors"
        raise InputError(f"{name} takes {wanted}; {len(arguments)} were given.")
    typed: list[Expr] = []
    for argument, space in zip(arguments, function.arguments, strict=True):
        vector = operand(argument, f"apply {name} to")
        vector = retype(vector, ONE >> space) if isinstance(vector, Zero) else vector
        if vector.type != ONE >> space:
            raise SpaceMismatch(
                f"{name} takes a vector of {space} ({ONE >> space}); {mismatch.short(vector)} is {vector.type}."
            )
        typed.append(vector)
    if not (function.linear and len(typed) == 1):
        return Local._make(function.result, (function, tuple(typed)))  # pyright: ignore[reportPrivateUsage]
    scalars, body = peel(typed[0])
    if isinstance(body, Zero):
        return zero(function.result)
    return multiple(scalars, Local._make(function.result, (function, (body,))))  # pyright: ignore[reportPrivateUsage]


QUESTIONS = ("trace", "logdet", "block", "dense")
RESERVED = frozenset({"I", "inv", "root", "diag", *QUESTIONS, *LOCAL_FUNCTIONS})
"""Words of the language, which name nothing else."""


TAKEN = frozenset(
    {"ax", "dark", "errors", "frame", "labels", "limit", "model", "numbering", "out", "parameters", "q", "redundant"}
)
"""Arguments of the calls that take inputs by name, which no input can be called."""


def _named(name: str) -> str:
    word(name, "the name of an operator")
    if name in RESERVED:
        raise InputError(f"{shown(name)} is a word of the language and cannot name an operator. Choose another name.")
    if not (name.isidentifier() and name.isascii()):
        raise InputError(f"{shown(name)} cannot name an operator. Use ASCII letters, digits and _, such as 'tau_bar'.")
    return name


def leaf_symbol(leaf: Leaf) -> Symbol:
    """The symbol of a leaf of the model."""
    _checked(leaf.name, leaf.type, leaf.structure)
    return Symbol._make(leaf.type, (_named(leaf.name), "model", leaf, None, ""))  # pyright: ignore[reportPrivateUsage]


def symbol(name: str, type_: Type, structure: Structure, origin: Literal["input", "bound"]) -> Symbol:
    """A symbol without a definition, whose value does not come from the model."""
    _named(name)
    if origin == "input" and name in TAKEN:
        raise InputError(
            f"{quoted(name)} cannot name an input: it is an argument of the calls that take inputs by name. "
            f"Choose another name, such as {quoted(name + '_in')}."
        )
    instance(type_, f"the type of {quoted(name)}", Type, "Write oa.MOTION >> oa.FORCE, or the like.")
    if type_ == UNTYPED:
        raise InputError(f"the operator {shown(name)} needs a type such as MOTION >> FORCE.")
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


def operator(name: str, type: Type, *, structure: str | Structure = "full") -> Symbol:
    """An input operator; its declared structure is verified when a value is bound.

    >>> from operator_algebra.operators.spaces import RATE, TORQUE
    >>> operator("J", RATE >> TORQUE, structure="diagonal definite")
    J   rate → torque   block-diagonal, symmetric, definite
    """
    declared = structure if isinstance(structure, Structure) else Structure.of(structure)
    return symbol(name, type, declared, "input")


def vector(name: str, space: Space) -> Symbol:
    """An input vector: an operator one → space.

    >>> from operator_algebra.operators.spaces import FORCE
    >>> vector("f", FORCE)
    f   one → force   column
    """
    instance(space, f"the space of {quoted(name)}", Space, "Give a space, such as oa.RATE.")
    return symbol(name, ONE >> space, Structure("full"), "input")


def scalar(name: str) -> Symbol:
    """An input number, one → one: a time step, a stiffness.

    >>> scalar("h")
    h   one → one   small, symmetric
    """
    return symbol(name, ONE >> ONE, Structure.make("full", ("symmetric",)), "input")


CONSTANT_MAPS = "constant joint maps"
"""The word of domains that says of joint maps that they do not depend on q."""


def define(name: str, e: Expr | str, *, cites: str = "", domain: Sequence[str] = ()) -> Symbol:
    """An ASCII name for a formula; the name prints, the formula is what is evaluated and lowered.

    `domain` may hold "constant joint maps": then mechanisms with other joints are refused.

    >>> define("factor", "I + H phi K")
    factor   torque → torque   inward, unit diagonal   = I + H φ K
    """
    e, cites = formula(e, "define"), word(cites, "cites")
    if not e.typed:
        raise InputError(
            f"{name} = {mismatch.short(e)}: the spaces of the formula are not known. Put it beside a typed operator."
        )
    words = tuple(choice(one, "a word of the domain", (CONSTANT_MAPS,)) for one in items(domain, "domain", "words"))
    fields = (_named(name), "definition", None, e, cites, words)
    return Symbol._make(e.type, fields)  # pyright: ignore[reportPrivateUsage]


def fixpoint(name: str, type: Type, f: Callable[[Expr], Expr], *, cites: str = "") -> Expr:
    """The X with X = f(X), f causal over the tree: each X in f stands under one shift of one direction.

    >>> from operator_algebra.operators.spaces import FORCE, MOTION
    >>> from operator_algebra.symbols import E_phi, M
    >>> fixpoint("R", MOTION >> FORCE, lambda R: M + E_phi @ R @ E_phi.T)
    R   motion → force   block-diagonal, symmetric, definite   = M + E_φ R E_φ*
    """
    instance(type, "the type of a fixed point", Type, "Write oa.MOTION >> oa.FORCE, or the like.")
    if not callable(f):
        raise InputError(f"the equation of a fixed point is {shown(f)}. Give a function, such as lambda X: M + E @ X.")
    return solve(_named(name), type, f, word(cites, "cites"))
