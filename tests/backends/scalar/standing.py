"""Mechanisms that are traced, and their blocks as numbers where they stand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.scalar.known import Known, values
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.trace import Tracer
from operator_algebra.errors import SingularError
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.bounds import elimination
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.matrices import Matrix
from tests.backends.loops.rods import in_a_plane
from tests.backends.scalar.calls import Call
from tests.nearly_singular import sample
from tests.oracles.rounding_spread import Blocks
from tests.strategies import random_body

SOLVED = inv(dynamics.mass_matrix) @ s.T


def called(e: Expr | Query, model: Model, q: np.ndarray, method: Method = "auto") -> Call:
    program = lower(e, zeros=vanishing(model), method=method)
    values = {name: np.ones(model.nv) for name in program.inputs if name in ("T", "v")}
    return Call.of(program, model, q, values)


Tried = tuple[Tracer, np.ndarray]


def tracers(call: Call) -> Tried | None:
    """What is traced, with configurations to try; nothing of a mechanism whose pivots are zero everywhere."""
    tracer = Tracer.of(call.program, call.model, Signature.of(call.inputs))
    try:
        tracer.run()
    except SingularError:
        return None
    return tracer, np.stack([call.model.random(seed)[0] for seed in range(3)], axis=-1)


def known_of(call: Call, found: Tried) -> Known:
    """What is known of a mechanism beforehand."""
    tracer, tried = found
    (pivot,) = call.program.pivots
    parts = elimination(call.program, pivot)
    assert parts is not None
    return Known(tracer, parts, tracer.nodes.graph, tried)


def standing(call: Call, found: Tried) -> Blocks:
    """The blocks that are traced, as numbers, in the axes that were chosen."""
    known = known_of(call, found)
    here = call.q[:, None]

    def block(rows: Matrix) -> np.ndarray:
        return values(tuple(x for row in rows.rows for x in row), here).reshape(rows.height, -1)

    bodies = range(call.model.n)
    joined = [np.diag(call.model.arrays.armature[call.model.v_slices[k]]) for k in bodies]
    hops = [np.eye(6) if hop is None else block(hop) for hop in known.hops]
    maps = [np.reshape(block(H) if H.height else [], (-1, 6)) for H in known.H]
    return Blocks(tuple(known.parent), hops, maps, known.inertia, joined)


KINDS = ("revolute", "prismatic", "helical", "spherical", "universal", "fixed", "cylindrical", "planar", "floating")


def with_armature(seed: int) -> Model:
    """A random tree some of whose joints carry inertia of their own."""
    rng = np.random.default_rng(seed)
    kinds = [str(rng.choice(KINDS)) for _ in range(4)]
    bodies = [random_body(k, int(rng.integers(k)) if k else -1, kinds[k], rng, armature=True) for k in range(4)]
    return Model(name="armature", bodies=bodies)


def mechanisms() -> Iterator[tuple[Model, np.ndarray]]:
    for name in ("arm7", "puma560", "tree4", "quadruped", "humanoid"):
        yield load(name), load(name).random(3)[0]
    for seed in range(8):
        for model in (
            with_armature(seed),
            random_tree(4, joints=KINDS, mass_spread=6.0, seed=seed),
            chain(9, seed=seed),
        ):
            yield model, model.random(seed)[0]
    for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)):
        yield in_a_plane(5, axis, 0), in_a_plane(5, axis, 0).random(0)[0]
    for family, seed in (("spread tree", 2), ("uneven chain", 3), ("one heavy", 4), ("redundant body", 5)):
        yield sample(family, seed).model, sample(family, seed).q
