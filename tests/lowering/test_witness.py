"""The compiler as second witness: it makes one value of the sides of true laws only, and of many of them."""

from __future__ import annotations

import pytest

from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity, Twin
from operator_algebra.identities.variants import wider
from operator_algebra.lowering.witness import one_value
from tests.often import some

READINGS = [one for law in catalogue().values() for one in wider(law) if isinstance(one, Identity)]
TWINS = [(law.name, twin) for law in catalogue().values() for twin in law.twins if isinstance(twin, Twin)]


@pytest.mark.parametrize(
    "claim",
    [
        "inv(I + H phi K) = I - H psi K",
        "phi - psi = phi K H psi",
        "phi - psi = psi K H phi",
        "phi E_phi = phi - I",
        "tau tau = tau",
        "M = P - E_psi P E_phi'",
        "inv(H phi M phi' H') T = (I - H psi K)' inv(D) (I - H psi K) T",
    ],
)
def test_it_is_a_witness_of(claim: str) -> None:
    lhs, rhs = (formula(side, "a test") for side in claim.split(" = "))
    assert one_value(lhs, rhs)


def test_of_how_many_laws_it_is() -> None:
    """Those with a gain, without rates: all that goes one way, and what is local."""
    laws = [one for one in READINGS if one.theme in ("propagation", "projections")]
    assert sum(one_value(one.lhs, one.rhs) for one in laws) >= 0.9 * len(laws)


@pytest.mark.parametrize(
    ("name", "twin"), some(TWINS, each=8), ids=lambda one: one if isinstance(one, str) else one.slip
)
def test_of_nothing_false(name: str, twin: Twin) -> None:
    lhs, rhs = twin.lhs, twin.rhs
    assert isinstance(lhs, Expr)
    assert isinstance(rhs, Expr)
    assert not one_value(lhs, rhs), name
