"""Lines of certificates that are more than sums of facts: they rest on themselves, or hold under a block diagonal."""

from __future__ import annotations

from typing import Any

import pytest

from operator_algebra.proofs.kernel import Refused, check
from tests.proofs.test_kernel import riccati, small


def unique(*terms: Any) -> dict[str, Any]:
    """Two solutions of one equation are the same, by these terms."""
    made = riccati({"M": "1", "E P E'": "1"})
    made["declare"].append(["Q", "unknown", "force", "motion", "diagonal", "symmetric"])
    made["declare"].append(["Q", "equals", {"M": "1", "E Q E'": "1"}])
    made["declare"].append(["O", "leaf", "force", "force", "outward strict"])
    made["claim"] = ["P", "Q"]
    equations = [["1", "", ["equation", "P"], ""], ["-1", "", ["equation", "Q"], ""]]
    made["lines"] = [[{"P": "1", "Q": "-1"}, *equations, *terms]]
    return made


def test_an_equation_has_one_solution() -> None:
    assert check(unique(["1", "E", "itself", "E'"]))["assumed"] == []


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ([], "does not follow"),
        ([["1", "E", "itself", "E'"], ["1", "", "itself", ""], ["-1", "", "itself", ""]], "not causal"),
        ([["1", "E", "itself", "E'"], ["1", "O", "itself", "E'"], ["-1", "O", "itself", "E'"]], "not causal"),
        ([["1", "E", "itself", "E'"], ["1", "M M", "itself", "E"]], "ill-typed"),
        ([["1", "E", ["'", "itself"], "E'"]], "'i'"),
        ([["1", "E", 0, "E'"]], "0"),
    ],
)
def test_a_line_rests_on_itself_only_where_that_is_causal(terms: list[Any], why: str) -> None:
    with pytest.raises(Refused, match=why):
        check(unique(*terms))


def opening(body: str, left: str, right: str, *traits: str) -> dict[str, Any]:
    """The claim that diag(left d right) is diag(left X right), d = diag(X)."""
    made = small()
    made |= {"traits": [*traits], "spaces": {"x": "x"}}
    made["declare"] = [
        ["E", "leaf", "x", "x", "inward hop"],
        ["X", "leaf", "x", "x", "full"],
        ["d", "diag", "X", "x", "x"],
    ]
    made["declare"] += [["a", "diag", body.replace("X", "d"), "x", "x"], ["b", "diag", body, "x", "x"]]
    made["claim"] = ["a", "b"]
    opened = [["1", "", "a", ""], ["-1", "", "b", ""], ["1", left, "d", right]]
    made["lines"] = [[{"a": "1", "b": "-1"}, *opened]]
    return made


@pytest.mark.parametrize(
    ("left", "right", "traits"),
    [("", "", ()), ("E'", "E", ()), ("E' E'", "E E", ()), ("E", "E'", ("serial",)), ("E E'", "E E'", ("serial",))],
)
def test_a_diagonal_in_another_could_be_what_it_is_of_on_a_way_to_a_body_and_back(
    left: str, right: str, traits: tuple[str, ...]
) -> None:
    check(opening(f"{left} X {right}".strip(), left, right, *traits))


@pytest.mark.parametrize(("left", "right"), [("E", "E'"), ("E'", ""), ("E' E", "E' E"), ("X", "X'"), ("E'", "E E")])
def test_it_stays_where_more_bodies_are_reached(left: str, right: str) -> None:
    with pytest.raises(Refused, match="may have a diagonal"):
        check(opening(f"{left} X {right}".strip(), left, right))


def test_it_stays_outside_of_diagonals() -> None:
    made = opening("X", "", "")
    made["lines"][0] = [{"d": "1", "X": "-1"}, ["1", "", "d", ""]]
    with pytest.raises(Refused, match="d  may have a diagonal"):
        check(made)
    made["lines"][0] = [{}, ["1", "", "d", ""], ["-1", "", "d", ""]]
    with pytest.raises(Refused, match="d  may have a diagonal"):
        check(made)


def test_words_apart_are_nothing_in_a_diagonal_alone() -> None:
    """diag(E) = 0, since E joins no body with one of its depth; that E = 0 does not follow, nor diag(E E') = 0."""
    made = opening("E", "", "")
    made["claim"] = ["b", {}]
    made["lines"] = [[{"b": "1"}, ["1", "", "b", ""], ["1", "E", "apart", ""]]]
    check(made)
    lines: list[Any] = [
        [{"E": "1"}, ["1", "E", "apart", ""]],
        [{"E": "1", "b": "1"}, ["1", "E", "apart", ""]],
        [{"b": "1"}, ["1", "", "b", ""], ["1", "E", "apart", "E'"]],
        [{"b": "1"}, ["1", "", "b", ""], ["1", "E E", "apart", "E'"], ["1", "X", "apart", ""]],
        [{}, ["1", "E", "apart", ""], ["-1", "E", "apart", ""]],
    ]
    for line in lines:
        made["lines"] = [line]
        with pytest.raises(Refused, match="may have a diagonal"):
            check(made)


