"""Names in Unicode and LaTeX: the table, the rule, and that nothing collides."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.expressions.lookup import Names
from operator_algebra.expressions.names import GREEK, MARKS, SPECIAL, canonical, latex_name, unicode_name, written
from operator_algebra.symbols import I, phi, tau_bar, vocabulary

WORDS = st.sampled_from([*GREEK, *MARKS, *"aPVHqx", "dd", "qdd", "ext", "1", "J", "ell", "E", "ground"])
IDENTIFIERS = st.lists(WORDS, min_size=1, max_size=4).map("_".join).filter(str.isidentifier)


@pytest.mark.parametrize(
    ("name", "text", "latex"),
    [
        ("E_phi", "E_φ", r"\mathcal{E}_\phi"),
        ("tau_bar", "τ̄", r"\bar{\tau}"),
        ("psi_tilde", "ψ̃", r"\tilde{\psi}"),
        ("P_plus", "P⁺", "P^{+}"),
        ("qdd", "q̈", r"\ddot{q}"),
        ("Upsilon_plus", "Υ⁺", r"\Upsilon^{+}"),
        ("a_ground", "a_ground", r"a_{\mathrm{ground}}"),
        ("f_ext", "f_ext", r"f_{\mathrm{ext}}"),
        ("ell", "ℓ", r"\ell"),
        ("D_J", "D_J", "D_{J}"),
        ("tau_bar_J", "τ̄_J", r"\bar{\tau}_{J}"),
        ("H_dot", "Ḣ", r"\dot{H}"),
        ("V_tilde", "Ṽ", r"\tilde{V}"),
        ("rotation_delta", "Ω̃_δ", r"\tilde{\Omega}_\delta"),
        ("armature", "armature", r"\mathrm{armature}"),
        ("J_rotor_2", "J_rotor_2", r"J_{\mathrm{rotor},2}"),
        ("joint_stiffness", "joint_stiffness", r"\mathrm{joint\_stiffness}"),
        ("Omega_tilde", "Omega_tilde", r"\tilde{\Omega}"),
    ],
)
def test_table(name: str, text: str, latex: str) -> None:
    assert unicode_name(name) == unicodedata.normalize("NFC", text)
    assert latex_name(name) == latex
    assert written(name, "ascii") == name


@given(IDENTIFIERS, IDENTIFIERS)
def test_different_names_look_different(one: str, other: str) -> None:
    assert (one == other) == (unicode_name(one) == unicode_name(other))
    assert (one == other) == (canonical(unicode_name(one)) == canonical(unicode_name(other)))


@given(IDENTIFIERS)
def test_every_form_leads_back(name: str) -> None:
    names = Names({name: phi})
    forms = [name, unicode_name(name)]
    for form in forms + [unicodedata.normalize(kind, form) for form in forms for kind in ("NFC", "NFD")]:
        assert names[form] is phi


def test_the_vocabulary_has_no_two_names_alike() -> None:
    forms = [canonical(form) for name in vocabulary() for form in {name, unicode_name(name)}]
    assert len(forms) == len(set(forms))
    assert set(SPECIAL) - set(vocabulary()) <= {
        "mass_matrix",
        "mass_matrix_ring",
        "mass_matrix_along_w",
        "P_perp",
        "xdd",
    }


@pytest.mark.parametrize("text", ["φ", "ϕ", "𝜑", "𝛗", "phi"])
def test_look_alikes(text: str) -> None:
    assert Names(vocabulary())[text] is phi


@pytest.mark.parametrize("text", ["τ\u0304", "𝜏\u0304", "tau_bar"])
def test_composed_and_combining_forms(text: str) -> None:
    assert Names(vocabulary())[text] is tau_bar


def test_identity_is_always_known() -> None:
    assert Names({})["I"] is I
