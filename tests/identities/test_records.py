"""The records of laws: complete, distinct, and found by name, theme and symbol."""

from dataclasses import fields

import pytest

from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.normalize import normalize
from operator_algebra.expressions.traverse import postorder
from operator_algebra.identities.catalogue import THEMES, catalogue, law_named, laws_about, laws_of, sides
from operator_algebra.identities.identity import Identity, Law, Statement, Twin
from operator_algebra.identities.themes.noise import J
from operator_algebra.identities.variants import with_any_gain, with_noise
from operator_algebra.symbols import D, G, H, I, M, Upsilon, innovations, phi, tau

LAWS = list(catalogue().values())


def _gaps(law: Identity) -> set[Expr]:
    gap = law.lhs - law.rhs
    return {normalize(e) for e in (gap, -1 * gap, gap.T, -1 * gap.T)}


def test_no_two_laws_say_the_same() -> None:
    seen: dict[Expr, str] = {}
    for law in LAWS:
        if isinstance(law, Identity):
            gaps = _gaps(law)
            said = {seen[gap] for gap in gaps if gap in seen}
            assert not said, f"{law.name} says what {said} says"
            seen |= dict.fromkeys(gaps, law.name)
    statements = [(law.rule, law.lhs, law.rhs) for law in LAWS if isinstance(law, Statement)]
    assert len(statements) == len(set(statements))


def test_no_law_is_true_by_writing_alone() -> None:
    trivial = [law.name for law in LAWS if isinstance(law, Identity) and normalize(law.lhs) is normalize(law.rhs)]
    assert trivial == []


def test_records_are_complete() -> None:
    assert len(LAWS) >= 110
    for law in LAWS:
        assert law.theme in THEMES
        assert law.idea.endswith(".")
        assert law.twins
        assert not law.misprint or law.cites


def test_every_theme_has_laws_in_reading_order() -> None:
    assert [law.name for theme in THEMES for law in laws_of(theme)] == list(catalogue())
    with pytest.raises(InputError, match="no theme 'ring'"):
        laws_of("ring")


def test_patterns_and_near_misses() -> None:
    assert list(catalogue("*INVERSE mass*")) == ["inverse mass matrix", "inverse mass matrix, expanded",
                                                "diagonal of the inverse mass matrix"]  # fmt: skip
    assert set(catalogue("riccati")) >= {law.name for law in laws_of("riccati")}
    with pytest.raises(InputError, match="Did you mean 'factor inverse'"):
        law_named("factor invers")


def test_laws_about_a_symbol() -> None:
    names = {law.name for law in laws_about(Upsilon)}
    assert "costate covariance" in names
    assert "factor inverse" not in names


def test_sides_must_fit() -> None:
    with pytest.raises(SpaceMismatch, match=r'"slip" equates .* They|map different spaces'):
        Identity("slip", H @ phi, phi @ M)
    with pytest.raises(SpaceMismatch, match="Put an operator with a type beside I"):
        Identity("slip", I, I)
    with pytest.raises(SpaceMismatch):
        Twin("slip", H, D)


def test_I_takes_the_type_of_the_other_side() -> None:
    law = Identity("normalised", I, H @ G)
    assert law.lhs.type == law.rhs.type


def test_a_law_reads_well() -> None:
    law = law_named("innovations factorization")
    assert law.formula() == "H φ M φ* H* = (I + H φ K) D (I + K* φ* H*)"
    assert law.formula("ascii") == "H phi M phi' H' = (I + H phi K) D (I + K' phi' H')"
    assert repr(law) == f"innovations factorization: {law.formula()}   factorization"
    assert str(law_named("a joint removes inertia")) == "a joint removes inertia: P⁺ ≤ P"


def test_the_reading_with_J_changes_the_mass_matrix_and_the_names() -> None:
    law = with_noise(law_named("inverse mass matrix"), J)
    assert law.formula() == "(H φ M φ* H* + J)⁻¹ = (I − K_J* ψ_J* H*) D_J⁻¹ (I − H ψ_J K_J)"
    energy = with_noise(law_named("kinetic energy"), J)
    assert energy.formula() == "v* (H φ M φ* H* + J) v = ν_J* ν_J"


def test_the_reading_for_any_gain_mentions_no_riccati_equation() -> None:
    plain = innovations(0)
    names = {getattr(plain, field.name) for field in fields(plain)}

    def mentions(law: Law) -> bool:
        return any(node in names for side in sides(law) for node in postorder(side))

    law = law_named("factor inverse")
    assert mentions(law)
    assert not mentions(with_any_gain(law))


def test_misprints_become_twins_where_they_are_well_typed() -> None:
    twins = law_named("Jacobi identity").twins
    assert any(isinstance(twin, Twin) and twin.slip == "as printed" for twin in twins)
    assert tau @ tau == law_named("projection").lhs
