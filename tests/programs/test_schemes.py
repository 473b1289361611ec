"""Schemes: what their text says, and which values fill their holes."""

from __future__ import annotations

from fractions import Fraction

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.operators.spaces import Type
from operator_algebra.programs.instructions import Given, Hop, Instruction, Invert, Linear, Shift, Update
from operator_algebra.programs.program import Defined
from operator_algebra.programs.records import Ref, Term
from operator_algebra.programs.schemes import Depth, Reading, system

ONE = Fraction(1)
INWARD = Type(s.M.type.codomain, s.M.type.codomain)


def given(e: Expr) -> Defined:
    assert isinstance(e, Symbol)
    return Defined(e.type, Given(e), symmetric=e is s.M)


def value(definition: Instruction, *, symmetric: bool = False) -> Defined:
    return Defined(INWARD, definition, symmetric=symmetric)


def total(*terms: tuple[int, str], scalars: tuple[int, ...] = ()) -> Linear:
    """A sum from coefficients and factors as text: `12*` is the adjoint of value 12."""
    return Linear(tuple(Term(Fraction(c), tuple(map(ref, text.split())), scalars) for c, text in terms))


def ref(text: str) -> Ref:
    return Ref(int(text.rstrip("*")), text.endswith("*"))


H, M, D, INVERSE = 1, 2, 4, 5
LEAVES = {H: given(s.H), M: given(s.M), D: value(Linear(())), INVERSE: value(Invert(Ref(D)), symmetric=True)}


def found(text: str, definition: Instruction, depth: Depth = "written out", **more: Defined) -> list[dict[str, str]]:
    """What fills the holes of a scheme for value 9, holes in the order of their names."""
    values = {**LEAVES, **{int(name[1:]): one for name, one in more.items()}, 9: value(definition)}
    matches = Reading(values, depth).fits(system(text)[0], 9)

    def shown(*refs: Ref) -> str:
        return " ".join(f"{one.value}{'*' * one.star}" for one in refs)

    return [
        {name: shown(one) for name, one in match.refs.items() if name != "X"}
        | {name: shown(*word) for name, word in match.words.items()}
        for match in matches
    ]


def test_a_leaf_is_that_of_the_model() -> None:
    assert found("X = M H*", total((1, "2 1*"))) == [{"M": "2", "H": "1"}]
    assert found("X = M H*", total((1, "2 1"))) == []
    assert found("X = H", total((1, "2"))) == []


def test_a_hole_holds_one_value_and_always_the_same() -> None:
    assert found("X = A H A", total((1, "3 1 3")), _3=value(Linear(()))) == [{"A": "3", "H": "1"}]
    assert found("X = A H A", total((1, "3 1 2")), _3=value(Linear(()))) == []
    assert found("X = A* H A", total((1, "3* 1 3")), _3=value(Linear(()))) == [{"A": "3", "H": "1"}]
    # A self-adjoint value has no star.
    assert found("X = A* H A", total((1, "2 1 2"))) == [{"A": "2", "H": "1"}]


def test_words_are_products_in_every_way_that_fits() -> None:
    assert found("X = [A] [B]", total((1, "1 2 1*"))) == [{"A": "1", "B": "2 1*"}, {"A": "1 2", "B": "1*"}]
    assert found("X = [A]* M [A]", total((1, "1 2 1*"))) == [{"A": "1*", "M": "2"}]
    assert found("X = … M …", total((1, "2"))) == [{"M": "2"}]


def test_an_inverse_is_told_by_what_it_inverts() -> None:
    assert found("X = M inv(D)", total((1, "2 5"))) == [{"M": "2", "D": "4", "inv(D)": "5"}]
    assert found("X = M inv(D)", total((1, "2 4"))) == []
    # inv(D)* inverts D*.
    assert found("X = inv(D)", Invert(Ref(4))) == [{"D": "4", "inv(D)": "9"}]
    assert found("X = M inv(D)", total((1, "2 8*")), _8=value(Invert(Ref(4)))) == [
        {"M": "2", "D": "4*", "inv(D)": "8*"}
    ]


