"""What each instruction means, by examples that are computed by hand.

The tree is a fork: body 0 stands on the ground, bodies 1 and 2 hang on it. Blocks of forces and motions are numbers
(2 × 2 where it takes more), joints have one degree of freedom at bodies 0 and 1, two at body 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

import pytest

from operator_algebra import symbols as s
from operator_algebra.errors import InputError, SingularError
from operator_algebra.expressions.build import diag, inv, operator, scalar, vector
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.expressions.query import block, dense
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import (
    FORCE,
    MOTION,
    ONE,
    RATE,
    ROUNDING,
    TORQUE,
    Type,
    columns_of,
    direct_sum,
    space,
    white,
)
from operator_algebra.programs.instructions import (
    Call,
    Given,
    Hop,
    Instruction,
    Invert,
    Linear,
    Part,
    Reduce,
    RootOf,
    Rounding,
    Shift,
    Stack,
    Total,
    Update,
)
from operator_algebra.programs.interpret import Interpreter, Unread, interpret
from operator_algebra.programs.matrices import FLOATS, RATIONALS, Matrix, Numbers
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.programs.program import Block, Direction, Program, Report, Step, Sweep
from operator_algebra.programs.records import Ref, Term

FORK = Mechanism((-1, 0, 0), {"joint": (1, 1, 2), "spatial": (1, 1, 1), "own": (3,)}, ("base", "left", "right"))
WIDE = replace(FORK, sizes={**FORK.sizes, "spatial": (2, 2, 2)})
EXACT = replace(RATIONALS, rounded=True)

x = vector("x", FORCE)
A = operator("A", MOTION >> FORCE, structure="diagonal")
h = scalar("h")
E = Hop(s.E_phi, star=False, inward=True)
GIVEN: Mapping[str, Any] = {"x": [[[2]], [[3]], [[5]]], "E_phi": [[[1000]], [[7]], [[11]]]}

Values = Sequence[Sequence[Sequence[Any]]]


def meaning(
    definition: Instruction,
    type_: Type,
    read: Mapping[Symbol, Values],
    *,
    direction: Direction = "local",
    symmetric: bool = False,
    tree: Mechanism = FORK,
    numbers: Numbers = EXACT,
    before: Sequence[Block] = (),
) -> list[list[list[Any]]]:
    """The blocks that an instruction gives; it reads symbols 0, 1, … and then the values `before`."""
    symbols = tuple(read)
    kinds = [Block(one.type, Given(one), symmetric=one.structure.symmetric) for one in symbols]
    steps = tuple(Step(i, one.name, kind) for i, (one, kind) in enumerate(zip(symbols, kinds, strict=True)))
    others = tuple(Step(len(symbols) + i, "b", block) for i, block in enumerate(before))
    own = Step(99, "it", Block(type_, definition, symmetric=symmetric))
    stages = (Sweep("local", others), Sweep(direction, (own,)))
    program = Program(stages, (), steps, symbols, (), (), Report((), (), (), ""))
    run = Interpreter(
        program, tree, {one.name: values for one, values in read.items()} | {"E_phi": GIVEN["E_phi"]}, numbers
    )
    run.run()
    return [[list(row) for row in found.rows] for found in run.blocks[99]]


def numbers_of(*values: Any) -> list[list[list[Any]]]:
    """Blocks of one number."""
    return [[[value]] for value in values]


X = {x: numbers_of(2, 3, 5)}
COLUMN, LOCAL = ONE >> FORCE, MOTION >> FORCE


# -- sums and shifts ---------------------------------------------------------------------------------------------------


def test_a_sum_adds_multiples_of_products() -> None:
    term = Term(Fraction(1, 2), (Ref(1), Ref(1, star=True), Ref(0)))
    read = {**X, A: numbers_of(4, 6, 8)}
    assert meaning(Linear((term, Term(Fraction(-1), (Ref(0),)))), COLUMN, read) == numbers_of(14, 51, 155)


def test_a_sum_of_nothing_is_zero_and_no_factors_are_the_identity() -> None:
    assert meaning(Linear(()), RATE >> FORCE, {}) == [[[0]], [[0]], [[0, 0]]]
    assert meaning(Linear((Term(Fraction(3), ()),)), RATE >> RATE, {})[2] == [[3, 0], [0, 3]]


def test_scalars_multiply_a_term_each_as_often_as_it_is_listed() -> None:
    term = Term(Fraction(2), (Ref(0),), (1, 1))
    assert meaning(Linear((term,)), COLUMN, {**X, h: [[[10]]]}) == numbers_of(400, 600, 1000)


def test_inward_a_body_reads_its_children() -> None:
    """7 · 3 + 11 · 5; nothing comes to a tip."""
    assert meaning(Shift(E, Ref(0)), COLUMN, X, direction="inward") == numbers_of(76, 0, 0)


def test_outward_a_body_reads_its_parent() -> None:
    """7 · 2 and 11 · 2; the ground sends nothing, whatever stands at its edge."""
    assert meaning(Shift(E.T, Ref(0)), ONE >> MOTION, {vector("y", MOTION): X[x]}, direction="outward") == numbers_of(
        0, 14, 22
    )


def test_a_closing_hop_leads_back() -> None:
    """7² · 4 + 11² · 6, and 7² · 2 outward."""
    read = {A: numbers_of(2, 4, 6)}
    assert meaning(Shift(E, Ref(0), E.T), LOCAL, read, direction="inward") == numbers_of(922, 0, 0)
    back = {operator("B_back", FORCE >> MOTION, structure="diagonal"): read[A]}
    out = meaning(Shift(E.T, Ref(0), E), FORCE >> MOTION, back, direction="outward")
    assert out == numbers_of(0, 98, 242)


def test_a_sweep_reads_what_it_has_just_computed() -> None:
    """y = x + Σ E y, tips first: y₀ = 2 + 7 · 3 + 11 · 5; and base first y = x + E* y: y₁ = 3 + 7 · 2."""
    for formula, expected in ((s.phi @ x, [78, 3, 5]), (s.phi.T @ vector("x", MOTION), [2, 17, 27])):
        assert list(interpret(lower(formula), FORK, GIVEN, numbers=RATIONALS).values()) == [expected]


def test_what_is_symmetric_is_averaged_with_its_adjoint() -> None:
    read = {A: [[[1, 2], [4, 5]]] * 3}
    plain = Linear((Term(Fraction(1), (Ref(0),)),))
    assert meaning(plain, LOCAL, read, tree=WIDE)[0] == [[1, 2], [4, 5]]
    assert meaning(plain, LOCAL, read, tree=WIDE, symmetric=True)[0] == [[1, 3], [3, 5]]
    assert meaning(plain, LOCAL, read, tree=WIDE, symmetric=True, numbers=RATIONALS)[0] == [[1, 2], [4, 5]]


# -- one body ----------------------------------------------------------------------------------------------------------


def test_an_inverse() -> None:
    found = meaning(Invert(Ref(0)), FORCE >> MOTION, {A: [[[0, 2], [4, 1]]] * 3}, tree=WIDE)
    assert found[0] == [[Fraction(-1, 8), Fraction(1, 4)], [Fraction(1, 2), 0]]
    with pytest.raises(SingularError, match="what it inverts is singular at body 2"):
        meaning(Invert(Ref(0)), FORCE >> MOTION, {A: numbers_of(1, 1, 0)})


def test_a_root_is_lower_triangular() -> None:
    read = {A: [[[4, 2], [2, 10]]] * 3}
    assert meaning(RootOf(Ref(0)), white(FORCE) >> FORCE, read, tree=WIDE)[0] == [[2, 0], [1, 3]]
    with pytest.raises(InputError, match="no root among the rational numbers"):
        meaning(RootOf(Ref(0)), white(FORCE) >> FORCE, {A: numbers_of(1, 2, 4)})
    floats = meaning(RootOf(Ref(0)), white(FORCE) >> FORCE, {A: numbers_of(1.0, 2.0, 4.0)}, numbers=FLOATS)
    assert floats == numbers_of(1.0, math.sqrt(2.0), 2.0)


def test_local_functions_of_a_vector() -> None:
    y = vector("y", MOTION)
    tree = Mechanism((-1,), {"joint": (1,), "spatial": (6,)})
    read = {y: [[[1], [2], [3], [4], [5], [6]]]}
    turn, shift, zero = [[0, -3, 2], [3, 0, -1], [-2, 1, 0]], [[0, -6, 5], [6, 0, -4], [-5, 4, 0]], [0, 0, 0]
    upper = [[*row, *zero] for row in turn]
    cross = [*upper, *([*low, *row] for low, row in zip(shift, turn, strict=True))]
    assert meaning(Call("cross", (Ref(0),)), MOTION >> MOTION, read, tree=tree) == [cross]
    spin = [*upper, *([*zero, *row] for row in turn)]
    assert meaning(Call("spin", (Ref(0),)), MOTION >> MOTION, read, tree=tree) == [spin]


def test_a_stack_and_its_parts() -> None:
    """None stands for zeros of the right size."""
    H = {s.H: [[[2]], [[3]], [[4], [5]]]}
    tall, long = direct_sum([TORQUE, FORCE]), direct_sum([FORCE, MOTION])
    stack = Stack(((Ref(0), None), (None, Ref(1))))
    read = {**H, A: numbers_of(7, 8, 9)}
    assert meaning(stack, long >> tall, read) == [[[2, 0], [0, 7]], [[3, 0], [0, 8]], [[4, 0], [5, 0], [0, 9]]]
    column = Block(FORCE >> tall, Stack(((Ref(0),), (Ref(1),))))
    back = operator("B_back", FORCE >> FORCE, structure="diagonal")
    parts = {**H, back: numbers_of(7, 8, 9)}
    assert meaning(Part(Ref(2), 1), FORCE >> FORCE, parts, before=[column]) == numbers_of(7, 8, 9)
    assert meaning(Part(Ref(2), 0), FORCE >> TORQUE, parts, before=[column]) == H[s.H]


UPDATED = {A: [[[4, 2], [2, 3]]] * 3, s.H: [[[1, 0]], [[1, 0]], [[1, 0], [1, 1]]]}
"""P, and A* = H: at body 2 two columns wide."""


def test_an_update_takes_out_what_a_joint_gives_way_to() -> None:
    """P − gain A* P with gain = P A (A* P A)⁻¹ = [1, ½]: what is left is 3 − 2 · ½ in the other direction."""
    gain = operator("G_own", TORQUE >> FORCE, structure="diagonal")
    read = {**UPDATED, gain: [[[1], [Fraction(1, 2)]]] * 2 + [[[1, 0], [-1, 1]]]}
    found = meaning(Update(Ref(0), Ref(2), (Ref(1, star=True),), None), LOCAL, read, tree=WIDE)
    assert found == [[[0, 0], [0, 2]], [[0, 0], [0, 2]], [[0, 0], [0, 0]]]


@pytest.mark.parametrize("joseph", [False, True])
def test_an_update_is_short_for_one_column_and_at_roots(joseph: bool) -> None:
    """With a gain that is none the forms differ: gain g at P = p, A = 1 gives p − g p, or p (1 − g)² + g² J."""
    tree = replace(FORK, sizes={"joint": (1, 1, 1), "spatial": (1, 1, 1)})
    wide = Mechanism((-1, 0), {"joint": (2, 2), "spatial": (1, 1)})
    H, gain = s.H, operator("G_own", TORQUE >> FORCE, structure="diagonal")
    J = operator("J_own", RATE >> TORQUE, structure="diagonal")
    read = {A: numbers_of(4, 4, 4), H: numbers_of(1, 1, 1), gain: numbers_of(3, 3, 3), J: numbers_of(5, 5, 5)}
    update = Update(Ref(0), Ref(2), (Ref(1, star=True),), Ref(3), joseph=joseph)
    assert meaning(update, LOCAL, read, tree=tree) == numbers_of(*[61 if joseph else -8] * 3)
    both = {A: numbers_of(4, 4), H: [[[1], [0]]] * 2, gain: [[[3, 0]]] * 2, J: [[[5, 0], [0, 7]]] * 2}
    assert meaning(update, LOCAL, both, tree=wide) == numbers_of(61 if joseph else -8, 61)
    assert meaning(update, LOCAL, both, tree=wide, numbers=RATIONALS) == numbers_of(-8, -8)


# -- all bodies --------------------------------------------------------------------------------------------------------


def test_a_reduction_sums_over_the_bodies() -> None:
    """2² + 3² + 5²."""
    assert meaning(Reduce((Term(Fraction(1), (Ref(0, star=True), Ref(0))),)), ONE >> ONE, X, direction="once") == [
        [[38]]
    ]


def test_totals() -> None:
    read = {A: [[[0, 2], [3, 0]], [[1, 5], [0, 4]], [[1, 0], [0, 1]]]}
    assert meaning(Total("trace", Ref(0)), ONE >> ONE, read, direction="once", tree=WIDE) == [[[7]]]
    ((found,),) = meaning(Total("logdet", Ref(0)), ONE >> ONE, read, direction="once", tree=WIDE, numbers=FLOATS)[0:1]
    assert found == [math.fsum([math.log(6.0), math.log(4.0)])]
    small = {
        operator("W", space("own", attached=False) >> space("own", attached=False).dual): [
            [[3, 0, 0], [0, 4, 0], [0, 0, 5]]
        ]
    }
    assert meaning(Total("trace", Ref(0)), ONE >> ONE, small, direction="once") == [[[12]]]


def test_columns_of_rounding_have_the_size_of_the_root_of_a_block() -> None:
    """√|diagonal| if it is symmetric, else √ of the largest entry of each row, with the signs of the caller."""
    symmetric, block = Block(LOCAL, Given(s.M), symmetric=True), Block(LOCAL, Given(A))
    steps = (Step(0, "M", symmetric), Step(1, "A", block))
    asked = tuple(Step(2 + i, "r", Block(ROUNDING >> FORCE, Rounding(Ref(i)))) for i in range(2))
    program = Program((), (), steps, (), (), (Sweep("local", asked),), Report((), (), (), ""))
    given = {"M": [[[4, 2], [2, 9]]] * 3, "A": [[[1, -16], [0, 0]]] * 3}
    run = Interpreter(program, WIDE, given, EXACT, lambda count, salt, k: Matrix([[1, -1]] * count, 2))
    run.run()
    assert run.blocks[2][0].rows == [[2, -2], [3, -3]]
    assert run.blocks[3][2].rows == [[4, -4], [0, 0]]
    quiet = Interpreter(program, WIDE, given, EXACT)
    quiet.run()
    assert 2 not in quiet.blocks


# -- what is given, and results ----------------------------------------------------------------------------------------


def test_unit_columns_count_a_space() -> None:
    for place, expected in (
        (None, [[[1, 0, 0, 0]], [[0, 1, 0, 0]], [[0, 0, 1, 0], [0, 0, 0, 1]]]),
        ("left", [[[0]], [[1]], [[0], [0]]]),
    ):
        counted = columns_of(TORQUE, place)
        step = Step(0, "1", Block(counted >> TORQUE, Given(None)))
        run = Interpreter(Program((), (), (step,), (), (), (), Report((), (), (), "")), FORK, {}, RATIONALS)
        run.run()
        assert [[list(row) for row in found.rows] for found in run.blocks[0]] == expected


LEAVES: Mapping[str, Any] = {
    "E_phi": GIVEN["E_phi"],
    "H": [[[1]], [[1]], [[1], [0]]],
    "M": numbers_of(1, 2, 3),
    "T": [[[1]], [[2]], [[3], [4]]],
    "v": [[[1]], [[2]], [[3], [4]]],
}
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T


def asked(e: Any) -> Any:
    """The result of a formula on the fork."""
    (found,) = interpret(lower(e), FORK, LEAVES, numbers=RATIONALS).values()
    return found


def test_results_are_laid_out_by_their_kind() -> None:
    """P = M + Σ E P E*: R₁ = 2, R₂ = 3, R₀ = 1 + 49 · 2 + 121 · 3 = 462."""
    assert asked(s.R) == [Matrix([[462]], 1), Matrix([[2]], 1), Matrix([[3]], 1)]
    assert asked(s.phi.T @ s.H.T @ s.v) == [1, 9, 14]
    assert asked(s.T.T @ s.v) == 1 + 4 + 9 + 16
    whole = asked(dense(MASS))
    assert [list(row) for row in whole.rows] == [[462, 14, 33, 0], [14, 2, 0, 0], [33, 0, 3, 0], [0, 0, 0, 0]]
    assert [list(row) for row in asked(block(MASS, "base", "right")).rows] == [[33, 0]]
    assert [list(row) for row in asked(block(MASS, 1, 2)).rows] == [[0, 0]]
    assert [list(row) for row in asked(s.v.T @ s.H).rows] == [[1, 2, 3]]
    assert asked(diag(s.E_phi @ s.M @ s.E_phi.T))[0] == Matrix([[461]], 1)


def test_every_instruction_that_is_interpreted_has_an_example_here() -> None:
    """One without is not imported here: the linter lets no import stay that is not used."""
    missing = {kind.__name__ for kind in get_args(Instruction)} - set(globals())
    assert missing == {"Relate", "Resolve", "Surround", "Answer"}


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_relations_are_refused_by_the_name_of_their_method() -> None:
    with pytest.raises(Unread, match='is a step of method="orthogonal", which is not interpreted'):
        interpret(lower(inv(MASS) @ s.T, method="orthogonal"), FORK, LEAVES, numbers=RATIONALS)


def test_what_is_missing_or_misshapen_is_named() -> None:
    program = lower(inv(MASS) @ s.T)
    with pytest.raises(InputError, match=r"M was not given\. Given: E_phi, H, T, v"):
        interpret(program, FORK, {k: v for k, v in LEAVES.items() if k != "M"}, numbers=RATIONALS)
    with pytest.raises(InputError, match="block 2 of H is not 2 × 1"):
        interpret(program, FORK, {**LEAVES, "H": numbers_of(1, 1, 1)}, numbers=RATIONALS)
    with pytest.raises(SingularError, match="what A_3 inverts is singular at body 2"):
        interpret(program, FORK, LEAVES, numbers=RATIONALS)
    with pytest.raises(InputError, match="there is no body 'wrist'"):
        asked(block(MASS, "wrist", 0))
    with pytest.raises(InputError, match="block sizes of contact are not known"):
        FORK.size(space("contact"), 0)
