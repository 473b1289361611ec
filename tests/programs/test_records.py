"""Instructions are declared by what their fields hold and where it is read; all else follows from that."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.programs.instructions import Hop
from operator_algebra.programs.records import (
    EQUATIONS,
    GRID,
    OPTIONAL,
    ROW,
    TERMS,
    Equation,
    Grid,
    Record,
    Ref,
    Row,
    Term,
    along,
    children,
    everywhere,
    here,
    instruction,
    map_references,
    parent,
    references,
    terms_of,
)

IN = Hop(s.E_phi, star=False, inward=True)


@instruction("sample")
class Sample(Record):
    """One field of each kind."""

    word_of_it: str
    one: Ref = here()
    sent: Ref = children()
    received: Ref = parent()
    summed: Ref = everywhere()
    hop: Hop
    passing: Ref = along("hop")
    maybe: Ref | None = here(OPTIONAL)
    row: Row = here(ROW)
    grid: Grid = here(GRID)
    terms: tuple[Term, ...] = here(TERMS)
    equations: tuple[Equation, ...] = here(EQUATIONS)


refs = st.builds(Ref, st.integers(1, 99), st.booleans())
rows = st.lists(st.none() | refs, max_size=3).map(tuple)
terms = st.builds(
    Term,
    st.fractions(min_value=-3, max_value=3, max_denominator=3),
    st.lists(refs, max_size=3).map(tuple),
    st.lists(st.integers(1, 99), max_size=2).map(lambda found: tuple(sorted(found))),
)
parts = st.lists(st.tuples(st.integers(0, 2), terms), max_size=2).map(tuple)
equations = st.builds(Equation, st.sampled_from([FORCE, MOTION]), parts, parts, parts, st.none() | refs, st.booleans())
samples = st.builds(
    Sample,
    st.text(max_size=3), refs, refs, refs, refs,
    st.sampled_from([IN, IN.T]), refs, st.none() | refs, rows,
    st.lists(rows, max_size=2).map(tuple),
    st.lists(terms, max_size=3).map(tuple),
    st.lists(equations, max_size=2).map(tuple),
)  # fmt: skip


def values(thing: object) -> list[int]:
    """Every value in a thing, found without knowing its kind."""
    if isinstance(thing, Ref):
        return [thing.value]
    if isinstance(thing, Term):
        return [*values(thing.factors), *thing.scalars]
    if isinstance(thing, Equation):
        terms = [term for _, term in (*thing.members, *thing.gathers, *thing.pulls)]
        return [n for one in (*terms, thing.constant) for n in values(one)]
    if isinstance(thing, tuple):
        return [n for one in cast("tuple[object, ...]", thing) for n in values(one)]
    return []


@given(samples)
@settings(max_examples=60)
def test_what_is_read_and_where_follows_from_the_fields(sample: Sample) -> None:
    everything = [n for name in Sample.__slots__ for n in values(getattr(sample, name))]
    assert sorted(ref.value for ref, _ in references(sample)) == sorted(everything)
    labels = [label for _, label in references(sample)]
    assert labels[:5] == ["L", "U", "D", "R", "U" if sample.hop.inward else "D"]
    assert set(labels[5:]) <= {"L"}
    assert terms_of(sample) == sample.terms


@given(samples)
@settings(max_examples=60)
def test_over_other_values_it_is_the_same_instruction(sample: Sample) -> None:
    assert map_references(sample, lambda ref: ref) == sample
    moved = map_references(sample, lambda ref: Ref(ref.value + 100, ref.star))
    expected = [(Ref(ref.value + 100, ref.star), label) for ref, label in references(sample)]
    assert sorted(map(str, references(moved))) == sorted(map(str, expected))
    assert map_references(moved, lambda ref: Ref(ref.value - 100, ref.star)) == sample
    assert (moved.word_of_it, moved.hop) == (sample.word_of_it, sample.hop)


def test_a_record_is_frozen_and_knows_its_word() -> None:
    @instruction("bare")
    class Bare(Record):
        """Reads nothing."""

        number: int

    bare = Bare(3)
    assert Bare.word == "bare"
    assert list(references(bare)) == []
    assert map_references(bare, lambda ref: ref.T) is bare
    assert terms_of(bare) == ()
    with pytest.raises(FrozenInstanceError):
        cast("Any", bare).number = 4


@given(refs)
def test_the_adjoint_of_the_adjoint_is_the_value(ref: Ref) -> None:
    assert ref != ref.T
    assert ref == ref.T.T


def test_a_bare_term_is_its_factor() -> None:
    one = Fraction(1)
    assert Term(one, (Ref(3, star=True),)).bare == Ref(3, star=True)
    for other in (Term(-one, (Ref(3),)), Term(one, (Ref(3), Ref(4))), Term(one, ()), Term(one, (Ref(3),), (5,))):
        assert other.bare is None
