"""Formulas from text: every form that is read, every mistake that is refused, and where it is shown."""

import contextlib
import re
import unicodedata
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from operator_algebra.errors import InputError, OperatorAlgebraError, ParseError, SpaceMismatch
from operator_algebra.expressions.build import diag, inv, local, one, root, scalar, zero
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.parse import parse_claim
from operator_algebra.expressions.query import Combination, Place, Query, trace
from operator_algebra.expressions.ring import retype
from operator_algebra.markup import width
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE
from operator_algebra.symbols import D, E_phi, H, I, K, M, P, T, V, cross, parse, phi, psi, tau_bar, v, vocabulary
from tests.expression_strategies import expressions, names_in

MASS = H @ phi @ M @ phi.T @ H.T
h = scalar("h")


def operator(text: str, names: dict[str, Expr] | None = None) -> Expr:
    """A text that says an operator."""
    read = parse(text, names)
    assert isinstance(read, Expr)
    return read


@given(expressions(depth=4), st.booleans(), st.booleans())
def test_rendering_is_read_back(e: Expr, ascii_only: bool, decomposed: bool) -> None:
    text = e.render("ascii" if ascii_only else "unicode")
    text = unicodedata.normalize("NFD" if decomposed else "NFC", text)
    assert retype(operator(text, names_in(e)), e.type) is e


PLACES = st.integers(-99, 99) | st.text(max_size=8)


@given(expressions(depth=3), st.sampled_from(["trace", "logdet", "dense", "block"]), PLACES, PLACES, st.booleans())
def test_questions_are_read_back(e: Expr, kind: Any, i: Place, j: Place, ascii_only: bool) -> None:
    asked = Query(kind, e, (i, j) if kind == "block" else ())
    assume(kind == "dense" or (e.type.same_sizes if kind != "block" else e.type.codomain.attached))
    assume(kind != "block" or e.type.domain.attached)
    names = names_in(e)
    read = parse(asked.render("ascii" if ascii_only else "unicode"), names)
    assert isinstance(read, Query)
    assert (read.kind, retype(read.body, e.type), read.places) == (asked.kind, e, asked.places)


def test_sums_of_answers_are_read_back() -> None:
    for text in ("2 trace(M) − 1/2 logdet(D) + 3", "−trace(M)", "trace(M) − 1", "−7", "0", 'block(M, "a\\"b", −1) + 0'):
        left, right = parse_claim(f"{text} = trace(M)", vocabulary())
        again, _ = parse_claim(f"{left.render('ascii')} = trace(M)", vocabulary())
        assert (again, right) == (left, Query("trace", M))
    assert parse_claim("trace(M) + trace(M) = 2 trace(M)", vocabulary())[0] == Combination(((Fraction(2), trace(M)),))
    assert parse_claim("trace(M) - trace(M) = 0", vocabulary()) == (Combination(()), Combination(()))


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("trace(M) P", "multiplied by numbers alone"),
        ("M + trace(P)", "cannot be added to an answer"),
        ("H trace(P)", "multiplied by numbers alone"),
        ("inv(trace(P))", "a question is no part of a formula"),
        ("trace(M)'", "the adjoint of an answer"),
        ("2 trace(M)", "a question is no part of a formula"),
        ("block(M)", "Write block(X, 0, 2)"),
        ("block(M, 0)", "a block stands at two bodies"),
        ("block(M, 0, 1, 2)", "a block stands at two bodies"),
        ("block(M, 0.5, 0)", "a block stands at two bodies"),
        ("block(M, 0, P)", "a block stands at two bodies"),
        ('"hip"', "an operator is missing before"),
        ("trace(H)", "different block sizes"),
        ("trace(M, P)", "trace takes one operator"),
        ("trace", "Write trace(X)"),
    ],
)
def test_questions_that_are_none(text: str, wording: str) -> None:
    with pytest.raises((ParseError, InputError, SpaceMismatch), match=re.escape(wording)):
        parse(text)


