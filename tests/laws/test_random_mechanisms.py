"""Random mechanisms: no law is called false, no twin survives; ten thousand of them once, two hundred each time."""

import json
from pathlib import Path

import pytest

from operator_algebra.identities.catalogue import catalogue
from tests.laws.campaign import RESULT, campaign, in_parts, summed

ONCE = 10_000
EACH_TIME = 80


def test_eighty_random_mechanisms() -> None:
    found = campaign(EACH_TIME, first=1_000_000)
    assert found["false_fails"] == []
    assert found["missed_twins"] == []
    assert found["inconclusive"] <= found["samples"] // 200


def test_the_record_of_ten_thousand() -> None:
    found = json.loads(Path(RESULT).read_text(encoding="utf-8"))
    assert found["mechanisms"] == ONCE
    assert 170 < found["laws"] <= len(catalogue()), "those of the day on which it was made"
    assert found["false_fails"] == []
    assert found["missed_twins"] == []
    assert found["inconclusive"] <= found["samples"] // 200
    assert found["twins_inconclusive"] <= found["twin_samples"] // 20


def test_parts_are_added_and_a_twin_is_missed_if_all_miss_it() -> None:
    part = {"mechanisms": 3, "laws": 9, "samples": 5, "holds": 5, "inconclusive": 0, "false_fails": ["a"], "twins": 7,
            "missed_twins": ["s", "t"], "twin_samples": 2, "twins_inconclusive": 1}  # fmt: skip
    other = part | {"samples": 6, "false_fails": ["b"], "missed_twins": ["t", "u"]}
    assert summed([part, other]) == {
        "mechanisms": 6, "laws": 9, "samples": 11, "holds": 10, "inconclusive": 0, "false_fails": ["a", "b"],
        "twins": 7, "missed_twins": ["t"], "twin_samples": 4, "twins_inconclusive": 2}  # fmt: skip


@pytest.mark.slow
def test_ten_thousand_random_mechanisms() -> None:
    found = in_parts(ONCE)
    assert found == json.loads(Path(RESULT).read_text(encoding="utf-8"))
