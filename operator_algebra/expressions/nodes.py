"""The twelve kinds of node of an operator expression: frozen, shared, compared by identity.

Nodes are made by `build` only; a node with the same content is the same object, so `==` is equality of the written
formula and costs nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, TypeVar, cast
from weakref import WeakValueDictionary

from operator_algebra.errors import InputError
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.local import LocalFunction
from operator_algebra.operators.spaces import UNTYPED, Type
from operator_algebra.operators.structure import Structure

if TYPE_CHECKING:
    from operator_algebra.expressions.build import Scalar

Origin = Literal["model", "input", "bound", "definition"]

E = TypeVar("E", bound="Expr")


def _build():
    """What makes nodes of nodes: it knows the kinds, and not the other way round."""
    from operator_algebra.expressions import build

    return build


class Expr:
    """An operator expression: frozen and hashable, `==` is equality of the written formula.

    `@` composes, `*` scales, `.T` is the adjoint; see `inv`, `root`, `diag`.

    >>> from operator_algebra.symbols import H, phi
    >>> H @ phi
    H φ   force → torque   inward
    """

    __slots__ = ("__weakref__", "_fields", "_structure", "_transpose", "type")

    _interned: ClassVar[WeakValueDictionary[tuple[Any, ...], Expr]] = WeakValueDictionary()
    _lock: ClassVar[threading.Lock] = threading.Lock()

    type: Type
    _fields: tuple[Any, ...]
    _structure: Structure | None
    _transpose: Expr | None

    @classmethod
    def _make(cls: type[E], type_: Type, fields: tuple[Any, ...]) -> E:
        """The one node with this content (the only constructor; called by `build`)."""
        key = (cls, type_, fields)
        with Expr._lock:
            found = Expr._interned.get(key)
            if found is None:
                found = object.__new__(cls)
                set_ = object.__setattr__
                set_(found, "type", type_)
                set_(found, "_fields", fields)
                set_(found, "_structure", None)
                set_(found, "_transpose", None)
                Expr._interned[key] = found
        return found  # pyright: ignore[reportReturnType]

    def __init__(self, *_: object) -> None:
        raise InputError(
            "expressions are built by operators and functions, not by calling a node class. Use @, +, inv, …"
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"expressions are frozen; {name!r} cannot be set. Build a new one, or use substitute().")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("expressions are frozen.")

    @property
    def children(self) -> tuple[Expr, ...]:
        """The direct sub-expressions, left to right."""
        return ()

    @property
    def typed(self) -> bool:
        """False only for I, 0 and what is built of them alone."""
        return self.type != UNTYPED

    @property
    def structure(self) -> Structure:
        """What is known of the block pattern and the sign."""
        if self._structure is None:
            from operator_algebra.expressions.infer import infer

            infer(self)
        found = self._structure
        assert found is not None
        return found

    @property
    def T(self) -> Expr:
        """The adjoint; it maps the duals the other way round."""
        if self._transpose is None:
            from operator_algebra.expressions.adjoint import adjoint

            return adjoint(self)
        return self._transpose

    def symbols(self) -> frozenset[Symbol]:
        """The symbols that the formula mentions, those inside definitions not included."""
        from operator_algebra.expressions.traverse import symbols

        return symbols(self)

    def substitute(self, mapping: Mapping[Expr, Expr]) -> Expr:
        """The formula with sub-expressions replaced, all at once."""
        from operator_algebra.expressions.traverse import substitute

        return substitute(self, mapping)

    def render(self, style: Literal["unicode", "ascii", "latex"] = "unicode") -> str:
        """The formula as text; `parse` reads unicode and ascii back."""
        from operator_algebra.expressions.render import render

        return render(self, style)

    def __matmul__(self, other: object) -> Expr:
        return _build().matmul(self, other)

    def __rmatmul__(self, other: object) -> Expr:
        return _build().matmul(other, self)

    def __add__(self, other: object) -> Expr:
        return _build().add(self, other)

    def __radd__(self, other: object) -> Expr:
        return _build().add(other, self)

    def __sub__(self, other: object) -> Expr:
        return _build().subtract(self, other)

    def __rsub__(self, other: object) -> Expr:
        return _build().subtract(other, self)

    def __neg__(self) -> Expr:
        return _build().scale(-1, self)

    def __pos__(self) -> Expr:
        return self

    def __mul__(self, other: Scalar) -> Expr:
        return _build().multiply(self, other)

    def __rmul__(self, other: Scalar) -> Expr:
        return _build().multiply(other, self)

    def __truediv__(self, other: Scalar) -> Expr:
        return _build().divide(self, other)

    def __rtruediv__(self, other: object) -> NoReturn:
        raise InputError("nothing is divided by an operator. Write inv(X).")

    def __pow__(self, other: object) -> NoReturn:
        raise InputError(
            "powers of operators are not written with **. Use inv(X) for the inverse and X @ X for a square."
        )

    def __bool__(self) -> NoReturn:
        raise InputError("an expression has no truth value. Compare formulas with ==, claims with Identity and check.")

    __array_ufunc__ = None  # numpy arrays leave @ and * to us

    def __getattr__(self, name: str) -> NoReturn:
        if name == "H":
            raise AttributeError("the adjoint of an expression is .T (H is the joint map).")
        if name == "I":
            raise AttributeError("the inverse of an expression is inv(...).")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        from operator_algebra.expressions.summary import one_line

        return one_line(self)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from operator_algebra.expressions.summary import html

        return html(self)

    def _repr_latex_(self) -> str:
        return f"${self.render('latex')}$"

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: object) -> Expr:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from operator_algebra.expressions.traverse import from_records, to_records

        return from_records, (to_records(self),)


class Symbol(Expr):
    """A named operator: a leaf of the model, an input, a bound variable, or a name for a formula."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return self._fields[0]

    @property
    def origin(self) -> Origin:
        return self._fields[1]

    @property
    def declared(self) -> Structure | None:
        """The structure that was declared; None for a definition, whose structure is inferred."""
        found: Structure | Leaf | None = self._fields[2]
        return found.structure if isinstance(found, Leaf) else found

    @property
    def leaf(self) -> Leaf | None:
        """The record of a leaf of the model; None for every other symbol."""
        found = self._fields[2]
        return found if isinstance(found, Leaf) else None

    @property
    def definition(self) -> Expr | None:
        return self._fields[3]

    @property
    def cites(self) -> str:
        return "" if self.origin == "bound" else self._fields[4]

    @property
    def domain(self) -> tuple[str, ...]:
        """On which mechanisms a definition means what its name says, in words; on others it is not evaluated."""
        return self._fields[5] if self.origin == "definition" else ()