@pytest.mark.parametrize(
    ("text", "e"),
    [
        ("trace(φ M φ*)", Query("trace", phi @ M @ phi.T)),
        ("logdet(D)", Query("logdet", D)),
        ("dense(H φ)", Query("dense", H @ phi)),
        ("block(φ, 0, -1)", Query("block", phi, (0, -1))),
        ("block(φ', 'hip', \"left knee\")", Query("block", phi.T, ("hip", "left knee"))),
        ("(trace(M))", Query("trace", M)),
        ("H φ M φ* H*", MASS),
        ("H phi M phi' H'", MASS),
        ("H @ phi @ M @ phi.T @ H.T", MASS),
        ("H phi M phi’ H′", MASS),
        ("  H\tphi\nM phi'H' ", MASS),
        ("H* v", H.T @ v),
        ("H*v", H.T @ v),
        ("(H φ)*", (H @ phi).T),
        ("inv(I - E_phi)", inv(I - E_phi)),
        ("(I − E_φ)⁻¹", inv(I - E_phi)),
        ("φ⁻*", inv(phi.T)),
        ("φ*⁻¹", inv(phi.T)),
        ("2 phi", 2 * phi),
        ("2 * phi", 2 * phi),
        ("2phi", 2 * phi),
        ("phi * 2", 2 * phi),
        ("phi / 4", phi / 4),
        ("1/2 V* M V", V.T @ M @ V / 2),
        ("0.5 V' M V", V.T @ M @ V / 2),
        (".5e1 M", 5 * M),
        ("2 (1/3 + 1) M", 8 * M / 3),
        ("- M + P", -M + P),
        ("+M − -P", M + P),
        ("M - (P - M)", M - (P - M)),
        ("h M", h * M),
        ("(1 + h) M", (1 + h) * M),
        ("(h - 1/2 + h) M", (h - 0.5 + h) * M),
        ("(2 - v* T) M", (2 - v.T @ T) * M),
        ("h * M", h * M),
        ("M * h", h * M),
        ("v' D v * M", (v.T @ D @ v) * M),
        ("(v' D v) M", (v.T @ D @ v) * M),
        ("H τ̄ φ", H @ tau_bar @ phi),
        ("root(D)'", root(D).T),
        ("diag(phi M)", diag(phi @ M)),
        ("cross(H' v)", cross(H.T @ v)),
        ("spin(V)", local("spin", V)),
        ("0", zero()),
        ("M + 0", M),
        ("0 M + P", P),
        ("I", I),
        ("((phi))", phi),
    ],
)
def test_forms(text: str, e: Expr | Query) -> None:
    read = parse(text, {"h": h})
    assert read == e if isinstance(e, Query) else read is e


@pytest.mark.parametrize(
    ("text", "guilty", "wording"),
    [
        ("H ph M", "ph", "Did you mean phi"),
        ("Hφ M", "Hφ", "Did you mean H φ? Names are separated by blanks"),
        ("H lambda_x", "lambda_x", "Known names: I, E_phi"),
        ("h phi", "h", "Did you mean H?"),
        ("H phi (M", "(", "never closed"),
        ("inv(D", "(", "never closed"),
        ("H phi M)", ")", "closed that was not opened"),
        ("H +", "", "an operator is missing before the end"),
        ("H (+ ) phi", ")", "missing before ')'"),
        ("() phi", ")", "missing before ')'"),
        ("M + * P", "*", "missing before '*'"),
        ("H ** 2", "**", "powers are not written"),
        ("H^2", "^", "powers are not written"),
        ("H²", "²", "Powers are written out"),
        ("H · phi", "·", "A blank or @ composes"),
        ("[H]", "[", "round parentheses"),
        ("phi†", "†", "The adjoint is X* or X'"),
        ("inv D", "inv", "Write inv(X)"),
        ("2", "2", "Write 2 I for a multiple of I"),
        ("M + 2", "2", "Write 2 I for a multiple of I"),
        ("M/0", "0", "divide by zero"),
        ("M/P", "P", "operators are not divided"),
        ("2' M", "'", "the adjoint of a number"),
        ("M, P", ",", "stands between the arguments"),
        ("M = P", "=", 'A claim is one "lhs = rhs"'),
        ("1e9999 M", "1e9999", "too long"),
        ("M \x00", "\x00", "cannot read"),
    ],
)
def test_mistakes_are_underlined(text: str, guilty: str, wording: str) -> None:
    with pytest.raises(ParseError, match=re.escape(wording)) as caught:
        parse(text)
    lines = str(caught.value).split("\n")
    underlined(lines, guilty)
    assert lines[0].strip() == lines[0] != ""


