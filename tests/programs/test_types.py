"""What each instruction has to fit, by an example that fits and slips that do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import get_args

import pytest

from operator_algebra import symbols as s
from operator_algebra.operators.spaces import (
    FORCE,
    MOTION,
    ONE,
    RATE,
    RELATION,
    ROUNDING,
    TORQUE,
    Type,
    columns_of,
    direct_sum,
    white,
)
from operator_algebra.programs.instructions import (
    Answer,
    Call,
    Given,
    Hop,
    Instruction,
    Invert,
    Linear,
    Part,
    Reduce,
    Relate,
    Resolve,
    RootOf,
    Rounding,
    Shift,
    Stack,
    Surround,
    Total,
    Update,
)
from operator_algebra.programs.program import Block, Output, Pivot
from operator_algebra.programs.records import Equation, Ref, Term
from operator_algebra.programs.types import TypeCheck
from operator_algebra.programs.walk import Walk
from tests.lowering.meant import term

IN = Hop(s.E_phi, star=False, inward=True)
INERTIA, COLUMN, NUMBER = MOTION >> FORCE, ONE >> FORCE, ONE >> ONE
M, H, X, V, D, N, F, G, REL, SUR, SUM, A = range(1, 13)
BOTH = direct_sum([FORCE, MOTION])
EQUATION = Equation(FORCE, ((0, term(times=-1)),), ((0, term()),), (), Ref(X), explicit=True)
RELATE = Relate(Ref(REL), (FORCE, MOTION), (EQUATION,), ((IN, 0),), ((IN.T, 1),))

VALUES: Mapping[int, Block] = {
    M: Block(INERTIA, Given(s.M), symmetric=True),
    H: Block(FORCE >> TORQUE, Given(s.H)),
    X: Block(COLUMN, Given(s.f_ext)),
    V: Block(ONE >> MOTION, Linear(())),
    D: Block(RATE >> TORQUE, Linear((term(H, M, Ref(H).T),)), symmetric=True),
    N: Block(NUMBER, Linear((term(),))),
    F: Block(TORQUE >> RATE, Invert(Ref(D)), symmetric=True),
    G: Block(TORQUE >> FORCE, Linear((term(M, Ref(H).T, F),))),
    REL: Block(ONE >> RELATION, RELATE),
    SUR: Block(ONE >> RELATION, Surround(Ref(SUR), Ref(REL))),
    SUM: Block(ONE >> BOTH, Stack(((Ref(X),), (Ref(V),)))),
    A: Block(FORCE >> FORCE, Linear((term(times=3),))),
}
CHECK = TypeCheck(VALUES)
TURNED = replace(EQUATION, members=((1, term()),))

FITS: dict[str, tuple[Type, Instruction]] = {
    "a leaf": (INERTIA, Given(s.M)),
    "unit columns": (Type(columns_of(FORCE), FORCE), Given(None)),
    "a product": (RATE >> TORQUE, Linear((term(H, M, Ref(H).T),))),
    "a multiple of the identity": (FORCE >> FORCE, Linear((term(times=3),))),
    "a scalar": (COLUMN, Linear((Term(Fraction(1), (Ref(X),), (N,)),))),
    "nothing": (COLUMN, Linear(())),
    "a sum over the bodies": (NUMBER, Reduce((term(Ref(X).T, V),))),
    "an inward shift": (COLUMN, Shift(IN, Ref(X))),
    "an outward shift": (ONE >> MOTION, Shift(IN.T, Ref(V))),
    "a closed shift": (INERTIA, Shift(IN, Ref(M), IN.T)),
    "an inverse": (FORCE >> MOTION, Invert(Ref(M))),
    "a root": (Type(white(FORCE), FORCE), RootOf(Ref(M))),
    "a call": (MOTION >> MOTION, Call("cross", (Ref(V),))),
    "a stack": (ONE >> BOTH, Stack(((Ref(X),), (None,)))),
    "a part": (ONE >> MOTION, Part(Ref(SUM), 1)),
    "a trace": (NUMBER, Total("trace", Ref(M))),
    "a determinant of a relation": (NUMBER, Total("logdet", Ref(REL))),
    "an update": (INERTIA, Update(Ref(M), Ref(G), (Ref(H).T,), Ref(D))),
    "rounding": (ROUNDING >> FORCE, Rounding(Ref(M))),
    "a relation": (ONE >> RELATION, RELATE),
    "its solution": (ONE >> BOTH, Resolve(Ref(20), Ref(REL))),
    "its surroundings": (ONE >> RELATION, Surround(Ref(SUR), Ref(REL))),
    "its answers": (Type(FORCE, BOTH), Answer(Ref(REL), Ref(SUR), (Ref(A),))),
}
WRONG: dict[str, tuple[Type, Instruction, str]] = {
    "a leaf of another type": (COLUMN, Given(s.M), "another type"),
    "unit columns of nothing": (COLUMN, Given(None), "counts none"),
    "factors that do not compose": (RATE >> TORQUE, Linear((term(H, H),)), "do not compose"),
    "a product of another type": (INERTIA, Linear((term(H, M, Ref(H).T),)), "is not"),
    "a star too many": (INERTIA, Linear((term(M, Ref(M).T),)), "do not compose"),
    "an identity between spaces": (INERTIA, Linear((term(times=3),)), "a multiple of the identity"),
    "a scalar that is a vector": (COLUMN, Linear((Term(Fraction(1), (Ref(X),), (X,)),)), "no number"),
    "a force on a motion's hop": (ONE >> MOTION, Shift(IN, Ref(V)), "a hop"),
    "a hop that says inward and is not": (
        ONE >> MOTION,
        Shift(replace(IN.T, inward=True), Ref(V)),
        "does not run that way",
    ),
    "hops that do not close": (INERTIA, Shift(IN, Ref(M), IN), "do not close"),
    "the inverse of a joint map": (TORQUE >> FORCE, Invert(Ref(H)), "the inverse of"),
    "an inverse of its own type": (INERTIA, Invert(Ref(M)), "the inverse of"),
    "the root of a map": (Type(white(FORCE), FORCE), RootOf(Ref(A)), "the root of"),
    "a function of a force": (MOTION >> MOTION, Call("cross", (Ref(X),)), "something else"),
    "no such function": (MOTION >> MOTION, Call("twist", (Ref(V),)), "no local function"),
    "a stack of another shape": (ONE >> BOTH, Stack(((Ref(X),), (Ref(V),), (Ref(X),))), "another shape"),
    "a stack in another order": (ONE >> BOTH, Stack(((Ref(V),), (Ref(X),))), "a block of a stack"),
    "a part that is not there": (ONE >> MOTION, Part(Ref(SUM), 2), "part 2"),
    "another part": (ONE >> MOTION, Part(Ref(SUM), 0), "part 0"),
    "the trace of a joint map": (NUMBER, Total("trace", Ref(H)), "no number"),
    "an update by another gain": (INERTIA, Update(Ref(M), Ref(H).T, (Ref(H).T,), None), "an update"),
    "an update with other noise": (INERTIA, Update(Ref(M), Ref(G), (Ref(H).T,), Ref(M)), "an update"),
    "rounding of another space": (ROUNDING >> MOTION, Rounding(Ref(M)), "another space"),
    "a relation of another space": (COLUMN, RELATE, "a relation of another space"),
    "a relation that gathers outward": (ONE >> RELATION, replace(RELATE, gathers=((IN.T, 1),)), "an outward hop"),
    "a relation whose equation mixes spaces": (ONE >> RELATION, replace(RELATE, equations=(TURNED,)), "identity"),
    "a solution of no relation": (ONE >> BOTH, Resolve(Ref(20), Ref(X)), "not the solution"),
    "surroundings of no relation": (ONE >> RELATION, Surround(Ref(SUR), Ref(X)), "no relation"),
    "answers with other surroundings": (Type(FORCE, BOTH), Answer(Ref(REL), Ref(X), (Ref(A),)), "answers"),
    "answers to another drive": (Type(MOTION, BOTH), Answer(Ref(REL), Ref(SUR), (Ref(A),)), "driven"),
}


@pytest.mark.parametrize("name", FITS)
def test_what_fits_is_not_complained_about(name: str) -> None:
    type_, definition = FITS[name]
    assert list(CHECK.value(Block(type_, definition))) == []


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_told(name: str) -> None:
    type_, definition, words = WRONG[name]
    complaints = list(CHECK.value(Block(type_, definition)))
    assert any(words in complaint for complaint in complaints), complaints


def test_every_instruction_has_an_example_of_both() -> None:
    kinds = {type(definition) for _, definition in FITS.values()}
    assert kinds == set(get_args(Instruction))
    assert kinds - {Reduce} == {type(definition) for _, definition, _ in WRONG.values()}


# -- symmetry ----------------------------------------------------------------------------------------------------------

OWN_ADJOINT: dict[str, tuple[Type, Instruction, bool]] = {
    "a symmetric leaf": (INERTIA, Given(s.M), True),
    "an inverse of a symmetric value": (FORCE >> MOTION, Invert(Ref(M)), True),
    "an inverse of another": (FORCE >> FORCE, Invert(Ref(A)), False),
    "a congruence": (RATE >> TORQUE, Linear((term(H, M, Ref(H).T),)), True),
    "a congruence with a multiple of the identity in it": (
        RATE >> TORQUE,
        Linear((term(H, Ref(A), M, Ref(H).T),)),
        True,
    ),
    "a sum with its adjoint": (RATE >> TORQUE, Linear((term(D, F, D),)), True),
    "a closed shift": (INERTIA, Shift(IN, Ref(M), IN.T), True),
    "an update": (INERTIA, Update(Ref(M), Ref(G), (Ref(H).T,), Ref(D)), True),
    "a stack": (
        direct_sum([RATE, MOTION]) >> direct_sum([TORQUE, FORCE]),
        Stack(((Ref(D), None), (None, Ref(M)))),
        True,
    ),
    "a lopsided stack": (
        direct_sum([RATE, MOTION]) >> direct_sum([TORQUE, FORCE]),
        Stack(((Ref(D), None), (Ref(21), Ref(M)))),
        False,
    ),
}


@pytest.mark.parametrize("name", OWN_ADJOINT)
def test_only_what_is_its_own_adjoint_may_be_called_so(name: str) -> None:
    type_, definition, fits = OWN_ADJOINT[name]
    values = {**VALUES, 21: Block(RATE >> FORCE, Linear((term(M, Ref(H).T),)))}
    assert (list(TypeCheck(values).value(Block(type_, definition, symmetric=True))) == []) == fits


def test_a_sum_is_mirrored_term_by_term_and_by_coefficient() -> None:
    values = {**VALUES, 22: Block(FORCE >> FORCE, Given(None))}
    check = TypeCheck(values)
    one, other = term(22, M), term(M, Ref(22).T)

    def own(*terms: Term) -> bool:
        return list(check.value(Block(INERTIA, Linear(terms), symmetric=True))) == []

    assert own(one, other)
    assert own(term(22, M, times=2), term(M, Ref(22).T, times=2), term(M))
    assert not own(one)
    assert not own(one, term(M, Ref(22).T, times=-1))


# -- results and pivots ------------------------------------------------------------------------------------------------

WALK = Walk((IN,), (), Ref(A), (Ref(A),), (), (Ref(A),), ((Ref(A),),), (), (), (), ())


@pytest.mark.parametrize(
    ("output", "fits"),
    [
        (Output("x", s.f_ext, "vector", FORCE, ONE, Ref(X)), True),
        (Output("x", s.f_ext, "vector", MOTION, ONE, Ref(X)), False),
        (Output("x", s.f_ext, "vector", FORCE, ONE, None), False),
        (Output("x", s.phi, "dense", FORCE, FORCE, None, WALK), True),
        (Output("x", s.phi, "vector", FORCE, FORCE, None, WALK), False),
        (Output("x", s.phi, "dense", MOTION, FORCE, None, WALK), False),
        (Output("x", s.phi, "dense", FORCE, FORCE, None, replace(WALK, inward=(IN.T,))), False),
        (Output("x", s.phi, "dense", FORCE, FORCE, None, replace(WALK, s_z=((Ref(M),),))), False),
        (Output("x", s.M, "matrix", FORCE, MOTION, Ref(M)), False),
    ],
)
def test_results(output: Output, fits: bool) -> None:
    assert (list(CHECK.output(output)) == []) == fits


def test_pivots() -> None:
    values = {**VALUES, 23: Block(ROUNDING >> TORQUE, Rounding(Ref(D))), 24: Block(ROUNDING >> FORCE, Rounding(Ref(M)))}
    check = TypeCheck(values)
    assert list(check.pivot(Pivot(D, None, (term(H, M, Ref(H).T),), Ref(23), Ref(23)))) == []
    assert list(check.pivot(Pivot(D, None, (term(H, M),))))
    assert list(check.pivot(Pivot(D, None, (), Ref(24), None)))
