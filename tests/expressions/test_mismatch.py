"""Ill-typed formulas fail when they are built, in the promised words, with a repair that can be pasted."""

import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions.build import inv, root
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.ring import matmul
from operator_algebra.markup import width
from operator_algebra.symbols import D, E_phi, H, I, K, M, P, T, V, parse, phi, psi, qdd, v
from tests.expression_strategies import LEAVES, names_in


def message(make: Callable[[], object], error: type[Exception] = SpaceMismatch) -> str:
    with pytest.raises(error) as caught:
        make()
    return str(caught.value)


def test_phi_and_its_star() -> None:
    assert message(lambda: phi @ phi.T) == (
        "cannot compose φ with φ*.\n"
        "  φ* : motion → motion delivers motion;  φ : force → force takes force.\n"
        "  A map motion → force belongs between them: M or P. Did you mean φ M φ*?"
    )


def test_a_missing_star() -> None:
    assert message(lambda: H @ qdd) == (
        "cannot compose H with q̈.\n  q̈ : one → rate delivers rate;  H : force → torque takes force.  Did you mean H* q̈?"
    )
    assert "Did you mean φ* H*?" in message(lambda: phi @ H.T)


def test_the_innermost_place_is_underlined() -> None:
    lines = message(lambda: (H @ phi) @ (phi.T @ H.T)).split("\n")
    assert lines[:3] == ["cannot compose φ with φ*", "    H φ φ* H*", "      ^^^^"]
    lines = message(lambda: (phi @ M) @ (phi @ M)).split("\n")
    assert lines[:3] == ["cannot compose M with φ", "    φ M φ M", "      ^^^"]


def test_underlines_count_columns_and_not_characters() -> None:
    lines = message(lambda: matmul(parse("τ̄ ψ̃"), V)).split("\n")
    assert lines[1:3] == ["    τ̄ ψ̃ V", "      ^^^"]


def test_a_long_product_is_cut_around_the_place() -> None:
    lines = message(lambda: matmul(*[phi] * 200, M, phi, *[psi] * 200)).split("\n")
    assert all(width(line) <= 100 for line in lines)
    assert lines[1].strip().startswith("…")
    assert lines[1].strip().endswith("…")
    start = lines[2].index("^")
    assert lines[1][start : start + lines[2].count("^")] == "M φ"


def test_sums() -> None:
    assert message(lambda: phi + M) == (
        "cannot add φ (force → force) and M (motion → force): they take different spaces."
    )
    assert message(lambda: I + H) == (
        "cannot add I and H (force → torque): I maps a space to itself, H maps force to torque."
    )
    assert message(lambda: phi + phi.T).endswith("they take and deliver different spaces.")
    assert message(lambda: phi + psi.T).endswith("different spaces. Did you mean φ + ψ?")
    assert "Did you mean" not in message(lambda: H @ phi - K)


def test_star_of_two_operators() -> None:
    assert message(lambda: phi * M, InputError) == (
        "φ * M multiplies two operators: * is for numbers. "
        "Write phi @ M for the product, or phi.T @ M if the star was meant as the adjoint."
    )
    assert "Write phi @ (M + P) for" in message(lambda: H @ phi * (M + P), InputError)


def test_an_inverse_too_much() -> None:
    assert "Did you mean M V?" in message(lambda: inv(M) @ V)
    assert "Did you mean D v?" in message(lambda: inv(D) @ v)


def test_a_repair_must_type_as_a_whole() -> None:
    text = message(lambda: matmul(H.T, D, E_phi))
    assert "Did you mean" not in text


@given(
    st.lists(st.sampled_from([e for group in LEAVES.values() for e in group] + [T, V, v, qdd]), min_size=2, max_size=5)
)
def test_every_suggestion_can_be_pasted(factors: list[Expr]) -> None:
    try:
        matmul(*factors)
    except SpaceMismatch as error:
        text = str(error)
    else:
        text = ""
    assume(text)
    lines = text.split("\n")
    assert lines[0].startswith("cannot compose ")
    assert all(width(line) <= 120 for line in lines)
    names = {name: e for factor in factors for name, e in names_in(factor).items()}
    for suggestion in re.findall(r"Did you mean (.*)\?", text):
        read = parse(suggestion, names)
        assert isinstance(read, Expr)
        assert read.typed


def test_messages_stay_short_for_large_formulas() -> None:
    e: Expr = phi
    for _ in range(80):
        e = inv(I + e @ K @ H @ e)
    for make in (lambda: e @ V, lambda: e + M, lambda: root(e), lambda: inv(e @ K), lambda: e.substitute({e: M})):
        assert len(message(make)) < 800
    assert len(message(lambda: e * M, InputError)) < 800
    assert len(message(lambda: e / 0, InputError)) < 800
    assert P.type == M.type
