"""The kernel believes nothing but declarations: it derives the axioms, computes every line, and refuses all else."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import operator_algebra as oa
from operator_algebra.proofs import kernel
from operator_algebra.proofs.kernel import Refused, check
from tests.proofs.tampering import declared_otherwise, tampered

FILE = Path(kernel.__file__)
TAMPERED = 2_000


def small() -> dict[str, Any]:
    """φ E = φ − I, by hand."""
    return {
        "spaces": {"force": "motion", "motion": "force"},
        "traits": [],
        "declare": [
            ["E", "leaf", "force", "force", "inward hop"],
            ["phi", "inverse", {"": "1", "E": "-1"}, "force", "force"],
        ],
        "claim": ["phi E", {"phi": "1", "": "-1"}],
        "lines": [[{"phi E": "1", "phi": "-1", "": "1"}, ["-1", "", ["left", "phi"], ""]]],
    }


def riccati(equation: Any, *structure: str) -> dict[str, Any]:
    """An unknown with an equation; the claim is that it satisfies it."""
    structure = structure or ("diagonal", "symmetric")
    return {
        "spaces": {"force": "motion", "motion": "force"},
        "traits": [],
        "declare": [
            ["M", "leaf", "force", "motion", "diagonal", "symmetric"],
            ["E", "leaf", "force", "force", "inward hop"],
            ["P", "unknown", "force", "motion", *structure],
            ["P", "equals", equation],
        ],
        "claim": ["P", equation],
        "lines": [[{"P": "1", "M": "-1", "E P E'": "-1"}, ["1", "", ["equation", "P"], ""]]],
    }


def with_change(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The small certificate with one entry replaced."""
    made = small()
    told: Any = made
    for key in path[:-1]:
        told = told[key]
    told[path[-1]] = value
    return made


def test_it_imports_the_standard_library_alone() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert all(name.partition(".")[0] in sys.stdlib_module_names for name in names)


def test_a_proof_by_hand_is_accepted() -> None:
    found = check(small())
    assert found["claim"] == small()["claim"]
    assert found["assumed"] == []


def test_it_runs_as_a_program_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(oa.prove("inverse mass matrix").certificate()), encoding="utf-8")
    command = [sys.executable, "-I", str(FILE), str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.count("PROVED")) == (0, 2)
    path.write_text(path.read_text(encoding="utf-8").replace('"1"', '"2"'), encoding="utf-8")
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout[:7]) == (1, "REFUSED")


def test_an_inverse_that_has_to_exist_is_told() -> None:
    made = small()
    made["declare"][0][4] = "full"
    assert check(made)["assumed"] == ["phi exists"]


WRONG: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("claim", 0), "phi", "not the claim"),
    (("lines", 0, 1, 2, 0), "middle", "middle"),
    (("lines", 0, 1, 2), ["equation", "phi"], "no fact here"),
    (("lines", 0, 1, 2), ["left", "phi'"], "does not follow"),
    (("lines", 0, 1, 2), ["left", "phi", "phi"], "longer"),
    (("lines", 0, 1, 2), ["left"], "shorter"),
    (("lines", 0, 1, 2), "phi", "may have a diagonal"),
    (("lines", 0, 1, 2), "itself", "not causal"),
    (("lines", 0, 1, 2), "apart", "may have a diagonal"),
    (("lines", 0, 1, 2), ["'", "itself"], "'i'"),
    (("lines", 0, 1, 2), ["'", "apart"], "'a'"),
    (("lines", 0, 1, 2), ["alone", "E", "E", ""], "no fact here"),
    (("lines", 0, 1, 2), ["scalar", "E"], "no fact here"),
    (("lines", 0, 1, 2), ["right", "E"], "no fact here"),
    (("lines", 0, 1, 2), ["cross", "phi"], "no fact here|does not fit"),
    (("lines", 0, 1, 2), 0, "0"),
    (("lines", 0, 1, 2), -1, "-1"),
    (("lines", 0, 1, 0), -1, "not iterable"),
    (("lines", 0, 1, 0), -1.5, "not iterable"),
    (("lines", 0, 1, 0), "0", "ill-typed"),
    (("lines", 0, 1, 0), "1", "does not follow"),
    (("lines", 0, 0, "phi"), "-2", "does not follow"),
    (("lines", 0, 1), "belief", "unpack"),
    (("lines",), [], "not the claim"),
    (("lines",), [[{}]], "not the claim"),
    (("declare", 0, 4), "inwards hop", "inwards hop"),
    (("declare", 0, 4), "diagonal hop", "diagonal hop"),
    (("declare", 0, 4), "inward hop unit", "inward hop unit"),
    (("declare", 0), ["E", "leaf", "force", "force", "inward unit"], "inward unit"),
    (("declare", 0), ["E", "leaf", "force", "force", "inward hop", "definite"], "definite"),
    (("declare", 0), ["E", "number", "force", "force", "diagonal", "symmetric"], "force"),
    (("declare", 1, 1), "belief", "phi cannot be belief"),
    (("declare", 1), ["phi", "inverse", {"": "1", "E": "-1"}, "motion", "force"], "phi cannot be inverse"),
    (("declare", 1), ["phi", "diag", {"": "1", "E": "-1"}, "force", "motion"], "phi cannot be diag"),
    (("declare", 0), ["E", "rigid", "force", "force", "inward"], "E cannot be rigid"),
    (("declare", 0), ["E", "rigid", "force", "force", "outward hop"], "E cannot be rigid"),
    (("declare", 0, 3), "motion", "ill-typed"),
    (("declare", 0, 0), "E'", "is no new name"),
    (("spaces",), {"force": "motion", "motion": "motion"}, "dual"),
    (("declare", 0), ["E", "joint", "force", "force", "full"], "E cannot be joint"),
    (("declare", 0, 0), "°E", "is no new name"),
    (("declare", 0, 0), "E E", "is no new name"),
    (("traits",), ["lucky"], "lucky"),
    (("claim", 0), "phi E'", "ill-typed|not the claim"),
]


