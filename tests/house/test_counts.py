"""What makes the code hard to change does not grow: every count of `tests.house.counts` stays within its ceiling."""

import pytest

from tests.house.counts import COUNTS, instruction_kinds, modules

CEILINGS = {
    "files that tell kinds of instructions apart": 30,
    "leaves as strings": 30,
    "imports inside functions": 117,
    "modules in rings of imports within a package": 54,
    "Any in all packages": 369,
    "Any in operators, meaning, backends": 10,
}
"""As they stand; whoever gets below lowers them."""

LINES_OF_TESTS = 0.5


@pytest.mark.parametrize("what", CEILINGS)
def test_no_count_grows(what: str) -> None:
    assert COUNTS[what]() <= CEILINGS[what]


def test_tests_keep_up_with_the_code() -> None:
    assert COUNTS["lines of tests for a line of code"]() >= LINES_OF_TESTS


def test_every_count_has_its_bound() -> None:
    assert {*CEILINGS, "lines of tests for a line of code"} == set(COUNTS)


def test_what_is_counted_is_there() -> None:
    assert {"Linear", "Shift", "Invert", "Update"} <= instruction_kinds()
    assert {"symbols", "models.joints.joint", "programs.instructions"} <= modules().keys()