def test_values_of_a_function_are_zero_at_what_is_zero() -> None:
    """cross(X − Y) = 0 if X − Y = 0 was a line before; numbers come out, and nothing else."""
    made = small()
    made["spaces"] |= {"one": "one"}
    made["declare"] += [
        ["h", "leaf", "one", "one", "diagonal", "symmetric"],
        ["X", "leaf", "motion", "one", "full"],
        ["Y", "define", {"phi' E' X": "1", "X": "1"}],
        ["x", "cross", {"h phi' X": "1"}, "motion", "motion"],
        ["y", "cross", "phi' E' X", "motion", "motion"],
        ["z", "cross", "X", "motion", "motion"],
    ]
    made["claim"] = ["x", {"h y": "1", "h z": "1"}]
    left: list[Any] = [{"phi'": "1", "phi' E'": "-1", "": "-1"}, ["1", "", ["'", ["right", "phi"]], ""]]
    value = {"x": "1", "h y": "-1", "h z": "-1"}
    made["lines"] = [left, [value, ["1", "", ["cross", value, ["1", "h", 0, "X"]], ""]]]
    check(made)
    wrongs: list[Any] = [
        ["cross", value],
        ["cross", value, ["1", "h", 0, "X"], ["1", "h", 0, "X"]],
        ["cross", value, ["1", "h h", 0, "X"]],
        ["spin", value, ["1", "h", 0, "X"]],
        ["cross", {"x": "1", "h y": "-1", "h X": "-1"}, ["1", "h", 0, "X"]],
    ]
    for wrong in wrongs:
        made["lines"][1] = [value, ["1", "", wrong, ""]]
        with pytest.raises(Refused, match=r"does not fit|ill-typed|°X"):
            check(made)


def test_an_inverse_exists_if_what_is_inverted_is_shown_to_be_one_and_strict() -> None:
    """I + φ E − E is I and E φ E, φ = I + φ E; by its words alone it is two terms that are no I."""
    made = small()
    made["declare"].append(["U", "inverse", {"": "1", "phi": "1", "E phi": "-1"}, "force", "force"])
    made["claim"] = ["U (phi-E·phi+I)", ""]
    made["declare"].append(["(phi-E·phi+I)", "define", {"phi": "1", "E phi": "-1", "": "1"}])
    made["lines"] = [[{"U phi": "1", "U E phi": "-1", "U": "1", "": "-1"}, ["1", "", ["left", "U"], ""]]]
    assert check(made)["assumed"] == ["U exists"]
    made["declare"][2][2] = {"phi": "1", "E phi E": "1"}
    made["declare"][3] = ["(phi-E·phi+I)", "define", {"phi": "1", "E phi E": "1"}]
    made["lines"] = [[{"U phi": "1", "U E phi E": "1", "": "-1"}, ["1", "", ["left", "U"], ""]]]
    assert check(made)["assumed"] == ["U exists"]
    made["declare"][2].append(["1", "", ["left", "phi"], ""])
    assert check(made)["assumed"] == []
    made["declare"][2][5] = ["2", "", ["left", "phi"], ""]
    assert check(made)["assumed"] == ["U exists"]
    for ref, why in (
        (0, "0"),
        ("itself", "ill-typed"),
        ("phi", "may have a diagonal"),
        ("apart", "may have a diagonal"),
    ):
        made["declare"][2][5] = ["1", "", ref, ""]
        with pytest.raises(Refused, match=why):
            check(made)


def test_what_is_left_of_a_claim_has_the_blocks_that_are_claimed() -> None:
    made = small()
    made["claim"] = ["phi", "", "inward strict"]
    made["lines"] = [[{"phi": "1", "phi E": "-1", "": "-1"}, ["1", "", ["left", "phi"], ""]]]
    check(made)
    for blocks in ("inward hop", "outward strict", "diagonal"):
        made["claim"][2] = blocks
        with pytest.raises(Refused, match="not the claim"):
            check(made)
    made["claim"], made["lines"] = ["phi", {}, "inward"], []
    check(made)
