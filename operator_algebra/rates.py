"""Leaves, and how they move: from this alone follows the derivative of every formula of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias
from zlib import crc32

from operator_algebra.arguments import choice, items
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import CONSTANT_MAPS, define, inv, leaf_symbol, local, one, vector, zero
from operator_algebra.expressions.differentiate import Derivation, derivatives, fitting, given_rates
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.names import marked
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.parse import parse
from operator_algebra.expressions.traverse import children_and_definition, free_symbols, postorder
from operator_algebra.operators import leaf
from operator_algebra.operators.local import CROSS, CROSSBAR, SPIN
from operator_algebra.operators.spaces import FORCE, RATE, Space

I: Expr = one()


def cross(velocity: Expr) -> Expr:
    """Motion cross product with a velocity V, body by body: X becomes V × X."""
    return local(CROSS, velocity)


def crossbar(force: Expr) -> Expr:
    """The same product with a force F known: V becomes cross(V)* F."""
    return local(CROSSBAR, force)


E_phi = leaf_symbol(leaf.E_phi)
H = leaf_symbol(leaf.H)
H_dot = leaf_symbol(leaf.H_dot)
M = leaf_symbol(leaf.M)
armature = leaf_symbol(leaf.armature)
damping = leaf_symbol(leaf.damping)
spring = leaf_symbol(leaf.spring)
a_ground = leaf_symbol(leaf.a_ground)
E_ground = leaf_symbol(leaf.E_ground)
X_cm = leaf_symbol(leaf.X_cm)
X_abs = leaf_symbol(leaf.X_abs)
LEAVES: tuple[Symbol, ...] = (E_phi, H, H_dot, M, armature, damping, spring, a_ground, E_ground, X_cm, X_abs)

v = vector("v", RATE)
qdd = vector("qdd", RATE)
phi = define("phi", inv(I - E_phi), cites="diagonalized dynamics (4.5)")


# -- what turns and moves ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Motion:
    """How bodies move when the joints move along a vector of rates; see `motion`."""

    V: Expr
    V_tilde: Expr
    delta: Expr
    rotation: Expr
    rotation_delta: Expr


def motion(along: Expr | str) -> Motion:
    """Velocities, and the cross products with them, for joints that move along a vector of rates.

    motion(v) is the vocabulary; the names for another input carry its name.

    >>> motion(vector("w", RATE)).delta
    δ_w   force → force   block-diagonal   = −cross(H* w)*
    """
    return _motion(fitting(v, along, "motion"))


@cache
def _motion(along: Expr) -> Motion:

    def named(name: str, e: Expr, cites: str) -> Expr:
        if not isinstance(along, Symbol):
            return e
        return define(name if along is v else f"{name}_{along.name}", e, cites=cites)

    V = named("V", phi.T @ H.T @ along, "diagonalized dynamics (4.2)")
    joint = H.T @ along
    return Motion(
        V=V,
        V_tilde=named("V_tilde", cross(V), "diagonalized dynamics (5.5)"),
        delta=named("delta", -cross(joint).T, "diagonalized dynamics (6.3)"),
        rotation=named("rotation", -local(SPIN, V).T, "diagonalized dynamics (6.2)"),
        rotation_delta=named("rotation_delta", -local(SPIN, joint).T, "diagonalized dynamics (6.3)"),
    )


# -- derivatives -------------------------------------------------------------------------------------------------------

Axes = Literal["body", "world"]
Rate: TypeAlias = Expr | str | int
Rates: TypeAlias = Mapping[Expr, Rate] | Mapping[Symbol, Rate] | Mapping[str, Rate]
"""How leaves and inputs move, by symbol or by name; 0 says that one does not."""


def leaf_rate(symbol: Symbol, frame: Axes = "body", along: Expr = v, *, constant_maps: bool = False) -> Expr | None:
    """How a leaf changes as the joints move along a vector of rates; None where the vocabulary has no word for it.

    In axes of the base ẋ = x̊ + Ω̃ x − x Ω̃ follows from x̊, that in body axes.        [diagonalized dynamics, table 4]

    >>> leaf_rate(M, "world")
    Ω̃ M + M Ω̃*   motion → force   block-diagonal, symmetric
    """
    record = symbol.leaf
    if record is None:
        return None
    moving = motion(along)
    total = zero(symbol.type)
    if constant_maps and isinstance(record.form, leaf.JointMapRate):
        return total
    if not (constant_maps and isinstance(record.form, leaf.JointMap)):
        if record.rate is None:
            return None
        found = zero() if record.rate == "0" else parse(record.rate, {**_words(), **vars(moving)})
        assert isinstance(found, Expr)
        if along is not v and any(one.leaf is not None and one.leaf.reads_rates for one in found.symbols()):
            return None
        total = total + found
    if frame == "world":
        total = total + _turning(symbol.type.codomain, moving) @ symbol if record.rows_turn else total
        total = total - symbol @ _turning(symbol.type.domain, moving) if record.columns_turn else total
    return total


def _words() -> dict[str, Expr]:
    return {symbol.name: symbol for symbol in LEAVES}


def _turning(space: Space, moving: Motion) -> Expr:
    """Ω̃ on forces or on motions."""
    return moving.rotation if space == FORCE else -moving.rotation.T


SINGLE = "1-DOF"


def differentiate(
    e: Expr | str,
    /,
    *,
    wrt: Expr | str = "time",
    along: Expr | str | None = None,
    rates: Rates | None = None,
    domain: Sequence[str] = (),
    frame: Axes = "body",
) -> Expr:
    """The derivative of a formula, as a formula: along the motion, or in a direction.

    Alone it is d/dt: q moves with v, v with qdd, and `rates` says how other inputs move, 0 if not. With `along`
    q alone moves, along that vector of rates; with `wrt` it is the leaf or input of that name alone. What moves besides
    is said by `rates`. Blocks are meant as they stand in the axes of the bodies, X̊, or in those of the base, Ẋ.

    Names of derivatives in a direction end in its name: give one that is made of others a name with `define`.

    `domain` may hold "1-DOF", which roots ask for, and "constant joint maps", which leaves Ḣ out.

    >>> differentiate(phi)
    φ̊   force → force   inward, strict   = φ E_φ δ φ
    >>> differentiate("H phi M", along=vector("w", RATE), domain=["constant joint maps"])
    H φ_along_w M   motion → torque   inward, strict
    """
    choice(frame, "frame", ("body", "world"))
    words = items(domain, "domain", "words")
    for word in words:
        choice(word, "a word of the domain", (SINGLE, CONSTANT_MAPS))
    e = formula(e, "differentiate")
    given = given_rates(e, rates)
    timed = isinstance(wrt, str) and wrt == "time"
    if along is None and timed:
        by = _derivation(v, {v: qdd, **given}, words, frame)
    elif along is None:
        raise InputError("differentiate: along which vector or operator does it move? Give along=….")
    elif timed:
        direction = fitting(v, along, "along")
        by = _derivation(direction, given, words, frame, _along(direction))
    else:
        moved = formula(wrt, "wrt")
        if not isinstance(moved, Symbol) or moved not in free_symbols(e):
            raise InputError(f"{short(moved)} is no leaf or input of {short(e)}. Name one that it depends on.")
        direction = fitting(moved, along, "along")
        ending = f"by_{moved.name}_{_along(direction)}"
        by = _derivation(None, {moved: direction, **given}, words, frame, ending)
    return derivatives([e], by)[0]


def along_the_motion(formulas: Sequence[Expr], held: Iterable[Symbol]) -> list[Expr]:
    """The rates of several formulas in body axes, some inputs held; roots are those of numbers."""
    still: dict[Symbol, Expr] = {symbol: zero(symbol.type) for symbol in held}
    return derivatives(formulas, _derivation(v, {v: qdd, **still}, (SINGLE,), "body"))


def _along(direction: Expr) -> str:
    """How names of derivatives in a direction end; one without a name is told apart by some digits."""
    return f"along_{direction.name if isinstance(direction, Symbol) else format(crc32(str(direction).encode()), '08x')}"


def _derivation(
    along: Expr | None, given: Mapping[Symbol, Expr], domain: Sequence[str], frame: Axes, ending: str = ""
) -> Derivation:
    """What moves: the joints along a vector, and what is given. In a direction, which ends names, inputs are held."""

    def rate(symbol: Symbol) -> Expr:
        if symbol in given:
            return given[symbol]
        constant = CONSTANT_MAPS in domain
        record = symbol.leaf
        # Ḣ is linear in v, but there is no word for its slope.
        still = record is not None and (constant or not record.reads_rates or v not in given)
        if (ending and symbol.origin == "input") or (along is None and still):
            return zero(symbol.type)
        found = None if along is None else leaf_rate(symbol, frame, along, constant_maps=constant)
        if found is None:
            raise InputError(_no_rate(symbol))
        return found

    def named(name: str) -> str:
        return f"{name}_{ending}" if ending else marked(name, "ring" if frame == "body" else "dot")

    narrow = CONSTANT_MAPS in domain and along is not None
    reads_maps: dict[Expr, bool] = {}

    def holds_for(e: Expr) -> tuple[str, ...]:
        # Names made of one another are asked about in turn: what is known of one is not looked for again.
        if not narrow:
            return ()
        for node in postorder(e, children_and_definition, until=reads_maps.__contains__):
            if node not in reads_maps:
                dropped = isinstance(node, Symbol) and node not in given and _is_map(node)
                reads_maps[node] = dropped or any(reads_maps[part] for part in children_and_definition(node))
        return (CONSTANT_MAPS,) if reads_maps[e] else ()

    return Derivation(rate, named, holds_for, single=SINGLE in domain)


def _is_map(symbol: Symbol) -> bool:
    return symbol.leaf is not None and isinstance(symbol.leaf.form, leaf.JointMap | leaf.JointMapRate)


def _no_rate(symbol: Symbol) -> str:
    """What a formula lacks that is asked how a symbol moves."""
    name = symbol.name
    if symbol.origin == "bound":
        return f"{name} is the unknown of an equation. Differentiate the fixed point as a whole."
    remedy = f'Give rates={{"{name}": …}}, 0 if it does not move'
    if _is_map(symbol):
        remedy += f', or domain=("{CONSTANT_MAPS}",), true of every joint but the universal one'
    return f"differentiate: there is no word for how {symbol} moves. {remedy}."
