"""What names stand for: every name that is printed is explained, each once."""

import pytest

import operator_algebra as oa
from operator_algebra.applications.legend import OWN_MEANINGS, legend, meaning
from operator_algebra.cli.reading.lookup import applications
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.symbols import H, P, T, inv, v, vocabulary

FORMULAS = applications()


@pytest.mark.parametrize("e", FORMULAS.values(), ids=list(FORMULAS))
def test_every_name_in_a_formula_of_an_application_is_explained_once(e: Expr) -> None:
    entries = legend(e)
    assert len({entry.name for entry in entries}) == len(entries)
    told = {entry.name for entry in entries}
    # A recursion of the vocabulary stands under its name, which says what it is made of.
    recursions = [known for known in vocabulary().values() if isinstance(known, Fixpoint) and known.render() in told]
    told |= {symbol.render() for known in recursions for symbol in known.symbols()}
    written = {symbol.render() for symbol in e.symbols()}
    assert written - told <= {e.render()}
    assert all(entry.meaning or entry.definition is not None for entry in entries)


def test_what_applications_define_has_a_meaning_and_nothing_else_has_one_here() -> None:
    defined = {e.name for e in FORMULAS.values() if isinstance(e, Symbol) and e.definition is not None}
    same = {f"{name}{armed}" for name in vocabulary() for armed in ("", "_J")}  # D with armature is D_J
    written = {symbol.name for e in FORMULAS.values() for symbol in e.symbols() if symbol.definition is not None}
    assert defined - same <= set(OWN_MEANINGS) <= defined | written
    assert all(text.endswith(".") for text in OWN_MEANINGS.values())


def test_definitions_of_applications_are_followed_those_of_the_vocabulary_are_not() -> None:
    names = [entry.name for entry in legend(inv(oa.dynamics.mass_matrix) @ T)]
    assert names == ["ℳ", "T", "H", "φ", "M", "armature"]
    assert [entry.name for entry in legend(P)] == ["M", "E_φ", "H"]


def test_a_name_of_the_user_is_explained_by_its_definition() -> None:
    mine, w, *_ = legend(oa.define("mine", H.T @ v).T @ oa.vector("w", oa.FORCE))
    assert (mine.name, str(mine.definition), mine.meaning) == ("mine", "H* v", "")
    assert (w.name, w.definition, w.meaning) == ("w", None, "An input.")


def test_only_names_have_a_meaning() -> None:
    assert meaning(P).startswith("Articulated inertia")
    assert meaning(oa.dynamics.bias) == OWN_MEANINGS["bias"]
    assert meaning(inv(P)) == ""


def test_a_user_may_take_a_name_of_the_vocabulary_for_something_else() -> None:
    other = oa.define("M", 2 * oa.symbols.M)
    assert meaning(other) == ""
    assert legend(H @ other)[1].definition is not None
