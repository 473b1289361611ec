"""Where a law is judged: the leaves and inputs of one mechanism at a batch of samples, as dense arrays."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra import symbols
from operator_algebra.checking.arithmetic import (
    Arithmetic,
    Array,
    FixedPoint,
    FloatArithmetic,
    Floats,
    object_array,
    span,
)
from operator_algebra.checking.inputs import draw_dense, user_sizes
from operator_algebra.checking.values import Value
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Fixpoint, Symbol
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Model
from operator_algebra.operators.inputs import model_layouts
from operator_algebra.operators.leaves import LeafValues, places
from operator_algebra.operators.spaces import Space
from operator_algebra.spatial.arrays import Axes

Context: TypeAlias = Any
"""An mpmath context: the package has no types."""


@dataclass(frozen=True)
class Sample:
    """One configuration of a mechanism and the axes of its blocks; `seed` makes the inputs of the law."""

    seed: int
    frame: Axes
    q: Floats
    v: Floats

    @classmethod
    def draw(cls, model: Model, seed: int, frame: Axes) -> Sample:
        """A random configuration."""
        q, v = model.random(seed)
        return cls(seed, frame, q, v)


# Inputs that are kept of a scene; others are drawn again.
_KEPT = 24

Batch = tuple[Array, LeafValues]
"""The leaves of some of the samples, by their numbers."""


@dataclass
class Scene:
    """Block sizes by family, and the values of leaves and inputs: arrays (samples, rows, columns)."""

    arithmetic: Arithmetic
    samples: int
    depth: int
    parent: Array
    spatial: Array
    joint: Array
    leaf: Callable[[Symbol], Array]
    seeds: tuple[int, ...]
    rates: Array
    """The rates of the samples, (samples, rows, 1): what v means, along which H_dot is taken."""
    solved: dict[Fixpoint, Value] = field(default_factory=dict[Fixpoint, Value])
    """Recursions whose values are known."""
    _inputs: dict[Symbol, Array] = field(default_factory=dict[Symbol, Array])
    _sizes: dict[Space, Array] = field(default_factory=dict[Space, Array])

    def sizes(self, space: Space) -> Array:
        """The block sizes of a space."""
        if space not in self._sizes:
            self._sizes[space] = block_sizes(space, spatial=self.spatial, joint=self.joint)
        return self._sizes[space]

    def size(self, space: Space) -> int:
        """The number of entries of a vector of a space."""
        return int(self.sizes(space).sum())

    def value(self, symbol: Symbol) -> Array:
        """The value of a leaf or an input."""
        if symbol.leaf is not None:
            return self.leaf(symbol)
        if symbol.origin != "input":
            raise InputError(f"{symbol.name} has no value of its own. Give a closed formula.")
        if symbol is symbols.v:
            return self.rates
        value = self._inputs.get(symbol)
        if value is None:
            rows, cols = self.sizes(symbol.type.codomain), self.sizes(symbol.type.domain)
            drawn = [draw_dense(symbol, rows, cols, self.parent, seed) for seed in self.seeds]
            value = self.arithmetic.array(np.stack(drawn))
            if len(self._inputs) < _KEPT:
                self._inputs[symbol] = value
        return value

    @cached_property
    def edges(self) -> Array:
        """Whether body i is the parent of body j."""
        return (np.arange(len(self.parent))[:, None] == self.parent[None, :]) & (self.parent >= 0)

    @cached_property
    def ancestry(self) -> Array:
        """Whether body i is body j or carries it."""
        reach = np.eye(len(self.parent), dtype=bool)
        for _ in range(self.depth):
            reach = reach | (self.edges @ reach)
        return reach


def block_sizes(space: Space, *, spatial: Array, joint: Array) -> Array:
    """The block sizes of a space on a mechanism: 6 per body, the joint's, one, or a user's own."""
    families = {"spatial": spatial, "joint": joint, "one": np.array([1])}
    return families[space.sizes] if space.sizes in families else user_sizes(space, len(spatial))


def float_scene(model: Model, samples: Sequence[Sample]) -> Scene:
    """A mechanism at several samples, in double precision."""
    values: list[Batch] = []
    frames: dict[Axes, None] = dict.fromkeys(sample.frame for sample in samples)
    for frame in frames:
        chosen = [k for k, sample in enumerate(samples) if sample.frame == frame]
        q, v = np.stack([samples[k].q for k in chosen]), np.stack([samples[k].v for k in chosen])
        values.append((np.array(chosen), LeafValues(model, q, v, frame)))
    return _scene(model, FloatArithmetic(), values, samples)


def extended_scene(model: Model, samples: Sequence[Sample], bits: int = 320) -> Scene:
    """A mechanism at several samples, in fixed point: sines, quaternions and axes are computed to all bits."""
    arithmetic = FixedPoint(bits)
    precise = [(np.array([k]), _precise(model, sample, bits)) for k, sample in enumerate(samples)]
    return _scene(model, arithmetic, precise, samples)


def _scene(model: Model, arithmetic: Arithmetic, values: Sequence[Batch], samples: Sequence[Sample]) -> Scene:
    spatial = np.full(model.n, 6)
    joint = model_layouts(model)["joint"].sizes
    return Scene(
        arithmetic,
        len(samples),
        model.depth,
        np.array(model.parent),
        spatial,
        joint,
        _leaf_reader(model, arithmetic, values, len(samples), partial(block_sizes, spatial=spatial, joint=joint)),
        tuple(sample.seed for sample in samples),
        arithmetic.array(np.stack([np.asarray(sample.v) for sample in samples])[..., None]),
    )


def _leaf_reader(
    model: Model, arithmetic: Arithmetic, values: Sequence[Batch], samples: int, sizes: Callable[[Space], Array]
) -> Callable[[Symbol], Array]:
    parent = np.array(model.parent, dtype=np.intp)

    @cache
    def read(symbol: Symbol) -> Array:
        assert symbol.leaf is not None
        down, across = sizes(symbol.type.codomain), sizes(symbol.type.domain)
        result = arithmetic.zeros((samples, int(down.sum()), int(across.sum())))
        for chosen, leaves in values:
            for bodies, blocks in leaves.groups(symbol.leaf):
                listed, rows, cols = places(symbol.leaf, bodies, parent)
                numbers = arithmetic.array(blocks[..., listed, :, :])
                _place(result, chosen, _starts(down)[rows], _starts(across)[cols], numbers)
        return result

    return read


def _starts(blocks: Array) -> Array:
    return np.cumsum(blocks) - blocks


def _place(target: Array, samples: Array, rows: Array, cols: Array, blocks: Array) -> None:
    i = rows[:, None, None] + span(blocks.shape[-2])[None, :, None]
    j = cols[:, None, None] + span(blocks.shape[-1])[None, None, :]
    target[samples[:, None, None, None], i, j] = blocks


# -- leaves to hundreds of bits ------------------------------------------------------------------------------------


@cache
def _context(bits: int) -> Context:
    """An mpmath context whose numbers carry the methods that NumPy calls on objects."""
    context: Context = import_module("mpmath").mp.clone()
    context.prec = bits + 32
    for name in ("sin", "cos", "sqrt"):
        setattr(context.mpf, name, _method(context, name))
    return context


def _method(context: Context, name: str) -> Callable[[object], object]:
    return lambda x: getattr(context, name)(x)


def _objects(context: Context, values: ArrayLike) -> Array:
    given = np.asarray(values)
    return object_array([context.mpf(float(x)) for x in given.flat], given.shape)


def _precise(model: Model, sample: Sample, bits: int) -> LeafValues:
    context = _context(bits)
    q, v = _objects(context, sample.q), _objects(context, sample.v)
    for group in model.joint_groups:
        where = group.kind_class.quaternion
        if where is not None:
            places = group.q[:, where]
            length = np.sqrt((q[places] ** 2).sum(axis=-1, keepdims=True))
            q[places] = q[places] / length
    return LeafValues(_precise_model(model, context), q, v, sample.frame)


def _precise_model(model: Model, context: Context) -> Model:
    """The same mechanism with rotations and axes orthogonal to all bits, which floats are not quite."""
    arrays = {name: _objects(context, value) for name, value in vars(model.arrays).items()}
    first, second = arrays["rotation"][..., 0, :], arrays["rotation"][..., 1, :]
    first = _unit(first)
    second = _unit(second - (first * second).sum(axis=-1, keepdims=True) * first)
    third = np.stack([_cross(a, b) for a, b in zip(first, second, strict=True)])
    arrays["rotation"] = np.stack([first, second, third], axis=-2)
    groups = [replace(group, joint=_precise_joint(group.joint, context)) for group in model.joint_groups]
    same = {name: getattr(model, name) for name in ("n", "parent", "roots", "gravity", "bodies", "name")}
    return cast(Model, SimpleNamespace(arrays=SimpleNamespace(**arrays), joint_groups=groups, **same))


def _precise_joint(joint: Joint, context: Context) -> Joint:
    made = copy.copy(joint)
    for name in joint.parameters:
        value = np.asarray(getattr(joint, name))
        if value.ndim and value.shape[-1] == 3:
            object.__setattr__(made, name, _unit(_objects(context, value)))
    return made


def _unit(vectors: Array) -> Array:
    return vectors / np.sqrt((vectors**2).sum(axis=-1, keepdims=True))


def _cross(a: Array, b: Array) -> Array:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)
