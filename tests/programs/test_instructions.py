"""The instructions there are: their words, what they read and where, and the leaves that they pass."""

from __future__ import annotations

from typing import get_args

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, task_space
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.query import dense, logdet
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.local import CROSS
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.programs.instructions import (
    WORDS,
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
    hops_of,
)
from operator_algebra.programs.records import Ref, references
from tests.lowering.meant import term

IN = Hop(s.E_phi, star=False, inward=True)
A, B, C = Ref(1), Ref(2).T, Ref(3)

READS: list[tuple[Instruction, list[tuple[Ref, str]]]] = [
    (Given(s.M), []),
    (Linear((term(A, B), term(C))), [(A, "L"), (B, "L"), (C, "L")]),
    (Shift(IN, A), [(A, "U")]),
    (Shift(IN.T, A), [(A, "D")]),
    (Shift(IN, A, IN.T), [(A, "U")]),
    (Invert(A), [(A, "L")]),
    (RootOf(A), [(A, "L")]),
    (Call("cross", (A,)), [(A, "L")]),
    (Stack(((A, None), (None, B))), [(A, "L"), (B, "L")]),
    (Part(A, 1), [(A, "L")]),
    (Reduce((term(A, B),)), [(A, "R"), (B, "R")]),
    (Total("trace", A), [(A, "R")]),
    (Update(A, B, (C,), None), [(A, "L"), (B, "L"), (C, "L")]),
    (Update(A, B, (C,), A), [(A, "L"), (B, "L"), (C, "L"), (A, "L")]),
    (Rounding(A), [(A, "L")]),
    (Rounding(A, C), [(A, "L"), (C, "L")]),
    (Relate(A, (), (), ((IN, 0),), ((IN.T, 0),)), [(A, "U")]),
    (Resolve(A, B), [(A, "D"), (B, "L")]),
    (Surround(A, B), [(A, "D"), (B, "L")]),
    (Answer(A, B, (C, None)), [(A, "L"), (B, "L"), (C, "L")]),
]


@pytest.mark.parametrize(("definition", "expected"), READS, ids=lambda one: getattr(one, "word", ""))
def test_what_is_read_where(definition: Instruction, expected: list[tuple[Ref, str]]) -> None:
    assert list(references(definition)) == expected


def test_each_instruction_has_a_word_and_an_example_above() -> None:
    kinds = set(get_args(Instruction))
    assert set(WORDS.values()) == kinds
    assert all(WORDS[kind.word] is kind for kind in kinds)
    assert {type(definition) for definition, _ in READS} == kinds


def test_the_compiler_uses_every_one_of_them() -> None:
    mass, noise = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T, operator("C", RATE >> TORQUE, structure="diagonal")
    nested = inv(inv(mass + noise) + operator("F", TORQUE >> RATE, structure="diagonal"))
    programs = [
        lower(dynamics.forward_dynamics),
        lower({"energy": dynamics.kinetic_energy, "whole": dense(task_space.inertia), "volume": logdet(s.D)}),
        lower("root(D)"),
        lower(inv(nested + noise) @ s.T),
        lower(inv(mass) @ s.T, method="orthogonal"),
        lower("diag(inv(H phi M phi' H'))", method="orthogonal"),
    ]
    found = {type(step.definition) for program in programs for step in program.computed.values()}
    assert found == set(get_args(Instruction))


def test_a_hop_and_its_adjoint_run_against_each_other() -> None:
    assert IN.T.T == IN
    assert (IN.T.inward, IN.T.star) == (False, True)
    assert IN.T.type == IN.type.T == s.E_phi.type.T
    assert IN.letter == IN.T.letter == "phi"


def test_the_hops_that_are_passed() -> None:
    assert list(hops_of(Shift(IN, A))) == [IN]
    assert list(hops_of(Shift(IN, A, IN.T))) == [IN, IN.T]
    assert list(hops_of(Relate(A, (), (), ((IN, 0),), ((IN.T, 0),)))) == [IN, IN.T]
    assert list(hops_of(Linear((term(A),)))) == []


def test_a_block_and_its_adjoint_round_alike_and_its_update_otherwise() -> None:
    assert Rounding(A).salt == Rounding(A.T).salt
    assert len({Rounding(A).salt, Rounding(C).salt, Rounding(A, C).salt, Rounding(C, A).salt}) == 4


def test_a_call_knows_its_function() -> None:
    assert Call("cross", (A,)).function == CROSS
    with pytest.raises(InputError, match="no local function"):
        _ = Call("twist", (A,)).function