E_PHI = Hop(s.E_phi, star=False, inward=True)


def test_closing_shifts_carry_a_block_along_the_tree() -> None:
    inward, outward = Shift(E_PHI, Ref(3), E_PHI.T), Shift(E_PHI.T, Ref(3), E_PHI)
    carried = value(Linear(()))
    assert found("X = M + in(E_phi, P)", total((1, "2"), (1, "6")), _3=carried, _6=value(inward)) == [
        {"M": "2", "P": "3"}
    ]
    assert found("X = out(E_phi, P)", outward, _3=carried) == [{"P": "3"}]
    assert found("X = in(E_phi, P)", outward, _3=carried) == []
    # E_φ x of a vector closes nothing.
    assert found("X = in(E_phi, P)", Shift(E_PHI, Ref(3)), _3=carried) == []


@pytest.mark.parametrize(
    ("sign", "coefficients"), [("", [1]), ("− ", [-1]), ("± ", [1, -1]), ("c ", [1, -1, 2, Fraction(1, 3)])]
)
def test_a_term_has_its_sign(sign: str, coefficients: list[Fraction]) -> None:
    for c in (1, -1, 2, Fraction(1, 3)):
        text = f"X = {sign}M"
        assert bool(found(text, Linear((Term(Fraction(c), (Ref(M),)),)))) == (c in coefficients)


def test_signs_of_either_kind_are_bound_together() -> None:
    for a, b in ((1, -1), (-1, 1), (1, 1), (-1, -1)):
        assert bool(found("X = ± M ∓ H", total((a, "2"), (b, "1")))) == (a == -b)
        assert bool(found("X = ± M ± H", total((a, "2"), (b, "1")))) == (a == b)


def test_scalars_are_a_coefficient_of_their_own() -> None:
    assert found("X = M", total((1, "2"), scalars=(3,))) == []
    assert found("X = c M", total((1, "2"), scalars=(3,))) != []


def test_terms_stand_in_any_order_and_more_only_where_it_says_so() -> None:
    two, three = total((1, "1"), (1, "2")), total((1, "1"), (1, "2"), (1, "4"))
    assert found("X = M + H", two) == [{"M": "2", "H": "1"}]
    assert found("X = M + H", three) == []
    (match,) = Reading({**LEAVES, 9: value(three)}).solutions(system("X = M + H + …"))
    assert match.further("X") == three.terms[2:]


def test_products_with_a_line_of_their_own_are_written_out() -> None:
    product = value(total((-1, "1 2")))
    assert found("X = − H M H*", total((1, "3 1*")), _3=product) == [{"H": "1", "M": "2"}]
    assert found("X = H M A", total((1, "3 1*")), "as it stands", _3=product) == []


def test_sums_in_sums_are_taken_apart_on_request() -> None:
    inner = value(total((1, "2"), (1, "4")))
    outer = total((1, "1"), (1, "3"))
    assert found("X = M + …", outer, _3=inner) == []
    assert found("X = M + …", outer, "taken apart", _3=inner) == [{"M": "2"}]


def test_an_update_reads_as_the_difference_that_it_is() -> None:
    update = Update(Ref(M), Ref(3), (Ref(H, star=True),), None)
    gain = value(total((1, "2 1* 5")))
    assert found("X = P − P H* inv(D) H P", update, _3=gain) == [{"P": "2", "H": "1", "D": "4", "inv(D)": "5"}]


def test_the_schemes_of_a_system_share_their_holes() -> None:
    values = {**LEAVES, 6: value(total((1, "7 2"))), 7: value(total((1, "1"), (1, "2"))), 8: value(total((1, "1")))}
    reading = Reading(values)
    assert [(one["X"].value, one["Y"].value) for one in reading.solutions(system("X = Y M", "Y = H + M"))] == [(6, 7)]
    assert list(reading.solutions(system("X = Y M", "Y = H"))) == []
