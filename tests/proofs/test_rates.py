"""Laws of rates follow from the definitions under the assumptions that they print, and their neighbours do not."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.identity import Identity, Twin
from operator_algebra.proofs.prove import prove
from operator_algebra.symbols import (
    E_phi,
    E_psi,
    H,
    H_dot,
    M,
    P,
    V,
    V_tilde,
    cross,
    delta,
    differentiate,
    pi_dot,
    rotation,
    rotation_delta,
)
from tests.often import some

SECONDS = 2.0
"""Of one core for each of them."""


def law(name: str) -> Identity:
    found = law_named(name)
    assert isinstance(found, Identity)
    return found


def own(name: str, lhs: Expr, rhs: Expr, *wrong: Expr) -> Identity:
    """A law that the catalogue has in other words."""
    return Identity(name, lhs, rhs, twins=tuple(Twin(f"slip {k}", lhs, one) for k, one in enumerate(wrong)))


_inboard = cross(E_phi.T @ V)
_idle = E_psi @ pi_dot - pi_dot @ E_psi.T - delta @ P + P @ delta.T

LAWS: dict[str, Identity] = {
    "F1g": own("rate of the shift", differentiate(E_phi), E_phi @ delta, -E_phi @ delta, delta @ E_phi),
    "F1i": own(
        "rate of the shift in axes of the base",
        differentiate(E_phi, frame="world"),
        E_phi @ delta + rotation @ E_phi - E_phi @ rotation,
        E_phi @ delta - rotation @ E_phi + E_phi @ rotation,
        E_phi @ rotation_delta + rotation @ E_phi - E_phi @ rotation,
    ),
    "F2g": law("rate of propagation"),
    "F2i": law("rate of propagation in axes of the base, by shifts"),
    "F3": own("turning joint maps", differentiate(H, frame="world"), H_dot - H @ rotation, H_dot + H @ rotation),
    "F4": own(
        "turning inertia", differentiate(M, frame="world"), rotation @ M + M @ rotation.T, rotation @ M - M @ rotation.T
    ),
    "F5": law("rate of joint inertia"),
    "F5i": law("rate of joint inertia in any axes"),
    "F6": law("rate of the gain"),
    "F7": law("rate of the projection"),
    "F8g": law("rate of the articulated shift"),
    "F8, closed": law("rate of the articulated shift through a joint without J"),
    "F9": law("rate of articulated propagation"),
    "F10b": law("rate of articulated inertia through a joint without J"),
    "F10g": law("rate of articulated inertia"),
    "F12g": law("a joint does not feel its own motion"),
    "F12h": law("a joint does not feel its own motion in what passes"),
    "F13": law("rate of propagation by velocities"),
    "F13b": own("shifted velocity", _inboard @ E_phi.T, E_phi.T @ V_tilde, V_tilde @ E_phi.T, -E_phi.T @ V_tilde),
    "F13b, forces": own(
        "shift of a velocity",
        E_phi @ V_tilde.T,
        V_tilde.T @ E_phi - E_phi @ delta,
        V_tilde.T @ E_phi,
        V_tilde.T @ E_phi + E_phi @ delta,
    ),
    "F14": law("rate of propagation, as a single joint feels it"),
    "F14g": law("rate of propagation, as a joint feels it"),
    "F18, 6.2": law("rate of the square root at a velocity"),
    "F20c": law("gradient of kinetic energy by articulated inertia"),
    "F21": law("rate of the mass matrix"),
    "F22": law("rate of the innovations factor"),
    "F23": law("rate of the inverse square root"),
    "(6.4)": law("rate of articulated inertia through a turning joint"),
    "6.1, F15": law("rate of the square root of the mass matrix"),
    "(2.1)": law("velocity terms as derivatives, single joints"),
    "(6.16a)": law("gradient of kinetic energy, single joints"),
    "(6.16c)": law("gradient of kinetic energy by P, turning joints"),
    "7.1": law("velocity terms in normalised rates"),
    "(7.5)": own("what is skew in (7.1)", _idle.T, -_idle, _idle, (V_tilde.T @ M).T - _idle),
    "7.3": law("velocity terms in total rates"),
    "ν* C_ν = 0": law("normalised velocity terms do no work"),
}


@pytest.mark.parametrize("name", LAWS)
def test_it_is_proved_in_time(name: str) -> None:
    start = time.process_time()
    proof = prove(LAWS[name], seconds=60)
    spent = time.process_time() - start
    assert proof, str(proof)
    assert spent < SECONDS * len(proof.readings)


ASSUMED = {
    "1-DOF": "joints have one degree of freedom",
    "revolute": "joints turn about an axis through the origin of the body",
    "constant joint maps": "joint maps are constant in the axes of the body",
    "closed joints": "brackets of motions of a joint are motions of the joint",
}
"""What is printed for the words of a domain that are axioms."""


@pytest.mark.parametrize("name", LAWS)
def test_it_assumes_what_its_domain_says_of_joints(name: str) -> None:
    of_joints = {text for text in prove(LAWS[name], seconds=60).assumptions if text in ASSUMED.values()}
    assert of_joints == {ASSUMED[word] for word in LAWS[name].domain if word in ASSUMED}


SLIPS = [(name, k) for name, one in LAWS.items() for k in range(len(one.twins))]


@pytest.mark.parametrize(("name", "slip"), some(SLIPS, each=3))
def test_its_neighbours_are_not(name: str, slip: int) -> None:
    twin = LAWS[name].twins[slip]
    assert isinstance(twin, Twin)
    found = prove(Identity(twin.slip, twin.lhs, twin.rhs, domain=LAWS[name].domain), seconds=2)
    assert not found
    assert found.verdict == "REFUTED"


WRITTEN_IN = [("F20c", "constant joint maps"), ("(6.16a)", "constant joint maps")]
"""Where the sides are derivatives that were formed with it."""

FEWER: list[tuple[str, str]] = [
    (name, word)
    for name, one in LAWS.items()
    for word in one.domain
    if word in ASSUMED and (name, word) not in WRITTEN_IN
]


@pytest.mark.parametrize(("name", "word"), some(FEWER, each=3))
def test_no_word_of_its_domain_is_left_out(name: str, word: str) -> None:
    whole = LAWS[name]
    less = replace(whole, domain=tuple(one for one in whole.domain if one not in (word, "any J", "any G")), twins=())
    assert not prove(less, seconds=1), word
