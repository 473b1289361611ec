"""The replay of a check, done: the command or the line of Python gives the numbers of the row again."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner

import operator_algebra as oa
from operator_algebra.checking.check import Check, check, check_all
from operator_algebra.checking.replay import claim_text, replay
from operator_algebra.checking.results import results
from operator_algebra.checking.suite import mechanism
from operator_algebra.cli.main import app
from operator_algebra.identities.catalogue import THEMES, catalogue, law_named
from operator_algebra.identities.claims import laws_of
from operator_algebra.symbols import D, E_phi, H, I, K, M, P, inv, phi, psi

SLIP = "inv(I + H phi K) = I + H psi K"


def own_law() -> oa.Identity:
    """A law with an operator that only this program knows."""
    B = oa.operator("B_own", oa.TORQUE >> oa.RATE, structure="diagonal")
    return oa.Identity("own adjoint", (B @ H).T, H.T @ B.T)


def typed(line: str) -> list[dict[str, Any]]:
    """The laws of what the command prints as JSON."""
    words = shlex.split(line)
    assert words[:2] == ["operator-algebra", "check"]
    place = words.index("--") if "--" in words else len(words)
    found = cast("Any", CliRunner()).invoke(app, [*words[1:place], "--json", "-q", *words[place:]])
    return json.loads(found.stdout)["laws"]


def row_again(found: Check) -> None:
    """The command prints the worst row of a check, digit by digit."""
    assert found.worst is not None
    (law,) = typed(found.replay())
    (told,) = results([replace(found, rows=(found.worst,))], samples=1, seed=0)["laws"]
    assert law["mechanisms"] == told["mechanisms"]
    assert law["verdict"] == told["verdict"]
    assert law["replay"] == found.replay()


@pytest.mark.parametrize("claim", ["factor inverse", SLIP, "-phi = -psi - psi K H phi"])
def test_a_command_for_what_the_command_line_knows(claim: str) -> None:
    row_again(check(claim, oa.load("tree4"), samples=3, seed=4))


def test_a_law_of_ones_own_in_the_vocabulary_is_replayed_as_an_equation() -> None:
    found = check(oa.Identity("my slip", inv(I + H @ phi @ K), I + H @ psi @ K), oa.load("arm7"))
    assert found.replay() == f'operator-algebra check "{SLIP}" --model arm7 --seed 0'
    assert typed(found.replay())[0]["verdict"] == found.verdict == "FAILS"


def test_a_row_of_the_suite_is_replayed_and_not_the_worst_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.search.suite", lambda: ("forest4.3", "tree20"))
    (found,) = check_all([law_named("factor inverse")], samples=2, seed=1)
    for row in found.rows:
        (law,) = typed(found.replay(row))
        assert (law["mechanisms"][0]["residual"], law["mechanisms"][0]["sample"]) == (
            results([replace(found, rows=(row,))], samples=2, seed=1)["laws"][0]["mechanisms"][0]["residual"],
            row.sample,
        )


def test_a_file_is_replayed_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "my arm.toml"
    oa.chain(3).save(path)
    (law,) = typed(f"operator-algebra check '{SLIP}' --model {shlex.quote(str(path))} --samples 2 --seed 7")
    assert shlex.quote(str(path)) in law["replay"]
    assert typed(law["replay"]) == [law]


def test_what_the_command_line_cannot_know_is_a_line_of_python() -> None:
    law, model = own_law(), oa.chain(3)
    for found in (
        check(law, model, samples=3, seed=2),
        check(law, oa.load("tree4"), seed=2),
        check(law, mechanism("forest4.3"), seed=2),
        check("factor inverse", model),
        check("(I + H phi K) (I - H psi K) = I", model, seed=5),
    ):
        names: dict[str, Any] = {"oa": oa, "law": law, "model": model, "mechanism": mechanism}
        line, _, note = found.replay().partition("   # ")
        again: Check = eval(line, names)
        assert (again.rows, again.seed) == (found.rows, found.seed)
        assert ("law:" in note) == ("(law," in line)
        assert ("model:" in note) == (", model," in line)


def test_what_is_named_is_what_is_meant() -> None:
    other = oa.chain(4)
    impostor = oa.Model(name="tree4", bodies=other.bodies)
    assert 'model: your "tree4"' in check("factor inverse", impostor).replay()
    false = oa.Identity("factor inverse", inv(I + H @ phi @ K), I + H @ psi @ K)
    assert claim_text(false) == SLIP
    shadow = oa.fixpoint("P", oa.MOTION >> oa.FORCE, lambda X: M + E_phi @ X @ E_phi.T)
    assert shadow is not P
    assert claim_text(oa.Identity("shadow", H @ shadow @ H.T, D)) is None
    assert claim_text(oa.Identity("narrow", phi, phi, domain=("serial",))) is None


def test_every_law_of_the_catalogue_has_a_command() -> None:
    for name, law in catalogue().items():
        text = claim_text(law)
        assert text is not None
        (found,) = laws_of(text)
        assert (found.lhs, found.rhs, found.domain) == (law.lhs, law.rhs, law.domain)
        assert text == name or name in THEMES  # such a word names all laws of the theme


def test_nothing_is_said_that_is_the_default() -> None:
    law = law_named("factor inverse")
    assert replay(law, None, samples=8, seed=0) == 'operator-algebra check "factor inverse" --seed 0'
    assert replay(law, "tree4", samples=2, seed=0).endswith("--model tree4 --samples 2 --seed 0")
