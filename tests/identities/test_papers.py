"""The index of the five papers: complete, nothing in it leads nowhere, and citations find their place in it."""

from __future__ import annotations

import ast
import inspect
import json
import re

import pytest

import operator_algebra as oa
from docs.extensions.generated import papers_page
from operator_algebra import symbols as s
from operator_algebra.applications.cited import meant
from operator_algebra.description import describe
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.papers import Result, index, places, result
from operator_algebra.symbols import vocabulary
from tests.house.tree import ROOT, read

DIAGONALIZED = """
1.1 1.2 1.3 1.4 2.1 2.2 2.3 2.4 2.5 3.1 3.2 4.1a 4.1b 4.1c 4.1d 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 4.10a 4.10b 4.10c 4.10d
4.11 4.12 5.1 5.2 5.3 5.4 5.5 5.6 6.1 6.2 6.3 6.4 6.5 6.6 6.7 6.8 6.9 6.10 6.11 6.12 6.13 6.14 6.15 6.16a 6.16b 6.16c
6.17 6.18 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 7.9 7.10 8.1 8.2 8.3 8.4 8.5 8.6
"""
EQUATIONS = {
    "diagonalized dynamics": DIAGONALIZED.split(),
    "filtering and smoothing": [str(n) for n in range(1, 87)],
    "inertia decomposition": [str(n) for n in range(1, 28)],
    "geometric treatment": [str(n) for n in range(1, 32)],
    "review": [str(n) for n in range(1, 30)],
}
"""As the papers count them: 244 in all."""

NAMED = {
    "diagonalized dynamics": [
        *(f"assumption {n}" for n in "12"),
        *(f"lemma {n}" for n in ("2.1", "2.2", "3.1", "6.1", "6.2", "7.1", "7.2", "7.3")),
        *(f"identity {n}" for n in ("4.1", "4.2", "6.1", "6.2", "6.3", "7.1")),
        *(f"algorithm {n}" for n in ("4.1", "6.1", "7.1", "8.1")),
        *(f"control {n}" for n in ("8.1", "8.2")),
        *(f"table {n}" for n in "1234"),
    ],
    "filtering and smoothing": ["table I", "table II", "table III"],
    "inertia decomposition": ["table I"],
    "geometric treatment": ["theorem 1", "theorem 2", "property i", "property ii"],
    "review": [
        *("recursive Newton-Euler", "composite rigid bodies", "articulated bodies"),
        *("loops, method 1", "loops, method 2", "loops, method 3", "leaves first", "constraint forces in parallel"),
    ],
}
RESULTS = [one for results in index().values() for one in results]


def test_every_numbered_result_is_there_once() -> None:
    assert sum(map(len, EQUATIONS.values())) == 244
    assert list(index()) == list(EQUATIONS)
    for paper, results in index().items():
        found = [one.number for one in results]
        assert sorted(found) == sorted([*EQUATIONS[paper], *NAMED[paper]])


def test_nothing_leads_nowhere() -> None:
    for one in RESULTS:
        assert set(one.laws) <= set(catalogue())
        for name in one.names:
            value = meant(name)
            assert isinstance(value, Expr) or callable(value)


def test_every_result_is_here_or_says_why_not() -> None:
    for one in RESULTS:
        assert one.says
        assert bool(one.laws or one.names) != bool(one.out)
    assert sum(bool(one.out) for one in RESULTS) < 15


def test_what_cites_a_result_belongs_to_it() -> None:
    cites = {name: law.cites for name, law in catalogue().items()}
    cites |= {name: getattr(e, "cites", "") for name, e in vocabulary().items()}
    checked = 0
    for name, text in cites.items():
        for paper, number in places(text):
            one = result(f"{paper} {number}")
            assert name in (*one.laws, *one.names)
            checked += 1
    assert checked > 100


def _meanings() -> list[tuple[str, str]]:
    """Name and meaning of every formula of an application, as its file states them."""
    found: list[tuple[str, str]] = []
    for key, home in oa._MODULES.items():  # pyright: ignore[reportPrivateUsage]
        if not home.startswith("applications."):
            continue
        name = ""
        for node in ast.parse(inspect.getsource(getattr(oa, key))).body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    continue
                case ast.Expr(value=ast.Constant(value=str(text))) if name:
                    found.append((f"{key}.{name}", text))
                case _:
                    pass
            name = ""
    return found


def test_what_a_formula_of_an_application_cites_leads_to_it_or_to_what_it_is() -> None:
    checked = 0
    for name, text in _meanings():
        for cites in re.findall(r"\[((?:diag|filt|iner|geom|rev)[^\]]*)\]", text):
            for paper, number in places(cites):
                one = result(f"{paper} {number}")
                assert name in one.names, f"{name} cites {cites}"
                checked += 1
    assert checked > 40


def test_laws_of_the_index_have_been_checked() -> None:
    evidence = json.loads(read(ROOT / "docs" / "evidence.json"))
    for one in RESULTS:
        assert all(evidence[name]["samples"] > 0 for name in one.laws)


@pytest.mark.parametrize(
    "text",
    ["diagonalized dynamics (6.5)", "Diagonalized Dynamics, (6.5)", "diagonalized dynamics equation 6.5"],
)
def test_a_citation_is_read_as_people_write_it(text: str) -> None:
    assert result(text).number == "6.5"
    assert describe(text) == describe(result("diagonalized dynamics (6.5)"))


def test_a_result_shows_law_and_misprint() -> None:
    shown = describe("diagonalized dynamics (6.5)")
    assert "misprint   ψ π̇ ψ without the star" in shown
    assert "law        rate of articulated inertia through a turning joint" in shown
    assert "pi_dot = P̊ + δ P + P δ*" in shown


def test_a_result_that_is_one_formula_shows_all_of_it() -> None:
    shown = describe("review (8)")
    assert "here       dynamics.inverse_dynamics" in shown
    assert describe(oa.dynamics.inverse_dynamics) in shown


def test_what_is_not_there_is_said_with_what_is_near() -> None:
    with pytest.raises(InputError, match=r"review has nothing numbered '30'. Near it are review \(3\)"):
        describe("review (30)")
    with pytest.raises(InputError, match=r"It has \(1\) to \(27\), table I"):
        result("inertia decomposition, corollary")
    with pytest.raises(InputError, match="cites no paper of the index"):
        result("somebody else (3)")


def test_the_page_has_every_result() -> None:
    page = papers_page()
    for one in RESULTS:
        label = f"({one.number})" if one.number[0].isdigit() else one.number
        assert f"\n| {label} | {one.says}" in page


def test_a_result_without_laws_and_names_says_what_it_lacks() -> None:
    out = next(one for one in RESULTS if one.out)
    assert isinstance(out, Result)
    assert f"not here   {out.out}" in describe(out)


def test_the_bracket_of_7_5_is_skew_by_writing_alone() -> None:
    bracket = s.E_psi @ s.pi_dot - s.pi_dot @ s.E_psi.T - s.delta @ s.P + s.P @ s.delta.T
    assert oa.equal(bracket.T, -bracket)
    assert not oa.equal(bracket.T, bracket)


def test_what_a_result_is_about_is_said_without_the_one_before() -> None:
    """Whoever asks for one number reads one row."""
    leaning = re.compile(r"^(the same|they|their|them|it|its|these|those|such|that|this)\b")
    assert [one.citation for results in index().values() for one in results if leaning.search(one.says)] == []
