"""Pages of facts: what is written from the package says all of it."""

import re
import struct
from dataclasses import fields
from types import ModuleType

import operator_algebra as oa
from docs.extensions.generated import application_page, instructions_table, names_page
from docs.extensions.one_arm import one_arm_page
from operator_algebra.programs.instructions import WORDS


def test_the_table_of_instructions_has_every_word_and_every_field() -> None:
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in instructions_table().splitlines()[2:]]
    assert [row[0].strip() for row in rows] == [f"`{word}`" for word in WORDS]
    for kind, (_, takes, means) in zip(WORDS.values(), rows, strict=True):
        assert [re.findall("`(.*?)`", one)[0] for one in takes.split("<br>")] == [one.name for one in fields(kind)]
        assert means.strip()


def test_the_table_says_where_a_field_is_read() -> None:
    table = instructions_table()
    assert "`source` where `hop` comes from" in table
    assert "`own` at the children" in table
    assert "`terms` at all bodies" in table


def test_the_page_of_names_has_every_public_name_once() -> None:
    public = [name for name in dir(oa) if not name.startswith("_") and not isinstance(getattr(oa, name), ModuleType)]
    assert sorted(re.findall(r":: operator_algebra\.(\w+)$", names_page(), re.MULTILINE)) == sorted(public)


def test_the_page_of_an_application_has_its_names_and_those_that_it_hands_on() -> None:
    page = application_page(oa.simulation, "Simulation")
    for name in oa.simulation.__all__:
        assert f"operator_algebra.applications.simulation.{name}\n" in page


def test_the_page_of_one_arm_has_all_forms_of_the_same_numbers() -> None:
    page = one_arm_page()
    parts = re.findall(r"```\{code-block\} (\w+)\n\n(.*?)\n```", page, re.DOTALL)
    assert [language for language, _ in parts] == ["text", "python", "llvm", "c"]
    _, python, ir, c = (text for _, text in parts)
    constants = [number for number in re.findall(r"\d\.\d{6,}", python) if number in c]
    assert len(constants) >= 7  # the numbers of this arm stand in both
    assert all(
        float(number).hex() and f"0x{struct.pack('>d', float(number)).hex().upper()}" in ir for number in constants
    )
