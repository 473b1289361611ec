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
    made["lines"] = [[{"P": "1", "Q": "-1"}, "sum", *equations, *terms]]
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
        ([["1", "E", ["'", "itself"], "E'"]], "not a certificate"),
        ([["1", "E", 0, "E'"]], "KeyError"),
    ],
)
def test_a_line_rests_on_itself_only_where_that_is_causal(terms: list[Any], why: str) -> None:
    with pytest.raises(Refused, match=why):
        check(unique(*terms))


def opening(body: str, left: str, right: str, *traits: str) -> dict[str, Any]:
    """The claim that diag(left d right) is diag(left X right), d = diag(X)."""
    made = small()
    made |= {"traits": [*traits], "spaces": {"x": "x"}}
    made["declare"] = [["E", "leaf", "x", "x", "inward hop"], ["X", "leaf", "x", "x", "full"], ["d", "diag", "X"]]
    made["declare"] += [["a", "diag", body.replace("X", "d")], ["b", "diag", body]]
    made["claim"] = ["a", "b"]
    opened = [["1", "", "a", ""], ["-1", "", "b", ""], ["1", left, "d", right]]
    made["lines"] = [[{"a": "1", "b": "-1"}, "diag", *opened]]
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
    with pytest.raises(Refused, match="no way to a body and back"):
        check(opening(f"{left} X {right}".strip(), left, right))


def test_it_stays_outside_of_diagonals() -> None:
    made = opening("X", "", "")
    made["lines"][0] = [{"d": "1", "X": "-1"}, "sum", ["1", "", "d", ""]]
    with pytest.raises(Refused, match="d is no diagonal in another"):
        check(made)
    made["lines"][0] = [{"a": "1", "X": "-1"}, "diag", ["1", "", "a", ""]]
    with pytest.raises(Refused, match="does not follow"):
        check(made)


def test_an_inverse_exists_if_what_is_inverted_is_shown_to_be_one_and_strict() -> None:
    """I + φ E − E is I and E φ E, φ = I + φ E; by its words alone it is two terms that are no I."""
    made = small()
    made["declare"].append(["U", "inverse", {"": "1", "phi": "1", "E phi": "-1"}])
    made["claim"] = ["U (phi-E·phi+I)", ""]
    made["declare"].append(["(phi-E·phi+I)", "define", {"phi": "1", "E phi": "-1", "": "1"}])
    made["lines"] = [[{"U phi": "1", "U E phi": "-1", "U": "1", "": "-1"}, "sum", ["1", "", ["left", "U"], ""]]]
    assert check(made)["assumed"] == ["U exists"]
    made["declare"][2][2] = {"phi": "1", "E phi E": "1"}
    made["declare"][3] = ["(phi-E·phi+I)", "define", {"phi": "1", "E phi E": "1"}]
    made["lines"] = [[{"U phi": "1", "U E phi E": "1", "": "-1"}, "sum", ["1", "", ["left", "U"], ""]]]
    assert check(made)["assumed"] == ["U exists"]
    made["declare"][2].append(["1", "", ["left", "phi"], ""])
    assert check(made)["assumed"] == []
    made["declare"][2][3] = ["2", "", ["left", "phi"], ""]
    assert check(made)["assumed"] == ["U exists"]
    for ref, why in ((0, "KeyError"), ("itself", "terms of types"), ("phi", "no diagonal in another")):
        made["declare"][2][3] = ["1", "", ref, ""]
        with pytest.raises(Refused, match=why):
            check(made)


def test_what_is_left_of_a_claim_has_the_blocks_that_are_claimed() -> None:
    made = small()
    made["claim"] = ["phi", "", "inward strict"]
    made["lines"] = [[{"phi": "1", "phi E": "-1", "": "-1"}, "sum", ["1", "", ["left", "phi"], ""]]]
    check(made)
    for blocks in ("inward hop", "outward strict", "diagonal"):
        made["claim"][2] = blocks
        with pytest.raises(Refused, match="not the claim"):
            check(made)
    made["claim"], made["lines"] = ["phi", {}, "inward"], []
    check(made)
