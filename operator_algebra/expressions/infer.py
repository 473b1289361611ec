"""The structure of an expression: one table, node by node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeVar, assert_never

from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Fixpoint,
    Inverse,
    Local,
    One,
    Product,
    Root,
    Scale,
    Sum,
    Symbol,
    Transpose,
    Zero,
    of_a_kind,
)
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.operators.spaces import Type
from operator_algebra.operators.structure import (
    DIAGONAL_UNIT,
    ZERO,
    Flow,
    Structure,
    join_flow,
    multiply_flow,
)


def infer(e: Expr) -> Structure:
    """Infer and remember the structure of every node below e."""
    for node in postorder(e, children_and_definition, until=_known):
        if not _known(node):
            object.__setattr__(node, "_structure", _structure_of(node))
    return e.structure


def _known(node: Expr) -> bool:
    return node._structure is not None  # pyright: ignore[reportPrivateUsage]


def _global_flow(type_: Type) -> Flow | None:
    if not type_.domain.attached:
        return "column" if type_.codomain.attached else "small"
    return None if type_.codomain.attached else "row"


def _structure_of(node: Expr) -> Structure:
    node = of_a_kind(node)
    match node:
        case Symbol():
            if node.definition is not None:
                return node.definition.structure
            assert node.declared is not None
            return node.declared
        case One():
            return DIAGONAL_UNIT if node.type == node.type.T else Structure.make("diagonal", ("unit",))
        case Zero():
            return ZERO
        case Sum():
            return _sum(node)
        case Product():
            return _product(node)
        case Scale():
            return _scale(node)
        case Transpose():
            return node.body.structure.T
        case Inverse():
            return _inverse(node)
        case Root():
            return Structure.make("diagonal", ("invertible",))
        case Diag():
            kept = node.body.structure.flags & {"symmetric", "semidefinite", "definite", "unit", "strict"}
            return Structure.make("diagonal", kept)
        case Fixpoint():
            assert node.variable.declared is not None
            return node.variable.declared
        case Local():
            return Structure("diagonal")
        case _:
            assert_never(node)


def _is_symmetric(node: Expr) -> bool:
    if node.type != node.type.T:
        return False
    if isinstance(node, Sum):
        return Counter(node.children) == Counter(term.T for term in node.children)
    return node.T is node


def _coefficient(term: Expr) -> tuple[Fraction | None, Expr]:
    if isinstance(term, Scale):
        return (term.factor, term.body) if isinstance(term.factor, Fraction) else (None, term.body)
    return Fraction(1), term


def _sum(node: Sum) -> Structure:
    parts = [term.structure for term in node.children]
    flow = _global_flow(node.type)
    flags: set[str] = set()
    if flow is None:
        flow = parts[0].flow
        for part in parts[1:]:
            flow = join_flow(flow, part.flow)
        diagonal = _diagonal_of_sum(node)
        if diagonal == 0:
            flags.add("strict")
            if flow in ("inward", "outward") and all(p.hop or p.flow == "zero" for p in parts):
                flags.add("hop")
        elif diagonal == 1 and flow in ("diagonal", "inward", "outward"):
            flags.add("unit")
        elif diagonal is not None and flow in ("diagonal", "inward", "outward"):
            flags.add("invertible")
    rest = [part.structure for part in _without_conditioned(node.children)]
    if all(part.semidefinite for part in rest):
        flags.add("definite" if any(part.definite for part in rest) else "semidefinite")
    elif _is_symmetric(node):
        flags.add("symmetric")
    return Structure.make(flow, flags)


def _without_conditioned(terms: tuple[Expr, ...]) -> list[Expr]:
    """The terms but pairs S − S A* (A S A* + N)⁻¹ A S with N ≥ 0: what is left of S ≥ 0 given A x is positive, too."""
    left = list(terms)
    for taken in terms:
        c, body = _coefficient(taken)
        if c == -1 and isinstance(body, Product) and (S := body.children[0]) in left and _conditioned(S, body):
            left.remove(taken)
            left.remove(S)
    return left


def _conditioned(S: Expr, taken: Product) -> bool:
    """Whether a product is S A* (A S A* + N)⁻¹ A S, S and N positive."""
    half, odd = divmod(len(taken.children), 2)
    middle = taken.children[half]
    if not (odd and isinstance(middle, Inverse) and _is_symmetric(taken) and S.structure.semidefinite):
        return False
    A, whole = taken.children[half + 1 : -1], middle.body
    while isinstance(whole, Symbol) and whole.definition is not None:
        whole = whole.definition
    terms = whole.children if isinstance(whole, Sum) else (whole,)
    seen = [term for term in terms if isinstance(term, Product) and term.children == (*A, S, *(x.T for x in A[::-1]))]
    return len(seen) == 1 and all(term.structure.semidefinite for term in terms if term is not seen[0])


def _diagonal_of_sum(node: Sum) -> Fraction | None:
    """The multiple of I on the diagonal if all terms are multiples of unit or strict operators."""
    total = Fraction(0)
    for term in node.children:
        factor, body = _coefficient(term)
        if body.structure.strict:
            continue
        if factor is None or not body.structure.unit:
            return None
        total += factor
    return total


S = TypeVar("S", bound="Shaped", covariant=True)


class Shaped(Protocol):
    """Anything of which a structure is known: an expression, a letter of a word."""

    @property
    def structure(self) -> Structure: ...


@dataclass(frozen=True, slots=True)
class Segment(Generic[S]):
    """Neighbouring factors of a product and the pattern that they have together."""

    factors: tuple[S, ...]
    structure: Structure


def segments(factors: Iterable[S]) -> tuple[Segment[S], ...]:
    """The factors of a product, an inward hop with all up to the outward hop that closes it taken as one.

    Hop · local · hop back is block-diagonal, for every body has one parent. What is said of the pattern of a product
    follows from that of its segments, not from that of its factors: in φ E M E* the only segment that is not
    block-diagonal is φ.

    >>> from operator_algebra.symbols import E_phi, M, phi
    >>> [str(segment.structure) for segment in segments((phi, E_phi, M, E_phi.T))]
    ['inward, unit diagonal', 'block-diagonal']
    """
    found: list[Segment[S]] = []
    for factor in factors:
        segment = Segment((factor,), factor.structure)
        if segment.structure.hop and segment.structure.flow == "outward":
            opening = len(found) - 1
            while opening >= 0 and found[opening].structure.flow == "diagonal":
                opening -= 1
            if opening >= 0 and found[opening].structure.hop and found[opening].structure.flow == "inward":
                closed = tuple(one for part in found[opening:] for one in part.factors)
                del found[opening:]
                segment = Segment((*closed, factor), Structure("diagonal"))
        found.append(segment)
    return tuple(found)


def in_a_row(factors: Iterable[Shaped]) -> Structure:
    """The pattern of a product of operators between attached spaces, and what its diagonal blocks are."""
    flow: Flow = "diagonal"
    flags: set[str] = set()
    parts = [segment.structure for segment in segments(factors)]
    for part in parts:
        flow = multiply_flow(flow, part.flow)
    # A product that runs one way is made of segments that do not run the other way.
    if flow in ("diagonal", "inward", "outward"):
        if any(part.strict for part in parts):
            flags.add("strict")
            moving = [part for part in parts if part.flow != "diagonal"]
            if len(moving) == 1 and moving[0].hop:
                flags.add("hop")
        if all(part.unit for part in parts):
            flags.add("unit")
    return Structure.make(flow, flags)


def _product(node: Product) -> Structure:
    factors = [child.structure for child in node.children]
    row = Structure(_global_flow(node.type) or "full")
    if row.flow == "full" and all(child.type.domain.attached for child in node.children[:-1]):
        row = in_a_row(node.children)
    flags = set(row.flags)
    if all(part.invertible for part in factors):
        flags.add("invertible")
    elif all(part.has("onto") for part in factors):
        flags.add("onto")
    if _is_symmetric(node):
        flags.add(_sign(node))
    return Structure.make(row.flow, flags)


def _sign(node: Product) -> str:
    """Definite, semidefinite or only symmetric: A S A* has the sign of S, and keeps definiteness if A is onto."""
    factors = node.children
    half, odd = divmod(len(factors), 2)
    middle = factors[half].structure if odd else None
    if middle is not None and not middle.semidefinite:
        return "symmetric"
    onto = all(factor.structure.has("onto") for factor in factors[:half])
    full = middle is None or middle.definite
    return "definite" if onto and full else "semidefinite"


def _scale(node: Scale) -> Structure:
    body = node.body.structure
    if not isinstance(node.factor, Fraction):
        flags = body.flags & {"symmetric", "strict", "hop"}
        return Structure.make(body.flow, flags)
    kept = {"symmetric", "strict", "hop", "onto", "invertible"}
    if node.factor > 0:
        kept |= {"semidefinite", "definite"}
    return Structure.make(body.flow, body.flags & kept)


def _inverse(node: Inverse) -> Structure:
    body = node.body.structure
    flow: Flow = body.flow if body.flow in ("diagonal", "inward", "outward", "small") else "full"
    return Structure.make(flow, (body.flags & {"unit", "symmetric", "definite"}) | {"invertible"})