@pytest.mark.parametrize(("path", "value", "why"), WRONG)
def test_what_is_wrong_is_refused(path: tuple[Any, ...], value: Any, why: str) -> None:
    with pytest.raises(Refused, match=why):
        check(with_change(path, value))


def test_what_is_declared_is_declared_once() -> None:
    made = small()
    made["declare"].append(made["declare"][0])
    with pytest.raises(Refused, match="no new name"):
        check(made)


def test_a_symmetric_letter_has_no_star() -> None:
    made = riccati({"M": "1", "E P E'": "1"})
    made["claim"][0] = "P'"
    with pytest.raises(Refused, match="P'"):
        check(made)


def test_an_equation_has_one_solution_or_none_is_believed() -> None:
    assert check(riccati({"M": "1", "E P E'": "1"}))["lines"] == 1
    for wrong, why in (
        ({"M": "1", "P": "1"}, "causal"),
        ({"M": "1", "P": "1/2"}, "causal"),
        ({"M": "1", "E P": "1"}, "like its equation"),
        ({"M": "1", "E P E'": "2", "P": "-1"}, "causal"),
        ({"M": "1", "E P' E'": "1"}, "P'"),
    ):
        with pytest.raises(Refused, match=why):
            check(riccati(wrong))


def asking(equation: Any, more: tuple[list[Any], ...]) -> dict[str, Any]:
    """An unknown X with an equation, and what is made of it."""
    made = riccati({"M": "1", "E P E'": "1"})
    made["declare"][:0] = [
        ["N", "leaf", "force", "force", "inward"],
        ["S", "leaf", "force", "force", "inward strict"],
        ["W", "leaf", "motion", "force", "diagonal", "symmetric"],
    ]
    made["declare"][5:] = [["X", "unknown", "force", "motion", "full"], *more, ["X", "equals", equation]]
    made["claim"] = ["X", equation]
    made["lines"] = [[{}]]
    return made


@pytest.mark.parametrize(
    ("equation", "more"),
    [
        ({"N M": "1", "N X S'": "1"}, ()),  # its own row
        ({"N M": "1", "S X": "1", "M S' W X": "1"}, ()),  # rows of both sides
        ({"N M": "1", "S M E' W X": "1"}, ()),  # down and up again, to itself
        ({"N M": "1", "S X' E'": "1"}, ()),  # a row of X' is a column of X
        ({"N M": "1", "S X' W X": "1"}, ()),
        ({"N M": "1", "d": "1"}, (["d", "diag", "N X N'", "force", "motion"],)),
        ({"N M": "1", "S d": "1"}, (["d", "diag", "M E' W X", "force", "motion"],)),
        ({"N M": "1", "S i M": "1"}, (["i", "inverse", {"": "1", "X W": "1"}, "force", "force"],)),
    ],
)
def test_what_does_not_ask_one_way_is_not_causal(equation: Any, more: tuple[list[Any], ...]) -> None:
    with pytest.raises(Refused, match="not causal"):
        check(asking(equation, more))


