"""Random mechanisms: no law is called false, no twin survives; ten thousand of them once, two hundred each time."""

import json
from pathlib import Path

import pytest

from tests.laws.campaign import RESULT, campaign

ONCE = 10_000
EACH_TIME = 200


def test_two_hundred_random_mechanisms() -> None:
    found = campaign(EACH_TIME, first=1_000_000)
    assert found["false_fails"] == []
    assert found["missed_twins"] == []
    assert found["inconclusive"] <= found["samples"] // 200


def test_the_record_of_ten_thousand() -> None:
    found = json.loads(Path(RESULT).read_text(encoding="utf-8"))
    assert found["mechanisms"] == ONCE
    assert found["false_fails"] == []
    assert found["missed_twins"] == []
    assert found["inconclusive"] <= found["samples"] // 200
    assert found["twins_inconclusive"] <= found["twin_samples"] // 20


@pytest.mark.slow
def test_ten_thousand_random_mechanisms() -> None:
    found = campaign(ONCE, first=0)
    assert found == json.loads(Path(RESULT).read_text(encoding="utf-8"))
