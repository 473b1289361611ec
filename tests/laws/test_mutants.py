"""Mutants of laws: all are refuted, but for those that exact rational arithmetic shows to be equal."""

from functools import cache
from pathlib import Path

import pytest

from operator_algebra.checking.suite import TRAITS, in_domain, mechanism, trials
from operator_algebra.checking.trial import Trial
from operator_algebra.checking.verdict import decide
from operator_algebra.expressions.nodes import Root
from operator_algebra.expressions.traverse import children_and_definition, free_symbols, postorder
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity
from operator_algebra.identities.mutants import mutants
from operator_algebra.symbols import H_dot
from tests.laws.rational import is_zero, rational_tree
from tests.laws.verdicts import refuted

EQUAL = (Path(__file__).parent / "equal_mutants.txt").read_text(encoding="utf-8").splitlines()
LEAST = 500
TREES = 20
PRECISE = ("forest5.7", "forest5.12", "tree4", "free2", "spherical-outboard", "revolute-outboard", "chain6")


def _plain(mutant: Identity) -> Identity:
    domain = tuple(word for word in mutant.domain if word not in ("any J", "any G"))
    return Identity(mutant.name, mutant.lhs, mutant.rhs, domain=domain)


@cache
def every_mutant() -> dict[str, Identity]:
    """By the lines that the list would have of them."""
    found = [_plain(m) for law in catalogue().values() if isinstance(law, Identity) for m in mutants(law)]
    return {_line(mutant): mutant for mutant in found}


def _line(mutant: Identity) -> str:
    return f"{mutant.name}: {mutant.formula()}"


def test_there_are_many_mutants_and_all_but_the_listed_ones_are_refuted() -> None:
    assert len(every_mutant()) - len(EQUAL) >= LEAST
    held = [line for line, mutant in every_mutant().items() if line not in EQUAL and not refuted(mutant)]
    assert held == []


def test_every_listed_mutant_exists() -> None:
    assert len(EQUAL) == len(set(EQUAL))
    assert set(EQUAL) <= set(every_mutant())


def _has_root(e: Identity) -> bool:
    sides = (e.lhs, e.rhs)
    return any(isinstance(node, Root) for side in sides for node in postorder(side, children_and_definition))


def _is_rational(e: Identity) -> bool:
    """Whether rational trees can tell: they have joints of any kind, and know no Ḣ nor roots."""
    known = free_symbols(e.lhs) | free_symbols(e.rhs)
    return not (set(e.domain) & set(TRAITS) or H_dot in known or _has_root(e))


@cache
def _precise(size: str) -> list[Trial]:
    """Samples of a mechanism, in hundreds of bits."""
    return [trial.precisely(range(len(trial.samples))) for trial, _ in trials(mechanism(size), 4, seed=9)]


@pytest.mark.parametrize("line", EQUAL)
def test_a_listed_mutant_is_equal_in_exact_arithmetic(line: str) -> None:
    mutant = every_mutant()[line]
    if not _is_rational(mutant):
        # The same with hundreds of bits.
        sizes = [size for size in PRECISE if in_domain(mutant, mechanism(size))]
        assert sizes
        for size in sizes:
            assert {one.verdict for trial in _precise(size) for one in decide(trial, mutant)} == {"holds"}
        return
    assert all(is_zero(mutant.lhs - mutant.rhs, rational_tree(seed)) for seed in range(TREES))


def test_exact_trees_see_a_slip_and_believe_the_laws() -> None:
    tree = rational_tree(0)
    seen = 0
    for law in catalogue().values():
        if isinstance(law, Identity) and not _has_root(law) and law.theme in ("projections", "riccati", "composite"):
            assert is_zero(law.lhs - law.rhs, tree), law
            assert not any(is_zero(twin.lhs - twin.rhs, tree) for twin in law.twins), law
            seen += 1
    assert seen > 20
