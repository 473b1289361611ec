"""The leaves of a model as records: everything that is known of a leaf before any number. Nothing else knows its name.

Blocks are those of body axes; `Leaf.rows_turn` and `columns_turn` say what axes of the base change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from operator_algebra.arguments import shown
from operator_algebra.errors import InputError
from operator_algebra.operators.spaces import FORCE, GROUND, MOTION, ONE, RATE, TORQUE, Space, Type
from operator_algebra.operators.structure import Structure


class JointData(Protocol):
    """What decides whether a joint has a block of a leaf."""

    @property
    def armature(self) -> Sequence[float]: ...
    @property
    def damping(self) -> Sequence[float]: ...
    @property
    def stiffness(self) -> Sequence[float]: ...
    @property
    def has_constant_map(self) -> bool: ...


class BodyData(Protocol):
    """What decides whether a body has a block of a leaf."""

    @property
    def parent(self) -> str | int | None: ...
    @property
    def joint(self) -> JointData: ...


class ModelData(Protocol):
    """What decides whether a model has a leaf: bodies among which there is one of each sort, and gravity."""

    @property
    def examples(self) -> Sequence[BodyData]: ...
    @property
    def gravity(self) -> Sequence[float]: ...


# -- what blocks are made of -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RigidShift:
    """A force taken about another point, φ(R, l) = [[R, l̃ R], [0, R]]: a rigid transform.

    To the parent, or to the ground: placement · joint motion. To the base: those along the path, one after the other.
    To the mass centre: R = I, l = −com.
    """

    to: Literal["parent", "base", "mass centre"]


@dataclass(frozen=True, slots=True)
class JointMap:
    """The adjoint of the joint's `motion_map`."""


@dataclass(frozen=True, slots=True)
class JointMapRate:
    """The adjoint of the joint's `motion_map_rate`."""


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """[[J, h̃], [−h̃, m I]]: mass m, first moment h = m com, rotational inertia J about the body's origin."""


@dataclass(frozen=True, slots=True)
class JointDiagonal:
    """A diagonal block, one number for each degree of freedom: a field of the joint."""

    of: Literal["armature", "damping"]


@dataclass(frozen=True, slots=True)
class SpringForce:
    """The column stiffness (q ⊖ rest)."""


@dataclass(frozen=True, slots=True)
class GroundAcceleration:
    """The column φ*(ground, root) [0; −g]."""


Form = RigidShift | JointMap | JointMapRate | RigidInertia | JointDiagonal | SpringForce | GroundAcceleration
"""What the blocks of a leaf are made of: numbers, kernels and pictures match this, never a name."""

Stands = Literal["body", "edge", "ground edge", "column"]
"""Where block k stands, as (row, column): (k, k), (parent of k, k) without roots, (ground, k), (k, the one column)."""

Coordinate = Literal["q", "v"]


# -- which bodies have blocks ----------------------------------------------------------------------------------------


def _every(body: BodyData) -> bool:
    del body
    return True


def _root(body: BodyData) -> bool:
    return body.parent is None


def _geared(body: BodyData) -> bool:
    return any(body.joint.armature)


def _damped(body: BodyData) -> bool:
    return any(body.joint.damping)


def _sprung(body: BodyData) -> bool:
    return any(body.joint.stiffness)


def _varying(body: BodyData) -> bool:
    return not body.joint.has_constant_map


def _any_model(model: ModelData) -> bool:
    del model
    return True


def _heavy(model: ModelData) -> bool:
    return any(model.gravity)


