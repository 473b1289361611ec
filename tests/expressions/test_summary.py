"""One line of text and one fragment of HTML for any expression; neither evaluates anything."""

import subprocess
import sys
from xml.etree import ElementTree

import pytest
from hypothesis import given

from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.mathml import mathml
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import trace
from operator_algebra.expressions.summary import html, one_line
from operator_algebra.expressions.tiles import cells
from operator_algebra.markup import width
from operator_algebra.operators.spaces import MOTION, RATE
from operator_algebra.operators.structure import Structure
from operator_algebra.symbols import D, E_phi, H, I, K, M, P_plus, T, V, phi, phi_tilde, psi, qdd, v, vocabulary
from tests.expression_strategies import expressions

MASS = H @ phi @ M @ phi.T @ H.T


@pytest.mark.parametrize(
    ("e", "line"),
    [
        (phi, "φ   force → force   inward, unit diagonal   = (I − E_φ)⁻¹"),
        (MASS, "H φ M φ* H*   rate → torque   symmetric, definite"),
        (M, "M   motion → force   block-diagonal, symmetric, definite"),
        (E_phi, "E_φ   force → force   inward, hop"),
        (H @ phi, "H φ   force → torque   inward"),
        (D, "D   rate → torque   block-diagonal, symmetric, definite   = H P H*"),
        (V, "V   one → motion   column   = φ* H* v"),
        (I, "I   any space   block-diagonal, symmetric, definite"),
        (phi @ M @ phi.T @ inv(M) @ phi, "φ M φ* M⁻¹ φ   force → force   full"),
        (operator("X", RATE >> MOTION), "X   rate → motion   full"),
        (inv(MASS) @ T, "(H φ M φ* H*)⁻¹ T   one → rate   column"),
    ],
)
def test_lines(e: Expr, line: str) -> None:
    assert repr(e) == line


@given(expressions(depth=4))
def test_a_line_fits_and_names_spaces_and_structure(e: Expr) -> None:
    line = one_line(e)
    assert width(line) <= 100
    assert "\n" not in line
    assert repr(e.type) in line
    assert any(word in line for word in repr(e.structure).split(", "))


def test_a_long_formula_is_cut_and_its_facts_are_kept() -> None:
    line = repr(sum((phi @ M @ phi.T for _ in range(30)), start=M))
    assert width(line) <= 100
    assert "…   motion → force   symmetric, definite" in line


@given(expressions(depth=4))
def test_fragments_are_small_well_formed_and_self_contained(e: Expr) -> None:
    fragment = html(e)
    root = ElementTree.fromstring(fragment)
    assert len(fragment) < 30_000
    assert e._repr_html_() == fragment  # pyright: ignore[reportPrivateUsage]
    for node in root.iter():
        assert node.tag not in ("script", "link", "style", "img", "iframe")
        assert not [name for name in node.attrib if name in ("id", "src", "href") or name.startswith("on")]
    assert "http" not in fragment


@pytest.mark.parametrize("e", [*vocabulary().values(), MASS, inv(MASS) @ T], ids=str)
def test_every_operator_of_the_vocabulary_has_a_fragment(e: Expr) -> None:
    ElementTree.fromstring(html(e))
    ElementTree.fromstring(mathml(e))


def test_mathml_of_a_formula() -> None:
    text = mathml(inv(I + H @ phi @ K))
    assert "<msup><mrow><mo>(</mo>" in text
    assert "".join(ElementTree.fromstring(text).itertext()) == "(I+HφK)−1"
    assert "<msup><mi>P</mi><mo>+</mo></msup>" in mathml(P_plus)
    assert "<msub><mi>E</mi><mi>φ</mi></msub>" in mathml(E_phi)
    assert mathml(E_phi.T) == "<math><msubsup><mi>E</mi><mi>φ</mi><mo>*</mo></msubsup></math>"
    assert "<mo>−</mo><mn>1</mn></mrow></msubsup>" in mathml(inv(operator("D_J", MOTION >> MOTION)))
    assert '<mover accent="true"><mi>φ</mi><mo>~</mo></mover>' in mathml(phi_tilde)
    assert "".join(ElementTree.fromstring(mathml(trace(M), 2 * I - phi)).itertext()) == "trace\u2061(M)=2I−φ"


def test_a_product_has_a_tile_for_each_factor_in_its_colour() -> None:
    fragment = html(MASS)
    assert fragment.count("<svg") == 6
    assert fragment.count("#0072B2") == 2
    assert fragment.count("#E69F00") == 2
    assert html(phi + psi).count("<svg") == 1


def test_long_formulas_are_plain_text_in_html() -> None:
    e = sum((phi @ M @ phi.T for _ in range(2000)), start=M)
    fragment = html(e)
    assert len(fragment) < 30_000
    assert "<code>M + φ M φ*" in fragment


@pytest.mark.parametrize(
    ("words", "count"),
    [("zero", 0), ("diagonal", 4), ("inward", 9), ("inward strict", 5), ("inward hop", 3), ("outward hop", 3),
     ("related", 14), ("full", 16), ("full strict", 12)],
)  # fmt: skip
def test_tiles_show_the_tree_with_two_branches(words: str, count: int) -> None:
    found, shape = cells(Structure.of(words))
    assert len(found) == count
    assert shape == (4, 4)


def test_tiles_of_vectors() -> None:
    assert cells(v.structure) == ([(0, 0), (1, 0), (2, 0), (3, 0)], (4, 1))
    assert cells(qdd.T.structure)[1] == (1, 4)
    assert cells((qdd.T @ T).structure) == ([(0, 0)], (1, 1))


def test_reprs_load_nothing_that_computes() -> None:
    program = (
        "import sys\n"
        "from operator_algebra.symbols import *\n"
        "e = inv(H @ phi @ M @ phi.T @ H.T) @ T\n"
        "repr(e), str(e), e._repr_html_(), e._repr_latex_()\n"
        "heavy = ('numpy', 'lowering', 'evaluation', 'sympy')\n"
        "print(*(name for name in sys.modules if name.split('.')[-1] in heavy))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not run.stdout.split()
