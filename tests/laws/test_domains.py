"""Domains are tight: outside of them a mechanism refutes the law."""

from dataclasses import replace

import pytest

from operator_algebra.checking.suite import in_domain
from operator_algebra.checking.verdict import readings
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Law
from operator_algebra.identities.themes.noise import J
from operator_algebra.identities.variants import with_noise
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.proofs.prove import prove
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.laws.verdicts import FORMAL, SMALL, fresh, refuted, verdicts
from tests.models.test_custom_joints import Cam

LAWS = list(catalogue().values())
BALL = Inertia.sphere(1.0, 0.1, com=(0.2, 0.1, 0.0))
CAMS = Model(
    name="cams",
    bodies=[
        Body("a", None, Joint.revolute((0, 1, 0)), inertia=BALL),
        Body("b", "a", Cam(lift=0.3), Placement.from_rpy((0.3, 0.2, 0.1), (0.2, 0, 0.1)), BALL),
        Body("c", "b", Cam(lift=0.4), Placement.from_rpy((0.5, 0.1, 0.2), (0.1, 0.3, 0)), BALL),
        Body("d", "a", Joint.prismatic((1, 0, 0)), inertia=BALL),
    ],
)
"""Joints of one degree of freedom whose maps change with the pose: the package has none."""


def _speaking(word: str) -> list[Law]:
    return [law for law in LAWS if word in law.domain]


@pytest.mark.parametrize("law", _speaking("J = 0"), ids=lambda law: law.name)
def test_a_law_for_no_J_fails_with_J(law: Law) -> None:
    assert refuted(with_noise(law, J))


def _without(law: Law, word: str) -> Law:
    return replace(law, domain=tuple(other for other in law.domain if other != word))


@pytest.mark.parametrize("word", ["serial", "free base", "1-DOF", "revolute", "constant joint maps"])
def test_a_law_for_some_mechanisms_fails_on_others(word: str) -> None:
    laws = _speaking(word)
    assert laws
    kept = {
        law.name for law in laws if not (refuted(_without(law, word)) or "FAILS" in fresh(_without(law, word), CAMS, 1))
    }
    assert kept == ({law.name for law in laws} & FORMAL if word == "constant joint maps" else set())
    assert not any(refuted(law) for law in laws)


@pytest.mark.parametrize("law", _speaking("closed joints"), ids=lambda law: law.name)
def test_a_law_for_closed_joints_needs_more_than_constant_maps(law: Law) -> None:
    """A joint with a constant map whose motions are not closed would not keep to a surface of poses: models have none.

    Blocks of numbers may be such a map. Where maps may change, a universal joint refutes the law.
    """
    assert law.domain[0] == "closed joints"
    assert prove(_without(law, "closed joints"), seconds=2).verdict == "REFUTED"
    assert "FAILS" in verdicts(replace(law, domain=("J = 0",)), "universal-outboard")


@pytest.mark.parametrize("law", _speaking("1-DOF"), ids=lambda law: law.name)
def test_a_law_for_single_joints_holds_for_those_of_users(law: Law) -> None:
    assert "FAILS" not in fresh(law, CAMS, 2)
    assert in_domain(law, CAMS) == ("constant joint maps" not in law.domain)


def test_wider_readings_are_judged_too() -> None:
    names = [reading.name for reading in readings(law_named("factor inverse"))]
    assert names == ["factor inverse", "factor inverse, with J", "factor inverse, for any G"]
    assert [reading.name for reading in readings(law_named("gain normalisation"))] == ["gain normalisation"]


def test_a_gain_that_is_not_any_gain_is_seen() -> None:
    claimed = replace(law_named("innovations factorization"), domain=("any G",))
    assert refuted(claimed)


@pytest.mark.parametrize("law", _speaking("any J"), ids=lambda law: law.name)
def test_a_law_for_any_J_needs_what_J_brings(law: Law) -> None:
    assert all(set(verdicts(law, name)) <= {"holds"} for name in SMALL)
