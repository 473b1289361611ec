"""The records of leaves: what they say of themselves, how the vocabulary uses them; names are only names."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import leaf_symbol
from operator_algebra.expressions.order import digest
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Model
from operator_algebra.operators import leaf as record
from operator_algebra.operators.leaf import LEAVES, leaf_named
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.rates import leaf_rate
from operator_algebra.spatial.arrays import Axes
from tests.oracles.finite_differences import allowed, along
from tests.rounding import apart, size
from tests.strategies import mechanisms


def test_every_leaf_of_the_vocabulary_is_a_record() -> None:
    assert tuple(symbol.leaf for symbol in s.LEAVES) == LEAVES
    for leaf, symbol in zip(LEAVES, s.LEAVES, strict=True):
        assert s.vocabulary()[leaf.name] is symbol is leaf_symbol(leaf)
        assert (symbol.type, symbol.structure, symbol.origin) == (leaf.type, leaf.structure, "model")
    assert s.v.leaf is None


def test_every_name_of_the_vocabulary_is_there_for_users() -> None:
    assert set(s.vocabulary()) <= set(s.__all__)


def test_records_say_what_leaves_read() -> None:
    assert [leaf.name for leaf in LEAVES if leaf.reads_rates] == ["H_dot"]
    assert {leaf for leaf in LEAVES if not leaf.reads} == {record.M, record.armature, record.damping, record.X_cm}


@given(mechanisms(armature=True), st.integers(0, 1000))
@settings(max_examples=30)
def test_blocks_depend_on_what_records_say(model: Model, seed: int) -> None:
    (q, v), (other, _) = model.random(seed), model.random(seed + 1)
    for symbol in s.LEAVES:
        assert symbol.leaf is not None
        if "q" not in symbol.leaf.reads:
            assert apart(evaluate(symbol, model, q=q).dense(), evaluate(symbol, model, q=other).dense()) == 0.0
        if symbol.leaf.reads_rates:
            with pytest.raises(InputError, match="needs v "):
                evaluate(symbol, model, q=q)
            evaluate(symbol, model, q=q, v=v)


def test_leaves_that_a_model_does_not_have() -> None:
    assert vanishing(chain(2)) == {"H_dot", "armature", "damping", "spring"}
    model = chain(2)
    weightless = Model(bodies=model.bodies, gravity=(0, 0, 0))
    assert "a_ground" in vanishing(weightless)
    turning = random_tree(4, joints=("universal",), seed=0)
    assert "H_dot" not in vanishing(turning)
    sprung = [replace(body, joint=Joint.revolute(stiffness=2.0, damping=1.0, armature=0.1)) for body in model.bodies]
    assert vanishing(Model(bodies=sprung)) == {"H_dot"}


@given(mechanisms(armature=True), st.integers(0, 1000), st.sampled_from(["body", "world"]))
@settings(max_examples=20, deadline=None)
def test_rates_are_derivatives(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    for symbol in s.LEAVES:
        rate = leaf_rate(symbol, frame)
        if rate is None:
            continue
        moving = any(one is s.v or one is s.H_dot for one in free_symbols(rate))
        found = evaluate(rate, model, q=q, v=v if moving else None, frame=frame).dense()
        value = evaluate(symbol, model, q=q, frame=frame).dense()
        expected = along(model, q, v, lambda q, e=symbol: evaluate(e, model, q=q, frame=frame).dense())
        assert apart(found, expected) <= allowed(1.0 + size(value), v), symbol


def test_what_has_no_word_for_its_rate() -> None:
    assert [symbol.name for symbol in s.LEAVES if leaf_rate(symbol) is None] == ["H_dot", "spring"]
    assert leaf_rate(s.v) is None


def test_names_are_only_names() -> None:
    """A leaf of another name has the same value: numbers follow the record, not its name."""
    model = random_tree(5, joints=("revolute", "universal", "helical"), seed=3)
    q, v = model.random(3)
    for symbol in s.LEAVES:
        assert symbol.leaf is not None
        renamed = leaf_symbol(replace(symbol.leaf, name="other_" + symbol.name))
        rates = v if symbol.leaf.reads_rates else None
        found, expected = (evaluate(e, model, q=q, v=rates).dense() for e in (renamed, symbol))
        assert np.array_equal(found, expected)
        assert digest(renamed) != digest(symbol)


def test_leaves_are_pickled_with_their_records() -> None:
    for symbol in s.LEAVES:
        assert pickle.loads(pickle.dumps(symbol)) is symbol
    renamed = leaf_symbol(replace(record.M, name="other_M"))
    again = pickle.loads(pickle.dumps(renamed @ s.phi.T))
    assert again is renamed @ s.phi.T


def test_a_record_is_found_by_its_name() -> None:
    assert all(leaf_named(leaf.name) is leaf for leaf in LEAVES)
    with pytest.raises(InputError, match=r"'X' is not a leaf of a model\. The leaves are E_phi, H,"):
        leaf_named("X")