@pytest.mark.parametrize(
    ("equation", "more"),
    [
        ({"N M": "1", "S X N'": "1", "E X": "1"}, ()),
        ({"N M": "1", "E d": "1", "S X": "1"}, (["d", "diag", "N X N'", "force", "motion"],)),
    ],
)
def test_what_asks_one_way_is_causal(equation: Any, more: tuple[list[Any], ...]) -> None:
    """That X is what its equation says is the last line, so nothing is missing but that line."""
    with pytest.raises(Refused, match="the last line is not the claim"):
        check(asking(equation, more))


def test_equations_that_speak_of_each_other_are_refused() -> None:
    """P = Q and Q = I + diag(P) have no solution: an equation may speak of solved unknowns only."""
    made = riccati({"M": "1", "E P E'": "1"})
    made["declare"][2:] = [
        ["P", "unknown", "force", "force", "diagonal"],
        ["Q", "unknown", "force", "force", "diagonal"],
        ["d", "diag", "P", "force", "force"],
        ["P", "equals", "Q"],
        ["Q", "equals", {"": "1", "d": "1"}],
    ]
    with pytest.raises(Refused, match=r"P.* has no equation yet"):
        check(made)
    del made["declare"][3]
    with pytest.raises(Refused, match="Q"):
        check(made)


def test_a_multiple_by_a_number_need_not_have_an_inverse() -> None:
    made = small()
    made["spaces"]["one"] = "one"
    made["declare"][1:1] = [["h", "leaf", "one", "one", "diagonal", "symmetric"]]
    made["declare"][2][2] = {"h": "1", "h E": "-1"}
    made["claim"] = ["h phi", {"h phi E": "1", "": "1"}]
    made["lines"] = [[{"h phi": "1", "h phi E": "-1", "": "-1"}, ["1", "", ["left", "phi"], ""]]]
    assert check(made)["assumed"] == ["phi exists"]


def test_what_can_be_proved_of_an_unknown_is_not_assumed() -> None:
    with pytest.raises(Refused, match="diagonal unit"):
        check(riccati({"M": "1", "E P E'": "1"}, "diagonal unit"))
    with pytest.raises(Refused, match="like its equation"):
        check(riccati({"M": "1", "E P E'": "1"}, "inward strict"))
    with pytest.raises(Refused, match="definite"):
        check(riccati({"M": "1", "E P E'": "1"}, "diagonal", "symmetric", "definite"))


def test_terms_that_do_not_fit_are_refused_even_if_they_cancel() -> None:
    made = small()
    terms = made["lines"][0]
    terms += [["1", "E'", ["left", "phi"], ""], ["-1", "E'", ["left", "phi"], ""]]
    with pytest.raises(Refused, match=r"ill-typed|types"):
        check(made)


@cache
def certificates() -> list[dict[str, Any]]:
    """Certificates of all kinds of rules."""
    names = ("reduced propagation", "innovations factorization", "inverse mass matrix", "costate covariance",
             "diagonal of the inverse mass matrix", "composite inertia as covariance", "Jacobi identity",
             "velocity across a joint", "square root of the inverse", "costate decomposition on chains")  # fmt: skip
    return [one for name in names for one in oa.prove(name).certificate()["proofs"]]


def accepted(certificate: dict[str, Any]) -> bool:
    try:
        check(copy.deepcopy(certificate))
    except Refused:
        return False
    return True


@pytest.mark.parametrize("count", [300, pytest.param(TAMPERED, marks=pytest.mark.slow)])
def test_tampered_certificates_are_refused(count: int) -> None:
    sources = certificates()
    assert all(accepted(one) for one in sources)
    pairs = ((sources[seed % len(sources)], seed) for seed in range(3 * count))
    changed = ((made, seed) for source, seed in pairs if (made := tampered(source, seed))["lines"] != source["lines"])
    verdicts = {seed: accepted(made) for made, seed in islice(changed, count)}
    assert len(verdicts) == count
    assert [seed for seed, believed in verdicts.items() if believed] == []


