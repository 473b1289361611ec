"""Exact arithmetic of rational functions, and its translation from and to SymPy."""

from fractions import Fraction
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.backends.closed_forms.ratios import Ratio, RationalFunctions, exact
from operator_algebra.backends.closed_forms.sweeps import numbers_of
from operator_algebra.backends.closed_forms.trigonometry import Translator, simplified
from operator_algebra.errors import InputError
from operator_algebra.programs.matrices import Matrix
from tests.rounding import apart, rounding

sp: Any = import_module("sympy")

x, y, z = sp.symbols("x y z")


def functions() -> RationalFunctions:
    return RationalFunctions(2, 2)


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> Any:
    """Rational expressions in x, y, and sines and cosines of z; divisors are not zero for every value."""
    if depth == 0:
        return draw(st.sampled_from([x, y, sp.sin(z), sp.cos(z), sp.Integer(2), sp.Rational(1, 3), sp.sqrt(2)]))
    a, b = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    kind = draw(st.sampled_from("+-*/"))
    if kind == "/":
        return a / (b**2 + 3)
    return {"+": a + b, "-": a - b, "*": a * b}[kind]


@settings(max_examples=60, deadline=None)
@given(e=expressions())
def test_simplifying_keeps_the_value(e: Any) -> None:
    at = {x: sp.Float("0.71", 40), y: sp.Float("-1.3", 40), z: sp.Float("0.4", 40)}
    expected = sp.sympify(e).xreplace(at).evalf(40)
    assert abs(simplified(e).xreplace(at).evalf(40) - expected) < sp.Float("1e-30") * (1 + abs(expected))


@settings(max_examples=40, deadline=None)
@given(e=expressions(depth=2), f=expressions(depth=2))
def test_zero_is_found(e: Any, f: Any) -> None:
    assert simplified((e + f) ** 2 - e**2 - 2 * e * f - f**2) == 0
    assert simplified(e * (sp.sin(z) ** 2 + sp.cos(z) ** 2) - e) == 0
    assert simplified(1 / (e**2 + 3) - (f**2 + 3) / ((e**2 + 3) * (f**2 + 3))) == 0


@pytest.mark.parametrize(
    ("e", "expected"),
    [
        (sp.tan(x) - sp.sin(x) / sp.cos(x), 0),
        (sp.sin(2 * x) - 2 * sp.sin(x) * sp.cos(x), 0),
        (sp.cos(x + y) - sp.cos(x) * sp.cos(y) + sp.sin(x) * sp.sin(y), 0),
        (sp.cos(x) * sp.cos(y) - sp.sin(x) * sp.sin(y), sp.cos(x + y)),
        (sp.sin(x + sp.pi / 3) - sp.sin(x) / 2, sp.sqrt(3) * sp.cos(x) / 2),
        (sp.sin(x) ** 2 + 2 * sp.cos(x) ** 2, 2 - sp.sin(x) ** 2),
        (sp.sqrt(2) * sp.sqrt(6) - 2 * sp.sqrt(3), 0),
        (1 / (1 + sp.sqrt(2)), sp.sqrt(2) - 1),
        ((x**2 - y**2) / (x - y) * (1 / (x + y)), 1),
        (sp.sec(x) * sp.cot(x) - sp.csc(x), 0),
        (sp.Float(0.1) * x - x / 10, 0),
        (sp.sin(sp.Rational(3, 10)) ** 2 + sp.cos(sp.Rational(3, 10)) ** 2, 1),
        (sp.cos(x / 2) ** 2 + sp.sin(x / 2) ** 2, 1),
        ((1 + sp.cos(x)) ** -1 * (1 - sp.cos(x) ** 2), 1 - sp.cos(x)),
        (sp.Function("f")(x) / (x * sp.Function("f")(x)), 1 / x),
    ],
)
def test_known_simplifications(e: Any, expected: Any) -> None:
    found = simplified(e)
    assert simplified(found - expected) == 0
    assert sp.count_ops(found) <= sp.count_ops(expected)


@pytest.mark.parametrize("e", [sp.nan, sp.zoo + x, sp.I * x, x + sp.oo])
def test_what_is_not_finite_and_real_is_refused(e: Any) -> None:
    with pytest.raises(InputError, match="not a finite real number"):
        simplified(e)


def test_division_by_a_hidden_zero_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"divides by .*, which is zero"):
        simplified(1 / (sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1))


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.1, Fraction(1, 10)),
        (1 / 3, Fraction(1, 3)),
        (0.08333333333333333, Fraction(1, 12)),
        (403 / 4800, Fraction(403, 4800)),
        (0.3334895833, Fraction(3334895833, 10**10)),
        (-2.0, Fraction(-2)),
        (6.123e-17, Fraction("6.123e-17")),
        (0.0, Fraction(0)),
        (7, Fraction(7)),
    ],
)
def test_a_float_stands_for_the_number_that_was_meant(number: float, expected: Fraction) -> None:
    assert exact(number) == expected
    assert apart(float(exact(number)), number) <= rounding(abs(number))


def test_inverses_and_determinants_need_no_common_divisors() -> None:
    home = RationalFunctions(3, 0)
    a, b, c = (home.variable(i) for i in range(3))
    matrix = Matrix([[a + b, b, home.zero], [b, b + c, c], [home.zero, c, a + c]], 3)
    found = numbers_of(home).inverse(matrix).rows
    for i in range(3):
        for j in range(3):
            entry = home.reduced(sum((matrix.rows[i][k] * found[k][j] for k in range(3)), start=home.zero))
            assert (entry.numerator, entry.denominator) == ((home.one if i == j else home.zero).numerator, {})
    expected = (a + b) * ((b + c) * (a + c) - c * c) - b * b * (a + c)
    assert home.reduced(numbers_of(home).determinant(matrix) - expected).numerator == 0


def test_a_singular_matrix_has_no_inverse() -> None:
    home = functions()
    a, b = home.variable(0), home.variable(1)
    matrix = Matrix([[a, b], [a * a, a * b]], 2)
    with pytest.raises(ZeroDivisionError):
        numbers_of(home).inverse(matrix)
    assert not numbers_of(home).determinant(matrix)


def test_roots_leave_denominators_and_their_squares_are_what_they_are_of() -> None:
    home = functions()
    a = home.variable(0)
    root = home.square_root(a + 1)
    assert not home.reduced(root * root - a - 1)
    assert not home.reduced(home.reciprocal(root + 2) * (root + 2) - 1)
    assert home.square_root(a + 1).numerator == root.numerator
    nested = home.square_root(root + 3)
    assert not home.reduced(home.reciprocal(nested + root) * (nested + root) - 1)


def test_zero_has_no_reciprocal() -> None:
    home = functions()
    a = home.variable(0)
    with pytest.raises(ZeroDivisionError):
        home.reciprocal(a - a)


def test_numbers_mix_with_ratios() -> None:
    home = functions()
    a: Ratio = home.variable(0)
    assert not home.reduced((2 - a) + (a - 2.0) + 0)
    assert not home.reduced(0.5 * a + Fraction(1, 2) * a - a)


def test_late_variables_are_written_as_roots_and_logarithms() -> None:
    translator = Translator([x, sp.cos(z)], 2)
    home = translator.functions
    square = translator.ratio(x**2 + sp.cos(z))
    root, log = home.square_root(square), home.logarithm(square)
    assert translator.reader().expression(root) == sp.sqrt(x**2 + sp.cos(z))
    assert translator.reader().expression(log * root) == sp.log(x**2 + sp.cos(z)) * sp.sqrt(x**2 + sp.cos(z))
