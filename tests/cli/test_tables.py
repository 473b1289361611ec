"""The table of `check` in windows of every width: nothing is cut, no word broken, no line too long."""

import re

import pytest

from operator_algebra.checking.check import Check
from operator_algebra.checking.tally import Tally
from operator_algebra.cli.terminal.tables import summary, wrapped
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.markup import width
from operator_algebra.models.families import chain

LAWS = list(catalogue().values())
MODEL = chain(2)


def check_of(law: str) -> Check:
    row = Tally(law, "chain2", 744, 0, 0, 3, 1.2e-16, 3.4e-10, 2.0, "", law, 0)
    return Check(catalogue()[law], "holds", (row,), None, 0, 8, MODEL)


CHECKS = [check_of(law.name) for law in LAWS]


@pytest.mark.parametrize("room", [60, 72, 80, 90, 100, 120, 157, 240])
def test_the_table_fits_the_window(room: int) -> None:
    text = summary(CHECKS, MODEL, 8, 0, 12.0, room)
    table = text.split("\n\n")[1].splitlines()
    assert max(map(width, text.splitlines())) <= max(room, 80)
    assert max(map(width, table)) <= room
    assert text.count("…") == sum(law.formula().count("…") for law in LAWS)
    flat = " ".join(" ".join(table).split())
    widest = max(len(law.name) for law in LAWS)
    names = [line[1 : 1 + widest].rstrip() for line in table[1:] if line[1] != " "]
    assert names == [law.name for law in LAWS]
    for law in LAWS:
        for word in law.formula().split():
            assert word in flat
    assert len(re.findall(r"\b744\b", flat)) == len(LAWS)
    assert flat.count("1e-16 / 3e-10") == len(LAWS)


def test_a_wide_window_has_one_line_for_most_laws() -> None:
    wide, narrow = (summary(CHECKS, MODEL, 8, 0, 12.0, room).count("\n") for room in (240, 80))
    assert wide < narrow


def test_lines_break_at_blanks() -> None:
    assert wrapped("a bb ccc", 4) == ["a bb", "ccc"]
    assert wrapped("longword a", 4) == ["longword", "a"]
    assert wrapped("", 4) == [""]
