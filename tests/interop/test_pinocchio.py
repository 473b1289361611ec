"""What is refused on the way to Pinocchio; its numbers are compared in the tests of dynamics."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.errors import ModelError
from operator_algebra.interop.pinocchio import twin


def body(name: str, parent: str | None, joint: oa.Joint) -> oa.Body:
    return oa.Body(name, parent, joint, inertia=oa.Inertia(1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)))


def test_kinds_that_it_has_not_are_named() -> None:
    pytest.importorskip("pinocchio")
    with pytest.raises(ModelError, match="Pinocchio has no joint of kind 'universal' here"):
        twin(oa.chain(2, joint="universal"))


def test_armature_is_part_of_the_mass_matrix() -> None:
    pin = pytest.importorskip("pinocchio")
    joint = oa.Joint.revolute(axis=(0, 0, 1), armature=0.5)
    other = twin(oa.Model(bodies=[body("arm", None, joint)]))
    assert pin.crba(other.model, other.data, other.q(other.origin.neutral()))[0, 0] == pytest.approx(0.5 + 0.1 + 0.01)
