"""The row of tiles says what the formula says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.symbols import D, H, I, K, M, P, R, U, W, inv, m, phi, psi, qdd, tau_bar
from operator_algebra.views.content.equation import Equation, equation
from operator_algebra.views.factors import Row, factors
from operator_algebra.views.pattern import structural
from tests.strategies import mechanisms
from tests.views.figures import words_of

FORMULAS = (H @ phi @ M @ phi.T @ H.T, U, W, m, tau_bar, P, R, psi.T, (I + H @ phi @ K) @ D @ (I + H @ phi @ K).T)


def written(shown: Equation) -> str:
    """The right side as text."""
    return " ".join(f"{term.sign} " + " ".join(tile.label for tile in term.tiles) for term in shown.terms).strip()


def test_names_stand_for_their_definitions() -> None:
    tree, puma = oa.load("tree4"), oa.load("puma560")
    assert written(equation(oa.dynamics.mass_matrix, tree)) == "H φ M φ* H*"
    assert written(equation(oa.dynamics.mass_matrix, puma)) == "H φ M φ* H* + armature"
    assert written(equation(W, tree)) == "I − H ψ K"
    assert written(equation(phi, tree)) == "(I − E_φ)⁻¹"
    assert written(equation(0.5 * (M @ phi.T), tree)) == "1/2 M φ*"
    assert written(equation(oa.dynamics.inverse_dynamics, tree)) == "ℳ q̈ + bias"
    assert equation(M, tree).terms == equation(inv(M), tree).terms == ()


@settings(max_examples=20)
@given(mechanisms(), st.sampled_from(FORMULAS))
def test_neighbouring_tiles_fit_and_their_product_is_the_whole(model: Model, e: oa.Expr) -> None:
    shown = equation(e, model)
    total = np.zeros_like(shown.whole.filled)
    for term in shown.terms:
        for left, right in zip(term.tiles, term.tiles[1:], strict=False):
            assert left.cols.size == right.rows.size
        product = term.tiles[0].filled
        for tile in term.tiles[1:]:
            product = (product.astype(int) @ tile.filled.astype(int)) > 0
        total |= product
    assert not (shown.whole.filled & ~total).any()
    assert np.array_equal(shown.whole.filled, structural(e, model))


@pytest.mark.parametrize("name", oa.available())
def test_tiles_are_to_scale_and_fit_on_the_sheet(name: str) -> None:
    model = oa.load(name)
    row = Row.of(equation(oa.dynamics.mass_matrix, model))
    phi_tile = row.shown.terms[0].tiles[1]
    assert row.size(phi_tile) == pytest.approx((6 * model.n * row.scale, 6 * model.n * row.scale))
    assert row.width <= 9.7
    figure = factors(oa.dynamics.mass_matrix, model)
    assert figure.get_size_inches()[0] >= row.width + 0.5
    assert {"ℳ", "H", "φ", "M", "φ*", "H*", f"{6 * model.n}×{6 * model.n}"} < words_of(figure)


def test_every_block_is_drawn_once_and_the_papers_count_from_the_tips() -> None:
    tree = oa.load("tree4")
    model_view, paper_view = (factors(phi @ M, tree, numbering=n) for n in ("model", "paper"))
    boxes = [[c for c in figure.axes[0].collections if len(c.get_paths())] for figure in (model_view, paper_view)]
    drawn = [sum(len(c.get_paths()) for c in collections) for collections in boxes]
    ones = tree.n  # φ has identities on its diagonal, drawn as lines
    blocks = structural(phi @ M, tree).sum() + structural(phi, tree).sum() + structural(M, tree).sum() - ones
    assert drawn == [blocks, blocks]
    assert "numbering: paper" in " ".join(words_of(paper_view))


def test_long_mechanisms_are_drawn_as_images() -> None:
    assert len(factors("H φ M φ* H*", oa.chain(80)).axes[0].images) == 6


def test_what_has_no_factors_is_refused() -> None:
    arm = oa.load("arm7")
    with pytest.raises(InputError, match="a value has no factors"):
        factors(oa.evaluate(phi, arm, q=arm.neutral()), arm)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="is drawn on a mechanism"):
        factors(phi)
    with pytest.raises(InputError, match="spaces of I and 0"):
        factors(I, arm)
    with pytest.raises(InputError, match="tiles are drawn up to"):
        factors(H @ phi, oa.chain(2001))
    assert "q̈" in words_of(factors("qdd", arm))
    assert qdd.type == oa.ONE >> oa.RATE