_SIZES = {MOTION.sizes: 6, GROUND.sizes: 6, ONE.sizes: 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """An operator whose blocks come from a model at (q, v).

    >>> H_dot.reads_rates, H_dot.block_shape(2), M.stands
    (True, (2, 6), 'body')
    """

    name: str
    type: Type
    structure: Structure
    stands: Stands
    form: Form
    meaning: str
    reads: tuple[Coordinate, ...] = ()
    """The coordinates that blocks in body axes depend on."""
    at: Callable[[BodyData], bool] = _every
    """Whether a body has a block that can be other than zero."""
    within: Callable[[ModelData], bool] = _any_model
    """Whether a model can have such blocks at all."""
    rate: str | None = None
    """d/dt in body axes, a formula of the vocabulary; None where it has no word for it. See `rates.leaf_rate`."""

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def reads_rates(self) -> bool:
        """Whether v must be known."""
        return "v" in self.reads

    @property
    def rows_turn(self) -> bool:
        """Whether the rows stand in the axes of a body, so that they turn in axes of the base."""
        return self.type.codomain in (MOTION, FORCE) and self.form != RigidShift("base")

    @property
    def columns_turn(self) -> bool:
        """Whether the columns stand in the axes of a body."""
        return self.type.domain in (MOTION, FORCE)

    def absent(self, model: ModelData) -> bool:
        """Whether it is zero for every configuration of a model, so that its terms can be folded away."""
        return not (self.within(model) and any(map(self.at, model.examples)))

    def block_shape(self, freedoms: int) -> tuple[int, int]:
        """Rows and columns of the block of a body whose joint has so many degrees of freedom."""

        def size(space: Space) -> int:
            return _SIZES.get(space.sizes, freedoms)

        return size(self.type.codomain), size(self.type.domain)


# -- the leaves ------------------------------------------------------------------------------------------------------

E_phi = Leaf(
    name="E_phi",
    type=FORCE >> FORCE,
    structure=Structure.of("inward hop"),
    stands="edge",
    form=RigidShift("parent"),
    reads=("q",),
    rate="E_phi delta",
    meaning="Shifts the force on each body to the origin of its parent, one joint inward; its adjoint carries the "
    "velocity of a parent out to its children as if the joints were locked.",
)
H = Leaf(
    name="H",
    type=FORCE >> TORQUE,
    structure=Structure.of("diagonal onto"),
    stands="body",
    form=JointMap(),
    reads=("q",),
    rate="H_dot",
    meaning="Picks from the force on a body the part that its joint feels; its adjoint turns joint rates into the "
    "velocity of a body relative to its parent.",
)
H_dot = Leaf(
    name="H_dot",
    type=FORCE >> TORQUE,
    structure=Structure.of("diagonal"),
    stands="body",
    form=JointMapRate(),
    reads=("q", "v"),
    at=_varying,
    meaning="How H changes with time in the axes of the body; zero for joints whose map is constant.",
)
M = Leaf(
    name="M",
    type=MOTION >> FORCE,
    structure=Structure.of("diagonal definite"),
    stands="body",
    form=RigidInertia(),
    rate="0",
    meaning="The spatial inertia of each body about its own origin.",
)
armature = Leaf(
    name="armature",
    type=RATE >> TORQUE,
    structure=Structure.of("diagonal semidefinite"),
    stands="body",
    form=JointDiagonal("armature"),
    at=_geared,
    rate="0",
    meaning="The inertia of rotors behind gears, felt by a joint alone.",
)
damping = Leaf(
    name="damping",
    type=RATE >> TORQUE,
    structure=Structure.of("diagonal semidefinite"),
    stands="body",
    form=JointDiagonal("damping"),
    at=_damped,
    rate="0",
    meaning="What dampers in the joints oppose to their rates.",
)
spring = Leaf(
    name="spring",
    type=ONE >> TORQUE,
    structure=Structure.of("column"),
    stands="column",
    form=SpringForce(),
    reads=("q",),
    at=_sprung,
    meaning="The forces that springs in the joints take up at this configuration.",
)
a_ground = Leaf(
    name="a_ground",
    type=ONE >> MOTION,
    structure=Structure.of("column"),
    stands="column",
    form=GroundAcceleration(),
    reads=("q",),
    at=_root,
    within=_heavy,
    rate="delta' a_ground",
    meaning="The acceleration given to the ground so that gravity need not be spoken of.",
)
E_ground = Leaf(
    name="E_ground",
    type=FORCE >> GROUND.dual,
    structure=Structure.of("row"),
    stands="ground edge",
    form=RigidShift("parent"),
    reads=("q",),
    at=_root,
    rate="E_ground delta",
    meaning="Shifts the forces on root bodies to the ground.",
)
X_cm = Leaf(
    name="X_cm",
    type=FORCE >> FORCE,
    structure=Structure.of("diagonal invertible"),
    stands="body",
    form=RigidShift("mass centre"),
    rate="0",
    meaning="Moves the point about which a force is taken from the origin of a body to its centre of mass.",
)
X_abs = Leaf(
    name="X_abs",
    type=FORCE >> FORCE,
    structure=Structure.of("diagonal invertible"),
    stands="body",
    form=RigidShift("base"),
    reads=("q",),
    rate="-X_abs V_tilde'",
    meaning="Moves the point about which a force is taken to the origin of the base, in the axes of the base.",
)

LEAVES: tuple[Leaf, ...] = (E_phi, H, H_dot, M, armature, damping, spring, a_ground, E_ground, X_cm, X_abs)
_BY_NAME = {leaf.name: leaf for leaf in LEAVES}


def leaf_named(name: str) -> Leaf:
    """The record of a leaf by its name."""
    if name not in _BY_NAME:
        raise InputError(f"{shown(name)} is not a leaf of a model. The leaves are {', '.join(_BY_NAME)}.")
    return _BY_NAME[name]
