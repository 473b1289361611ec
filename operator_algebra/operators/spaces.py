"""Spaces in dual pairs, and the type of an operator: what it takes and what it delivers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from operator_algebra.arguments import flag, instance, shown, word
from operator_algebra.errors import InputError


@dataclass(frozen=True, slots=True)
class Counted:
    """What the coordinates of `columns_of` count: those of a family of blocks, or of its block at one body."""

    family: str
    place: int | str | None = None


@dataclass(frozen=True, slots=True)
class Space:
    """A space of block vectors.

    `sizes` names the family of block sizes ("spatial": 6 per body, "joint": the joint's degrees of freedom, "one",
    or a user's own name); a space that is not `attached` to bodies is a single block. A direct sum has `parts`, what
    `columns_of` makes says what it counts.

    >>> MOTION.dual
    force
    >>> MOTION >> FORCE
    motion → force
    """

    name: str
    dual_name: str
    sizes: str
    attached: bool = True
    parts: tuple[Space, ...] = ()
    counted: Counted | None = None

    def __post_init__(self) -> None:
        for text in (self.name, self.dual_name, self.sizes):
            if not word(text, "the name of a space"):
                raise InputError("a space needs a name, such as 'contact'.")
        flag(self.attached, "attached")

    def __eq__(self, other: object) -> bool:
        # Types are compared at every product: most of the time they are the same objects.
        if self is other:
            return True
        if not isinstance(other, Space):
            return NotImplemented
        mine, theirs = (self.name, self.dual_name, self.sizes), (other.name, other.dual_name, other.sizes)
        same = mine == theirs and self.attached == other.attached
        return same and self.parts == other.parts and self.counted == other.counted

    @property
    def dual(self) -> Space:
        """The space of the linear functionals on this one."""
        return Space(
            self.dual_name, self.name, self.sizes, self.attached, tuple(p.dual for p in self.parts), self.counted
        )

    @property
    def summands(self) -> tuple[Space, ...]:
        """The parts of a direct sum; any other space is its own."""
        return self.parts or (self,)

    def __rshift__(self, codomain: Space) -> Type:
        return Type(self, codomain)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Type:
    """The type of an operator: it takes `domain` and delivers `codomain`."""

    domain: Space
    codomain: Space

    def __post_init__(self) -> None:
        instance(self.domain, "what an operator takes", Space, "Give a space, such as oa.MOTION.")
        instance(self.codomain, "what an operator delivers", Space, "Give a space, such as oa.FORCE.")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Type):
            return NotImplemented
        return self.domain == other.domain and self.codomain == other.codomain

    @property
    def T(self) -> Type:
        """The type of the adjoint: Y* → X* for X → Y."""
        return Type(self.codomain.dual, self.domain.dual)

    @property
    def square(self) -> bool:
        """Whether it delivers what it takes."""
        return self.domain == self.codomain

    @property
    def same_sizes(self) -> bool:
        """Whether rows and columns have equal block sizes, body by body."""
        return self.domain.sizes == self.codomain.sizes and self.domain.attached == self.codomain.attached

    def __repr__(self) -> str:
        return f"{self.domain.name} → {self.codomain.name}"


MOTION = Space("motion", "force", "spatial")
FORCE = Space("force", "motion", "spatial")
RATE = Space("rate", "torque", "joint")
TORQUE = Space("torque", "rate", "joint")
WHITE = Space("white", "white", "joint")
GROUND = Space("ground", "ground*", "ground", attached=False)
"""Motions of the ground, six numbers about the origin of the base; its dual holds wrenches on the ground."""
ONE = Space("one", "one", "one", attached=False)
ROUNDING = Space("rounding", "rounding", "rounding", attached=False)
RELATION = Space("relation", "relation", "relation")
ANY = Space("any", "any", "any")
UNTYPED = Type(ANY, ANY)

_RESERVED = frozenset(
    {"motion", "force", "rate", "torque", "white", "one", "rounding", "relation", "any", "spatial", "joint"}
)


def space(name: str, *, attached: bool = True) -> Space:
    """A user's own space; its dual is called `name*`.

    Block sizes per body (0 is allowed) come with the value that is bound; `attached=False` is one block that belongs
    to no body, such as the coordinates of a constraint.

    >>> contact = space("contact")
    >>> contact.dual, contact.dual.dual == contact
    (contact*, True)
    """
    word(name, "the name of a space")
    flag(attached, "attached")
    if not name or name in _RESERVED or name.endswith("*") or not name.isprintable() or set(name) & set("+:"):
        raise InputError(
            f"{shown(name)} cannot name a space: it is empty, reserved, ends in '*', or contains '+' or ':'. "
            "Choose another name, such as 'contact'."
        )
    return Space(name, f"{name}*", name, attached)


def white(base: Space) -> Space:
    """The self-dual space with the block sizes of `base`: the normalised coordinates beside `root`.

    >>> white(TORQUE) == WHITE, white(FORCE)
    (True, white(spatial))
    """
    if base.sizes == "joint":
        return WHITE
    if base.sizes == "one":
        return ONE
    name = base.name if base.name.startswith("white(") else f"white({base.sizes})"
    return Space(name, name, base.sizes, base.attached)


def columns_of(base: Space, place: int | str | None = None) -> Space:
    """The global space with one coordinate for each of an attached space, or of its part at one body.

    >>> columns_of(TORQUE, "elbow").counted
    Counted(family='joint', place='elbow')
    """
    where = "" if place is None else f" at {place}"
    name = f"columns of {base.name}{where}"
    counted = Counted(base.sizes, place)
    return Space(name, f"{name}*", f"columns of {base.sizes}{where}", attached=False, counted=counted)


def direct_sum(spaces: Iterable[Space]) -> Space:
    """The space of stacked blocks; one space alone is itself.

    >>> direct_sum([RATE, FORCE]), direct_sum([RATE, FORCE]).parts, direct_sum([RATE])
    (rate ⊕ force, (rate, force), rate)
    """
    listed = tuple(spaces)
    if len(listed) == 1:
        return listed[0]
    return Space(
        " ⊕ ".join(space.name for space in listed),
        " ⊕ ".join(space.dual_name for space in listed),
        "+".join(space.sizes for space in listed),
        attached=any(space.attached for space in listed),
        parts=listed,
    )
