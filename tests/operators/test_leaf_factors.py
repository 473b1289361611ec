"""Factors of leaves: their product is the block, on numbers and traced on symbols with the record as loads."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.backends.closed_forms.mechanism import SymbolicNamespace
from operator_algebra.models.families import random_tree
from operator_algebra.models.joints.joint import JOINT_KINDS
from operator_algebra.models.model import Model
from operator_algebra.operators import leaf as record
from operator_algebra.operators.leaf import LEAVES, Leaf
from operator_algebra.operators.leaf_factors import BodyClass, Factor, Shift, body_classes, factors
from operator_algebra.operators.leaves import LeafValues
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms

sympy: Any = import_module("sympy")


def product(found: tuple[Factor, ...]) -> Any:
    return reduce(np.matmul, [factor.block(np) for factor in found])


def sprung(model: Model) -> Model:
    """The model with springs and dampers where joints may have them."""
    bodies = [
        replace(body, joint=replace(body.joint, damping=0.5, stiffness=2.0 * body.joint.allows_springs))
        for body in model.bodies
    ]
    return Model(bodies=bodies)


def part(of: BodyClass, i: int) -> BodyClass:
    """One body of a class; its joint keeps what is not stacked."""
    alone = {name: value[i] for name, value in of.record().items() if not name.startswith("joint.")}
    stacked = {f"joint.{name}": np.asarray(getattr(of.joint, name))[i] for name in of.joint.parameters}
    return of.with_record(alone | stacked)


@given(mechanisms(armature=True), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_the_product_of_the_factors_is_the_block(model: Model, seed: int) -> None:
    model = sprung(model)
    (q, v), depth = model.random(seed), model.depth
    values = LeafValues(model, q, v)
    paths: dict[int, tuple[Shift, ...]] = {-1: ()}
    where = {int(k): (of, i) for of in body_classes(model) for i, k in enumerate(of.bodies)}
    for k, p in enumerate(model.parent):
        of, i = where[k]
        body, here, rates = part(of, i), q[of.q[i]], v[of.v[i]]
        for leaf in LEAVES:
            if not leaf.at(model.bodies[k]):
                continue
            found = product(factors(leaf, body, here, rates, np, paths[p]))
            expected: Any = values.blocks(leaf)[k]
            terms = (1.0 + size(values.absolute[1])) ** 2 * (1.0 + size(expected))
            assert found.shape == expected.shape
            assert apart(found, expected) <= rounding(terms, terms=9 * depth), leaf.name
        own = factors(record.E_phi, body, here, None, np)
        paths[k] = (*paths[p], *(shift for shift in own if isinstance(shift, Shift)))


@given(mechanisms(armature=True), st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_classes_hold_all_bodies_of_a_kind_at_once(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    values = LeafValues(model, q, v)
    for of in body_classes(model):
        for leaf in (record.E_phi, record.H, record.M, record.armature, record.X_cm):
            found = np.broadcast_to(
                product(factors(leaf, of, q[of.q], v[of.v], np)), (len(of.bodies), *leaf.block_shape(of.joint.nv))
            )
            every: list[int] = of.bodies.tolist()
            for i, k in enumerate(every):
                expected: Any = values.blocks(leaf)[k]
                terms = (1.0 + size(of.com) + size(of.translation) + size(q)) ** 2 * (1.0 + size(expected))
                assert apart(found[i], expected) <= rounding(terms, terms=9), leaf.name


def test_a_class_with_its_own_record_is_the_same() -> None:
    for of in body_classes(random_tree(6, joints=tuple(JOINT_KINDS), seed=1)):
        again = of.with_record(of.record())
        assert all(np.array_equal(again.record()[name], value) for name, value in of.record().items())


def loads(shape: tuple[int, ...], name: str) -> Any:
    made = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        made[place] = sympy.Symbol("_".join([name.replace(".", "_"), *map(str, place)]), real=True)
    return made if shape else made[()]


def arrays(factor: Factor) -> list[Any]:
    return [value for value in vars(factor).values() if not isinstance(value, bool)]


def traced(leaf: Leaf, of: BodyClass, symbols: dict[str, Any]) -> Any:
    """A function of coordinates and record, one row of numbers, that gives every number of the factors."""
    body = of.with_record({name: np.asarray(value) for name, value in symbols.items()})
    at, rates = loads((of.q.shape[1],), "q"), loads((of.v.shape[1],), "v")
    found = factors(leaf, body, at, rates, SymbolicNamespace())
    free = [entry for value in (*symbols.values(), at, rates) for entry in np.asarray(value).flat]
    return sympy.lambdify([x for x in free if isinstance(x, sympy.Symbol)], numbers(found), "math")


def numbers(found: tuple[Factor, ...]) -> list[Any]:
    """All entries of all factors."""
    values = [value for factor in found for value in vars(factor).values() if not isinstance(value, bool)]
    return [entry for value in values for entry in np.asarray(value).flat]


KINDS = [kind for kind in JOINT_KINDS if kind != "fixed"]
TRACED = [leaf for leaf in LEAVES if leaf is not record.spring]
"""A spring may pull by the logarithm of a rotation, whose formula branches."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "planar"])
@pytest.mark.parametrize("leaf", TRACED, ids=lambda leaf: leaf.name)
def test_a_class_is_traced_once_and_each_body_puts_its_record_there(leaf: Leaf, kind: str) -> None:
    """All kinds but the planar joint, which chooses its axes by the sign of its normal."""
    model = random_tree(3, joints=(kind,), seed=5)
    q, v = model.random(5)
    (of,) = body_classes(model)
    function = traced(leaf, of, {name: loads(np.shape(value)[1:], name) for name, value in of.record().items()})
    for i in range(len(of.bodies)):
        row = [*(np.ravel(value[i]) for value in of.record().values()), q[of.q[i]], v[of.v[i]]]
        expected = numbers(factors(leaf, part(of, i), q[of.q[i]], v[of.v[i]], np))
        found = np.array(function(*np.concatenate(row).tolist()), dtype=np.float64)
        assert apart(found, np.array(expected)) <= rounding((1.0 + size(np.array(expected))) ** 2, terms=12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("leaf", TRACED, ids=lambda leaf: leaf.name)
def test_a_body_is_traced_with_its_record_as_constants(leaf: Leaf, kind: str) -> None:
    model = random_tree(2, joints=(kind,), seed=6)
    q, v = model.random(6)
    (of,) = body_classes(model)
    for i in range(len(of.bodies)):
        function = traced(leaf, of, part(of, i).record())
        expected = numbers(factors(leaf, part(of, i), q[of.q[i]], v[of.v[i]], np))
        found = np.array(function(*q[of.q[i]].tolist(), *v[of.v[i]].tolist()), dtype=np.float64)
        assert apart(found, np.array(expected)) <= rounding((1.0 + size(np.array(expected))) ** 2, terms=12)
