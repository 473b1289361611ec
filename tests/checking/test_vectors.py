"""What is kept of vectors from law to law changes nothing, and is forgotten in time."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from operator_algebra.checking import vectors
from operator_algebra.checking.column import Column
from operator_algebra.checking.prober import Prober
from operator_algebra.checking.scene import Sample
from operator_algebra.checking.suite import mechanism
from operator_algebra.checking.vectors import Vectors
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import FORCE, TORQUE
from operator_algebra.symbols import H, M, phi

_LAYOUT = Layout.of(np.full(4, 6))


def _samples() -> list[Sample]:
    model = mechanism("tree20")
    return [Sample.draw(model, 3, "body"), Sample.draw(model, 4, "world")]


def test_numbers_do_not_depend_on_what_was_asked_before() -> None:
    known, fresh = Vectors([5, 6]), Vectors([5, 6])
    for bodies in (None, (1,), None):
        known.random(FORCE, _LAYOUT, bodies)
    known.begin()
    first, second = (known.random(FORCE, _LAYOUT, None).entries for _ in range(2))
    expected = np.stack([np.random.default_rng([seed, 1]).standard_normal(48) for seed in (5, 6)])
    assert np.array_equal(np.concatenate([first, second], axis=1)[..., 0], expected)
    assert np.array_equal(fresh.random(FORCE, _LAYOUT, None).entries, first)


def test_a_vector_on_a_few_bodies_is_zero_elsewhere() -> None:
    drawn = Vectors([5])
    part = drawn.random(FORCE, _LAYOUT, (1, 3)).entries.reshape(4, 6)
    drawn.begin()
    whole = drawn.random(FORCE, _LAYOUT, None).entries.reshape(4, 6)
    assert np.array_equal(part[[1, 3]], whole[[1, 3]])
    assert not part[[0, 2]].any()


def test_laws_are_told_the_same_by_a_prober_that_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    laws = [law for law in catalogue("*").values() if isinstance(law, Identity) and law.theme != "noise"][::6]
    keeping = Prober(mechanism("tree20"), _samples())

    def sides(prober: Prober, law: Identity) -> list[Column]:
        prober.begin()
        x = prober.random(law.lhs.type.domain)
        return [prober.apply(side, x) for side in (law.lhs, law.rhs)]

    found = [sides(keeping, law) for law in laws]
    monkeypatch.setattr(vectors, "_ROOM", 0)
    forgetting = Prober(mechanism("tree20"), _samples())
    for law, known in zip(laws, found, strict=True):
        for kept, computed in zip(known, sides(forgetting, law), strict=True):
            assert np.array_equal(kept.entries, computed.entries), law.name
            assert np.array_equal(kept.size, computed.size), law.name
            assert np.array_equal(kept.worst.condition, computed.worst.condition), law.name


def test_what_both_sides_have_in_common_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    prober = Prober(mechanism("tree20"), _samples())
    asked: list[tuple[Expr, int]] = []
    applied = vars(Prober)["_applied"]

    def counted(self: Prober, e: Expr, x: Column) -> Column:
        asked.append((e, id(x)))
        return applied(self, e, x)

    monkeypatch.setattr(Prober, "_applied", counted)
    law = law_named("innovations factorization")
    assert isinstance(law, Identity)
    x = prober.random(TORQUE)
    for side in (law.lhs, law.rhs, law.lhs):
        prober.apply(side, x)
    assert len(asked) == len(set(asked))


def test_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_ROOM", 3 * _LAYOUT.size)
    kept = Vectors([5])
    x = kept.random(FORCE, _LAYOUT, None)
    made = [kept.kept(e, x, Column.of(x.entries + k)) for k, e in enumerate((H, M, phi, phi @ M))]
    assert [kept.known(e, x) for e in (H, M, phi, phi @ M)] == [*made[:3], None]
    kept.begin()
    assert kept.random(FORCE, _LAYOUT, None) is not x


def test_what_is_made_of_a_vector_goes_with_it() -> None:
    kept = Vectors([5])
    x = Column.of(np.ones((1, 6, 1)))
    y = kept.kept(M, x, Column.of(np.ones((1, 6, 1))))
    kept.kept(phi, y, Column.of(np.ones((1, 6, 1))))
    kept.kept(phi @ M, x, x)
    made = vars(kept)["_made"]
    assert len(made) == 2
    del x, y
    gc.collect()
    assert not len(made)


def test_wide_arrays_are_not_kept() -> None:
    kept = Vectors([5])
    wide = Column.of(np.ones((1, 6, 17)))
    kept.kept(M, wide, Column.of(np.ones((1, 6, 17))))
    assert kept.known(M, wide) is None