class One(Expr):
    """The operator I: polymorphic until it meets a typed neighbour."""

    __slots__ = ()


class Zero(Expr):
    """The operator 0."""

    __slots__ = ()


class _Nary(Expr):
    __slots__ = ()

    @property
    def children(self) -> tuple[Expr, ...]:
        return self._fields


class Sum(_Nary):
    """Two or more terms."""

    __slots__ = ()


class Product(_Nary):
    """Two or more factors; the rightmost acts first."""

    __slots__ = ()


class Scale(Expr):
    """A rational multiple, or the multiple by an expression one → one."""

    __slots__ = ()

    @property
    def factor(self) -> Fraction | Expr:
        return self._fields[0]

    @property
    def body(self) -> Expr:
        return self._fields[1]

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.body,) if isinstance(self.factor, Fraction) else (self.factor, self.body)


class _Unary(Expr):
    __slots__ = ()

    @property
    def body(self) -> Expr:
        return self._fields[0]

    @property
    def children(self) -> tuple[Expr, ...]:
        return self._fields


class Transpose(_Unary):
    """The adjoint of a symbol, a root, a fixed point or a local function; others push it inside."""

    __slots__ = ()


class Inverse(_Unary):
    """The inverse of an operator whose rows and columns have equal block sizes."""

    __slots__ = ()


class Root(_Unary):
    """The block Cholesky factor of a block-diagonal definite operator: root(D) root(D)* = D."""

    __slots__ = ()


class Diag(_Unary):
    """The block-diagonal part."""

    __slots__ = ()


class Fixpoint(Expr):
    """The X with X = f(X), f causal over the tree; `variable` stands for X in `body`."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return self._fields[0]

    @property
    def variable(self) -> Symbol:
        return self._fields[1]

    @property
    def body(self) -> Expr:
        return self._fields[2]

    @property
    def cites(self) -> str:
        return self._fields[3]

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.body,)


class Local(Expr):
    """A block-diagonal operator made of vectors and nothing else, such as cross(V)."""

    __slots__ = ()

    @property
    def function(self) -> LocalFunction:
        return self._fields[0]

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def children(self) -> tuple[Expr, ...]:
        return self._fields[1]


Node = Symbol | One | Zero | Sum | Product | Scale | Transpose | Inverse | Root | Diag | Fixpoint | Local
"""Every kind of node there is: a match over them ends in `assert_never`, so that what forgets one is named."""


def of_a_kind(e: Expr) -> Node:
    """The same expression, as one of the kinds that a match goes through."""
    return cast("Node", e)