def underlined(lines: list[str], guilty: str) -> None:
    """Check that the carets stand below the guilty part."""
    carets = next(i for i, line in enumerate(lines) if re.fullmatch(r" *\^+", line))
    start = lines[carets].index("^")
    below = [c for c in lines[carets - 1] if width(c)]
    shown = "".join(below[start : lines[carets].rindex("^") + 1])
    assert shown == "".join(" " if c == "\x00" else c for c in guilty if width(c))


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_nothing_is_no_formula(text: str) -> None:
    with pytest.raises(ParseError, match="a formula is empty"):
        parse(text)


def test_a_product_of_operators_with_a_spaced_star_offers_both_readings() -> None:
    with pytest.raises(InputError, match=r"phi @ M for the product, or phi\.T @ M") as caught:
        parse("H phi * M")
    underlined(str(caught.value).split("\n"), "phi * M")


@pytest.mark.parametrize(
    ("text", "guilty", "repair"),
    [
        ("H φ φ* H*", "φ φ*", "φ M φ*"),
        ("φ H* v", "φ H*", "φ* H*"),
        ("2 H q̈", "H q̈", "H* q̈"),
        ("inv(M) V", "inv(M) V", "M V"),
        ("φ M φ H*", "M φ", "M φ*"),
    ],
)
def test_ill_typed_products_are_shown_in_the_text_with_a_repair_that_types(text: str, guilty: str, repair: str) -> None:
    with pytest.raises(SpaceMismatch) as caught:
        parse(text)
    message = str(caught.value)
    underlined(message.split("\n"), guilty)
    (suggested,) = re.findall(r"Did you mean (.*)\?", message)
    assert suggested == repair
    assert operator(suggested).typed


def test_ill_typed_sums_name_the_term() -> None:
    with pytest.raises(SpaceMismatch, match="they take different spaces") as caught:
        parse("φ + ψ − M")
    underlined(str(caught.value).split("\n"), "M")


def test_names_may_be_given_and_override() -> None:
    assert parse("phi", {"phi": psi}) is psi
    assert parse("φ", {"phi": psi}) is psi
    assert parse("φ", {"φ": psi}) is psi
    with pytest.raises(InputError, match="stands for a int"):
        parse("x", {"x": 1})  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="a formula is a text"):
        parse(3)  # pyright: ignore[reportArgumentType]


def test_claims_type_one_side_by_the_other() -> None:
    names = vocabulary()
    assert parse_claim("φ (I − E_φ) = I", names) == (phi @ (I - E_phi), one(FORCE >> FORCE))
    assert parse_claim("0 = H τ̄ P H*", names)[0] == zero(RATE >> TORQUE)
    assert parse_claim("(I + H phi K) D == D + H phi K D", names)[1] == D + H @ phi @ K @ D
    assert parse_claim("I = I", names) == (I, I)


@pytest.mark.parametrize(
    ("text", "error", "wording"),
    [
        ("H phi", ParseError, "the claim has no '='"),
        ("H = phi = K", ParseError, "'=' is out of place"),
        ("= phi", ParseError, "empty"),
        ("phi =", ParseError, "empty"),
        ("(phi = psi)", ParseError, "'=' is out of place"),
        ("H = phi", SpaceMismatch, "cannot equate H .* with φ"),
        ("H = I", SpaceMismatch, "I cannot be force → torque"),
    ],
)
def test_claims_that_are_none(text: str, error: type[OperatorAlgebraError], wording: str) -> None:
    with pytest.raises(error, match=wording):
        parse_claim(text, vocabulary())


@given(st.text(alphabet="HφMDT KIv'*⁻¹()+-−@/.,=012 rotinvdag^²\u0304\u0303⁺_", max_size=40))
def test_any_text_is_read_or_refused_with_a_typed_error(text: str) -> None:
    with contextlib.suppress(OperatorAlgebraError):
        e = parse(text)
        again = parse(e.render())
        if isinstance(e, Expr) and isinstance(again, Expr):
            assert again.type in (e.type, I.type)
        else:
            assert again == e


@given(st.text(max_size=30))
def test_arbitrary_unicode_is_refused_in_words(text: str) -> None:
    message = ""
    try:
        parse(text)
    except OperatorAlgebraError as error:
        message = str(error)
    assert all(c.isprintable() or c == "\n" for c in message)