@pytest.mark.parametrize("count", [300, pytest.param(TAMPERED, marks=pytest.mark.slow)])
def test_changed_declarations_are_refused_or_told(count: int) -> None:
    """Another space, structure, kind, body or star: refused, or it is another claim, with another digest."""
    sources = certificates()
    digests = [check(copy.deepcopy(one))["sha256"] for one in sources]
    accepted_ones = 0
    for seed in range(count):
        made = declared_otherwise(sources[seed % len(sources)], seed)
        try:
            found = check(copy.deepcopy(made))
        except Refused:
            continue
        accepted_ones += 1
        assert found["sha256"] != digests[seed % len(sources)] or made == sources[seed % len(sources)]
    assert 0 < accepted_ones < count // 3


def brackets(*facts: Any, traits: tuple[str, ...] = ()) -> dict[str, Any]:
    """A claim about brackets of joint motions, by one fact."""
    return {
        "spaces": {"force": "motion", "motion": "force", "one": "one", "rate": "torque", "torque": "rate"},
        "traits": list(traits),
        "declare": [
            ["H", "joint", "torque", "force", "diagonal"],
            ["E", "rigid", "force", "force", "inward hop"],
            ["w", "leaf", "rate", "one", "full"],
            ["X", "leaf", "motion", "one", "full"],
            ["x", "cross", "X", "motion", "motion"],
            ["h", "cross", "H' w", "motion", "motion"],
            ["e", "cross", "E' X", "motion", "motion"],
            ["s", "spin", "H' w", "motion", "motion"],
        ],
        "claim": ["0", "0"],
        "lines": [[{}, *(["1", "", fact, ""] for fact in facts)]],
    }


@pytest.mark.parametrize(
    ("fact", "traits", "why"),
    [
        (["skew", "x", "h"], [], "does not follow"),
        (["rigid", "E", "x", "e"], [], "does not follow"),
        (["alone", "H", "h", "w"], ["revolute"], "does not follow"),
        (["turning", "H", "h", "s", "w"], ["revolute"], "does not follow"),
        (["rigid", "E", "x", "h"], [], "no fact here"),
        (["rigid", "H", "x", "e"], [], "no fact here"),
        (["jacobi", "x", "h", "e"], [], "no fact here"),
        (["known", "x", "h"], [], "no fact here"),
        (["alone", "H", "h", "w"], [], "no fact here"),
        (["alone", "H", "x", "w"], ["1-DOF"], "no fact here"),
        (["turning", "H", "h", "s", "w"], ["1-DOF"], "no fact here"),
        (["turning", "H", "x", "s", "w"], ["revolute"], "no fact here"),
        (["still", "H"], ["revolute"], "no fact here"),
        (["left", "x"], [], "no fact here"),
        (["commute", "x", "h"], [], "commute"),
        (["cross", {"x": "1", "h": "-1"}], [], "does not fit"),
        (["cross", "s"], [], "does not fit"),
        (["cross", "x h"], [], "does not fit|ill-typed"),
    ],
)
def test_no_fact_is_invented(fact: list[str], traits: list[str], why: str) -> None:
    """Of a true fact it is said that it is not 0 = 0, of an invented one that it is none."""
    with pytest.raises(Refused, match=why):
        check(brackets(fact, traits=tuple(traits)))


def test_no_inverse_is_forged() -> None:
    for body, why in (({"E": "1", " E": "-1"}, "ill-typed"), ("E E'", "ill-typed")):
        made = small()
        made["declare"][1][2] = body
        with pytest.raises(Refused, match=why):
            check(made)
    made = small()
    made["declare"][1] = ["phi", "root", {"": "1", "E": "-1"}, "force", "force"]
    with pytest.raises(Refused, match="cannot be root"):
        check(made)


def test_other_declarations_prove_something_else() -> None:
    """What is declared is part of what is claimed: it changes the digest, or is refused."""
    source = certificates()[1]
    digest = check(copy.deepcopy(source))["sha256"]
    for place, (_, kind, *given) in enumerate(source["declare"]):
        if kind not in ("leaf", "rigid", "joint"):
            continue
        for words in (["full"], ["diagonal"], [f"{given[2]} strict"], [f"{given[2]} unit"], ["inward hop"],
                      ["diagonal", "symmetric"]):  # fmt: skip
            made = copy.deepcopy(source)
            made["declare"][place][4:] = words
            try:
                found = check(made)
            except Refused:
                continue
            assert found["sha256"] != digest or words == given[2:]
